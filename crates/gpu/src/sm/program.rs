//! Images: checked at each launch, made executable at the first one.

use crate::access::{self, AccessFault};
use crate::qmd::Launch;
use crate::shared_map::errno;
use crate::sm::fiber::StackPool;
use crate::window::{self, PAGE};
use abi::sm::{self, EntryHeader, Line, kind};
use core::mem::{offset_of, size_of};
use core::sync::atomic::AtomicU64;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

const HEADER_WORDS: usize = size_of::<EntryHeader>() / 4;
/// Shared memory of one CTA that this SM gives at most, bytes (228 KiB on GH100, one KiB of it the system's).
const MAX_SHARED: u32 = 228 << 10;
/// Longest kernel name kept, bytes.
const MAX_NAME: usize = 4096;

/// A checked image.
#[derive(Debug)]
pub struct Program {
    /// Address of its header.
    pub base: u64,
    /// The header, as it was when checked.
    pub header: EntryHeader,
    words: [u32; HEADER_WORDS],
    /// log2 of the stack that a warp needs.
    pub stack_class: u32,
    /// Cycles per CTA, a running average; 0 unknown.
    pub cost: AtomicU64,
}

impl Program {
    /// Address of the entry function.
    #[must_use]
    pub fn entry(&self) -> u64 {
        self.base + u64::from(self.header.entry)
    }

    /// Addresses of the code.
    #[must_use]
    pub fn text(&self) -> core::ops::Range<u64> {
        let start = self.base + u64::from(self.header.text);
        start..start + u64::from(self.header.text_bytes)
    }

    /// The line table, as it is in memory now.
    fn lines(&self) -> Vec<Line> {
        /// Nothing that a compiler makes is longer.
        const MOST: u32 = 64 << 20;
        let bytes = (self.header.strings - self.header.lines).min(MOST);
        let mut table = vec![0; bytes as usize];
        let at = self.base + u64::from(self.header.lines);
        if access::read_bytes(at, &mut table).is_err() {
            return Vec::new();
        }
        let rows = abi::lines::decode(&table);
        rows.take(self.header.line_count as usize).collect()
    }

    /// The first row of a PTX line.
    #[must_use]
    pub fn row_of_line(&self, line: u32) -> Option<Line> {
        if line == 0 {
            return None;
        }
        self.lines().into_iter().find(|row| row.ptx_line == line)
    }

    /// The row of the line table that the instruction at `pc` falls into; of a function that is part of what its caller
    /// does, that of the call, before `back`.
    #[must_use]
    pub fn line(&self, pc: u64, back: impl FnOnce() -> Option<u64>) -> Option<Line> {
        let lines = self.lines();
        let row = |pc: u64| {
            let offset = u32::try_from(pc.checked_sub(self.base)?).ok()?;
            let after = lines.partition_point(|row| row.pc <= offset);
            lines.get(after.checked_sub(1)?).copied()
        };
        let here = row(pc)?;
        if here.access != sm::CALLED {
            return Some(here);
        }
        let call = back()?
            .checked_sub(1)
            .filter(|at| self.text().contains(at))?;
        row(call).filter(|row| row.access != sm::CALLED)
    }

    /// Kernel name, as it is in memory now.
    #[must_use]
    pub fn name(&self) -> String {
        self.string(0).unwrap_or_default()
    }

    /// A string of the image's string table.
    #[must_use]
    pub fn string(&self, offset: u32) -> Option<String> {
        if offset >= self.header.string_bytes {
            return None;
        }
        let at = self.base + u64::from(self.header.strings) + u64::from(offset);
        read_string(at, (self.header.string_bytes - offset) as usize)
    }
}

fn read_string(at: u64, room: usize) -> Option<String> {
    let mut bytes = vec![0u8; room.min(MAX_NAME)];
    access::read_bytes(at, &mut bytes).ok()?;
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Why a program cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Its header is not mapped.
    #[error(transparent)]
    Access(#[from] AccessFault),
    /// It is not code of the contract, or not for this host or launch.
    #[error("{0}")]
    Refused(String),
}

fn parse(words: &[u32; HEADER_WORDS]) -> EntryHeader {
    let w = |offset: usize| words[offset / 4];
    let wide = |offset: usize| u64::from(w(offset)) | u64::from(w(offset + 4)) << 32;
    EntryHeader {
        magic: wide(offset_of!(EntryHeader, magic)),
        abi: w(offset_of!(EntryHeader, abi)),
        isa: w(offset_of!(EntryHeader, isa)),
        image_bytes: w(offset_of!(EntryHeader, image_bytes)),
        kind: w(offset_of!(EntryHeader, kind)),
        entry: w(offset_of!(EntryHeader, entry)),
        text: w(offset_of!(EntryHeader, text)),
        text_bytes: w(offset_of!(EntryHeader, text_bytes)),
        shared_bytes: w(offset_of!(EntryHeader, shared_bytes)),
        local_bytes: w(offset_of!(EntryHeader, local_bytes)),
        param_bytes: w(offset_of!(EntryHeader, param_bytes)),
        param_offset: w(offset_of!(EntryHeader, param_offset)),
        stack_bytes: w(offset_of!(EntryHeader, stack_bytes)),
        block: [
            w(offset_of!(EntryHeader, block)),
            w(offset_of!(EntryHeader, block) + 4),
            w(offset_of!(EntryHeader, block) + 8),
        ],
        max_threads: w(offset_of!(EntryHeader, max_threads)),
        lines: w(offset_of!(EntryHeader, lines)),
        line_count: w(offset_of!(EntryHeader, line_count)),
        strings: w(offset_of!(EntryHeader, strings)),
        string_bytes: w(offset_of!(EntryHeader, string_bytes)),
        flags: w(offset_of!(EntryHeader, flags)),
        padding: 0,
        better: wide(offset_of!(EntryHeader, better)),
        reserved: [0; 6],
    }
}

/// Checks a header by itself; says what is wrong.
fn check(base: u64, h: &EntryHeader, have: u32) -> Result<(), String> {
    if h.magic != sm::IMAGE_MAGIC {
        return Err(format!(
            "no image of the virtual SM (first bytes {:#018x})",
            h.magic
        ));
    }
    if h.abi != sm::CODE_ABI {
        return Err(format!(
            "code ABI {} where {} is needed",
            h.abi,
            sm::CODE_ABI
        ));
    }
    if h.isa & !have != 0 {
        return Err(format!(
            "needs host instruction sets {:#x}, this host has {have:#x}",
            h.isa
        ));
    }
    if !base.is_multiple_of(sm::IMAGE_ALIGN) {
        return Err("image is not 256-byte aligned".to_string());
    }
    let inside = |offset: u32, bytes: u64| {
        u64::from(offset)
            .checked_add(bytes)
            .is_some_and(|end| end <= u64::from(h.image_bytes))
    };
    let ok = h.image_bytes as usize >= size_of::<EntryHeader>()
        && window::is_client(base, u64::from(h.image_bytes))
        && inside(h.text, u64::from(h.text_bytes))
        && h.entry >= h.text
        && h.entry - h.text < h.text_bytes
        && h.lines <= h.strings
        && inside(h.strings, u64::from(h.string_bytes));
    if !ok {
        return Err("header's offsets leave the image".to_string());
    }
    if h.kind != kind::CTA && h.kind != kind::WARP {
        return Err(format!("kind {} is unknown", h.kind));
    }
    if h.local_bytes > 512 << 10 {
        return Err(format!(
            "{} bytes of local memory per thread (limit 524288)",
            h.local_bytes
        ));
    }
    if StackPool::class_for(u64::from(h.stack_bytes)).is_none() {
        return Err(format!("needs {} bytes of stack", h.stack_bytes));
    }
    Ok(())
}

/// Checks that a launch fits its image.
fn fits(h: &EntryHeader, launch: &Launch) -> Result<(), String> {
    let [x, y, z] = launch.block;
    if h.block
        .iter()
        .zip(launch.block)
        .any(|(&want, have)| want != 0 && want != have)
    {
        let [a, b, c] = h.block;
        return Err(format!(
            "compiled for blocks of {a}x{b}x{c}, launched with {x}x{y}x{z}"
        ));
    }
    if h.max_threads != 0 && x * y * z > h.max_threads {
        return Err(format!(
            "{} threads per block, the kernel allows {}",
            x * y * z,
            h.max_threads
        ));
    }
    if launch.shared_bytes > MAX_SHARED || launch.shared_bytes < h.shared_bytes {
        return Err(format!(
            "{} bytes of shared memory: the kernel needs {}, the limit is {MAX_SHARED}",
            launch.shared_bytes, h.shared_bytes
        ));
    }
    let bank = launch.constants[0];
    let params = u64::from(h.param_offset) + u64::from(h.param_bytes);
    if h.param_bytes != 0 && (bank.address == 0 || u64::from(bank.bytes) < params) {
        return Err(format!(
            "constant bank 0 has {} bytes, the parameters end at {params}",
            bank.bytes
        ));
    }
    Ok(())
}

/// Images met so far, by address.
#[derive(Debug)]
pub struct Programs {
    have: u32,
    known: Mutex<HashMap<u64, Arc<Program>>>,
}

impl Programs {
    /// None yet, on a host with these instruction sets.
    #[must_use]
    pub fn new(have: u32) -> Programs {
        Programs {
            have,
            known: Mutex::new(HashMap::new()),
        }
    }

    /// The image that `launch` names, checked. `writable` tells whether the memory at an address is mapped for writing.
    ///
    /// # Errors
    /// Why it cannot run.
    pub fn get(
        &self,
        launch: &Launch,
        writable: impl Fn(u64) -> bool,
    ) -> Result<Arc<Program>, ProgramError> {
        let base = launch.program;
        let mut words = [0; HEADER_WORDS];
        access::read(base, &mut words)?;
        let known = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&base)
            .cloned();
        let program = match known {
            Some(p) if p.words == words => p,
            _ => self.load(base, words, writable)?,
        };
        fits(&program.header, launch).map_err(ProgramError::Refused)?;
        Ok(program)
    }

    /// The image that a program's header names by now as the better one, checked; `None` where there is none, or where
    /// blocks of the same grid could not run either.
    #[must_use]
    pub fn better(
        &self,
        program: &Program,
        writable: impl Fn(u64) -> bool,
    ) -> Option<Arc<Program>> {
        let mut word = [0; 2];
        access::read(
            program.base + offset_of!(EntryHeader, better) as u64,
            &mut word,
        )
        .ok()?;
        let base = u64::from(word[0]) | u64::from(word[1]) << 32;
        if base == 0 {
            return None;
        }
        let mut words = [0; HEADER_WORDS];
        access::read(base, &mut words).ok()?;
        let (old, new) = (&program.header, parse(&words));
        let alike = new.kind == old.kind
            && (new.block == old.block || new.block == [0; 3])
            && new.max_threads == old.max_threads
            && new.shared_bytes == old.shared_bytes
            && new.local_bytes == old.local_bytes
            && new.param_bytes == old.param_bytes
            && new.param_offset == old.param_offset
            && (new.flags ^ old.flags) & !sm::flags::FAST == 0
            && StackPool::class_for(u64::from(new.stack_bytes)).unwrap_or(0) == program.stack_class;
        if !alike {
            return None;
        }
        let known = self.known.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&base).filter(|p| p.words == words) {
            return Some(Arc::clone(known));
        }
        drop(known);
        self.load(base, words, writable).ok()
    }

    fn load(
        &self,
        base: u64,
        words: [u32; HEADER_WORDS],
        writable: impl Fn(u64) -> bool,
    ) -> Result<Arc<Program>, ProgramError> {
        let header = parse(&words);
        check(base, &header, self.have).map_err(ProgramError::Refused)?;
        let start = base & !(PAGE - 1);
        let end = window::pages(base + u64::from(header.image_bytes));
        // Neighbours on the same pages may still be written (the driver sub-allocates): keep what was allowed.
        let protection =
            libc::PROT_READ | libc::PROT_EXEC | if writable(base) { libc::PROT_WRITE } else { 0 };
        // SAFETY: client addresses (checked), which hold no object of ours.
        let r = unsafe {
            libc::mprotect(
                start as *mut libc::c_void,
                (end - start) as usize,
                protection,
            )
        };
        if r != 0 {
            let why = format!("its pages cannot be made executable (errno {})", errno());
            return Err(ProgramError::Refused(why));
        }
        let stack_class = StackPool::class_for(u64::from(header.stack_bytes)).unwrap_or(0);
        let program = Arc::new(Program {
            base,
            header,
            words,
            stack_class,
            cost: AtomicU64::new(0),
        });
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(base, Arc::clone(&program));
        Ok(program)
    }

    /// Forgets images in a range whose mapping changes.
    pub fn forget(&self, start: u64, end: u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|base, p| *base >= end || base + u64::from(p.header.image_bytes) <= start);
    }
}
