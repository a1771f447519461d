//! Clusters: CTAs that run together, reach each other's shared memory and meet at a barrier of their own.

use crate::sm::cta::Running;
use crate::sm::fiber::status;
use crate::sm::memory::WindowRun;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Largest cluster (CUDA C++ Programming Guide 13.0, "Thread Block Clusters": 8, 16 where the program allows it).
pub const MAX_CTAS: usize = 16;

/// The barrier of a cluster, as a state machine over warps.
#[derive(Debug, Default)]
struct Barrier {
    /// Warps that have arrived in this phase, by rank.
    arrived: [u32; MAX_CTAS],
    /// Warps that have ended: they count as arrived.
    exited: [u32; MAX_CTAS],
    /// Phases that are complete.
    phase: u64,
}

impl Barrier {
    fn complete(&mut self, ctas: usize, all: u32) {
        let missing = (0..ctas).any(|r| (self.arrived[r] | self.exited[r]) & all != all);
        if !missing {
            self.arrived = [0; MAX_CTAS];
            self.phase += 1;
        }
    }
}

#[derive(Debug)]
struct State {
    barrier: Barrier,
    /// CTAs that have not ended.
    left: usize,
    run: Option<WindowRun>,
}

/// A cluster some of whose CTAs are resident.
#[derive(Debug)]
pub struct Cluster {
    state: Mutex<State>,
    ctas: usize,
    /// Bits of a CTA's warps.
    warps: u32,
}

impl Cluster {
    /// A cluster of `ctas` CTAs with `warps` warps each.
    #[must_use]
    pub fn new(ctas: usize, warps: u32, run: WindowRun) -> Cluster {
        Cluster {
            state: Mutex::new(State {
                barrier: Barrier::default(),
                left: ctas,
                run: Some(run),
            }),
            ctas,
            warps: u32::MAX >> (32 - warps.clamp(1, 32)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The window of the CTA of that rank.
    pub fn window(&self, rank: usize) -> Option<crate::sm::memory::Window> {
        self.lock().run.as_ref().map(|run| run.window(rank))
    }

    /// A warp arrives; the phase at which it does.
    pub fn arrive(&self, rank: usize, warp: u32) -> u64 {
        let mut state = self.lock();
        let phase = state.barrier.phase;
        state.barrier.arrived[rank % MAX_CTAS] |= 1 << (warp & 31);
        state.barrier.complete(self.ctas, self.warps);
        phase
    }

    /// Whether the phase is complete.
    pub fn passed(&self, phase: u64) -> bool {
        self.lock().barrier.phase > phase
    }

    /// A warp has ended.
    pub fn exit(&self, rank: usize, warp: u32) {
        let mut state = self.lock();
        state.barrier.exited[rank % MAX_CTAS] |= 1 << (warp & 31);
        if state.barrier.arrived.iter().any(|&warps| warps != 0) {
            state.barrier.complete(self.ctas, self.warps);
        }
    }

    /// A CTA has ended. The last one gives the windows back.
    pub fn leave(&self) -> Option<WindowRun> {
        let mut state = self.lock();
        state.left = state.left.saturating_sub(1);
        if state.left == 0 {
            state.run.take()
        } else {
            None
        }
    }
}

/// `barrier.cluster.arrive` of a warp.
pub fn arrive(running: Running, warp: u32) {
    running.with(|cta| {
        if let Some((cluster, rank)) = &cta.cluster {
            let phase = cluster.arrive(*rank, warp);
            cta.cluster_phase[(warp & 31) as usize] = phase;
        }
    });
}

/// `barrier.cluster.wait` of a warp: the other CTAs of the cluster, on this worker or on others, go on meanwhile.
pub fn wait(running: Running, warp: u32) {
    let passed = |running: Running| {
        running.with(|cta| {
            cta.cluster
                .as_ref()
                .is_none_or(|(cluster, _)| cluster.passed(cta.cluster_phase[(warp & 31) as usize]))
        })
    };
    while !passed(running) {
        running.pass_on(warp, true);
    }
    if running.with(|cta| cta.abandoned()) {
        running.leave(status::ABANDONED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sm::memory::Windows;

    #[test]
    fn phases_end_when_all_warps_have_arrived_or_ended() {
        let run = Windows::default().take_run(2, 100).expect("windows");
        assert_eq!(
            run.window(1).base() - run.window(0).base(),
            abi::sm::SHARED_STRIDE
        );
        let cluster = Cluster::new(2, 2, run);
        let first = cluster.arrive(0, 0);
        cluster.arrive(0, 1);
        cluster.arrive(1, 0);
        assert!(!cluster.passed(first));
        cluster.exit(1, 1);
        assert!(cluster.passed(first));
        // Arrived already in the next phase: a warp may run ahead by one.
        let second = cluster.arrive(1, 0);
        assert_eq!(second, first + 1);
        cluster.arrive(0, 0);
        assert!(!cluster.passed(second));
        cluster.exit(0, 1);
        assert!(cluster.passed(second));
        assert!(cluster.leave().is_none());
        assert!(cluster.leave().is_some());
    }
}
