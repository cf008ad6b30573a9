//! What is found in a suite.

use super::{Class, Commit, Environment, Failure, Measurement, Outcome, Subject, Suite, Variant};

impl Variant {
    /// `Class::subject # set`, or without the set where there is none.
    pub fn name(&self, class: &str, subject: &str) -> String {
        let set = if self.set.is_empty() {
            String::new()
        } else {
            format!(" # {}", self.set)
        };
        format!("{class}::{subject}{set}")
    }

    /// The samples and figures, where there are any.
    pub fn measurement(&self) -> Option<&Measurement> {
        match &self.outcome {
            Outcome::Measured(measurement) => Some(measurement),
            Outcome::Failed(_) => None,
        }
    }
}

impl Measurement {
    /// The most memory that an iteration had in use, in bytes, where that was measured.
    pub fn peak(&self) -> Option<u64> {
        let peaks = self.samples.iter().filter_map(|sample| Some(sample.memory?.peak));
        peaks.max()
    }
}

impl Environment {
    /// The value of that name, unless it is empty.
    pub fn value(&self, group: &str, key: &str) -> Option<&str> {
        let groups = self.groups.iter().filter(|one| one.name == group);
        let mut values = groups.flat_map(|one| &one.values);
        let (_, value) = values.find(|(name, _)| name == key)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    /// The revision of the repository, where there is one.
    pub fn commit(&self) -> Option<Commit<'_>> {
        let value = |key| self.value("vcs", key);
        Some(Commit {
            hash: value("version")?,
            branch: value("branch"),
            subject: value("subject"),
            date: value("date"),
            changed: value("changed") == Some("true"),
        })
    }
}

impl Commit<'_> {
    /// Enough of the hash to tell it from others, and a star where files were changed since.
    pub fn short(&self) -> String {
        let hash: String = self.hash.chars().take(8).collect();
        format!("{hash}{}", if self.changed { "*" } else { "" })
    }
}

impl Suite {
    /// The variant of another run that is the same as this one: of the same class, subject, parameter set and executor,
    /// and with the same revolutions where there are several.
    pub fn same(&self, class: &str, subject: &Subject, variant: &Variant) -> Option<(&Subject, &Variant)> {
        let mut found = self
            .variants()
            .filter(|(theirs, other, one)| {
                theirs.name == class
                    && other.name == subject.name
                    && other.metric == subject.metric
                    && one.set == variant.set
            })
            .map(|(_, other, one)| (other, one));
        let first = found.next()?;
        let Some(second) = found.next() else {
            return Some(first);
        };
        [first, second].into_iter().chain(found).find(|(_, one)| {
            (one.revolutions, one.warmup, one.iterations)
                == (variant.revolutions, variant.warmup, variant.iterations)
        })
    }

    /// Every variant with its class and subject.
    pub fn variants(&self) -> impl Iterator<Item = (&Class, &Subject, &Variant)> {
        self.classes.iter().flat_map(|class| {
            class.subjects.iter().flat_map(move |subject| {
                subject
                    .variants
                    .iter()
                    .map(move |variant| (class, subject, variant))
            })
        })
    }

    /// Everything that failed: where, and why.
    pub fn failures(&self) -> Vec<(String, &Failure)> {
        let mut failures = Vec::new();
        for class in &self.classes {
            failures.extend(class.failure.iter().map(|failure| (class.name.clone(), failure)));
            for subject in &class.subjects {
                let name = format!("{}::{}", class.name, subject.name);
                failures.extend(subject.failure.iter().map(|failure| (name.clone(), failure)));
                for variant in &subject.variants {
                    if let Outcome::Failed(failure) = &variant.outcome {
                        failures.push((variant.name(&class.name, &subject.name), failure));
                    }
                }
            }
        }
        failures
    }
}
