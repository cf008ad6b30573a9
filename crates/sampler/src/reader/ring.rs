//! Records on their way from the thread that samples to the one that drains.
//!
//! One ring a target: it moves with the target from one sampling thread to the next, so that an announcement
//! stays before the samples that rely on it. Each record is preceded by its length in bytes and filled up to
//! whole words.

use rtrb::{Consumer, Producer, RingBuffer};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::Duration,
};
use zerocopy::IntoBytes;

const WORD: usize = size_of::<u64>();

/// The ring has no room for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A ring of at least `bytes` bytes.
pub fn ring(bytes: usize, bell: Arc<Bell>) -> (Sender, Receiver) {
    let (producer, consumer) = RingBuffer::new(bytes.div_ceil(WORD));
    let sender = Sender {
        half: producer.buffer().capacity() / 2,
        producer,
        bell,
    };
    let receiver = Receiver {
        consumer,
        joined: Vec::new(),
    };
    (sender, receiver)
}

/// The end that is written.
#[derive(Debug)]
pub struct Sender {
    producer: Producer<u64>,
    half: usize,
    bell: Arc<Bell>,
}

impl Sender {
    /// Puts one record, given in three parts, the first two of whole words.
    pub fn send(&mut self, head: &[u64], body: &[u64], tail: &[u8]) -> Result<(), Full> {
        let (words, rest) = tail.as_chunks::<WORD>();
        let count = 1 + head.len() + body.len() + words.len() + usize::from(!rest.is_empty());
        let Ok(chunk) = self.producer.write_chunk_uninit(count) else {
            self.bell.ring();
            return Err(Full);
        };
        let length = ((head.len() + body.len()) * WORD + tail.len()) as u64;
        let mut last = [0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        chunk.fill_from_iter(
            std::iter::once(length)
                .chain(head.iter().copied())
                .chain(body.iter().copied())
                .chain(words.iter().map(|word| u64::from_ne_bytes(*word)))
                .chain((!rest.is_empty()).then_some(u64::from_ne_bytes(last))),
        );
        if self.producer.slots() < self.half {
            self.bell.ring();
        }
        Ok(())
    }
}

/// The end that is read.
#[derive(Debug)]
pub struct Receiver {
    consumer: Consumer<u64>,
    /// Where a record is joined that begins at the end of the ring and ends at its start.
    joined: Vec<u64>,
}

impl Receiver {
    /// Hands out all records that are there, each whole.
    pub fn drain(&mut self, each: &mut dyn FnMut(&[u8])) {
        while let Ok(&length) = self.consumer.peek() {
            let length = length as usize;
            let Ok(chunk) = self.consumer.read_chunk(1 + length.div_ceil(WORD)) else {
                return;
            };
            let (first, second) = chunk.as_slices();
            let words = if second.is_empty() {
                first
            } else {
                self.joined.clear();
                self.joined.extend_from_slice(first);
                self.joined.extend_from_slice(second);
                &self.joined
            };
            each(&words[1..].as_bytes()[..length]);
            chunk.commit_all();
        }
    }

    /// Whether nobody sends any more; what was sent may still be there.
    pub fn is_abandoned(&self) -> bool {
        self.consumer.is_abandoned()
    }
}

/// Wakes the thread that drains, when a ring is half full.
#[derive(Debug, Default)]
pub struct Bell {
    rung: AtomicBool,
    listener: Mutex<Option<Thread>>,
}

impl Bell {
    fn ring(&self) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        // Never wait here: if the lock is held, its holder is awake and drains soon.
        if let Ok(listener) = self.listener.try_lock()
            && let Some(thread) = &*listener
        {
            thread.unpark();
        }
    }

    /// Waits until the bell rings, at most for `timeout`.
    pub fn wait(&self, timeout: Duration) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
        if !self.rung.load(Ordering::Acquire) {
            thread::park_timeout(timeout);
        }
        self.rung.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_ring_refuses_and_rings() {
        let bell = Arc::new(Bell::default());
        let (mut sender, mut receiver) = ring(64, bell.clone());
        assert_eq!(sender.send(&[1], &[2], b"abc"), Ok(()));
        assert!(!bell.rung.load(Ordering::Relaxed));
        assert_eq!(sender.send(&[3], &[], b"12345678"), Ok(()));
        assert!(bell.rung.load(Ordering::Relaxed));
        assert_eq!(sender.send(&[4], &[], b""), Err(Full));
        bell.wait(Duration::MAX);
        let mut seen = Vec::new();
        receiver.drain(&mut |record| seen.push(record.to_vec()));
        assert_eq!(seen[0], [1_u64.as_bytes(), 2_u64.as_bytes(), b"abc"].concat());
        assert_eq!(seen[1], [3_u64.as_bytes(), b"12345678"].concat());
        assert_eq!(seen.len(), 2);
        assert!(!receiver.is_abandoned());
        drop(sender);
        assert!(receiver.is_abandoned());
    }

    proptest! {
        #[test]
        fn records_come_out_as_they_went_in(
            records in proptest::collection::vec(
                (
                    proptest::collection::vec(any::<u64>(), 0..4),
                    proptest::collection::vec(any::<u64>(), 0..4),
                    proptest::collection::vec(any::<u8>(), 0..30),
                ),
                0..50,
            ),
        ) {
            let (mut sender, mut receiver) = ring(128, Arc::default());
            let mut seen = Vec::new();
            for (head, body, tail) in &records {
                if sender.send(head, body, tail).is_err() {
                    receiver.drain(&mut |record| seen.push(record.to_vec()));
                    sender.send(head, body, tail).unwrap();
                }
            }
            receiver.drain(&mut |record| seen.push(record.to_vec()));
            let expected: Vec<_> =
                records.iter().map(|(head, body, tail)| [head.as_bytes(), body.as_bytes(), tail].concat()).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
