//! A tree becomes a value.

use super::{ExpressionError, Scope, Value, functions, parser::Tree, units, value::Shown};

pub(super) fn value(tree: &Tree, scope: &Scope) -> Result<Value, ExpressionError> {
    Ok(match tree {
        Tree::Number(number) => Value::number(*number),
        Tree::Text(text) => Value::Text(text.clone()),
        Tree::Truth(truth) => Value::Truth(*truth),
        Tree::Null => Value::Null,
        Tree::Parentheses(inner) => value(inner, scope)?,
        Tree::List(items) => Value::List(
            items
                .iter()
                .map(|item| value(item, scope))
                .collect::<Result<_, _>>()?,
        ),
        Tree::Path(names, lenient) => match scope.value(names)? {
            Some(value) => value,
            None if *lenient => Value::Null,
            None => return Err(meaning(format!("there is no {} here", names.join(".")))),
        },
        Tree::Call(name, arguments) => {
            let arguments = arguments
                .iter()
                .map(|argument| value(argument, scope))
                .collect::<Result<Vec<_>, _>>()?;
            functions::call(name, &arguments)?
        }
        Tree::Unit(inner, unit) => {
            let number = number(&value(inner, scope)?)?;
            let base =
                units::to_base(number, unit).ok_or_else(|| meaning(format!("there is no unit {unit}")))?;
            Value::Number(base, Shown::Unit(unit.clone(), None))
        }
        Tree::As(inner, unit, precision) => shown_as(value(inner, scope)?, unit, *precision)?,
        // Outside of a tolerance, a percentage is its number.
        Tree::Percent(inner) => Value::number(number(&value(inner, scope)?)?),
        Tree::Binary("+/-", middle, distance) => around(middle, distance, scope)?,
        Tree::Binary(operator, left, right) => {
            let (left, right) = (value(left, scope)?, value(right, scope)?);
            binary(operator, &left, &right)?
        }
    })
}

/// An expression with its values: what is on both sides of a comparison.
pub(super) fn shown(tree: &Tree, scope: &Scope) -> String {
    match tree {
        Tree::Binary(operator @ ("<" | "<=" | ">" | ">=" | "=" | "!=" | "and" | "or"), left, right) => {
            format!("{} {operator} {}", shown(left, scope), shown(right, scope))
        }
        Tree::Parentheses(inner) => format!("({})", shown(inner, scope)),
        tree => value(tree, scope).map_or_else(|error| error.to_string(), |value| value.to_string()),
    }
}

pub(super) fn shown_as(value: Value, unit: &str, precision: Option<u8>) -> Result<Value, ExpressionError> {
    if !units::can_show(unit) {
        return Err(meaning(format!("there is no unit {unit}")));
    }
    let shown = Shown::Unit(unit.to_owned(), precision);
    Ok(match value {
        Value::Around(middle, distance, _) => Value::Around(middle, distance, shown),
        Value::Null => Value::Null,
        value => Value::Number(number(&value)?, shown),
    })
}

fn around(middle: &Tree, distance: &Tree, scope: &Scope) -> Result<Value, ExpressionError> {
    let Value::Number(middle, shown) = value(middle, scope)? else {
        return Err(meaning("what has a tolerance has to be a number"));
    };
    let distance = match distance {
        Tree::Percent(percent) => middle / 100.0 * number(&value(percent, scope)?)?,
        distance => number(&value(distance, scope)?)?,
    };
    Ok(Value::Around(middle, distance, shown))
}

fn binary(operator: &str, left: &Value, right: &Value) -> Result<Value, ExpressionError> {
    let result = match operator {
        "~" => return Ok(Value::Text(format!("{left}{right}"))),
        "and" => return Ok(Value::Truth(truth(left)? && truth(right)?)),
        "or" => return Ok(Value::Truth(truth(left)? || truth(right)?)),
        "+" => number(left)? + number(right)?,
        "-" => number(left)? - number(right)?,
        "*" => number(left)? * number(right)?,
        "/" => number(left)? / number(right)?,
        _ => return compare(operator, left, right),
    };
    if result.is_nan() {
        return Err(meaning("it divides nothing by nothing"));
    }
    let shown = match (left, right) {
        (Value::Number(_, shown @ Shown::Unit(..)), _) | (_, Value::Number(_, shown @ Shown::Unit(..))) => {
            shown.clone()
        }
        _ => Shown::Plain,
    };
    Ok(Value::Number(result, shown))
}

fn compare(operator: &str, left: &Value, right: &Value) -> Result<Value, ExpressionError> {
    if let Value::Around(middle, distance, shown) = right {
        let found = number(left)?;
        if (found - middle).abs() <= distance.abs() {
            return Ok(Value::Tolerated);
        }
        return compare(operator, left, &Value::Number(*middle, shown.clone()));
    }
    let equal = match (left, right) {
        (Value::Number(left, _), Value::Number(right, _)) => left.total_cmp(right).is_eq(),
        (left, right) => left == right,
    };
    Ok(Value::Truth(match operator {
        "=" => equal,
        "!=" => !equal,
        "<" => number(left)? < number(right)?,
        "<=" => number(left)? <= number(right)?,
        ">" => number(left)? > number(right)?,
        _ => number(left)? >= number(right)?,
    }))
}

fn truth(value: &Value) -> Result<bool, ExpressionError> {
    match value {
        Value::Truth(truth) => Ok(*truth),
        Value::Tolerated => Ok(true),
        other => Err(meaning(format!("{} is neither true nor false", other.kind()))),
    }
}

pub(super) fn number(value: &Value) -> Result<f64, ExpressionError> {
    match value {
        Value::Number(number, _) => Ok(*number),
        other => Err(meaning(format!(
            "{} stands where a number has to be",
            other.kind()
        ))),
    }
}

pub(super) fn meaning(text: impl Into<String>) -> ExpressionError {
    ExpressionError::Meaning(text.into())
}
