//! The stacks of scripts that stand still in a place that is known to the line.

use crate::support::{Php, version};
use zend::{
    Interpreter, Window, stack_now,
    walk::{End, Walker},
};

/// Every chain ends here.
const LEAF: &str = "<?php
function leaf(): void {
    echo \"ready\\n\";
    fgets(STDIN);
}
";
const LOAD: &str = "-dzend_extension=opcache";
const OPCACHE: &[&str] = &["-dopcache.enable_cli=1", "-dopcache.file_update_protection=0"];
const JIT: &[&str] = &[
    "-dopcache.enable_cli=1",
    "-dopcache.file_update_protection=0",
    "-dopcache.jit=tracing",
    "-dopcache.jit_buffer_size=32M",
    "-dopcache.jit_hot_func=1",
];

/// A closure within a function, which has its name since PHP 8.4.
fn closure(before: &'static str, since: &'static str) -> &'static str {
    if version() < 804 { before } else { since }
}

/// Runs the script, plain, with opcache and with the JIT, and compares the stack below the leaf.
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<_> = files.iter().copied().chain([("leaf.php", LEAF)]).collect();
    for options in [&[][..], OPCACHE, JIT] {
        // It is part of PHP 8.5.
        let load = (!options.is_empty() && version() < 805).then_some(LOAD);
        let options: Vec<_> = load.into_iter().chain(options.iter().copied()).collect();
        let php = Php::start(&files, &options);
        let stack = php.stack();
        let whole: Vec<_> = ["fgets", "leaf leaf.php:4"].iter().chain(expected).collect();
        assert_eq!(stack.iter().collect::<Vec<_>>(), whole, "with {options:?}");
    }
}

#[test]
fn calls_methods_and_closures() {
    check(
        &[(
            "main.php",
            "<?php
namespace App;
require 'leaf.php';
class Kernel {
    public static function boot(): void {
        (new self)->run();
    }
    private function run(): void {
        $inner = static function (): void {
            \\leaf();
        };
        $outer = fn() => $inner(

        );
        $outer();
    }
}
function start(): void {
    Kernel::boot();
}
(function () {
    start();
})();
",
        )],
        &[
            closure(
                "App\\Kernel::{closure:main.php:9} main.php:10",
                "{closure:App\\Kernel::run():9} main.php:10",
            ),
            closure(
                "App\\Kernel::{closure:main.php:12} main.php:12",
                "{closure:App\\Kernel::run():12} main.php:12",
            ),
            "App\\Kernel::run main.php:15",
            "App\\Kernel::boot main.php:6",
            "App\\start main.php:19",
            "{closure:main.php:21} main.php:22",
            "<main> main.php:23",
        ],
    );
}

#[test]
fn includes_and_eval() {
    check(
        &[
            (
                "main.php",
                "<?php\nrequire 'leaf.php';\n\ninclude_once 'a.php';\n",
            ),
            ("a.php", "<?php\ninclude 'b.php';\n"),
            ("b.php", "<?php\n\nrequire_once __DIR__ . '/c.php';\n"),
            (
                "c.php",
                "<?php\nfunction evaluate() {\n    eval(\"\\n\\nleaf();\");\n}\nevaluate();\n",
            ),
        ],
        &[
            "eval c.php(3) : eval()'d code:3",
            "evaluate c.php:3",
            "require_once c.php:5",
            "include b.php:3",
            "include_once a.php:2",
            "<main> main.php:4",
        ],
    );
}

#[test]
fn a_lonely_require_is_named_by_its_caller() {
    check(
        &[
            ("main.php", "<?php\nrequire 'leaf.php';\nrequire 'a.php';\n"),
            ("a.php", "<?php leaf();\n"),
        ],
        &["require a.php:1", "<main> main.php:3"],
    );
}

#[test]
fn an_autoloader() {
    // PHP 8 calls the loaders itself.
    let by: &[&str] = if version() < 800 {
        &["spl_autoload_call"]
    } else {
        &[]
    };
    let expected = [
        &["include Lazy.php:2", "{closure:main.php:3} main.php:4"],
        by,
        &["make main.php:7", "<main> main.php:9"],
    ];
    check(
        &[
            (
                "main.php",
                "<?php
require 'leaf.php';
spl_autoload_register(function (string $class) {
    include \"$class.php\";
});
function make() {
    return new Lazy;
}
make();
",
            ),
            ("Lazy.php", "<?php\nleaf();\nclass Lazy {}\n"),
        ],
        &expected.concat(),
    );
}

#[test]
fn a_generator() {
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
function numbers() {
    yield 1;
    leaf();
    yield 2;
}
foreach (numbers() as $number) {
    $number++;
}
",
        )],
        &["numbers main.php:5", "<main> main.php:8"],
    );
}

#[test]
fn generators_that_delegate() {
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
function inner() {
    yield 1;
    leaf();
}
function middle() {
    yield 0;
    yield from inner();
    yield 2;
}
class Outer {
    public function all() {
        $sum = (yield from middle())
            + strlen('x');
        yield $sum;
    }
}
function consume(Generator $generator) {
    $generator->next();
    $generator->next();
}
consume((new Outer)->all());
",
        )],
        &[
            "inner main.php:5",
            "middle main.php:9",
            "Outer::all main.php:14",
            "Generator::next",
            "consume main.php:21",
            "<main> main.php:23",
        ],
    );
}

#[test]
fn two_runs_of_delegation_in_one_stack() {
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
function a() { yield 1; leaf(); }
function b() { yield from a(); }
function c() {
    yield 1;
    foreach (b() as $x) {
        yield $x;
    }
}
function d() { yield from c(); }
function e() { yield from d(); }
foreach (e() as $x) {
}
",
        )],
        &[
            "a main.php:3",
            "b main.php:4",
            "c main.php:7",
            "d main.php:11",
            "e main.php:12",
            "<main> main.php:13",
        ],
    );
}

#[test]
fn fibers() {
    if version() < 801 {
        eprintln!("skipped: PHP has fibers since 8.1");
        return;
    }
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
function task() {
    Fiber::suspend(1);
    $inner = new Fiber(function () {
        leaf();
    });
    $inner->start();
}
function loop() {
    $fiber = new Fiber('task');
    $fiber->start();
    $fiber->resume();
}
loop();
",
        )],
        &[
            closure("{closure:main.php:5} main.php:6", "{closure:task():5} main.php:6"),
            "Fiber::start",
            "task main.php:8",
            "Fiber::resume",
            "loop main.php:13",
            "<main> main.php:15",
        ],
    );
}

#[test]
fn callbacks_of_internal_functions() {
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
class Order {
    public static function compare($a, $b): int {
        leaf();
        return 0;
    }
}
$list = [[2, 1]];
array_map(
    function (array $pair) {
        usort($pair, [Order::class, 'compare']);
    },
    $list,
);
",
        )],
        &[
            "Order::compare main.php:5",
            "usort",
            "{closure:main.php:11} main.php:12",
            "array_map",
            // The line of a call is where it begins, and was where it ends before PHP 8.2.
            if version() < 802 {
                "<main> main.php:14"
            } else {
                "<main> main.php:10"
            },
        ],
    );
}

#[test]
fn magic_methods_and_anonymous_classes() {
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
class Magic {
    public static function __callStatic($name, $arguments) {
        (new self)->whatever();
    }
    public function __call($name, $arguments) {
        return $this->nothing;
    }
    public function __get($name) {
        return (string) new class {
            public function __toString(): string {
                leaf();
                return '';
            }
        };
    }
}
call_user_func('Magic::anything');
",
        )],
        &[
            "class@anonymous:main.php:11::__toString main.php:13",
            "Magic::__get main.php:11",
            "Magic::__call main.php:8",
            "Magic::__callStatic main.php:5",
            "<main> main.php:19",
        ],
    );
}

#[test]
fn while_an_exception_unwinds() {
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
class Guard {
    public function __destruct() {
        leaf();
    }
}
function fail(Guard $guard) {
    throw
        new Exception('x');
}
function call() {
    take(
        new Guard,
        fail(new Guard),
    );
}
function take() { return func_get_args(); }
try {
    call();
} catch (Exception $ignored) {
}
",
        )],
        &[
            "Guard::__destruct main.php:5",
            "call main.php:15",
            "<main> main.php:20",
        ],
    );
}

#[test]
fn a_deep_stack() {
    let expected = ["down main.php:4"; 300];
    let expected: Vec<_> = ["down main.php:6"]
        .into_iter()
        .chain(expected)
        .chain(["<main> main.php:9"])
        .collect();
    check(
        &[(
            "main.php",
            "<?php
require 'leaf.php';
function down(int $levels) {
    if ($levels) down($levels - 1);
    else
        leaf();
}

down(300);
",
        )],
        &expected,
    );
}

#[test]
fn one_read_a_sample() {
    let php = Php::start(
        &[
            (
                "main.php",
                "<?php
require 'leaf.php';
function down(int $levels) {
    $levels ? down($levels - 1) : leaf();
}
down(40);
",
            ),
            ("leaf.php", LEAF),
        ],
        &[],
    );
    let expected = php.stack().len();
    let interpreter = Interpreter::find(&php.process()).unwrap();
    let mut window = Window::new(php.process().memory(), &interpreter, 16 << 10);
    let (mut walker, mut frames) = (Walker::new(&interpreter), Vec::new());
    window.refresh().unwrap();
    let before = window.reads();
    for _ in 0..100 {
        window.refresh().unwrap();
        assert_eq!(walker.walk(&window, 512, &mut frames), End::Outermost);
        assert_eq!(frames.len(), expected);
    }
    assert_eq!(window.reads() - before, 100);
}

#[test]
fn a_process_that_never_stands_still() {
    let php = Php::start(
        &[(
            "main.php",
            "<?php
function one(int $n) { return $n + 1; }
function two(int $n) { return one($n) + one($n); }
echo \"ready\\n\";
while (true) { two(1); }
",
        )],
        &[],
    );
    let interpreter = Interpreter::find(&php.process()).unwrap();
    for _ in 0..20 {
        let stack = stack_now(&php.process(), &interpreter, 512).unwrap();
        if stack.is_stable {
            assert_eq!(stack.end, End::Outermost);
            assert_eq!(&*stack.frames.last().unwrap().0.name, "<main>");
        }
    }
}

#[test]
fn a_process_that_ends() {
    let php = Php::start(&[("main.php", "<?php echo \"ready\\n\"; fgets(STDIN);")], &[]);
    let process = php.process();
    let interpreter = Interpreter::find(&process).unwrap();
    drop(php);
    assert!(matches!(
        stack_now(&process, &interpreter, 512),
        Err(zend::Error::Process(remote::Error::Gone(_)))
    ));
}
