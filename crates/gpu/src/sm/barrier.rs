//! Named barriers of one CTA, as a state machine over warps. No switching here.

/// Barriers per CTA.
pub const BARRIERS: usize = 16;

/// Reduction of `bar.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Number of lanes whose predicate holds.
    Popc,
    /// Whether all hold.
    And,
    /// Whether one holds.
    Or,
}

#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    arrived: u32,
    waiting: u32,
    /// Warps needed; 0: all that have not exited.
    needed: u32,
    popc: u32,
    any: bool,
    not_all: bool,
    /// Some arrival came with lanes: the result counts.
    voted: bool,
}

/// The barriers of a CTA and which warps wait at them.
#[derive(Clone, Copy, Debug)]
pub struct Barriers {
    slots: [Barrier; BARRIERS],
    /// One bit per warp of the CTA.
    all: u32,
    exited: u32,
    /// Lane counts and votes of the phase that released each warp.
    results: [(u32, bool, bool); 32],
}

/// Bits of the warps that a step released (they may run again).
pub type Released = u32;

impl Barriers {
    /// Barriers for `warps` (1 to 32) warps.
    #[must_use]
    pub fn new(warps: u32) -> Barriers {
        Barriers {
            slots: [Barrier::default(); BARRIERS],
            all: u32::MAX >> (32 - warps.clamp(1, 32)),
            exited: 0,
            results: [(0, false, false); 32],
        }
    }

    /// Warp `warp` arrives at barrier `id` for `count` threads (0: all), to wait or not, with its lanes' predicates.
    /// If the barrier completes, the answer has the bits of all warps that waited, `warp` among them if it waits.
    pub fn arrive(
        &mut self,
        warp: u32,
        id: u32,
        count: u32,
        wait: bool,
        vote: (u32, u32),
    ) -> Released {
        let bit = 1 << (warp & 31);
        let warps = self.all.count_ones();
        let needed = count.div_ceil(32);
        let (mask, pred) = vote;
        let slot = &mut self.slots[id as usize % BARRIERS];
        slot.needed = if count == 0 || needed >= warps {
            0
        } else {
            needed
        };
        slot.arrived |= bit;
        if wait {
            slot.waiting |= bit;
        }
        slot.voted |= mask != 0;
        slot.popc += (mask & pred).count_ones();
        slot.any |= mask & pred != 0;
        slot.not_all |= mask & !pred != 0;
        self.complete(id as usize % BARRIERS)
    }

    /// Warp `warp` has ended: it counts as arrived wherever all are needed.
    pub fn exit(&mut self, warp: u32) -> Released {
        self.exited |= 1 << (warp & 31);
        let mut released = 0;
        for id in 0..BARRIERS {
            if self.slots[id].arrived != 0 {
                released |= self.complete(id);
            }
        }
        released
    }

    fn complete(&mut self, id: usize) -> Released {
        let slot = self.slots[id];
        let done = if slot.needed == 0 {
            (slot.arrived | self.exited) & self.all == self.all
        } else {
            slot.arrived.count_ones() >= slot.needed
        };
        if !done {
            return 0;
        }
        let mut waiting = if slot.voted { slot.waiting } else { 0 };
        while waiting != 0 {
            self.results[waiting.trailing_zeros() as usize] = (slot.popc, slot.any, !slot.not_all);
            waiting &= waiting - 1;
        }
        self.slots[id] = Barrier::default();
        slot.waiting
    }

    /// What the reduction of the phase that released `warp` gave it.
    #[must_use]
    pub fn result(&self, warp: u32, op: Reduce) -> u32 {
        let (popc, any, all) = self.results[(warp & 31) as usize];
        match op {
            Reduce::Popc => popc,
            Reduce::And => u32::from(all),
            Reduce::Or => u32::from(any),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_VOTE: (u32, u32) = (0, 0);

    #[test]
    fn all_threads_meet() {
        let mut b = Barriers::new(3);
        assert_eq!(b.arrive(0, 0, 0, true, NO_VOTE), 0);
        assert_eq!(b.arrive(2, 0, 96, true, NO_VOTE), 0);
        assert_eq!(b.arrive(1, 0, 0, true, NO_VOTE), 0b111);
        // The next phase starts empty.
        assert_eq!(b.arrive(1, 0, 0, true, NO_VOTE), 0);
    }

    #[test]
    fn exited_warps_count() {
        let mut b = Barriers::new(3);
        assert_eq!(b.exit(1), 0);
        assert_eq!(b.arrive(0, 0, 0, true, NO_VOTE), 0);
        assert_eq!(b.exit(2), 0b001);
        let mut b = Barriers::new(2);
        b.exit(0);
        assert_eq!(b.arrive(1, 5, 0, true, NO_VOTE), 0b10);
    }

    #[test]
    fn producers_arrive_and_consumers_wait() {
        let mut b = Barriers::new(4);
        assert_eq!(b.arrive(0, 3, 64, false, NO_VOTE), 0);
        assert_eq!(b.arrive(1, 4, 64, true, NO_VOTE), 0);
        assert_eq!(b.arrive(2, 3, 64, true, NO_VOTE), 0b100);
        assert_eq!(b.arrive(3, 4, 64, false, NO_VOTE), 0b010);
    }

    #[test]
    fn votes() {
        let mut b = Barriers::new(2);
        b.arrive(0, 0, 0, true, (u32::MAX, 0xf));
        assert_eq!(b.arrive(1, 0, 0, true, (0xff, 0xff)), 0b11);
        assert_eq!(
            (
                b.result(0, Reduce::Popc),
                b.result(1, Reduce::Or),
                b.result(1, Reduce::And)
            ),
            (12, 1, 0)
        );
        b.arrive(0, 0, 0, true, (0xff, 0xff));
        b.arrive(1, 0, 0, true, (0xff, 0xff));
        assert_eq!(
            (b.result(0, Reduce::Popc), b.result(0, Reduce::And)),
            (16, 1)
        );
    }
}
