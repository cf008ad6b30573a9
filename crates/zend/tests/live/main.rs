//! Against a real PHP.

mod find;
mod support;
