//! Reads the profile that a flame graph of phperf carries.

use super::{METADATA, METADATA_END};
use crate::{
    Format, folded,
    read::{MAX_WHOLE, ReadError, Saved},
};
use std::io::{BufRead, Read};

/// Reads to the end.
pub fn read(input: &mut dyn BufRead) -> Result<Saved, ReadError> {
    let mut bytes = Vec::new();
    if input.take(MAX_WHOLE + 1).read_to_end(&mut bytes)? as u64 > MAX_WHOLE {
        return Err(ReadError::TooLarge(MAX_WHOLE));
    }
    let text = String::from_utf8_lossy(&bytes);
    // The first one: in the picture itself such text is escaped, in the data it may stand as it is.
    let (_, data) = text.split_once(METADATA).ok_or(ReadError::BareSvg)?;
    let (data, _) = data.split_once(METADATA_END).ok_or(ReadError::Malformed {
        format: Format::Svg,
        why: "the profile in it has no end; the file may be cut off".into(),
    })?;
    let data = data.replace("]]><![CDATA[", "");
    folded::read(Format::Svg, &mut data.as_bytes())
}
