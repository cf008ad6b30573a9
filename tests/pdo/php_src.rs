//! PHP's own tests of PDO and its drivers end with the extension as they end without it.

use crate::support::{installed, or_skip, postgres};
use std::{path::Path, thread};
use testbed::{Cache, Extension, Outcome, Postgres, Release, Results, RunTests, Toolchain, source};

/// How the extension is set, and the tests that may then end otherwise.
struct Variant {
    name: &'static str,
    settings: &'static [(&'static str, u32)],
    /// Tests that look at the ids of objects, which reuse changes.
    exempt: &'static [&'static str],
}

const REUSE: &[&str] = &["bug75402.phpt"];

const VARIANTS: [Variant; 4] = [
    Variant {
        name: "named at the first use",
        settings: &[("prepare_threshold", 1)],
        exempt: &[],
    },
    Variant {
        name: "named at the second use",
        settings: &[("prepare_threshold", 2)],
        exempt: &[],
    },
    Variant {
        name: "named at the first use, statements reused",
        settings: &[("prepare_threshold", 1), ("reuse_statements", 1)],
        exempt: REUSE,
    },
    Variant {
        name: "named at the second use, statements reused",
        settings: &[("prepare_threshold", 2), ("reuse_statements", 1)],
        exempt: REUSE,
    },
];

/// The suites: PDO's own on its own (with `SQLite`), and what each driver makes of it.
fn suites<'a>(toolchain: &'a Toolchain, tree: &Path, server: &Postgres) -> RunTests<'a> {
    server.create_database("suites").unwrap();
    let dsn = server.dsn("suites");
    let mut run = RunTests::new(toolchain, tree.join("run-tests.php"))
        .variable("PDO_PGSQL_TEST_DSN", &dsn)
        .variable("PDOTEST_DSN", &dsn);
    for extension in ["pdo", "pdo_pgsql", "pdo_sqlite"] {
        let path = format!("ext/{extension}/tests");
        run = run.tree(tree.join(&path), &path).tests(path);
    }
    run
}

/// On a server of its own: some tests make roles, which all databases of a server share.
fn with(toolchain: &Toolchain, tree: &Path, extension: &Extension, variant: &Variant) -> Results {
    let server = postgres();
    let run = suites(toolchain, tree, &server).extension(extension);
    variant
        .settings
        .iter()
        .fold(run, |run, (name, value)| {
            run.set(&format!("pdo_pool.{name}"), value)
        })
        .run()
        .unwrap()
}

/// Runs the suites without the extension and with each variant of it.
pub fn compare(toolchain: &Toolchain, extension: &Extension, tree: &Path) {
    let server = postgres();
    let stock = suites(toolchain, tree, &server).run().unwrap();
    drop(server);
    println!("{}, stock: {stock}", toolchain.label());
    assert!(stock.count(Outcome::Passed) > 200, "{stock}");
    let worse: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = VARIANTS
            .iter()
            .map(|variant| scope.spawn(move || (variant, with(toolchain, tree, extension, variant))))
            .collect();
        runs.into_iter()
            .flat_map(|run| {
                let (variant, results) = run.join().unwrap();
                println!("{}, {}: {results}", toolchain.label(), variant.name);
                let exempt = |change: &String| variant.exempt.iter().any(|test| change.contains(test));
                let changes = stock.changes(&results).into_iter().filter(move |it| !exempt(it));
                changes.map(|change| format!("{}: {change}", variant.name))
            })
            .collect()
    });
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

#[test]
fn php_8_2_tests_of_pdo_end_as_without_it() {
    let (toolchain, extension) = installed();
    if !toolchain.version().starts_with("8.2.") {
        eprintln!(
            "skipped: this PHP is {}, and the sources are of 8.2",
            toolchain.label()
        );
        return;
    }
    if let Some(tree) = or_skip(source(&Cache::of_user().unwrap(), Release::Bookworm, "php8.2")) {
        compare(toolchain, extension, &tree);
    }
}
