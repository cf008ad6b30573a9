//! Requests, as a web server would pass them to PHP-FPM.

use crate::Error;
use nix::unistd::User;
use php::{Owner, Request, Response};
use std::{
    fmt, fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
};

/// The most requests that one training sends.
const MOST: usize = 100_000;

/// A page of a site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// What is asked for: `/index.php?x=1`.
    uri: String,
    /// How often, beside the others.
    weight: u64,
    root: PathBuf,
    script: PathBuf,
    path_info: String,
}

impl Page {
    /// The page that `uri` names below `root`, found as web servers do: a PHP file; a folder's `index.php`; a PHP file
    /// with more of a path behind it; else the `index.php` of the root. `None` where that is not PHP's: a file of another
    /// kind, or nothing.
    pub fn find(root: &Path, uri: &str, weight: u64) -> Option<Self> {
        let path = decoded(uri.split(['?', '#']).next()?)?;
        if !path.starts_with('/') || path.split('/').any(|part| part == "..") {
            return None;
        }
        let page = |script: PathBuf, path_info: &str| Self {
            uri: uri.to_owned(),
            weight,
            root: root.into(),
            script,
            path_info: path_info.to_owned(),
        };
        let is_php = |path: &Path| path.extension().is_some_and(|it| it == "php") && path.is_file();
        let file = root.join(path.trim_start_matches('/'));
        if file.is_file() {
            return is_php(&file).then(|| page(file, ""));
        }
        let index = file.join("index.php");
        if index.is_file() {
            return Some(page(index, ""));
        }
        let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        for at in ends {
            let file = root.join(path[..at].trim_start_matches('/'));
            if is_php(&file) {
                return Some(page(file, &path[at..]));
            }
        }
        let front = root.join("index.php");
        front.is_file().then(|| page(front, ""))
    }

    /// The request.
    pub(crate) fn request(&self, host: &str) -> Request {
        let query = self.uri.split_once('?').map_or("", |(_, query)| query);
        let name = format!(
            "/{}",
            self.script
                .strip_prefix(&self.root)
                .unwrap_or(&self.script)
                .display()
        );
        let (root, script) = (self.root.to_string_lossy(), self.script.to_string_lossy());
        let document = format!("{name}{}", self.path_info);
        Request::with([
            ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("SERVER_SOFTWARE", "phperf"),
            ("SERVER_PROTOCOL", "HTTP/1.1"),
            ("SERVER_NAME", host),
            ("SERVER_ADDR", "127.0.0.1"),
            ("SERVER_PORT", "80"),
            ("REQUEST_SCHEME", "http"),
            ("REMOTE_ADDR", "127.0.0.1"),
            ("REMOTE_PORT", "50000"),
            ("REQUEST_METHOD", "GET"),
            ("REQUEST_URI", &self.uri),
            ("QUERY_STRING", query),
            ("DOCUMENT_ROOT", &root),
            ("DOCUMENT_URI", &document),
            ("SCRIPT_FILENAME", &script),
            ("SCRIPT_NAME", &name),
            ("PATH_INFO", &self.path_info),
            ("HTTP_HOST", host),
            ("HTTP_USER_AGENT", "phperf"),
            ("HTTP_ACCEPT", "*/*"),
            ("REDIRECT_STATUS", "200"),
        ])
    }

    /// An answer that no training should go on with.
    pub(crate) fn judge(&self, response: &Response) -> Result<(), Error> {
        match response.status() {
            status @ 500.. => Err(Error::Training {
                what: self.to_string(),
                how: format!("was answered with {status}: {}", one_line(response)),
            }),
            _ => Ok(()),
        }
    }
}

fn one_line(response: &Response) -> String {
    let errors = String::from_utf8_lossy(&response.errors).into_owned();
    let said = if errors.trim().is_empty() {
        response.body()
    } else {
        errors
    };
    said.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("nothing")
        .chars()
        .take(200)
        .collect()
}

impl fmt::Display for Page {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.uri)
    }
}

/// A path without its `%20`s; `None` where that is no text.
fn decoded(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%')
            .then(|| path.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok().filter(|path| !path.contains('\0'))
}

/// Pages of one site, with how often each is asked for.
#[derive(Clone, Debug, Hash)]
pub struct Site {
    /// What `Host` says.
    pub host: String,
    /// The folder of its pages.
    pub root: PathBuf,
    /// Who serves it, where that is not who runs this; only root can.
    pub user: Option<String>,
    /// The pages.
    pub pages: Vec<Page>,
    /// How many requests to send.
    pub requests: usize,
}

impl Site {
    /// User and group that serve it.
    pub(crate) fn owner(&self) -> Result<Option<Owner>, Error> {
        let Some(name) = &self.user else { return Ok(None) };
        let user = User::from_name(name).ok().flatten().ok_or_else(|| {
            Error::Asked(format!(
                "there is no user {name}: name the one that PHP runs as (--user)"
            ))
        })?;
        Ok(Some((user.uid.as_raw(), user.gid.as_raw())))
    }

    /// Lets its user write counters into the folders of a build.
    pub(crate) fn open(&self, built: &Path) -> Result<(), Error> {
        let Some((uid, _)) = self.owner()? else {
            return Ok(());
        };
        let mut folders = vec![built.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let cannot = || Error::io(format!("give {} to user {uid}", folder.display()));
            chown(&folder, Some(uid), None).map_err(cannot())?;
            for entry in fs::read_dir(&folder).map_err(cannot())? {
                let entry = entry.map_err(cannot())?;
                if entry.file_type().map_err(cannot())?.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        Ok(())
    }

    /// The pages in an order in which each comes as often as its weight says, evenly spread; each at least once.
    pub(crate) fn turns(&self) -> Vec<&Page> {
        let whole: u64 = self.pages.iter().map(|page| page.weight).sum();
        let wanted = self.requests.clamp(self.pages.len().min(MOST), MOST);
        let mut turns: Vec<(f64, &Page)> = Vec::with_capacity(wanted);
        for page in self.pages.iter().take(MOST) {
            let share = page.weight as f64 / whole.max(1) as f64;
            let count = ((share * wanted as f64).round() as usize).max(1);
            turns.extend((0..count).map(|turn| ((turn as f64 + 0.5) / count as f64, page)));
        }
        turns.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        turns.into_iter().map(|(_, page)| page).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn site() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in ["index.php", "a/index.php", "b.php", "style.css", "with space.php"] {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        root
    }

    #[test]
    fn a_page_is_found_as_web_servers_do() {
        let root = site();
        let found = |uri: &str| {
            Page::find(root.path(), uri, 1).map(|page| {
                let script = page
                    .script
                    .strip_prefix(root.path())
                    .unwrap()
                    .display()
                    .to_string();
                (script, page.path_info)
            })
        };
        let is = |script: &str, info: &str| Some((script.to_owned(), info.to_owned()));
        assert_eq!(found("/?p=1"), is("index.php", ""));
        assert_eq!(found("/a/"), is("a/index.php", ""));
        assert_eq!(found("/b.php/more/of?x=/../"), is("b.php", "/more/of"));
        assert_eq!(found("/with%20space.php"), is("with space.php", ""));
        assert_eq!(found("/blog/a-title"), is("index.php", ""));
        assert_eq!(found("/style.css"), None);
        assert_eq!(found("/../etc/passwd"), None);
        assert_eq!(found("/%2e%2e/b.php"), None);
        assert_eq!(found("b.php"), None);
    }

    #[test]
    fn pages_come_as_often_as_their_weight_says_and_evenly() {
        let root = site();
        let page = |uri, weight| Page::find(root.path(), uri, weight).unwrap();
        let site = Site {
            host: "localhost".into(),
            root: root.path().into(),
            user: None,
            pages: vec![page("/?a", 900), page("/?b", 100), page("/?rare", 0)],
            requests: 20,
        };
        let turns = site.turns();
        let count = |uri: &str, turns: &[&Page]| turns.iter().filter(|page| page.uri == uri).count();
        assert_eq!(
            [
                count("/?a", &turns),
                count("/?b", &turns),
                count("/?rare", &turns)
            ],
            [18, 2, 1]
        );
        assert_eq!(count("/?b", &turns[..10]), 1);
    }

    proptest! {
        #[test]
        fn nothing_leaves_the_root(uri in "/?[a-z./%0-9 ]{0,40}") {
            let root = site();
            if let Some(page) = Page::find(root.path(), &uri, 1) {
                prop_assert!(page.script.canonicalize().unwrap().starts_with(root.path().canonicalize().unwrap()));
            }
        }
    }
}
