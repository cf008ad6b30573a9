//! What the reader of a run's figures has to know.

use crate::{
    discover::Planned,
    environment,
    model::Suite,
    settings::{Isolation, Opcache, Settings},
};

/// What the reader has to know of a comparison with an earlier run.
pub(super) fn against(baseline: &Suite, suite: &Suite) -> Vec<String> {
    let mut notes = vec![
        "the baseline was measured at another time, so that a difference may be the machine's: `phperf bench compare` \
         measures both in turn"
            .to_owned(),
    ];
    notes.extend(
        environment::differences(&baseline.environment, &suite.environment)
            .into_iter()
            .map(|line| format!("the baseline is of another environment: {line}")),
    );
    if baseline.partial {
        notes.push("the baseline was interrupted: variants are missing in it".into());
    }
    let without = suite
        .variants()
        .filter(|(_, _, variant)| variant.measurement().is_some() && variant.baseline.is_none())
        .count();
    if without > 0 {
        notes.push(format!("{without} variants are not in the baseline"));
    }
    notes
}

/// What the reader of the figures has to know of PHP's state.
pub(super) fn odd_state(planned: &Planned, settings: &Settings) -> Vec<String> {
    let php = &planned.php;
    let mut notes = Vec::new();
    if settings.isolation == Isolation::Fork && !php.fork {
        notes.push("this PHP cannot fork (it has no pcntl or posix extension): each iteration starts PHP anew, which takes some 20 ms".into());
    }
    if matches!(settings.opcache, Opcache::On | Opcache::Jit) && !php.opcache {
        notes.push("opcache was asked for and is off: this PHP does not load it".into());
    }
    if settings.opcache == Opcache::Jit && php.opcache && !php.jit {
        notes.push(
            "the JIT was asked for and is off: this PHP, or an extension such as Xdebug, does not allow it"
                .into(),
        );
    }
    if php.xdebug {
        notes.push("Xdebug is loaded: code runs slower, and not in proportion".into());
    }
    if php.debug {
        notes.push("this PHP is a debug build: code runs slower, and not in proportion".into());
    }
    notes
}
