//! A block: its threads, shared memory, barriers, scheduling.

use super::memory::Spaces;
use super::thread::{State, Thread, Wait};
use super::{Launch, Memory, Outcome, Stop, StopKind, warp};
use crate::ir::{BarrierRed, Func, Inst};
use abi::sm;
use std::collections::BTreeMap;

/// Lanes of a warp.
const LANES: usize = 32;
/// Instructions that a thread takes before the next one of its warp has its turn.
const TURN: u32 = 2_000;

/// A block being run.
pub struct Cta<'a> {
    pub index: [u32; 3],
    launch: &'a Launch<'a>,
    threads: Vec<Thread<'a>>,
    shared: Vec<u8>,
    /// `bar.arrive`d threads by barrier number.
    arrived: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Cta<'a> {
    pub fn new(launch: &'a Launch<'a>, index: [u32; 3]) -> Result<Self, Stop> {
        let stop = |kind| Stop {
            kind,
            line: 0,
            block: index,
            thread: 0,
        };
        let Some(kernel) = launch.module.kernel else {
            return Err(stop(StopKind::InvalidPc));
        };
        let shared = match launch.module.info.reserved_shared {
            true => launch.reserved_shared() + sm::RESERVED_SHARED_BYTES,
            false => launch.total_shared(),
        };
        let count: u32 = launch.block.iter().product();
        let threads = (0..count)
            .map(|number| Thread::new(launch, kernel, index, number))
            .collect();
        Ok(Self {
            index,
            launch,
            threads,
            shared: vec![0; shared as usize],
            arrived: BTreeMap::new(),
        })
    }

    /// Runs for about `slice` instructions; true when all threads have ended.
    pub fn run(
        &mut self,
        slice: u64,
        memory: &mut dyn Memory,
        outcome: &mut Outcome,
    ) -> Result<bool, Stop> {
        let end = outcome.instructions + slice;
        while outcome.instructions < end {
            let mut progress = false;
            for first in (0..self.threads.len()).step_by(LANES) {
                let last = (first + LANES).min(self.threads.len());
                progress |= self.run_warp(first, last, memory, outcome)?;
            }
            progress |= self.release_barriers();
            if self
                .threads
                .iter()
                .all(|thread| thread.state == State::Done)
            {
                return Ok(true);
            }
            if !progress {
                let stuck = self
                    .threads
                    .iter()
                    .find(|thread| thread.state != State::Done);
                return Err(Stop {
                    kind: StopKind::Deadlock,
                    line: stuck.map_or(0, Thread::line),
                    block: self.index,
                    thread: stuck.map_or(0, |thread| thread.number),
                });
            }
        }
        Ok(false)
    }

    /// Gives each ready thread of a warp a turn, then carries out what its lanes have gathered at.
    fn run_warp(
        &mut self,
        first: usize,
        last: usize,
        memory: &mut dyn Memory,
        outcome: &mut Outcome,
    ) -> Result<bool, Stop> {
        let mut progress = false;
        for number in first..last {
            if self.threads[number].state != State::Ready {
                continue;
            }
            progress = true;
            let mut spaces = Spaces {
                launch: self.launch,
                shared: &mut self.shared,
                memory: &mut *memory,
            };
            let thread = &mut self.threads[number];
            let taken = thread
                .run(TURN, &mut spaces, outcome)
                .map_err(|kind| Stop {
                    kind,
                    line: thread.line(),
                    block: self.index,
                    thread: thread.number,
                })?;
            outcome.instructions += u64::from(taken);
        }
        let lanes = &mut self.threads[first..last];
        // Only when no lane can go on by itself is it known who has come.
        if lanes.iter().any(|lane| lane.state == State::Ready) {
            return Ok(progress);
        }
        Ok(warp::gather(lanes) || progress)
    }

    /// Lets threads go whose barrier is complete.
    fn release_barriers(&mut self) -> bool {
        let mut numbers: Vec<u32> = self
            .threads
            .iter()
            .filter_map(|thread| match &thread.state {
                State::Waiting(Wait::Barrier { id, .. }) => Some(*id),
                _ => None,
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut progress = false;
        // Arrivals without waiting are noted first; their threads go on at once.
        for thread in &mut self.threads {
            if let State::Waiting(Wait::Arrive { id, .. }) = thread.state {
                self.arrived.entry(id).or_default().push(thread.number);
                thread.state = State::Ready;
                progress = true;
            }
        }
        for id in numbers {
            progress |= self.try_release(id);
        }
        progress
    }

    fn try_release(&mut self, id: u32) -> bool {
        let mut here = vec![false; self.threads.len()];
        let mut want = 0;
        for (thread, here) in self.threads.iter().zip(&mut here) {
            if let State::Waiting(Wait::Barrier { id: at, count, .. }) = thread.state
                && at == id
            {
                *here = true;
                want = count;
            }
        }
        let mut count = 0;
        for &number in self.arrived.get(&id).map_or(&[][..], Vec::as_slice) {
            if here[number as usize] {
                // The same thread arrived and now waits for the next phase as well.
                count += 1;
            }
            here[number as usize] = true;
        }
        let done = |n: usize| {
            self.threads
                .get(n)
                .is_none_or(|thread| thread.state == State::Done)
        };
        let complete = if want == 0 {
            (0..self.threads.len()).all(|n| here[n] || done(n))
        } else {
            for first in (0..self.threads.len()).step_by(LANES) {
                let lanes = first..first + LANES;
                let came = lanes
                    .clone()
                    .filter(|&n| here.get(n) == Some(&true))
                    .count();
                let all = lanes.clone().all(|n| here.get(n) == Some(&true) || done(n));
                count += if all && came > 0 { LANES } else { came };
            }
            count >= want as usize
        };
        if !complete {
            return false;
        }
        self.arrived.remove(&id);
        self.finish_barrier(id);
        true
    }

    fn finish_barrier(&mut self, id: u32) {
        let mut votes = Vec::new();
        for thread in &self.threads {
            if let State::Waiting(Wait::Barrier {
                id: at,
                red: Some((_, vote)),
                ..
            }) = thread.state
                && at == id
            {
                votes.push(vote);
            }
        }
        let yes = u128::try_from(votes.iter().filter(|&&vote| vote).count()).unwrap_or(0);
        for thread in &mut self.threads {
            if let State::Waiting(Wait::Barrier { id: at, red, .. }) = thread.state
                && at == id
            {
                if let Some((op, _)) = red {
                    thread.give(&[match op {
                        BarrierRed::Popc => yes,
                        BarrierRed::And => u128::from(votes.iter().all(|&vote| vote)),
                        BarrierRed::Or => u128::from(yes > 0),
                    }]);
                }
                thread.state = State::Ready;
            }
        }
    }
}

/// A place in the program that lanes can be at together: the functions on the stack are compared, too.
pub type Place = Vec<(Func, Inst)>;
