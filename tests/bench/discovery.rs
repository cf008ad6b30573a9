//! What is found: attributes, annotations, inheritance, providers, filters.

use crate::suite::{Bench, fixture, run_fixture};

#[test]
fn attributes_and_annotations_with_their_inheritance() {
    let bench = run_fixture("discovery", &["--filter", "AttributesBench|AnnotationsBench"]);
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    assert_eq!(
        bench.rows(),
        [
            "benchReplaced × 4 × 2",
            "benchExtended × 4 × 2",
            "benchLines # 0 × 1 × 1",
            "benchLines # 0 × 2 × 1",
            "benchTypo × 4 × 10",
            "benchOrder × 5 × 2",
            "benchProduct × 1 × 1",
            "benchProduct × 10 × 1",
            "benchProduct × 1 × 2",
            "benchProduct × 10 × 2",
            "oddName × 5 × 2",
            "benchInherited × 5 × 2",
        ]
    );
    let (odd, _) = bench
        .variants()
        .find(|(subject, _)| subject["name"] == "oddName")
        .unwrap();
    assert_eq!(odd["display"]["unit"], "milliseconds");
    assert_eq!(
        (&odd["display"]["precision"], &odd["display"]["throughput"]),
        (&2.into(), &true.into())
    );
    assert_eq!(
        bench.variant("benchExtended")["assertions"][0]["verdict"],
        "passed"
    );
    let notes = bench.suite["notes"].to_string();
    assert!(
        notes.contains("@Iterationz is ignored; @Iterations is meant?"),
        "{notes}"
    );
    assert!(bench.ran.stderr.contains("1 skipped"), "{}", bench.ran.stderr);
}

#[test]
fn providers_and_their_product() {
    let bench = run_fixture("discovery", &["--filter", "ProvidersBench"]);
    let sets: Vec<_> = bench
        .variants()
        .map(|(_, variant)| variant["set"].as_str().unwrap())
        .collect();
    assert_eq!(
        sets,
        [
            "one,bytes",
            "two,bytes",
            "one,object",
            "two,object",
            "0",
            "1",
            "2"
        ]
    );
    assert!(
        bench
            .variants()
            .all(|(_, variant)| variant["outcome"].get("measured").is_some()),
        "{}",
        bench.ran.stderr
    );
    assert_eq!(bench.failure("benchNothing"), "the provider nothing gives no set");
    assert_eq!(
        bench.failure("benchMissing"),
        "there is no provider missing in Suite\\ProvidersBench"
    );
    assert!(
        bench
            .failure("benchFails")
            .starts_with("RuntimeException: no data")
    );
    assert_eq!(bench.ran.code, 1);
}

#[test]
fn filters_groups_variants_and_parameters() {
    let names = |arguments: &[&str]| run_fixture("discovery", arguments).rows();
    assert_eq!(names(&["--group", "order"]), ["benchOrder × 5 × 2"]);
    assert_eq!(names(&["--filter", "Attr.*::odd"]), ["oddName × 5 × 2"]);
    assert_eq!(
        names(&["--variant", "^two,b"]),
        ["benchProduct # two,bytes × 1 × 1"]
    );
    assert_eq!(
        names(&[
            "--filter",
            "::benchFunction",
            "--parameters",
            r#"{"x": [1]}"#,
            "--revs",
            "2",
            "--revs",
            "3"
        ]),
        ["benchFunction # 0 × 2 × 1", "benchFunction # 0 × 3 × 1"]
    );
    let bench = run_fixture("discovery", &["--filter", "("]);
    assert!(
        bench.ran.stderr.contains("is no regular expression"),
        "{}",
        bench.ran.stderr
    );
}

#[test]
fn annotations_or_attributes_can_be_left_unread() {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!(
        r#"{{"runner.path": {:?}, "runner.annotations": false, "runner.iterations": 1, "runner.revs": 7}}"#,
        fixture("discovery/AnnotationsBench.php")
    );
    std::fs::write(folder.path().join("phpbench.json"), settings).unwrap();
    let bench = Bench::run_in(folder.path(), ["--filter", "Typo"]);
    assert_eq!(bench.rows(), ["benchTypo × 7 × 1"]);
}
