//! What was seen in a window, as it is at one moment.

use crate::{
    names::Named,
    requests::RequestId,
    window::{Cell, Doing, Served},
};
use foldhash::{HashMap, HashSet};
use profile::Source;
use std::{cmp::Reverse, hash::Hash, sync::Arc, time::Duration};

/// A function in a process and a request.
#[derive(Clone, Debug)]
pub struct Row {
    pub served: Served,
    pub function: Arc<Named>,
    pub cell: Cell,
}

/// What a process did for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    pub served: Served,
    pub doing: Doing,
}

/// A process or a request, by its `key`, with all that it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<K> {
    pub key: K,
    pub text: String,
    pub doing: Doing,
}

/// What is shown of all that was seen: what is of this process, of this request, and of requests with this in their text.
#[derive(Clone, Debug, Default)]
pub struct Only {
    pub pid: Option<u32>,
    pub request: Option<RequestId>,
    pub requests: String,
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
    pub work: Vec<Work>,
    /// What processes are called.
    pub titles: HashMap<u32, String>,
    /// What requests are called.
    pub requests: HashMap<RequestId, String>,
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
    /// What was done, of all that is shown.
    pub fn doing(&self, only: &Only) -> Doing {
        let mut doing = Doing::default();
        for work in self.shown(only) {
            doing.add(work.doing);
        }
        doing
    }

    /// The functions whose name or file contains `filter` in any case.
    pub fn functions(&self, only: &Only, filter: &str, sort: Sort) -> Vec<(Arc<Named>, Cell)> {
        let mut sums: HashMap<(&str, &str), (Arc<Named>, Cell)> = HashMap::default();
        let filter = filter.to_lowercase();
        let is_shown = self.filter(only);
        for row in &self.rows {
            if !is_shown(row.served) || !contains(&row.function, &filter) {
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

    /// The processes, those with most samples on a CPU first. All of them, since one is chosen among them.
    pub fn targets(&self, only: &Only) -> Vec<Group<u32>> {
        let only = Only {
            pid: None,
            ..only.clone()
        };
        let order = |doing: Doing| (doing.on_cpu, doing.waiting);
        self.groups(&only, |(pid, _)| pid, order, &self.titles)
    }

    /// The requests, those with most samples first; all of them likewise.
    pub fn requests(&self, only: &Only) -> Vec<Group<RequestId>> {
        let only = Only {
            request: None,
            ..only.clone()
        };
        let order = |doing: Doing| (doing.samples(), doing.on_cpu);
        self.groups(&only, |(_, request)| request, order, &self.requests)
    }

    fn groups<K: Copy + Ord + Hash>(
        &self,
        only: &Only,
        key: impl Fn(Served) -> K,
        order: impl Fn(Doing) -> (u64, u64),
        texts: &HashMap<K, String>,
    ) -> Vec<Group<K>> {
        let mut sums: HashMap<K, Doing> = HashMap::default();
        for work in self.shown(only) {
            sums.entry(key(work.served)).or_default().add(work.doing);
        }
        let mut groups: Vec<_> = sums
            .into_iter()
            .map(|(key, doing)| Group {
                key,
                text: texts.get(&key).cloned().unwrap_or_default(),
                doing,
            })
            .collect();
        groups.sort_by_key(|group| (Reverse(order(group.doing)), group.key));
        groups
    }

    fn shown(&self, only: &Only) -> impl Iterator<Item = &Work> {
        let is_shown = self.filter(only);
        self.work.iter().filter(move |work| is_shown(work.served))
    }

    /// Whether what was done for a request in a process is shown.
    fn filter(&self, only: &Only) -> impl Fn(Served) -> bool {
        let (pid, request) = (only.pid, only.request);
        let part = only.requests.to_lowercase();
        let matching: Option<HashSet<RequestId>> = (!part.is_empty()).then(|| {
            let texts = self.requests.iter();
            let matching = texts.filter(|(_, text)| text.to_lowercase().contains(&part));
            matching.map(|(&id, _)| id).collect()
        });
        move |(of, served)| {
            pid.is_none_or(|pid| pid == of)
                && request.is_none_or(|request| request == served)
                && matching
                    .as_ref()
                    .is_none_or(|matching| matching.contains(&served))
        }
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

    const CART: RequestId = RequestId::OTHER;

    fn row(pid: u32, request: RequestId, name: &str, own: u64, total: u64) -> Row {
        Row {
            served: (pid, request),
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

    fn snapshot() -> Snapshot {
        let work = |pid, request, on_cpu| Work {
            served: (pid, request),
            doing: Doing { on_cpu, waiting: 1 },
        };
        Snapshot {
            rows: vec![
                row(1, CART, "App\\A", 3, 9),
                row(2, RequestId::NONE, "App\\A", 4, 4),
                row(1, CART, "md5", 6, 6),
                row(2, CART, "b", 0, 20),
            ],
            work: vec![work(1, CART, 9), work(2, RequestId::NONE, 4), work(2, CART, 20)],
            titles: [(1, "php one"), (2, "php two")]
                .map(|(pid, title)| (pid, title.to_owned()))
                .into_iter()
                .collect(),
            requests: [(RequestId::NONE, "(none)"), (CART, "GET /cart")]
                .map(|(id, text)| (id, text.to_owned()))
                .into_iter()
                .collect(),
            ..Snapshot::default()
        }
    }

    fn of(pid: Option<u32>, request: Option<RequestId>, requests: &str) -> Only {
        Only {
            pid,
            request,
            requests: requests.to_owned(),
        }
    }

    #[test]
    fn functions_are_added_up_filtered_and_sorted() {
        let snapshot = snapshot();
        let shown = |only: Only, filter, sort| -> Vec<(String, u64, u64)> {
            let functions = snapshot.functions(&only, filter, sort);
            let row = |(named, cell): &(Arc<Named>, Cell)| (named.name.clone(), cell.own, cell.total);
            functions.iter().map(row).collect()
        };
        assert_eq!(
            shown(Only::default(), "", Sort::Own),
            [
                ("App\\A".into(), 7, 13),
                ("md5".into(), 6, 6),
                ("b".into(), 0, 20)
            ]
        );
        assert_eq!(
            shown(of(Some(1), None, ""), "", Sort::Total),
            [("App\\A".into(), 3, 9), ("md5".into(), 6, 6)]
        );
        assert_eq!(
            shown(of(Some(2), Some(CART), ""), "", Sort::Total),
            [("b".into(), 0, 20)]
        );
        assert_eq!(
            shown(of(None, None, "CART"), "", Sort::Own).len(),
            3,
            "of requests whose text has this"
        );
        assert_eq!(shown(of(None, None, "/other"), "", Sort::Own), []);
        assert_eq!(shown(Only::default(), "MD", Sort::Name), [("md5".into(), 6, 6)]);
        assert_eq!(
            shown(Only::default(), "app.php", Sort::Name).len(),
            3,
            "files are looked at, too"
        );
    }

    #[test]
    fn processes_and_requests_are_sums_of_the_same() {
        let snapshot = snapshot();
        let requests = |only: &Only| -> Vec<(String, u64)> {
            let groups = snapshot.requests(only);
            groups
                .into_iter()
                .map(|group| (group.text, group.doing.on_cpu))
                .collect()
        };
        let targets = |only: &Only| -> Vec<(u32, u64)> {
            let groups = snapshot.targets(only);
            groups
                .iter()
                .map(|group| (group.key, group.doing.on_cpu))
                .collect()
        };
        let all = Only::default();
        assert_eq!(requests(&all), [("GET /cart".into(), 29), ("(none)".into(), 4)]);
        assert_eq!(targets(&all), [(2, 24), (1, 9)]);
        assert_eq!(snapshot.doing(&all).samples(), 36);
        let one = of(Some(1), None, "");
        assert_eq!(requests(&one), [("GET /cart".into(), 9)]);
        assert_eq!(targets(&one), [(2, 24), (1, 9)], "one is chosen among all");
        let cart = of(None, Some(CART), "");
        assert_eq!(targets(&cart), [(2, 20), (1, 9)]);
        assert_eq!(requests(&cart).len(), 2);
        assert_eq!(requests(&of(None, None, "none")), [("(none)".into(), 4)]);
    }
}
