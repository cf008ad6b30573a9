//! Pages of FPM: what they ask of the server is counted on the line.

use crate::support::{postgres, script, with_pool};
use php::{Binary, Fpm, Ini, Manager, Pool, Request, workload};
use testbed::{Said, Tap};

const QUERIES: u64 = 20;
/// 2 × (0 + 1 + … + 19)
const ANSWER: &str = "380\n";

/// What each of so many pages in turn says to the server.
fn pages(ini: &Ini, query: &str, count: usize) -> Vec<Said> {
    let server = postgres();
    let tap = Tap::on(&server).unwrap();
    let fpm = Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it");
    let fpm = Fpm::start(&fpm, ini, &[Pool::new("www", Manager::Static(1))]).unwrap();
    let request = Request::get(workload("pdo/page.php"), query).parameter("PAGE_DSN", &tap.dsn("postgres"));
    (0..count)
        .map(|_| {
            let response = fpm.request("www", &request).unwrap();
            assert_eq!(response.body(), ANSWER);
            tap.take()
        })
        .collect()
}

fn round_trips(pages: &[Said]) -> Vec<u64> {
    pages.iter().map(Said::round_trips).collect()
}

#[test]
fn a_page_with_a_connection_of_its_own_waits_once_for_each_query() {
    let stock = pages(&Ini::new(), "", 3);
    assert_eq!(round_trips(&stock), [3 * QUERIES; 3]);
    let cached = pages(&with_pool(), "", 3);
    assert_eq!(round_trips(&cached), [QUERIES; 3]);
    assert!(cached.iter().all(|page| page.connections() == 1));
}

#[test]
fn a_persistent_connection_keeps_its_statements_from_page_to_page() {
    let cached = pages(&with_pool(), "persistent=1", 5);
    // Without names; then prepared under names, and before the first of them one question whether a pooler is in
    // between; then by their names.
    assert_eq!(
        round_trips(&cached),
        [QUERIES, 2 * QUERIES + 1, QUERIES, QUERIES, QUERIES]
    );
    let parses: Vec<u64> = cached.iter().map(Said::parses).collect();
    assert_eq!(parses, [QUERIES, QUERIES, 0, 0, 0]);
    let connections: u64 = cached.iter().map(Said::connections).sum();
    assert_eq!(connections, 1);
}

#[test]
fn switched_off_a_page_is_as_it_was() {
    let off = pages(&with_pool().set("pdo_pool.stmt_cache_size", "0"), "", 2);
    assert_eq!(round_trips(&off), [3 * QUERIES; 2]);
}

#[test]
fn what_a_session_handler_prepares_when_the_page_has_ended_is_gone_with_the_page() {
    let server = postgres();
    let ini = with_pool()
        .set("pdo_pool.reuse_statements", "1")
        .set("pdo_pool.prepare_threshold", "1");
    let fpm = Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it");
    let fpm = Fpm::start(&fpm, &ini, &[Pool::new("www", Manager::Static(1))]).unwrap();
    let request = Request::get(script("session.php"), "").parameter("PAGE_DSN", &server.dsn("postgres"));
    // Each page, and each session that is written after it, uses two statements again.
    for reused in ["2\n", "6\n", "10\n", "14\n"] {
        let response = fpm.request("www", &request).unwrap();
        assert_eq!(response.body(), reused);
    }
}
