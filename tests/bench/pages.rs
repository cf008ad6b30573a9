//! Pages in a browser: they draw at any width, light and dark, sort, and names stay text.

use crate::{
    chromium::{Browser, Picture, strings},
    compare::repository,
    support::{Ran, phperf},
};
use serde_json::json;
use std::{fs, path::Path};

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let ran: Ran = phperf(["bench"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .into();
    assert!(ran.code == 0, "{}", ran.stderr);
    ran
}

/// A run with a history: two revisions, the second with opcache and with a file that was changed since.
fn page_with_history(folder: &Path) -> String {
    let quick = [".", "--iterations", "12", "--revs", "50", "-q", "--store"];
    run(folder, &[&["run"][..], &quick, &["--opcache", "off"]].concat());
    run(folder, &[&["run"][..], &quick, &["--opcache", "off"]].concat());
    fs::write(folder.join("rounds"), "60").unwrap();
    run(
        folder,
        &[&["run"][..], &quick, &["--opcache", "on", "--html", "run.html"]].concat(),
    );
    run(folder, &["show", "3", "-o", "shown.html"]);
    let page = fs::read_to_string(folder.join("run.html")).unwrap();
    assert_eq!(page, fs::read_to_string(folder.join("shown.html")).unwrap());
    page
}

const PROBE: &str = "
    const all = selector => [...document.querySelectorAll(selector)];
    const text = element => element.textContent;
    const dots = selector => all(selector).map(path => (path.getAttribute('d').match(/h0/g) ?? []).length).reduce((a, b) => a + b, 0);
";

#[test]
fn a_run_draws_its_samples_and_its_history() {
    let Some(mut browser) = Browser::find() else {
        return;
    };
    let repository = repository();
    let page = page_with_history(repository.path());
    let probe = format!(
        "{PROBE} return {{
            dots: dots('.card .dots'), cards: all('.card').length, rows: all('table.sort tbody tr').length,
            points: all('.card:first-of-type .history .point').length, hollow: all('.card:first-of-type .history .hollow').length,
            breaks: all('.card:first-of-type .break title').map(text),
            labels: all('.card:first-of-type .plot .tick').map(text), sparks: all('.spark').length,
            overflow: document.documentElement.scrollWidth - innerWidth,
            wide: all('.card svg').map(svg => svg.getBoundingClientRect().width / innerWidth),
        }};"
    );
    let found = browser.ask(&page, &probe);
    let cards = found["cards"].as_u64().unwrap();
    assert!(cards >= 3, "{found}");
    assert_eq!(
        (&found["rows"], &found["sparks"]),
        (&cards.into(), &cards.into()),
        "{found}"
    );
    assert_eq!(found["dots"], cards * 12, "every sample is a dot: {found}");
    assert_eq!(
        (&found["points"], &found["hollow"]),
        (&3.into(), &1.into()),
        "{found}"
    );
    assert_eq!(
        found["breaks"],
        json!(["opcache enabled was false, is true"]),
        "{found}"
    );
    let labels = found["labels"].as_array().unwrap();
    assert!(
        labels.len() == 3 && labels[2].as_str().unwrap().ends_with('*'),
        "{found}"
    );

    let file = repository.path().join("run.html");
    let of_colour = |picture: &Picture, wanted: [u8; 3]| picture.longest(|pixel| pixel == wanted);
    let light = browser.screenshot(&file);
    assert!(of_colour(&light, [255, 255, 255]) > light.width * 9 / 10);
    assert!(of_colour(&light, [0x25, 0x63, 0xc9]) > 5, "marks");
    browser.flags = vec![
        "--window-size=500,900".into(),
        "--blink-settings=preferredColorScheme=0".into(),
    ];
    let dark = browser.screenshot(&file);
    assert!(of_colour(&dark, [0x14, 0x17, 0x1b]) > dark.width * 9 / 10);
    assert!(of_colour(&dark, [0x6e, 0xa8, 0xff]) > 5, "marks");
    let narrow = browser.ask(&page, &probe);
    assert!(narrow["overflow"].as_i64().unwrap() <= 0, "{narrow}");
    assert!(
        narrow["wide"]
            .as_array()
            .unwrap()
            .iter()
            .all(|share| share.as_f64().unwrap() > 0.5),
        "{narrow}"
    );
}

#[test]
fn a_click_on_a_column_sorts_and_another_one_turns_it_round() {
    let Some(browser) = Browser::find() else { return };
    let repository = repository();
    let page = page_with_history(repository.path());
    let found = browser.ask(
        &page,
        &format!(
            "{PROBE}
            const heads = all('table.sort th');
            const column = at => all('table.sort tbody tr').map(row => row.cells[at].dataset.value ?? row.cells[at].textContent);
            const medians = () => column(1).map(Number);
            const start = medians();
            heads[1].click();
            const up = medians();
            heads[1].click();
            const down = medians();
            heads[0].click();
            return {{ start, up, down, names: column(0), sorted: heads[0].ariaSort }};"
        ),
    );
    let numbers = |name: &str| -> Vec<f64> {
        found[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap())
            .collect()
    };
    assert!(numbers("start").is_sorted_by(|a, b| a >= b), "{found}");
    assert!(
        numbers("up").is_sorted() && numbers("down").is_sorted_by(|a, b| a >= b),
        "{found}"
    );
    let names = strings(&found["names"]);
    assert!(names.is_sorted() && found["sorted"] == "ascending", "{found}");
}

#[test]
fn a_comparison_shows_each_ratio_and_both_sides() {
    let Some(browser) = Browser::find() else { return };
    let repository = repository();
    let folder = repository.path();
    fs::write(
        folder.join("OddBench.php"),
        "<?php class OddBench { function benchThrows() { throw new Exception('no'); } }",
    )
    .unwrap();
    let ini = ["--php-config", r#"{"precision": 14}"#];
    let ran: Ran = phperf([
        "bench",
        "compare",
        ".",
        "--pairs",
        "10",
        "--revs",
        "50",
        "-q",
        "--html",
        "compare.html",
    ])
    .args(ini)
    .args(ini)
    .current_dir(folder)
    .output()
    .unwrap()
    .into();
    assert_eq!(ran.code, 1, "one has no answer: {}", ran.stderr);
    let page = fs::read_to_string(folder.join("compare.html")).unwrap();
    let found = browser.ask(
        &page,
        &format!(
            "{PROBE}
            const rows = () => all('tbody tr');
            const found = {{
                verdicts: rows().map(row => row.cells[1].textContent), marks: all('tbody .ratio .dot').length,
                one: all('tbody .one').map(one => one.style.left),
                strips: all('.card').map(card => card.querySelectorAll('.strip').length), mean: all('.mean .dot').length,
            }};
            for (const head of all('table.sort th')) head.click();
            all('table.sort th')[3].click();
            return {{
                ...found, sorted: rows().map(row => row.cells[3]?.dataset.value ?? null), after: rows().length,
            }};"
        ),
    );
    let verdicts = strings(&found["verdicts"]);
    let (failed, told): (Vec<&str>, Vec<&str>) = verdicts.iter().partition(|verdict| **verdict == "failed");
    let known = ["faster", "slower", "same", "inconclusive"];
    assert!(
        failed.len() == 1 && told.len() >= 3 && told.iter().all(|one| known.contains(one)),
        "{found}"
    );
    assert_eq!(
        (&found["marks"], &found["after"]),
        (&told.len().into(), &verdicts.len().into()),
        "{found}"
    );
    assert!(
        found["one"]
            .as_array()
            .unwrap()
            .iter()
            .all(|place| place == "50%"),
        "{found}"
    );
    assert!(
        found["strips"]
            .as_array()
            .unwrap()
            .iter()
            .all(|strips| strips == 2),
        "{found}"
    );
    assert_eq!(found["mean"], 1, "{found}");
    let sorted = found["sorted"].as_array().unwrap();
    assert!(sorted[0].is_null(), "what has no ratio comes first: {found}");
    let ratios: Vec<f64> = sorted[1..]
        .iter()
        .map(|ratio| ratio.as_str().unwrap().parse().unwrap())
        .collect();
    assert!(ratios.is_sorted(), "{found}");
}

#[test]
fn names_that_are_markup_stay_text() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let attack =
        "</style></script><script>document.title = 1</script><img src=x onerror=document.title=2>\"'&lt;";
    // So that it is no part of PHP's syntax.
    let hex: Vec<String> = attack.bytes().map(|byte| format!("{byte:02x}")).collect();
    let code = format!(
        "<?php class OddBench {{
            /** @ParamProviders({{\"sets\"}}) @Groups({{\"<i>\"}}) */
            function benchOdd($p) {{ if ($p['n'] > 1) {{ throw new Exception($p['text']); }} }}
            function sets() {{ $text = hex2bin('{}'); yield $text => ['n' => 1, 'text' => $text]; yield \"$text 2\" => ['n' => 2, 'text' => $text]; }}
        }}",
        hex.concat()
    );
    fs::write(folder.path().join("OddBench.php"), code).unwrap();
    let ran: Ran = phperf([
        "bench", "run", ".", "-q", "--revs", "1", "--tag", attack, "--html", "odd.html",
    ])
    .current_dir(folder.path())
    .output()
    .unwrap()
    .into();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let page = fs::read_to_string(folder.path().join("odd.html")).unwrap();
    let found = browser.ask(
        &page,
        &format!(
            "{PROBE} return {{
                title: document.title, heading: text(all('h1')[0]), scripts: all('script').length, images: all('img').length,
                names: all('.card h3').map(text), failed: all('.card .failed').map(text), styles: all('style').length,
                handlers: all('*').flatMap(element => [...element.attributes]).filter(one => one.name.startsWith('on')).length,
            }};"
        ),
    );
    assert_eq!(
        (&found["title"], &found["heading"]),
        (&attack.into(), &attack.into()),
        "{found}"
    );
    assert_eq!(found["scripts"], 2, "the page's and the test's: {found}");
    assert_eq!(
        (&found["images"], &found["handlers"], &found["styles"]),
        (&0.into(), &0.into(), &1.into()),
        "{found}"
    );
    let names = found["names"].as_array().unwrap();
    assert!(
        names.len() == 2 && names[0].as_str().unwrap().ends_with(attack),
        "{found}"
    );
    assert!(found["failed"][0].as_str().unwrap().contains(attack), "{found}");
}
