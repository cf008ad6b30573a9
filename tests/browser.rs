//! The flame graph in a browser: it draws, a click zooms, a search highlights, and names stay text.
//!
//! Without Chromium these tests are skipped, and say so; with `PHPERF_REQUIRE_TOOLS` set they fail.

#[path = "support/chromium.rs"]
mod chromium;
mod support;

use chromium::{Browser, strings};
use serde_json::Value;
use std::fs;
use support::{Recording, cli, running};

/// Helpers for probes, by the names that inferno's script uses where it has one.
const HELPERS: &str = "
    const groups = () => [...document.getElementById('frames').children];
    const name = group => group.querySelector('title').textContent;
    const rect = group => group.querySelector('rect');
    const width = group => parseFloat(rect(group).getAttribute('width'));
    const hidden = element => getComputedStyle(element).display === 'none';
    const click = element => element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    const byId = id => document.getElementById(id);
";

/// The WordPress-like workload, for some hundred samples. On a machine with many others to serve these may be one
/// long wait for a CPU: then again.
fn wordpress() -> Recording {
    let target = running("wordpress.php");
    let mut recordings = (0..10).map(|_| {
        let recording = Recording::of(&target, "svg", "-l 400 -H 999");
        assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
        recording
    });
    recordings
        .find(|recording| recording.text().contains("<title>ksort "))
        .expect("one in ten recordings shows ksort")
}

#[test]
fn a_recording_draws() {
    let Some(browser) = Browser::find() else { return };
    let recording = wordpress();

    let dom = browser.dom(&recording.profile);
    assert!(
        !dom.contains("parsererror"),
        "the browser takes it for broken: {dom}"
    );
    let boxes = dom.matches("<title>").count();
    assert!(boxes > 5, "{boxes} boxes: {dom}");
    // The picture's script made it as wide as the window.
    let head = dom.split_once("<svg ").unwrap().1.split_once('>').unwrap().0;
    assert!(!head.contains(" width="), "{head}");

    let picture = browser.screenshot(&recording.profile);
    let all = picture.longest(|pixel| pixel == [232, 232, 236]);
    assert!(
        all > picture.width * 9 / 10,
        "the lowest box is {all} pixels wide"
    );
    let php = picture.longest(|[red, green, blue]| {
        (140..=186).contains(&red) && (148..=192).contains(&green) && (212..=238).contains(&blue)
    });
    assert!(
        php > picture.width / 2,
        "{php} pixels of a row are in the colour of PHP code"
    );
    let ink = picture.longest(|pixel| pixel == [0, 0, 0]);
    assert!(ink > 20, "{ink} pixels of text");
}

#[test]
fn a_click_zooms_and_another_one_goes_back() {
    let Some(browser) = Browser::find() else { return };
    let svg = wordpress().text();
    let found = browser.ask(
        &svg,
        &format!(
            "{HELPERS}
            const ksort = groups().filter(group => name(group).startsWith('ksort ')).sort((a, b) => width(b) - width(a))[0];
            const all = groups().find(group => name(group).startsWith('all '));
            const before = {{ width: width(ksort), hidden: groups().filter(hidden).length, unzoom: !hidden(byId('unzoom')) }};
            click(rect(ksort));
            const zoomed = {{
                width: width(ksort), hidden: groups().filter(hidden).length, unzoom: !hidden(byId('unzoom')),
                all: width(all), isParent: all.classList.contains('parent'), label: ksort.querySelector('text').textContent,
            }};
            click(byId('unzoom'));
            const after = {{ width: width(ksort), hidden: groups().filter(hidden).length, unzoom: !hidden(byId('unzoom')) }};
            return {{ before, zoomed, after, boxes: groups().length }};"
        ),
    );
    let (before, zoomed, boxes) = (&found["before"], &found["zoomed"], &found["boxes"]);
    assert!(before["width"].as_f64().unwrap() < 60.0, "{found}");
    assert_eq!(before["hidden"], 0, "{found}");
    assert_eq!(before["unzoom"], false, "{found}");
    assert_eq!(zoomed["width"], 100.0, "{found}");
    assert_eq!(zoomed["all"], 100.0, "{found}");
    assert_eq!(zoomed["isParent"], true, "{found}");
    assert_eq!(zoomed["unzoom"], true, "{found}");
    assert!(
        zoomed["label"].as_str().unwrap().starts_with("ksort"),
        "the label has room now: {found}"
    );
    assert!(
        zoomed["hidden"].as_u64().unwrap() > 0 && zoomed["hidden"].as_u64() < boxes.as_u64(),
        "{found}"
    );
    assert_eq!(&found["after"], before, "{found}");
}

#[test]
fn a_search_highlights_what_matches() {
    let Some(browser) = Browser::find() else { return };
    let svg = wordpress().text();
    let found = browser.ask(
        &svg,
        &format!(
            "{HELPERS}
            const pattern = '^WP_Hook::|^ksort ';
            const lit = () => groups().filter(group => rect(group).getAttribute('fill') === searchcolor);
            const state = () => ({{
                lit: lit().length, wrong: lit().filter(group => !name(group).match(pattern)).map(name),
                matched: hidden(byId('matched')) ? '' : byId('matched').textContent, button: byId('search').textContent,
            }});
            const should = groups().filter(group => name(group).match(pattern)).length;
            const before = state();
            window.prompt = () => pattern;
            click(byId('search'));
            const searched = state();
            click(byId('search'));
            return {{ should, before, searched, after: state(), boxes: groups().length }};"
        ),
    );
    let (should, searched) = (&found["should"], &found["searched"]);
    assert!(
        should.as_u64().unwrap() >= 2 && should.as_u64() < found["boxes"].as_u64(),
        "{found}"
    );
    assert_eq!(&searched["lit"], should, "{found}");
    assert_eq!(searched["wrong"], serde_json::json!([]), "{found}");
    assert!(
        searched["matched"].as_str().unwrap().starts_with("Matched: "),
        "{found}"
    );
    assert_eq!(searched["button"], "Reset Search", "{found}");
    assert_eq!(found["before"]["lit"], 0, "{found}");
    assert_eq!(found["after"]["lit"], 0, "{found}");
    assert_eq!(found["after"]["matched"], "", "{found}");
}

/// Markup wherever it is not escaped, in the folders and the name of a script.
const HOSTILE_PATH: &str = r#"]]></metadata><script>document.documentElement.setAttribute('class','attacked')</script><image href="x" onerror="document.documentElement.setAttribute('class','attacked')"> &lt;&amp; <a>.php"#;

/// Closures and anonymous classes have their file in their names, and a function may have nearly any bytes in its own.
const HOSTILE: &[u8] = b"<?php
if (!isset($spin)) {
    eval('function h\xc3\xa9\xff\xfe\x80lo() { $end = hrtime(true) + 5000000; while (hrtime(true) < $end) { md5(\"x\"); } }');
    $spin = \"h\xc3\xa9\xff\xfe\x80lo\";
    echo \"ready\\n\";
    while (true) { include __FILE__; }
}
$spin();
$closure = function () use ($spin) { $spin(); };
$closure();
$object = new class { function run($spin) { $spin(); } };
$object->run($spin);
";

#[test]
fn names_that_are_markup_stay_text() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(HOSTILE_PATH);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, HOSTILE).unwrap();
    let target = php::Launch::new(&cli(), &file).ready().unwrap();
    let recording = Recording::of(&target, "svg", "-l 200 -H 999");
    assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);

    let found = browser.ask(
        &recording.text(),
        &format!(
            "{HELPERS}
            const elements = [...document.querySelectorAll('*')];
            const count = {{}};
            for (const element of elements) count[element.localName] = (count[element.localName] ?? 0) + 1;
            const handlers = elements.flatMap(element => [...element.attributes])
                .filter(attribute => attribute.name.startsWith('on')).map(attribute => attribute.value);
            return {{
                count, handlers, attacked: document.documentElement.getAttribute('class'), names: groups().map(name),
                title: byId('title').textContent, metadata: byId('phperf').textContent,
            }};"
        ),
    );
    assert_eq!(found["attacked"], Value::Null, "{found}");
    assert_eq!(
        found["count"]["script"], 2,
        "the picture's and the test's: {found}"
    );
    assert_eq!(found["handlers"], serde_json::json!(["init(evt)"]), "{found}");
    for element in ["image", "a"] {
        assert_eq!(found["count"][element], Value::Null, "{found}");
    }
    // As in folded text, where it would part two frames.
    let path = file.display().to_string().replace(';', "%3B");
    let names = strings(&found["names"]);
    for name in [format!("include {path} "), format!("{{closure:{path}:")] {
        assert!(
            names.iter().any(|shown| shown.starts_with(&name)),
            "no {name} in {names:#?}"
        );
    }
    assert!(
        names.iter().any(|shown| shown.starts_with("h\u{e9}")),
        "{names:#?}"
    );
    assert!(found["title"].as_str().unwrap().contains("<script>"), "{found}");
    assert!(found["metadata"].as_str().unwrap().contains(&path), "{found}");
}
