//! `profile.proto`, gzipped, as `go tool pprof` and others read it.
//!
//! Samples have three values (samples, wall time, CPU time) and labels; memory is a number with the unit bytes, in steps,
//! so that it can be counted. A location
//! belongs to one of three mappings, which say what its line means: PHP code with its current line, PHP code
//! whose line is the function's first, or internal functions that have no line.

mod message;
mod read;
mod wire;
mod write;

pub use read::read;
pub use write::Pprof;

#[cfg(test)]
mod tests {
    use super::{message::Profile, wire::Fields};
    use crate::{Format, testing};
    use prost::Message;
    use std::io::Read;

    #[test]
    fn messages() {
        let packed = testing::bytes(Format::Pprof, &testing::profile());
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_end(&mut bytes)
            .unwrap();
        assert!(Fields(&bytes).all(|field| field.is_ok()));
        let profile = Profile::decode(&bytes[..]).unwrap();
        insta::assert_snapshot!(testing::without_version(&format!("{profile:#?}")));
    }
}
