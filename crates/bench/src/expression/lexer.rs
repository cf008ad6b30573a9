//! Text becomes tokens.

use super::ExpressionError;

/// Length of an expression, in bytes.
const MAX_LENGTH: usize = 64 << 10;

/// The smallest piece that means something.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    /// A name, a keyword, or a unit.
    Name(String),
    /// Any of [`SYMBOLS`].
    Symbol(&'static str),
}

/// Those that begin like others come first.
const SYMBOLS: [&str; 20] = [
    "+/-", "<=", ">=", "!=", "<", ">", "=", "+", "-", "*", "/", "%", "~", "(", ")", "[", "]", ",", ".", "?",
];

/// Tokens, each with the place of its first byte.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ExpressionError> {
    if text.len() > MAX_LENGTH {
        return Err(ExpressionError::Meaning(format!(
            "it is longer than {} KB",
            MAX_LENGTH >> 10
        )));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = if first.is_ascii_digit() {
            number(rest)?
        } else if first == '"' || first == '\'' {
            quoted(rest, first)?
        } else if first.is_ascii_alphabetic() || first == '_' || first == 'µ' || first == 'μ' {
            name(rest)
        } else {
            let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
            let symbol = symbol.ok_or_else(|| syntax(rest))?;
            (Token::Symbol(symbol), symbol.len())
        };
        tokens.push((token, at));
        at += length;
    }
    Ok(tokens)
}

pub(super) fn syntax(rest: &str) -> ExpressionError {
    let shown: String = rest.chars().take(20).collect();
    ExpressionError::Syntax(if shown.is_empty() {
        "its end".into()
    } else {
        format!("`{shown}`")
    })
}

fn number(rest: &str) -> Result<(Token, usize), ExpressionError> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if bytes
        .get(end)
        .is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'))
    {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    let value = rest[..end].parse().map_err(|_| syntax(rest))?;
    Ok((Token::Number(value), end))
}

/// A quote within is written twice.
fn quoted(rest: &str, quote: char) -> Result<(Token, usize), ExpressionError> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            text.push(character);
        } else if characters.peek().is_some_and(|&(_, next)| next == quote) {
            text.push(quote);
            characters.next();
        } else {
            return Ok((Token::Text(text), at + 1));
        }
    }
    Err(syntax(rest))
}

/// A name; `ops/second` is one as well.
fn name(rest: &str) -> (Token, usize) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | 'µ' | 'μ');
    let length = |text: &str| text.find(|c| !is_part(c)).unwrap_or(text.len());
    let mut end = length(rest);
    if &rest[..end] == "ops" && rest[end..].starts_with('/') {
        end += 1 + length(&rest[end + 1..]);
    }
    (Token::Name(rest[..end].to_owned()), end)
}
