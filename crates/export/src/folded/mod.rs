//! One line a stack, the outermost frame first: `<main>;App\Foo::bar;usleep 42`.

mod annotated;
mod read;
mod write;

#[cfg(feature = "svg")]
pub use annotated::write as write_annotated;
pub use read::{function, read, split_count};
pub use write::{Folded, Label, NO_FRAMES, Stack, label};

#[cfg(test)]
mod tests {
    use crate::{Format, testing};

    #[test]
    fn folded_text() {
        insta::assert_snapshot!(testing::export(Format::Folded));
    }
}
