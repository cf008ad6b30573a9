//! Functions of the expression language.

use super::{
    ExpressionError, Value,
    evaluate::{meaning, number, shown_as},
    value::Shown,
};
use stats::Sample;

/// Calls one.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, ExpressionError> {
    let argument = |at: usize| {
        arguments
            .get(at)
            .ok_or_else(|| meaning(format!("{name} needs {} values", at + 1)))
    };
    let sample = || numbers(name, argument(0)?);
    let figure = |figure: fn(&Sample) -> f64| sample().map(|sample| Value::number(figure(&sample)));
    match name {
        "mode" => figure(Sample::phpbench_mode),
        "median" => figure(Sample::median),
        "mean" => figure(Sample::mean),
        "min" => figure(Sample::min),
        "max" => figure(Sample::max),
        "mad" => figure(Sample::mad),
        "stdev" => Ok(Value::number(deviation(&sample()?, arguments.get(1)))),
        "variance" => Ok(Value::number(deviation(&sample()?, arguments.get(1)).powi(2))),
        "rstdev" => {
            let sample = sample()?;
            let relative = deviation(&sample, arguments.get(1)) / sample.mean().abs() * 100.0;
            Ok(Value::Number(
                if relative.is_nan() { 0.0 } else { relative },
                Shown::Deviation,
            ))
        }
        "sum" => Ok(Value::number(sample()?.values().iter().sum())),
        "count" => match argument(0)? {
            Value::List(values) => Ok(Value::number(values.len() as f64)),
            other => Err(meaning(format!("count needs a list and got {}", other.kind()))),
        },
        "percent_diff" => {
            let (before, after) = (number(argument(0)?)?, number(argument(1)?)?);
            let same = before == 0.0 && after == 0.0;
            Ok(Value::Number(
                if same { 0.0 } else { (after / before - 1.0) * 100.0 },
                Shown::Difference,
            ))
        }
        "first" => match argument(0)? {
            Value::List(values) => Ok(values.first().cloned().unwrap_or(Value::Null)),
            _ => Ok(Value::Null),
        },
        "coalesce" => Ok(arguments
            .iter()
            .find(|value| **value != Value::Null)
            .cloned()
            .unwrap_or(Value::Null)),
        "if" => match argument(0)? {
            Value::Truth(true) | Value::Tolerated => argument(1).cloned(),
            _ => argument(2).cloned(),
        },
        "contains" => match argument(0)? {
            Value::List(values) => Ok(Value::Truth(values.contains(argument(1)?))),
            other => Err(meaning(format!("contains needs a list and got {}", other.kind()))),
        },
        "join" => match argument(1)? {
            Value::List(values) => {
                let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
                Ok(Value::Text(texts.join(&argument(0)?.to_string())))
            }
            other => Err(meaning(format!("join needs a list and got {}", other.kind()))),
        },
        "label" => Ok(argument(0)?.clone()),
        "display_as_time" => as_time(
            argument(0)?.clone(),
            argument(1)?,
            arguments.get(2),
            arguments.get(3),
        ),
        _ => Err(meaning(format!("there is no function {name}"))),
    }
}

fn numbers(name: &str, value: &Value) -> Result<Sample, ExpressionError> {
    let values = match value {
        Value::List(values) => values
            .iter()
            .filter(|value| **value != Value::Null)
            .map(number)
            .collect::<Result<_, _>>()?,
        value => vec![number(value)?],
    };
    Sample::new(values).map_err(|error| meaning(format!("{name}: {error}")))
}

/// The standard deviation of the population; with true, of a sample.
fn deviation(sample: &Sample, of_a_sample: Option<&Value>) -> f64 {
    if of_a_sample == Some(&Value::Truth(true)) {
        sample.deviation()
    } else {
        sample.population_deviation()
    }
}

fn as_time(
    value: Value,
    unit: &Value,
    precision: Option<&Value>,
    mode: Option<&Value>,
) -> Result<Value, ExpressionError> {
    let unit = match unit {
        Value::Text(unit) => unit.clone(),
        Value::Null => "microseconds".into(),
        other => {
            return Err(meaning(format!(
                "a unit has to be a text and is {}",
                other.kind()
            )));
        }
    };
    let precision = match precision {
        Some(Value::Number(digits, _)) if (0.0..=20.0).contains(digits) => Some(*digits as u8),
        _ => None,
    };
    let unit = match mode {
        Some(Value::Text(mode)) if mode == "throughput" => {
            format!("ops/{}", if unit == "time" { "second" } else { &unit })
        }
        _ => unit,
    };
    shown_as(value, &unit, precision)
}
