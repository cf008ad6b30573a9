//! Values that need more than a number's parser.

use export::Format;
use std::time::Duration;

/// `30`, `1.5`, `500ms`, `30s`, `2m`, `1h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("give seconds, or a number with ms, s, m or h".into()),
    };
    let seconds = number
        .parse::<f64>()
        .map_err(|_| "give seconds, or a number with ms, s, m or h".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds * scale).map_err(|error| error.to_string())?;
    if duration.is_zero() {
        Err("it must be longer than 0".into())
    } else {
        Ok(duration)
    }
}

/// A format by its name.
pub fn format(text: &str) -> Result<Format, String> {
    Format::from_name(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for bad in ["", "0", "-1", "x", "5 parsecs", "1e400", "inf", "nan", "ms"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
