//! A channel: its ring, its place in the pushbuffer, its subchannels, and what it waits for.

use crate::access;
use crate::fault::{Refusal, by};
use crate::pushbuffer::{Decoder, Entry, Method, entry};
use crate::semaphore::{Acquire, Release};
use crate::shared_map::SharedMap;
use crate::wake::UserPage;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;

/// `GPGet` in USERD (`Nvc86fControl`).
const GP_GET: usize = 0x88;
/// `GPPut` in USERD.
const GP_PUT: usize = 0x8c;
/// `Reference` in USERD.
const REFERENCE: usize = 0x48;
/// Words fetched from a segment at a time.
const WINDOW: usize = 512;

/// The part of a channel that running work refers to.
#[derive(Debug)]
pub struct ChannelCore {
    /// Channel id.
    pub chid: u32,
    /// The client's usermode page.
    pub page: Arc<UserPage>,
    /// Grids launched and not yet complete.
    pub grids: AtomicU32,
    /// A copy that runs on the workers.
    pub copying: AtomicBool,
    /// Freed: outstanding work is abandoned.
    pub gone: AtomicBool,
    /// A non-stall interrupt is owed to the kernel half.
    pub interrupt: AtomicBool,
}

/// What a channel waits for before it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Block {
    /// A semaphore.
    Acquire(Acquire),
    /// All its grids complete.
    Idle,
    /// Its copy completes; then a release may follow, and an interrupt.
    Copy {
        /// Semaphore to release afterwards.
        after: Option<Release>,
        /// Raise an interrupt afterwards.
        interrupt: bool,
    },
}

/// Result of executing a method.
#[derive(Clone, Copy, Debug)]
pub enum Flow {
    /// On to the next.
    Continue,
    /// Done, but the channel waits before the next.
    Wait(Block),
    /// Not done: wait, then execute it again.
    Retry(Block),
}

/// Where the host engine is in the channel's pushbuffer.
#[derive(Debug)]
struct Fetch {
    buffer: Box<[u32; WINDOW]>,
    position: usize,
    filled: usize,
    next_va: u64,
    words_left: u32,
    /// A segment is open: its end moves GPGet.
    open: bool,
}

/// A channel.
#[derive(Debug)]
pub struct Channel {
    /// Shared with running work.
    pub core: Arc<ChannelCore>,
    /// Channel class.
    pub class: u32,
    /// Whether it fetches.
    pub running: bool,
    /// Classes that may be set on subchannels.
    pub bound: Vec<u32>,
    /// Class of each subchannel, 0 none.
    pub subchannels: [u32; 8],
    /// Host methods' values by method / 4.
    pub host: [u32; 64],
    /// What it waits for.
    pub block: Option<Block>,
    /// A method to execute again once the wait is over.
    pub retry: Option<Method>,
    /// Header state.
    pub decoder: Decoder,
    /// Compute class state.
    pub compute: crate::compute::Compute,
    /// Copy class state.
    pub copy: crate::copy::Copy,
    userd: SharedMap,
    gpfifo_va: u64,
    entries: u32,
    get: u32,
    extended_base: u64,
    fetch: Fetch,
}

impl Channel {
    /// A channel that does not run yet.
    #[must_use]
    pub fn new(alloc: &abi::link::ChannelAlloc, userd: SharedMap, page: Arc<UserPage>) -> Channel {
        Channel {
            core: Arc::new(ChannelCore {
                chid: alloc.chid,
                page,
                grids: AtomicU32::new(0),
                copying: AtomicBool::new(false),
                gone: AtomicBool::new(false),
                interrupt: AtomicBool::new(false),
            }),
            class: alloc.class,
            running: false,
            bound: Vec::new(),
            subchannels: [0; 8],
            host: [0; 64],
            block: None,
            retry: None,
            decoder: Decoder::default(),
            compute: crate::compute::Compute::default(),
            copy: crate::copy::Copy::default(),
            userd,
            gpfifo_va: alloc.gpfifo_va,
            entries: alloc.gpfifo_entries,
            get: 0,
            extended_base: 0,
            fetch: Fetch {
                buffer: Box::new([0; WINDOW]),
                position: 0,
                filled: 0,
                next_va: 0,
                words_left: 0,
                open: false,
            },
        }
    }

    /// Whether the client has submitted something that is not fetched yet.
    #[must_use]
    pub fn has_entries(&self) -> bool {
        self.running && self.userd.word(GP_PUT).load(Ordering::Relaxed) != self.get
    }

    /// Whether anything is unfinished.
    #[must_use]
    pub fn busy(&self) -> bool {
        self.has_entries()
            || self.fetch.open
            || self.block.is_some()
            || self.core.grids.load(Ordering::Acquire) != 0
            || self.core.copying.load(Ordering::Acquire)
    }

    /// Stores the reference count of `SET_REFERENCE`.
    pub fn set_reference(&self, value: u32) {
        self.userd.word(REFERENCE).store(value, Ordering::Release);
    }

    /// The next pushbuffer word, or none when all submitted work is fetched.
    ///
    /// # Errors
    /// The ring or a segment cannot be read, or an entry is refused.
    pub fn next_word(&mut self) -> Result<Option<u32>, Refusal> {
        loop {
            if self.fetch.position < self.fetch.filled {
                let word = self.fetch.buffer[self.fetch.position];
                self.fetch.position += 1;
                return Ok(Some(word));
            }
            if self.fetch.words_left != 0 {
                let n = (self.fetch.words_left as usize).min(WINDOW);
                access::read(self.fetch.next_va, &mut self.fetch.buffer[..n])
                    .map_err(by("host: pushbuffer"))?;
                self.fetch.position = 0;
                self.fetch.filled = n;
                self.fetch.next_va += 4 * n as u64;
                self.fetch.words_left -= n as u32;
                continue;
            }
            self.close_segment();
            if !self.next_entry()? {
                return Ok(None);
            }
        }
    }

    /// Skips the rest of the open segment.
    pub fn end_segment(&mut self) {
        self.fetch.position = 0;
        self.fetch.filled = 0;
        self.fetch.words_left = 0;
    }

    /// After the last word of a segment has been executed: GPGet moves on.
    fn close_segment(&mut self) {
        if self.fetch.open {
            self.fetch.open = false;
            self.advance();
        }
    }

    fn advance(&mut self) {
        self.get = if self.get + 1 >= self.entries {
            0
        } else {
            self.get + 1
        };
        self.userd.word(GP_GET).store(self.get, Ordering::Release);
    }

    /// Takes the next ring entry; false when there is none.
    fn next_entry(&mut self) -> Result<bool, Refusal> {
        let put = self.userd.word(GP_PUT).load(Ordering::Acquire);
        if put == self.get {
            return Ok(false);
        }
        if put >= self.entries {
            return Err(Refusal::Pushbuffer(format!(
                "GPPut {put} of a ring of {} entries",
                self.entries
            )));
        }
        let raw = access::load64(self.gpfifo_va + 8 * u64::from(self.get))
            .map_err(by("host: GPFIFO ring"))?;
        #[expect(clippy::cast_possible_truncation, reason = "halves")]
        let decoded = entry(raw as u32, (raw >> 32) as u32);
        match decoded {
            Entry::Segment { va, words } => {
                self.fetch.next_va = va | self.extended_base;
                self.fetch.words_left = words;
                self.fetch.position = 0;
                self.fetch.filled = 0;
                self.fetch.open = true;
            }
            Entry::Nop => self.advance(),
            Entry::ExtendedBase(base) => {
                self.extended_base = base;
                self.advance();
            }
            Entry::Refused(reason) => {
                return Err(Refusal::Pushbuffer(format!(
                    "GPFIFO entry {raw:#018x}: {reason}"
                )));
            }
        }
        Ok(true)
    }
}
