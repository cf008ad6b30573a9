//! How tests ended, on both PHPs.

use std::collections::BTreeMap;

/// What `run-tests.php` wrote of each test: `PASSED`, a tab, and its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results(BTreeMap<String, String>);

impl Results {
    pub fn parse(written: &str) -> Self {
        let one = |line: &str| {
            let (outcome, test) = line.split_once('\t')?;
            // Tests with variants have the variant before their path.
            let path = test.rsplit(' ').next().unwrap_or(test);
            Some((path.to_owned(), outcome.to_owned()))
        };
        let mut results = Self::default();
        for (test, outcome) in written.lines().filter_map(one) {
            // Of several variants, one that did not pass counts.
            let known = results.0.entry(test).or_insert_with(|| outcome.clone());
            if is_good(known) {
                *known = outcome;
            }
        }
        results
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn passes(&self, test: &str) -> bool {
        self.0.get(test).is_some_and(|outcome| is_good(outcome))
    }

    fn fails(&self, test: &str) -> bool {
        self.0
            .get(test)
            .is_none_or(|outcome| !is_good(outcome) && !is_none(outcome))
    }

    /// The tests that pass here and fail there, or have no end there.
    pub fn worse<'a>(&'a self, there: &'a Self) -> impl Iterator<Item = &'a str> {
        self.0
            .keys()
            .map(String::as_str)
            .filter(|test| self.passes(test) && there.fails(test))
    }
}

fn is_good(outcome: &str) -> bool {
    outcome == "PASSED"
}

/// Neither passed nor failed: not for this PHP, or known to fail.
fn is_none(outcome: &str) -> bool {
    matches!(outcome, "SKIPPED" | "XFAILED")
}

/// What both PHPs did with PHP's own tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Tests that were to be run on both.
    pub tests: usize,
    /// Of these, those that both pass.
    pub pass: usize,
    /// Those that the old one passes and the new one skips: what they need is not there.
    pub skipped: usize,
    /// Those that the old one does not pass either, or that have no end there.
    pub not_before: usize,
    /// Those that failed on the new one once, and passed when they were run again.
    pub flaky: usize,
}

impl Verified {
    /// Counts what became of the tests that were to be run; `again` are those that failed on the new one only, once more.
    /// Then the tests that failed twice.
    pub(super) fn of(tests: &[&str], [old, new, again]: [&Results; 3]) -> (Self, Vec<String>) {
        let mut verified = Self {
            tests: tests.len(),
            ..Self::default()
        };
        let mut worse = Vec::new();
        for &test in tests {
            if !old.passes(test) {
                verified.not_before += 1;
            } else if new.passes(test) {
                verified.pass += 1;
            } else if !new.fails(test) {
                verified.skipped += 1;
            } else if again.passes(test) {
                verified.flaky += 1;
            } else {
                worse.push(test.to_owned());
            }
        }
        (verified, worse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_counted_once() {
        let old = Results::parse(
            "PASSED\ta.phpt\nPASSED\tb.phpt\nPASSED\tc.phpt\nPASSED\td.phpt\nFAILED\te.phpt\nSKIPPED\tf.phpt\nPASSED\tg.phpt\n",
        );
        let new = Results::parse(
            "PASSED\ta.phpt\nFAILED\tb.phpt\nFAILED\tc.phpt\nSKIPPED\td.phpt\nFAILED\te.phpt\nPASSED\tf.phpt\n",
        );
        assert_eq!(
            old.worse(&new).collect::<Vec<_>>(),
            ["b.phpt", "c.phpt", "g.phpt"]
        );
        let again = Results::parse("PASSED\tb.phpt\nBORKED\tc.phpt\n");
        let tests: Vec<_> = ["a", "b", "c", "d", "e", "f", "g", "lost"]
            .map(|name| format!("{name}.phpt"))
            .to_vec();
        let tests: Vec<_> = tests.iter().map(String::as_str).collect();
        let (verified, worse) = Verified::of(&tests, [&old, &new, &again]);
        assert_eq!(worse, ["c.phpt", "g.phpt"]);
        assert_eq!(
            verified,
            Verified {
                tests: 8,
                pass: 1,
                skipped: 1,
                not_before: 3,
                flaky: 1
            }
        );
    }

    #[test]
    fn a_variant_that_fails_counts() {
        let results = Results::parse("PASSED\t# 1: GET a.phpt\nFAILED\t# 2: POST a.phpt\nno line\n");
        assert_eq!(results.len(), 1);
        assert!(results.fails("a.phpt"));
        let swapped = Results::parse("FAILED\t# 2: POST a.phpt\nPASSED\t# 1: GET a.phpt\n");
        assert_eq!(results, swapped);
    }
}
