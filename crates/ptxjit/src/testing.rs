//! Runs images in this process: for tests and measurements of the code generator, not a virtual GPU.
//!
//! A grid runs on a thread of its own (`kind::CTA`) or on one thread per warp (`kind::WARP`), so that a trap can stop
//! it for good by parking the thread. Memory is the process's own: a generic address is a host address.
#![expect(
    clippy::cast_possible_truncation,
    reason = "sizes are those of small tests"
)]

use crate::compile::{Request, compile};
use abi::sm::{self, CtaContext, EntryHeader, Helpers, kind};
use fatbin::cubin::Kernel;
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A kernel in executable memory.
#[derive(Debug)]
pub struct Loaded {
    base: *mut u8,
    bytes: usize,
    /// Its header.
    pub header: EntryHeader,
}

// SAFETY: the mapping is read-execute and stays until the value is dropped.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `load` and nothing runs in it any more: `launch` keeps it alive.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

fn word(image: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]])
}

/// The levels of instruction sets that this machine runs code of, the lowest first.
#[must_use]
pub fn levels() -> Vec<u32> {
    use sm::isa::{AVX2, AVX512, SSE4};
    let host = sm::isa::of_host();
    [SSE4, SSE4 | AVX2, SSE4 | AVX2 | AVX512]
        .into_iter()
        .filter(|level| level & !host == 0)
        .collect()
}

/// The highest of [`levels`].
#[must_use]
pub fn best_level() -> u32 {
    levels().last().copied().unwrap_or_default()
}

/// Compiles a kernel with all effort, for launches of that block (`[0; 3]`: of any), and loads it.
///
/// # Errors
/// What the compiler or the loader says.
pub fn compiled(ptx: &str, kernel: &str, isa: u32, block: [u32; 3]) -> Result<Arc<Loaded>, String> {
    let request = Request {
        ptx,
        isa,
        kernel: Some(kernel),
        block,
        opt_level: 4,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    };
    let out = compile(&request).map_err(|error| error.to_string())?;
    let kernel = out.cubin.kernels.first().ok_or("no kernel")?;
    load(kernel, &HashMap::new())
}

/// Maps a kernel's image and fills its slots with the addresses of variables.
///
/// # Errors
/// A variable without an address, or no memory.
pub fn load(kernel: &Kernel, globals: &HashMap<String, u64>) -> Result<Arc<Loaded>, String> {
    let image = &kernel.image;
    let bytes = image.len().next_multiple_of(4096);
    // SAFETY: an anonymous mapping of our own.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err("mmap".to_owned());
    }
    let base: *mut u8 = base.cast();
    let mut copy = image.clone();
    for reloc in &kernel.relocs {
        let address = globals
            .get(&reloc.symbol)
            .ok_or_else(|| format!("no address for {}", reloc.symbol))?;
        let value = address.wrapping_add_signed(reloc.addend);
        let at = reloc.offset as usize;
        copy[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    // SAFETY: the mapping has at least these bytes and is not executable yet.
    unsafe {
        std::ptr::copy_nonoverlapping(copy.as_ptr(), base, copy.len());
        libc::mprotect(base.cast(), bytes, libc::PROT_READ | libc::PROT_EXEC);
    }
    let w = |i: usize| word(image, 8 + 4 * i);
    let header = EntryHeader {
        magic: u64::from(word(image, 0)) | u64::from(word(image, 4)) << 32,
        abi: w(0),
        isa: w(1),
        image_bytes: w(2),
        kind: w(3),
        entry: w(4),
        text: w(5),
        text_bytes: w(6),
        shared_bytes: w(7),
        local_bytes: w(8),
        param_bytes: w(9),
        param_offset: w(10),
        stack_bytes: w(11),
        block: [w(12), w(13), w(14)],
        max_threads: w(15),
        lines: w(16),
        line_count: w(17),
        strings: w(18),
        string_bytes: w(19),
        flags: w(20),
        padding: 0,
        better: 0,
        reserved: [0; 6],
    };
    if header.magic != sm::IMAGE_MAGIC || header.abi != sm::CODE_ABI {
        return Err("not an image".to_owned());
    }
    Ok(Arc::new(Loaded {
        base,
        bytes,
        header,
    }))
}

/// A launch's dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Dims {
    /// `%nctaid`
    pub grid: [u32; 3],
    /// `%ntid`
    pub block: [u32; 3],
    /// Bytes.
    pub dynamic_shared: u32,
}

/// Why a grid stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// One of [`sm::trap`].
    pub kind: u32,
    /// Guilty lanes.
    pub lanes: u32,
    /// What they used.
    pub address: u64,
    /// PTX line.
    pub line: u32,
}

/// [`Trap::kind`] of a memory fault in the kernel's code.
pub const ILLEGAL_ADDRESS: u32 = 100;

/// Kind of the trap for an instruction that the host lacks. Its address is the first eight bytes of the instruction.
pub const ILLEGAL_HOST_INSTRUCTION: u32 = 101;

/// How a launch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All blocks ran, and printed this (formats without their arguments).
    Done(String),
    /// A block stopped.
    Trapped(Trap),
    /// Nothing for ten seconds.
    Hung,
}

enum Event {
    Done,
    Trap(Trap),
}

/// Threads that have arrived, generation, reductions so far, and those of the last generation.
type Barrier = (u32, u64, [u32; 3], [u32; 3]);

/// Barriers of a block: arrivals and generations by number.
#[derive(Default)]
struct Barriers {
    state: Mutex<[Barrier; 16]>,
    wake: Condvar,
}

/// Warps of a block run one at a time, as on a virtual SM: code relies on it for shared memory.
#[derive(Default)]
struct Turn {
    taken: Mutex<bool>,
    wake: Condvar,
}

impl Turn {
    fn take(&self) {
        let mut taken = self
            .taken
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        while *taken {
            taken = self
                .wake
                .wait(taken)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *taken = true;
    }

    fn give(&self) {
        *self
            .taken
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = false;
        self.wake.notify_one();
    }
}

struct Sm {
    events: Sender<Event>,
    barriers: Barriers,
    threads: u32,
    stop: Arc<AtomicBool>,
    turn: Turn,
    printed: Arc<Mutex<String>>,
}

fn state(ctx: *const CtaContext) -> &'static Sm {
    // SAFETY: `launch` puts a pointer to an `Sm` there that lives until all warps of the block are done; a warp that
    // never returns (trap) leaks its block.
    unsafe { &*(*ctx).sm.cast::<Sm>() }
}

thread_local! {
    static RUNNING: std::cell::Cell<*const Sm> = const { std::cell::Cell::new(std::ptr::null()) };
}

/// A fault while this thread runs a kernel stops the kernel, not the process.
extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, _: *mut c_void) {
    let sm = RUNNING.with(std::cell::Cell::get);
    if sm.is_null() {
        // SAFETY: back to the default: the instruction faults again and ends the process.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    // SAFETY: the block's state lives while its warps run; the kernel handed over a valid record.
    let (sm, address) = unsafe { (&*sm, (*info).si_addr() as u64) };
    let (kind, address) = if signal == libc::SIGILL {
        // SAFETY: the address of an instruction that the processor has just read; code never ends a page by it.
        let bytes = unsafe { (address as *const [u8; 8]).read_unaligned() };
        (ILLEGAL_HOST_INSTRUCTION, u64::from_be_bytes(bytes))
    } else {
        (ILLEGAL_ADDRESS, address)
    };
    let _ = sm.events.send(Event::Trap(Trap {
        kind,
        lanes: 0,
        address,
        line: 0,
    }));
    park(sm)
}

fn catch_faults() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: a plain handler for faults, on the faulting thread's own stack.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) = on_fault;
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
            libc::sigaction(libc::SIGILL, &raw const action, std::ptr::null_mut());
            libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
            libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
        }
    });
}

fn park(sm: &Sm) -> ! {
    sm.stop.store(true, Ordering::SeqCst);
    loop {
        std::thread::park();
    }
}

fn lanes_in_warp(sm: &Sm, warp: u32) -> u32 {
    (sm.threads - warp * 32).min(32)
}

/// Arrives at a barrier; waits if `wait`. Returns the reduction (sum, all, any).
fn arrive(
    ctx: *const CtaContext,
    warp: u32,
    id: u32,
    count: u32,
    wait: bool,
    mask: u32,
    pred: u32,
) -> [u32; 3] {
    let sm = state(ctx);
    let need = if count == 0 {
        sm.threads.next_multiple_of(32)
    } else {
        count
    };
    let mut all = sm
        .barriers
        .state
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let b = &mut all[id as usize & 15];
    let _ = warp;
    b.0 += 32;
    if b.0 == 32 {
        b.2 = [0, 1, 0];
    }
    b.2[0] += (mask & pred).count_ones();
    b.2[1] &= u32::from(mask & pred == mask);
    b.2[2] |= u32::from(mask & pred != 0);
    let generation = b.1;
    if b.0 >= need {
        b.0 = 0;
        b.1 += 1;
        b.3 = b.2;
        sm.barriers.wake.notify_all();
        return b.3;
    }
    if !wait {
        return [0; 3];
    }
    sm.turn.give();
    while all[id as usize & 15].1 == generation {
        all = sm
            .barriers
            .wake
            .wait(all)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    let out = all[id as usize & 15].3;
    drop(all);
    sm.turn.take();
    out
}

extern "C" fn barrier(ctx: *const CtaContext, warp: u32, id: u32, count: u32) {
    let lanes = lanes_in_warp(state(ctx), warp);
    arrive(ctx, warp, id, count, true, u32::MAX >> (32 - lanes), 0);
}
extern "C" fn barrier_arrive(ctx: *const CtaContext, warp: u32, id: u32, count: u32) {
    match id {
        // The block is its own cluster: it meets where it waits.
        abi::sm::CLUSTER_ARRIVE => {}
        abi::sm::CLUSTER_WAIT => barrier(ctx, warp, 15, 0),
        _ => {
            arrive(ctx, warp, id, count, false, 0, 0);
        }
    }
}
extern "C" fn barrier_reduce(
    ctx: *const CtaContext,
    warp: u32,
    id: u32,
    count: u32,
    op: u32,
    mask: u32,
    pred: u32,
) -> u32 {
    arrive(ctx, warp, id, count, true, mask, pred)[op as usize % 3]
}
extern "C" fn yield_now(ctx: *const CtaContext, _: u32) {
    let turn = &state(ctx).turn;
    turn.give();
    std::thread::yield_now();
    turn.take();
}
extern "C" fn trap(ctx: *const CtaContext, _: u32, kind: u32, lanes: u32, address: u64, line: u32) {
    let sm = state(ctx);
    let _ = sm.events.send(Event::Trap(Trap {
        kind,
        lanes,
        address,
        line,
    }));
    park(sm)
}
extern "C" fn vprintf(
    ctx: *const CtaContext,
    _: u32,
    mask: u32,
    fmt: *const u64,
    _: *const u64,
    result: *mut i32,
) {
    let sm = state(ctx);
    let mut printed = sm
        .printed
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for lane in (0..32).filter(|l| mask >> l & 1 != 0) {
        // SAFETY: the contract: arrays of 32, formats are NUL-terminated strings in memory of the process.
        unsafe {
            let text = CStr::from_ptr(*fmt.add(lane) as *const std::ffi::c_char);
            printed.push_str(&text.to_string_lossy());
            *result.add(lane) = 1;
        }
    }
}
extern "C" fn assertfail(
    ctx: *const CtaContext,
    _: u32,
    mask: u32,
    _: *const u64,
    _: *const u64,
    _: *const u32,
    _: *const u64,
) {
    let sm = state(ctx);
    let _ = sm.events.send(Event::Trap(Trap {
        kind: sm::trap::ASSERT,
        lanes: mask,
        address: 0,
        line: 0,
    }));
    park(sm)
}
extern "C" fn malloc(_: *const CtaContext, _: u32, mask: u32, bytes: *const u64, result: *mut u64) {
    for lane in (0..32).filter(|l| mask >> l & 1 != 0) {
        // SAFETY: arrays of 32.
        unsafe { *result.add(lane) = libc::malloc(*bytes.add(lane) as usize) as u64 };
    }
}
extern "C" fn free(_: *const CtaContext, _: u32, mask: u32, address: *const u64) {
    for lane in (0..32).filter(|l| mask >> l & 1 != 0) {
        // SAFETY: what device code frees, it got from `malloc` above.
        unsafe { libc::free(*address.add(lane) as *mut c_void) };
    }
}
extern "C" fn globaltimer() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64)
}
extern "C" fn nanosleep(ctx: *const CtaContext, _: u32, ns: u32) {
    let turn = &state(ctx).turn;
    turn.give();
    std::thread::sleep(Duration::from_nanos(u64::from(ns).min(1_000_000)));
    turn.take();
}

/// There is no texture unit here.
extern "C" fn texture(
    ctx: *const CtaContext,
    warp: u32,
    mask: u32,
    _: u64,
    _: *const u64,
    _: *const [u32; 32],
    _: *mut [u32; 32],
    line: u32,
) {
    trap(ctx, warp, abi::sm::trap::ILLEGAL_INSTRUCTION, mask, 0, line);
}

/// There is only one grid here.
extern "C" fn device_runtime(
    ctx: *const CtaContext,
    warp: u32,
    mask: u32,
    _: u32,
    _: *const [u64; 32],
    _: *mut [u64; 32],
) {
    trap(ctx, warp, abi::sm::trap::ILLEGAL_INSTRUCTION, mask, 0, 0);
}

static HELPERS: Helpers = Helpers {
    barrier,
    barrier_arrive,
    barrier_reduce,
    yield_now,
    trap,
    vprintf,
    assertfail,
    malloc,
    free,
    globaltimer,
    nanosleep,
    device_runtime,
    reserved: [0; 3],
    texture,
};

/// Address space on both sides of a place, with zeros where it is touched: room for indices far off, below and above.
#[derive(Debug)]
pub struct Span {
    base: *mut u8,
    half: usize,
}

impl Span {
    /// `half` bytes on each side.
    ///
    /// # Panics
    /// There is no address space.
    #[must_use]
    pub fn new(half: usize) -> Self {
        // SAFETY: a mapping of our own, which takes memory only where it is touched.
        let base = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            libc::mmap(std::ptr::null_mut(), 2 * half, access, flags, -1, 0)
        };
        assert!(base != libc::MAP_FAILED, "no address space");
        let base = base.cast();
        Self { base, half }
    }

    /// Address of the place in the middle.
    #[must_use]
    pub fn middle(&self) -> u64 {
        self.base as u64 + self.half as u64
    }

    /// The word at a distance in bytes from the middle.
    fn at(&self, distance: i64) -> *mut u32 {
        let offset = i64::try_from(self.half)
            .ok()
            .and_then(|half| usize::try_from(half + distance).ok())
            .filter(|&offset| offset + 4 <= 2 * self.half)
            .expect("inside the span");
        // SAFETY: inside the mapping (checked).
        unsafe { self.base.add(offset).cast() }
    }

    /// Reads the word at a distance in bytes from the middle. No kernel runs meanwhile.
    ///
    /// # Panics
    /// It lies outside.
    #[must_use]
    pub fn read(&self, distance: i64) -> u32 {
        // SAFETY: inside the mapping.
        unsafe { self.at(distance).read_volatile() }
    }

    /// Writes it.
    ///
    /// # Panics
    /// It lies outside.
    pub fn write(&self, distance: i64, value: u32) {
        // SAFETY: inside the mapping.
        unsafe { self.at(distance).write_volatile(value) }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`; no kernel runs any more.
        unsafe { libc::munmap(self.base.cast(), 2 * self.half) };
    }
}

/// Shared windows and local memory of a launch; leaked when a trap leaves warps in them.
struct Memory {
    shared: *mut u8,
    local: *mut u8,
    local_bytes: usize,
}

// SAFETY: plain memory, handed from thread to thread.
unsafe impl Send for Memory {}

fn reserve(bytes: usize, usable: usize) -> *mut u8 {
    // SAFETY: fresh mappings of our own.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let p = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
        assert!(p != libc::MAP_FAILED, "no address space");
        libc::mprotect(p, usable, libc::PROT_READ | libc::PROT_WRITE);
        p.cast()
    }
}

impl Memory {
    fn new(shared: usize, local: usize) -> Self {
        let local_bytes = local.next_multiple_of(4096).max(4096);
        Self {
            shared: reserve(
                sm::SHARED_WINDOW as usize,
                shared.next_multiple_of(4096).max(4096),
            ),
            local: reserve(local_bytes, local_bytes),
            local_bytes,
        }
    }

    fn release(self) {
        // SAFETY: made by `new`; nothing uses them any more.
        unsafe {
            libc::munmap(self.shared.cast(), sm::SHARED_WINDOW as usize);
            libc::munmap(self.local.cast(), self.local_bytes);
        }
    }
}

type CtaEntry = unsafe extern "C" fn(*const CtaContext);
type WarpEntry = unsafe extern "C" fn(*const CtaContext, u32);

/// Runs a grid to its end.
#[must_use]
pub fn launch(kernel: &Arc<Loaded>, dims: Dims, params: &[u8]) -> End {
    catch_faults();
    let (events, inbox) = channel();
    let printed = Arc::new(Mutex::new(String::new()));
    let kernel = Arc::clone(kernel);
    let params = params.to_vec();
    let output = Arc::clone(&printed);
    std::thread::Builder::new()
        .stack_size((kernel.header.stack_bytes as usize).next_multiple_of(4096) + (1 << 20))
        .spawn(move || run(&kernel, dims, &params, &events, &output))
        .expect("a thread");
    match inbox.recv_timeout(Duration::from_secs(60)) {
        Ok(Event::Done) => End::Done(
            printed
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .clone(),
        ),
        Ok(Event::Trap(trap)) => End::Trapped(trap),
        Err(_) => End::Hung,
    }
}

/// What a block of a launch needs; boxed, so that pointers to it stay.
struct Cta {
    ctx: CtaContext,
    sm: Sm,
    memory: Memory,
}

fn run(
    kernel: &Arc<Loaded>,
    dims: Dims,
    params: &[u8],
    events: &Sender<Event>,
    printed: &Arc<Mutex<String>>,
) {
    let header = kernel.header;
    let threads = header.threads(dims.block);
    let warps = threads.div_ceil(32);
    let shared = header.shared_bytes + dims.dynamic_shared;
    let mapped = sm::mapped_shared(header.flags, shared);
    let stride = u64::from(header.local_bytes.next_multiple_of(16));
    let size = header.param_offset as usize + params.len().max(header.param_bytes as usize) + 64;
    let mut bank = vec![0u8; size];
    let at = (header.param_offset as usize).min(bank.len() - params.len());
    bank[at..at + params.len()].copy_from_slice(params);
    let [gx, gy, gz] = dims.grid;
    let make = |index: [u32; 3]| -> Box<Cta> {
        let memory = Memory::new(mapped as usize, (stride * u64::from(warps) * 32) as usize);
        let mut cta = Box::new(Cta {
            ctx: CtaContext {
                helpers: &raw const HELPERS,
                // SAFETY: inside the bank.
                params: unsafe { bank.as_ptr().add(at) },
                shared: memory.shared,
                local: memory.local,
                local_stride: stride,
                ntid: dims.block,
                threads,
                nctaid: dims.grid,
                warps,
                ctaid: index,
                dynamic_shared: dims.dynamic_shared,
                gridid: 1,
                smid: 0,
                nsmid: 1,
                total_shared: shared,
                warpid_base: 0,
                constants: bank.as_ptr(),
                grid_workspace: 0,
                cluster_nctaid: [1; 3],
                cluster_ctarank: 0,
                cluster_ctaid: [0; 3],
                reserved: 0,
                sm: std::ptr::null_mut(),
                sm_first: 0,
                sm_end: 1,
            },
            sm: Sm {
                events: events.clone(),
                barriers: Barriers::default(),
                threads,
                stop: Arc::new(AtomicBool::new(false)),
                turn: Turn::default(),
                printed: Arc::clone(printed),
            },
            memory,
        });
        cta.ctx.sm = (&raw mut cta.sm).cast();
        cta
    };
    // SAFETY: an offset inside the mapping.
    let entry = unsafe { kernel.base.add(header.entry as usize) };
    let indices = (0..gz).flat_map(|z| (0..gy).flat_map(move |y| (0..gx).map(move |x| [x, y, z])));
    if header.kind == kind::CTA {
        let mut cta = make([0; 3]);
        RUNNING.with(|r| r.set(&raw const cta.sm));
        for index in indices {
            cta.ctx.ctaid = index;
            // SAFETY: the compiler's image, entered as its kind says, with a context that outlives the call.
            unsafe { std::mem::transmute::<*mut u8, CtaEntry>(entry)(&raw const cta.ctx) };
        }
        cta.memory.release();
    } else {
        let stack = (header.stack_bytes as usize).next_multiple_of(4096) + (1 << 18);
        let entry_at = entry as usize;
        // Blocks of a small grid run together, as they may wait for one another.
        let all: Vec<[u32; 3]> = indices.collect();
        for group in all.chunks((64 / warps as usize).max(1)) {
            let ctas: Vec<Box<Cta>> = group.iter().map(|&index| make(index)).collect();
            let mut joins = Vec::new();
            for cta in &ctas {
                let (ctx_at, sm_at) = (&raw const cta.ctx as usize, &raw const cta.sm as usize);
                for warp in 0..warps {
                    let thread = std::thread::Builder::new()
                        .stack_size(stack)
                        .spawn(move || {
                            RUNNING.with(|r| r.set(sm_at as *const Sm));
                            // SAFETY: the block's state lives until all warps were joined.
                            let sm = unsafe { &*(sm_at as *const Sm) };
                            sm.turn.take();
                            // SAFETY: as above; the context lives until all warps were joined.
                            unsafe {
                                std::mem::transmute::<usize, WarpEntry>(entry_at)(
                                    ctx_at as *const CtaContext,
                                    warp,
                                );
                            }
                            sm.turn.give();
                        });
                    joins.push(thread.expect("a thread"));
                }
            }
            for join in joins {
                let _ = join.join();
            }
            for cta in ctas {
                cta.memory.release();
            }
        }
    }
    let _ = events.send(Event::Done);
}
