//! Grids that kernels launch (dynamic parallelism): what waits, in which order it runs, and when a grid counts as
//! complete (CUDA C++ Programming Guide 13.0, "CUDA Dynamic Parallelism").
//!
//! A grid that has launched something has a [`Family`]. It is complete when its own CTAs have ended, then all that was
//! put into its streams, then its tail launches, one after the other, each with its own family.

use crate::access::{self, AccessFault};
use crate::fault::{Refusal, by};
use crate::machine::Machine;
use crate::qmd::DependentAction;
use crate::semaphore::Release;
use crate::sm::program::Program;
use crate::sm::scheduler::{Task, Work};
use abi::sm::DriverConstants;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A stream of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamKey {
    /// The stream 0 of a block, by the block's number.
    Block(u64),
    /// The stream 0 of a thread, by block and thread.
    Thread(u64, u32),
    /// One that code has created, by its handle.
    Created(u64),
}

/// Where code puts work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A stream: in order.
    Stream(StreamKey),
    /// At once.
    FireAndForget,
    /// When the grid and all that it launched have ended.
    Tail,
}

/// Counts launches that have not ended; given back when the launch has, or when dropped.
#[derive(Debug)]
pub struct Ticket {
    count: Arc<AtomicU64>,
    held: AtomicBool,
}

impl Ticket {
    /// One more, unless there are `limit` already.
    #[must_use]
    pub fn take(count: &Arc<AtomicU64>, limit: u64) -> Option<Ticket> {
        if count.fetch_add(1, Ordering::AcqRel) < limit {
            Some(Ticket {
                count: Arc::clone(count),
                held: AtomicBool::new(true),
            })
        } else {
            count.fetch_sub(1, Ordering::AcqRel);
            None
        }
    }

    /// The launch has ended. Its task may stay: a worker keeps the last one that it ran until the next.
    pub fn give_back(&self) {
        if self.held.swap(false, Ordering::AcqRel) {
            self.count.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// 64 bytes, aligned: parameters may have that alignment.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Row([u64; 8]);

/// Memory for a child's parameters.
#[derive(Debug)]
pub struct Parameters(Box<[Row]>);

impl Parameters {
    /// Zeroed memory for `bytes` bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Parameters {
        Parameters(vec![Row::default(); bytes.div_ceil(64).max(1)].into())
    }

    /// Where it is. Kernels write there.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }

    /// Bytes that it has.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// What a child keeps until its end.
#[derive(Debug)]
pub struct Kept {
    /// Its parameters.
    pub params: Parameters,
    /// What the driver says to it.
    pub constants: Box<DriverConstants>,
    /// Its place in the count.
    pub ticket: Ticket,
}

/// A launch by a kernel.
#[derive(Debug)]
pub struct Child {
    /// Code.
    pub program: Arc<Program>,
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads.
    pub block: [u32; 3],
    /// Static and dynamic shared memory, bytes.
    pub shared_bytes: u32,
    /// Parameters and constants.
    pub kept: Kept,
}

/// Memory work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// First byte written.
    pub to: u64,
    /// Bytes from row to row and from slice to slice there.
    pub to_pitch: [u64; 2],
    /// What is written.
    pub from: Source,
    /// Bytes of a row, rows, slices.
    pub extent: [u64; 3],
}

/// What memory work writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A copy: first byte read, bytes from row to row and from slice to slice there.
    Memory(u64, [u64; 2]),
    /// A byte, again and again.
    Byte(u8),
}

impl Move {
    /// Does it.
    ///
    /// # Errors
    /// Memory is not there.
    pub fn run(&self) -> Result<(), AccessFault> {
        let [width, rows, slices] = self.extent;
        for slice in 0..slices {
            for row in 0..rows {
                let offset = |pitch: [u64; 2]| {
                    (row.wrapping_mul(pitch[0])).wrapping_add(slice.wrapping_mul(pitch[1]))
                };
                let to = self.to.wrapping_add(offset(self.to_pitch));
                match self.from {
                    Source::Memory(from, pitch) => {
                        access::copy(to, from.wrapping_add(offset(pitch)), width, false)?;
                    }
                    Source::Byte(value) => {
                        access::fill(to, access::Width::One, value.into(), width, false)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Something in a stream.
#[derive(Debug)]
pub enum Item {
    /// A grid.
    Launch(Child),
    /// Memory work.
    Move(Move),
    /// An event's recording with this number.
    Record(u64, u64),
    /// A wait for an event's recording with this number.
    Wait(u64, u64),
    /// A grid that runs.
    Running,
}

/// How often an event was recorded, and the last recording that was reached.
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    recorded: u64,
    reached: u64,
}

/// A parameter buffer that code fills before it launches.
#[derive(Debug)]
pub struct Pending {
    /// What will be launched; `None`: the launch says it.
    pub launch: Option<(u64, [u32; 3], [u32; 3], u32)>,
    /// Memory.
    pub params: Parameters,
    /// Its place in the count.
    pub ticket: Ticket,
}

#[derive(Debug, Default)]
struct State {
    /// The grid's own CTAs have ended.
    ended: bool,
    /// Items in streams, running grids.
    open: u64,
    streams: BTreeMap<StreamKey, VecDeque<Item>>,
    created: BTreeMap<u64, ()>,
    events: BTreeMap<u64, Event>,
    tails: VecDeque<Item>,
    buffers: BTreeMap<u64, Pending>,
}

/// What a grid has launched.
#[derive(Debug, Default)]
pub struct Family {
    state: Mutex<State>,
}

/// Handles of streams and events: above the numbers that have a meaning of their own.
static HANDLES: AtomicU64 = AtomicU64::new(0x1000);

/// Whose child a grid is, and in which of the parent's streams.
#[derive(Clone, Debug)]
pub struct Parent {
    /// The parent.
    pub task: Arc<Task>,
    /// The stream, if it is in one.
    pub stream: Option<StreamKey>,
}

/// What follows the end of a grid.
#[derive(Clone, Debug)]
pub struct Duties {
    /// The parent to tell.
    pub parent: Option<Parent>,
    /// Semaphores to release.
    pub releases: [Option<Release>; 3],
    /// QMDs to start.
    pub dependents: [Option<(u64, DependentAction)>; 2],
}

impl Family {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new stream's handle.
    pub fn create_stream(&self) -> u64 {
        let handle = HANDLES.fetch_add(16, Ordering::Relaxed);
        self.lock().created.insert(handle, ());
        handle
    }

    /// Ends a stream: what is in it goes on. False: there is none.
    pub fn destroy_stream(&self, handle: u64) -> bool {
        self.lock().created.remove(&handle).is_some()
    }

    /// Whether code has created this stream.
    pub fn has_stream(&self, handle: u64) -> bool {
        self.lock().created.contains_key(&handle)
    }

    /// A new event's handle.
    pub fn create_event(&self) -> u64 {
        let handle = HANDLES.fetch_add(16, Ordering::Relaxed);
        self.lock().events.insert(handle, Event::default());
        handle
    }

    /// Ends an event; who waits for it goes on when it would have been reached.
    pub fn destroy_event(&self, handle: u64) -> bool {
        self.lock().events.remove(&handle).is_some()
    }

    /// The number of the next recording of an event; `None`: there is no such event.
    pub fn record(&self, handle: u64) -> Option<u64> {
        let mut state = self.lock();
        let event = state.events.get_mut(&handle)?;
        event.recorded += 1;
        Some(event.recorded)
    }

    /// The number of an event's last recording, 0 never; `None`: there is no such event.
    pub fn recorded(&self, handle: u64) -> Option<u64> {
        self.lock().events.get(&handle).map(|event| event.recorded)
    }

    /// Keeps a parameter buffer; its address.
    pub fn keep(&self, pending: Pending) -> u64 {
        let address = pending.params.address();
        self.lock().buffers.insert(address, pending);
        address
    }

    /// Takes a parameter buffer back.
    pub fn take(&self, address: u64) -> Option<Pending> {
        self.lock().buffers.remove(&address)
    }
}

/// The engine's name in faults.
const ENGINE: &str = "device runtime";

impl Machine {
    /// Puts work where code of `parent` wants it.
    ///
    /// # Errors
    /// Memory work that is done at once finds no memory.
    pub fn put(&self, parent: &Arc<Task>, place: Place, item: Item) -> Result<(), Refusal> {
        let Some(grid) = parent.grid() else {
            return Ok(());
        };
        let mut state = grid.family().lock();
        match place {
            Place::Tail => state.tails.push_back(item),
            Place::FireAndForget => match item {
                Item::Launch(child) => {
                    state.open += 1;
                    drop(state);
                    self.start_child(parent, child, parent_duties(parent, None), 1);
                }
                Item::Move(work) => {
                    drop(state);
                    work.run().map_err(by(ENGINE))?;
                }
                Item::Record(..) | Item::Wait(..) | Item::Running => {}
            },
            Place::Stream(key) => {
                state.open += 1;
                state.streams.entry(key).or_default().push_back(item);
                self.advance(parent, &mut state, key)?;
            }
        }
        Ok(())
    }

    /// Runs what can run in a stream, and in those that waited for it.
    fn advance(
        &self,
        parent: &Arc<Task>,
        state: &mut State,
        key: StreamKey,
    ) -> Result<(), Refusal> {
        let mut todo = vec![key];
        while let Some(key) = todo.pop() {
            while let Some(queue) = state.streams.get_mut(&key) {
                match queue.front_mut() {
                    None => {
                        state.streams.remove(&key);
                        break;
                    }
                    Some(Item::Running) => break,
                    Some(first @ Item::Launch(_)) => {
                        if let Item::Launch(child) = core::mem::replace(first, Item::Running) {
                            self.start_child(parent, child, parent_duties(parent, Some(key)), 1);
                        }
                        break;
                    }
                    Some(Item::Wait(event, number)) => {
                        let waits = state
                            .events
                            .get(event)
                            .is_some_and(|event| event.reached < *number);
                        if waits {
                            break;
                        }
                    }
                    Some(Item::Move(work)) => work.run().map_err(by(ENGINE))?,
                    Some(Item::Record(event, number)) => {
                        if let Some(event) = state.events.get_mut(event) {
                            event.reached = event.reached.max(*number);
                        }
                        let blocked = |(k, q): (&StreamKey, &VecDeque<Item>)| {
                            matches!(q.front(), Some(Item::Wait(..))).then_some(*k)
                        };
                        todo.extend(state.streams.iter().filter_map(blocked));
                    }
                }
                if let Some(queue) = state.streams.get_mut(&key) {
                    queue.pop_front();
                    state.open -= 1;
                }
            }
        }
        Ok(())
    }

    fn start_child(&self, parent: &Arc<Task>, child: Child, duties: Duties, deeper: u32) {
        let Some(grid) = parent.grid() else {
            return;
        };
        let total = child.grid.iter().map(|&d| u64::from(d)).product();
        let depth = grid.depth + deeper;
        let task = Task::new(
            Arc::clone(parent.core()),
            Work::Grid(self.child_grid(grid.class, child, duties, depth)),
            total,
        );
        self.scheduler.add(Arc::new(task));
        self.scheduler.wake_one();
    }

    /// All CTAs of a grid have ended: what it launched goes on, or its duties are done.
    ///
    /// # Errors
    /// A semaphore is not writable, a dependent cannot be launched, memory work finds no memory.
    pub fn grid_ended(&self, task: &Arc<Task>) -> Result<(), Refusal> {
        if let Some(grid) = task.grid() {
            grid.release_gang();
        }
        let mut task = Arc::clone(task);
        loop {
            if task.core().gone.load(Ordering::Relaxed) {
                return Ok(());
            }
            let Some(grid) = task.grid() else {
                return Ok(());
            };
            if let Some(family) = grid.family.get() {
                let mut state = family.lock();
                state.ended = true;
                if state.open != 0 {
                    return Ok(());
                }
                match state.tails.pop_front() {
                    Some(Item::Launch(child)) => {
                        // The last one takes over what is left to do, so that a chain of them does not grow.
                        let duties = if state.tails.is_empty() {
                            grid.give_ticket_back();
                            grid.duties.clone()
                        } else {
                            state.open += 1;
                            parent_duties(&task, None)
                        };
                        drop(state);
                        self.start_child(&task, child, duties, 0);
                        return Ok(());
                    }
                    Some(Item::Move(work)) => {
                        drop(state);
                        work.run().map_err(by(ENGINE))?;
                        continue;
                    }
                    Some(Item::Record(..) | Item::Wait(..) | Item::Running) => continue,
                    None => {}
                }
            }
            grid.give_ticket_back();
            let duties = &grid.duties;
            let Some(parent) = duties.parent.clone() else {
                return self.finish_grid(
                    task.core(),
                    grid.class,
                    &duties.releases,
                    &duties.dependents,
                );
            };
            let Some(family) = parent.task.grid().and_then(|grid| grid.family.get()) else {
                return Ok(());
            };
            let mut state = family.lock();
            state.open -= 1;
            if let Some(key) = parent.stream {
                if let Some(queue) = state.streams.get_mut(&key) {
                    queue.pop_front();
                }
                self.advance(&parent.task, &mut state, key)?;
            }
            if !state.ended || state.open != 0 {
                return Ok(());
            }
            drop(state);
            task = parent.task;
        }
    }
}

fn parent_duties(parent: &Arc<Task>, stream: Option<StreamKey>) -> Duties {
    Duties {
        parent: Some(Parent {
            task: Arc::clone(parent),
            stream,
        }),
        releases: [None; 3],
        dependents: [None; 2],
    }
}

/// The duties of a grid that a channel launched.
#[must_use]
pub fn channel_duties(
    releases: [Option<Release>; 3],
    dependents: [Option<(u64, DependentAction)>; 2],
) -> Duties {
    Duties {
        parent: None,
        releases,
        dependents,
    }
}
