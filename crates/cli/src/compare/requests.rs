//! An address that is asked again and again over one connection.

use crate::{UsageError, args};
use anyhow::{Result, bail};
use stats::Sample;
use std::{
    error::Error,
    io,
    time::{Duration, Instant},
};
use trial::{Measured, Subject};
use ureq::{Agent, http::Version};

/// A request that takes longer has failed.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A client of one address.
pub struct Client {
    agent: Agent,
    url: String,
    /// The address without a password, which reports are no place for.
    pub label: String,
    headers: Vec<(String, String)>,
    batch: usize,
    latencies: Vec<f64>,
    /// Requests that were answered.
    pub sent: usize,
    /// Answers after which the connection was closed.
    pub closed: usize,
}

impl Client {
    pub fn new(url: &str, asked: &args::Compare) -> Result<Self> {
        if url.starts_with("https://") && !cfg!(feature = "tls") {
            bail!(UsageError(format!(
                "{url}: this phperf was built without TLS; build it with the feature tls, or give the address behind the \
                 proxy that speaks it"
            )));
        }
        if !url.starts_with("http://") && !url.starts_with("https://") {
            bail!(UsageError(format!(
                "{url} is no address to compare: give addresses as http://host:port/path, commands behind --, or lines for \
                 sh with --shell"
            )));
        }
        let config = Agent::config_builder();
        #[cfg(feature = "tls")]
        let config = config.tls_config(tls());
        let config = config
            .timeout_global(Some(TIMEOUT))
            // The time of a proxy is not that of the address.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(1)
            .user_agent(concat!("phperf/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            agent: config.into(),
            url: url.to_owned(),
            label: without_password(url),
            headers: asked.headers.clone(),
            batch: usize::from(asked.requests),
            latencies: Vec::new(),
            sent: 0,
            closed: 0,
        })
    }

    /// The latencies of so many measurements, after so many that are left out, in nanoseconds.
    pub fn observations(&self, left_out: usize, measurements: usize) -> Option<Sample> {
        let first = left_out * self.batch;
        let latencies = self.latencies.get(first..first + measurements * self.batch)?;
        Sample::new(latencies.to_vec()).ok()
    }

    fn request(&mut self) -> Result<f64, Box<dyn Error + Send + Sync>> {
        let mut request = self.agent.get(&self.url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let started = Instant::now();
        let mut response = request
            .call()
            .map_err(|error| format!("{} does not answer: {error}", self.label))?;
        io::copy(&mut response.body_mut().as_reader(), &mut io::sink())
            .map_err(|error| format!("the answer of {} broke off: {error}", self.label))?;
        let latency = started.elapsed().as_nanos() as f64;
        let says_close = response
            .headers()
            .get("connection")
            .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"close"));
        self.sent += 1;
        self.closed += usize::from(says_close || response.version() < Version::HTTP_11);
        Ok(latency)
    }
}

fn without_password(url: &str) -> String {
    let parts = url.split_once("://").and_then(|(scheme, rest)| {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (user, _) = rest[..end].rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}{}", &rest[user.len()..]))
    });
    parts.unwrap_or_else(|| url.to_owned())
}

/// Trusts what the machine trusts.
#[cfg(feature = "tls")]
fn tls() -> ureq::tls::TlsConfig {
    ureq::tls::TlsConfig::builder()
        .root_certs(ureq::tls::RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(std::sync::Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

impl Subject for Client {
    fn measure(&mut self) -> Measured {
        let first = self.latencies.len();
        for _ in 0..self.batch {
            let measured = self.request();
            match measured {
                Ok(latency) => self.latencies.push(latency),
                Err(error) => {
                    // Half a batch is none.
                    self.latencies.truncate(first);
                    return Err(error);
                }
            }
        }
        Ok(self.latencies[first..].iter().sum::<f64>() / self.batch as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn a_password_is_left_out() {
        for (url, label) in [
            (
                "https://me:secret@shop.test:8443/a?b=c:d@e",
                "https://me@shop.test:8443/a?b=c:d@e",
            ),
            ("http://me:se@cret@shop.test", "http://me@shop.test"),
            ("http://me@shop.test/", "http://me@shop.test/"),
            ("http://[::1]:80/a:b@c", "http://[::1]:80/a:b@c"),
        ] {
            assert_eq!(without_password(url), label);
        }
    }
}
