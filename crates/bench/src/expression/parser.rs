//! Tokens become a tree.

use super::{
    ExpressionError,
    lexer::{self, Token},
    units,
};

/// How deep an expression may be nested.
const MAX_DEPTH: usize = 64;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Number(f64),
    Text(String),
    Truth(bool),
    Null,
    List(Vec<Tree>),
    /// `variant.time.avg`; with `?` somewhere, what is not there is null.
    Path(Vec<String>, bool),
    Call(String, Vec<Tree>),
    /// `10 ms`.
    Unit(Box<Tree>, String),
    /// `x as ms precision 2`.
    As(Box<Tree>, String, Option<u8>),
    /// `10%`.
    Percent(Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Parentheses(Box<Tree>),
}

/// How strongly what is between two parts binds them. `PHPBench` binds `as` more strongly than arithmetic.
fn strength(symbol: &str) -> Option<(u8, &'static str)> {
    Some(match symbol {
        "~" => (1, "~"),
        "or" => (2, "or"),
        "and" => (3, "and"),
        "=" => (4, "="),
        "!=" => (5, "!="),
        "<" => (5, "<"),
        "<=" => (5, "<="),
        ">" => (5, ">"),
        ">=" => (5, ">="),
        "+/-" => (6, "+/-"),
        "+" => (7, "+"),
        "-" => (7, "-"),
        "*" => (8, "*"),
        "/" => (8, "/"),
        "as" => (9, "as"),
        _ => return None,
    })
}

/// Reads an expression.
pub(super) fn parse(text: &str) -> Result<Tree, ExpressionError> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
    };
    let tree = parser.expression(0)?;
    if parser.at < tokens.len() {
        Err(parser.wrong())
    } else {
        Ok(tree)
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [(Token, usize)],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn wrong(&self) -> ExpressionError {
        lexer::syntax(
            self.tokens
                .get(self.at)
                .map_or("", |&(_, place)| &self.text[place..]),
        )
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let takes = matches!(self.peek(), Some(Token::Symbol(found)) if *found == symbol);
        self.at += usize::from(takes);
        takes
    }

    fn demand(&mut self, symbol: &str) -> Result<(), ExpressionError> {
        if self.takes(symbol) {
            Ok(())
        } else {
            Err(self.wrong())
        }
    }

    fn name(&mut self) -> Result<String, ExpressionError> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.wrong()),
        }
    }

    fn expression(&mut self, least: u8) -> Result<Tree, ExpressionError> {
        self.deeper()?;
        let mut left = self.suffixed()?;
        while let Some((bound, operator)) = self.operator().filter(|(bound, _)| *bound > least) {
            self.at += 1;
            left = if operator == "as" {
                let unit = self.name()?;
                Tree::As(Box::new(left), unit, self.precision()?)
            } else {
                Tree::Binary(operator, Box::new(left), Box::new(self.expression(bound)?))
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn deeper(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ExpressionError::Meaning(format!(
                "it is nested more than {MAX_DEPTH} deep"
            )));
        }
        Ok(())
    }

    fn operator(&self) -> Option<(u8, &'static str)> {
        match self.peek()? {
            Token::Symbol(symbol) => strength(symbol),
            Token::Name(name) => strength(name),
            _ => None,
        }
    }

    fn precision(&mut self) -> Result<Option<u8>, ExpressionError> {
        if !matches!(self.peek(), Some(Token::Name(name)) if name == "precision") {
            return Ok(None);
        }
        self.at += 1;
        match self.peek() {
            Some(&Token::Number(digits)) if (0.0..=20.0).contains(&digits) => {
                self.at += 1;
                Ok(Some(digits as u8))
            }
            _ => Err(self.wrong()),
        }
    }

    /// A part, with the unit or percent sign after it.
    fn suffixed(&mut self) -> Result<Tree, ExpressionError> {
        let part = self.part()?;
        if self.takes("%") {
            return Ok(Tree::Percent(Box::new(part)));
        }
        match self.peek() {
            Some(Token::Name(name)) if units::is_known(name) => {
                let unit = name.clone();
                self.at += 1;
                Ok(Tree::Unit(Box::new(part), unit))
            }
            _ => Ok(part),
        }
    }

    fn part(&mut self) -> Result<Tree, ExpressionError> {
        if self.takes("(") {
            let inner = self.expression(0)?;
            self.demand(")")?;
            return Ok(Tree::Parentheses(Box::new(inner)));
        }
        if self.takes("[") {
            return Ok(Tree::List(self.list("]")?));
        }
        if self.takes("-") {
            self.deeper()?;
            let inner = self.part()?;
            self.depth -= 1;
            return Ok(Tree::Binary("-", Box::new(Tree::Number(0.0)), Box::new(inner)));
        }
        match self.peek().cloned() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(Tree::Number(number))
            }
            Some(Token::Text(text)) => {
                self.at += 1;
                Ok(Tree::Text(text))
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                self.named(name)
            }
            _ => Err(self.wrong()),
        }
    }

    fn named(&mut self, name: String) -> Result<Tree, ExpressionError> {
        match name.as_str() {
            "true" => return Ok(Tree::Truth(true)),
            "false" => return Ok(Tree::Truth(false)),
            "null" => return Ok(Tree::Null),
            _ => {}
        }
        if self.takes("(") {
            return Ok(Tree::Call(name, self.list(")")?));
        }
        let mut names = vec![name];
        let mut lenient = false;
        loop {
            lenient |= self.takes("?");
            if self.takes(".") {
                names.push(self.name()?);
            } else if self.takes("[") {
                match self.peek().cloned() {
                    Some(Token::Text(name)) => names.push(name),
                    _ => return Err(self.wrong()),
                }
                self.at += 1;
                self.demand("]")?;
            } else {
                return Ok(Tree::Path(names, lenient));
            }
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Tree>, ExpressionError> {
        let mut items = Vec::new();
        while !self.takes(end) {
            if !items.is_empty() {
                self.demand(",")?;
            }
            items.push(self.expression(0)?);
        }
        Ok(items)
    }
}
