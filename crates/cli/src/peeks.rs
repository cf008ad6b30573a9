//! What variables held, in phpspy's words.

use export::Notes;
use profile::{StackId, Symbols};
use sampler::{Peek, Values};

/// `varpeek NAME@FILE:LINE = VALUE` before the frame whose variable it is, `glopeek ARRAY.KEY = VALUE` behind all frames.
pub fn notes(peeks: &[Peek], values: &Values, symbols: &Symbols, stack: StackId) -> Notes {
    let mut notes = Notes::default();
    for value in &values.read {
        match (peeks.get(value.peek), value.frame) {
            (Some(Peek::Variable { name, .. }), Some(number)) => {
                let Some((function, location)) = symbols.frames(stack).nth(number) else {
                    continue;
                };
                let file = function.file.as_deref().unwrap_or_default();
                let line = location.line.number();
                notes
                    .frames
                    .push((number, format!("varpeek {name}@{file}:{line} = {}", value.text)));
            }
            (Some(Peek::Global { asked, .. }), None) => {
                notes.stack.push(format!("glopeek {asked} = {}", value.text));
            }
            _ => {}
        }
    }
    notes
}
