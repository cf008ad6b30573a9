//! What happens while a suite runs, for whoever shows it.

use crate::{
    discover::Planned,
    model::{Class, Subject, Suite, Variant},
};

/// Something that happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The suite was found; nothing has been measured yet.
    Found {
        /// What was found.
        planned: &'a Planned,
        /// Variants to measure.
        variants: usize,
    },
    /// A class begins.
    Class(&'a Class),
    /// A variant begins; its outcome is not known yet.
    Variant {
        /// Its class.
        class: &'a Class,
        /// Its subject.
        subject: &'a Subject,
        /// The variant.
        variant: &'a Variant,
    },
    /// A sample was taken.
    Sample {
        /// Samples so far.
        taken: usize,
        /// Samples that were asked for.
        asked: u32,
        /// How many samples lay outside the retry threshold.
        retried: usize,
    },
    /// A variant is done.
    Done {
        /// Its class.
        class: &'a Class,
        /// Its subject.
        subject: &'a Subject,
        /// The variant, with its outcome.
        variant: &'a Variant,
        /// The expression that the subject wants shown, evaluated.
        format: Option<String>,
    },
    /// A class or subject cannot be run.
    Failed {
        /// Its name.
        name: &'a str,
        /// Why.
        why: &'a str,
    },
    /// It is over.
    End(&'a Suite),
}

/// Whoever shows progress.
pub trait Progress {
    /// Takes note of an event.
    fn event(&mut self, event: &Event<'_>);
}
