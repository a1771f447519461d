//! Streams: work in order, and the order between streams.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cuda_abi::driver::{CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CUresult, CUstream};

use super::channel::{Channel, LaunchMemory, Point};
use super::context::{self, CONTEXTS, Live};
use super::graph::capture;
use super::handle::Table;
use super::push::Batch;

/// All streams that programs made.
pub(crate) static STREAMS: Table<Stream> = Table::new(2, CUresult::INVALID_HANDLE);

/// A stream.
pub(crate) struct Stream {
    /// Its handle; 1 and 2 for the default streams.
    pub handle: usize,
    /// Handle of its context.
    pub context: usize,
    /// Flags of its creation.
    pub flags: u32,
    /// Priority, clamped.
    pub priority: i32,
    /// Whether it waits for the legacy stream and the legacy stream for it.
    pub blocking: bool,
    /// Number that is never used again.
    pub id: u64,
    channel: Mutex<Option<Arc<Channel>>>,
    /// Entry of the channel after which the stream's work is done.
    last: AtomicU64,
    /// Host functions of the stream.
    pub callbacks: super::host_function::Queue,
    /// Its part in a capture.
    pub capture: capture::Slot,
    /// Handle of the green context that it belongs to, 0 none.
    pub green: usize,
    /// The SMs that its kernels run on, if not all.
    pub sms: Option<super::green::Sms>,
    attributes: Mutex<BTreeMap<i32, [u64; 8]>>,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// Whether the call in progress takes stream 0 as the thread's own.
    static PER_THREAD: Cell<bool> = const { Cell::new(false) };
    /// The calling thread's default streams, by context.
    static OWN: RefCell<OwnStreams> = RefCell::default();
}

/// Runs a call whose stream 0 is the calling thread's default stream.
pub(crate) fn with_per_thread_default<R>(body: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            PER_THREAD.set(self.0);
        }
    }
    let _back = Back(PER_THREAD.replace(true));
    body()
}

impl Stream {
    fn new(handle: usize, context: usize, flags: u32, priority: i32, blocking: bool) -> Self {
        Self {
            handle,
            context,
            flags,
            priority,
            blocking,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            channel: Mutex::new(None),
            last: AtomicU64::new(0),
            callbacks: super::host_function::Queue::default(),
            capture: capture::Slot::default(),
            green: 0,
            sms: None,
            attributes: Mutex::default(),
        }
    }

    /// A stream of the driver's own.
    pub(crate) fn of_driver(live: &Live) -> Arc<Self> {
        Arc::new(Self::new(0, live.context, 1, 0, false))
    }

    /// The legacy default stream of a context.
    pub(crate) fn legacy(context: usize) -> Self {
        Self::new(CU_STREAM_LEGACY.0, context, 0, 0, false)
    }

    /// Whether it is one of the default streams.
    pub(crate) fn is_default(&self) -> bool {
        [CU_STREAM_LEGACY.0, CU_STREAM_PER_THREAD.0].contains(&self.handle)
    }

    /// Attributes that were set, by number.
    pub(crate) fn attributes(&self) -> std::sync::MutexGuard<'_, BTreeMap<i32, [u64; 8]>> {
        self.attributes
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Priority as made, or as set since.
    pub(crate) fn priority(&self) -> i32 {
        let id = cuda_abi::driver::CUlaunchAttributeID::PRIORITY.0;
        self.attributes().get(&id).map_or(self.priority, |words| {
            let low = u32::try_from(words[0] & 0xffff_ffff).unwrap_or_default();
            low.cast_signed()
        })
    }

    /// Whether it is a context's legacy default stream.
    pub(crate) fn is_legacy(&self) -> bool {
        self.handle == CU_STREAM_LEGACY.0
    }

    /// The channel, if any work was ever submitted.
    fn known_channel(&self) -> Option<Arc<Channel>> {
        self.channel
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    /// The channel.
    fn channel(&self, live: &Live) -> Result<Arc<Channel>, CUresult> {
        let mut channel = self
            .channel
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(channel) = &*channel {
            return Ok(channel.clone());
        }
        let new = live.channel()?;
        *channel = Some(new.clone());
        Ok(new)
    }

    /// Lets go of the channel.
    pub(crate) fn let_go(&self) {
        *self
            .channel
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    /// Its work so far; `None` when there is none.
    pub(crate) fn point(&self) -> Option<Point> {
        let value = self.last.load(Ordering::Acquire);
        (value != 0)
            .then(|| self.known_channel().map(|channel| Point { channel, value }))
            .flatten()
    }

    fn outstanding(&self) -> Option<Point> {
        self.point().filter(|point| !point.is_done())
    }
}

/// A stream and what its context holds.
#[derive(Clone)]
pub(crate) struct Target {
    /// The context's holdings.
    pub live: Arc<Live>,
    /// The stream.
    pub stream: Arc<Stream>,
}

/// The stream that a handle means for this call, for work in it.
///
/// # Errors
/// 400 for a handle that names no stream; those of the context; 906 when the legacy stream would wait for a capture.
pub(crate) fn resolve(handle: CUstream) -> Result<Target, CUresult> {
    let target = find(handle)?;
    capture::implicit(&target, true)?;
    Ok(target)
}

/// The stream that a handle means for this call, to look at it.
///
/// # Errors
/// 400 for a handle that names no stream; those of the context.
pub(crate) fn find(handle: CUstream) -> Result<Target, CUresult> {
    let per_thread = handle == CU_STREAM_PER_THREAD || handle == CUstream::NULL && PER_THREAD.get();
    if per_thread {
        let live = context::current()?;
        let stream = own_stream(&live);
        return Ok(Target { live, stream });
    }
    if handle == CUstream::NULL || handle == CU_STREAM_LEGACY {
        let live = context::current()?;
        let stream = live.legacy.clone();
        return Ok(Target { live, stream });
    }
    let stream = STREAMS.get(handle.0)?;
    let live = CONTEXTS.get(stream.context)?.live_and_well()?;
    Ok(Target { live, stream })
}

/// The default stream of the call in progress.
pub(crate) fn default() -> Result<Target, CUresult> {
    resolve(CUstream::NULL)
}

/// Per-thread default streams, by context.
type OwnStreams = HashMap<(usize, u64), Arc<Stream>>;

/// The default stream of all threads that are past the end of their own.
static LATE: Mutex<Option<OwnStreams>> = Mutex::new(None);

fn own_stream(live: &Arc<Live>) -> Arc<Stream> {
    let find = |own: &mut OwnStreams| {
        own.entry((live.context, live.id))
            .or_insert_with(|| {
                let stream = Arc::new(Stream::new(
                    CU_STREAM_PER_THREAD.0,
                    live.context,
                    0,
                    0,
                    true,
                ));
                add_blocking(live, stream.clone());
                stream
            })
            .clone()
    };
    // A destructor of one of the program's own variables of this thread may run after that of ours.
    let own = OWN.try_with(|own| find(&mut own.borrow_mut()));
    own.unwrap_or_else(|_| {
        let mut late = LATE
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        find(late.get_or_insert_default())
    })
}

/// Makes the legacy stream wait for a stream. Those that nobody has any more leave when there is no room.
fn add_blocking(live: &Live, stream: Arc<Stream>) {
    let mut blocking = blocking_of(live);
    if blocking.len() == blocking.capacity() {
        blocking.retain(|s| Arc::strong_count(s) > 1 || s.outstanding().is_some());
    }
    blocking.push(stream);
}

fn blocking_of(live: &Live) -> std::sync::RwLockWriteGuard<'_, Vec<Arc<Stream>>> {
    live.blocking
        .write()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Makes a stream in the current context.
pub(crate) fn create(flags: u32, priority: i32) -> Result<CUstream, CUresult> {
    create_in(&*context::current_context()?, flags, priority)
}

/// Makes a stream in a context.
pub(crate) fn create_in(
    context: &context::Context,
    flags: u32,
    priority: i32,
) -> Result<CUstream, CUresult> {
    let live = context.live_and_well()?;
    let blocking = flags & 1 == 0;
    let (handle, stream) = STREAMS.insert_with(|handle| Stream {
        green: context.green(),
        sms: context.sms,
        ..Stream::new(handle, live.context, flags, priority, blocking)
    })?;
    if blocking {
        add_blocking(&live, stream);
    }
    Ok(CUstream(handle))
}

/// Ends a stream: its work goes on, its name is gone.
pub(crate) fn destroy(handle: CUstream) -> Result<(), CUresult> {
    if [CUstream::NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD].contains(&handle) {
        return Err(CUresult::INVALID_HANDLE);
    }
    let stream = STREAMS.remove(handle.0)?;
    capture::stream_ends(&stream);
    if let Some(live) = CONTEXTS.get(stream.context).ok().and_then(|c| c.live()) {
        // Work that the legacy stream must still wait for keeps the stream in the list until it is done.
        blocking_of(&live).retain(|s| s.handle != handle.0 || s.outstanding().is_some());
        live.check()?;
    }
    Ok(())
}

impl Target {
    /// The driver's own stream in a context.
    pub(crate) fn apart(live: &Arc<Live>) -> Result<Self, CUresult> {
        let new = || Stream::of_driver(live);
        Ok(Self {
            live: live.clone(),
            stream: live.apart.get_or_init(new).clone(),
        })
    }

    /// Points that this stream's next work must wait for.
    fn dependencies(&self, channel: &Arc<Channel>) -> Vec<Point> {
        let other = |point: &Point| !Arc::ptr_eq(&point.channel, channel);
        if self.stream.is_legacy() {
            let blocking = self
                .live
                .blocking
                .read()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if blocking.is_empty() {
                return Vec::new();
            }
            return blocking
                .iter()
                .filter_map(|s| s.outstanding())
                .filter(other)
                .collect();
        }
        if self.stream.blocking {
            return self
                .live
                .legacy
                .outstanding()
                .into_iter()
                .filter(other)
                .collect();
        }
        Vec::new()
    }

    fn begin(&self) -> Result<(Arc<Channel>, Batch), CUresult> {
        capture::refuse(&self.stream)?;
        let channel = self.stream.channel(&self.live)?;
        let mut batch = Batch::new();
        for point in self.dependencies(&channel) {
            // Leave room for the batch's own work and its release.
            if !batch.has_room(Batch::SEMAPHORE_WORDS * 4 + Batch::COPY_WORDS) {
                channel.submit(&batch)?;
                batch = Batch::new();
            }
            batch.acquire(point.channel.semaphore(), point.value);
        }
        Ok((channel, batch))
    }

    fn finish(&self, value: u64) -> u64 {
        self.stream.last.fetch_max(value, Ordering::AcqRel);
        value
    }

    /// Submits what `fill` adds to a batch (at most [`Batch::COPY_WORDS`] and a semaphore).
    ///
    /// # Errors
    /// The fault that ended the context.
    pub(crate) fn submit(&self, fill: impl FnOnce(&mut Batch)) -> Result<Point, CUresult> {
        let (channel, mut batch) = self.begin()?;
        fill(&mut batch);
        let value = self.finish(channel.submit(&batch)?);
        Ok(Point { channel, value })
    }

    /// Submits what `fill` makes of launch memory of `bytes`, after adding to the batch it is given.
    pub(crate) fn launch(
        &self,
        bytes: u64,
        fill: impl FnOnce(LaunchMemory<'_>, &mut Batch),
    ) -> Result<Point, CUresult> {
        let (channel, mut batch) = self.begin()?;
        let value = channel.launch(bytes, |memory| {
            fill(memory, &mut batch);
            batch
        })?;
        Ok(Point {
            channel,
            value: self.finish(value),
        })
    }

    /// Makes the stream wait for a point.
    pub(crate) fn wait_for(&self, point: &Point) -> Result<(), CUresult> {
        if point.is_done() {
            return Ok(());
        }
        let (channel, mut batch) = self.begin()?;
        if Arc::ptr_eq(&channel, &point.channel) {
            return Ok(());
        }
        batch.acquire(point.channel.semaphore(), point.value);
        self.finish(channel.submit(&batch)?);
        Ok(())
    }

    /// Everything that [`Target::synchronize`] waits for.
    fn pending(&self) -> Vec<Point> {
        let mut points: Vec<_> = self.stream.outstanding().into_iter().collect();
        if self.stream.is_legacy() {
            let blocking = self
                .live
                .blocking
                .read()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            points.extend(blocking.iter().filter_map(|s| s.outstanding()));
        }
        points
    }

    /// Waits until the stream's work is done (the legacy stream's: that of all blocking streams too).
    pub(crate) fn synchronize(&self) -> Result<(), CUresult> {
        capture::refuse(&self.stream)?;
        let waited = self
            .pending()
            .into_iter()
            .try_for_each(|point| point.channel.wait(point.value));
        self.live.drain_output();
        waited?;
        self.live.check()
    }

    /// Whether all is done.
    ///
    /// # Errors
    /// 600 when not; the fault that ended the context.
    pub(crate) fn query(&self) -> Result<(), CUresult> {
        capture::refuse(&self.stream)?;
        if let Some(point) = self.pending().first() {
            return Err(point.channel.check().unwrap_or(CUresult::NOT_READY));
        }
        self.live.drain_output();
        self.live.check()
    }
}
