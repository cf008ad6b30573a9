//! An object of JSON on each line, for programs that watch.

use super::fails;
use bench::{
    model::Outcome,
    progress::{Event, Progress},
    report::note,
};
use serde_json::{Value, json};
use std::io::{self, Write};

pub struct Json;

impl Progress for Json {
    fn event(&mut self, event: &Event<'_>) {
        if let Some(value) = line(event) {
            // Nobody is helped by an error about an error stream.
            let _ = writeln!(io::stderr().lock(), "{value}");
        }
    }
}

fn line(event: &Event<'_>) -> Option<Value> {
    Some(match event {
        Event::Found { planned, variants } => {
            json!({"event": "found", "php": planned.php.version, "variants": variants, "skipped": planned.skipped})
        }
        Event::Class(class) => json!({"event": "class", "class": class.name}),
        Event::Variant {
            class,
            subject,
            variant,
        } => json!({"event": "variant", "class": class.name, "subject": subject.name, "set": variant.set}),
        Event::Done {
            class,
            subject,
            variant,
            format,
        } => {
            let (summary, samples, failure) = match &variant.outcome {
                Outcome::Measured(measurement) => {
                    (Some(&measurement.summary), measurement.samples.len(), None)
                }
                Outcome::Failed(failure) => (None, 0, Some(&failure.message)),
            };
            json!({
                "event": "done",
                "class": class.name,
                "subject": subject.name,
                "set": variant.set,
                "samples": samples,
                "summary": summary,
                "failure": failure,
                "assertions": fails(variant),
                "note": note(variant),
                "format": format,
            })
        }
        Event::Failed { name, why } => json!({"event": "failed", "name": name, "failure": why}),
        Event::End(suite) => json!({
            "event": "end",
            "failures": suite.failures().len(),
            "partial": suite.partial,
            "notes": suite.notes,
        }),
        _ => return None,
    })
}
