//! What A and B are.

use super::{args::Compare, revision::Revision};
use crate::{UsageError, bench::given};
use anyhow::{Result, bail};
use bench::{Settings, compare::Side};
use std::path::{Path, PathBuf};

/// What tells A from B.
enum Differ {
    /// The second may be the working tree.
    Revisions(Revision, Option<Revision>),
    Folders([PathBuf; 2]),
    /// PHP, or its ini.
    Php,
}

/// Both sides.
pub struct Sides {
    project: PathBuf,
    differ: Differ,
}

impl Sides {
    /// Finds out what is compared, and checks revisions out.
    pub fn new(asked: &Compare) -> Result<Self> {
        let project = given::folder(&asked.which.base)?;
        let twice = |count: usize| count == 2;
        let ways = [
            !asked.revision.is_empty(),
            !asked.folder.is_empty(),
            twice(asked.php_binary.len()),
            twice(asked.php_config.len()),
        ];
        let most = [
            asked.revision.len(),
            asked.folder.len(),
            asked.php_binary.len(),
            asked.php_config.len(),
        ];
        if most.iter().any(|&count| count > 2) || asked.folder.len() == 1 {
            bail!(UsageError(
                "there are two sides: name two folders, revisions, PHPs or ini sets".into()
            ));
        }
        if ways.iter().filter(|&&way| way).count() != 1 {
            bail!(UsageError(
                "name what tells A from B, and one thing only: --revision, or twice --folder, --php-binary or --php-config"
                    .into()
            ));
        }
        let differ = match (asked.revision.as_slice(), asked.folder.as_slice()) {
            ([a, rest @ ..], _) => {
                let check_out =
                    |revision: &String| Revision::check_out(&project, revision, asked.prepare.as_deref());
                Differ::Revisions(check_out(a)?, rest.first().map(check_out).transpose()?)
            }
            (_, [a, b]) => Differ::Folders([project.join(a), project.join(b)]),
            _ => Differ::Php,
        };
        Ok(Self { project, differ })
    }

    /// The settings of both.
    pub fn load(&self, asked: &Compare) -> Result<[Side; 2]> {
        let sides = [self.side(asked, 0)?, self.side(asked, 1)?];
        let [a, b] = &sides;
        if !matches!(self.differ, Differ::Php) {
            for (one, path) in [(a, &a.settings), (b, &b.settings)] {
                if let Some(bootstrap) = path.bootstrap.as_ref().filter(|file| !file.exists()) {
                    bail!(
                        "{} has no {}: make it with --prepare, such as 'composer install -q'",
                        one.label,
                        bootstrap.display()
                    );
                }
            }
            let shared = a
                .settings
                .paths
                .iter()
                .any(|path| b.settings.paths.contains(path))
                || a.settings.bootstrap.is_some() && a.settings.bootstrap == b.settings.bootstrap;
            if shared {
                bail!(UsageError(
                    "both sides would load the same files: name paths and the bootstrap relative to the project"
                        .into()
                ));
            }
        }
        Ok(sides)
    }

    fn side(&self, asked: &Compare, index: usize) -> Result<Side> {
        let of = |values: &[String]| values.get(index).or(values.first()).cloned();
        let (binary, config) = (of(&asked.php_binary), of(&asked.php_config));
        let (folder, label): (&Path, String) = match (&self.differ, index) {
            (Differ::Revisions(a, _), 0) => (&a.folder, asked.revision[0].clone()),
            (Differ::Revisions(_, Some(b)), _) => (&b.folder, asked.revision[1].clone()),
            (Differ::Revisions(_, None), _) => (&self.project, "the working tree".into()),
            (Differ::Folders(folders), _) => (&folders[index], asked.folder[index].display().to_string()),
            (Differ::Php, _) => {
                let label = if asked.php_binary.len() == 2 {
                    &binary
                } else {
                    &config
                };
                (&self.project, label.clone().unwrap_or_default())
            }
        };
        let mut given = given::Given::new(&asked.which, &asked.how)?;
        given.php(binary.as_deref(), config.as_deref())?;
        let settings: Settings = given.load(folder, &asked.which.base)?;
        Ok(Side { label, settings })
    }
}
