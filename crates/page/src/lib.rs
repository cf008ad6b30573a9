//! Pages for a browser: one file each, which asks nothing of any network, with charts of figures.
//!
//! It must not know what was measured: samples, ratios and points come in, markup goes out. Charts are stretched by
//! the browser to the width there is; what must keep its shape, such as text and dots, is placed in per cent.

mod axis;
mod history;
mod ratios;
mod shell;
mod strip;

pub use axis::{Axis, Fit};
pub use history::{Point, history, sparkline};
pub use ratios::{Ratio, Ratios};
pub use shell::page;
pub use strip::{Row, strip};
