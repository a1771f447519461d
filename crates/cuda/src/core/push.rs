//! Pushbuffer words: method headers and the few sequences this library sends (open-gpu-doc, "dev_pbdma").

use abi::nv::methods::{compute, dma, host};

/// Words that one batch may hold at most; a batch is one GPFIFO entry.
pub(crate) const BATCH_WORDS: usize = 64;

/// Subchannel of the compute class.
const COMPUTE: u32 = 1;
/// Subchannel of the copy class.
const COPY: u32 = 4;

/// Bits of `SEM_EXECUTE`.
mod semaphore {
    pub(super) const RELEASE: u32 = 1;
    pub(super) const ACQUIRE_CIRCULAR_GEQ: u32 = 3;
    pub(super) const ACQUIRE_SWITCH_TSG: u32 = 1 << 12;
    pub(super) const RELEASE_WFI: u32 = 1 << 20;
    pub(super) const PAYLOAD_64: u32 = 1 << 24;
    pub(super) const TIMESTAMP: u32 = 1 << 25;
}

/// Bits of `LAUNCH_DMA`.
mod launch_dma {
    pub(super) const NON_PIPELINED: u32 = 2;
    pub(super) const FLUSH: u32 = 1 << 2;
    pub(super) const SRC_PITCH: u32 = 1 << 7;
    pub(super) const DST_PITCH: u32 = 1 << 8;
    pub(super) const MULTI_LINE: u32 = 1 << 9;
    pub(super) const REMAP: u32 = 1 << 10;
}

/// Invalidate instruction, global data and constant caches.
const INVALIDATE_SHADER_CACHES: u32 = 0x1011;
/// `PCAS2_ACTION_INVALIDATE_COPY_SCHEDULE`: forget cached copies of the QMD, then launch it.
const PCAS_INVALIDATE_COPY_SCHEDULE: u32 = 3;

/// What an acquire waits for, of the word in memory and the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Equal.
    Equal,
    /// At least, counting round.
    CircularGeq,
    /// A common bit.
    And,
    /// A bit that neither has.
    Nor,
}

/// A rectangle to copy or fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Bytes of a line.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// Bytes from a source line to the next.
    pub src_pitch: u32,
    /// Bytes from a destination line to the next.
    pub dst_pitch: u32,
}

impl Lines {
    /// One line.
    pub(crate) fn one(width: u32) -> Self {
        Self {
            width,
            height: 1,
            src_pitch: width,
            dst_pitch: width,
        }
    }
}

/// A batch under construction.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    words: [u32; BATCH_WORDS],
    len: usize,
}

fn high(value: u64) -> u32 {
    u32::try_from(value >> 32).unwrap_or_default()
}

fn low(value: u64) -> u32 {
    u32::try_from(value & 0xffff_ffff).unwrap_or_default()
}

impl Batch {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            words: [0; BATCH_WORDS],
            len: 0,
        }
    }

    /// The words.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words[..self.len]
    }

    /// Whether `count` more words fit.
    pub(crate) fn has_room(&self, count: usize) -> bool {
        self.len + count <= BATCH_WORDS
    }

    fn push(&mut self, word: u32) {
        // A sequence that does not fit is a mistake of ours; `has_room` is asked where lengths vary.
        assert!(self.len < BATCH_WORDS, "batch overflow");
        self.words[self.len] = word;
        self.len += 1;
    }

    /// Methods from `method` on, one word each.
    fn methods<const N: usize>(&mut self, subchannel: u32, method: u32, data: [u32; N]) {
        let count = u32::try_from(N).unwrap_or_default();
        self.push(1 << 29 | count << 16 | subchannel << 13 | method >> 2);
        for word in data {
            self.push(word);
        }
    }

    /// Words of one semaphore operation.
    pub(crate) const SEMAPHORE_WORDS: usize = 6;

    fn semaphore(&mut self, address: u64, payload: u64, execute: u32) {
        let data = [
            low(address),
            high(address),
            low(payload),
            high(payload),
            execute,
        ];
        self.methods(0, host::SEM_ADDR_LO, data);
    }

    /// Waits until the 64-bit word at `address` is at least `payload`.
    pub(crate) fn acquire(&mut self, address: u64, payload: u64) {
        let execute =
            semaphore::ACQUIRE_CIRCULAR_GEQ | semaphore::ACQUIRE_SWITCH_TSG | semaphore::PAYLOAD_64;
        self.semaphore(address, payload, execute);
    }

    /// Waits for a condition on the word at `address`.
    pub(crate) fn acquire_if(
        &mut self,
        address: u64,
        payload: u64,
        condition: Condition,
        wide: bool,
    ) {
        let operation = match condition {
            Condition::Equal => 0,
            Condition::CircularGeq => semaphore::ACQUIRE_CIRCULAR_GEQ,
            Condition::And => 4,
            Condition::Nor => 5,
        };
        let size = if wide { semaphore::PAYLOAD_64 } else { 0 };
        self.semaphore(
            address,
            payload,
            operation | semaphore::ACQUIRE_SWITCH_TSG | size,
        );
    }

    /// Once all work before is done, stores a word at `address`.
    pub(crate) fn store(&mut self, address: u64, value: u64, wide: bool) {
        let size = if wide { semaphore::PAYLOAD_64 } else { 0 };
        self.semaphore(
            address,
            value,
            semaphore::RELEASE | semaphore::RELEASE_WFI | size,
        );
    }

    /// Once all work before is done, stores `payload` at `address`.
    pub(crate) fn release(&mut self, address: u64, payload: u64) {
        self.semaphore(
            address,
            payload,
            semaphore::RELEASE | semaphore::RELEASE_WFI | semaphore::PAYLOAD_64,
        );
    }

    /// As [`Batch::release`], with the time in nanoseconds in the next 8 bytes.
    pub(crate) fn release_timestamp(&mut self, address: u64, payload: u64) {
        let execute = semaphore::RELEASE
            | semaphore::RELEASE_WFI
            | semaphore::PAYLOAD_64
            | semaphore::TIMESTAMP;
        self.semaphore(address, payload, execute);
    }

    /// Interrupts the host: whoever waits by OS events looks again.
    pub(crate) fn interrupt(&mut self) {
        self.methods(0, host::NON_STALL_INTERRUPT, [0]);
    }

    /// Binds the classes to their subchannels.
    pub(crate) fn set_objects(&mut self, compute: u32, copy: u32) {
        self.methods(COMPUTE, host::SET_OBJECT, [compute]);
        self.methods(COPY, host::SET_OBJECT, [copy]);
    }

    /// Launches the QMD at `qmd` (256-byte aligned).
    pub(crate) fn launch(&mut self, qmd: u64) {
        self.methods(
            COMPUTE,
            compute::INVALIDATE_SHADER_CACHES_NO_WFI,
            [INVALIDATE_SHADER_CACHES],
        );
        self.methods(COMPUTE, compute::SEND_PCAS_A, [low(qmd >> 8)]);
        self.methods(
            COMPUTE,
            compute::SEND_SIGNALING_PCAS2_B,
            [PCAS_INVALIDATE_COPY_SCHEDULE],
        );
    }

    /// Words of a copy or fill, at most.
    pub(crate) const COPY_WORDS: usize = 16;

    /// Copies a rectangle.
    pub(crate) fn copy(&mut self, dst: u64, src: u64, lines: Lines) {
        self.methods(
            COPY,
            dma::OFFSET_IN_UPPER,
            [
                high(src),
                low(src),
                high(dst),
                low(dst),
                lines.src_pitch,
                lines.dst_pitch,
                lines.width,
                lines.height,
            ],
        );
        self.methods(COPY, dma::LAUNCH_DMA, [Self::transfer(lines)]);
    }

    /// Fills a rectangle with elements of 1, 2 or 4 bytes; `lines.width` counts elements.
    pub(crate) fn fill(&mut self, dst: u64, value: u32, element: u32, lines: Lines) {
        // One component, taken from constant A, of `element` bytes.
        self.methods(COPY, dma::SET_REMAP_CONST_A, [value]);
        let components = 4 | (element - 1) << 16;
        self.methods(COPY, dma::SET_REMAP_COMPONENTS, [components]);
        self.methods(COPY, dma::OFFSET_OUT_UPPER, [high(dst), low(dst)]);
        self.methods(
            COPY,
            dma::PITCH_OUT,
            [lines.dst_pitch, lines.width, lines.height],
        );
        self.methods(
            COPY,
            dma::LAUNCH_DMA,
            [Self::transfer(lines) | launch_dma::REMAP],
        );
    }

    fn transfer(lines: Lines) -> u32 {
        let multi = if lines.height > 1 {
            launch_dma::MULTI_LINE
        } else {
            0
        };
        launch_dma::NON_PIPELINED
            | launch_dma::FLUSH
            | launch_dma::SRC_PITCH
            | launch_dma::DST_PITCH
            | multi
    }
}

/// A GPFIFO entry that fetches `words` words at `address`.
pub(crate) fn gpfifo_entry(address: u64, words: usize) -> u64 {
    /// Main pushbuffer (not a subroutine).
    const LEVEL_MAIN: u64 = 0;
    address & 0xff_ffff_fffc | (words as u64) << 42 | LEVEL_MAIN << 41
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_what_the_classes_take() {
        let mut batch = Batch::new();
        batch.release(0x12_3456_7890, 0x1_0000_0002);
        assert_eq!(
            batch.words(),
            [0x2005_0017, 0x3456_7890, 0x12, 2, 1, 0x0110_0001]
        );
        let mut batch = Batch::new();
        batch.acquire(0x1000, 7);
        assert_eq!(batch.words()[5], 0x0100_1003);
        let mut batch = Batch::new();
        batch.copy(0x2000, 0x1000, Lines::one(64));
        assert_eq!(batch.words()[0], 1 << 29 | 8 << 16 | 4 << 13 | 0x400 >> 2);
        assert_eq!(batch.words().last(), Some(&0x186));
        let mut batch = Batch::new();
        batch.fill(
            0x2000,
            0xabcd,
            2,
            Lines {
                width: 3,
                height: 2,
                src_pitch: 0,
                dst_pitch: 8,
            },
        );
        assert_eq!(batch.words()[3], 0x1_0004);
        assert!(batch.words().len() <= Batch::COPY_WORDS);
        assert_eq!(gpfifo_entry(0x12_3456_7890, 5), 0x12_3456_7890 | 5 << 42);
    }
}
