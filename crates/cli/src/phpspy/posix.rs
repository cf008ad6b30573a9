//! Regular expressions as phpspy takes them: POSIX's extended ones, line by line.

use regex_lite::{Error, Regex, RegexBuilder};

/// An expression whose `^`, `$`, `.` and `[^…]` keep to one line.
pub fn expression(text: &str) -> Result<Regex, Error> {
    RegexBuilder::new(&translated(text)).multi_line(true).build()
}

/// The same with brackets as regex-lite has them. In those of POSIX a backslash is one, `]` may come first, and none of
/// the negated ones takes a line break.
fn translated(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let after = &rest[char.len_utf8()..];
        rest = match char {
            '\\' => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                out.push(char);
                out.push_str(&after[..escaped]);
                &after[escaped..]
            }
            '[' => {
                if let Some(behind) = bracket(after, &mut out) {
                    behind
                } else {
                    // It has no end, which is said by whoever compiles it.
                    out.push_str(rest);
                    ""
                }
            }
            _ => {
                out.push(char);
                after
            }
        };
    }
    out
}

/// Writes the bracket that begins before `text`; what stands behind it.
fn bracket<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let inside = text.strip_prefix('^');
    let is_negated = inside.is_some();
    let inside = inside.unwrap_or(text);
    let mut class = String::new();
    let mut at = 0;
    loop {
        let rest = &inside[at..];
        let char = rest.chars().next()?;
        if char == ']' && at > 0 {
            let (negation, line_break) = if is_negated { ("^", "\\n") } else { ("", "") };
            out.extend(["[", negation, &class, line_break, "]"]);
            return Some(&rest[1..]);
        }
        if rest.starts_with("[:")
            && let Some(end) = rest.find(":]")
        {
            class.push_str(&rest[..end + 2]);
            at += end + 2;
            continue;
        }
        if matches!(char, '\\' | '[' | ']' | '^' | '&' | '~') {
            class.push('\\');
        }
        class.push(char);
        at += char.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_matched_each_by_itself() {
        let is_match = |expression: &str, text: &str| super::expression(expression).unwrap().is_match(text);
        assert!(is_match("^0 sleep$", "1 x\n0 sleep\n2 y"));
        assert!(!is_match("^0 [^:]*main", "0 sleep\n1 main"), "of two lines");
        assert!(is_match("^1 [^:]*main", "0 sleep\n1 main"));
        assert!(!is_match("sleep.1", "0 sleep\n1 main"));
    }

    #[test]
    fn brackets_are_those_of_posix() {
        let is_match = |expression: &str, text: &str| super::expression(expression).unwrap().is_match(text);
        assert!(is_match(r"App[\]Db", r"App\Db") && !is_match(r"App[\]Db", "App/Db"));
        assert!(is_match("a[]x]b", "a]b") && is_match("a[]x]b", "axb"));
        assert!(!is_match("a[^]x]b", "a]b") && is_match("a[^]x]b", "ayb"));
        assert!(is_match("^[[:digit:]]+ [[:alpha:]_]+::", "12 Some_Class::f"));
        assert!(is_match("[a-c-]{2}", "-b") && is_match("[x^]", "^") && is_match("[[&~]", "["));
        assert!(is_match(r"\[a\]", "[a]"));
        for bad in ["[a", "(", "[[:none:]]", "[]"] {
            assert!(expression(bad).is_err(), "{bad}");
        }
    }
}
