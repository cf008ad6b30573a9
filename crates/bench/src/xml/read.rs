//! Elements become suites.

use super::XmlError;
use crate::{
    model::{
        Class, Display, Environment, EnvironmentGroup, FORMAT, Failure, Measurement, Memory, Metric, Outcome,
        Sample, Subject, Suite, Variant,
    },
    statistics,
};
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value};
use std::time::SystemTime;

/// The most elements and attributes that are read.
const MOST: u32 = 10_000_000;
/// How deep parameters may lie in each other.
const MAX_DEPTH: usize = 32;

/// The runs in a file.
pub fn read(text: &str) -> Result<Vec<Suite>, XmlError> {
    let options = ParsingOptions {
        nodes_limit: MOST,
        ..ParsingOptions::default()
    };
    let document =
        Document::parse_with_options(text, options).map_err(|error| XmlError::Syntax(error.to_string()))?;
    let root = document.root_element();
    if !root.has_tag_name("phpbench") {
        let name = root.tag_name().name();
        return Err(XmlError::Foreign(format!("its outermost element is {name}")));
    }
    children(root, "suite").map(suite).collect()
}

fn children<'a, 'x>(node: Node<'a, 'x>, name: &'static str) -> impl Iterator<Item = Node<'a, 'x>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

/// An attribute that has to be there.
fn need<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, XmlError> {
    node.attribute(name).ok_or_else(|| {
        let (line, of) = (line(node), node.tag_name().name());
        XmlError::Foreign(format!("line {line}: {of} has no {name}"))
    })
}

fn number<T: std::str::FromStr>(node: Node, name: &str) -> Result<T, XmlError> {
    let text = need(node, name)?;
    text.parse()
        .map_err(|_| XmlError::Foreign(format!("line {}: {name} is {text:?}, and no number", line(node))))
}

fn line(node: Node) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// What may be empty.
fn filled<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attribute(name).filter(|text| !text.is_empty())
}

fn suite(node: Node) -> Result<Suite, XmlError> {
    let date = need(node, "date")?;
    let started = seconds(date)
        .ok_or_else(|| XmlError::Foreign(format!("line {}: date is {date:?}, and no date", line(node))))?;
    let groups = children(node, "env")
        .flat_map(|env| env.children().filter(Node::is_element))
        .map(|group| EnvironmentGroup {
            name: group.tag_name().name().replace('-', "_"),
            values: children(group, "value").map(value).collect(),
        });
    let is_exact = node.descendants().any(|node| node.has_attribute("time-ns"));
    let classes: Result<Vec<Class>, XmlError> = children(node, "benchmark").map(class).collect();
    Ok(Suite {
        format: FORMAT,
        tag: filled(node, "tag").map(str::to_owned),
        started,
        environment: Environment {
            groups: groups.collect(),
        },
        classes: classes?,
        notes: vec![if is_exact {
            "imported from XML that phperf wrote: what was subtracted from the figures is not in it".into()
        } else {
            "imported from PHPBench's XML: what the clock and the call cost is in the figures".into()
        }],
        partial: false,
    })
}

fn value(node: Node) -> (String, String) {
    let text = node.text().unwrap_or_default();
    let text = match (node.attribute("type"), text) {
        (Some("boolean"), "1") => "true",
        (Some("boolean"), "") => "false",
        _ => text,
    };
    (node.attribute("name").unwrap_or_default().into(), text.into())
}

fn class(node: Node) -> Result<Class, XmlError> {
    let subjects: Result<Vec<Subject>, XmlError> = children(node, "subject").map(subject).collect();
    Ok(Class {
        name: need(node, "class")?.trim_start_matches('\\').into(),
        file: std::path::PathBuf::new(),
        subjects: subjects?,
        failure: None,
    })
}

fn subject(node: Node) -> Result<Subject, XmlError> {
    let variants: Result<Vec<Variant>, XmlError> = children(node, "variant").map(variant).collect();
    let first = children(node, "variant").next();
    let shown = |name| first.and_then(|variant| filled(variant, name));
    let executor = children(node, "executor").next();
    Ok(Subject {
        name: need(node, "name")?.into(),
        groups: children(node, "group")
            .filter_map(|group| group.attribute("name"))
            .map(str::to_owned)
            .collect(),
        executor: executor
            .and_then(|executor| executor.attribute("name"))
            .unwrap_or("remote")
            .into(),
        metric: Metric::Time,
        display: Display {
            unit: shown("output-time-unit").map(str::to_owned),
            precision: shown("output-time-precision").and_then(|digits| digits.parse().ok()),
            throughput: shown("output-mode") == Some("throughput"),
        },
        variants: variants?,
        failure: None,
    })
}

fn variant(node: Node) -> Result<Variant, XmlError> {
    let set = children(node, "parameter-set").next();
    let samples: Result<Vec<Sample>, XmlError> = children(node, "iteration")
        .zip(0..)
        .map(|(iteration, index)| sample(iteration, index))
        .collect();
    let samples = samples?;
    let error = children(node, "errors")
        .flat_map(|errors| children(errors, "error"))
        .next();
    let outcome = match error {
        Some(error) => Outcome::Failed(Failure::new(error.text().unwrap_or("PHPBench does not say why"))),
        None if samples.is_empty() => Outcome::Failed(Failure::new("it has no samples")),
        None => Outcome::Measured(Box::new(Measurement {
            summary: statistics::summary(&samples, Metric::Time),
            samples,
        })),
    };
    Ok(Variant {
        set: set
            .and_then(|set| set.attribute("name"))
            .unwrap_or_default()
            .into(),
        parameters: set.map_or(Value::Null, |set| parameters(set, 0)),
        revolutions: number(node, "revs")?,
        automatic: false,
        warmup: number(node, "warmup")?,
        iterations: children(node, "iteration").count() as u32,
        outcome,
        assertions: Vec::new(),
        baseline: None,
    })
}

fn sample(node: Node, iteration: u32) -> Result<Sample, XmlError> {
    let raw = match node.attribute("time-ns") {
        Some(_) => number(node, "time-ns")?,
        None => number::<i64>(node, "time-net")?.saturating_mul(1000),
    };
    let bytes = |name| node.attribute(name).and_then(|text| text.parse().ok());
    Ok(Sample {
        iteration,
        revolutions: number(node, "time-revs")?,
        raw,
        overhead: 0,
        clock: 0,
        empty: 0.0,
        memory: bytes("mem-peak").map(|peak| Memory {
            peak,
            real: bytes("mem-real").unwrap_or(0),
            r#final: bytes("mem-final").unwrap_or(0),
        }),
        retried: false,
    })
}

fn parameters(node: Node, depth: usize) -> Value {
    let mut values = Map::new();
    for parameter in children(node, "parameter") {
        let text = parameter.attribute("value");
        let value = match (parameter.attribute("type"), text) {
            (Some("collection"), _) if depth < MAX_DEPTH => parameters(parameter, depth + 1),
            (Some("integer"), Some(text)) => text.parse::<i64>().map_or(Value::Null, Value::from),
            (Some("double"), Some(text)) => text.parse::<f64>().map_or(Value::Null, Value::from),
            (Some("boolean"), Some(text)) => Value::Bool(text == "1"),
            (_, text) => text.map_or(Value::Null, Value::from),
        };
        values.insert(parameter.attribute("name").unwrap_or_default().into(), value);
    }
    Value::Object(values)
}

/// Seconds since 1970 of `2026-11-22T01:37:36+02:00`.
fn seconds(date: &str) -> Option<u64> {
    let (local, zone) = (date.get(..19)?, date.get(19..)?);
    let utc = humantime::parse_rfc3339(&format!("{local}Z")).ok()?;
    let utc = utc.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    if zone == "Z" {
        return Some(utc);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let east = hours.parse::<u64>().ok()?.min(24) * 3600 + minutes.parse::<u64>().ok()?.min(59) * 60;
    match zone.get(..1)? {
        "+" => utc.checked_sub(east),
        "-" => Some(utc + east),
        _ => None,
    }
}
