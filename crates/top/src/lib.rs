//! The live terminal view: where running PHP spends its time just now.
//!
//! A [`Feed`] takes samples in from whoever has them and keeps what was seen lately, in bounded memory; [`run`] shows it
//! until the user leaves. It must not know where samples come from, nor how a process is looked at: the caller feeds
//! it, and hands it a function that tells the stack of a process.

mod feed;
mod names;
mod open;
mod requests;
mod snapshot;
mod terminal;
mod view;
mod window;

pub use feed::{Feed, Standing};
pub use terminal::{NoTerminal, Screen};
pub use view::{Look, Shown, run};
