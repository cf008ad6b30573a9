//! What was seen in a window, as it is at one moment.

use crate::{
    names::Named,
    window::{Cell, Doing},
};
use profile::Source;
use std::{collections::HashMap, sync::Arc, time::Duration};

/// A function in a process.
#[derive(Clone, Debug)]
pub struct Row {
    pub pid: u32,
    pub function: Arc<Named>,
    pub cell: Cell,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub pid: u32,
    pub title: String,
    pub doing: Doing,
}

/// What came to the account.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    pub idle: u64,
    pub missed: u64,
    pub lost: u64,
    /// Processes that are watched.
    pub targets: usize,
    /// CPU time of this process, as a share of a core.
    pub own_cpu: f64,
}

/// What was seen in a window.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// How long the window is; at first it is shorter than asked for.
    pub covered: Duration,
    pub source: Option<Source>,
    pub rows: Vec<Row>,
    pub targets: Vec<Target>,
    /// Samples whose functions are not shown.
    pub not_kept: u64,
    pub account: Option<Account>,
    pub warning: Option<String>,
}

/// By what a table of functions is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Own,
    Total,
    Waiting,
    Name,
}

impl Sort {
    pub const fn next(self) -> Self {
        match self {
            Self::Own => Self::Total,
            Self::Total => Self::Waiting,
            Self::Waiting => Self::Name,
            Self::Name => Self::Own,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "self",
            Self::Total => "total",
            Self::Waiting => "waiting",
            Self::Name => "name",
        }
    }
}

impl Snapshot {
    /// What all processes did, or one.
    pub fn doing(&self, only: Option<u32>) -> Doing {
        let mut doing = Doing::default();
        for target in &self.targets {
            if only.is_none_or(|pid| pid == target.pid) {
                doing.add(target.doing);
            }
        }
        doing
    }

    /// The functions of all processes, or of one, whose name or file contains `filter` in any case.
    pub fn functions(&self, only: Option<u32>, filter: &str, sort: Sort) -> Vec<(Arc<Named>, Cell)> {
        let mut sums: HashMap<(&str, &str), (Arc<Named>, Cell)> = HashMap::new();
        let filter = filter.to_lowercase();
        for row in &self.rows {
            if only.is_some_and(|pid| pid != row.pid) || !contains(&row.function, &filter) {
                continue;
            }
            sums.entry((&row.function.name, &row.function.place))
                .or_insert_with(|| (Arc::clone(&row.function), Cell::default()))
                .1
                .add(row.cell);
        }
        let mut functions: Vec<_> = sums.into_values().collect();
        functions.sort_by(|(one, a), (other, b)| {
            let by = match sort {
                Sort::Own => (b.own, b.total).cmp(&(a.own, a.total)),
                Sort::Total => (b.total, b.own).cmp(&(a.total, a.own)),
                Sort::Waiting => (b.waiting, b.own).cmp(&(a.waiting, a.own)),
                Sort::Name => one.name.to_lowercase().cmp(&other.name.to_lowercase()),
            };
            by.then_with(|| (&one.name, &one.place).cmp(&(&other.name, &other.place)))
        });
        functions
    }

    /// The processes, those with most samples on a CPU first.
    pub fn sorted_targets(&self) -> Vec<&Target> {
        let mut targets: Vec<_> = self.targets.iter().collect();
        targets.sort_by(|one, other| {
            let key = |target: &Target| (target.doing.on_cpu, target.doing.waiting);
            key(other).cmp(&key(one)).then_with(|| one.pid.cmp(&other.pid))
        });
        targets
    }
}

fn contains(function: &Named, filter: &str) -> bool {
    filter.is_empty()
        || function.name.to_lowercase().contains(filter)
        || function.place.to_lowercase().contains(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: u32, name: &str, own: u64, total: u64) -> Row {
        Row {
            pid,
            function: Arc::new(Named {
                name: name.into(),
                place: "/srv/App.php:3".into(),
            }),
            cell: Cell {
                own,
                total,
                waiting: own / 2,
            },
        }
    }

    #[test]
    fn functions_are_added_up_filtered_and_sorted() {
        let snapshot = Snapshot {
            rows: vec![
                row(1, "App\\A", 3, 9),
                row(2, "App\\A", 4, 4),
                row(1, "md5", 6, 6),
                row(2, "b", 0, 20),
            ],
            ..Snapshot::default()
        };
        let shown = |only, filter, sort| -> Vec<(String, u64, u64)> {
            let functions = snapshot.functions(only, filter, sort);
            let row = |(named, cell): &(Arc<Named>, Cell)| (named.name.clone(), cell.own, cell.total);
            functions.iter().map(row).collect()
        };
        assert_eq!(
            shown(None, "", Sort::Own),
            [
                ("App\\A".into(), 7, 13),
                ("md5".into(), 6, 6),
                ("b".into(), 0, 20)
            ]
        );
        assert_eq!(
            shown(Some(1), "", Sort::Total),
            [("App\\A".into(), 3, 9), ("md5".into(), 6, 6)]
        );
        assert_eq!(shown(None, "MD", Sort::Name), [("md5".into(), 6, 6)]);
        assert_eq!(
            shown(None, "app.php", Sort::Name).len(),
            3,
            "files are looked at, too"
        );
    }
}
