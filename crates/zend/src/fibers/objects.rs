//! The table of all objects.

use crate::Layout;
use remote::{Memory, ReadError};

/// Among so many objects fibers are looked for: some seconds' reading.
pub const OBJECTS_MAX: u32 = 1 << 20;
/// Pointers that are read at once.
const CHUNK: u32 = 1024;
/// How often it is looked again, where the table moved meanwhile.
const LOOKS: u32 = 5;
const POINTER: u64 = 8;
/// `OBJ_BUCKET_INVALID`: in the lowest bit of a place whose object is gone or will be.
const INVALID: u64 = 1;

/// The table of objects of a thread.
pub struct Objects<'a, M> {
    pub memory: &'a M,
    pub layout: &'static Layout,
    /// The address of `objects_store.object_buckets`.
    pub table: u64,
    /// The address of `objects_store.top`.
    pub top: u64,
    /// The address of the class `Fiber`.
    pub class: u64,
}

/// What was found in it.
pub struct Found {
    /// The handles of fibers.
    pub ids: Vec<u32>,
    /// Objects that were not looked at.
    pub unseen: u32,
    /// Whether the table moved each time.
    pub moved: bool,
}

impl<M: Memory> Objects<'_, M> {
    /// Finds the fibers.
    pub fn find(&self) -> Result<Found, ReadError> {
        let mut looks = 0;
        loop {
            looks += 1;
            let table = self.memory.read_u64(self.table)?;
            let count = if table == 0 {
                0
            } else {
                self.memory.read_u32(self.top)?
            };
            let seen = count.min(OBJECTS_MAX);
            let ids = self.fibers(table, seen);
            let moved = self.memory.read_u64(self.table)? != table;
            match ids {
                Ok(ids) if !moved || looks == LOOKS => {
                    return Ok(Found {
                        ids,
                        unseen: count - seen,
                        moved,
                    });
                }
                Err(error) if looks == LOOKS => return Err(error),
                _ => {}
            }
        }
    }

    fn fibers(&self, table: u64, count: u32) -> Result<Vec<u32>, ReadError> {
        let mut ids = Vec::new();
        let mut bytes = [0; CHUNK as usize * POINTER as usize];
        for first in (0..count).step_by(CHUNK as usize) {
            let bytes = &mut bytes[..((count - first).min(CHUNK) as usize) * POINTER as usize];
            self.memory
                .read(table.wrapping_add(u64::from(first) * POINTER), bytes)?;
            let (places, _) = bytes.as_chunks();
            for (id, place) in (first..).zip(places) {
                // An object that ended meanwhile may have taken its memory along.
                if self.is_fiber(u64::from_ne_bytes(*place)).unwrap_or(false) {
                    ids.push(id);
                }
            }
        }
        Ok(ids)
    }

    /// The address of the fiber that has this handle now.
    pub fn fiber(&self, id: u32) -> Result<Option<u64>, ReadError> {
        let table = self.memory.read_u64(self.table)?;
        let object = self
            .memory
            .read_u64(table.wrapping_add(u64::from(id) * POINTER))?;
        Ok(self.is_fiber(object)?.then_some(object))
    }

    fn is_fiber(&self, object: u64) -> Result<bool, ReadError> {
        if object == 0 || object & INVALID != 0 {
            return Ok(false);
        }
        let class = object.wrapping_add(u64::from(self.layout.object_ce));
        Ok(self.memory.read_u64(class)? == self.class)
    }
}
