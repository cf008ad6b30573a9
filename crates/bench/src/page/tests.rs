use super::*;
use crate::{
    model::{Failure, Outcome},
    testing::suite,
};

fn written(page: &Page) -> String {
    let mut out = Vec::new();
    write(page, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Of a run that is not kept.
fn alone(suite: &Suite) -> String {
    written(&Page {
        run: Entry { id: None, suite },
        others: &[],
        left_out: 0,
    })
}

const ATTACK: &str =
    "</style></script><script>document.title='attacked'</script><img src=x onerror=alert(1)>\"'";

/// Every text of it is an attack.
fn hostile() -> Suite {
    let attack = || ATTACK.to_owned();
    let failure = || {
        Some(Failure {
            message: attack(),
            detail: Some(attack()),
        })
    };
    let mut suite = suite();
    suite.tag = Some(attack());
    suite.notes = vec![attack()];
    let names = ["version", "branch", "subject", "date", "changed"];
    suite.environment.groups = vec![
        crate::model::EnvironmentGroup {
            name: "vcs".into(),
            values: names.map(|name| (name.to_owned(), attack())).to_vec(),
        },
        crate::model::EnvironmentGroup {
            name: attack(),
            values: vec![(attack(), attack())],
        },
    ];
    let groups = [("php", "version"), ("uname", "host")];
    suite
        .environment
        .groups
        .extend(groups.map(|(name, key)| crate::model::EnvironmentGroup {
            name: name.into(),
            values: vec![(key.to_owned(), attack())],
        }));
    let class = &mut suite.classes[0];
    class.name = attack();
    class.file = ATTACK.into();
    let subject = &mut class.subjects[0];
    subject.name = attack();
    subject.groups = vec![attack()];
    subject.executor = attack();
    subject.display.unit = Some(attack());
    for variant in &mut subject.variants {
        variant.set = attack();
        variant.parameters = serde_json::json!({ ATTACK: ATTACK });
        variant.assertions = vec![crate::model::Assertion {
            expression: attack(),
            verdict: crate::model::Verdict::Failed,
            message: attack(),
        }];
        if let Outcome::Failed(why) = &mut variant.outcome {
            *why = failure().unwrap();
        }
        variant.baseline = variant
            .measurement()
            .map(|measurement| measurement.summary.clone());
    }
    let mut broken = class.subjects[0].clone();
    broken.variants.clear();
    broken.failure = failure();
    class.subjects.push(broken);
    let mut gone = class.clone();
    gone.subjects.clear();
    gone.failure = failure();
    suite.classes.push(gone);
    suite
}

#[test]
fn a_run_with_a_history_and_a_baseline() {
    let (now, mut before) = (suite(), suite());
    before.started -= 86_400;
    before.environment.groups[0].values[0].1 = "8.1.2".into();
    before.environment.groups.push(crate::model::EnvironmentGroup {
        name: "vcs".into(),
        values: [
            ("version", "0123456789abcdef"),
            ("subject", "Hash <faster>"),
            ("changed", "true"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec(),
    });
    let page = written(&Page {
        run: Entry {
            id: Some(8),
            suite: &now,
        },
        others: &[
            Entry {
                id: Some(7),
                suite: &before,
            },
            Entry {
                id: Some(8),
                suite: &now,
            },
        ],
        left_out: 3,
    });
    let main = page
        .split_once("<main>")
        .unwrap()
        .1
        .split_once("</main>")
        .unwrap()
        .0;
    insta::assert_snapshot!(main.replace("><", ">\n<"));
}

#[test]
fn names_that_are_markup_stay_text() {
    let (suite, mut before) = (hostile(), hostile());
    before.started -= 10;
    // What breaks a history is named on the page.
    before.environment.groups[2].values[0].1 = format!("other {ATTACK}");
    before.classes[0].subjects[0].executor = format!("other {ATTACK}");
    let run = |id, suite| Entry { id: Some(id), suite };
    let page = written(&Page {
        run: run(2, &suite),
        others: &[run(1, &before)],
        left_out: 0,
    });
    assert!(page.contains("executor was other &lt;/style"), "{page}");
    assert_eq!(page.matches("<script>").count(), 1, "the page's own");
    assert_eq!(page.matches("<img").count(), 0);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot;"));
}

#[test]
fn a_page_asks_no_network_for_anything() {
    let page = alone(&suite());
    for word in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn an_empty_suite_is_a_page() {
    let suite = Suite {
        partial: true,
        ..Suite::default()
    };
    let page = alone(&suite);
    assert!(
        page.contains("Interrupted") && page.ends_with("</html>"),
        "{page}"
    );
}
