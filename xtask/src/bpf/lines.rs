//! Where each instruction came from in the source: half of an object, and nothing that the kernel needs.

use anyhow::{Context, Result, ensure};

/// The header of `.BTF.ext`, up to where the relocations of CO-RE are.
const HEADER: usize = 32;
const MAGIC: u16 = 0xeb9f;

/// `.BTF.ext` with the types of functions alone. The kernel verifies global functions one by one by these.
pub fn leave_out(section: &[u8]) -> Result<Vec<u8>> {
    let word = |at: usize| {
        let bytes = section.get(at..at + 4).context("it ends in its header")?;
        Ok::<_, anyhow::Error>(u32::from_le_bytes(bytes.try_into()?))
    };
    ensure!(
        section.starts_with(&MAGIC.to_le_bytes()) && word(4)? as usize == HEADER,
        "it has a header that is not known"
    );
    let (at, length) = (word(8)?, word(12)?);
    ensure!(
        at == 0 && word(28)? == 0,
        "the types of functions do not come first and alone"
    );
    let functions = section
        .get(HEADER..HEADER + length as usize)
        .context("the types of functions end behind it")?;
    let mut kept = section[..16].to_vec();
    // Lines, then relocations: where each would begin, and none of them.
    for word in [length, 0, length, 0] {
        kept.extend(word.to_le_bytes());
    }
    kept.extend(functions);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(words: [u32; 6], rest: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x9f, 0xeb, 1, 0];
        bytes.extend((HEADER as u32).to_le_bytes());
        bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(rest);
        bytes
    }

    #[test]
    fn types_of_functions_stay_and_lines_go() {
        let whole = section([0, 4, 4, 8, 12, 0], b"FUNClineLINE");
        assert_eq!(leave_out(&whole).unwrap(), section([0, 4, 4, 0, 4, 0], b"FUNC"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let cut = section([0, 40, 40, 0, 40, 0], b"FUNC");
        let relocated = section([0, 4, 4, 0, 4, 4], b"FUNCCORE");
        for bytes in [&cut[..], &relocated, b"\x9f\xeb", b""] {
            leave_out(bytes).unwrap_err();
        }
    }
}
