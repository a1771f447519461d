//! Semaphore operations that host, copy and compute classes share.

use crate::access::{self, AccessFault};
use crate::clock;

/// Arithmetic of a semaphore reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Smaller value.
    Min,
    /// Larger value.
    Max,
    /// Exclusive or.
    Xor,
    /// And.
    And,
    /// Or.
    Or,
    /// Sum.
    Add,
    /// Counts up to the payload, then wraps to 0.
    Inc,
    /// Counts down, from 0 or above the payload to the payload.
    Dec,
}

impl Reduction {
    /// Order of the host's and the copy engine's field.
    #[must_use]
    pub fn from_host(code: u32) -> Option<Reduction> {
        use Reduction::{Add, And, Dec, Inc, Max, Min, Or, Xor};
        [Min, Max, Xor, And, Or, Add, Inc, Dec]
            .get(code as usize)
            .copied()
    }

    /// Order of the compute class's and the QMD's field.
    #[must_use]
    pub fn from_compute(code: u32) -> Option<Reduction> {
        use Reduction::{Add, And, Dec, Inc, Max, Min, Or, Xor};
        [Add, Min, Max, Inc, Dec, And, Or, Xor]
            .get(code as usize)
            .copied()
    }

    /// The operation on 32- or 64-bit values.
    #[must_use]
    pub fn apply(self, old: u64, operand: u64, wide: bool, signed: bool) -> u64 {
        let shift = if wide { 0 } else { 32 };
        let cut = u64::MAX >> shift;
        let (a, b) = (old & cut, operand & cut);
        let below = |x: u64, y: u64| {
            if signed {
                (x << shift).cast_signed() < (y << shift).cast_signed()
            } else {
                x < y
            }
        };
        let result = match self {
            Reduction::Min => {
                if below(b, a) {
                    b
                } else {
                    a
                }
            }
            Reduction::Max => {
                if below(a, b) {
                    b
                } else {
                    a
                }
            }
            Reduction::Xor => a ^ b,
            Reduction::And => a & b,
            Reduction::Or => a | b,
            Reduction::Add => a.wrapping_add(b),
            Reduction::Inc => {
                if a >= b {
                    0
                } else {
                    a + 1
                }
            }
            Reduction::Dec => {
                if a == 0 || a > b {
                    b
                } else {
                    a - 1
                }
            }
        };
        result & cut
    }
}

/// A release, as the classes describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Where.
    pub address: u64,
    /// What to store, or the operand of the reduction.
    pub payload: u64,
    /// 64-bit payload.
    pub wide: bool,
    /// Store the time in the 8 bytes at `address + 8` (the four-word structure).
    pub timestamp: bool,
    /// Combine instead of store; `bool`: signed.
    pub reduction: Option<(Reduction, bool)>,
}

impl Release {
    /// Does it: time first, payload last, so that who sees the payload sees the time.
    ///
    /// # Errors
    /// The address is not writable.
    pub fn run(&self) -> Result<(), AccessFault> {
        if self.timestamp {
            access::store64(self.address.wrapping_add(8), clock::ptimer())?;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a narrow payload is 32 bits"
        )]
        let narrow = self.payload as u32;
        let Some((op, signed)) = self.reduction else {
            return if self.wide || self.timestamp {
                access::store64(
                    self.address,
                    if self.wide {
                        self.payload
                    } else {
                        u64::from(narrow)
                    },
                )
            } else {
                access::store32(self.address, narrow)
            };
        };
        if self.wide {
            let mut old = access::load64(self.address)?;
            loop {
                let seen =
                    access::cas64(self.address, old, op.apply(old, self.payload, true, signed))?;
                if seen == old {
                    return Ok(());
                }
                old = seen;
            }
        }
        let mut old = access::load32(self.address)?;
        loop {
            #[expect(clippy::cast_possible_truncation, reason = "apply cuts to 32 bits")]
            let new = op.apply(u64::from(old), self.payload, false, signed) as u32;
            let seen = access::cas32(self.address, old, new)?;
            if seen == old {
                return Ok(());
            }
            old = seen;
        }
    }
}

/// Conditions of an acquire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Equal.
    Equal,
    /// Value ≥ payload; `bool`: signed.
    StrictGeq(bool),
    /// Value ≥ payload on the number circle (difference, as a signed number, not negative).
    CircGeq,
    /// Value and payload share a bit.
    And,
    /// Some bit is in neither.
    Nor,
}

/// An acquire that a channel waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquire {
    /// Where.
    pub address: u64,
    /// Operand.
    pub payload: u64,
    /// 64-bit comparison.
    pub wide: bool,
    /// What must hold.
    pub condition: Condition,
}

impl Acquire {
    /// Whether `value` satisfies it.
    #[must_use]
    pub fn satisfied_by(&self, value: u64) -> bool {
        let shift = if self.wide { 0 } else { 32 };
        let cut = u64::MAX >> shift;
        let (v, p) = (value & cut, self.payload & cut);
        let signed = |x: u64| (x << shift).cast_signed();
        match self.condition {
            Condition::Equal => v == p,
            Condition::StrictGeq(true) => signed(v) >= signed(p),
            Condition::StrictGeq(false) => v >= p,
            Condition::CircGeq => signed(v.wrapping_sub(p) & cut) >= 0,
            Condition::And => v & p != 0,
            Condition::Nor => !(v | p) & cut != 0,
        }
    }

    /// Looks at memory.
    ///
    /// # Errors
    /// The address is not readable.
    pub fn poll(&self) -> Result<bool, AccessFault> {
        let value = if self.wide {
            access::load64(self.address)?
        } else {
            u64::from(access::load32(self.address)?)
        };
        Ok(self.satisfied_by(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acquire(condition: Condition, payload: u64, wide: bool) -> Acquire {
        Acquire {
            address: 0,
            payload,
            wide,
            condition,
        }
    }

    #[test]
    fn conditions() {
        assert!(acquire(Condition::Equal, 5, false).satisfied_by(0xffff_ffff_0000_0005));
        assert!(!acquire(Condition::Equal, 5, true).satisfied_by(0xffff_ffff_0000_0005));
        assert!(acquire(Condition::CircGeq, 0xffff_fff0, false).satisfied_by(3));
        assert!(!acquire(Condition::CircGeq, 3, false).satisfied_by(0xffff_fff0));
        assert!(acquire(Condition::CircGeq, u64::MAX, true).satisfied_by(0));
        assert!(acquire(Condition::StrictGeq(true), 1u64.wrapping_neg(), true).satisfied_by(0));
        assert!(!acquire(Condition::StrictGeq(false), 1u64.wrapping_neg(), true).satisfied_by(0));
        assert!(acquire(Condition::And, 6, false).satisfied_by(4));
        assert!(!acquire(Condition::And, 6, false).satisfied_by(1));
        assert!(!acquire(Condition::Nor, 0xffff_0000, false).satisfied_by(0xffff));
        assert!(acquire(Condition::Nor, 0xffff_0000, false).satisfied_by(0xfffe));
    }

    #[test]
    fn reductions() {
        assert_eq!(
            Reduction::Min.apply(0xffff_ffff, 1, false, true),
            0xffff_ffff
        );
        assert_eq!(Reduction::Min.apply(0xffff_ffff, 1, false, false), 1);
        assert_eq!(Reduction::Max.apply(3, u64::MAX, true, true), 3);
        assert_eq!(Reduction::Add.apply(0xffff_ffff, 2, false, false), 1);
        assert_eq!(Reduction::Inc.apply(7, 7, false, false), 0);
        assert_eq!(Reduction::Dec.apply(0, 7, false, false), 7);
        assert_eq!(Reduction::from_host(5), Some(Reduction::Add));
        assert_eq!(Reduction::from_compute(0), Some(Reduction::Add));
        assert_eq!(Reduction::from_host(8), None);
    }
}
