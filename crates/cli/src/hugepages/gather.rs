//! The code of what runs, gathered into huge pages.

use super::{change::may, size};
use crate::{FAILURE, args::hugepages::Apply};
use anyhow::{Result, bail};
use remote::huge;
use sampler::{Fpm, Targets};
use tune::gather::Candidate;

/// One process.
pub fn one(asked: &Apply, pid: u32) -> Result<u8> {
    all(asked, vec![Candidate::new(pid)?])
}

/// The workers of PHP-FPM.
pub fn workers(asked: &Apply, pool: Option<&str>) -> Result<u8> {
    let targets = Targets {
        fpm: Some(pool.map_or(Fpm::All, |pool| Fpm::Pool(pool.to_owned()))),
        ..Targets::default()
    };
    let is_worker = |process: &remote::Listed| targets.role(process) == Some(sampler::Role::Target);
    let mut candidates = Vec::new();
    for process in remote::processes()?.filter(is_worker) {
        match Candidate::new(process.pid) {
            Ok(candidate) => candidates.push(candidate),
            // Workers come and go.
            Err(tune::Error::Remote(remote::Error::NoSuchProcess(_) | remote::Error::Gone(_))) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if candidates.is_empty() {
        bail!(
            "no worker of PHP-FPM runs{}: `phperf hugepages status` lists every PHP that does",
            match pool {
                Some(pool) => format!(" in pool {pool}"),
                None => String::new(),
            }
        );
    }
    all(asked, candidates)
}

fn all(asked: &Apply, candidates: Vec<Candidate>) -> Result<u8> {
    let mut able = Vec::new();
    for candidate in candidates {
        let (pid, title) = (candidate.before.pid, &candidate.before.title);
        if let Some(why) = &candidate.why_not {
            println!("{pid}  left as it is: {why}  ({title})");
        } else {
            let pages: u64 = candidate
                .ranges
                .iter()
                .map(|range| (range.end - range.start) / huge::SIZE)
                .sum();
            println!("{pid}  its code is gathered into {pages} huge pages  ({title})");
            able.push(candidate);
        }
    }
    if able.is_empty() {
        eprintln!("phperf: nothing was changed");
        return Ok(FAILURE);
    }
    println!("This lasts until a process ends, and needs no revert; it waits some milliseconds meanwhile.");
    if !may(asked.dry_run, asked.yes)? {
        return Ok(0);
    }
    let mut failed = false;
    for candidate in able {
        let pid = candidate.before.pid;
        match candidate.gather() {
            Ok(after) => {
                println!(
                    "{pid}  {} of {} on huge pages, {} before",
                    size(after.huge),
                    size(after.text),
                    size(candidate.before.huge)
                );
                failed |= after.huge <= candidate.before.huge;
            }
            Err(error) => {
                failed = true;
                eprintln!("phperf: {error}");
            }
        }
    }
    Ok(if failed { FAILURE } else { 0 })
}
