//! A variant whose stacks are recorded: a longer loop than figures need, and fewer of them.

use super::{pilot, source::Source, trouble::Trouble, variant::Bench};
use crate::model::{Sample, Variant};
use std::time::Duration;

/// How long the loop takes where nobody names revolutions: a thousand stacks and more.
const TIME: Duration = Duration::from_secs(2);
/// The pilot finds the revolutions of this part of it.
const PART: Duration = Duration::from_millis(50);
/// What takes nearly no time at all is not called for ever.
const MOST: u64 = 1000;
/// What an iteration may take besides what it may take otherwise.
pub(super) const LONGER: Duration = Duration::from_secs(60);

/// The revolutions that take about so long.
pub(super) fn revolutions(source: &mut Source<'_>) -> Result<u64, Trouble> {
    let of_a_part = pilot::revolutions(PART, |revolutions| {
        source.take(0, revolutions, 0).map(|sample| sample.raw)
    })?;
    let took = source.take(0, of_a_part, 0)?.raw.max(1) as u64;
    let times = (TIME.as_nanos() as u64 / took).clamp(1, MOST);
    Ok(of_a_part * times)
}

/// Takes the samples, and has them recorded.
pub(super) fn collect(
    bench: &Bench<'_>,
    source: &mut Source<'_>,
    name: &str,
    variant: &Variant,
    samples: &mut Vec<Sample>,
) -> Result<(), Trouble> {
    let Some(profiler) = bench.profiler else {
        return Err(Trouble::subject(
            "nobody is there to record stacks: use `phperf bench run`",
        ));
    };
    for iteration in 0..variant.iterations {
        let sample = source.profiled(iteration, variant.revolutions, variant.warmup, profiler, name);
        samples.push(sample.inspect_err(|_| profiler.borrow_mut().discard())?);
    }
    profiler.borrow_mut().keep(name).map_err(Trouble::subject)
}
