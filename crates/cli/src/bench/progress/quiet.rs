//! No progress: what made the run fail, at its end, is all that is said.

use bench::{
    output::shown,
    progress::{Event, Progress},
};

/// Says nothing of what goes well.
pub struct Quiet;

impl Progress for Quiet {
    fn event(&mut self, event: &Event<'_>) {
        let Event::End(suite) = event else { return };
        for (name, failure) in suite.failures() {
            eprintln!("phperf: {} failed: {}", shown(&name), shown(&failure.message));
        }
        let measured = suite
            .variants()
            .filter(|(_, _, variant)| variant.measurement().is_some());
        for (_, subject, variant) in measured {
            for assertion in &variant.assertions {
                if assertion.verdict.is_broken() {
                    let name = super::name(subject, variant);
                    eprintln!(
                        "phperf: {} does not hold: {}: {}",
                        shown(&name),
                        shown(&assertion.expression),
                        shown(&assertion.message)
                    );
                }
            }
        }
        if suite.partial {
            eprintln!("phperf: interrupted: some variants are missing");
        }
    }
}
