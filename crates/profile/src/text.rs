//! Names where people read them: in a terminal, in one line, in not much room.

/// What no name should be shown with: controls, line ends of Unicode's own, and marks that turn the direction of what follows.
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// A text without what a terminal would obey: `?` stands for it.
pub fn harmless(text: &str) -> String {
    text.replace(is_unprintable, "?")
}

/// A name in `room`: of one that is too long the end, which tells more than the beginning. Of a closure or a file that is
/// included, what it is stays in front of the end of its place.
///
/// `measure` says how much room a text takes, `shorten` what is left of a text in so much room.
pub fn shorten_name(
    name: &str,
    room: usize,
    measure: impl Fn(&str) -> usize,
    shorten: impl Fn(&str, usize) -> String,
) -> String {
    const CLOSURE: &str = "{closure:";
    /// The least of a place that is worth showing.
    const LEAST: usize = 8;
    let closure = name.find(CLOSURE);
    let place = closure
        .map(|at| at + CLOSURE.len())
        .or_else(|| Some(name.find(" /")? + 1));
    if let Some(at) = place.filter(|_| measure(name) > room) {
        let (before, place) = name.split_at(at);
        let kept = [before.to_owned(), format!("…{CLOSURE}")];
        let fits = |kept: &&String| measure(kept) + LEAST <= room;
        let tried = if closure.is_some() { &kept[..] } else { &kept[..1] };
        if let Some(kept) = tried.iter().find(fits) {
            return format!("{kept}{}", shorten(place, room - measure(kept)));
        }
    }
    shorten(name, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_of_it() {
        assert_eq!(
            harmless("a\x1b[31m\u{9b}b\u{202e}é\u{2028}\u{feff}"),
            "a?[31m?b?é??"
        );
    }

    #[test]
    fn closures_and_included_files_stay_what_they_are() {
        let shorten = |text: &str, room: usize| {
            let count = text.chars().count();
            if count <= room {
                return text.to_owned();
            }
            let end: String = text.chars().skip(count - (room - 1)).collect();
            format!("…{end}")
        };
        let shown = |name: &str, room| shorten_name(name, room, |text| text.chars().count(), shorten);
        let name = "App\\K::{closure:/srv/app/src/Kernel.php:12}";
        assert_eq!(shown(name, 99), name);
        assert_eq!(shown(name, 30), "App\\K::{closure:…ernel.php:12}");
        assert_eq!(shown(name, 22), "…{closure:…nel.php:12}");
        assert_eq!(shown(name, 12), "…nel.php:12}");
        assert_eq!(
            shown("require_once /srv/app/my lib.php", 24),
            "require_once …my lib.php"
        );
        assert_eq!(shown("App\\Long::name", 8), "…g::name");
    }
}
