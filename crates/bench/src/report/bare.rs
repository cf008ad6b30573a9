//! Every sample with everything that is known of it, for programs.

use super::{Cell, Table, iterations::each};
use crate::model::{Memory, Suite};
use serde_json::Value;

const COLUMNS: [&str; 18] = [
    "suite_tag",
    "suite_date",
    "benchmark_class",
    "subject_name",
    "subject_groups",
    "executor",
    "variant_name",
    "variant_params",
    "variant_revs",
    "variant_iterations",
    "iteration_index",
    "result_time_raw",
    "result_time_overhead",
    "result_time_net",
    "result_time_avg",
    "result_mem_peak",
    "result_mem_real",
    "result_mem_final",
];

pub(super) fn tables(suite: &Suite) -> Vec<Table> {
    let mut table = Table::new("", &COLUMNS);
    each(suite, |class, subject, variant, _, sample| {
        let bytes = |of: fn(Memory) -> u64| sample.memory.map(of).map_or(Value::Null, Value::from);
        let values: [Value; COLUMNS.len()] = [
            suite.tag.clone().into(),
            suite.started.into(),
            class.name.clone().into(),
            subject.name.clone().into(),
            subject.groups.clone().into(),
            subject.executor.clone().into(),
            variant.set.clone().into(),
            variant.parameters.clone(),
            sample.revolutions.into(),
            variant.iterations.into(),
            sample.iteration.into(),
            sample.raw.into(),
            sample.overhead.into(),
            sample.net().into(),
            sample.per_revolution().into(),
            bytes(|memory| memory.peak),
            bytes(|memory| memory.real),
            bytes(|memory| memory.r#final),
        ];
        table.rows.push(values.into_iter().map(bare).collect());
    });
    vec![table]
}

fn bare(value: Value) -> Cell {
    let text = match &value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    };
    Cell { text, value }
}
