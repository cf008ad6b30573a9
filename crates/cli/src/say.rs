//! What is said to whoever looks on: `print!` and its kin, of this crate's own.
//!
//! Those of the standard library panic where nobody reads any more (`phperf … 2>&1 | head`) or a disk is full, in the middle
//! of whatever is told of. What has to arrive is written with `write!`, whose errors count.

macro_rules! print {
    ($($said:tt)*) => { $crate::say::to(std::io::stdout(), format_args!($($said)*)) };
}

macro_rules! println {
    () => { print!("\n") };
    ($($said:tt)*) => { print!("{}\n", format_args!($($said)*)) };
}

macro_rules! eprint {
    ($($said:tt)*) => { $crate::say::to(std::io::stderr(), format_args!($($said)*)) };
}

macro_rules! eprintln {
    () => { eprint!("\n") };
    ($($said:tt)*) => { eprint!("{}\n", format_args!($($said)*)) };
}

/// Says it, if anybody listens.
pub fn to(mut stream: impl std::io::Write, said: std::fmt::Arguments<'_>) {
    let _ = stream.write_fmt(said);
}
