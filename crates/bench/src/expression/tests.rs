use super::*;
use crate::model::{Failure, Measurement, Memory, Metric, Outcome, Sample};
use proptest::prelude::*;

/// A variant with samples of so many nanoseconds, of 10 revolutions each.
fn variant(nanoseconds: &[i64]) -> crate::model::Variant {
    let samples: Vec<_> = nanoseconds
        .iter()
        .map(|&raw| Sample {
            iteration: 0,
            revolutions: 10,
            raw: raw * 10,
            overhead: 0,
            clock: 0,
            empty: 0.0,
            memory: Some(Memory {
                peak: 2_000_000,
                real: 4,
                r#final: 5,
            }),
            retried: false,
        })
        .collect();
    let summary = crate::statistics::summary(&samples, Metric::Time);
    crate::model::Variant {
        set: String::new(),
        parameters: serde_json::Value::Null,
        revolutions: 10,
        automatic: false,
        warmup: 0,
        iterations: 3,
        outcome: Outcome::Measured(Box::new(Measurement { samples, summary })),
        assertions: Vec::new(),
    }
}

fn says(text: &str) -> String {
    let variant = variant(&[10_000_000, 10_000_000, 40_000_000]);
    super::text(text, &Scope::new(None, &variant)).unwrap_or_else(|error| format!("error: {error}"))
}

#[test]
fn values_of_expressions() {
    for (text, wanted) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 / 4", "2.500"),
        ("-3 + 1", "-2"),
        ("1 < 2 and 2 < 1 or true", "true"),
        ("10 ms = 10000 microseconds", "true"),
        ("2 as ms precision 1", "0.0ms"),
        ("1500 as ms", "1.500ms"),
        ("90000 as time", "90.000ms"),
        ("1234567 as memory", "1.235mb"),
        ("100 as ops/second", "10,000.000ops/s"),
        ("10 ops/second", "10.000ops/s"),
        ("median(variant.time.avg) as ms", "10.000ms"),
        ("max(variant.time.avg) as ms", "40.000ms"),
        ("mean([1, 2, 6])", "3"),
        ("variance([1, 3])", "1"),
        ("stdev([1, 3], true)", "1.414"),
        ("rstdev([1, 3])", "±50.00%"),
        ("percent_diff(10, 12)", "+20.00%"),
        ("mode([5])", "5"),
        ("first(variant.mem.peak) as memory", "2.000mb"),
        ("\"a\" ~ 'b''c' ~ 1", "ab'c1"),
        ("coalesce(null, subject?.time_unit, \"time\")", "time"),
        ("if(1 < 2, 3, 4)", "3"),
        (
            "label(\"Mo\") ~ display_as_time(1500, \"time\", 1, \"time\")",
            "Mo1.5ms",
        ),
        ("10 = 12 +/- 2", "~true"),
        ("10 < 8 +/- 10%", "false"),
        ("median(variant.time.avg) as ms <= 9 ms +/- 20%", "~true"),
        ("count(variant.time.revs)", "3"),
    ] {
        assert_eq!(says(text), wanted, "{text}");
    }
}

#[test]
fn what_makes_no_sense_is_one_line() {
    for (text, wanted) in [
        ("", "cannot be read at its end"),
        ("1 +", "cannot be read at its end"),
        ("1 2", "cannot be read at `2`"),
        ("mode(variant.time.avg", "cannot be read at its end"),
        ("'abc", "cannot be read at `'abc`"),
        ("$", "cannot be read at `$`"),
        ("nope(1)", "there is no function nope"),
        ("variant.time.nope", "there is no variant.time.nope here"),
        ("mode(baseline.time.avg)", "there is no baseline"),
        ("1 as parsecs", "there is no unit parsecs"),
        ("1 and 2", "neither true nor false"),
        ("mean('a')", "where a number has to be"),
        ("0 / 0", "nothing by nothing"),
    ] {
        let said = says(text);
        assert!(
            said.starts_with("error: ") && said.contains(wanted) && !said.contains('\n'),
            "{text}: {said}"
        );
    }
    assert!(says(&"(".repeat(10_000)).starts_with("error: "));
    assert!(says(&"-".repeat(60_000)).starts_with("error: "));
}

#[test]
fn assertions_pass_fail_or_are_not_checked() {
    let (slow, fast) = (variant(&[20_000_000]), variant(&[10_000_000]));
    let scope = Scope::new(None, &slow);
    let text = "mode(variant.time.avg) as ms <= mode(baseline.time.avg) as ms +/- 5%";
    assert_eq!(assert(text, &scope).0, Verdict::Unchecked);
    let (verdict, message) = assert(text, &scope.baseline(Some(&fast)));
    assert_eq!(verdict, Verdict::Failed);
    assert_eq!(message, "20.000ms <= 10.000ms ± 0.500ms");
    assert_eq!(assert(text, &scope.baseline(Some(&slow))).0, Verdict::Tolerated);
    assert_eq!(assert("variant.time.avg", &scope).0, Verdict::Error);
    assert_eq!(assert("1 < 2", &scope).0, Verdict::Passed);
    let mut failed = slow.clone();
    failed.outcome = Outcome::Failed(Failure::new("x"));
    assert_eq!(
        assert("min(variant.time.avg) < 2", &Scope::new(None, &failed)).0,
        Verdict::Error
    );
}

proptest! {
    #[test]
    fn nothing_panics(text in "[ -~µ]{0,60}") {
        let _ = value(&text, &Scope::default());
    }

    #[test]
    fn numbers_keep_their_digits(number in -1e12_f64..1e12) {
        let shown = units::grouped(number, 3).replace(',', "");
        prop_assert!((shown.parse::<f64>().unwrap() - number).abs() <= 0.000_501);
    }
}
