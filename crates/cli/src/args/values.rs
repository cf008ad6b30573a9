//! Values that need more than a number's parser.

use export::Format;
use sampler::{BadPeek, Peek};
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
    match Duration::try_from_secs_f64(seconds * scale) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ if seconds > 0.0 => Err("it is too long".into()),
        _ => Err("it must be longer than 0".into()),
    }
}

/// A label by its name.
pub fn by(text: &str) -> Result<export::By, String> {
    export::By::from_name(text).ok_or_else(|| format!("the labels are {}", export::By::names()))
}

/// `method,uri,script,query,cookie,began`, or some of them.
pub fn parts(text: &str) -> Result<sampler::Parts, String> {
    text.split(',').try_fold(sampler::Parts::NONE, |parts, name| {
        sampler::Parts::LABELS
            .into_iter()
            .find(|label| label.name() == name)
            .map(|label| parts.and(label))
            .ok_or_else(|| {
                "the parts are method, uri, script, query, cookie, began; put commas between them".into()
            })
    })
}

/// `VAR@FILE:LINE`.
pub fn variable(text: &str) -> Result<Peek, BadPeek> {
    Peek::variable(text)
}

/// `ARRAY.KEY`.
pub fn global(text: &str) -> Result<Peek, BadPeek> {
    Peek::global(text)
}

/// A format by its name.
pub fn format(text: &str) -> Result<Format, String> {
    Format::from_name(text).map_err(|error| error.to_string())
}

/// An address of a page, and its weight: `/index.php?x=1 3`.
#[cfg(feature = "build")]
pub fn weighted(text: &str) -> Result<(String, u64), String> {
    let (uri, weight) = text.trim().split_once(' ').unwrap_or((text.trim(), "1"));
    if !uri.starts_with('/') {
        return Err("give an address that starts with /, such as '/index.php?x=1'".into());
    }
    match weight.trim().parse() {
        Ok(weight @ 1..=1_000_000) => Ok((uri.to_owned(), weight)),
        _ => Err("give the weight behind the address as a number from 1 to 1000000".into()),
    }
}

/// A processor, as GCC's `-march` names it: `native`, `x86-64-v3`.
#[cfg(feature = "build")]
pub fn processor(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-+._".contains(c);
    if text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_part) {
        return Ok(text.to_owned());
    }
    Err("give the name of a processor, such as native or x86-64-v3".into())
}

/// Per cent, as a share: `2` and `2%` are 0.02.
#[cfg(feature = "compare")]
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("give per cent from 0 to 100".into()),
    }
}

/// `Name: value`.
#[cfg(feature = "compare")]
pub fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err("give a name and a value, as `Host: example.org`".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "compare")]
    #[test]
    fn shares_are_given_in_per_cent() {
        assert_eq!(percent("0.5"), Ok(0.005));
        assert_eq!(percent("2%"), Ok(0.02));
        for bad in ["", "-1", "101", "nan", "inf", "%", "a"] {
            assert!(percent(bad).is_err(), "{bad}");
        }
    }

    #[cfg(feature = "compare")]
    #[test]
    fn headers_have_a_name() {
        assert_eq!(header("Host: a:80"), Ok(("Host".into(), "a:80".into())));
        assert!(header("Host").is_err() && header(": a").is_err());
    }

    #[cfg(feature = "build")]
    #[test]
    fn processors_are_words() {
        assert_eq!(processor("armv8.2-a+crypto"), Ok("armv8.2-a+crypto".into()));
        for bad in ["", "-O0", "native -O0", "a\"b", "$(X)"] {
            assert!(processor(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn secrets_are_read_only_if_named() {
        let parts_of = |text| parts(text).unwrap();
        assert_eq!(parts_of("method,uri,script"), sampler::Parts::PLAIN);
        assert!(parts_of("uri,cookie").has(profile::Label::Cookie));
        assert!(!parts_of("uri").has(profile::Label::Query));
        for bad in ["", "uri,", "url", "uri query", "wait"] {
            assert!(parts(bad).is_err(), "{bad}");
        }
    }

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
