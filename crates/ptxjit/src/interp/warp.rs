//! Warp operations: lanes that have come to the same place exchange values.
#![expect(
    clippy::cast_possible_truncation,
    reason = "lane masks and 32-bit values"
)]

use super::thread::{State, Thread, Wait};
use crate::ir::fold::fold;
use crate::ir::{Float, Int, Op, ReduxOp, ShflMode, Sign, VoteMode};

/// Which operand names the members, if one does.
fn members_operand(op: &Op) -> Option<usize> {
    match op {
        Op::Shfl { .. } => Some(3),
        Op::Vote { .. }
        | Op::Ballot
        | Op::MatchAny { .. }
        | Op::MatchAll { .. }
        | Op::Redux { .. } => Some(1),
        Op::Elect | Op::WarpSync => Some(0),
        _ => None,
    }
}

/// Carries out every warp operation whose members have all come (or ended). True if there was one.
///
/// Called when no lane of the warp can go on by itself.
pub fn gather(lanes: &mut [Thread<'_>]) -> bool {
    let mut progress = false;
    for first in 0..lanes.len() {
        let State::Waiting(Wait::Warp { place, op, args }) = &lanes[first].state else {
            continue;
        };
        let mask = members_operand(op).map(|n| args.get(n).copied().unwrap_or(0) as u32);
        let mut group = Vec::new();
        let mut complete = true;
        for (n, lane) in lanes.iter().enumerate() {
            let named = mask.is_none_or(|mask| mask >> n & 1 == 1);
            match &lane.state {
                State::Waiting(Wait::Warp { place: other, .. }) if named && other == place => {
                    group.push(n)
                }
                State::Done => {}
                // An operation without a mask takes those that are there.
                _ if mask.is_none() || !named => {}
                _ => complete = false,
            }
        }
        // A lane that is not among its own members still executes.
        if !group.contains(&first) {
            group.push(first);
        }
        if complete {
            execute(lanes, &group);
            progress = true;
        }
    }
    progress
}

/// Executes the operation that a group of lanes waits at.
fn execute(lanes: &mut [Thread<'_>], group: &[usize]) {
    let mut waits = Vec::new();
    for &n in group {
        if let State::Waiting(Wait::Warp { op, args, .. }) = &lanes[n].state {
            waits.push((n, *op, args.clone()));
        }
    }
    let active = group.iter().fold(0u32, |mask, &n| mask | 1 << n);
    let of = |lane: usize, operand: usize| {
        waits
            .iter()
            .find(|(n, ..)| *n == lane)
            .map(|(.., args)| args.get(operand).copied().unwrap_or(0))
    };
    let all = |operand: usize| {
        waits
            .iter()
            .map(move |(.., args)| args.get(operand).copied().unwrap_or(0))
    };
    for (n, op, args) in &waits {
        let arg = |k: usize| args.get(k).copied().unwrap_or(0);
        let results = match *op {
            Op::Shfl { mode } => {
                let (source, valid) = shfl_source(mode, *n as u32, arg(1) as u32, arg(2) as u32);
                // From a lane that is not there: undefined; here it is the lane's own value.
                [of(source as usize, 0).unwrap_or(arg(0)), u128::from(valid)]
            }
            Op::Vote { mode } => {
                let yes = all(0).filter(|&p| p != 0).count();
                let result = match mode {
                    VoteMode::All => yes == waits.len(),
                    VoteMode::Any => yes > 0,
                    VoteMode::Uni => yes == 0 || yes == waits.len(),
                };
                [u128::from(result), 0]
            }
            Op::Ballot => {
                let mask = waits.iter().filter(|(.., args)| args.first() != Some(&0));
                [
                    u128::from(mask.fold(0u32, |mask, (n, ..)| mask | 1 << n)),
                    0,
                ]
            }
            Op::MatchAny { .. } => {
                let equal = waits
                    .iter()
                    .filter(|(.., args)| args.first() == Some(&arg(0)));
                [
                    u128::from(equal.fold(0u32, |mask, (n, ..)| mask | 1 << n)),
                    0,
                ]
            }
            Op::MatchAll { .. } => {
                let equal = all(0).all(|value| value == arg(0));
                [
                    if equal { u128::from(active) } else { 0 },
                    u128::from(equal),
                ]
            }
            Op::ActiveMask => [u128::from(active), 0],
            Op::Redux { op } => {
                let value = all(0).reduce(|a, b| redux(op, a, b)).unwrap_or(0);
                [redux_prepare(op, value), 0]
            }
            Op::Elect => {
                let leader = active.trailing_zeros();
                [u128::from(leader), u128::from(leader == *n as u32)]
            }
            _ => [0; 2],
        };
        lanes[*n].give(&results);
        lanes[*n].state = State::Ready;
    }
}

/// The lane that a shuffle reads, and whether it is in range (PTX ISA 9.0, shfl.sync).
#[expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "lanes are small"
)]
fn shfl_source(mode: ShflMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let max = lane & segment | clamp & !segment;
    let min = lane & segment;
    let (source, valid) = match mode {
        ShflMode::Up => {
            let source = lane as i32 - b as i32;
            (source, source >= max as i32)
        }
        ShflMode::Down => ((lane + b) as i32, lane + b <= max),
        ShflMode::Bfly => ((lane ^ b) as i32, lane ^ b <= max),
        ShflMode::Idx => {
            let source = min | b & !segment;
            (source as i32, source <= max)
        }
    };
    if valid {
        (source as u32, true)
    } else {
        (lane, false)
    }
}

fn redux(op: ReduxOp, a: u128, b: u128) -> u128 {
    let w = Int::I32;
    let float = |nan: bool, largest: bool, magnitude: bool| {
        let fmt = Float::F32;
        let (ftz, xorsign) = (false, false);
        let op = if largest {
            Op::FMax {
                fmt,
                ftz,
                nan,
                xorsign,
            }
        } else {
            Op::FMin {
                fmt,
                ftz,
                nan,
                xorsign,
            }
        };
        let strip = |x: u128| if magnitude { x & 0x7fff_ffff } else { x };
        fold(&op, &[strip(a), strip(b)]).map_or(0, |results| results[0])
    };
    let by = |op: Op| fold(&op, &[a, b]).map_or(0, |results| results[0]);
    match op {
        ReduxOp::Add => by(Op::Add { w }),
        ReduxOp::Smin => by(Op::Min {
            w,
            sign: Sign::Signed,
        }),
        ReduxOp::Smax => by(Op::Max {
            w,
            sign: Sign::Signed,
        }),
        ReduxOp::Umin => by(Op::Min {
            w,
            sign: Sign::Unsigned,
        }),
        ReduxOp::Umax => by(Op::Max {
            w,
            sign: Sign::Unsigned,
        }),
        ReduxOp::And => a & b,
        ReduxOp::Or => a | b,
        ReduxOp::Xor => a ^ b,
        ReduxOp::Fmin => float(false, false, false),
        ReduxOp::Fmax => float(false, true, false),
        ReduxOp::FminAbs => float(false, false, true),
        ReduxOp::FmaxAbs => float(false, true, true),
        ReduxOp::FminNan => float(true, false, false),
        ReduxOp::FmaxNan => float(true, true, false),
        ReduxOp::FminAbsNan => float(true, false, true),
        ReduxOp::FmaxAbsNan => float(true, true, true),
    }
}

/// A reduction over one lane still takes the magnitude.
fn redux_prepare(op: ReduxOp, value: u128) -> u128 {
    match op {
        ReduxOp::FminAbs | ReduxOp::FmaxAbs | ReduxOp::FminAbsNan | ReduxOp::FmaxAbsNan => {
            value & 0x7fff_ffff
        }
        _ => value,
    }
}
