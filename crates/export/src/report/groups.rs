//! Where the time went, by a label: each of its values with a report of its own.

use super::Report;
use crate::{By, FocusError, Row, Saved, select};
use foldhash::HashMap;
use std::borrow::Cow;

/// The samples of a profile, parted by a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The label.
    pub by: By,
    /// Of all samples.
    pub all: Report,
    /// Of each value, the one with most samples first; `None` is for samples that do not have the label.
    pub groups: Vec<(Option<String>, Report)>,
}

impl Groups {
    /// Parts all samples of `saved`. An error if no sample has the label.
    pub fn new(saved: &Saved, by: By) -> Result<Self, FocusError> {
        select::told(saved, by)?;
        let mut rows: HashMap<Option<Cow<'_, str>>, Vec<&Row>> = HashMap::default();
        for row in &saved.rows {
            rows.entry(by.value(row.labels, &saved.symbols))
                .or_default()
                .push(row);
        }
        let mut groups: Vec<_> = rows
            .into_iter()
            .map(|(value, rows)| (value.map(Cow::into_owned), Report::of(saved, rows.into_iter())))
            .collect();
        groups.sort_by(|(value, one), (other_value, other)| {
            let samples = other.all.samples.cmp(&one.all.samples);
            samples.then_with(|| value.cmp(other_value))
        });
        Ok(Self {
            by,
            all: Report::new(saved),
            groups,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, read_from, testing};

    fn groups(by: By) -> Groups {
        let bytes = testing::bytes(Format::Phpspy, &testing::profile());
        Groups::new(&read_from(&bytes[..]).unwrap(), by).unwrap()
    }

    #[test]
    fn each_sample_is_in_one_group() {
        let groups = groups(By::from_name("uri").unwrap());
        let samples: Vec<_> = groups
            .groups
            .iter()
            .map(|(value, report)| (value.as_deref(), report.all.samples))
            .collect();
        assert_eq!(samples, [(Some("/cart/é 1;2"), 7), (Some("/"), 3), (None, 2)]);
        assert_eq!(groups.all.all.samples, 12);
    }

    #[test]
    fn in_the_terminal() {
        let mut text = Vec::new();
        groups(By::Text(profile::Label::Uri))
            .write_text(90, None, &mut text)
            .unwrap();
        groups(By::Pid).write_text(50, Some(1), &mut text).unwrap();
        insta::assert_snapshot!(String::from_utf8(text).unwrap());
    }

    #[test]
    fn as_json() {
        let mut text = Vec::new();
        groups(By::Text(profile::Label::Wait))
            .write_json(&mut text)
            .unwrap();
        let text = String::from_utf8(text).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_label_that_is_not_told_says_how_to_get_it() {
        let saved = read_from(&b"<main>;a 3\n"[..]).unwrap();
        let error = Groups::new(&saved, By::Text(profile::Label::Uri))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "this folded file does not tell the uri of its samples; record with --request as svg, pprof, speedscope \
             or phpspy"
        );
    }
}
