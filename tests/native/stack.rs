//! Stacks in which frames of PHP and of C take turns, and what must be true of them.

use crate::support::Recording;

/// What only these functions of PHP call, of those that the workloads use.
const OWNERS: [(&str, &[&str]); 8] = [
    ("PHP_SHA256", &["hash"]),
    ("php_pcre_match_impl", &["preg_match"]),
    ("pcre2_", &["preg_match", "preg_replace_callback"]),
    ("zend_sort", &["sort", "usort"]),
    ("php_mt_rand", &["mt_rand"]),
    ("usleep", &["usleep"]),
    ("nanosleep", &["usleep"]),
    ("zend_generator_resume", &["generates", "generates_all"]),
];

/// Frames of C, and the function of PHP that has called them; the outermost come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Called {
    pub by: String,
    pub c: Vec<String>,
}

/// A stack: one of these for each function of PHP, the outermost first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack(pub Vec<Called>);

impl Stack {
    pub fn all(recording: &Recording) -> Vec<Self> {
        let stacks = recording.stacks();
        stacks.iter().map(|(stack, _)| Self::parse(stack)).collect()
    }

    fn parse(stack: &str) -> Self {
        let mut called: Vec<Called> = Vec::new();
        for frame in stack.split(';') {
            if frame.ends_with(']') && frame.contains(" [") {
                let last = called.last_mut();
                last.unwrap_or_else(|| panic!("C without PHP: {stack}"))
                    .c
                    .push(frame.to_owned());
            } else {
                called.push(Called {
                    by: frame.to_owned(),
                    c: Vec::new(),
                });
            }
        }
        Self(called)
    }

    /// PHP's innermost function.
    pub fn leaf(&self) -> &str {
        self.0.last().map_or("", |called| &called.by)
    }

    /// What that has called.
    pub fn innermost(&self) -> &[String] {
        self.0.last().map_or(&[], |called| &called.c)
    }

    pub fn has(&self, name: &str) -> bool {
        self.innermost().iter().any(|frame| frame.contains(name))
    }
}

/// No frame of C stands under a function that cannot have called it.
#[track_caller]
pub fn assert_true(stacks: &[Stack]) {
    for stack in stacks {
        for Called { by, c } in &stack.0 {
            // What opcache calls is no function of PHP's: its JIT sorts, too.
            let of_php = c.iter().take_while(|frame| !frame.ends_with("[opcache.so]"));
            for frame in of_php {
                let owner = OWNERS.iter().find(|(name, _)| frame.starts_with(name));
                if let Some((_, owners)) = owner {
                    assert!(owners.contains(&&**by), "{frame} under {by}: {stack:#?}");
                }
                if let Some(name) = frame
                    .strip_prefix("zif_")
                    .and_then(|frame| frame.split(' ').next())
                {
                    assert_eq!(name, by, "{stack:#?}");
                }
                assert!(!frame.starts_with("execute_ex"), "{stack:#?}");
            }
            // A function of C is called by what is outside of it: its own code stands outermost, unless C has called it, as the
            // JIT does while it records what runs.
            let own = format!("zif_{by} ");
            let is_recorded = c.first().is_some_and(|frame| frame.ends_with("[opcache.so]"));
            let at = c.iter().position(|frame| frame.starts_with(&own));
            assert!(is_recorded || at.is_none_or(|at| at == 0), "{stack:#?}");
        }
        // The kernel is where the process is, and calls nobody back.
        let outer = stack.0.split_last().map_or(&[][..], |(_, outer)| outer);
        let in_kernel = |called: &Called| called.c.iter().any(|frame| frame.ends_with("[kernel]"));
        assert!(!outer.iter().any(in_kernel), "{stack:#?}");
    }
}
