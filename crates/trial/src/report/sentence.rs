//! What a comparison found, in a sentence.

use super::{
    Kind,
    figure::{change, changes, share},
};
use crate::{Look, Outcome, Plan, Stopped, Verdict};
use stats::{Estimate, Interval, Sample};

/// The verdict with its interval: `B is slower: +1.42 % (+0.90 % to +1.95 %)`.
pub fn verdict(look: &Look, plan: Plan) -> String {
    let margin = share(plan.margin());
    let Some(interval) = &look.interval else {
        return format!(
            "inconclusive: {} are too few to tell anything, {} are the least",
            pairs(look.pairs),
            plan.fewest()
        );
    };
    let by = estimated(look.ratio, interval);
    match look.verdict {
        Verdict::Same => format!("same within {margin}: {by}"),
        Verdict::Inconclusive => format!("inconclusive: {by}"),
        verdict if look.beyond_margin || plan.margin() == 0.0 => format!("B is {verdict}: {by}"),
        verdict => format!("B is {verdict}: {by}, which may be less than the margin of {margin}"),
    }
}

/// How long it went on, and what more would bring.
pub fn effort(outcome: &Outcome, plan: Plan) -> String {
    let look = &outcome.look;
    let measured = match outcome.stopped {
        Stopped::Decided => format!("decided after {} of at most {}", pairs(look.pairs), plan.pairs()),
        Stopped::AllPairs => format!("after all {}", pairs(look.pairs)),
        Stopped::Early => format!("stopped after {} of {}", pairs(look.pairs), plan.pairs()),
    };
    let open = look.interval.is_some() && outcome.stopped != Stopped::Decided;
    match look.more_pairs {
        Some(more) if look.verdict == Verdict::Inconclusive => {
            format!("{measured}; by this noise about {more} more would tell")
        }
        Some(more) => format!("{measured}; about {more} more would tell whether it is beyond the margin"),
        None if open && look.verdict == Verdict::Inconclusive => {
            format!("{measured}; with this noise no number of pairs within reach would tell")
        }
        None => measured,
    }
}

/// The middle one of the figures of a side.
pub fn median(figures: &[f64], kind: Kind) -> String {
    Sample::new(figures.to_vec()).map_or("-".to_owned(), |sample| kind.format(sample.median()))
}

/// A ratio with its interval: `+1.42 % (+0.90 % to +1.95 %)`.
pub fn estimate(mean: Estimate) -> String {
    estimated(mean.value, &mean.interval)
}

/// The ratio and its interval for two columns of a table; `-` where there is none.
pub fn cells(look: &Look) -> (String, String) {
    match look.interval {
        Some(interval) => changes(look.ratio, interval.low, interval.high),
        None if look.pairs == 0 => ("-".to_owned(), "-".to_owned()),
        None => (change(look.ratio), "-".to_owned()),
    }
}

fn estimated(ratio: f64, interval: &Interval) -> String {
    let (ratio, interval) = changes(ratio, interval.low, interval.high);
    format!("{ratio} ({interval})")
}

/// So many pairs.
pub fn pairs(count: usize) -> String {
    format!("{count} pair{}", if count == 1 { "" } else { "s" })
}
