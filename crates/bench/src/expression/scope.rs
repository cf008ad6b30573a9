//! What an expression can speak of.

use super::{ExpressionError, Value};
use crate::model::{Sample, Subject, Variant};

/// A variant, the subject it belongs to, and what it is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    subject: Option<&'a Subject>,
    variant: Option<&'a Variant>,
    baseline: Option<&'a Variant>,
}

impl<'a> Scope<'a> {
    /// A variant, with no baseline.
    pub const fn new(subject: Option<&'a Subject>, variant: &'a Variant) -> Self {
        Self {
            subject,
            variant: Some(variant),
            baseline: None,
        }
    }

    /// With a variant to compare with.
    #[must_use]
    pub const fn baseline(mut self, baseline: Option<&'a Variant>) -> Self {
        self.baseline = baseline;
        self
    }

    /// The value of `variant.time.avg` and the like; `None` where there is no such thing.
    pub(super) fn value(&self, path: &[String]) -> Result<Option<Value>, ExpressionError> {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        Ok(match parts.as_slice() {
            ["baseline", ..] if self.baseline.is_none() => return Err(ExpressionError::NoBaseline),
            ["variant", group, name] => self.variant.and_then(|variant| figures(variant, group, name)),
            ["baseline", group, name] => self.baseline.and_then(|variant| figures(variant, group, name)),
            ["subject", name] => self.subject.and_then(|subject| about(subject, name)),
            _ => None,
        })
    }
}

/// One value for each sample.
fn figures(variant: &Variant, group: &str, name: &str) -> Option<Value> {
    let figure: fn(&Sample) -> Option<f64> = match (group, name) {
        ("time", "avg") => |sample| Some(sample.per_revolution() / 1000.0),
        ("time", "net") => |sample| Some(sample.net() as f64 / 1000.0),
        ("time", "revs") => |sample| Some(sample.revolutions as f64),
        ("mem", "peak") => |sample| Some(sample.memory?.peak as f64),
        ("mem", "real") => |sample| Some(sample.memory?.real as f64),
        ("mem", "final") => |sample| Some(sample.memory?.r#final as f64),
        _ => return None,
    };
    let samples = &variant.measurement()?.samples;
    let values: Option<Vec<Value>> = samples
        .iter()
        .map(|sample| figure(sample).map(Value::number))
        .collect();
    values.map(Value::List)
}

fn about(subject: &Subject, name: &str) -> Option<Value> {
    Some(match name {
        "name" => Value::Text(subject.name.clone()),
        "time_unit" => subject.display.unit.clone().map_or(Value::Null, Value::Text),
        "time_precision" => subject
            .display
            .precision
            .map_or(Value::Null, |digits| Value::number(digits.into())),
        "time_mode" => Value::Text(
            if subject.display.throughput {
                "throughput"
            } else {
                "time"
            }
            .into(),
        ),
        _ => return None,
    })
}
