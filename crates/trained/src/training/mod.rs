//! The user's own load: what a PHP is trained on, proved with and measured with.

mod access_log;
mod page;
mod serve;

pub use access_log::{AccessLog, Left};
pub use page::{Page, Site};
pub(crate) use serve::Server;

use crate::{Coverage, Error, Stage, Watch, counters::Counters, programs::Sapis, run, stage::Folder};
use php::{Ini, Sapi};
use std::{
    fmt,
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

/// A command-line program: a script and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Script(Vec<String>);

impl Script {
    /// Takes the words of a line, as a shell parts them: by spaces, unless they are quoted.
    pub fn parse(line: &str) -> Result<Self, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in line.chars() {
            match (quote, c) {
                (Some(open), c) if open == c => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        match (quote, words.is_empty()) {
            (Some(quote), _) => Err(format!("a {quote} is not closed")),
            (None, true) => Err("name a script".into()),
            (None, false) => Ok(Self(words)),
        }
    }

    /// The command that runs it.
    pub(crate) fn command(&self, php: &Path) -> Command {
        let mut command = Command::new(php);
        command.args(&self.0).stdin(Stdio::null());
        command
    }
}

impl fmt::Display for Script {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join(" "))
    }
}

/// All that a PHP is trained on.
#[derive(Clone, Debug, Default, Hash)]
pub struct Training {
    /// Run once each, one after the other.
    pub scripts: Vec<Script>,
    /// Requests to each kind of server.
    pub site: Option<Site>,
}

impl Training {
    /// Runs all of it with programs that count, one of each kind that is to be replaced. Whatever is not counted fails it.
    pub(crate) fn run(
        &self,
        old: &Sapis,
        counters: &dyn Counters,
        folder: &Folder,
        watch: &mut dyn Watch,
    ) -> Result<Coverage, Error> {
        let built = counters.programs();
        let mut servers = Vec::new();
        if let Some(site) = &self.site {
            site.open(counters.written_to())?;
            for (sapi, _) in old.servers() {
                let program = Sapis::program(built, sapi);
                servers.push((Server::start(sapi, &program, &Ini::new(), site)?, site));
            }
        }
        // To say what it is, PHP started a request.
        counters.clear()?;
        let requests: usize = servers.iter().map(|(_, site)| site.turns().len()).sum();
        let of = self.scripts.len() + requests;
        let mut done = 0;
        let mut step = |watch: &mut dyn Watch| {
            watch.progress(done, of);
            done += 1;
        };
        // Scripts come last: to counters that root has written, another user could not add.
        for (server, site) in servers {
            for page in site.turns() {
                if watch.is_stopped() {
                    return Err(Error::Interrupted);
                }
                step(watch);
                let response = server.ask(page)?;
                page.judge(&response)?;
            }
            server.quit()?;
        }
        if requests > 0 {
            // A script may start others, which count as well: these are not to stand for what a server lost.
            counters.coverage()?.judge(requests as u64)?;
        }
        for script in &self.scripts {
            step(watch);
            train(script, built, folder, watch)?;
        }
        counters.coverage()?.judge(of as u64)
    }
}

fn train(script: &Script, built: &Path, folder: &Folder, watch: &mut dyn Watch) -> Result<(), Error> {
    let log = folder.log(Stage::Train.name());
    let mut command = script.command(&Sapis::program(built, Sapi::Cli));
    run::logged("the script", &mut command, &log, watch, |_, _| {}).map_err(|error| match error {
        Error::Step { said, log, .. } => Error::Training {
            what: script.to_string(),
            how: format!("failed: {said}; all of it is in {}", log.display()),
        },
        other => other,
    })
}

/// What a script left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Printed {
    pub output: Vec<u8>,
    pub status: ExitStatus,
}

impl Script {
    /// Runs it with a PHP to its end. Its errors are not looked at: they name paths and times.
    pub(crate) fn run(&self, php: &Path) -> Result<Printed, Error> {
        let mut command = self.command(php);
        let output = command
            .stderr(Stdio::null())
            .output()
            .map_err(|error| run::not_started(&command, error))?;
        Ok(Printed {
            output: output.stdout,
            status: output.status,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_as_a_shell_does() {
        let words = |line| Script::parse(line).map(|script| script.0);
        assert_eq!(
            words("bin/console  cache:warm --env='a b' \"\"").unwrap(),
            ["bin/console", "cache:warm", "--env=a b", ""]
        );
        assert!(words("  ").is_err());
        assert!(words("a 'b").is_err());
    }
}
