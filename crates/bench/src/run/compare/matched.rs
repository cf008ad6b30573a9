//! Which subject of B is which of A.

use super::{super::variant::Bench, open::Open, without};
use crate::{
    Error,
    discover::{PlannedClass, PlannedSet, PlannedSubject},
    executor::Executor,
    model::Metric,
    settings::{ExecutorChoice, Sampling},
};
use trial::Entry;

/// What there is to compare.
pub(super) struct Pairing<'a> {
    pub(super) classes: Vec<MatchedClass<'a>>,
    /// What cannot be.
    pub(super) failed: Vec<Entry>,
    /// What only one side has, a sentence each.
    pub(super) notes: Vec<String>,
    pub(super) metric: Metric,
}

/// A class that both sides have.
pub(super) struct MatchedClass<'a> {
    pub(super) classes: [&'a PlannedClass; 2],
    pub(super) subjects: Vec<Matched<'a>>,
}

/// A subject, with a parameter set, that both sides have.
pub(super) struct Matched<'a> {
    pub(super) name: String,
    pub(super) sides: [One<'a>; 2],
    /// `None` where it is to be found.
    pub(super) revolutions: Option<u64>,
    pub(super) warmup: u64,
}

/// One side of it.
#[derive(Clone)]
pub(super) struct One<'a> {
    pub(super) class: &'a PlannedClass,
    pub(super) subject: &'a PlannedSubject,
    pub(super) set: &'a PlannedSet,
    pub(super) executor: Executor,
    pub(super) sampling: Sampling,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(sides: &'a [Open<'a>; 2]) -> Result<Self, Error> {
        let mut pairing = Self {
            classes: Vec::new(),
            failed: Vec::new(),
            notes: Vec::new(),
            metric: Metric::Time,
        };
        let mut metrics = Vec::new();
        for (index, side) in sides.iter().enumerate() {
            for class in &side.planned.classes {
                if let Some(failure) = &class.failure {
                    let entry = without(&class.name, index, &failure.message);
                    pairing.failed.push(entry);
                }
            }
        }
        for class in usable(&sides[0]) {
            let Some(other) = usable(&sides[1]).find(|other| other.name == class.name) else {
                pairing.only('A', &class.name);
                continue;
            };
            let subjects = pairing.subjects(sides, [class, other], &mut metrics)?;
            pairing.classes.push(MatchedClass {
                classes: [class, other],
                subjects,
            });
        }
        for class in usable(&sides[1]) {
            if usable(&sides[0]).all(|other| other.name != class.name) {
                pairing.only('B', &class.name);
            }
        }
        pairing.metric = match metrics.as_slice() {
            [] => Metric::Time,
            [metric] => *metric,
            _ => return Err(Error::Metrics),
        };
        Ok(pairing)
    }

    fn only(&mut self, side: char, name: &str) {
        self.notes.push(format!("Only {side} has {name}."));
    }

    fn subjects(
        &mut self,
        sides: &'a [Open<'a>; 2],
        classes: [&'a PlannedClass; 2],
        metrics: &mut Vec<Metric>,
    ) -> Result<Vec<Matched<'a>>, Error> {
        let benches = [sides[0].bench(), sides[1].bench()];
        let mut matched = Vec::new();
        for subject in &classes[0].subjects {
            let name = format!("{}::{}", classes[0].name, subject.name);
            let Some(other) = named(classes[1], &subject.name) else {
                self.only('A', &name);
                continue;
            };
            let wrong = [subject, other].map(|one| one.error.clone());
            if let Some(index) = wrong.iter().position(Option::is_some) {
                let why = wrong[index].as_deref().unwrap_or_default();
                self.failed.push(without(name, index, &why));
                continue;
            }
            for set in &subject.sets {
                let name = whole_name(&name, set);
                let Some(other_set) = other.sets.iter().find(|other| other.name == set.name) else {
                    self.only('A', &name);
                    continue;
                };
                let found = [
                    One::new(&benches[0], classes[0], subject, set),
                    One::new(&benches[1], classes[1], other, other_set),
                ];
                let [a, b] = match found {
                    [Ok(a), Ok(b)] => [a, b],
                    [Err(why), _] => {
                        self.failed.push(without(name, 0, &why));
                        continue;
                    }
                    [_, Err(why)] => {
                        self.failed.push(without(name, 1, &why));
                        continue;
                    }
                };
                if a.executor.metric != b.executor.metric {
                    return Err(Error::Metrics);
                }
                if !metrics.contains(&a.executor.metric) {
                    metrics.push(a.executor.metric);
                }
                if [&a.sampling.revs, &a.sampling.warmup] != [&b.sampling.revs, &b.sampling.warmup] {
                    self.notes.push(format!(
                        "{name}: B has other revolutions or warm-up; both sides ran with those of A."
                    ));
                }
                matched.extend(Matched::of(&name, &[a, b]));
            }
            for set in &other.sets {
                if subject.sets.iter().all(|one| one.name != set.name) {
                    self.only('B', &whole_name(&name, set));
                }
            }
        }
        for other in &classes[1].subjects {
            if named(classes[0], &other.name).is_none() {
                self.only('B', &format!("{}::{}", classes[1].name, other.name));
            }
        }
        Ok(matched)
    }
}

impl<'a> Matched<'a> {
    /// One for each number of revolutions and of warm-up revolutions of A.
    fn of(name: &str, sides: &[One<'a>; 2]) -> Vec<Self> {
        let [a, _] = sides;
        let revolutions: Vec<Option<u64>> = match &a.sampling.revs {
            _ if !a.executor.loops() => vec![Some(1)],
            Some(revs) => revs.iter().map(|&revs| Some(revs.max(1))).collect(),
            None => vec![None],
        };
        let warmups = a.sampling.warmup.clone().unwrap_or_else(|| vec![0]);
        let several = revolutions.len() * warmups.len() > 1;
        let mut all = Vec::new();
        for revolutions in revolutions {
            for &warmup in &warmups {
                let suffix = match revolutions {
                    Some(revolutions) if several => format!(" × {revolutions} after {warmup}"),
                    _ => String::new(),
                };
                all.push(Self {
                    name: format!("{name}{suffix}"),
                    sides: sides.clone(),
                    revolutions,
                    warmup,
                });
            }
        }
        all
    }
}

impl<'a> One<'a> {
    fn new(
        bench: &Bench<'_>,
        class: &'a PlannedClass,
        subject: &'a PlannedSubject,
        set: &'a PlannedSet,
    ) -> Result<Self, Error> {
        let sampling = bench.sampling(subject);
        let choice = sampling.executor.clone().unwrap_or_else(ExecutorChoice::usual);
        let executor = Executor::new(&choice, bench.settings)?;
        if executor.profiles() {
            return Err(Error::Executor {
                name: choice.name,
                reason: "it records, and gives no figures to compare: use `phperf bench run`".into(),
            });
        }
        Ok(Self {
            class,
            subject,
            set,
            executor,
            sampling,
        })
    }
}

fn usable<'a>(side: &'a Open<'a>) -> impl Iterator<Item = &'a PlannedClass> {
    side.planned
        .classes
        .iter()
        .filter(|class| class.failure.is_none())
}

fn named<'a>(class: &'a PlannedClass, name: &str) -> Option<&'a PlannedSubject> {
    class.subjects.iter().find(|subject| subject.name == name)
}

fn whole_name(name: &str, set: &PlannedSet) -> String {
    if set.name.is_empty() {
        name.to_owned()
    } else {
        format!("{name} # {}", set.name)
    }
}
