//! Frameworks, as applications use them: with the extension they print what they print without it, and wait for the
//! server less often.

use crate::support::{command, or_skip, postgres, with_pool};
use php::Ini;
use serde_json::Value;
use std::path::Path;
use testbed::{Error, Tap};

const LIBRARIES: &str = "/usr/share/php";

/// What a program said, and what that took.
struct Run {
    said: String,
    stats: Value,
    round_trips: u64,
}

/// Skipped where the library is not installed.
fn installed(library: &str, package: &str) -> bool {
    let there = Path::new(LIBRARIES).join(library).join("autoload.php").is_file();
    or_skip(there.then_some(()).ok_or_else(|| Error::Unavailable {
        what: package.into(),
        why: "scripts/setup.sh test installs it".into(),
    }))
    .is_some()
}

fn run(ini: &Ini, program: &str, words: &[&str]) -> Run {
    let server = postgres();
    server.create_database("shop").unwrap();
    let tap = Tap::on(&server).unwrap();
    let (dsn, direct) = (tap.dsn("shop"), server.dsn("shop"));
    let arguments = [&[dsn.as_str(), direct.as_str()], words].concat();
    let output = command(ini, &format!("frameworks/{program}"), &arguments)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {words:?}: {said}{errors}");
    Run {
        said,
        stats: serde_json::from_str(&errors).unwrap_or_else(|error| panic!("{error}: {errors}")),
        round_trips: tap.end().round_trips(),
    }
}

/// Runs it as it is and in each setting of the extension; the round trips without it, and each time with it.
fn same(program: &str, words: &[&str]) -> (u64, Vec<u64>) {
    let stock = run(&Ini::new(), program, words);
    assert!(stock.said.lines().count() > 50, "{}", stock.said);
    let with = [("1", "0"), ("2", "0"), ("2", "1")].map(|(threshold, reuse)| {
        let ini = with_pool()
            .set("pdo_pool.prepare_threshold", threshold)
            .set("pdo_pool.reuse_statements", reuse);
        let run = run(&ini, program, words);
        let differs = stock
            .said
            .lines()
            .zip(run.said.lines())
            .find(|(one, other)| one != other);
        assert_eq!(
            differs, None,
            "{program} {words:?}, threshold {threshold}, reuse {reuse}"
        );
        assert_eq!(run.said, stock.said);
        run
    });
    println!(
        "{program} {words:?}: {} round trips without, {:?} with",
        stock.round_trips,
        with.each_ref().map(|run| run.round_trips)
    );
    for run in &with {
        assert!(run.stats["connections"].as_u64().unwrap() > 0, "{}", run.stats);
    }
    (stock.round_trips, with.map(|run| run.round_trips).into())
}

/// More than half of what an application of these waits for is gone. The round trips without the extension, and with it
/// at each threshold.
fn fewer(program: &str, words: &[&str]) -> (u64, u64, u64) {
    let (stock, with) = same(program, words);
    assert!(with.iter().all(|with| 2 * with < stock), "{stock} and {with:?}");
    assert_eq!(
        with[1], with[2],
        "statements that are reused are executed as others are"
    );
    (stock, with[0], with[1])
}

/// A page of the documentation gives the figures that were measured.
fn page_says(page: &str, figures: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(
        words.join(" ").contains(figures),
        "{page} does not say \"{figures}\", as measured with the packages that are installed"
    );
}

#[test]
fn doctrine_dbal() {
    if installed("Doctrine/DBAL", "php-doctrine-dbal") {
        let (stock, _, default) = fewer("dbal.php", &["prepared"]);
        page_says(
            "pdo-pool-doctrine.md",
            &format!("{default} round trips instead of {stock} (DBAL)"),
        );
        // Doctrine switches names off: then each text is one round trip with and without.
        let (stock, with) = same("dbal.php", &["as-it-is"]);
        assert!(with.iter().all(|with| *with == stock), "{stock} and {with:?}");
    }
}

#[test]
fn doctrine_orm() {
    if installed("Doctrine/ORM", "php-doctrine-orm")
        && installed("Symfony/Component/Cache", "php-symfony-cache")
    {
        let (stock, _, default) = fewer("orm.php", &["prepared"]);
        page_says(
            "pdo-pool-doctrine.md",
            &format!("and {default} instead of {stock} (ORM)"),
        );
        let (stock, with) = same("orm.php", &["as-it-is"]);
        assert!(with.iter().all(|with| *with == stock), "{stock} and {with:?}");
    }
}

#[test]
fn laravels_query_builder_and_eloquent() {
    if installed("Illuminate/Database", "php-illuminate-database") {
        let (stock, first, default) = fewer("eloquent.php", &[]);
        page_says(
            "pdo-pool-laravel.md",
            &format!(
                "in {first} round trips instead of {stock} ({default} from the second use on, the default)"
            ),
        );
    }
}
