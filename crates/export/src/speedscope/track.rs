//! One thread's samples in order, in as few bytes as they need.

/// A sample: the number of its stack, the number of its state (0 to 3), its weight (below 2^62).
pub type Item = (usize, u8, u64);

/// Samples as numbers of variable length: the stack; then weight and state in one.
#[derive(Debug, Default)]
pub struct Track(Vec<u8>);

impl Track {
    pub fn push(&mut self, (stack, state, weight): Item) {
        self.varint(stack as u64);
        self.varint(weight.min(u64::MAX >> 2) << 2 | u64::from(state & 3));
    }

    pub fn iter(&self) -> impl Iterator<Item = Item> + '_ {
        let mut bytes = &self.0[..];
        std::iter::from_fn(move || {
            let stack = varint(&mut bytes)? as usize;
            let rest = varint(&mut bytes)?;
            Some((stack, (rest & 3) as u8, rest >> 2))
        })
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_common_sample_takes_two_bytes() {
        let mut track = Track::default();
        track.push((127, 2, 31));
        assert_eq!(track.0.len(), 2);
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(items in prop::collection::vec((0..=u32::MAX as usize, 0..=3_u8, 0..1_u64 << 62), 0..50)) {
            let mut track = Track::default();
            for &item in &items {
                track.push(item);
            }
            prop_assert_eq!(track.iter().collect::<Vec<_>>(), items);
        }
    }
}
