use super::*;
use serde_json::json;
use std::fs;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn load(folder: &tempfile::TempDir, profile: Option<&str>) -> Result<Settings, Error> {
    Settings::load(folder.path(), None, profile, Vec::new())
}

#[test]
fn json_toml_and_lists_mean_the_same() {
    let json = folder(&[(
        "phpbench.json",
        r#"{"runner.revs": 5, "runner.iterations": [1, 2], "runner.php_config": {"a": true, "extension": ["x", "y"]}}"#,
    )]);
    let toml = folder(&[(
        "phperf.toml",
        "[runner]\nrevs = 5\niterations = [1, 2]\nphp_config = {a = true, extension = ['x', 'y']}\n",
    )]);
    let (json, toml) = (load(&json, None).unwrap(), load(&toml, None).unwrap());
    assert_eq!(json.defaults, toml.defaults);
    assert_eq!(json.defaults.revs, Some(vec![5]));
    assert_eq!(json.php, toml.php);
    assert_eq!(json.php.config.len(), 3);
}

#[test]
fn profiles_and_the_command_line_win_and_say_so() {
    let folder = folder(&[(
        "phpbench.json.dist",
        r#"{"runner.revs": 1, "runner.path": "b", "core.profiles": {"ci": {"runner.revs": 2, "runner.warmup": 3}}}"#,
    )]);
    let given = vec![("given.revs", json!([4]))];
    let settings = Settings::load(folder.path(), None, Some("ci"), given).unwrap();
    assert_eq!(settings.defaults.revs, Some(vec![2]));
    assert_eq!(settings.overrides.revs, Some(vec![4]));
    assert_eq!(settings.paths, [folder.path().join("b")]);
    assert_eq!(
        settings.layers.get("runner.warmup").unwrap().source,
        Source::Profile("ci".into())
    );
    assert_eq!(
        load(&folder, Some("cd")).unwrap_err().to_string(),
        "there is no profile cd; the configuration has: ci"
    );
}

#[test]
fn includes_add_and_the_including_file_wins() {
    let folder = folder(&[
        (
            "phpbench.json",
            r#"{"$include-glob": "*.part.json", "runner.revs": 1, "report.generators": {"a": {}}}"#,
        ),
        (
            "x.part.json",
            r#"{"runner.revs": 9, "runner.warmup": 2, "report.generators": {"a": {"x": 1}, "b": {}}}"#,
        ),
    ]);
    let settings = load(&folder, None).unwrap();
    assert_eq!(settings.defaults.revs, Some(vec![1]));
    assert_eq!(settings.defaults.warmup, Some(vec![2]));
    assert_eq!(settings.reports.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(settings.reports["a"], json!({}));
}

#[test]
fn what_makes_no_sense_is_one_line_with_its_file() {
    for (text, wanted) in [
        ("{", "it is no JSON"),
        ("[]", "one object of settings"),
        (r#"{"runner.revs": "many"}"#, "runner.revs (from"),
        (
            r#"{"runner.output_mode": "sideways"}"#,
            "it has to be time or throughput",
        ),
        (r#"{"runner.isolation": "vm"}"#, "it has to be fork or process"),
        (r#"{"$include": "phpbench.json"}"#, "include each other"),
        (r#"{"$include": "gone.json"}"#, "cannot read"),
    ] {
        let error = load(&folder(&[("phpbench.json", text)]), None)
            .unwrap_err()
            .to_string();
        assert!(error.contains(wanted) && !error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn what_has_no_effect_is_noted() {
    let folder = folder(&[(
        "phpbench.json",
        r#"{"core.extensions": ["A"], "runner.tiem": 1, "console.ansi": true}"#,
    )]);
    let notes = load(&folder, None).unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("core.extensions has no effect"));
    assert!(notes[1].starts_with("runner.tiem is no setting"));
}

#[test]
fn a_profile_says_where_runs_are_kept() {
    let folder = folder(&[(
        "phpbench.json",
        r#"{"storage.url": "postgres://db/bench", "storage.file": "usual.sqlite", "core.profiles": {
            "here": {"storage.file": "here.sqlite"}, "there": {"storage.url": "postgres://other/bench"}, "neither": {}}}"#,
    )]);
    let store = |profile| load(&folder, profile).unwrap().store.unwrap();
    let url = |url: &str| Place::Url(url.into());
    assert_eq!(store(None), url("postgres://db/bench"));
    assert_eq!(store(Some("neither")), url("postgres://db/bench"));
    assert_eq!(store(Some("there")), url("postgres://other/bench"));
    let here = Place::File(folder.path().join("here.sqlite"));
    assert_eq!(store(Some("here")), here);
}
