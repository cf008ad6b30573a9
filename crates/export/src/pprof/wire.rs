//! Fields of a message, one after another, without holding what they hold.

/// One field.
#[derive(Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// A number.
    Varint(u32, u64),
    /// A text, a message or packed numbers.
    Bytes(u32, &'a [u8]),
    /// A fixed number, which profiles do not use.
    Fixed,
}

/// The fields of a message; the last item is an error where the bytes are no message.
pub struct Fields<'a>(pub &'a [u8]);

/// The bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or(Damaged))
    }
}

impl<'a> Fields<'a> {
    /// The bytes as packed numbers, up to where they stop being such.
    pub fn varints(mut self) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || if self.0.is_empty() { None } else { self.varint() })
    }

    fn field(&mut self) -> Option<Field<'a>> {
        let key = self.varint()?;
        let tag = u32::try_from(key >> 3).ok().filter(|&tag| tag > 0)?;
        match key & 7 {
            0 => Some(Field::Varint(tag, self.varint()?)),
            1 => self.bytes(8).map(|_| Field::Fixed),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Some(Field::Bytes(tag, self.bytes(length)?))
            }
            5 => self.bytes(4).map(|_| Field::Fixed),
            _ => None,
        }
    }

    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_one_by_one() {
        let fields: Vec<_> = Fields(&[0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 0, 0, 0, 0]).collect();
        assert_eq!(
            fields,
            [
                Ok(Field::Varint(1, 150)),
                Ok(Field::Bytes(2, b"hi")),
                Ok(Field::Fixed)
            ]
        );
    }

    #[test]
    fn damage_is_found_and_ends_it() {
        for bytes in [
            &[0x08][..],
            &[0x12, 3, 1],
            &[0x0b],
            &[0x00],
            &[0x08, 0xff],
            &[0xff; 12],
        ] {
            let fields: Vec<_> = Fields(bytes).collect();
            assert_eq!(fields, [Err(Damaged)], "{bytes:?}");
        }
    }
}
