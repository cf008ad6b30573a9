//! A suite becomes elements.

use crate::model::{Class, Measurement, Outcome, Sample, Subject, Suite, Variant};
use quick_xml::{
    Writer,
    events::{BytesText, Event},
};
use serde_json::Value;
use std::{
    io::{self, Write},
    time::{Duration, SystemTime},
};

/// `PHPBench`'s classes that read what belongs to a key.
const RESULTS: [(&str, &str); 2] = [
    ("time", "PhpBench\\Model\\Result\\TimeResult"),
    ("mem", "PhpBench\\Model\\Result\\MemoryResult"),
];

/// Writes a run. What has no place in this format, failures of whole classes or subjects, is left out: how many.
pub fn write(suite: &Suite, out: &mut dyn Write) -> io::Result<usize> {
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    let started = SystemTime::UNIX_EPOCH + Duration::from_secs(suite.started.min(u64::from(u32::MAX)));
    let date = humantime::format_rfc3339_seconds(started).to_string();
    xml.get_mut().write_all(b"<?xml version=\"1.0\"?>\n")?;
    xml.create_element("phpbench")
        .with_attributes([
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("version", "phperf"),
        ])
        .write_inner_content(|xml| {
            xml.create_element("suite")
                .with_attributes([
                    ("tag", suite.tag.as_deref().unwrap_or_default()),
                    ("context", suite.tag.as_deref().unwrap_or_default()),
                    ("date", &date),
                    ("config-path", ""),
                    ("uuid", &format!("{:040x}", suite.started)),
                ])
                .write_inner_content(|xml| {
                    environment(suite, xml)?;
                    suite.classes.iter().try_for_each(|one| class(one, xml))?;
                    for (key, name) in RESULTS {
                        xml.create_element("result")
                            .with_attributes([("key", key), ("class", name)])
                            .write_empty()?;
                    }
                    Ok(())
                })?;
            Ok(())
        })?;
    writeln!(xml.get_mut())?;
    let of_subjects = suite.classes.iter().flat_map(|class| &class.subjects);
    let lost = suite
        .classes
        .iter()
        .filter(|class| class.failure.is_some())
        .count()
        + of_subjects.filter(|subject| subject.failure.is_some()).count();
    Ok(lost)
}

type Xml<'a> = Writer<&'a mut dyn Write>;

fn environment(suite: &Suite, xml: &mut Xml<'_>) -> io::Result<()> {
    xml.create_element("env").write_inner_content(|xml| {
        for group in &suite.environment.groups {
            xml.create_element(group.name.replace('_', "-"))
                .write_inner_content(|xml| {
                    for (name, value) in &group.values {
                        xml.create_element("value")
                            .with_attributes([("name", name.as_str()), ("type", "string")])
                            .write_text_content(BytesText::new(value))?;
                    }
                    Ok(())
                })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn class(class: &Class, xml: &mut Xml<'_>) -> io::Result<()> {
    xml.create_element("benchmark")
        .with_attribute(("class", format!("\\{}", class.name).as_str()))
        .write_inner_content(|xml| class.subjects.iter().try_for_each(|one| subject(one, xml)))?;
    Ok(())
}

fn subject(subject: &Subject, xml: &mut Xml<'_>) -> io::Result<()> {
    xml.create_element("subject")
        .with_attribute(("name", subject.name.as_str()))
        .write_inner_content(|xml| {
            xml.create_element("executor")
                .with_attribute(("name", subject.executor.as_str()))
                .write_empty()?;
            for group in &subject.groups {
                xml.create_element("group")
                    .with_attribute(("name", group.as_str()))
                    .write_empty()?;
            }
            subject
                .variants
                .iter()
                .try_for_each(|one| variant(subject, one, xml))
        })?;
    Ok(())
}

fn variant(subject: &Subject, variant: &Variant, xml: &mut Xml<'_>) -> io::Result<()> {
    let display = &subject.display;
    let precision = display
        .precision
        .map_or_else(String::new, |digits| digits.to_string());
    xml.create_element("variant")
        .with_attributes([
            ("sleep", "0"),
            (
                "output-time-unit",
                display.unit.as_deref().unwrap_or("microseconds"),
            ),
            ("output-time-precision", &precision),
            (
                "output-mode",
                if display.throughput { "throughput" } else { "time" },
            ),
            ("revs", &variant.revolutions.to_string()),
            ("warmup", &variant.warmup.to_string()),
            ("retry-threshold", ""),
        ])
        .write_inner_content(|xml| {
            xml.create_element("parameter-set")
                .with_attribute(("name", variant.set.as_str()))
                .write_inner_content(|xml| parameters(&variant.parameters, xml))?;
            match &variant.outcome {
                Outcome::Failed(failure) => {
                    xml.create_element("errors").write_inner_content(|xml| {
                        xml.create_element("error")
                            .with_attributes([
                                ("exception-class", ""),
                                ("code", "0"),
                                ("file", ""),
                                ("line", "0"),
                            ])
                            .write_text_content(BytesText::new(&failure.message))?;
                        Ok(())
                    })?;
                    Ok(())
                }
                Outcome::Measured(measurement) => measured(measurement, xml),
            }
        })?;
    Ok(())
}

fn measured(measurement: &Measurement, xml: &mut Xml<'_>) -> io::Result<()> {
    measurement
        .samples
        .iter()
        .try_for_each(|sample| iteration(sample, xml))?;
    let summary = &measurement.summary;
    let microseconds = |value: f64| (value / 1000.0).to_string();
    let stats = [
        ("max", microseconds(summary.max)),
        ("mean", microseconds(summary.mean)),
        ("min", microseconds(summary.min)),
        ("mode", microseconds(summary.mode)),
        ("rstdev", summary.rstdev.to_string()),
        ("stdev", microseconds(summary.stdev)),
        (
            "sum",
            microseconds(summary.mean * measurement.samples.len() as f64),
        ),
        ("variance", (summary.stdev / 1000.0).powi(2).to_string()),
    ];
    xml.create_element("stats")
        .with_attributes(stats.iter().map(|(name, value)| (*name, value.as_str())))
        .write_empty()?;
    Ok(())
}

fn iteration(sample: &Sample, xml: &mut Xml<'_>) -> io::Result<()> {
    let mut figures = vec![
        (
            "time-net",
            ((sample.net() as f64 / 1000.0).round() as i64).to_string(),
        ),
        ("time-revs", sample.revolutions.to_string()),
        ("time-avg", (sample.per_revolution() / 1000.0).to_string()),
        ("time-ns", sample.net().to_string()),
    ];
    if let Some(memory) = sample.memory {
        figures.extend([
            ("mem-peak", memory.peak.to_string()),
            ("mem-real", memory.real.to_string()),
            ("mem-final", memory.r#final.to_string()),
        ]);
    }
    xml.create_element("iteration")
        .with_attributes(figures.iter().map(|(name, value)| (*name, value.as_str())))
        .write_empty()?;
    Ok(())
}

fn parameters(values: &Value, xml: &mut Xml<'_>) -> io::Result<()> {
    match values {
        Value::Object(values) => values
            .iter()
            .try_for_each(|(name, value)| parameter(name, value, xml)),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .try_for_each(|(at, value)| parameter(&at.to_string(), value, xml)),
        _ => xml.write_event(Event::Text(BytesText::new(""))),
    }
}

fn parameter(name: &str, value: &Value, xml: &mut Xml<'_>) -> io::Result<()> {
    let element = xml.create_element("parameter").with_attribute(("name", name));
    let (kind, text) = match value {
        Value::Null => {
            element.with_attribute(("xsi:nil", "true")).write_empty()?;
            return Ok(());
        }
        Value::Array(_) | Value::Object(_) => {
            element
                .with_attribute(("type", "collection"))
                .write_inner_content(|xml| parameters(value, xml))?;
            return Ok(());
        }
        Value::Bool(flag) => ("boolean", if *flag { "1".into() } else { String::new() }),
        Value::Number(number) if number.is_f64() => ("double", number.to_string()),
        Value::Number(number) => ("integer", number.to_string()),
        Value::String(text) => ("string", text.clone()),
    };
    element
        .with_attributes([("value", text.as_str()), ("type", kind)])
        .write_empty()?;
    Ok(())
}
