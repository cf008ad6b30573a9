//! A PHP-FPM that answers a site's requests, and ends so that nothing of it is lost.

use super::{Page, Site};
use crate::Error;
use php::{Binary, Fpm, Ini, Manager, Pool, Request, Response, Sapi};
use std::{collections::HashMap, path::Path, time::Duration};

/// How long workers may take to end what they do.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the master may take, which waits for them.
const QUIT_WITHIN: Duration = Duration::from_secs(40);

const POOL: &str = "trained";

/// One master, one worker: requests come one after the other, so that figures are of one process, and counters are
/// merged once.
#[derive(Debug)]
pub(crate) struct Server {
    fpm: Fpm,
    requests: HashMap<String, Request>,
}

impl Server {
    /// Starts the program at a path.
    pub fn start(program: &Path, settings: &Ini, site: &Site) -> Result<Self, Error> {
        Self::of(&Binary::describe(program, Sapi::Fpm)?, settings, site)
    }

    pub fn of(binary: &Binary, settings: &Ini, site: &Site) -> Result<Self, Error> {
        let mut pool = Pool::new(POOL, Manager::Static(1));
        if let Some(user) = &site.user {
            pool = pool.user(user);
        }
        let fpm = Fpm::patient(binary, settings, &[pool], PATIENCE)?;
        let requests = site
            .pages
            .iter()
            .map(|page| (page.to_string(), page.request(&site.host)))
            .collect();
        Ok(Self { fpm, requests })
    }

    /// Sends the request of a page.
    pub fn ask(&self, page: &Page) -> Result<Response, Error> {
        let request = &self.requests[&page.to_string()];
        self.fpm.request(POOL, request).map_err(|error| Error::Training {
            what: page.to_string(),
            how: format!("was not answered: {error}"),
        })
    }

    /// The worker.
    pub fn worker(&self) -> Result<u32, Error> {
        let workers = self.fpm.workers()?;
        workers.first().copied().ok_or_else(|| Error::Training {
            what: "PHP-FPM".into(),
            how: "has no worker".into(),
        })
    }

    /// Ends it in peace.
    pub fn quit(self) -> Result<(), Error> {
        let status = self.fpm.quit(QUIT_WITHIN)?;
        if status.success() {
            return Ok(());
        }
        Err(Error::Lost(format!("PHP-FPM ended with {status}")))
    }
}
