//! Frames of C between two functions of PHP.

use crate::{
    stack::Stack,
    support::{Recording, cli, script},
    until_all,
};
use php::{Ini, Launch, workload};

/// A function of PHP, one of C that it has called, and a function of PHP inside of that. (PHP 7.4 has one of its own between
/// it and an autoloader.)
type Between<'a> = (&'a str, &'a str, &'a str);

fn shows(stack: &Stack, &(by, name, back): &Between<'_>) -> bool {
    let found = stack
        .0
        .iter()
        .position(|called| called.by == by && called.c.iter().any(|frame| frame.contains(name)));
    found.is_some_and(|found| stack.0[found + 1..].iter().any(|inner| inner.by.contains(back)))
}

const WANTED: [Between<'_>; 11] = [
    ("usort", "zend_sort ", "compares_two"),
    ("usort", "zend_insert_sort ", "compares_two"),
    ("array_map", "zif_array_map ", "{closure"),
    ("array_map", "zend_call_function ", "array_map"),
    ("preg_replace_callback", "zend_call_function ", "{closure"),
    ("destructs", "zend_objects_store_del ", "Subject::__destruct"),
    ("gets", "zend_std_read_property ", "Subject::__get"),
    ("loads", "zend_lookup_class_ex ", "autoload"),
    ("generates", "zend_generator_resume ", "generator"),
    ("generates_all", "zend_generator_resume ", "outer"),
    ("counts", "zend_call_function ", "Subject::count"),
];

fn record(ini: Ini) -> Vec<Stack> {
    let target = Launch::new(&cli(), workload("between.php"))
        .arg("600")
        .ini(ini)
        .spawn()
        .unwrap();
    until_all(
        || Recording::of(&target, "folded", "--native -d 1 -H 997"),
        &WANTED,
        shows,
    )
}

#[test]
fn c_is_between_two_functions_of_php() {
    record(Ini::new());
}

#[test]
fn so_it_is_where_phps_jit_made_code() {
    record(Ini::new().jit());
}

#[test]
fn samples_of_the_interpreter_itself_have_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php echo \"ready\\n\";
         function compares_two($one, $other) { for ($i = 0, $sum = 0; $i < 200; $i++) { $sum += $i; } return $one <=> $other; }
         function sorts() { $list = range(1, 50); shuffle($list); usort($list, 'compares_two'); }
         while (true) { sorts(); }";
    let target = script(folder.path(), source);
    until_all(
        || Recording::of(&target, "folded", "--native -d 1 -H 997"),
        &[("usort", "zend_call_function ", "compares_two")],
        |stack, wanted| {
            shows(stack, wanted) && stack.leaf() == "compares_two" && stack.innermost().is_empty()
        },
    );
}

#[test]
fn a_fiber_has_a_stack_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php echo \"ready\\n\"; function works() { return hash('sha256', str_repeat('x', 9000)); }
         function runs() { while (true) { array_map(fn($x) => works(), range(1, 5)); Fiber::suspend(); } }
         $fiber = new Fiber('runs'); $fiber->start(); while (true) { $fiber->resume(); }";
    let target = script(folder.path(), source);
    let stacks = until_all(
        || Recording::of(&target, "folded", "--native -d 1 -H 997"),
        &[("array_map", "zif_array_map ", "{closure")],
        shows,
    );
    for stack in &stacks {
        let resumed = stack.0.iter().position(|called| called.by == "Fiber::resume");
        if let Some(resumed) = resumed.filter(|at| at + 1 < stack.0.len()) {
            assert!(stack.0[resumed].c.is_empty(), "{stack:#?}");
        }
    }
}
