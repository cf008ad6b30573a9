//! `phperf report`, from every format that `record` writes.

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
}
