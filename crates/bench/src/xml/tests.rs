use super::*;
use crate::model::{Metric, Outcome, Suite};
use proptest::prelude::*;

const THEIRS: &str = r#"<?xml version="1.0"?>
<phpbench xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1.7.0">
  <suite tag="mine" context="mine" date="2026-11-22T01:37:36+02:00" config-path="" uuid="13529021">
    <env>
      <php><value name="version" type="string">8.2.36</value><value name="xdebug" type="boolean"></value></php>
      <unix-sysload><value name="l1" type="double">4.7</value></unix-sysload>
    </env>
    <benchmark class="\App\LeafBench">
      <subject name="benchOwn">
        <executor name="remote"/>
        <group name="a"/>
        <variant sleep="0" output-time-unit="milliseconds" output-time-precision="2" output-mode="throughput" revs="3" warmup="1" retry-threshold="">
          <parameter-set name="one,&lt;two&gt;">
            <parameter name="n" value="1" type="integer"/><parameter name="f" value="1.5" type="double"/>
            <parameter name="no" xsi:nil="true"/>
            <parameter name="deep" type="collection"><parameter name="0" value="x" type="string"/></parameter>
          </parameter-set>
          <iteration time-net="3" time-revs="3" time-avg="1" mem-peak="461520" mem-real="2097152" mem-final="405600" comp-z-value="0"/>
          <iteration time-net="6" time-revs="3" time-avg="2" mem-peak="461520" mem-real="2097152" mem-final="405600" comp-z-value="0"/>
        </variant>
        <variant revs="1" warmup="0"><parameter-set name="bad"/><errors><error code="0">it threw</error></errors></variant>
      </subject>
    </benchmark>
    <result key="time" class="PhpBench\Model\Result\TimeResult"/>
  </suite>
</phpbench>"#;

fn written(suite: &Suite) -> String {
    let mut out = Vec::new();
    assert_eq!(write(suite, &mut out).unwrap(), 0);
    String::from_utf8(out).unwrap()
}

#[test]
fn what_phpbench_wrote_is_read_and_comes_back_as_it_was() {
    let suites = read(THEIRS).unwrap();
    let suite = &suites[0];
    // Two hours east of Greenwich.
    assert_eq!(
        (suite.tag.as_deref(), suite.started),
        (Some("mine"), 1_795_304_256)
    );
    let (class, subject, variant) = suite.variants().next().unwrap();
    assert_eq!(
        (class.name.as_str(), subject.name.as_str(), subject.metric),
        ("App\\LeafBench", "benchOwn", Metric::Time)
    );
    assert_eq!(
        (subject.display.precision, subject.display.throughput),
        (Some(2), true)
    );
    assert_eq!((variant.revolutions, variant.warmup), (3, 1));
    assert_eq!(
        variant.parameters,
        serde_json::json!({"n": 1, "f": 1.5, "no": null, "deep": {"0": "x"}})
    );
    let measurement = variant.measurement().unwrap();
    assert!((measurement.summary.median - 1500.0).abs() < 1e-9);
    assert_eq!(measurement.samples[0].memory.unwrap().peak, 461_520);
    let (_, _, bad) = suite.variants().nth(1).unwrap();
    assert!(matches!(&bad.outcome, Outcome::Failed(failure) if failure.message == "it threw"));
    assert_eq!(
        suite.environment.groups[0].values[1],
        ("xdebug".into(), "false".into())
    );
    assert_eq!(suite.environment.groups[1].name, "unix_sysload");
    let mut again = read(&written(suite)).unwrap();
    // It cannot know whose figures they were.
    assert!(suite.notes[0].starts_with("imported from PHPBench's XML"));
    assert!(again[0].notes[0].starts_with("imported from XML that phperf wrote"));
    again[0].notes.clone_from(&suite.notes);
    assert_eq!(again, suites);
}

#[test]
fn what_makes_no_sense_is_one_line() {
    for (text, why) in [
        ("", "it is no XML: "),
        ("<a/>", "its outermost element is a"),
        ("<phpbench><suite/></phpbench>", "line 1: suite has no date"),
        (
            "<phpbench><suite date='soon'/></phpbench>",
            "date is \"soon\", and no date",
        ),
        (
            &THEIRS.replace("time-net=\"3\"", "time-net=\"x\""),
            "line 18: time-net is \"x\"",
        ),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains('\n'), "{error}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(at in 0..THEIRS.len(), length in 0..40_usize, text in "[ -~]{0,8}") {
        let end = (at + length).min(THEIRS.len());
        let _ = read(&format!("{}{text}{}", &THEIRS[..at], &THEIRS[end..]));
    }
}
