//! Stream capture: work into a stream becomes nodes of a graph.
//!
//! A capture begins in one stream and reaches others by events. What cannot be captured, and what would make other work
//! depend on the capture, invalidates it (CUDA Programming Guide 13.0, "Creating a Graph Using Stream Capture").

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::ThreadId;

use cuda_abi::driver::{
    CUevent, CUgraph, CUgraphEdgeData, CUgraphNode, CUresult, CUstreamCaptureMode,
};

use super::op::Op;
use super::{Edge, GRAPHS, Graph, PLAIN};
use crate::core::event::Event;
use crate::core::stream::{Stream, Target};

/// Captures in progress: without any, nothing below costs more than a load.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static ALL: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());

thread_local! {
    /// What the calling thread may do while somebody captures.
    static MODE: Cell<CUstreamCaptureMode> = const { Cell::new(CUstreamCaptureMode::GLOBAL) };
}

/// A capture.
pub(crate) struct Capture {
    /// Number that is never used again.
    pub id: u64,
    /// What is being made.
    pub graph: Arc<Graph>,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    /// Number of the stream in which it began.
    origin: u64,
    /// Whether the graph was the program's before.
    given: bool,
    invalid: AtomicBool,
    ended: AtomicBool,
    streams: Mutex<Vec<Arc<Stream>>>,
}

/// A stream's part in a capture.
struct Link {
    capture: Arc<Capture>,
    /// Nodes that the next one comes after.
    last: Vec<Edge>,
    /// What was last shown to the program.
    shown: (Box<[CUgraphNode]>, Box<[CUgraphEdgeData]>),
}

/// Where a stream keeps its part in a capture.
#[derive(Default)]
pub(crate) struct Slot {
    link: Mutex<Option<Link>>,
}

/// What an event recorded in a capturing stream stands for.
pub(crate) struct Mark {
    capture: Arc<Capture>,
    nodes: Vec<Edge>,
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "capture {}: {:?}", self.capture.id, self.nodes)
    }
}

/// A stream's capture as programs see it.
pub(crate) struct Info {
    /// Whether it is invalidated.
    pub invalid: bool,
    /// Number of the capture.
    pub id: u64,
    /// The graph.
    pub graph: CUgraph,
    /// Address of the handles of the nodes that the next one comes after.
    pub nodes: usize,
    /// Address of what the edges will say.
    pub edges: usize,
    /// How many.
    pub count: usize,
    /// Whether an edge says more than "after".
    pub lossy: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn any() -> bool {
    COUNT.load(Ordering::Acquire) != 0
}

impl Capture {
    fn invalidate(&self) {
        self.invalid.store(true, Ordering::SeqCst);
    }

    fn is_invalid(&self) -> bool {
        self.invalid.load(Ordering::SeqCst)
    }

    /// Lets go of all streams.
    fn end(self: &Arc<Self>) {
        self.ended.store(true, Ordering::SeqCst);
        for stream in std::mem::take(&mut *lock(&self.streams)) {
            *lock(&stream.capture.link) = None;
        }
        let mut all = lock(&ALL);
        all.retain(|c| !Arc::ptr_eq(c, self));
        COUNT.store(all.len(), Ordering::Release);
    }
}

impl Slot {
    fn capture(&self) -> Option<Arc<Capture>> {
        if !any() {
            return None;
        }
        lock(&self.link).as_ref().map(|link| link.capture.clone())
    }
}

/// Begins a capture; into `graph` after the nodes `after`, or into a new graph.
///
/// # Errors
/// 401 when the stream captures, 900 for the legacy stream.
pub(crate) fn begin(
    target: &Target,
    mode: CUstreamCaptureMode,
    graph: Option<(Arc<Graph>, Vec<Edge>)>,
) -> Result<(), CUresult> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    if !(0..=2).contains(&mode.0) {
        return Err(CUresult::INVALID_VALUE);
    }
    if target.stream.is_legacy() {
        return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED);
    }
    if let Some(capture) = target.stream.capture.capture() {
        capture.invalidate();
        return Err(CUresult::ILLEGAL_STATE);
    }
    let given = graph.is_some();
    let (graph, last) = match graph {
        Some(given) => given,
        None => (super::create(false)?, Vec::new()),
    };
    let capture = Arc::new(Capture {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        graph,
        mode,
        thread: std::thread::current().id(),
        origin: target.stream.id,
        given,
        invalid: AtomicBool::new(false),
        ended: AtomicBool::new(false),
        streams: Mutex::default(),
    });
    let mut all = lock(&ALL);
    all.push(capture.clone());
    COUNT.store(all.len(), Ordering::Release);
    drop(all);
    join(target, capture, last);
    Ok(())
}

fn join(target: &Target, capture: Arc<Capture>, last: Vec<Edge>) {
    lock(&capture.streams).push(target.stream.clone());
    *lock(&target.stream.capture.link) = Some(Link {
        capture,
        last,
        shown: Default::default(),
    });
}

/// Ends the capture that began in this stream; the graph.
///
/// # Errors
/// 401 when the stream does not capture, 901 for an invalidated capture, 903 for another stream than the one in which it
/// began, 904 when other streams' work was not joined, 908 on another thread than it began on.
pub(crate) fn end(target: &Target) -> Result<CUgraph, CUresult> {
    let capture = target
        .stream
        .capture
        .capture()
        .ok_or(CUresult::ILLEGAL_STATE)?;
    if capture.origin != target.stream.id {
        capture.invalidate();
        return Err(CUresult::STREAM_CAPTURE_UNMATCHED);
    }
    if capture.mode != CUstreamCaptureMode::RELAXED && capture.thread != std::thread::current().id()
    {
        return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
    }
    let result = if capture.is_invalid() {
        Err(CUresult::STREAM_CAPTURE_INVALIDATED)
    } else if is_joined(&capture, target) {
        Ok(CUgraph(capture.graph.handle))
    } else {
        Err(CUresult::STREAM_CAPTURE_UNJOINED)
    };
    capture.end();
    if result.is_err() && !capture.given {
        // The program may have destroyed it already.
        let _ = GRAPHS.remove(capture.graph.handle);
    }
    result
}

/// Whether the stream captures into a graph that the program gave.
pub(crate) fn is_into_given(target: &Target) -> bool {
    let capture = target.stream.capture.capture();
    capture.is_some_and(|capture| capture.given)
}

fn is_joined(capture: &Capture, target: &Target) -> bool {
    let last = |stream: &Stream| -> Vec<u64> {
        let link = lock(&stream.capture.link);
        let edges = link.as_ref().map(|link| &link.last);
        edges.into_iter().flatten().map(|e| e.from).collect()
    };
    let own = last(&target.stream);
    let streams = lock(&capture.streams).clone();
    streams
        .iter()
        .filter(|stream| stream.id != target.stream.id)
        .all(|stream| capture.graph.covers(&own, &last(stream)))
}

/// Adds what `op` makes to the graph if the stream captures; whether it does.
///
/// # Errors
/// 901 for an invalidated capture; those of `op`, which invalidate it.
pub(crate) fn add(
    target: &Target,
    op: impl FnOnce() -> Result<Op, CUresult>,
) -> Result<bool, CUresult> {
    let Some(capture) = target.stream.capture.capture() else {
        return Ok(false);
    };
    if capture.is_invalid() {
        return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
    }
    let added = op().and_then(|op| {
        let mut link = lock(&target.stream.capture.link);
        let link = link.as_mut().ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)?;
        let (_, number) = capture.graph.add(op, link.last.clone())?;
        link.last = vec![Edge {
            from: number,
            data: PLAIN,
        }];
        Ok(true)
    });
    if added.is_err() {
        capture.invalidate();
    }
    added
}

/// Refuses what cannot be captured.
///
/// # Errors
/// 900, and the capture is invalidated.
pub(crate) fn refuse(stream: &Stream) -> Result<(), CUresult> {
    match stream.capture.capture() {
        None => Ok(()),
        Some(capture) => {
            capture.invalidate();
            Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
        }
    }
}

/// Refuses use of the legacy stream while a blocking stream of its context captures.
///
/// # Errors
/// 906, and with `invalidate` those captures are invalidated.
pub(crate) fn implicit(target: &Target, invalidate: bool) -> Result<(), CUresult> {
    if !any() || !target.stream.is_legacy() {
        return Ok(());
    }
    let all = lock(&ALL).clone();
    let mut found = false;
    for capture in all {
        let hit = lock(&capture.streams)
            .iter()
            .any(|s| s.blocking && s.context == target.live.context);
        if hit {
            found = true;
            if invalidate {
                capture.invalidate();
            }
        }
    }
    if found {
        Err(CUresult::STREAM_CAPTURE_IMPLICIT)
    } else {
        Ok(())
    }
}

/// Refuses what may wait or depend on more than its arguments say, by the mode of the calling thread and of the captures.
///
/// # Errors
/// 900, and the captures that stand in the way are invalidated.
pub(crate) fn forbid_unsafe() -> Result<(), CUresult> {
    use CUstreamCaptureMode as M;
    if !any() {
        return Ok(());
    }
    let (mode, thread) = (MODE.get(), std::thread::current().id());
    let mut found = false;
    for capture in lock(&ALL).iter() {
        let own = capture.thread == thread && capture.mode != M::RELAXED;
        let other = mode == M::GLOBAL && capture.mode == M::GLOBAL;
        if mode != M::RELAXED && (own || other) {
            capture.invalidate();
            found = true;
        }
    }
    if found {
        Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
    } else {
        Ok(())
    }
}

/// Refuses to synchronise a context in which a stream captures.
///
/// # Errors
/// 900, and its captures are invalidated.
pub(crate) fn forbid_in(context: usize) -> Result<(), CUresult> {
    if !any() {
        return Ok(());
    }
    let mut found = false;
    for capture in lock(&ALL).iter() {
        if lock(&capture.streams).iter().any(|s| s.context == context) {
            capture.invalidate();
            found = true;
        }
    }
    if found {
        return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED);
    }
    forbid_unsafe()
}

/// The calling thread's mode, exchanged for `mode`.
pub(crate) fn exchange_mode(mode: CUstreamCaptureMode) -> Result<CUstreamCaptureMode, CUresult> {
    if (0..=2).contains(&mode.0) {
        Ok(MODE.replace(mode))
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// What a stream's capture is; `None` without one.
pub(crate) fn info(target: &Target) -> Option<Info> {
    let capture = target.stream.capture.capture()?;
    let mut link = lock(&target.stream.capture.link);
    let link = link.as_mut()?;
    let nodes = link.last.iter().map(|e| capture.graph.name(e.from));
    link.shown = (nodes.collect(), link.last.iter().map(|e| e.data).collect());
    Some(Info {
        invalid: capture.is_invalid(),
        id: capture.id,
        graph: CUgraph(capture.graph.handle),
        nodes: link.shown.0.as_ptr().expose_provenance(),
        edges: link.shown.1.as_ptr().expose_provenance(),
        count: link.last.len(),
        lossy: link.last.iter().any(|e| !super::is_plain(&e.data)),
    })
}

/// Sets or adds to the nodes that the next one comes after.
///
/// # Errors
/// 401 when the stream does not capture, 901 for an invalidated capture, 1 for nodes that are not the graph's.
pub(crate) fn update(
    target: &Target,
    nodes: &[CUgraphNode],
    data: &[CUgraphEdgeData],
    replace: bool,
) -> Result<(), CUresult> {
    let capture = target
        .stream
        .capture
        .capture()
        .ok_or(CUresult::ILLEGAL_STATE)?;
    if capture.is_invalid() {
        return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
    }
    let edges = capture.graph.edges_from(nodes, data)?;
    let mut link = lock(&target.stream.capture.link);
    let link = link.as_mut().ok_or(CUresult::ILLEGAL_STATE)?;
    if replace {
        link.last.clear();
    }
    extend(&mut link.last, &edges);
    Ok(())
}

fn extend(last: &mut Vec<Edge>, more: &[Edge]) {
    for edge in more {
        if last.iter().all(|e| e.from != edge.from) {
            last.push(*edge);
        }
    }
}

/// Records an event if the stream captures; whether it does. `external` ones become nodes.
pub(crate) fn record(
    target: &Target,
    handle: CUevent,
    event: &Arc<Event>,
    external: bool,
) -> Result<bool, CUresult> {
    if external {
        return add(target, || Ok(Op::Record(handle, event.clone())));
    }
    let Some(capture) = target.stream.capture.capture() else {
        return Ok(false);
    };
    if capture.is_invalid() {
        return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
    }
    let link = lock(&target.stream.capture.link);
    let nodes = link.as_ref().map(|l| l.last.clone()).unwrap_or_default();
    drop(link);
    event.mark(Some(Mark { capture, nodes }));
    Ok(true)
}

/// Makes a stream wait for an event if either captures; whether one does. `external` waits become nodes.
///
/// # Errors
/// 901 for an invalidated capture, 902 for two captures, 905 for work outside of the capture, 907 for an event of a
/// capture that is over, 900 for the legacy stream.
pub(crate) fn wait(
    target: &Target,
    handle: CUevent,
    event: &Arc<Event>,
    external: bool,
) -> Result<bool, CUresult> {
    let capture = target.stream.capture.capture();
    if external && capture.is_some() {
        return add(target, || Ok(Op::Wait(handle, event.clone())));
    }
    let marked = event.marked(|mark| (mark.capture.clone(), mark.nodes.clone()));
    match (capture, marked) {
        (None, None) => Ok(false),
        (Some(capture), None) => {
            if capture.is_invalid() {
                return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
            }
            if event.point().is_none() {
                return Ok(true);
            }
            capture.invalidate();
            Err(CUresult::STREAM_CAPTURE_ISOLATION)
        }
        (None, Some((of, nodes))) => {
            if of.ended.load(Ordering::SeqCst) {
                return Err(CUresult::CAPTURED_EVENT);
            }
            if of.is_invalid() {
                return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
            }
            if target.stream.is_legacy() {
                of.invalidate();
                return Err(CUresult::STREAM_CAPTURE_IMPLICIT);
            }
            join(target, of, nodes);
            Ok(true)
        }
        (Some(capture), Some((of, nodes))) => {
            if !Arc::ptr_eq(&capture, &of) {
                capture.invalidate();
                of.invalidate();
                return Err(CUresult::STREAM_CAPTURE_MERGE);
            }
            if capture.is_invalid() {
                return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
            }
            if let Some(link) = lock(&target.stream.capture.link).as_mut() {
                extend(&mut link.last, &nodes);
            }
            Ok(true)
        }
    }
}

/// Refuses to look at an event that stands for captured work.
///
/// # Errors
/// 907, and the capture is invalidated; those of [`forbid_unsafe`].
pub(crate) fn forbid_event(event: &Event) -> Result<(), CUresult> {
    if let Some(capture) = event.marked(|mark| mark.capture.clone()) {
        capture.invalidate();
        return Err(CUresult::CAPTURED_EVENT);
    }
    forbid_unsafe()
}

/// A stream ends: a capture that began in it is over. Of another capture it stays a part, to be joined like any other.
pub(crate) fn stream_ends(stream: &Stream) {
    let Some(capture) = stream.capture.capture() else {
        return;
    };
    if capture.origin == stream.id {
        capture.invalidate();
        capture.end();
        if !capture.given {
            let _ = GRAPHS.remove(capture.graph.handle);
        }
    }
}
