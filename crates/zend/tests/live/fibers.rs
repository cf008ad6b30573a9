//! All fibers of a script that stands still.

use crate::support::{Php, version};
use zend::{Fiber, FiberState, Interpreter, fibers};

/// Two that wait, in a generator of a generator and in a plain function; one that runs another; one not started; one that
/// ended; and one whose object is gone.
const SCRIPT: &str = "<?php
function inner() { yield 1; Fiber::suspend(); }
function outer() { yield from inner(); }
function task(int $n) {
    if ($n === 0) {
        Fiber::suspend();
    }
    return $n;
}
function drain() { foreach (outer() as $x) { } }
$waits = new Fiber('drain');
$waits->start();
$plain = new Fiber(function () {
    task(0);
});
$plain->start();
$new = new Fiber('task');
$ended = new Fiber('task');
$ended->start(1);
(new Fiber('task'))->start(2);
$runs = new Fiber(function () {
    $inner = new Fiber(function () {
        echo spl_object_id($GLOBALS['waits']), ' ', spl_object_id($GLOBALS['plain']), ' ';
        echo spl_object_id($GLOBALS['new']), ' ', spl_object_id($GLOBALS['runs']), ' ';
        echo spl_object_id(Fiber::getCurrent()), \"\\nready\\n\";
        fgets(STDIN);
    });
    $inner->start();
});
$runs->start();
";

fn all(php: &Php) -> Vec<Fiber> {
    php.stack();
    let process = php.process();
    let interpreter = Interpreter::find(&process).unwrap();
    let fibers = fibers(&process.memory(), &interpreter, 512).unwrap();
    assert_eq!((fibers.more, fibers.unreadable, fibers.unseen_objects), (0, 0, 0));
    assert!(!fibers.moved);
    assert!(fibers.read.iter().all(|fiber| fiber.stack.is_stable));
    fibers.read
}

#[test]
fn each_waits_or_runs_where_the_script_says() {
    if version() < 801 {
        eprintln!("skipped: PHP has fibers since 8.1");
        return;
    }
    let php = Php::start(&[("main.php", SCRIPT)], &[]);
    let ids: Vec<u32> = php.told[0].split(' ').map(|id| id.parse().unwrap()).collect();
    let [waits, plain, new, runs, inner] = ids[..] else {
        panic!("{ids:?}")
    };
    let lines = |fiber: &Fiber| {
        fiber
            .stack
            .frames
            .iter()
            .map(|frame| php.describe(frame))
            .collect::<Vec<_>>()
    };
    let mut seen: Vec<_> = all(&php)
        .iter()
        .map(|fiber| (fiber.id, fiber.state, lines(fiber)))
        .collect();
    let mut expected = vec![
        (
            waits,
            FiberState::Suspended,
            vec![
                "Fiber::suspend".to_owned(),
                "inner main.php:2".into(),
                "outer main.php:3".into(),
                "drain main.php:10".into(),
            ],
        ),
        (
            plain,
            FiberState::Suspended,
            vec![
                "Fiber::suspend".into(),
                "task main.php:6".into(),
                "{closure:main.php:13} main.php:14".into(),
            ],
        ),
        (new, FiberState::New, vec!["task main.php:4?".into()]),
        (runs, FiberState::Running, vec![]),
        (inner, FiberState::Running, vec![]),
    ];
    seen.sort_by_key(|(id, ..)| *id);
    expected.sort_by_key(|(id, ..)| *id);
    assert_eq!(seen, expected);
}

#[test]
fn a_thousand() {
    if version() < 801 {
        eprintln!("skipped: PHP has fibers since 8.1");
        return;
    }
    let script = "<?php
$fibers = [];
for ($i = 0; $i < 1000; $i++) {
    $fibers[] = new Fiber(function () { Fiber::suspend(); });
    $fibers[$i]->start();
}
echo \"ready\\n\";
fgets(STDIN);
";
    let php = Php::start(&[("main.php", script)], &[]);
    let fibers = all(&php);
    assert_eq!(fibers.len(), 1000);
    for fiber in &fibers {
        assert_eq!(fiber.state, FiberState::Suspended);
        assert_eq!(fiber.stack.frames.len(), 2);
    }
}
