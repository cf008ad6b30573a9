//! Which processes are dumped.

use crate::{args, sampling};
use anyhow::{Error, Result, anyhow};
use sampler::{Fpm, Role, Targets};

/// Those that were named, and those that were found.
pub struct Whom {
    /// All of them.
    pub pids: Vec<u32>,
    /// Those among them that nobody named.
    pub found: Vec<u32>,
    targets: Targets,
}

impl Whom {
    /// Looks for them.
    pub fn find(asked: &args::Dump) -> Result<Self> {
        let targets = Targets {
            pattern: asked.pattern.clone(),
            fpm: sampling::fpm(asked.fpm.as_ref()),
            ..Targets::default()
        };
        let mut pids = asked.pids.clone();
        let mut found = Vec::new();
        if targets.are_open() {
            let own = std::process::id();
            let all = remote::processes()?.filter(|process| process.pid != own);
            let matching = all.filter(|process| targets.role(process) == Some(Role::Target));
            found.extend(
                matching
                    .map(|process| process.pid)
                    .filter(|pid| !pids.contains(pid)),
            );
        }
        pids.extend(&found);
        let whom = Self { pids, found, targets };
        if whom.pids.is_empty() {
            return Err(whom.nobody());
        }
        Ok(whom)
    }

    /// Whether nobody asked for this one in particular.
    pub fn is_found(&self, pid: u32) -> bool {
        self.found.contains(&pid)
    }

    /// None is there.
    pub fn nobody(&self) -> Error {
        match (&self.targets.fpm, &self.targets.pattern) {
            (None, Some(pattern)) => sampler::Error::NoMatch(pattern.clone()).into(),
            (fpm, _) => anyhow!(
                "{}; pm = ondemand starts them with a request",
                fpm.as_ref().unwrap_or(&Fpm::All).nobody()
            ),
        }
    }
}

/// Whether a process that was only found turned out to be none that was asked for.
pub fn is_none_of_ours(error: &Error) -> bool {
    match error.downcast_ref::<zend::Error>() {
        Some(zend::Error::NotPhp { .. }) => true,
        Some(zend::Error::Process(error)) => is_gone(error),
        _ => error.downcast_ref::<remote::Error>().is_some_and(is_gone),
    }
}

const fn is_gone(error: &remote::Error) -> bool {
    matches!(error, remote::Error::NoSuchProcess(_) | remote::Error::Gone(_))
}
