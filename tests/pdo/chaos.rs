//! Random operations on several connections, compared with a serial model, while another process kills backends
//! and alters the table.

use crate::support::{installed, postgres, run, script, suppressions, with_pool};
use php::Ini;
use serde_json::Value;
use std::{
    env,
    process::{Command, Stdio},
};
use testbed::{Extension, Postgres, Toolchain};

const OPERATIONS: u32 = 10_000;
/// Where each takes many times as long.
const FEW: u32 = 2_000;
/// Names come and go all the time.
const CACHE: u32 = 6;
/// What the second half of the operations may add to the memory of the process, in KiB.
const GROWTH: i64 = 2048;

/// The seed: fixed, or the one in `PHPERF_CHAOS_SEED`.
fn seed(fixed: u32) -> u32 {
    let given = env::var("PHPERF_CHAOS_SEED").ok();
    given.map_or(fixed, |seed| seed.parse().expect("PHPERF_CHAOS_SEED is a number"))
}

/// `run` is given the arguments of the program and returns what it printed, once it has ended well.
fn chaos(seed: u32, operations: u32, run: impl FnOnce(&[&str]) -> String) -> Value {
    let server = postgres();
    server.create_database("chaos").unwrap();
    server
        .query(
            "chaos",
            "CREATE TABLE thing (owner int, id int, v int, PRIMARY KEY (owner, id)); \
             CREATE TABLE identity (id serial PRIMARY KEY, owner int, v int)",
        )
        .unwrap();
    // What a test does to a statement may never end; then the statement does by itself.
    let dsn = format!(
        "{};application_name=chaos;options='-c statement_timeout=20s'",
        server.dsn("chaos")
    );
    let said = run(&[&dsn, &seed.to_string(), &operations.to_string()]);
    println!("seed {seed}: {}", said.trim());
    nothing_is_left_of(&server);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said["acts"].as_u64().unwrap() > 0, "{said}");
    // One whose connection broke at the end does more to find its rows again.
    assert!(said["did"].as_u64().unwrap() >= u64::from(operations), "{said}");
    said
}

fn nothing_is_left_of(server: &Postgres) {
    // The server notices an end a moment later; it is asked until it has.
    let alive = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chaos'";
    for _ in 0..600 {
        if server.query("postgres", alive).unwrap() == ["0"] {
            return;
        }
        server.query("postgres", "SELECT pg_sleep(0.05)").unwrap();
    }
    panic!("connections are left: {:?}", server.query("postgres", alive));
}

/// What an application sees of it, and what it must have met to have been tested.
fn with(program: &str, threshold: u32, reuse: u32, fixed: u32) -> Value {
    let ini = with_pool()
        .set("pdo_pool.stmt_cache_size", CACHE.to_string())
        .set("pdo_pool.prepare_threshold", threshold.to_string())
        .set("pdo_pool.reuse_statements", reuse.to_string());
    let said = chaos(seed(fixed), OPERATIONS, |arguments| run(&ini, program, arguments));
    let stats = &said["stats"];
    // A test of a cache that nothing went through would prove nothing.
    for what in ["hits", "evictions", "reprepares"] {
        assert!(stats[what].as_u64().unwrap() > 0, "no {what}: {said}");
    }
    assert_eq!(stats["reused"].as_u64().unwrap() > 0, reuse == 1, "{said}");
    assert!(said["met"]["broken connections"].as_u64().unwrap() > 0, "{said}");
    assert!(said["grown_kb"].as_i64().unwrap() < GROWTH, "{said}");
    said
}

const ALONE: &str = "chaos.php";
const POOL: &str = "chaos_pool.php";
/// Of the pool.
const CONNECTIONS: u64 = 8;

#[test]
fn the_model_itself_holds_without_the_extension() {
    chaos(seed(1), OPERATIONS, |arguments| {
        run(&Ini::new(), ALONE, arguments)
    });
}

#[test]
fn no_answer_is_wrong_with_names_from_the_first_use() {
    with(ALONE, 1, 0, 2);
}

#[test]
fn no_answer_is_wrong_with_names_from_the_second_use() {
    with(ALONE, 2, 0, 3);
}

#[test]
fn no_answer_is_wrong_with_statements_reused() {
    with(ALONE, 1, 1, 4);
    with(ALONE, 2, 1, 5);
}

fn of_a_pool(threshold: u32, fixed: u32) {
    nothing_is_lost(&with(POOL, threshold, 0, fixed));
}

fn nothing_is_lost(said: &Value) {
    let pool = |what: &str| said["pool"][what].as_u64().unwrap();
    assert_eq!(
        (pool("in_use"), pool("waiting"), pool("timeouts")),
        (0, 0, 0),
        "{said}"
    );
    assert!(pool("open") <= CONNECTIONS, "{said}");
    assert!(
        pool("waits") > 0 && pool("broken") > 0 && pool("rollbacks") > 0,
        "{said}"
    );
}

#[test]
fn no_answer_is_wrong_in_a_pool_with_names_from_the_first_use() {
    of_a_pool(1, 6);
}

#[test]
fn no_answer_is_wrong_in_a_pool_with_names_from_the_second_use() {
    of_a_pool(2, 7);
}

#[test]
fn a_pool_uses_no_memory_wrongly_under_valgrind() {
    let (toolchain, extension) = installed();
    let known = format!("--suppressions={}", suppressions().display());
    let valgrind = ["valgrind", "--quiet", "--error-exitcode=9", known.as_str()];
    watched(toolchain, extension, &valgrind, 8);
}

/// A shorter one, of a pool, by a PHP that notices when memory is used wrongly, or under a program that does.
pub fn watched(toolchain: &Toolchain, extension: &Extension, under: &[&str], fixed: u32) {
    let ini = Ini::new()
        .set("extension", extension.module().to_string_lossy())
        .set("pdo_pool.prepare_threshold", "1")
        .set("pdo_pool.stmt_cache_size", CACHE.to_string())
        // Code that PCRE compiles reads more than it uses.
        .set("pcre.jit", "0");
    let said = chaos(seed(fixed), FEW, |arguments| {
        let php = toolchain.php().to_string_lossy();
        let line = [under, &[&*php]].concat();
        let output = Command::new(line[0])
            .args(&line[1..])
            .args(ini.arguments())
            .arg(script(POOL))
            .args(arguments)
            // PHP's own allocator would hide what is used after it was freed.
            .env("USE_ZEND_ALLOC", "0")
            .env("USE_TRACKED_ALLOC", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}: {said}{errors}", output.status);
        said
    });
    nothing_is_lost(&said);
}
