//! Host engine: serves the channels, one after the other, by whoever holds its lock.

use crate::channel::{Block, Channel, Flow};
use crate::fault::{Refusal, by};
use crate::machine::Machine;
use crate::pushbuffer::{Method, Step};
use crate::semaphore::{Acquire, Condition, Reduction, Release};
use abi::nv::classes;
use abi::nv::methods::host;
use core::sync::atomic::Ordering;

/// Channels that one VA space may have.
pub const MAX_CHANNELS: usize = 256;
/// Methods that a channel executes before others get their turn.
const TURN: u32 = 8192;
/// Grids of one channel that wait or run before its pushbuffer is read on.
const MAX_GRIDS: u32 = 256;

/// The engine's state: all channels.
#[derive(Debug, Default)]
pub struct Host {
    /// Channels in order of creation.
    pub channels: Vec<Channel>,
}

/// What a look at the channels found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Something was executed.
    pub progress: bool,
    /// Some channel waits for a semaphore, which may be released without a doorbell.
    pub acquiring: bool,
    /// Some running channel belongs to a client that does not wake us.
    pub must_poll: bool,
}

impl Host {
    /// Serves every channel once.
    pub fn poll(&mut self, machine: &Machine) -> Look {
        let mut look = Look::default();
        for channel in &mut self.channels {
            if machine.is_dead() {
                return Look::default();
            }
            if channel.running {
                match serve(channel, machine) {
                    Ok(progress) => look.progress |= progress,
                    Err(refusal) => {
                        machine.die(refusal.into_fault(channel.core.chid));
                        return Look::default();
                    }
                }
                look.acquiring |= matches!(channel.block, Some(Block::Acquire(_)));
                look.must_poll |= !channel.core.page.announced();
            }
        }
        look
    }

    /// The channel of this id.
    pub fn find(&mut self, chid: u32) -> Option<&mut Channel> {
        self.channels.iter_mut().find(|c| c.core.chid == chid)
    }
}

/// Whether the channel may go on; does what the end of a wait asks for.
fn unblock(channel: &mut Channel, machine: &Machine) -> Result<bool, Refusal> {
    let over = match channel.block {
        None => return Ok(true),
        Some(Block::Acquire(acquire)) => acquire.poll().map_err(by("host: semaphore"))?,
        Some(Block::Idle) => channel.core.grids.load(Ordering::Acquire) == 0,
        Some(Block::Copy { after, interrupt }) => {
            let over = !channel.core.copying.load(Ordering::Acquire);
            if over {
                machine.finish_copy(&channel.core, after, interrupt)?;
            }
            over
        }
    };
    if over {
        channel.block = None;
    }
    Ok(over)
}

/// Runs a channel until it has nothing to do, waits, or has had its turn.
fn serve(channel: &mut Channel, machine: &Machine) -> Result<bool, Refusal> {
    let mut progress = false;
    let mut budget = TURN;
    loop {
        let waited = channel.block.is_some();
        if !unblock(channel, machine)? {
            return Ok(progress);
        }
        progress |= waited;
        if budget == 0 || channel.core.grids.load(Ordering::Relaxed) >= MAX_GRIDS {
            return Ok(progress);
        }
        budget -= 1;
        let method = match channel.retry.take() {
            Some(method) => method,
            None => {
                let Some(word) = channel.next_word()? else {
                    return Ok(progress);
                };
                progress = true;
                match channel.decoder.feed(word) {
                    Step::Nothing => continue,
                    Step::EndOfSegment => {
                        channel.end_segment();
                        continue;
                    }
                    Step::Bad(reason) => {
                        return Err(Refusal::Pushbuffer(format!(
                            "header {word:#010x}: {reason}"
                        )));
                    }
                    Step::Method(method) => method,
                }
            }
        };
        match execute(channel, machine, method)? {
            Flow::Continue => {}
            Flow::Wait(block) => channel.block = Some(block),
            Flow::Retry(block) => {
                channel.block = Some(block);
                channel.retry = Some(method);
            }
        }
    }
}

fn execute(channel: &mut Channel, machine: &Machine, m: Method) -> Result<Flow, Refusal> {
    if m.address < 0x100 {
        return host_method(channel, machine, m);
    }
    let class = channel.subchannels[m.subchannel as usize];
    match class {
        0 => Err(Refusal::Method {
            class,
            method: m.address,
            data: m.data,
            reason: format!("no class is set on subchannel {}", m.subchannel),
        }),
        classes::AMPERE_DMA_COPY_A
        | classes::AMPERE_DMA_COPY_B
        | classes::HOPPER_DMA_COPY_A
        | classes::BLACKWELL_DMA_COPY_A
        | classes::BLACKWELL_DMA_COPY_B => channel
            .copy
            .method(machine, &channel.core, m.address, m.data)
            .map_err(|refusal| match refusal {
                Refusal::Method {
                    method,
                    data,
                    reason,
                    ..
                } => Refusal::Method {
                    class,
                    method,
                    data,
                    reason,
                },
                other @ (Refusal::Memory { .. }
                | Refusal::Pushbuffer(_)
                | Refusal::Program { .. }) => other,
            }),
        _ => channel
            .compute
            .method(machine, &channel.core, class, m.address, m.data),
    }
}

/// Classes that the engine can execute.
fn is_known(class: u32) -> bool {
    matches!(
        class,
        classes::KEPLER_INLINE_TO_MEMORY_B
            | classes::AMPERE_DMA_COPY_A
            | classes::AMPERE_DMA_COPY_B
            | classes::HOPPER_DMA_COPY_A
            | classes::BLACKWELL_DMA_COPY_A
            | classes::BLACKWELL_DMA_COPY_B
            | classes::AMPERE_COMPUTE_A
            | classes::AMPERE_COMPUTE_B
            | classes::ADA_COMPUTE_A
            | classes::HOPPER_COMPUTE_A
            | classes::BLACKWELL_COMPUTE_A
            | classes::BLACKWELL_COMPUTE_B
    )
}

fn host_method(channel: &mut Channel, machine: &Machine, m: Method) -> Result<Flow, Refusal> {
    let class = channel.class;
    let refuse = |reason: &str| Refusal::Method {
        class,
        method: m.address,
        data: m.data,
        reason: reason.to_string(),
    };
    match m.address {
        host::SET_OBJECT => {
            let object = m.data & 0xffff;
            let named = classes::name(object).unwrap_or("unknown class");
            if !is_known(object) {
                return Err(refuse(&format!("SET_OBJECT: {named} is not supported")));
            }
            if !channel.bound.contains(&object) {
                return Err(refuse(&format!(
                    "SET_OBJECT: {named} is not bound to this channel"
                )));
            }
            channel.subchannels[m.subchannel as usize] = object;
            Ok(Flow::Continue)
        }
        host::NOP | host::FB_FLUSH | host::YIELD | host::CLEAR_FAULTED => Ok(Flow::Continue),
        host::ILLEGAL => Err(refuse("the ILLEGAL method")),
        host::NON_STALL_INTERRUPT => {
            machine.interrupt(&channel.core);
            Ok(Flow::Continue)
        }
        host::SET_REFERENCE => {
            if channel.core.grids.load(Ordering::Acquire) != 0 {
                return Ok(Flow::Retry(Block::Idle));
            }
            channel.set_reference(m.data);
            Ok(Flow::Continue)
        }
        host::WFI => Ok(Flow::Wait(Block::Idle)),
        host::MEM_OP_D => match m.data >> 27 {
            // Membar, TLB and cache operations: memory here is coherent and mappings are the CPU's own.
            0x5 | 0x9 | 0xa | 0xd | 0xe | 0xf | 0x10 | 0x16 => Ok(Flow::Continue),
            0xb => Err(refuse("MMU_OPERATION is not supported")),
            _ => Err(refuse("unknown memory operation")),
        },
        host::SEM_EXECUTE => sem_execute(channel, machine, m.data),
        host::SEMAPHORED => old_semaphore(channel, machine, m.data),
        host::SEMAPHOREA
        | host::SEMAPHOREB
        | host::SEMAPHOREC
        | host::MEM_OP_A
        | host::MEM_OP_B
        | host::MEM_OP_C
        | host::SEM_ADDR_LO
        | host::SEM_ADDR_HI
        | host::SEM_PAYLOAD_LO
        | host::SEM_PAYLOAD_HI => {
            channel.host[(m.address / 4) as usize] = m.data;
            Ok(Flow::Continue)
        }
        _ => Err(refuse("unknown host method")),
    }
}

fn pair(channel: &Channel, upper: u32, lower: u32) -> u64 {
    u64::from(channel.host[(upper / 4) as usize]) << 32
        | u64::from(channel.host[(lower / 4) as usize])
}

/// `SEM_EXECUTE` (Volta and newer).
fn sem_execute(channel: &mut Channel, machine: &Machine, data: u32) -> Result<Flow, Refusal> {
    let class = channel.class;
    let refuse = |reason: &str| Refusal::Method {
        class,
        method: host::SEM_EXECUTE,
        data,
        reason: reason.to_string(),
    };
    let wide = data >> 24 & 1 == 1;
    let address = pair(channel, host::SEM_ADDR_HI, host::SEM_ADDR_LO) & !3;
    let payload = pair(channel, host::SEM_PAYLOAD_HI, host::SEM_PAYLOAD_LO);
    let payload = if wide { payload } else { payload & 0xffff_ffff };
    let condition = match data & 7 {
        0 => Condition::Equal,
        2 => Condition::StrictGeq(data >> 31 == 0),
        3 => Condition::CircGeq,
        4 => Condition::And,
        5 => Condition::Nor,
        1 | 6 => {
            if data >> 20 & 1 == 1 && channel.core.grids.load(Ordering::Acquire) != 0 {
                return Ok(Flow::Retry(Block::Idle));
            }
            let reduction = if data & 7 == 6 {
                let op = Reduction::from_host(data >> 27 & 15)
                    .ok_or_else(|| refuse("unknown reduction"))?;
                Some((op, data >> 31 == 0))
            } else {
                None
            };
            let release = Release {
                address,
                payload,
                wide,
                timestamp: data >> 25 & 1 == 1,
                reduction,
            };
            machine.release(&channel.core, &release, "host: semaphore")?;
            return Ok(Flow::Continue);
        }
        _ => return Err(refuse("unknown semaphore operation")),
    };
    Ok(Flow::Wait(Block::Acquire(Acquire {
        address,
        payload,
        wide,
        condition,
    })))
}

/// `SEMAPHOREA` to `SEMAPHORED` (before Volta, still accepted).
fn old_semaphore(channel: &mut Channel, machine: &Machine, data: u32) -> Result<Flow, Refusal> {
    let class = channel.class;
    let refuse = |reason: &str| Refusal::Method {
        class,
        method: host::SEMAPHORED,
        data,
        reason: reason.to_string(),
    };
    let address = pair(channel, host::SEMAPHOREA, host::SEMAPHOREB) & !3;
    let payload = u64::from(channel.host[(host::SEMAPHOREC / 4) as usize]);
    let condition = match data & 0x1f {
        1 => Condition::Equal,
        4 => Condition::CircGeq,
        8 => Condition::And,
        2 | 0x10 => {
            // RELEASE_WFI: 0 is "enabled" in this form.
            if data >> 20 & 1 == 0 && channel.core.grids.load(Ordering::Acquire) != 0 {
                return Ok(Flow::Retry(Block::Idle));
            }
            let reduces = data & 0x1f == 0x10;
            let reduction = if reduces {
                let op = Reduction::from_host(data >> 27 & 15)
                    .ok_or_else(|| refuse("unknown reduction"))?;
                Some((op, data >> 31 == 0))
            } else {
                None
            };
            let timestamp = !reduces && data >> 24 & 1 == 0;
            machine.release(
                &channel.core,
                &Release {
                    address,
                    payload,
                    wide: false,
                    timestamp,
                    reduction,
                },
                "host: semaphore",
            )?;
            return Ok(Flow::Continue);
        }
        _ => return Err(refuse("unknown semaphore operation")),
    };
    Ok(Flow::Wait(Block::Acquire(Acquire {
        address,
        payload,
        wide: false,
        condition,
    })))
}
