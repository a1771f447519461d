//! Compute class (`AMPERE_COMPUTE_A/B`, `ADA_COMPUTE_A`, `HOPPER_COMPUTE_A`, `BLACKWELL_COMPUTE_A/B`, which have the same
//! methods as far as they are here) and its inline-to-memory part, which is also the class `KEPLER_INLINE_TO_MEMORY_B`.

use crate::access;
use crate::channel::{Block, ChannelCore, Flow};
use crate::fault::{Refusal, by};
use crate::machine::Machine;
use crate::qmd;
use crate::semaphore::{Acquire, Condition, Reduction, Release};
use abi::nv::classes;
use abi::nv::methods::compute as cm;
use core::sync::atomic::Ordering;
use std::sync::Arc;

const REGS: usize = 0x3400 / 4;
/// Bytes that one inline transfer may carry.
const INLINE_MAX: u64 = 16 << 20;

/// State of the class on one channel.
#[derive(Debug)]
pub struct Compute {
    regs: Box<[u32; REGS]>,
    inline: Vec<u32>,
    inline_words: usize,
    inline_launch: u32,
    inline_qmd: Vec<u32>,
}

impl Default for Compute {
    fn default() -> Compute {
        Compute {
            regs: Box::new([0; REGS]),
            inline: Vec::new(),
            inline_words: 0,
            inline_launch: 0,
            inline_qmd: Vec::new(),
        }
    }
}

/// What `SEND_SIGNALING_PCAS2_B` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PcasAction {
    Nothing,
    Schedule,
    DecrementDependence,
    IncrementDependence,
    Unsupported,
}

fn pcas_action(code: u32) -> PcasAction {
    match code {
        // NOP, INVALIDATE, PREFETCH: the SM keeps no copy of a QMD.
        0 | 1 | 8 => PcasAction::Nothing,
        // SCHEDULE, INVALIDATE_COPY_SCHEDULE, PREFETCH_SCHEDULE, INVALIDATE_PREFETCH_COPY_(SCHEDULE | FORCE_...).
        2 | 3 | 9 | 0xa | 0xb => PcasAction::Schedule,
        7 => PcasAction::DecrementDependence,
        0xc => PcasAction::IncrementDependence,
        _ => PcasAction::Unsupported,
    }
}

impl Compute {
    fn reg(&self, method: u32) -> u32 {
        self.regs[(method / 4) as usize]
    }

    fn wide(&self, upper: u32, lower: u32) -> u64 {
        u64::from(self.reg(upper)) << 32 | u64::from(self.reg(lower))
    }

    /// Executes a method of class `class`.
    ///
    /// # Errors
    /// Unknown methods, unsupported modes, bad QMDs and programs, faults.
    pub fn method(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        class: u32,
        method: u32,
        data: u32,
    ) -> Result<Flow, Refusal> {
        let refuse = |reason: &str| Refusal::Method {
            class,
            method,
            data,
            reason: reason.to_string(),
        };
        if class == classes::KEPLER_INLINE_TO_MEMORY_B
            && !(method == cm::WAIT_FOR_IDLE || is_inline(method))
        {
            return Err(refuse("unknown method"));
        }
        match method {
            cm::LAUNCH_DMA => self
                .begin_inline(machine, core, data)
                .map_err(|e| name(e, class, method, data)),
            cm::LOAD_INLINE_DATA => self
                .inline_data(machine, core, data)
                .map_err(|e| name(e, class, method, data)),
            cm::WAIT_FOR_IDLE | cm::PM_TRIGGER_WFI | cm::INVALIDATE_SHADER_CACHES => {
                Ok(Flow::Wait(Block::Idle))
            }
            cm::REPORT_SEMAPHORE_EXECUTE => self.report(machine, core, class, data),
            cm::SET_REPORT_SEMAPHORE_D => self.old_report(machine, core, class, data),
            cm::SEND_SIGNALING_PCAS2_B => {
                let qmd = u64::from(self.reg(cm::SEND_PCAS_A)) << 8;
                match pcas_action(data & 15) {
                    PcasAction::Nothing => {}
                    PcasAction::Schedule => machine.launch(core, class, qmd)?,
                    PcasAction::DecrementDependence => {
                        machine.decrement_dependence(core, class, qmd)?
                    }
                    PcasAction::IncrementDependence => {
                        machine.change_dependence(class, qmd, 1).map(drop)?
                    }
                    PcasAction::Unsupported => {
                        return Err(refuse("this PCAS action is not supported"));
                    }
                }
                Ok(Flow::Continue)
            }
            cm::SEND_SIGNALING_PCAS_B => {
                if data & 2 != 0 {
                    machine.launch(core, class, u64::from(self.reg(cm::SEND_PCAS_A)) << 8)?;
                }
                Ok(Flow::Continue)
            }
            cm::SEND_PCAS_B => Err(refuse("launch by SEND_PCAS_B is not supported")),
            m if (cm::LOAD_INLINE_QMD_DATA
                ..cm::LOAD_INLINE_QMD_DATA + 4 * qmd::MAX_WORDS as u32)
                .contains(&m) =>
            {
                self.load_qmd(machine, core, class, m, data)
            }
            cm::SET_RENDER_ENABLE_C | cm::SET_GLOBAL_RENDER_ENABLE_C if data & 7 != 1 => {
                Err(refuse("conditional rendering is not supported"))
            }
            cm::SET_RENDER_ENABLE_OVERRIDE if data & 3 == 2 => {
                Err(refuse("NEVER_RENDER is not supported"))
            }
            cm::NOTIFY => Err(refuse("notify is not supported")),
            m if is_state(m) => {
                self.regs[(m / 4) as usize] = data;
                Ok(Flow::Continue)
            }
            _ => Err(refuse("unknown method")),
        }
    }

    // --- inline to memory

    fn begin_inline(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        data: u32,
    ) -> Result<Flow, Refusal> {
        let refuse = |reason: &str| Refusal::Method {
            class: 0,
            method: cm::LAUNCH_DMA,
            data,
            reason: format!("inline to memory: {reason}"),
        };
        if data & 1 == 0 {
            return Err(refuse("block-linear layout is not supported"));
        }
        if data & 2 != 0 {
            return Err(refuse("reductions of inline data are not supported"));
        }
        let bytes =
            u64::from(self.reg(cm::LINE_LENGTH_IN)) * u64::from(self.reg(cm::LINE_COUNT).max(1));
        if bytes > INLINE_MAX {
            return Err(refuse("more than 16 MiB of inline data"));
        }
        self.inline_launch = data;
        self.inline.clear();
        self.inline_words = bytes.div_ceil(4) as usize;
        if self.inline_words == 0 {
            self.end_inline(machine, core)
        } else {
            Ok(Flow::Continue)
        }
    }

    fn inline_data(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        data: u32,
    ) -> Result<Flow, Refusal> {
        if self.inline.len() >= self.inline_words {
            return Err(Refusal::Method {
                class: 0,
                method: cm::LOAD_INLINE_DATA,
                data,
                reason: "more inline data than LINE_LENGTH_IN x LINE_COUNT".to_string(),
            });
        }
        self.inline.push(data);
        if self.inline.len() == self.inline_words {
            self.end_inline(machine, core)
        } else {
            Ok(Flow::Continue)
        }
    }

    fn end_inline(&mut self, machine: &Machine, core: &Arc<ChannelCore>) -> Result<Flow, Refusal> {
        let bytes: Vec<u8> = self.inline.iter().flat_map(|w| w.to_le_bytes()).collect();
        let line = self.reg(cm::LINE_LENGTH_IN) as usize;
        let out = self.wide(cm::OFFSET_OUT_UPPER, cm::OFFSET_OUT);
        let pitch = u64::from(self.reg(cm::PITCH_OUT));
        for i in 0..self.reg(cm::LINE_COUNT).max(1) as usize {
            let data = &bytes[i * line..(i + 1) * line];
            access::write_bytes(out.wrapping_add(i as u64 * pitch), data)
                .map_err(by("inline to memory"))?;
        }
        self.inline.clear();
        self.inline_words = 0;
        if self.inline_launch >> 4 & 3 == 2 {
            let release = Release {
                address: self.wide(cm::SET_I2M_SEMAPHORE_A, cm::SET_I2M_SEMAPHORE_B),
                payload: u64::from(self.reg(cm::SET_I2M_SEMAPHORE_C)),
                wide: false,
                timestamp: self.inline_launch >> 12 & 1 == 0,
                reduction: None,
            };
            machine.release(core, &release, "inline to memory: semaphore")?;
        }
        if self.inline_launch >> 8 & 3 == 1 {
            machine.interrupt(core);
        }
        Ok(Flow::Continue)
    }

    // --- inline QMD

    fn load_qmd(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        class: u32,
        method: u32,
        data: u32,
    ) -> Result<Flow, Refusal> {
        let words = if self.reg(cm::SET_INLINE_QMD_ADDRESS_A) >> 30 & 1 == 1 {
            qmd::MAX_WORDS
        } else {
            qmd::V3_WORDS
        };
        let index = ((method - cm::LOAD_INLINE_QMD_DATA) / 4) as usize;
        if index == 0 {
            self.inline_qmd.clear();
        }
        if index != self.inline_qmd.len() || index >= words {
            return Err(Refusal::Method {
                class,
                method,
                data,
                reason: "inline QMD words must come once each and in order".to_string(),
            });
        }
        self.inline_qmd.push(data);
        if self.inline_qmd.len() < words {
            return Ok(Flow::Continue);
        }
        let at = (u64::from(self.reg(cm::SET_INLINE_QMD_ADDRESS_A) & 0x1ff) << 32
            | u64::from(self.reg(cm::SET_INLINE_QMD_ADDRESS_B)))
            << 8;
        let bytes: Vec<u8> = self
            .inline_qmd
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        access::write_bytes(at, &bytes).map_err(by("compute: inline QMD"))?;
        machine.launch(core, class, at)?;
        Ok(Flow::Continue)
    }

    // --- semaphores

    fn report(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        class: u32,
        data: u32,
    ) -> Result<Flow, Refusal> {
        let refuse = |reason: &str| Refusal::Method {
            class,
            method: cm::REPORT_SEMAPHORE_EXECUTE,
            data,
            reason: reason.to_string(),
        };
        let wide = data >> 12 & 1 == 1;
        let address = self.wide(
            cm::SET_REPORT_SEMAPHORE_ADDRESS_UPPER,
            cm::SET_REPORT_SEMAPHORE_ADDRESS_LOWER,
        );
        let mut payload = u64::from(self.reg(cm::SET_REPORT_SEMAPHORE_PAYLOAD_LOWER));
        if wide {
            payload |= u64::from(self.reg(cm::SET_REPORT_SEMAPHORE_PAYLOAD_UPPER)) << 32;
        }
        if data >> 13 & 3 != 0 {
            return Err(refuse("trapping semaphores are not supported"));
        }
        match data & 3 {
            0 => {}
            1 => {
                return Ok(Flow::Wait(Block::Acquire(Acquire {
                    address,
                    payload,
                    wide,
                    condition: Condition::Equal,
                })));
            }
            2 => return Err(refuse("report-only semaphores are not supported")),
            _ => return Err(refuse("trap operation is not supported")),
        }
        // A release at the end of the pipe: after all grids before it.
        if core.grids.load(Ordering::Acquire) != 0 {
            return Ok(Flow::Retry(Block::Idle));
        }
        let reduction = if data >> 6 & 1 == 1 {
            let op = Reduction::from_compute(data >> 7 & 7)
                .ok_or_else(|| refuse("unknown reduction"))?;
            Some((op, data >> 10 & 3 == 1))
        } else {
            None
        };
        let release = Release {
            address,
            payload,
            wide,
            timestamp: data >> 3 & 3 == 0,
            reduction,
        };
        machine.release(core, &release, "compute: report semaphore")?;
        if data >> 2 & 1 == 1 {
            machine.interrupt(core);
        }
        Ok(Flow::Continue)
    }

    fn old_report(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        class: u32,
        data: u32,
    ) -> Result<Flow, Refusal> {
        let refuse = |reason: &str| Refusal::Method {
            class,
            method: cm::SET_REPORT_SEMAPHORE_D,
            data,
            reason: reason.to_string(),
        };
        if data & 3 != 0 {
            return Err(refuse("this operation is not supported"));
        }
        if core.grids.load(Ordering::Acquire) != 0 {
            return Ok(Flow::Retry(Block::Idle));
        }
        let reduction = if data >> 3 & 1 == 1 {
            let op = Reduction::from_compute(data >> 9 & 7)
                .ok_or_else(|| refuse("unknown reduction"))?;
            Some((op, data >> 17 & 3 == 1))
        } else {
            None
        };
        let release = Release {
            address: self.wide(cm::SET_REPORT_SEMAPHORE_A, cm::SET_REPORT_SEMAPHORE_B),
            payload: u64::from(self.reg(cm::SET_REPORT_SEMAPHORE_C)),
            wide: false,
            timestamp: data >> 28 & 1 == 0,
            reduction,
        };
        machine.release(core, &release, "compute: report semaphore")?;
        if data >> 20 & 1 == 1 {
            machine.interrupt(core);
        }
        Ok(Flow::Continue)
    }
}

/// Puts class, method and data into a refusal that was made without them.
fn name(refusal: Refusal, class: u32, method: u32, data: u32) -> Refusal {
    match refusal {
        Refusal::Method { reason, .. } => Refusal::Method {
            class,
            method,
            data,
            reason,
        },
        other @ (Refusal::Memory { .. } | Refusal::Pushbuffer(_) | Refusal::Program { .. }) => {
            other
        }
    }
}

/// Methods of the inline-to-memory part.
fn is_inline(method: u32) -> bool {
    matches!(method, cm::NO_OPERATION | cm::LINE_LENGTH_IN..=cm::LOAD_INLINE_DATA | cm::SET_I2M_SEMAPHORE_A..=cm::SET_I2M_SEMAPHORE_C)
}

/// Methods that only keep a value, or that ask for caches to be invalidated, of which the SM has none.
fn is_state(m: u32) -> bool {
    is_inline(m)
        || matches!(
            m,
            cm::SET_NOTIFY_A
                | cm::SET_NOTIFY_B
                | cm::SET_GLOBAL_RENDER_ENABLE_A
                | cm::SET_GLOBAL_RENDER_ENABLE_B
                | cm::SET_GLOBAL_RENDER_ENABLE_C
                | cm::SEND_GO_IDLE
                | cm::PM_TRIGGER
                | cm::FE_ATOMIC_SEQUENCE_BEGIN
                | cm::FE_ATOMIC_SEQUENCE_END
                | cm::SET_INSTRUMENTATION_METHOD_HEADER
                | cm::SET_INSTRUMENTATION_METHOD_DATA
                | cm::SET_REPORT_SEMAPHORE_PAYLOAD_LOWER..=cm::SET_REPORT_SEMAPHORE_ADDRESS_UPPER
                | cm::SET_SM_SCG_CONTROL
                | cm::SET_VALID_SPAN_OVERFLOW_AREA_A
                | cm::SET_VALID_SPAN_OVERFLOW_AREA_B
                | cm::SET_VALID_SPAN_OVERFLOW_AREA_C
                | cm::SET_QMD_VIRTUALIZATION_BASE_A
                | cm::SET_QMD_VIRTUALIZATION_BASE_B
                | cm::INVALIDATE_TEXTURE_HEADER_CACHE_NO_WFI
                | cm::SET_CWD_REF_COUNTER
                | cm::SET_COMPUTE_CLASS_VERSION
                | cm::CHECK_COMPUTE_CLASS_VERSION
                | cm::SET_QMD_VERSION
                | cm::INVALIDATE_SKED_CACHES
                | cm::SET_SHADER_SHARED_MEMORY_WINDOW_A
                | cm::SET_SHADER_SHARED_MEMORY_WINDOW_B
                | cm::SET_CWD_SLOT_COUNT
                | cm::SEND_PCAS_A
                | cm::SET_SKED_CACHE_CONTROL
                | cm::SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A
                | cm::SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_B
                | cm::SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_C
                | cm::SET_SPA_VERSION
                | cm::SET_INLINE_QMD_ADDRESS_A
                | cm::SET_INLINE_QMD_ADDRESS_B
                | cm::SET_SHADER_LOCAL_MEMORY_A
                | cm::SET_SHADER_LOCAL_MEMORY_B
                | cm::SET_TEXTURE_HEADER_VERSION
                | cm::SET_SHADER_LOCAL_MEMORY_WINDOW_A
                | cm::SET_SHADER_LOCAL_MEMORY_WINDOW_B
                | cm::SET_MONITORED_FENCE_SIGNAL_ADDRESS_BASE_A
                | cm::SET_MONITORED_FENCE_SIGNAL_ADDRESS_BASE_B
                | cm::THROTTLE_SM
                | cm::SET_SHADER_CACHE_CONTROL
                | cm::SET_SCG_COMPUTE_SCHEDULING_PARAMETERS..=0xddc
                | cm::SET_SM_TIMEOUT_INTERVAL
                | cm::INVALIDATE_TEXTURE_DATA_CACHE_NO_WFI
                | cm::ACTIVATE_PERF_SETTINGS_FOR_COMPUTE_CONTEXT
                | cm::INVALIDATE_SAMPLER_CACHE
                | cm::INVALIDATE_TEXTURE_HEADER_CACHE
                | cm::INVALIDATE_TEXTURE_DATA_CACHE
                | cm::INVALIDATE_SAMPLER_CACHE_NO_WFI
                | cm::SET_SHADER_EXCEPTIONS
                | cm::SET_RENDER_ENABLE_A
                | cm::SET_RENDER_ENABLE_B
                | cm::SET_RENDER_ENABLE_C
                | cm::SET_TEX_SAMPLER_POOL_A
                | cm::SET_TEX_SAMPLER_POOL_B
                | cm::SET_TEX_SAMPLER_POOL_C
                | cm::SET_TEX_HEADER_POOL_A
                | cm::SET_TEX_HEADER_POOL_B
                | cm::SET_TEX_HEADER_POOL_C
                | cm::INVALIDATE_SHADER_CACHES_NO_WFI
                | cm::SET_RENDER_ENABLE_OVERRIDE
                | cm::SET_REPORT_SEMAPHORE_A
                | cm::SET_REPORT_SEMAPHORE_B
                | cm::SET_REPORT_SEMAPHORE_C
                | cm::SET_TRAP_HANDLER_A
                | cm::SET_TRAP_HANDLER_B
                | cm::SET_BINDLESS_TEXTURE
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pcas_actions() {
        for code in [2, 3, 9, 0xa, 0xb] {
            assert_eq!(pcas_action(code), PcasAction::Schedule);
        }
        assert_eq!(pcas_action(6), PcasAction::Unsupported);
        assert_eq!(pcas_action(7), PcasAction::DecrementDependence);
    }

    #[test]
    fn state_methods_fit_the_register_file() {
        for m in (0..0x4000).step_by(4) {
            assert!(!is_state(m) || ((m / 4) as usize) < REGS, "{m:#x}");
        }
    }
}
