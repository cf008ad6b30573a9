//! The extension's own tests, as `make test` in its folder runs them.

use crate::support::{installed, postgres, suppressions};
use testbed::{Extension, Outcome, Postgres, Results, RunTests, Toolchain};

/// What the extension's tests read their database from.
const DSN: &str = "PDO_POOL_TEST_DSN";

fn own<'a>(toolchain: &'a Toolchain, extension: &Extension, server: &Postgres) -> RunTests<'a> {
    server.create_database("phpt").unwrap();
    RunTests::new(toolchain, extension.folder().join("run-tests.php"))
        .tree(extension.folder().join("tests"), "tests")
        .tests("tests")
        .extension(extension)
        .variable(DSN, server.dsn("phpt"))
}

fn check(toolchain: &Toolchain, results: &Results) {
    println!("{}: {results}", toolchain.label());
    let bad: Vec<_> = results.bad().collect();
    assert!(bad.is_empty(), "{results}\n{}", bad.join("\n"));
}

/// All of them, under this PHP.
pub fn pass(toolchain: &Toolchain, extension: &Extension) {
    let server = postgres();
    let results = own(toolchain, extension, &server).run().unwrap();
    check(toolchain, &results);
    // They skip without a server; here there is one.
    assert!(
        results.count(Outcome::Passed) > results.len() * 3 / 4,
        "{results}"
    );
}

#[test]
fn its_own_tests_pass() {
    let (toolchain, extension) = installed();
    pass(toolchain, extension);
}

#[test]
fn its_own_tests_pass_under_valgrind() {
    let (toolchain, extension) = installed();
    let server = postgres();
    let run = own(toolchain, extension, &server)
        .valgrind()
        .variable(
            "VALGRIND_OPTS",
            format!("--suppressions={}", suppressions().display()),
        )
        // Code that PCRE compiles reads more than it uses.
        .set("pcre.jit", 0);
    check(toolchain, &run.run().unwrap());
}
