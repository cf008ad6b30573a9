//! Against a real PHP.

mod fibers;
mod find;
mod stack;
mod support;
