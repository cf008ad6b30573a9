//! Against a real PHP.

mod find;
mod stack;
mod support;
