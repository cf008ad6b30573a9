//! The load that was asked for.

use crate::{UsageError, args};
use anyhow::{Context, Result, bail};
use nix::unistd::Uid;
use std::{collections::BTreeMap, fs::File, io::BufReader};
use trained::{
    Training,
    training::{AccessLog, Page, Site},
};

/// What to train on, and what the user has to know of it.
pub fn training(asked: &args::Build) -> Result<(Training, Vec<String>)> {
    let mut notes = Vec::new();
    let site = asked.root.as_ref().map(|_| site(asked, &mut notes)).transpose()?;
    let training = Training {
        scripts: asked.train_cli.clone(),
        site,
    };
    Ok((training, notes))
}

fn site(asked: &args::Build, notes: &mut Vec<String>) -> Result<Site> {
    let root = asked.root.clone().unwrap_or_default();
    let root = root.canonicalize().with_context(|| {
        format!(
            "there is no folder {}: name the web server's root",
            root.display()
        )
    })?;
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    for path in &asked.access_logs {
        let log = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let read = AccessLog::read(BufReader::new(log), &root)
            .with_context(|| format!("cannot read {}", path.display()))?;
        notes.push(format!(
            "{}: {} requests of {} pages are taken; {}",
            path.display(),
            read.taken,
            read.pages.len(),
            read.left
        ));
        pages.extend(read.pages.into_iter().map(|page| (page.to_string(), page)));
    }
    for (uri, weight) in &asked.pages {
        let page = Page::find(&root, uri, *weight)
            .ok_or_else(|| UsageError(format!("{uri} is no page of PHP below {}", root.display())))?;
        pages.insert(uri.clone(), page);
    }
    if pages.is_empty() {
        bail!(UsageError(
            "there are no pages to train on: give --request, or an --access-log with GET requests of PHP"
                .into()
        ));
    }
    if Uid::effective().is_root() && asked.user.is_none() {
        bail!(UsageError(
            "as root, name the user that PHP runs as, so that the application's files stay that user's: --user www-data"
                .into()
        ));
    }
    Ok(Site {
        host: asked.host.clone(),
        root,
        user: asked.user.clone(),
        pages: pages.into_values().collect(),
        requests: asked.requests as usize,
    })
}
