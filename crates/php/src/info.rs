//! What a PHP says of itself, whatever it is part of.

use crate::Error;
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// The answer of `phpinfo()`. On the command line and of PHP-FPM it is text, of others a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info(Vec<(String, String)>);

impl Info {
    /// Asks a program, which takes no settings from anywhere for it.
    pub fn ask(path: &Path) -> Result<Self, Error> {
        Self::asked(path, &["-n", "-i"])
    }

    /// Asks a program with the settings of its php.ini.
    pub fn with_settings(path: &Path) -> Result<Self, Error> {
        Self::asked(path, &["-i"])
    }

    fn asked(path: &Path, arguments: &[&str]) -> Result<Self, Error> {
        let output = Command::new(path)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Error::Start {
                path: path.into(),
                source,
            })?;
        Self::parse(&String::from_utf8_lossy(&output.stdout), path)
    }

    /// Reads what the PHP at that path has answered.
    pub fn parse(said: &str, path: &Path) -> Result<Self, Error> {
        let mut rows: Vec<_> = said.lines().filter_map(row).collect();
        // The first row of a page is its title.
        let title = said.split_once(">PHP Version ").map(|(_, rest)| rest);
        rows.extend(title.and_then(|rest| {
            let (version, _) = rest.split_once('<')?;
            Some(("PHP Version".to_owned(), version.to_owned()))
        }));
        let info = Self(rows);
        if info.value("PHP Version").is_some() && info.value("Thread Safety").is_some() {
            return Ok(info);
        }
        Err(Error::NotPhp {
            path: path.into(),
            said: said.lines().next().unwrap_or_default().chars().take(80).collect(),
        })
    }

    /// What stands behind a name; of a setting, its local value.
    pub fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }
}

/// Name and first value of a line.
fn row(line: &str) -> Option<(String, String)> {
    let Some((_, cells)) = line.split_once("<td class=\"e\">") else {
        let (name, value) = line.split_once(" => ")?;
        let value = value.split(" => ").next()?;
        return Some((name.to_owned(), value.trim().to_owned()));
    };
    let (name, rest) = cells.split_once("</td>")?;
    let (value, _) = rest.split_once("<td class=\"v\">")?.1.split_once("</td>")?;
    Some((unescaped(name), unescaped(value)))
}

/// The text of a cell.
fn unescaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut is_tag = false;
    for c in cell.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            c => text.push(c),
        }
    }
    for (escaped, plain) in [
        ("&#039;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        text = text.replace(escaped, plain);
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(said: &str) -> Result<Info, Error> {
        Info::parse(said, Path::new("/x"))
    }

    #[test]
    fn text_and_pages_say_the_same() {
        let text = "phpinfo()\nPHP Version => 8.2.29\n\nThread Safety => disabled\n\
                    Configure Command =>  './configure'  '--a=b & c'\nextension_dir => /a => /b\n";
        let page = "<!DOCTYPE html>\n<table>\n<tr class=\"h\"><td>\n<h1 class=\"p\">PHP Version 8.2.29</h1>\n\
                    <tr><td class=\"e\">Thread Safety </td><td class=\"v\">disabled </td></tr>\n\
                    <tr><td class=\"e\">Configure Command </td><td class=\"v\"> &#039;./configure&#039;  &#039;--a=b &amp; c&#039; </td></tr>\n\
                    <tr><td class=\"e\">extension_dir</td><td class=\"v\">/a</td><td class=\"v\">/b</td></tr>\n";
        let names = [
            "PHP Version",
            "Thread Safety",
            "Configure Command",
            "extension_dir",
            "none",
        ];
        let told = |said| {
            let info = parsed(said).unwrap();
            names.map(|name| info.value(name).map(str::to_owned))
        };
        assert_eq!(told(text), told(page));
        assert_eq!(told(page)[2].as_deref(), Some("'./configure'  '--a=b & c'"));
        assert_eq!(told(page)[3].as_deref(), Some("/a"));
    }

    #[test]
    fn what_is_not_php_is_named() {
        assert_eq!(
            parsed("GNU bash\n").unwrap_err().to_string(),
            "/x does not answer as PHP does (GNU bash): name a PHP binary"
        );
    }
}
