//! OpenTelemetry's profiles (`v1development`), as a collector takes them.
//!
//! The bytes are a `ProfilesData`, and so the body of an export request, too. One profile for each type of value; all
//! share the dictionary. That format may still change, as its name says; it cannot be read back.

mod message;
mod table;
mod write;

pub use write::Otlp;
