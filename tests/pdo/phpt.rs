//! The extension's own tests, as `make test` in its folder runs them.

use crate::support::{installed, postgres};
use testbed::{Postgres, Results, RunTests};

/// What the extension's tests read their database from.
const DSN: &str = "PDO_POOL_TEST_DSN";

fn own<'a>(server: &Postgres) -> RunTests<'a> {
    let (toolchain, extension) = installed();
    server.create_database("phpt").unwrap();
    RunTests::new(toolchain, extension.folder().join("run-tests.php"))
        .tree(extension.folder().join("tests"), "tests")
        .tests("tests")
        .extension(extension)
        .variable(DSN, server.dsn("phpt"))
}

fn check(results: &Results) {
    println!("{results}");
    let bad: Vec<_> = results.bad().collect();
    assert!(bad.is_empty(), "{results}\n{}", bad.join("\n"));
}

#[test]
fn its_own_tests_pass() {
    let server = postgres();
    let results = own(&server).run().unwrap();
    check(&results);
    // They skip without a server; here there is one.
    assert!(
        results.count(testbed::Outcome::Passed) > results.len() * 9 / 10,
        "{results}"
    );
}

#[test]
fn its_own_tests_pass_under_valgrind() {
    let server = postgres();
    check(&own(&server).valgrind().run().unwrap());
}
