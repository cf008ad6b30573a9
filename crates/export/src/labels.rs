//! What tells samples apart besides their stack.

use profile::{ContextId, Label, Memory, State, Symbols};
use std::hash::{Hash, Hasher};

/// What tells samples apart besides their stack, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Labels {
    /// The process.
    pub pid: Option<u32>,
    /// The thread.
    pub thread: Option<u32>,
    /// What the target was doing.
    pub state: Option<State>,
    /// Which request it served, and what it waited for; in the symbols of the profile.
    pub context: ContextId,
    /// How much memory it held.
    pub memory: Option<Memory>,
}

/// A few numbers instead of a dozen: it is looked up for each sample.
impl Hash for Labels {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let number = |number: Option<u32>| u64::from(number.unwrap_or_default());
        hasher.write_u64(number(self.pid) << 32 | number(self.thread));
        let state = self.state.map_or(0, |state| state as u64 + 1);
        hasher.write_u64((self.context.index() as u64) << 8 | state);
        if let Some(Memory { used, peak }) = self.memory {
            hasher.write_u64(used);
            hasher.write_u64(peak);
        }
    }
}

impl Labels {
    /// The same with memory in steps, as whatever counts samples keeps it.
    #[must_use]
    pub fn in_steps(self) -> Self {
        Self {
            memory: self.memory.map(Memory::in_steps),
            ..self
        }
    }
}

/// The name of the bytes in use, in files.
pub const MEMORY: &str = "memory";
/// The name of the most bytes that were in use, in files.
pub const MEMORY_PEAK: &str = "memory_peak";

/// Labels as a file tells them: names and texts, one after another, in any order.
#[derive(Debug, Default)]
pub struct Told {
    labels: Labels,
    used: Option<u64>,
    peak: Option<u64>,
    texts: Vec<(Label, String)>,
}

impl Told {
    /// Takes a label; names that are not known are left out, and so are values that are not what the name needs.
    pub fn set(&mut self, name: &str, value: &str) {
        match name {
            "pid" => self.labels.pid = value.parse().ok(),
            "thread" => self.labels.thread = value.parse().ok(),
            "state" => self.labels.state = State::from_name(value),
            MEMORY => self.used = value.parse().ok(),
            MEMORY_PEAK => self.peak = value.parse().ok(),
            _ => {
                if let Some(label) = Label::from_name(name) {
                    self.set_text(label, value.to_owned());
                }
            }
        }
    }

    /// Takes one of the labels that are texts.
    pub fn set_text(&mut self, label: Label, text: String) {
        // Told twice, the last one holds; so there are never more than there are names.
        self.texts.retain(|&(other, _)| other != label);
        self.texts.push((label, text));
    }

    /// All that was told.
    pub fn labels(&self, symbols: &mut Symbols) -> Labels {
        let texts: Vec<_> = self.texts.iter().map(|(label, text)| (*label, &**text)).collect();
        Labels {
            context: symbols.extend_context(ContextId::NONE, &texts),
            memory: self.used.map(|used| Memory {
                used,
                peak: self.peak.unwrap_or(used),
            }),
            ..self.labels
        }
    }
}
