//! The usermode (doorbell) page that a client maps: class `HOPPER_USERMODE_A` and its older kin, 64 KiB.
//!
//! NVIDIA's part (open-gpu-doc, `clc661.h`/`clc461.h`): the doorbell and the timer. Antlerite's part lies at
//! [`PRIVATE`], where hardware has nothing; a client that never looks there is served by polling.
//!
//! One page per (RM client, subdevice). Several GPU processes may watch one page.

/// Bytes of the page.
pub const BYTES: u64 = 0x1_0000;
/// `NOTIFY_CHANNEL_PENDING`: the client stores a channel's work-submit token.
pub const DOORBELL: usize = 0x90;
/// `TIME_0`: low 32 bits of the PTIMER, nanoseconds, as of the engine's last look.
pub const TIME_0: usize = 0x80;
/// `TIME_1`: high 32 bits.
pub const TIME_1: usize = 0x84;

/// Offset of Antlerite's part.
pub const PRIVATE: usize = 0x8000;
/// u32: a client that follows this protocol stores [`ANNOUNCED_MAGIC`] after mapping.
pub const ANNOUNCED: usize = PRIVATE;
/// u32: how many engines sleep on [`SUBMIT_SEQ`]. An engine adds 1, looks at every GPPut once more, sleeps on the
/// futex, and subtracts 1.
pub const SLEEPERS: usize = PRIVATE + 4;
/// u32 futex word: a client, after storing GPPut and the doorbell, adds 1 (sequentially consistent) and wakes all
/// sleepers if [`SLEEPERS`] is not 0.
pub const SUBMIT_SEQ: usize = PRIVATE + 8;
/// u32 futex word: an engine adds 1 after it has released a semaphore, raised a non-stall interrupt or written an
/// error notifier, and wakes all waiters if [`WAITERS`] is not 0.
pub const COMPLETE_SEQ: usize = PRIVATE + 12;
/// u32: how many client threads sleep on [`COMPLETE_SEQ`].
pub const WAITERS: usize = PRIVATE + 16;
/// u32: 0, or the Xid that ended a VA space of this client, stored before [`COMPLETE_SEQ`] is raised. A hint: the
/// truth is each channel's error notifier.
pub const LAST_XID: usize = PRIVATE + 20;
/// u32: CPU waiting policy hint from the server: 1 when the machine has at least two CPUs for spinning.
pub const MAY_SPIN: usize = PRIVATE + 24;
/// u64: bit `n` says that a client thread sleeps in wait slot `n`. A client fills the slot, sets its bit, looks at the
/// semaphore once more, and sleeps on the slot's [`WAIT_STATE`]; it clears the bit when it has slept. An engine that has
/// released a semaphore wakes the slots that wait for it, and all of them when a VA space ends. Unlike
/// [`COMPLETE_SEQ`], where every release wakes every waiter, a slot's thread wakes only for what it waits for.
pub const WAIT_ARMED: usize = PRIVATE + 0x40;
/// u64: bit `n` says that a client thread has taken wait slot `n`. The client's own; engines never look.
pub const WAIT_TAKEN: usize = PRIVATE + 0x80;
/// The wait slots, [`WAIT_SLOT_BYTES`] each.
pub const WAIT_SLOTS: usize = PRIVATE + 0x100;
/// How many there are; further threads sleep on [`COMPLETE_SEQ`].
pub const WAIT_SLOT_COUNT: usize = 64;
/// Bytes of a wait slot.
pub const WAIT_SLOT_BYTES: usize = 32;
/// In a wait slot, u32 futex word: 1 while the thread may sleep, 0 from an engine's wake on.
pub const WAIT_STATE: usize = 0;
/// In a wait slot, u64: GPU address of the semaphore.
pub const WAIT_ADDRESS: usize = 8;
/// In a wait slot, u64: the value that is waited for, or a later one.
pub const WAIT_VALUE: usize = 16;
/// What an aware client stores at [`ANNOUNCED`].
pub const ANNOUNCED_MAGIC: u32 = u32::from_le_bytes(*b"ANTL");
