//! Under a pooler in transaction mode, where each transaction may have another connection: nothing is lost, and
//! no answer is another one's.

use crate::support::{installed, or_skip, postgres, script, with_pool};
use php::{Binary, Ini, Launch, Script};
use serde_json::Value;
use std::time::Duration;
use testbed::{Cache, PgBouncer, Pooler, Postgres, Release};

const CLIENTS: u64 = 6;
/// Fewer than clients, so that they take turns on them.
const CONNECTIONS: u32 = 2;
const STATEMENTS: u64 = 300;
const TRANSACTIONS: u64 = 100;
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    right: u64,
    wrong: u64,
    lost: u64,
    written: u64,
    errors: Vec<String>,
}

/// Several clients at once; what they said in all.
fn clients(server: &Postgres, dsn: &str, ini: &Ini) -> Said {
    server
        .query("shop", "TRUNCATE written")
        .expect("the table is there");
    let php = Binary::cli().unwrap();
    let mut clients: Vec<Script> = (0..CLIENTS)
        .map(|seed| {
            Launch::new(&php, script("clients.php"))
                .ini(ini.clone())
                .args([
                    dsn.to_owned(),
                    seed.to_string(),
                    STATEMENTS.to_string(),
                    TRANSACTIONS.to_string(),
                ])
                .ready()
                .expect("a client connects")
        })
        .collect();
    for client in &mut clients {
        client.say("go").unwrap();
    }
    let mut said = Said::default();
    for mut client in clients {
        let line = client.line_after("said ", LIMIT).unwrap();
        let counts: Value = serde_json::from_str(&line).unwrap();
        let number = |name: &str| counts[name].as_u64().unwrap();
        said.right += number("right");
        said.wrong += number("wrong");
        said.lost += number("lost");
        let errors = counts["errors"].as_array().unwrap().iter();
        said.errors.extend(errors.map(ToString::to_string));
    }
    said.errors.sort();
    said.errors.dedup();
    let rows = server.query("shop", "SELECT count(*) FROM written").unwrap();
    said.written = rows[0].parse().unwrap();
    said
}

fn nothing_is_lost_under(pooler: &Pooler, settings: &str) {
    let server = postgres();
    server.create_database("shop").unwrap();
    server
        .query(
            "shop",
            "CREATE TABLE item AS SELECT i AS id, 'item ' || i AS name FROM generate_series(1, 100) i; \
             CREATE TABLE written (client int, number int)",
        )
        .unwrap();
    let bouncer = PgBouncer::start(pooler, &server, CONNECTIONS, settings).unwrap();
    let dsn = bouncer.dsn("shop");
    let label = format!("PgBouncer {} [{settings}]", pooler.version());
    // What stock PHP does there is no matter of ours; it shows what the extension is up against.
    println!("{label}, stock: {:?}", clients(&server, &dsn, &Ini::new()));
    let all = Said {
        right: CLIENTS * (STATEMENTS + TRANSACTIONS),
        written: CLIENTS * TRANSACTIONS,
        ..Said::default()
    };
    for threshold in ["1", "2"] {
        for mode in ["auto", "on"] {
            let ini = with_pool()
                .set("pdo_pool.prepare_threshold", threshold)
                .set("pdo_pool.pooler", mode);
            let said = clients(&server, &dsn, &ini);
            assert_eq!(said, all, "{label}, threshold {threshold}, pooler={mode}");
        }
    }
}

#[test]
fn nothing_is_lost_under_the_installed_pgbouncer() {
    installed();
    if let Some(pooler) = or_skip(Pooler::installed()) {
        nothing_is_lost_under(&pooler, "");
    }
}

/// `PgBouncer` since 1.21 knows statements itself, and changes their names; 1.24 does so unless told otherwise.
#[test]
fn nothing_is_lost_under_a_pgbouncer_that_keeps_statements() {
    let cache = Cache::of_user().unwrap();
    if let Some(pooler) = or_skip(Pooler::of_release(&cache, Release::Trixie)) {
        nothing_is_lost_under(&pooler, "");
        nothing_is_lost_under(&pooler, "max_prepared_statements = 0");
        nothing_is_lost_under(&pooler, "max_prepared_statements = 2");
    }
}
