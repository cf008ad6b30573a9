//! What the keys are, and what the figures mean.

/// A line each; a key and what it does, or a remark.
pub const HELP: [(&str, &str); 21] = [
    ("q, Ctrl-C", "leave"),
    ("Tab", "to the processes, the requests (--request), the functions"),
    ("↑ ↓ PgUp PgDn", "choose a row; also j, k, g, G"),
    ("/", "show functions, or requests, with this in their name"),
    ("s", "sort by self, total, waiting or name"),
    ("w W", "a longer or a shorter window"),
    ("Space, p", "pause, and go on"),
    ("f", "only what is of the chosen process or request; again: all"),
    ("Enter", "on a process: its stack as it is now, kept until Esc"),
    ("Enter, r", "in a stack: look again"),
    ("Esc", "back; all functions of all processes and requests"),
    ("", ""),
    ("self", "share of the samples in which it was the innermost frame"),
    ("total", "share of those in which it was anywhere on the stack"),
    ("waiting", "the part of self in which it did not run on a CPU"),
    ("idle", "periods in which a process ran no PHP code"),
    ("missed", "periods that nobody saw; lost: seen and thrown away"),
    (
        "own CPU",
        "of phperf itself; what it costs the kernel is not in it",
    ),
    ("", ""),
    ("", "A wait is seen when it ends, and then counts in all the"),
    ("", "seconds that it took. Any key closes this."),
];
