//! Units of time, memory and throughput. Time counts in microseconds, memory in bytes.

/// Names of a unit of time, its sign, and its microseconds.
const TIME: [(&[&str], &str, f64); 7] = [
    (&["nanoseconds", "nanosecond", "ns"], "ns", 0.001),
    (&["microseconds", "microsecond", "us", "µs", "μs"], "μs", 1.0),
    (&["milliseconds", "millisecond", "ms"], "ms", 1e3),
    (&["seconds", "second", "s"], "s", 1e6),
    (&["minutes", "minute", "m"], "m", 6e7),
    (&["hours", "hour", "h"], "h", 3.6e9),
    (&["days", "day", "d"], "d", 8.64e10),
];

/// Names of a unit of memory, its sign, and its bytes.
const MEMORY: [(&[&str], &str, f64); 7] = [
    (&["bytes", "byte", "b"], "b", 1.0),
    (&["kilobytes", "kilobyte", "kb", "k"], "kb", 1e3),
    (&["megabytes", "megabyte", "mb"], "mb", 1e6),
    (&["gigabytes", "gigabyte", "gb"], "gb", 1e9),
    (&["kibibytes", "kibibyte", "kib"], "KiB", 1024.0),
    (&["mebibytes", "mebibyte", "mibibyte", "mib"], "MiB", 1_048_576.0),
    (&["gibibytes", "gibibyte", "gib"], "GiB", 1_073_741_824.0),
];

type Unit = (&'static [&'static str], &'static str, f64);

fn find(units: &'static [Unit], name: &str) -> Option<&'static Unit> {
    units.iter().find(|(names, _, _)| names.contains(&name))
}

/// Whether there is such a unit.
pub fn is_known(name: &str) -> bool {
    let throughput = name
        .strip_prefix("ops/")
        .is_some_and(|unit| find(&TIME, unit).is_some());
    throughput || find(&TIME, name).is_some() || find(&MEMORY, name).is_some()
}

/// Whether values can be shown so; `time` and `memory` are whatever unit fits.
pub fn can_show(name: &str) -> bool {
    is_known(name) || matches!(name, "time" | "memory")
}

/// `number` of a unit, in the base unit.
pub fn to_base(number: f64, name: &str) -> Option<f64> {
    if let Some(unit) = name.strip_prefix("ops/") {
        let (_, _, factor) = find(&TIME, unit)?;
        return Some(factor / number);
    }
    let (_, _, factor) = find(&TIME, name).or_else(|| find(&MEMORY, name))?;
    Some(number * factor)
}

/// A value in the base unit, written in a unit.
pub fn show(value: f64, name: &str, precision: Option<u8>) -> String {
    let digits = usize::from(precision.unwrap_or(3));
    if let Some(unit) = name.strip_prefix("ops/") {
        let Some((_, sign, factor)) = find(&TIME, unit) else {
            return format!("{value} {name}");
        };
        return format!("{}ops/{sign}", grouped(factor / value, digits));
    }
    let unit = match name {
        "time" => fitting(&TIME, value),
        "memory" => fitting(&MEMORY[..4], value),
        name => find(&TIME, name).or_else(|| find(&MEMORY, name)),
    };
    match unit {
        // A byte has no parts.
        Some((_, "b", _)) => format!("{}b", grouped(value, usize::from(precision.unwrap_or(0)))),
        Some((_, sign, factor)) => format!("{}{sign}", grouped(value / factor, digits)),
        None => format!("{value} {name}"),
    }
}

/// The largest unit of which there is at least one.
fn fitting(units: &'static [Unit], value: f64) -> Option<&'static Unit> {
    // Minutes and more are as hard to read as nanoseconds are to miss.
    let units = if units.len() == TIME.len() {
        &units[..4]
    } else {
        units
    };
    units
        .iter()
        .rev()
        .find(|(_, _, factor)| value.abs() >= *factor)
        .or(units.first())
}

/// A number with its thousands apart.
pub fn grouped(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let text = format!("{:.digits$}", number.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    format!("{}{grouped}{rest}", if number < 0.0 && !zero { "-" } else { "" })
}
