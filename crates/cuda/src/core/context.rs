//! Contexts: what is current, what lives in one, and the error that ends it.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use cuda_abi::driver::{CUctx_flags, CUlimit, CUresult};

use super::channel::{Channel, Group, Point};
use super::device::Device;
use super::event::{self, EventSlots};
use super::green::Sms;
use super::handle::Table;
use super::memory::{Allocation, Kind, Request, Room};
use super::platform::{self, Platform};
use super::printf::Fifo;
use super::push::Batch;
use super::space::Space;
use super::stream::{self, Stream};

/// All contexts: the primary one of each device, and those of `cuCtxCreate`.
pub(crate) static CONTEXTS: Table<Context> = Table::new(1, CUresult::INVALID_CONTEXT);

/// Channels of a context at most; streams share them.
const CHANNELS_MAX: usize = 32;

/// A context's name. It outlives what it holds: a primary context may be reset and retained again.
pub(crate) struct Context {
    /// Its handle.
    pub handle: usize,
    /// Its device.
    pub ordinal: usize,
    /// Whether it is the device's primary context.
    pub primary: bool,
    /// API version of the call that made it.
    pub api_version: u32,
    /// Flags of its creation.
    pub flags: AtomicU32,
    /// The SMs that it has, if it stands for a green context.
    pub sms: Option<Sms>,
    /// Handle of that green context, 0 none.
    green: AtomicUsize,
    /// The context whose holdings it shares.
    base: Option<Arc<Context>>,
    retained: Mutex<usize>,
    live: RwLock<Option<Arc<Live>>>,
}

/// What a context holds while it is active.
pub(crate) struct Live {
    /// Handle of the context.
    pub context: usize,
    /// Its device.
    pub device: Arc<Device>,
    /// Its VA space.
    pub space: Arc<Space>,
    /// Number that is never used again.
    pub id: u64,
    /// The legacy default stream.
    pub legacy: Arc<Stream>,
    /// Streams that synchronise with the legacy one.
    pub blocking: RwLock<Vec<Arc<Stream>>>,
    /// Semaphores of events.
    pub event_slots: Mutex<EventSlots>,
    /// Descriptors of textures and surfaces.
    pub descriptors: Mutex<super::texture::Pool>,
    /// printf FIFO, made when the first kernel that needs one is launched.
    pub fifo: OnceLock<Fifo>,
    /// Device heap, likewise.
    pub heap: OnceLock<Arc<Allocation>>,
    /// Workspaces of cooperative launches, the oldest first.
    pub workspaces: Mutex<std::collections::VecDeque<Arc<Allocation>>>,
    /// `cuCtxSetLimit`.
    pub limits: Mutex<Limits>,
    /// Stream of the driver's own, for events of the whole context.
    pub apart: OnceLock<Arc<Stream>>,
    group: Group,
    channels: Mutex<Channels>,
    /// What channels that are yet to be made wait for.
    awaited: Mutex<Vec<Point>>,
    ended: AtomicBool,
}

#[derive(Default)]
struct Channels {
    list: Vec<Arc<Channel>>,
    next: usize,
}

/// Values of `cuCtxSetLimit`, bytes unless said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Stack of a thread.
    pub stack: u64,
    /// printf FIFO.
    pub fifo: u64,
    /// Device heap.
    pub heap: u64,
    /// Depth at which a kernel may synchronise (count).
    pub sync_depth: u64,
    /// Launches that a kernel may have pending (count).
    pub pending_launches: u64,
    /// L2 fetch granularity.
    pub l2_fetch: u64,
    /// L2 set aside for persisting accesses.
    pub persisting_l2: u64,
}

impl Default for Limits {
    /// As CUDA starts (CUDA Driver API 13.0, cuCtxSetLimit; observed values of public programs).
    fn default() -> Self {
        Self {
            stack: 1024,
            fifo: 1 << 20,
            heap: 8 << 20,
            sync_depth: 2,
            pending_launches: 2048,
            l2_fetch: 64,
            persisting_l2: 0,
        }
    }
}

impl Limits {
    /// The value of a limit.
    pub(crate) fn get(&self, limit: CUlimit) -> Option<u64> {
        Some(match limit {
            CUlimit::STACK_SIZE => self.stack,
            CUlimit::PRINTF_FIFO_SIZE => self.fifo,
            CUlimit::MALLOC_HEAP_SIZE => self.heap,
            CUlimit::DEV_RUNTIME_SYNC_DEPTH => self.sync_depth,
            CUlimit::DEV_RUNTIME_PENDING_LAUNCH_COUNT => self.pending_launches,
            CUlimit::MAX_L2_FETCH_GRANULARITY => self.l2_fetch,
            CUlimit::PERSISTING_L2_CACHE_SIZE => self.persisting_l2,
            _ => return None,
        })
    }

    /// The place of a limit.
    pub(crate) fn get_mut(&mut self, limit: CUlimit) -> Option<&mut u64> {
        Some(match limit {
            CUlimit::STACK_SIZE => &mut self.stack,
            CUlimit::PRINTF_FIFO_SIZE => &mut self.fifo,
            CUlimit::MALLOC_HEAP_SIZE => &mut self.heap,
            CUlimit::DEV_RUNTIME_SYNC_DEPTH => &mut self.sync_depth,
            CUlimit::DEV_RUNTIME_PENDING_LAUNCH_COUNT => &mut self.pending_launches,
            CUlimit::MAX_L2_FETCH_GRANULARITY => &mut self.l2_fetch,
            CUlimit::PERSISTING_L2_CACHE_SIZE => &mut self.persisting_l2,
            _ => return None,
        })
    }
}

thread_local! {
    /// The calling thread's stack of contexts, by handle; the last is current. 0 = none.
    static STACK: RefCell<Stack> = const { RefCell::new(Stack::new()) };
}

/// Contexts that a thread's stack holds without memory from the heap.
const SHALLOW: usize = 8;

/// A stack of contexts. It has no destructor: destructors of a thread's own variables may still call.
struct Stack {
    bottom: [usize; SHALLOW],
    depth: usize,
    /// What lies above; empty, and without memory, as a rule.
    top: ManuallyDrop<Vec<usize>>,
}

impl Stack {
    const fn new() -> Self {
        Self {
            bottom: [0; SHALLOW],
            depth: 0,
            top: ManuallyDrop::new(Vec::new()),
        }
    }

    fn last(&self) -> Option<usize> {
        let below = || self.depth.checked_sub(1).map(|at| self.bottom[at]);
        self.top.last().copied().or_else(below)
    }

    fn push(&mut self, handle: usize) {
        match self.bottom.get_mut(self.depth) {
            Some(place) => {
                *place = handle;
                self.depth += 1;
            }
            None => self.top.push(handle),
        }
    }

    fn pop(&mut self) -> Option<usize> {
        if let Some(handle) = self.top.pop() {
            if self.top.is_empty() {
                drop(std::mem::take(&mut *self.top));
            }
            return Some(handle);
        }
        self.depth = self.depth.checked_sub(1)?;
        Some(self.bottom[self.depth])
    }
}

/// Handle of the calling thread's current context.
pub(crate) fn current_handle() -> Option<usize> {
    STACK.with_borrow(Stack::last).filter(|handle| *handle != 0)
}

/// Makes a context current instead of the one that is.
pub(crate) fn set_current(handle: Option<usize>) {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if let Some(handle) = handle {
            stack.push(handle);
        }
    });
}

/// Puts a context on top of the stack.
pub(crate) fn push(handle: usize) {
    STACK.with_borrow_mut(|stack| stack.push(handle));
}

/// Takes the current context off the stack.
pub(crate) fn pop() -> Option<usize> {
    STACK
        .with_borrow_mut(Stack::pop)
        .filter(|handle| *handle != 0)
}

/// The current context's name.
///
/// # Errors
/// 201 without one, or when it is gone.
pub(crate) fn current_context() -> Result<Arc<Context>, CUresult> {
    CONTEXTS.get(current_handle().ok_or(CUresult::INVALID_CONTEXT)?)
}

/// What the current context holds.
///
/// # Errors
/// 201 without one, 709 when it was reset, or the fault that ended it.
pub(crate) fn current() -> Result<Arc<Live>, CUresult> {
    current_context()?.live_and_well()
}

/// The primary context of a device, as a name.
pub(crate) fn primary(ordinal: usize) -> Result<Arc<Context>, CUresult> {
    static PRIMARY: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
    let mut known = PRIMARY
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, handle)) = known.iter().find(|(o, _)| *o == ordinal) {
        return CONTEXTS.get(*handle);
    }
    let (handle, context) =
        CONTEXTS.insert_with(|handle| Context::new(handle, ordinal, true, 0, 3020))?;
    known.push((ordinal, handle));
    Ok(context)
}

/// Makes a context, not yet current.
///
/// # Errors
/// What the kernel half answers.
pub(crate) fn create(
    ordinal: usize,
    flags: u32,
    api_version: u32,
) -> Result<Arc<Context>, CUresult> {
    let platform = platform::get()?;
    let (handle, context) =
        CONTEXTS.insert_with(|handle| Context::new(handle, ordinal, false, flags, api_version))?;
    match Live::create(platform, handle, ordinal) {
        Ok(live) => {
            *context.write() = Some(live);
            Ok(context)
        }
        Err(error) => {
            CONTEXTS.remove(handle)?;
            Err(error)
        }
    }
}

/// Another name for a context, for a green context with these SMs.
pub(crate) fn alias(base: &Arc<Context>, sms: Sms) -> Result<Arc<Context>, CUresult> {
    let (_, context) = CONTEXTS.insert_with(|handle| Context {
        sms: Some(sms),
        base: Some(base.clone()),
        ..Context::new(handle, base.ordinal, false, 0, 3020)
    })?;
    Ok(context)
}

impl Context {
    fn new(handle: usize, ordinal: usize, primary: bool, flags: u32, api_version: u32) -> Self {
        Self {
            handle,
            ordinal,
            primary,
            api_version,
            flags: AtomicU32::new(flags & CUctx_flags::FLAGS_MASK.0.unsigned_abs()),
            sms: None,
            green: AtomicUsize::new(0),
            base: None,
            retained: Mutex::new(0),
            live: RwLock::new(None),
        }
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Option<Arc<Live>>> {
        self.live
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What it holds, faulted or not.
    pub(crate) fn live(&self) -> Option<Arc<Live>> {
        if let Some(base) = &self.base {
            return base.live();
        }
        self.live
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    /// What it holds.
    ///
    /// # Errors
    /// 709 when it was reset, or the fault that ended it.
    pub(crate) fn live_and_well(&self) -> Result<Arc<Live>, CUresult> {
        let live = self.live().ok_or(CUresult::CONTEXT_IS_DESTROYED)?;
        live.check()?;
        Ok(live)
    }

    /// Handle of the green context that it stands for, 0 none.
    pub(crate) fn green(&self) -> usize {
        self.green.load(Ordering::Acquire)
    }

    /// Says which green context it stands for.
    pub(crate) fn set_green(&self, green: usize) {
        self.green.store(green, Ordering::Release);
    }

    /// Counts a user of the primary context and makes it active.
    pub(crate) fn retain(&self) -> Result<(), CUresult> {
        let mut retained = self.lock_retained();
        if self.live().is_none() {
            let live = Live::create(platform::get()?, self.handle, self.ordinal)?;
            *self.write() = Some(live);
        }
        *retained += 1;
        Ok(())
    }

    /// Uncounts a user; the last one ends it.
    ///
    /// # Errors
    /// 201 when nobody has retained it.
    pub(crate) fn release(&self) -> Result<(), CUresult> {
        let mut retained = self.lock_retained();
        *retained = retained.checked_sub(1).ok_or(CUresult::INVALID_CONTEXT)?;
        if *retained == 0 {
            self.end();
        }
        Ok(())
    }

    /// Ends it whoever uses it.
    pub(crate) fn reset(&self) {
        let mut retained = self.lock_retained();
        *retained = 0;
        self.end();
    }

    /// Adds a reference of `cuCtxAttach`.
    pub(crate) fn attach(&self) {
        *self.lock_retained() += 1;
    }

    /// Takes a reference of `cuCtxAttach` back, if there is one.
    pub(crate) fn detach(&self) -> bool {
        let mut retained = self.lock_retained();
        match retained.checked_sub(1) {
            Some(left) if !self.primary => {
                *retained = left;
                true
            }
            Some(_) | None => false,
        }
    }

    fn lock_retained(&self) -> std::sync::MutexGuard<'_, usize> {
        self.retained
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Ends what it holds.
    pub(crate) fn end(&self) {
        let live = self.write().take();
        if let Some(live) = live {
            live.end();
        }
    }
}

/// Makes what a channel does next wait for a point.
fn wait_in(channel: &Arc<Channel>, point: &Point) -> Result<(), CUresult> {
    if Arc::ptr_eq(channel, &point.channel) {
        return Ok(());
    }
    let mut batch = Batch::new();
    batch.acquire(point.channel.semaphore(), point.value);
    channel.submit(&batch).map(drop)
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);
static LIVE_COUNT: AtomicUsize = AtomicUsize::new(0);

impl Live {
    fn create(platform: &Platform, context: usize, ordinal: usize) -> Result<Arc<Self>, CUresult> {
        let space = platform.space(ordinal)?;
        let group = Group::create(platform, &space)?;
        space.enter();
        LIVE_COUNT.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(Self {
            context,
            device: space.device.clone(),
            space,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            legacy: Arc::new(Stream::legacy(context)),
            blocking: RwLock::default(),
            event_slots: Mutex::default(),
            descriptors: Mutex::default(),
            fifo: OnceLock::new(),
            heap: OnceLock::new(),
            workspaces: Mutex::default(),
            limits: Mutex::default(),
            apart: OnceLock::new(),
            group,
            channels: Mutex::default(),
            awaited: Mutex::default(),
            ended: AtomicBool::new(false),
        }))
    }

    /// The fault that ended it.
    pub(crate) fn check(&self) -> Result<(), CUresult> {
        match self.space.fault() {
            Some(fault) => Err(fault),
            None if self.ended.load(Ordering::Acquire) => Err(CUresult::CONTEXT_IS_DESTROYED),
            None => Ok(()),
        }
    }

    /// A channel for a stream: a new one while there may be more, then one after the other again.
    pub(crate) fn channel(&self) -> Result<Arc<Channel>, CUresult> {
        let mut channels = self
            .channels
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if channels.list.len() < CHANNELS_MAX {
            let channel = Channel::create(platform::get()?, &self.space, self.group)?;
            channels.list.push(channel.clone());
            let mut awaited = self
                .awaited
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            awaited.retain(|point| !point.is_done());
            for point in awaited.iter() {
                wait_in(&channel, point)?;
            }
            return Ok(channel);
        }
        let index = channels.next % channels.list.len();
        channels.next += 1;
        Ok(channels.list[index].clone())
    }

    /// All work so far.
    pub(crate) fn points(&self) -> Vec<Point> {
        let channels = self.channels().into_iter();
        channels
            .map(|channel| Point {
                value: channel.submitted(),
                channel,
            })
            .filter(|point| !point.is_done())
            .collect()
    }

    /// Makes all work from now on wait for an event.
    ///
    /// # Errors
    /// The fault that ended the context.
    pub(crate) fn wait_everywhere(&self, event: &super::event::Event) -> Result<(), CUresult> {
        let Some(point) = event.point().filter(|point| !point.is_done()) else {
            return Ok(());
        };
        self.awaited
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(point.clone());
        for channel in self.channels() {
            wait_in(&channel, &point)?;
        }
        Ok(())
    }

    /// All channels there are.
    pub(crate) fn channels(&self) -> Vec<Arc<Channel>> {
        self.channels
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .list
            .clone()
    }

    /// Waits for everything.
    ///
    /// # Errors
    /// The fault that ended it.
    pub(crate) fn synchronize(&self) -> Result<(), CUresult> {
        let waited = self
            .channels()
            .iter()
            .try_for_each(|channel| channel.wait(channel.submitted()));
        self.drain_output();
        waited?;
        self.check()
    }

    /// Prints what kernels printed, and gives back memory that pools need not keep: what CUDA does when a program
    /// synchronises.
    pub(crate) fn drain_output(&self) {
        if let Some(fifo) = self.fifo.get() {
            fifo.drain();
        }
        super::pool::trim_all();
    }

    fn request(&self, bytes: u64, align: u64, kind: Kind, flags: u32) -> Request {
        Request {
            bytes,
            align,
            kind,
            room: Room::Program,
            context: self.context,
            flags,
            pool: 0,
            handed_out: false,
        }
    }

    fn fulfil(&self, request: Request) -> Result<Arc<Allocation>, CUresult> {
        let platform = platform::get()?;
        platform.memory.allocate(platform, &self.space, request)
    }

    /// Allocates memory that belongs to this context.
    pub(crate) fn allocate(
        &self,
        bytes: u64,
        align: u64,
        kind: Kind,
        flags: u32,
    ) -> Result<Arc<Allocation>, CUresult> {
        self.fulfil(self.request(bytes, align, kind, flags))
    }

    /// Allocates memory that the program will free by its address.
    ///
    /// # Errors
    /// As [`super::memory::Registry::allocate`].
    pub(crate) fn hand_out(
        &self,
        bytes: u64,
        align: u64,
        kind: Kind,
        flags: u32,
    ) -> Result<Arc<Allocation>, CUresult> {
        self.fulfil(Request {
            handed_out: true,
            ..self.request(bytes, align, kind, flags)
        })
    }

    /// Allocates device memory that is not the program's own.
    ///
    /// # Errors
    /// As [`super::memory::Registry::allocate`].
    pub(crate) fn allocate_in(
        &self,
        room: Room,
        bytes: u64,
        align: u64,
    ) -> Result<Arc<Allocation>, CUresult> {
        self.fulfil(Request {
            room,
            ..self.request(bytes, align, Kind::Device, 0)
        })
    }

    /// Ends everything in the context.
    fn end(&self) {
        let Ok(platform) = platform::get() else {
            return;
        };
        if self.ended.swap(true, Ordering::SeqCst) {
            return;
        }
        if self.space.fault().is_none() {
            // Work that still runs would use memory that goes now.
            for channel in self.channels() {
                let _ = channel.wait(channel.submitted());
            }
        }
        self.drain_output();
        super::pool::end_context(self);
        super::peer::end_context(self.context);
        super::module::end_context(self.context);
        drop(stream::STREAMS.remove_if(|s| s.context == self.context));
        drop(event::EVENTS.remove_if(|e| e.context == self.context));
        super::texture::end_context(self.context);
        super::array::end_context(self.context);
        self.blocking
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clear();
        self.legacy.let_go();
        self.channels
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .list
            .clear();
        for allocation in platform.memory.remove_context(self.context) {
            platform.memory.release(Some(&self.space), &allocation);
        }
        let _ = platform.client.free(self.device.device, self.group.group);
        self.space.leave();
        LIVE_COUNT.fetch_sub(1, Ordering::SeqCst);
        platform.drop_space(self.space.ordinal);
    }
}
