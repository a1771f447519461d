//! Copy class (`AMPERE_DMA_COPY_A/B`, `HOPPER_DMA_COPY_A`): pitch copies in one and two dimensions, remap and memset,
//! semaphores. What it does not do, it refuses by name.

use crate::access::{self, AccessFault, Width};
use crate::channel::{Block, ChannelCore, Flow};
use crate::fault::{Refusal, by};
use crate::host_memory;
use crate::machine::Machine;
use crate::semaphore::{Reduction, Release};
use abi::nv::methods::dma;
use core::sync::atomic::Ordering;
use std::sync::Arc;

/// Bytes above which a copy is spread over the workers.
pub const SPLIT_ABOVE: u64 = 512 << 10;
/// Bytes that a worker takes at a time.
const CHUNK: u64 = 256 << 10;
/// Bytes of a whole copy from which the destination bypasses the caches.
const STREAM_ABOVE: u64 = 8 << 20;

/// Source of a component in a remap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Component n of the source element.
    Source(u32),
    /// A constant, its low bytes.
    Constant(u32),
    /// Left as it is.
    Keep,
}

/// What is done to each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Bytes as they are; the line length is in bytes.
    Plain,
    /// Elements of `components` × `size` bytes are built anew; the line length is in elements.
    Remap {
        /// Bytes of a component, 1 to 4.
        size: u32,
        /// Components of a source element.
        sources: u32,
        /// Destination components, `count` of them are used.
        to: [Component; 4],
        /// Components of a destination element.
        count: u32,
    },
}

/// A copy, ready to run in any order of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Source address.
    pub src: u64,
    /// Destination address.
    pub dst: u64,
    /// Bytes from one source line to the next.
    pub src_pitch: u64,
    /// Bytes from one destination line to the next.
    pub dst_pitch: u64,
    /// Length of a line: bytes ([`Transform::Plain`]) or elements.
    pub line: u64,
    /// Lines.
    pub lines: u64,
    /// What is done.
    pub transform: Transform,
}

impl Job {
    /// Source and destination bytes of one unit of `line`.
    fn unit(&self) -> (u64, u64) {
        match self.transform {
            Transform::Plain => (1, 1),
            Transform::Remap {
                size,
                sources,
                count,
                ..
            } => (u64::from(size * sources), u64::from(size * count)),
        }
    }

    /// Bytes written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.line
            .saturating_mul(self.unit().1)
            .saturating_mul(self.lines)
    }

    /// The same job with lines that follow each other joined into one.
    #[must_use]
    pub fn joined(mut self) -> Job {
        let (s, d) = self.unit();
        let reads = self.reads();
        if self.lines > 1
            && self.dst_pitch == self.line * d
            && (!reads || self.src_pitch == self.line * s)
            && let Some(line) = self.line.checked_mul(self.lines)
        {
            self.line = line;
            self.lines = 1;
        }
        self
    }

    /// Whether the source is read at all.
    fn reads(&self) -> bool {
        match self.transform {
            Transform::Plain => true,
            Transform::Remap { to, count, .. } => to
                .iter()
                .take(count as usize)
                .any(|c| matches!(c, Component::Source(_))),
        }
    }

    /// How the job falls into parts: units of a line per part, parts per line, lines per part.
    fn split(&self) -> (u64, u64, u64) {
        let per_line = (CHUNK / self.unit().1.max(1)).max(1);
        if self.line >= per_line {
            (per_line, self.line.div_ceil(per_line), 1)
        } else {
            (self.line, 1, (per_line / self.line.max(1)).max(1))
        }
    }

    /// Number of parts.
    #[must_use]
    pub fn parts(&self) -> u64 {
        let (_, parts, lines) = self.split();
        if self.line == 0 {
            0
        } else {
            parts * self.lines.div_ceil(lines)
        }
    }

    /// Does part `index`.
    ///
    /// # Errors
    /// The first address that is not mapped.
    pub fn run_part(&self, index: u64) -> Result<(), AccessFault> {
        let (units, parts, lines) = self.split();
        let stream = self.bytes() >= STREAM_ABOVE;
        let (group, part) = (index / parts, index % parts);
        let first = part * units;
        let length = units.min(self.line - first);
        for line in group * lines..((group + 1) * lines).min(self.lines) {
            self.run_line(line, first, length, stream)?;
        }
        Ok(())
    }

    /// Does everything on the calling thread.
    ///
    /// # Errors
    /// As [`Job::run_part`].
    pub fn run(&self) -> Result<(), AccessFault> {
        for part in 0..self.parts() {
            self.run_part(part)?;
        }
        Ok(())
    }

    fn run_line(
        &self,
        line: u64,
        first: u64,
        length: u64,
        stream: bool,
    ) -> Result<(), AccessFault> {
        let (s, d) = self.unit();
        let src = self
            .src
            .wrapping_add(line.wrapping_mul(self.src_pitch))
            .wrapping_add(first * s);
        let dst = self
            .dst
            .wrapping_add(line.wrapping_mul(self.dst_pitch))
            .wrapping_add(first * d);
        let Transform::Remap {
            size,
            sources,
            to,
            count,
        } = self.transform
        else {
            return access::copy(dst, src, length, stream)
                .or_else(|fault| host_memory::copy(dst, src, length, fault));
        };
        if let Some((width, value)) = self.pattern() {
            return access::fill(dst, width, value, length * d / width as u64, stream);
        }
        // The general case, by elements: rare and small in practice.
        let reads = self.reads();
        let mut element = [0u8; 16];
        let mut out = [0u8; 16];
        for i in 0..length {
            if reads {
                access::read_bytes(
                    src.wrapping_add(i * s),
                    &mut element[..(size * sources) as usize],
                )?;
            }
            let at = dst.wrapping_add(i * d);
            for (c, component) in to.iter().take(count as usize).enumerate() {
                let n = size as usize;
                let bytes = &mut out[c * n..(c + 1) * n];
                match *component {
                    Component::Source(k) => {
                        let k = k as usize;
                        // A component that the source element does not have reads as zero.
                        match element.get(k * n..(k + 1) * n) {
                            Some(from) if k < sources as usize => bytes.copy_from_slice(from),
                            _ => bytes.fill(0),
                        }
                    }
                    Component::Constant(value) => bytes.copy_from_slice(&value.to_le_bytes()[..n]),
                    Component::Keep => continue,
                }
                access::write_bytes(at.wrapping_add((c * n) as u64), bytes)?;
            }
        }
        Ok(())
    }

    /// If every destination element is the same constant of 1, 2, 4 or 8 bytes: that.
    fn pattern(&self) -> Option<(Width, u64)> {
        let Transform::Remap {
            size, to, count, ..
        } = self.transform
        else {
            return None;
        };
        let mut bytes = [0u8; 16];
        for (c, component) in to.iter().take(count as usize).enumerate() {
            let Component::Constant(value) = component else {
                return None;
            };
            let n = size as usize;
            bytes[c * n..(c + 1) * n].copy_from_slice(&value.to_le_bytes()[..n]);
        }
        let total = (size * count) as usize;
        let mut narrow = [0u8; 8];
        let period = (1..=total)
            .find(|&p| total.is_multiple_of(p) && (p..total).all(|i| bytes[i] == bytes[i - p]))?;
        let width = match period {
            1 => Width::One,
            2 => Width::Two,
            4 => Width::Four,
            8 => Width::Eight,
            _ => return None,
        };
        narrow[..period].copy_from_slice(&bytes[..period]);
        Some((width, u64::from_le_bytes(narrow)))
    }
}

/// State of the class on one channel.
#[derive(Debug)]
pub struct Copy {
    regs: Box<[u32; 0x800 / 4]>,
}

impl Default for Copy {
    fn default() -> Copy {
        Copy {
            regs: Box::new([0; 0x800 / 4]),
        }
    }
}

/// `LAUNCH_DMA` bits.
mod launch {
    pub const FLUSH: u32 = 1 << 2;
    pub const SRC_PITCH: u32 = 1 << 7;
    pub const DST_PITCH: u32 = 1 << 8;
    pub const MULTI_LINE: u32 = 1 << 9;
    pub const REMAP: u32 = 1 << 10;
    pub const SRC_PHYSICAL: u32 = 1 << 12;
    pub const DST_PHYSICAL: u32 = 1 << 13;
    pub const REDUCTION_UNSIGNED: u32 = 1 << 18;
    pub const REDUCTION: u32 = 1 << 19;
    pub const SCRUB: u32 = 1 << 23;
    pub const TWO_WORD_PAYLOAD: u32 = 1 << 27;
}

impl Copy {
    fn reg(&self, method: u32) -> u32 {
        self.regs[(method / 4) as usize]
    }

    fn wide(&self, upper: u32, lower: u32) -> u64 {
        u64::from(self.reg(upper)) << 32 | u64::from(self.reg(lower))
    }

    /// Executes a method of the class.
    ///
    /// # Errors
    /// Unknown methods, unsupported modes, faults of the copy engine.
    pub fn method(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        method: u32,
        data: u32,
    ) -> Result<Flow, Refusal> {
        match method {
            dma::NOP | dma::PM_TRIGGER => Ok(Flow::Continue),
            dma::SET_SEMAPHORE_A..=dma::SET_SEMAPHORE_PAYLOAD_UPPER
            | dma::SET_SRC_PHYS_MODE
            | dma::SET_DST_PHYS_MODE
            | dma::OFFSET_IN_UPPER..=dma::LINE_COUNT
            | dma::SET_REMAP_CONST_A
            | dma::SET_REMAP_CONST_B
            | dma::SET_REMAP_COMPONENTS
            | dma::SET_DST_BLOCK_SIZE..=dma::SET_DST_ORIGIN
            | dma::SET_SRC_BLOCK_SIZE..=dma::SET_SRC_ORIGIN
            | dma::SRC_ORIGIN_X..=dma::DST_ORIGIN_Y
            | dma::SET_MONITORED_FENCE_TYPE..=dma::SET_MONITORED_FENCE_SIGNAL_ADDR_BASE_LOWER => {
                self.regs[(method / 4) as usize] = data;
                Ok(Flow::Continue)
            }
            dma::SET_RENDER_ENABLE_A | dma::SET_RENDER_ENABLE_B => {
                self.regs[(method / 4) as usize] = data;
                Ok(Flow::Continue)
            }
            dma::SET_RENDER_ENABLE_C if data & 7 == 1 => Ok(Flow::Continue),
            dma::SET_RENDER_ENABLE_C => {
                Err(self.refuse(method, data, "conditional copies are not supported"))
            }
            dma::LAUNCH_DMA => self.launch(machine, core, data),
            _ => Err(self.refuse(method, data, "unknown or unsupported method")),
        }
    }

    fn refuse(&self, method: u32, data: u32, reason: &str) -> Refusal {
        Refusal::Method {
            class: 0xb5,
            method,
            data,
            reason: format!("copy engine: {reason}"),
        }
    }

    fn launch(
        &mut self,
        machine: &Machine,
        core: &Arc<ChannelCore>,
        data: u32,
    ) -> Result<Flow, Refusal> {
        let refuse = |reason: &str| self.refuse(dma::LAUNCH_DMA, data, reason);
        if core.grids.load(Ordering::Acquire) != 0 {
            // Compute and copies of one channel: the engine change waits for idle.
            return Ok(Flow::Retry(Block::Idle));
        }
        if data >> 20 & 3 != 0 {
            return Err(refuse("secure copies are not supported"));
        }
        if data & launch::SCRUB != 0 {
            return Err(refuse("memory scrub is not supported"));
        }
        let release = match data >> 3 & 3 {
            0 => None,
            3 => return Err(refuse("conditional interrupt semaphores are not supported")),
            kind => Some(self.release(data, kind == 2)?),
        };
        let interrupt = data >> 5 & 3 != 0;
        let _ordered = data & launch::FLUSH;
        let finish = |core: &ChannelCore| -> Result<Flow, Refusal> {
            machine.finish_copy(core, release, interrupt)?;
            Ok(Flow::Continue)
        };
        match data & 3 {
            0 => return finish(core),
            3 => return Err(refuse("data transfer type 3 does not exist")),
            _ => {}
        }
        if data & (launch::SRC_PHYSICAL | launch::DST_PHYSICAL) != 0 {
            return Err(refuse("physical addresses are not supported"));
        }
        let job = self.job(data)?;
        if data & launch::DST_PITCH == 0 || (job.reads() && data & launch::SRC_PITCH == 0) {
            return Err(refuse("block-linear layout is not supported"));
        }
        if job.bytes() <= SPLIT_ABOVE {
            job.run().map_err(by("copy engine"))?;
            return finish(core);
        }
        machine.start_copy(core, job);
        Ok(Flow::Wait(Block::Copy {
            after: release,
            interrupt,
        }))
    }

    fn job(&self, data: u32) -> Result<Job, Refusal> {
        let transform = if data & launch::REMAP == 0 {
            Transform::Plain
        } else {
            let c = self.reg(dma::SET_REMAP_COMPONENTS);
            let component = |code: u32| match code {
                0..=3 => Some(Component::Source(code)),
                4 => Some(Component::Constant(self.reg(dma::SET_REMAP_CONST_A))),
                5 => Some(Component::Constant(self.reg(dma::SET_REMAP_CONST_B))),
                6 => Some(Component::Keep),
                _ => None,
            };
            let mut to = [Component::Keep; 4];
            let count = (c >> 24 & 3) + 1;
            for (slot, shift) in to.iter_mut().zip([0, 4, 8, 12]).take(count as usize) {
                *slot = component(c >> shift & 7).ok_or_else(|| {
                    self.refuse(dma::SET_REMAP_COMPONENTS, c, "component 7 does not exist")
                })?;
            }
            Transform::Remap {
                size: (c >> 16 & 3) + 1,
                sources: (c >> 20 & 3) + 1,
                to,
                count,
            }
        };
        let pitch = |method: u32| i64::from(self.reg(method).cast_signed()).cast_unsigned();
        let multi = data & launch::MULTI_LINE != 0;
        Ok(Job {
            src: self.wide(dma::OFFSET_IN_UPPER, dma::OFFSET_IN_LOWER),
            dst: self.wide(dma::OFFSET_OUT_UPPER, dma::OFFSET_OUT_LOWER),
            src_pitch: pitch(dma::PITCH_IN),
            dst_pitch: pitch(dma::PITCH_OUT),
            line: u64::from(self.reg(dma::LINE_LENGTH_IN)),
            lines: if multi {
                u64::from(self.reg(dma::LINE_COUNT))
            } else {
                1
            },
            transform,
        }
        .joined())
    }

    fn release(&self, data: u32, timestamp: bool) -> Result<Release, Refusal> {
        let wide = data & launch::TWO_WORD_PAYLOAD != 0;
        let mut payload = u64::from(self.reg(dma::SET_SEMAPHORE_PAYLOAD));
        if wide {
            payload |= u64::from(self.reg(dma::SET_SEMAPHORE_PAYLOAD_UPPER)) << 32;
        }
        let reduction = if data & launch::REDUCTION == 0 {
            None
        } else {
            let op = Reduction::from_host(data >> 14 & 15).ok_or_else(|| {
                self.refuse(
                    dma::LAUNCH_DMA,
                    data,
                    "this semaphore reduction is not supported",
                )
            })?;
            Some((op, data & launch::REDUCTION_UNSIGNED == 0))
        };
        Ok(Release {
            address: self.wide(dma::SET_SEMAPHORE_A, dma::SET_SEMAPHORE_B),
            payload,
            wide,
            timestamp,
            reduction,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reference: one byte at a time.
    fn model(job: &Job, src: &[u8], dst: &mut [u8]) {
        let (s, d) = job.unit();
        for l in 0..job.lines {
            for u in 0..job.line {
                let from = (l * job.src_pitch + u * s) as usize;
                let at = (l * job.dst_pitch + u * d) as usize;
                match job.transform {
                    Transform::Plain => dst[at] = src[from],
                    Transform::Remap {
                        size,
                        sources,
                        to,
                        count,
                    } => {
                        let n = size as usize;
                        for c in 0..count as usize {
                            for b in 0..n {
                                match to[c] {
                                    Component::Keep => {}
                                    Component::Constant(v) => {
                                        dst[at + c * n + b] = v.to_le_bytes()[b]
                                    }
                                    Component::Source(k) => {
                                        dst[at + c * n + b] = if k < sources {
                                            src[from + k as usize * n + b]
                                        } else {
                                            0
                                        };
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn component() -> impl Strategy<Value = Component> {
        prop_oneof![
            (0u32..4).prop_map(Component::Source),
            any::<u32>().prop_map(Component::Constant),
            Just(Component::Keep)
        ]
    }

    fn transform() -> impl Strategy<Value = Transform> {
        prop_oneof![
            Just(Transform::Plain),
            (
                1u32..5,
                1u32..5,
                [component(), component(), component(), component()],
                1u32..5
            )
                .prop_map(|(size, sources, to, count)| Transform::Remap {
                    size,
                    sources,
                    to,
                    count
                }),
            (1u32..5, any::<u32>(), 1u32..5).prop_map(|(size, v, count)| Transform::Remap {
                size,
                sources: 1,
                to: [Component::Constant(v); 4],
                count
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn jobs_agree_with_the_model(t in transform(), line in 0u64..700, lines in 1u64..6,
                                     extra_s in 0u64..40, extra_d in 0u64..40, seed in any::<u8>()) {
            let mut job = Job { src: 0, dst: 0, src_pitch: 0, dst_pitch: 0, line, lines, transform: t };
            let (s, d) = job.unit();
            job.src_pitch = line * s + extra_s;
            job.dst_pitch = line * d + extra_d;
            let src: Vec<u8> = (0..job.src_pitch * lines + 64).map(|i| (i as u8).wrapping_mul(7).wrapping_add(seed)).collect();
            let mut dst: Vec<u8> = (0..job.dst_pitch * lines + 64).map(|i| i as u8).collect();
            let mut want = dst.clone();
            model(&job, &src, &mut want);
            job.src = src.as_ptr() as u64;
            job.dst = dst.as_mut_ptr() as u64;
            job.joined().run().expect("mapped");
            prop_assert_eq!(dst, want);
        }
    }

    #[test]
    fn parts_cover_big_jobs_once() {
        let n = 3 * CHUNK + 12345;
        let src: Vec<u8> = (0..n).map(|i| ((i * 31) >> 3) as u8).collect();
        let mut dst = vec![0u8; n as usize + 1];
        let job = Job {
            src: src.as_ptr() as u64,
            dst: dst.as_mut_ptr() as u64 + 1,
            src_pitch: 0,
            dst_pitch: 0,
            line: n,
            lines: 1,
            transform: Transform::Plain,
        };
        assert_eq!(job.parts(), 4);
        for part in [2, 0, 3, 1] {
            job.run_part(part).expect("mapped");
        }
        assert_eq!(src, dst[1..]);
    }

    #[test]
    fn streaming_copies_any_alignment() {
        let n = 1 << 20;
        let src: Vec<u8> = (0..n + 100).map(|i: u32| ((i * 131) >> 5) as u8).collect();
        let mut dst = vec![0u8; n as usize + 100];
        for (a, b) in [(0, 0), (1, 3), (31, 64), (17, 17)] {
            dst.fill(0);
            access::copy(
                dst.as_mut_ptr() as u64 + b,
                src.as_ptr() as u64 + a,
                u64::from(n),
                true,
            )
            .expect("mapped");
            assert_eq!(
                src[a as usize..][..n as usize],
                dst[b as usize..][..n as usize]
            );
            assert!(dst[b as usize + n as usize..].iter().all(|&x| x == 0));
        }
    }

    #[test]
    fn streaming_fills_keep_the_phase() {
        for width in [Width::One, Width::Two, Width::Four, Width::Eight] {
            for offset in 0..17 {
                let mut memory = vec![0u8; 10_000];
                let count = 8192 / width as u64;
                let at = memory.as_mut_ptr() as u64 + offset;
                access::fill(at, width, 0x0807_0605_0403_0201, count, true).expect("mapped");
                let w = width as usize;
                for (i, &b) in memory[offset as usize..offset as usize + 8192]
                    .iter()
                    .enumerate()
                {
                    assert_eq!(usize::from(b), i % w + 1, "byte {i}");
                }
                assert!(memory[offset as usize + 8192..].iter().all(|&b| b == 0));
            }
        }
    }
}
