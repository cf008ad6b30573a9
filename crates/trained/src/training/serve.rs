//! A PHP that answers a site's requests, and ends so that nothing of it is lost.

use super::{Page, Site};
use crate::Error;
use php::{Apache, Binary, Cgi, Fpm, Ini, Manager, Pool, Request, Response, Sapi, Served};
use std::{collections::HashMap, path::Path, time::Duration};

/// How long workers may take to end what they do.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the master may take, which waits for them.
const QUIT_WITHIN: Duration = Duration::from_secs(40);

const POOL: &str = "trained";

/// One worker: requests come one after the other, so that figures are of one process, and counters are merged once.
#[derive(Debug)]
pub(crate) struct Server {
    kind: Kind,
    requests: HashMap<String, Request>,
    host: String,
}

#[derive(Debug)]
enum Kind {
    Fpm(Fpm),
    Cgi(Cgi),
    Apache(Apache),
}

impl Server {
    /// Starts the program at a path.
    pub fn start(sapi: Sapi, program: &Path, settings: &Ini, site: &Site) -> Result<Self, Error> {
        let kind = match sapi {
            Sapi::Fpm => {
                let mut pool = Pool::new(POOL, Manager::Static(1));
                if let Some(user) = &site.user {
                    pool = pool.user(user);
                }
                let binary = Binary::describe(program, Sapi::Fpm)?;
                Kind::Fpm(Fpm::patient(&binary, settings, &[pool], PATIENCE)?)
            }
            Sapi::Cgi => Kind::Cgi(Cgi::start(program, settings, site.owner()?)?),
            Sapi::Apache => Kind::Apache(Apache::start(&Served {
                library: program,
                root: &site.root,
                ini: Some(settings),
                owner: site.owner()?,
            })?),
            Sapi::Cli => {
                return Err(Error::Asked(format!("{} answers no requests", program.display())));
            }
        };
        let requests = site
            .pages
            .iter()
            .map(|page| (page.to_string(), page.request(&site.host)))
            .collect();
        Ok(Self {
            kind,
            requests,
            host: site.host.clone(),
        })
    }

    /// Sends the request of a page.
    pub fn ask(&self, page: &Page) -> Result<Response, Error> {
        let uri = page.to_string();
        let request = &self.requests[&uri];
        let answered = match &self.kind {
            Kind::Fpm(fpm) => fpm.request(POOL, request),
            Kind::Cgi(cgi) => cgi.request(request),
            Kind::Apache(apache) => apache.get(&uri, &self.host),
        };
        answered.map_err(|error| Error::Training {
            what: uri,
            how: format!("was not answered: {error}"),
        })
    }

    /// The worker.
    pub fn worker(&self) -> Result<u32, Error> {
        let worker = match &self.kind {
            Kind::Fpm(fpm) => fpm.workers()?.first().copied(),
            Kind::Cgi(cgi) => Some(cgi.pid()),
            Kind::Apache(apache) => apache.worker(),
        };
        worker.ok_or_else(|| Error::Training {
            what: "the server".into(),
            how: "has no worker".into(),
        })
    }

    /// Ends it in peace.
    pub fn quit(self) -> Result<(), Error> {
        let status = match self.kind {
            Kind::Fpm(fpm) => fpm.quit(QUIT_WITHIN),
            Kind::Cgi(cgi) => cgi.quit(QUIT_WITHIN),
            Kind::Apache(apache) => apache.quit(QUIT_WITHIN),
        }?;
        if status.success() {
            return Ok(());
        }
        Err(Error::Lost(format!(
            "the server of its requests ended with {status}"
        )))
    }
}
