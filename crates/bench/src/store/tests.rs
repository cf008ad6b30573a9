use super::{sqlite::Sqlite, *};
use proptest::prelude::*;
use rusqlite::Connection;
use std::fs;

fn suite(tag: Option<&str>, started: u64) -> Suite {
    Suite {
        tag: tag.map(str::to_owned),
        started,
        ..Suite::default()
    }
}

#[test]
fn runs_are_found_by_number_age_and_tag() {
    let folder = tempfile::tempdir().unwrap();
    let path = Place::usual(folder.path());
    let mut store = Store::create(&path).unwrap();
    for (id, tag) in [
        (1, Some("main")),
        (2, None),
        (3, Some("main")),
        (4, Some("fast-1")),
        (5, Some("fast")),
    ] {
        assert_eq!(store.add(&suite(tag, 100 + id)).unwrap(), id.cast_signed());
    }
    drop(store);
    let mut store = Store::existing(&path).unwrap();
    assert_eq!(store.count().unwrap(), 5);
    for (reference, id) in [
        ("1", 1_i64),
        ("latest", 5),
        ("latest-3", 2),
        ("main", 3),
        ("main-1", 1),
        ("fast", 5),
        ("fast-1", 4),
    ] {
        let found = store.find(&reference.parse().unwrap()).unwrap();
        assert_eq!(
            (found.id, found.suite.started),
            (id, 100 + id.cast_unsigned()),
            "{reference}"
        );
    }
    for reference in ["9", "latest-9", "main-2", "nobody", "-1"] {
        let error = store.find(&reference.parse().unwrap()).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("there is no run {reference} in ")),
            "{error}"
        );
    }
    let ids: Vec<_> = store.last(2).unwrap().runs.iter().map(|run| run.id).collect();
    assert_eq!(ids, [5, 4]);
}

#[test]
fn a_run_that_cannot_be_read_is_counted_and_keeps_no_other_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let mut store = Store::create(&Place::File(path.clone())).unwrap();
    for started in 1..=3 {
        store.add(&suite(None, started)).unwrap();
    }
    Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE run SET suite = '{\"format\": 1' WHERE id = 2")
        .unwrap();
    let last = store.last(10).unwrap();
    let ids: Vec<_> = last.runs.iter().map(|run| run.id).collect();
    assert_eq!((ids, last.unreadable.as_slice()), (vec![3, 1], &[2][..]));
    assert!(
        last.note().unwrap().contains("left out: 1 (2)"),
        "{:?}",
        last.note()
    );
    assert_eq!(Last::default().note(), None);
    let error = store.find(&Reference::Id(2)).unwrap_err().to_string();
    assert!(error.contains("run 2: EOF while parsing"), "{error}");
}

#[test]
fn a_store_of_an_earlier_phperf_takes_comparisons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let place = Place::File(path.clone());
    Store::create(&place).unwrap().add(&suite(None, 1)).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("DROP TABLE comparison").unwrap();
    let mut store = Store::existing(&place).unwrap();
    assert!(store.last_comparisons(10).unwrap().comparisons.is_empty());
    let none = store.find_comparison(&Reference::Latest(0)).unwrap_err();
    assert!(matches!(none, StoreError::NoComparison { .. }), "{none}");

    let mut store = Store::create_for_comparisons(&place).unwrap();
    let report = trial::Report {
        a: trial::Side::new("main"),
        b: trial::Side::new("the working tree"),
        metric: "time".into(),
        kind: trial::Kind::Time,
        plan: trial::Plan::new(10, 0.01).unwrap(),
        seed: 1,
        partial: None,
        notes: Vec::new(),
        entries: Vec::new(),
    };
    for tag in [None, Some("v1"), Some("v1")] {
        store.add_comparison(&report, tag, 7).unwrap();
    }
    connection
        .execute_batch("UPDATE comparison SET report = '{}' WHERE id = 2")
        .unwrap();
    let last = store.last_comparisons(10).unwrap();
    let ids: Vec<_> = last.comparisons.iter().map(|one| one.id).collect();
    assert_eq!((ids, last.unreadable.as_slice()), (vec![3, 1], &[2][..]));
    assert!(last.note().unwrap().contains("left out: 1 (2)"));
    let found = store.find_comparison(&"v1".parse().unwrap()).unwrap();
    assert_eq!((found.id, found.kept, found.tag.as_deref()), (3, 7, Some("v1")));
    assert_eq!(store.count().unwrap(), 1);
}

#[test]
fn a_file_that_is_no_store_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let refused = |why: &str| {
        for error in [
            Store::create(&Place::File(path.clone())).unwrap_err(),
            Store::existing(&Place::File(path.clone())).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains(why) && !error.contains('\n'), "{error}");
        }
    };
    fs::write(&path, "x".repeat(5000)).unwrap();
    refused("is broken: move it away");
    fs::remove_file(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (id)").unwrap();
    refused("is no store of phperf");
    fs::remove_file(&path).unwrap();
    Sqlite::create(&path)
        .unwrap()
        .connection
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    refused("has schema 99");
    fs::remove_file(&path).unwrap();
    let missing = Store::existing(&Place::File(path)).unwrap_err().to_string();
    assert!(missing.contains("keep a run with"), "{missing}");
}

#[test]
fn many_that_begin_a_store_at_once_all_keep_their_runs() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::usual(folder.path());
    std::thread::scope(|scope| {
        for number in 0..16 {
            let place = &place;
            scope.spawn(move || Store::create(place).unwrap().add(&suite(None, number)).unwrap());
        }
    });
    assert_eq!(Store::existing(&place).unwrap().count().unwrap(), 16);
}

#[test]
fn a_store_that_was_cut_off_is_broken_and_one_that_cannot_grow_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let mut long = suite(None, 1);
    long.notes = vec!["x".repeat(100_000)];
    let sqlite = Sqlite::create(&path).unwrap();
    sqlite
        .connection
        .execute_batch("PRAGMA max_page_count = 10")
        .unwrap();
    let mut store = Store {
        backend: Box::new(sqlite),
        place: Place::File(path.clone()),
    };
    assert!(matches!(store.add(&long), Err(StoreError::Full(_))));
    drop(store);
    let mut store = Store::create(&Place::File(path.clone())).unwrap();
    store.add(&long).unwrap();
    drop(store);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let store = Store::existing(&Place::File(path));
    let error = store
        .and_then(|mut store| store.find(&Reference::Latest(0)))
        .unwrap_err();
    assert!(matches!(error, StoreError::Broken(_)), "{error}");
}

proptest! {
    #[test]
    fn a_reference_is_shown_as_it_is_typed(text in "[a-z]{1,6}(-[1-9][0-9]{0,4})?|[1-9][0-9]{0,9}") {
        let reference: Reference = text.parse().unwrap();
        prop_assert_eq!(reference.to_string(), text);
    }
}
