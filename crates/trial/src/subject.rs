//! What is measured.

use std::error::Error;

/// What one measurement gives: a figure that is finite and above 0, or why there is none.
pub type Measured = Result<f64, Box<dyn Error + Send + Sync>>;

/// Something that yields one figure per call: a command's wall time, a subject's nanoseconds, a count of instructions.
///
/// The two subjects of a comparison have to differ in nothing but what is compared. A process that lives on from call to
/// call carries its own luck with it (where its memory lies): two such processes of the same code do differ, and
/// a trial says so. Start anew for each figure.
pub trait Subject {
    /// Measures once.
    fn measure(&mut self) -> Measured;
}

impl<F: FnMut() -> Measured> Subject for F {
    fn measure(&mut self) -> Measured {
        self()
    }
}
