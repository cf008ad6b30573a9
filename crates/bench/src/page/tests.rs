use super::*;
use crate::testing::suite;

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

fn hostile() -> Suite {
    let attack = "</style></script><script>document.title='attacked'</script><img src=x onerror=alert(1)>\"'";
    let mut suite = suite();
    suite.tag = Some(attack.into());
    suite.notes = vec![attack.into()];
    suite.environment.groups[0].values[0].1 = attack.into();
    let class = &mut suite.classes[0];
    class.name = attack.into();
    let subject = &mut class.subjects[0];
    subject.name = attack.into();
    subject.groups = vec![attack.into()];
    subject.executor = attack.into();
    for variant in &mut subject.variants {
        variant.set = attack.into();
        variant.parameters = serde_json::json!({ attack: attack });
    }
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
    let suite = hostile();
    let page = alone(&suite);
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
