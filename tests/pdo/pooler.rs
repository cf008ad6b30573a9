//! Under a pooler in transaction mode, where each transaction may have another connection: nothing is lost, and
//! no answer is another one's.

use crate::support::{installed, or_skip, postgres, with_pool};
use php::Ini;
use testbed::{Answers, Cache, Clients, PgBouncer, Pooler, Release};

/// Fewer than clients, so that they take turns on them.
const CONNECTIONS: u32 = 2;

fn nothing_is_lost_under(pooler: &Pooler, settings: &str) {
    let server = postgres();
    let database = Clients::database(&server).unwrap();
    let bouncer = PgBouncer::start(pooler, &server, CONNECTIONS, settings).unwrap();
    let dsn = bouncer.dsn(database);
    let clients = Clients::default();
    let label = format!("PgBouncer {} [{settings}]", pooler.version());
    // What stock PHP does there is no matter of ours; it shows what the extension is up against.
    let stock = clients.run(&server, &dsn, &Ini::new()).unwrap();
    println!("{label}, stock: {stock:?}");
    let all = Answers {
        right: clients.asked(),
        written: clients.count * clients.transactions,
        ..Answers::default()
    };
    for threshold in ["1", "2"] {
        for mode in ["auto", "on"] {
            let ini = with_pool()
                .set("pdo_pool.prepare_threshold", threshold)
                .set("pdo_pool.pooler", mode);
            let answers = clients.run(&server, &dsn, &ini).unwrap();
            assert_eq!(answers, all, "{label}, threshold {threshold}, pooler={mode}");
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
