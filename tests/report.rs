//! `phperf report`, `diff` and `convert`, from every format that `record` writes.

mod support;

use support::{Recording, number, run, running};

#[test]
fn every_format_is_read_back_to_the_same_report() {
    let target = running("framework.php");
    let pid = target.pid().to_string();
    for ending in ["svg", "pb.gz", "folded", "speedscope.json", "phpspy", "phpspy1"] {
        let recording = Recording::take(ending, ["-p", &pid, "-l", "400", "-H", "999"]);
        let file = recording.profile.display().to_string();
        let ran = run(["report", &file, "--format", "json"]);
        assert_eq!(ran.code, 0, "{ending}: {}", ran.stderr);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(number(&report, "samples"), 400, "{ending}: {report}");
        let functions = report["functions"].as_array().unwrap();
        let main = functions
            .iter()
            .find(|function| function["name"] == "<main>")
            .unwrap();
        assert_eq!(number(main, "total"), 400, "{ending}: {main}");
        let own: u64 = functions.iter().map(|function| number(function, "self")).sum();
        assert_eq!(own, 400, "{ending}");
        let text = run(["report", &file]).stdout;
        assert!(text.contains("json_encode"), "{ending}: {text}");
    }
}

#[test]
fn labels_select() {
    let one = running("framework.php");
    let other = running("synthetic.php");
    let pids = [one.pid().to_string(), other.pid().to_string()];
    let recording = Recording::take("pb.gz", ["-p", &pids[0], "-p", &pids[1], "-d", "2", "-H", "499"]);
    let file = recording.profile.display().to_string();
    let focused = |label: &str| -> serde_json::Value {
        let ran = run(["report", &file, "--format", "json", "--focus", label]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let has = |report: &serde_json::Value, name: &str| {
        report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|function| function["name"] == name)
    };
    let report = focused(&format!("pid={}", pids[0]));
    assert!(has(&report, "json_encode") && !has(&report, "usleep"), "{report}");
    let report = focused("state=blocked");
    assert!(has(&report, "usleep") && !has(&report, "json_encode"), "{report}");
    let report = focused(&format!("pid~^({})$", pids[1]));
    assert!(has(&report, "usleep") && !has(&report, "json_encode"), "{report}");

    let ran = run(["report", &file, "--format", "json", "--by", "pid"]);
    let parted: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let groups = parted["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2, "{parted}");
    let samples: u64 = groups.iter().map(|group| number(group, "samples")).sum();
    assert_eq!(samples, number(&parted, "samples"));
    for group in groups {
        let is_other = group["value"] == pids[1].as_str();
        assert_eq!(has(group, "usleep"), is_other, "{parted}");
    }
    let text = run(["report", &file, "--by", "state"]).stdout;
    assert!(text.contains("state, and its hottest function"), "{text}");
    let ran = run(["report", &file, "--by", "uri"]);
    support::assert_says(
        &ran,
        2,
        &["does not tell the uri of its samples; record with --request"],
    );
    let ran = run(["report", &file, "--by", "url"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("the labels are pid, thread"),
        "{}",
        ran.stderr
    );
}

/// A function of a comparison.
fn change<'a>(diff: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let functions = diff["functions"].as_array().unwrap();
    functions
        .iter()
        .find(|function| function["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {diff}"))
}

#[test]
fn a_change_is_seen_across_formats_and_rates() {
    let one = running("framework.php");
    let before = Recording::of(&one, "pb.gz", "-l 500 -H 499");
    drop(one);
    let folder = tempfile::tempdir().unwrap();
    let other = support::script(
        folder.path(),
        "<?php function slow() { for ($i = 0; $i < 1e5; $i++) { md5('x'); } } echo \"ready\\n\"; while (true) { slow(); }",
    );
    let after = Recording::of(&other, "svg", "-l 500 -H 999");
    drop(other);
    let [a, b] = [&before, &after].map(|recording| recording.profile.display().to_string());
    for by in ["samples", "time"] {
        let ran = run(["diff", &a, &b, "--format", "json", "--by", by]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let diff: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(diff["by"], by);
        assert!(diff["notes"][0].as_str().unwrap().contains("499 Hz"), "{diff}");
        let (came, went) = (
            &change(&diff, "slow")["total"],
            &change(&diff, "json_encode")["self"],
        );
        assert_eq!((number(came, "a"), number(went, "b")), (0, 0), "{diff}");
        assert!(came["difference"].as_f64().unwrap() > 0.5, "{diff}");
        assert!(went["difference"].as_f64().unwrap() < -0.05, "{diff}");
    }
    let picture = folder.path().join("diff.svg").display().to_string();
    let ran = run(["diff", &a, &b, "-o", &picture, "-n", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("shares of all samples of each"),
        "{}",
        ran.stdout
    );
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("<title>slow ") && !svg.contains("<title>json_encode "));
    let ran = run(["report", &picture]);
    support::assert_says(&ran, 1, &["this SVG carries no profile"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (a, empty) = (
        file("a.folded", "<main>;b 3\n"),
        file("empty.folded", "<main> 0\n"),
    );
    let says = |arguments: &[&str], code, words: &[&str]| {
        let ran = run([&["diff"], arguments].concat());
        support::assert_says(&ran, code, words);
    };
    says(&[&a, "/no/such/file"], 1, &["cannot read /no/such/file"]);
    says(&[&a, &empty], 2, &["B has no samples"]);
    says(
        &[&a, &a, "--by", "time"],
        2,
        &["A, a folded file", "compare by samples"],
    );
    says(
        &[&a, &a, "--focus", "pid=1"],
        2,
        &["a.folded: this folded file does not tell the pid"],
    );
    says(&[&a, &a, "-o", "x.png"], 2, &["x.png", "ends in .svg"]);
    let picture = folder.path().join("no/x.svg").display().to_string();
    says(&[&a, &a, "-o", &picture], 1, &["cannot write", "-o"]);
}

#[test]
fn a_converted_profile_gives_the_same_report() {
    let target = running("synthetic.php");
    let recording = Recording::of(&target, "pb.gz", "-l 400 -H 999");
    drop(target);
    let file = recording.profile.display().to_string();
    let functions = |file: &str| -> Vec<(String, u64, u64)> {
        let ran = run(["report", file, "--format", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let functions = report["functions"].as_array().unwrap().iter();
        let row = |function: &serde_json::Value| {
            let name = function["name"].as_str().unwrap().to_owned();
            (name, number(function, "self"), number(function, "total"))
        };
        functions.map(row).collect()
    };
    let expected = functions(&file);
    assert!(expected.iter().any(|(name, ..)| name == "usleep"), "{expected:?}");
    let losses = [
        ("svg", Some("current lines")),
        ("speedscope.json", Some("current lines")),
        ("phpspy", Some("where functions begin, rate, duration and notes")),
        ("phpspy1", Some("where functions begin, rate, duration and notes")),
        ("folded", Some("process and thread, whether it waited, files")),
        ("pb.gz", None),
    ];
    for (ending, lost) in losses {
        let converted = recording.folder.path().join(format!("converted.{ending}"));
        let converted = converted.display().to_string();
        let ran = run(["convert", &file, "-o", &converted]);
        assert_eq!(ran.code, 0, "{ending}: {}", ran.stderr);
        let told = ran.stderr.lines().find(|line| line.starts_with("phperf: "));
        assert_eq!(told.is_some(), lost.is_some(), "{ending}: {told:?}");
        assert!(
            told.unwrap_or_default().contains(lost.unwrap_or_default()),
            "{ending}: {told:?}"
        );
        assert_eq!(functions(&converted), expected, "{ending}");
    }
    for name in ["callgrind", "otlp"] {
        let converted = recording.folder.path().join(format!("converted.{name}"));
        let converted = converted.display().to_string();
        assert_eq!(run(["convert", &file, "-o", &converted]).code, 0);
        support::assert_says(&run(["report", &converted]), 1, &[name, "cannot be read back"]);
    }
    let ran = run(["convert", &file, "-o", "-", "-f", "folded", "--ignore", "usleep"]);
    let left: u64 = ran
        .stdout
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
        .sum();
    let slept = expected.iter().find(|(name, ..)| name == "usleep").unwrap().2;
    assert_eq!(left, 400 - slept, "{}", ran.stdout);
    support::assert_says(
        &run(["convert", &file, "-o", "x.y"]),
        2,
        &["cannot tell the format", ".callgrind"],
    );
}

#[test]
fn a_filter_keeps_what_it_should_wherever_it_is_given() {
    let target = running("framework.php");
    let recording = Recording::of(
        &target,
        "folded",
        "-l 400 -H 999 --function Repository::find$ --ignore ucfirst",
    );
    assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
    let stacks = recording.stacks();
    assert!(!stacks.is_empty());
    for (stack, _) in &stacks {
        assert!(
            stack.contains("Repository::find") && !stack.contains("ucfirst"),
            "{stack}"
        );
    }
    let kept: u64 = stacks.iter().map(|(_, count)| count).sum();
    assert_eq!(recording.total("taken"), 400, "the account is of all");
    let notes = recording.account["notes"].to_string();
    assert!(
        notes.contains(&format!("filter: {kept} of 400 samples")),
        "{notes}"
    );

    let all = Recording::of(&target, "pb.gz", "-l 400 -H 999");
    drop(target);
    let file = all.profile.display().to_string();
    let samples = |arguments: &[&str]| {
        let ran = run([&["report", &file, "--format", "json"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        number(&serde_json::from_str(&ran.stdout).unwrap(), "samples")
    };
    let [with, without] =
        [["--function", "^json_encode$"], ["--ignore", "^json_encode$"]].map(|filter| samples(&filter));
    assert!(
        with > 0 && without > 0 && with + without == 400,
        "{with} {without}"
    );
    assert_eq!(samples(&["--file", r"framework\.php$"]), 400);
    let refuses = |arguments: &[&str], words: &[&str]| {
        let ran = run([&["report", &file], arguments].concat());
        support::assert_says(&ran, 2, words);
    };
    refuses(
        &["--function", "a("],
        &["--function \"a(\" is no regular expression"],
    );
    refuses(&["--file", "nowhere"], &["no sample is left of --file 'nowhere'"]);
}
