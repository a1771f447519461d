//! What kernels print: the FIFO in pinned memory, and C's formatting.

use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use abi::sm::{PrintfFifo, PrintfRecord};
use cuda_abi::driver::CUresult;

use super::context::Live;
use super::memory::{Allocation, Kind};

mod format;

/// The FIFO of a context.
#[derive(Debug)]
pub(crate) struct Fifo {
    memory: Arc<Allocation>,
    ring_bytes: u64,
    draining: Mutex<()>,
}

const HEAD: u64 = size_of::<PrintfFifo>() as u64;
/// Offsets in [`PrintfFifo`].
const TAIL_AT: u64 = 0;
const HEAD_AT: u64 = 8;
const BYTES_AT: u64 = 16;
const DROPPED_AT: u64 = 24;
/// Kind of a record that only takes room.
const FILLER: u16 = 0xffff;
/// Kind of a record with an assertion's text.
const ASSERTION: u16 = 1;

impl Fifo {
    /// Makes an empty FIFO of at least `bytes`.
    pub(crate) fn create(live: &Live, bytes: u64) -> Result<Self, CUresult> {
        let ring_bytes = bytes.max(4096).next_multiple_of(8);
        let memory = live.allocate(HEAD + ring_bytes, 4096, Kind::Host, 0)?;
        let fifo = Self {
            memory,
            ring_bytes,
            draining: Mutex::new(()),
        };
        // The memory may have been used before: records are told by their first word.
        if !fifo.memory.is_fresh() {
            for at in (HEAD..HEAD + ring_bytes).step_by(8) {
                fifo.word(at).store(0, Ordering::Relaxed);
            }
        }
        for (at, value) in [
            (TAIL_AT, 0),
            (HEAD_AT, 0),
            (DROPPED_AT, 0),
            (BYTES_AT, ring_bytes),
        ] {
            fifo.word(at).store(value, Ordering::Release);
        }
        Ok(fifo)
    }

    /// GPU address.
    pub(crate) fn va(&self) -> u64 {
        self.memory.va
    }

    fn address(&self, at: u64) -> usize {
        assert!(at + 8 <= HEAD + self.ring_bytes, "outside the FIFO");
        usize::try_from(self.memory.va + at).unwrap_or_default()
    }

    fn word(&self, at: u64) -> &AtomicU64 {
        // SAFETY: inside the allocation, a multiple of 8, and only accessed atomically.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(self.address(at))) }
    }

    fn size_word(&self, at: u64) -> &AtomicU32 {
        // SAFETY: as above; the first word of a record.
        unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(self.address(at))) }
    }

    /// Prints all complete records.
    pub(crate) fn drain(&self) {
        let head = self.word(HEAD_AT);
        if head.load(Ordering::Relaxed) == self.word(TAIL_AT).load(Ordering::Acquire) {
            return;
        }
        let _draining = self
            .draining
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        loop {
            let at = head.load(Ordering::Relaxed);
            let tail = self.word(TAIL_AT).load(Ordering::Acquire);
            let Some(record) = self.take(at, tail) else {
                break;
            };
            match record.kind {
                FILLER => {}
                ASSERTION => format::print(&mut err, &record.bytes, record.args),
                _ => format::print(&mut out, &record.bytes, record.args),
            }
            head.store(at + record.len, Ordering::Release);
        }
        write_stdout(&out);
        let _ = std::io::stderr().write_all(&err);
        let dropped = self.word(DROPPED_AT).swap(0, Ordering::Relaxed);
        if dropped > 0 {
            crate::boundary::complain(&format!(
                "{dropped} printf records did not fit the FIFO of {} bytes (cuCtxSetLimit)",
                self.ring_bytes
            ));
        }
    }

    /// The record at `at`, if it is complete; its place is cleared for the next round.
    fn take(&self, at: u64, tail: u64) -> Option<Record> {
        if at >= tail {
            return None;
        }
        let start = at % self.ring_bytes;
        let len = u64::from(self.size_word(HEAD + start).load(Ordering::Acquire));
        // The GPU's numbers are not trusted.
        if len < size_of::<PrintfRecord>() as u64
            || !len.is_multiple_of(8)
            || start + len > self.ring_bytes
        {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
        for offset in (0..len).step_by(8) {
            let word = self.word(HEAD + start + offset);
            bytes.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
            word.store(0, Ordering::Relaxed);
        }
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Some(Record {
            len,
            kind: short(4),
            args: short(6),
            bytes,
        })
    }
}

struct Record {
    len: u64,
    kind: u16,
    args: u16,
    bytes: Vec<u8>,
}

/// Writes to C's `stdout`, so that the order with the program's own printf is kept.
fn write_stdout(bytes: &[u8]) {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    if !bytes.is_empty() {
        // SAFETY: C's own stream, and a buffer of that length.
        unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stdout) };
    }
}
