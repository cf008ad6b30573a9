//! Waits that go on: they are in no second yet.

use crate::{
    names::Names,
    snapshot::{Row, Work},
    window::{Cell, Doing, Served},
};
use foldhash::HashMap;
use profile::FunctionId;

/// A wait that goes on.
#[derive(Debug)]
pub struct OpenWait {
    pub served: Served,
    /// When it began, counted from the beginning of the recording.
    pub since_ns: u64,
    /// The functions of its stack, each once, the innermost first.
    pub functions: Vec<FunctionId>,
}

/// All of them, by thread.
pub type OpenWaits = HashMap<u32, OpenWait>;

impl OpenWait {
    /// What it adds to a window that reaches from one moment to another.
    pub fn add(
        &self,
        names: &Names,
        (from_ns, until_ns, period_ns): (u64, u64, u64),
        rows: &mut Vec<Row>,
        work: &mut Vec<Work>,
    ) {
        let periods = until_ns.saturating_sub(from_ns.max(self.since_ns)) / period_ns.max(1);
        if periods == 0 {
            return;
        }
        let waiting = Doing {
            on_cpu: 0,
            waiting: periods,
        };
        work.push(Work {
            served: self.served,
            doing: waiting,
        });
        rows.extend(self.functions.iter().enumerate().map(|(depth, &function)| {
            let own = if depth == 0 { periods } else { 0 };
            let cell = Cell {
                own,
                total: periods,
                waiting: own,
            };
            Row {
                served: self.served,
                function: names.get(function),
                cell,
            }
        }));
    }
}
