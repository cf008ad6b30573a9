//! Bars of one character.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar of a histogram: nothing for none, and something for whatever is there.
pub fn column(count: usize, tallest: usize) -> char {
    match (count * BARS.len()).div_ceil(tallest.max(1)) {
        0 => ' ',
        eighths => BARS[eighths.min(BARS.len()) - 1],
    }
}

/// A point of a line, at a share of its height from 0 to 1. What is no number lies at the bottom.
pub fn level(share: f64) -> char {
    BARS[((share * BARS.len() as f64) as usize).min(BARS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_seen() {
        let columns: String = [0, 1, 50, 99, 100]
            .map(|count| column(count, 100))
            .iter()
            .collect();
        assert_eq!(columns, " ▁▄██");
        assert_eq!(column(0, 0), ' ');
        let levels: String = [-1.0, 0.0, 0.5, 1.0, 2.0, f64::NAN].map(level).iter().collect();
        assert_eq!(levels, "▁▁▅██▁");
    }
}
