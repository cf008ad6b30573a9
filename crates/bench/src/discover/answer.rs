//! Reads what the discovering script answers.

use super::{PhpInfo, plan::Described};
use serde::Deserialize;
use std::path::PathBuf;

/// An answer, as far as it goes.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) php: PhpInfo,
    /// Files, in their order, each with its class, nothing, or what is wrong with it.
    pub(super) files: Vec<(PathBuf, Result<Option<Described>, String>)>,
    /// Whether the script came to its end.
    pub(super) complete: bool,
    /// The file at which it ended otherwise.
    pub(super) culprit: Option<PathBuf>,
    /// Why it did.
    pub(super) why: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Environment {
        environment: PhpInfo,
    },
    Bootstrap {
        bootstrap: PathBuf,
    },
    Begin {
        begin: PathBuf,
    },
    // Before the next one, which would take it for a file without a class.
    Wrong {
        file: PathBuf,
        error: String,
    },
    Found {
        file: PathBuf,
        found: Option<Described>,
    },
    In {
        r#in: String,
    },
    Fatal {
        fatal: String,
    },
    End {
        #[serde(rename = "end")]
        _end: bool,
    },
}

/// Reads an answer; `why` is what is known from outside of a script that did not come to its end.
pub(super) fn read(text: &str, why: String) -> Answer {
    let mut answer = Answer {
        why,
        ..Answer::default()
    };
    let mut bootstrap = None;
    let mut within = None;
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Environment { environment }) => answer.php = environment,
            Ok(Line::Bootstrap { bootstrap: path }) => bootstrap = Some(path),
            Ok(Line::Begin { begin }) => (answer.culprit, within) = (Some(begin), None),
            Ok(Line::In { r#in }) => within = Some(r#in),
            Ok(Line::Found { file, found }) => answer.files.push((file, Ok(found))),
            Ok(Line::Wrong { file, error }) => answer.files.push((file, Err(error))),
            Ok(Line::Fatal { fatal }) => answer.why = fatal,
            Ok(Line::End { .. }) => answer.complete = true,
            Err(error) => {
                answer.why = format!("its description cannot be read ({error})");
                break;
            }
        }
    }
    if let (false, Some(within)) = (answer.complete, within) {
        answer.why = format!("{within}: {}", answer.why);
    }
    if let (None, Some(path)) = (&answer.culprit, bootstrap) {
        answer.why = format!("the bootstrap {} failed: {}", path.display(), answer.why);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fatal_error_has_a_culprit() {
        let answer = read(
            "{\"begin\":\"/a\"}\n{\"file\":\"/a\",\"found\":null}\n{\"begin\":\"/b\"}\n{\"fatal\":\"boom\"}\n",
            "x".into(),
        );
        assert_eq!(answer.culprit, Some("/b".into()));
        assert_eq!(answer.why, "boom");
        assert!(!answer.complete && answer.files.len() == 1);
    }

    #[test]
    fn a_provider_that_ends_php_is_named() {
        let answer = read(
            "{\"begin\":\"/a\"}\n{\"in\":\"the provider sets of A\"}\n",
            "it ended".into(),
        );
        assert_eq!(answer.why, "the provider sets of A: it ended");
        let next =
            "{\"begin\":\"/a\"}\n{\"in\":\"x\"}\n{\"file\":\"/a\",\"found\":null}\n{\"begin\":\"/b\"}\n";
        assert_eq!(read(next, "it ended".into()).why, "it ended");
    }

    #[test]
    fn a_file_without_a_class_is_not_a_file_that_is_wrong() {
        let answer = read(
            "{\"file\":\"/a\",\"found\":null}\n{\"file\":\"/b\",\"error\":\"no\"}\n",
            String::new(),
        );
        assert!(matches!(answer.files[0].1, Ok(None)));
        assert!(matches!(&answer.files[1].1, Err(error) if error == "no"));
    }

    #[test]
    fn a_bootstrap_that_fails_is_named() {
        let answer = read("{\"bootstrap\":\"/b.php\"}\n{\"fatal\":\"no\"}\n", String::new());
        assert_eq!(answer.why, "the bootstrap /b.php failed: no");
        assert_eq!(answer.culprit, None);
    }
}
