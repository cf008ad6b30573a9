//! Two distributions on one axis, in characters.

use super::{bars::column, figure::Kind};
use stats::Sample;

/// More columns show noise.
const MOST: usize = 60;
/// The axis ends here; what lies above is counted beside it.
const QUANTILE: f64 = 0.95;

/// Three lines: A, B, and the ends of the axis.
pub fn lines(a: &Sample, b: &Sample, kind: Kind, width: usize) -> [String; 3] {
    let columns = width.saturating_sub(20).clamp(10, MOST);
    let low = a.min().min(b.min());
    let high = a.quantile(QUANTILE).max(b.quantile(QUANTILE));
    let row = |name: char, sample: &Sample| {
        let histogram = sample.histogram(low, high, columns);
        let tallest = histogram.tallest();
        let bars: String = histogram
            .counts
            .iter()
            .map(|&count| column(count, tallest))
            .collect();
        let above = match histogram.above {
            0 => String::new(),
            above => format!("{above} above"),
        };
        format!("{name}  {bars}  {above}").trim_end().to_owned()
    };
    let (left, right) = (kind.format(low), kind.format(high));
    let gap = columns.saturating_sub(left.chars().count() + right.chars().count());
    [
        row('A', a),
        row('B', b),
        format!("   {left}{}{right}", " ".repeat(gap.max(1))),
    ]
}
