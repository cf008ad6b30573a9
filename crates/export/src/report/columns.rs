//! Columns of tables in the terminal.

use profile::{harmless, shorten_name};

/// The least room in which a file's name is worth showing.
const LEAST_PLACE: usize = 16;

/// A function in `room` columns: its name, and where it is declared unless its name says so or there is no room.
pub fn name_and_place(name: &str, file: Option<&str>, line: u32, room: usize) -> String {
    let place = match file {
        Some(file) if name.contains(file) => String::new(),
        Some(file) if line > 0 => format!("{file}:{line}"),
        Some(file) => file.to_owned(),
        None => String::new(),
    };
    let left = room.saturating_sub(name.chars().count() + 2);
    let text = if place.is_empty() || left < LEAST_PLACE.min(place.chars().count()) {
        shorten_name(name, room, |text| text.chars().count(), shorten_left)
    } else {
        format!("{name}  {}", shorten_left(&place, left))
    };
    harmless(&text)
}

pub fn percent(part: u64, all: u64) -> String {
    format!("{:5.1}%", 100.0 * part as f64 / all.max(1) as f64)
}

/// Bytes in seven columns.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 999.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:>5.1}{}", UNITS[unit])
}

/// The end of a name tells more than its beginning.
pub fn shorten_left(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    ['…']
        .into_iter()
        .chain(text.chars().skip(length - limit + 1))
        .collect()
}
