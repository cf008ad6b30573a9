//! Static methods of a class, called before and after its subjects in a process of their own.

use super::variant::Bench;
use crate::{
    Error,
    discover::PlannedClass,
    executor,
    launch::{End, status_in_words},
    model::Failure,
};
use std::{fs, time::Duration};

/// How long they may take.
const LIMIT: Duration = Duration::from_secs(600);

/// Calls them; what went wrong, if something did.
pub(super) fn call(
    bench: &Bench,
    class: &PlannedClass,
    methods: &[String],
    when: &str,
) -> Result<Option<Failure>, Error> {
    if methods.is_empty() {
        return Ok(None);
    }
    let (script, done) = (bench.scratch.join("hooks.php"), bench.scratch.join("hooks.done"));
    let code = executor::hooks(class, methods, bench.settings.bootstrap.as_deref());
    fs::write(&script, code).map_err(Error::io("write the script for hooks"))?;
    let _ = fs::remove_file(&done);
    let mut child = bench.launcher.start(&script, &[&done])?;
    let end = child
        .wait(LIMIT, bench.stop)
        .map_err(Error::io("wait for hooks"))?;
    let said = fs::read_to_string(&done).unwrap_or_default();
    let which = format!("its methods {when} the class ({})", methods.join(", "));
    Ok(match end {
        _ if said == "ok" => None,
        End::Interrupted => Some(Failure::new(format!("{which} were interrupted"))),
        End::TimedOut => Some(Failure::new(format!(
            "{which} took longer than {} s",
            LIMIT.as_secs()
        ))),
        End::Exited(_) if !said.is_empty() => Some(Failure::new(format!("{which} failed: {said}"))),
        End::Exited(status) => {
            let line = child
                .output()
                .first_line()
                .map(|line| format!("; PHP said: {line}"))
                .unwrap_or_default();
            Some(Failure::new(format!(
                "{which} ended PHP ({}){line}",
                status_in_words(status)
            )))
        }
    })
}
