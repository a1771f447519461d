//! What the tools hear of, and how their queue's entries say it: 64 bytes each, or, in queues of the second version, 72,
//! in which a processor's index has 16 bits (`uvm_types.h`, `UvmEventEntry` and `UvmEventEntry_V2`).

use super::track::Side;

/// Bytes of an entry of the first version.
const FIRST: usize = 64;
/// Bytes of an entry of the second.
const SECOND: usize = 72;
/// Sub-processors of a GPU, each with an index of its own in the second version (`UVM_PARENT_ID_MAX_SUB_PROCESSORS`).
const PARTS: u16 = 8;
/// `NUMA_NO_NODE`: memory of a GPU is on no node of the host's.
const NO_NODE: u32 = u32::MAX;
/// `UvmEventFaultClientTypeGpc`.
const GPC: u8 = 1;

/// Layout of a queue's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// 8-bit indices.
    First,
    /// 16-bit indices.
    Second,
}

impl Layout {
    /// Bytes of an entry.
    pub(super) const fn size(self) -> usize {
        match self {
            Self::First => FIRST,
            Self::Second => SECOND,
        }
    }

    /// A processor's index in the tools' table.
    pub(super) fn index(self, side: Side) -> u16 {
        let side = u16::try_from(side).unwrap_or(u16::MAX);
        match self {
            Self::Second if side > 0 => side.saturating_sub(1).saturating_mul(PARTS) + 1,
            Self::First | Self::Second => side,
        }
    }
}

/// Why something moved (`UvmEventMigrationCause`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Why {
    User = 1,
    Coherence = 2,
    Prefetch = 3,
    Eviction = 4,
}

/// An event (`UvmEventType`). Times are nanoseconds, masks have a bit per side.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    CpuFault {
        write: bool,
        address: u64,
        time: u64,
    },
    Migration {
        why: Why,
        from: Side,
        to: Side,
        address: u64,
        bytes: u64,
        time: u64,
    },
    GpuFault {
        /// The page is there, and protected.
        protected: bool,
        write: bool,
        gpu: Side,
        address: u64,
        time: u64,
    },
    GpuFaultReplay {
        gpu: Side,
        time: u64,
    },
    ReadDuplicate {
        sides: u64,
        address: u64,
        bytes: u64,
        time: u64,
    },
    ReadDuplicateInvalidate {
        resident: Side,
        address: u64,
        bytes: u64,
        time: u64,
    },
    Thrashing {
        sides: u64,
        address: u64,
        bytes: u64,
        time: u64,
    },
    /// By policy.
    MapRemote {
        from: Side,
        to: Side,
        address: u64,
        bytes: u64,
        time: u64,
    },
    Eviction {
        from: Side,
        to: Side,
        address: u64,
        bytes: u64,
        time: u64,
    },
}

/// `UvmEventMapRemoteCausePolicy`.
const BY_POLICY: u8 = 3;

/// An entry as it is filled.
struct Entry {
    bytes: [u8; SECOND],
    layout: Layout,
}

impl Entry {
    fn byte(&mut self, at: usize, value: u8) {
        self.bytes[at] = value;
    }

    fn half(&mut self, at: usize, value: u16) {
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    fn word(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    fn longs(&mut self, at: usize, values: &[u64]) {
        for (slot, value) in self.bytes[at..].chunks_exact_mut(8).zip(values) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// An index: a byte at `first`, or 16 bits at `second`.
    fn index(&mut self, first: usize, second: usize, side: Side) {
        let index = self.layout.index(side);
        match self.layout {
            Layout::First => self.byte(first, u8::try_from(index).unwrap_or(u8::MAX)),
            Layout::Second => self.half(second, index),
        }
    }

    /// A byte that moved.
    fn moved(&mut self, first: usize, second: usize, value: u8) {
        let at = match self.layout {
            Layout::First => first,
            Layout::Second => second,
        };
        self.byte(at, value);
    }

    /// Processors, span and time; the second version has its longer mask last.
    fn shared(&mut self, sides: u64, address: u64, bytes: u64, time: u64) {
        match self.layout {
            Layout::First => self.longs(8, &[sides, address, bytes, time]),
            Layout::Second => {
                self.longs(8, &[address, bytes, time]);
                for side in (0..64).filter(|side| sides >> side & 1 != 0) {
                    let bit = usize::from(self.layout.index(side));
                    // 257 processors in five words.
                    if let Some(byte) = self.bytes.get_mut(32 + bit / 8) {
                        *byte |= 1 << (bit % 8);
                    }
                }
            }
        }
    }
}

impl Event {
    /// Its number: that of its bit in what is wanted, and of its count of entries that were dropped.
    pub(super) const fn kind(&self) -> u8 {
        match self {
            Self::CpuFault { .. } => 1,
            Self::Migration { .. } => 2,
            Self::GpuFault { .. } => 3,
            Self::GpuFaultReplay { .. } => 4,
            Self::ReadDuplicate { .. } => 7,
            Self::ReadDuplicateInvalidate { .. } => 8,
            Self::Thrashing { .. } => 10,
            Self::MapRemote { .. } => 13,
            Self::Eviction { .. } => 14,
        }
    }

    /// The entry, of which [`Layout::size`] bytes count.
    pub(super) fn entry(&self, layout: Layout) -> [u8; SECOND] {
        let mut entry = Entry {
            bytes: [0; SECOND],
            layout,
        };
        entry.byte(0, self.kind());
        let access = |write| if write { 2 } else { 1 };
        match *self {
            Self::CpuFault {
                write,
                address,
                time,
            } => {
                entry.byte(1, access(write));
                entry.longs(8, &[address, time]);
            }
            Self::Migration {
                why,
                from,
                to,
                address,
                bytes,
                time,
            } => {
                entry.byte(1, why as u8);
                entry.index(2, 4, from);
                entry.index(3, 6, to);
                let moved = [address, bytes, time, time, 0, time, time];
                match layout {
                    Layout::First => entry.longs(8, &moved),
                    Layout::Second => {
                        for (at, side) in [(8, from), (12, to)] {
                            entry.word(at, if side == 0 { 0 } else { NO_NODE });
                        }
                        entry.longs(16, &moved);
                    }
                }
            }
            Self::GpuFault {
                protected,
                write,
                gpu,
                address,
                time,
            } => {
                // UvmFaultTypeInvalidPte, or a store to a protected page.
                entry.byte(1, if protected { 3 } else { 2 });
                entry.moved(2, 37, access(write));
                entry.index(3, 2, gpu);
                entry.longs(8, &[address, time, time]);
                entry.byte(36, GPC);
            }
            Self::GpuFaultReplay { gpu, time } => {
                entry.index(1, 2, gpu);
                entry.moved(2, 1, GPC);
                entry.longs(8, &[time, time]);
            }
            Self::ReadDuplicate {
                sides,
                address,
                bytes,
                time,
            }
            | Self::Thrashing {
                sides,
                address,
                bytes,
                time,
            } => entry.shared(sides, address, bytes, time),
            Self::ReadDuplicateInvalidate {
                resident,
                address,
                bytes,
                time,
            } => {
                entry.index(1, 2, resident);
                entry.longs(8, &[address, bytes, time]);
            }
            Self::MapRemote {
                from,
                to,
                address,
                bytes,
                time,
            } => {
                entry.index(1, 4, from);
                entry.index(2, 6, to);
                entry.moved(3, 1, BY_POLICY);
                entry.longs(8, &[address, bytes, time, time]);
            }
            Self::Eviction {
                from,
                to,
                address,
                bytes,
                time,
            } => {
                entry.index(1, 4, from);
                entry.index(2, 6, to);
                entry.longs(8, &[address, address, bytes, time]);
            }
        }
        entry.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(entry: &[u8], at: usize) -> u64 {
        crate::params::u64_at(entry, at)
    }

    #[test]
    fn indices_of_the_second_version_leave_room_for_parts() {
        let first: Vec<u16> = [0, 1, 2, 32].map(|side| Layout::First.index(side)).into();
        let second: Vec<u16> = [0, 1, 2, 32].map(|side| Layout::Second.index(side)).into();
        assert_eq!(first, [0, 1, 2, 32]);
        assert_eq!(second, [0, 1, 9, 249]);
    }

    #[test]
    fn a_move_says_whence_and_whither_in_both_versions() {
        let event = Event::Migration {
            why: Why::Coherence,
            from: 0,
            to: 2,
            address: 0x7000,
            bytes: 0x1_0000,
            time: 5,
        };
        let first = event.entry(Layout::First);
        assert_eq!(first[..4], [2, 2, 0, 2]);
        assert_eq!(
            [8, 16, 24, 32, 40].map(|at| long(&first, at)),
            [0x7000, 0x1_0000, 5, 5, 0]
        );
        let second = event.entry(Layout::Second);
        assert_eq!(second[..8], [2, 2, 0, 0, 0, 0, 9, 0]);
        assert_eq!(second[8..16], [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(
            [16, 24, 32, 40, 48, 56, 64].map(|at| long(&second, at)),
            [0x7000, 0x1_0000, 5, 5, 0, 5, 5]
        );
    }

    #[test]
    fn faults_and_masks_move_in_the_second_version() {
        let fault = Event::GpuFault {
            protected: false,
            write: true,
            gpu: 1,
            address: 0x9000,
            time: 7,
        };
        let (first, second) = (fault.entry(Layout::First), fault.entry(Layout::Second));
        assert_eq!((first[..4].to_vec(), first[36]), (vec![3, 2, 2, 1], 1));
        assert_eq!(second[..4], [3, 2, 1, 0]);
        assert_eq!(second[36..38], [1, 2]);
        let shared = Event::ReadDuplicate {
            sides: 0b101,
            address: 0x9000,
            bytes: 0x1000,
            time: 7,
        };
        let (first, second) = (shared.entry(Layout::First), shared.entry(Layout::Second));
        assert_eq!(
            [8, 16, 24, 32].map(|at| long(&first, at)),
            [0b101, 0x9000, 0x1000, 7]
        );
        // CPU, and GPU 1: processor 9.
        assert_eq!(
            [8, 16, 24, 32].map(|at| long(&second, at)),
            [0x9000, 0x1000, 7, 1 | 1 << 9]
        );
    }
}
