//! What the tables of all benchmarks share: figures with their spread and their bounds, tables as Markdown and
//! CSV, rounds in which everybody has their turn, the command line, instructions, busy neighbours, and what the
//! machine is.

pub mod callgrind;
pub mod figure;
pub mod machine;
pub mod neighbours;
pub mod results;
pub mod rounds;
pub mod settings;
pub mod table;
