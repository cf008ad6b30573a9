//! How much memory a target held.

/// What PHP's allocator holds of the target's memory, as `memory_get_usage()` and `memory_get_peak_usage()` tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memory {
    /// Bytes in use.
    pub used: u64,
    /// The most bytes that were in use since the request began.
    pub peak: u64,
}

impl Memory {
    /// Both figures rounded up to eighths of a power of two, at most an eighth too much: figures that are nearly equal
    /// become equal, so that samples can be counted by them.
    #[must_use]
    pub fn in_steps(self) -> Self {
        Self {
            used: step(self.used),
            peak: step(self.peak),
        }
    }
}

/// The next number with nothing below its four highest bits.
fn step(bytes: u64) -> u64 {
    let below = u64::BITS - bytes.leading_zeros();
    let low = (1_u64 << below.saturating_sub(4)) - 1;
    bytes.checked_add(low).map_or(u64::MAX, |sum| sum & !low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_eighths_of_a_power_of_two() {
        for (bytes, stepped) in [
            (0, 0),
            (15, 15),
            (17, 18),
            (1000, 1024),
            (1025, 1152),
            (2 << 20, 2 << 20),
        ] {
            assert_eq!(step(bytes), stepped, "{bytes}");
        }
        assert_eq!(step(u64::MAX), u64::MAX);
    }

    proptest! {
        #[test]
        fn a_step_is_near_and_stays_itself(bytes in 0..u64::MAX >> 1) {
            let stepped = step(bytes);
            prop_assert!(stepped >= bytes && stepped - bytes <= bytes / 8);
            prop_assert_eq!(step(stepped), stepped);
        }
    }
}
