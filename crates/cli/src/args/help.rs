//! The text behind the help of a command: examples, and what one should know.

use clap::builder::StyledStr;

/// Columns of a terminal.
const WIDTH: usize = 80;
/// Where the words of an example begin that stand below its command.
const BELOW: &str = "\n      ";

/// What stands behind the help of a command.
#[derive(Debug)]
pub struct Help {
    /// Commands, each with words about it, or none.
    pub examples: &'static [(&'static str, &'static str)],
    /// Paragraphs: prose of one line, which clap breaks to the terminal's width, or a heading and lines in columns.
    pub notes: &'static [&'static str],
}

impl From<Help> for StyledStr {
    fn from(help: Help) -> Self {
        help.text().into()
    }
}

impl Help {
    fn text(&self) -> String {
        let mut text = String::from("Examples:");
        let longest = self
            .examples
            .iter()
            .map(|(command, _)| command.chars().count())
            .max()
            .unwrap_or(0);
        let is_beside = |words: &str| words.is_empty() || longest + words.chars().count() + 4 <= WIDTH;
        let are_beside = self.examples.iter().all(|(_, words)| is_beside(words));
        for (command, words) in self.examples {
            text += "\n  ";
            text += command;
            if !words.is_empty() && are_beside {
                text += &" ".repeat(longest - command.chars().count() + 2);
                text += words;
            } else if !words.is_empty() {
                text += BELOW;
                text += words;
            }
        }
        for paragraph in self.notes {
            text += "\n\n";
            text += paragraph;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn text(examples: &'static [(&'static str, &'static str)], notes: &'static [&'static str]) -> String {
        Help { examples, notes }.text()
    }

    #[test]
    fn words_stand_beside_commands_where_all_of_them_fit() {
        const LONG: &str = "this is far too long to stand beside the command that it is about, is it not?";
        assert_eq!(
            text(
                &[("phperf a", "one"), ("phperf bc", "two"), ("phperf d", "")],
                &["More."]
            ),
            "Examples:\n  phperf a   one\n  phperf bc  two\n  phperf d\n\nMore."
        );
        assert_eq!(
            text(&[("phperf a", "one"), ("phperf b", LONG)], &[]),
            format!("Examples:\n  phperf a\n      one\n  phperf b\n      {LONG}")
        );
    }

    /// Terminals have 80 columns, and clap breaks longer lines of a table wherever that is.
    #[test]
    fn what_stands_in_columns_fits_into_a_terminal() {
        fn look(command: &clap::Command, wide: &mut Vec<String>) {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            let tables = help.split("\n\n").filter(|paragraph| paragraph.contains('\n'));
            let lines = tables
                .flat_map(str::lines)
                .filter(|line| line.chars().count() > WIDTH);
            wide.extend(lines.map(|line| format!("{}: {line}", command.get_name())));
            for next in command.get_subcommands() {
                look(next, wide);
            }
        }
        let mut wide = Vec::new();
        look(&crate::args::Args::command(), &mut wide);
        assert!(wide.is_empty(), "{}", wide.join("\n"));
    }
}
