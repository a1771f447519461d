//! The functions of the device runtime ([`abi::device_runtime`]) as code calls them, thread by thread.

use crate::access::{self, AccessFault};
use crate::fault::Refusal;
use crate::machine::Machine;
use crate::qmd::{ConstantBuffer, Launch};
use crate::sm::cta::Running;
use crate::sm::family::{
    Child, Item, Kept, Move, Parameters, Pending, Place, Source, StreamKey, Ticket,
};
use crate::sm::scheduler::{Grid, Task};
use crate::sm::services::{lanes, trap_now};
use abi::device_runtime::{Function, Head, Kernel, MAX_PARAMS, SmLimits};
use abi::sm::{CtaContext, DriverConstants, trap};
use core::mem::offset_of;
use core::sync::atomic::{AtomicU64, Ordering};
use cuda_abi::runtime::{self as error, CudaError};
use std::sync::Arc;

/// Kernels may be nested this deep (CUDA C++ Programming Guide 13.0, "Nesting Depth").
const MAX_DEPTH: u32 = 24;
/// Largest grid.
const GRID_MAX: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
/// Largest block in each direction.
const BLOCK_MAX: [u32; 3] = [1024, 1024, 64];
/// `cudaStreamNonBlocking`
const NON_BLOCKING: u64 = 1;
/// `cudaEventDisableTiming`
const DISABLE_TIMING: u64 = 2;
/// Rows of the table of limits.
const LIMITS: u64 = 7;
/// Numbers of grids that kernels launch: away from the driver's.
static GRIDS: AtomicU64 = AtomicU64::new(1 << 40);

/// Why a function gives no answer.
enum Stop {
    /// An error code for the program.
    Error(CudaError),
    /// Code passed an address where nothing is.
    Memory(AccessFault),
    /// The work itself failed.
    Refused(Refusal),
}

impl From<CudaError> for Stop {
    fn from(error: CudaError) -> Stop {
        Stop::Error(error)
    }
}

impl From<AccessFault> for Stop {
    fn from(fault: AccessFault) -> Stop {
        Stop::Memory(fault)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

type Answer<T = ()> = Result<T, Stop>;

/// The thread that calls.
struct Caller<'a> {
    machine: &'static Machine,
    task: &'a Arc<Task>,
    grid: &'a Grid,
    /// Its block's number in the grid.
    block: u64,
    /// Its number in the block.
    thread: u32,
}

/// [`abi::sm::Helpers::device_runtime`]
pub(super) extern "C" fn call(
    ctx: *const CtaContext,
    warp: u32,
    mask: u32,
    function: u32,
    arguments: *const [u64; 32],
    results: *mut [u64; 32],
) {
    // SAFETY: code passes the context it was given, on the thread that runs it.
    let running = unsafe { Running::from_context(ctx) };
    let Some(function) = Function::numbered(function) else {
        trap_now(ctx, warp, trap::ILLEGAL_INSTRUCTION, mask, 0, 0);
        return;
    };
    for lane in lanes(mask) {
        let mut words = [0; MAX_PARAMS];
        for (row, word) in words.iter_mut().take(function.params().len()).enumerate() {
            // SAFETY: the contract: as many rows as the function has words, of 32 lanes each.
            *word = unsafe { (&raw const (*arguments.add(row))[lane]).read_unaligned() };
        }
        match answer(running, warp, lane as u32, function, &words) {
            // SAFETY: the contract: a row of 32 lanes.
            Ok(value) => unsafe { (&raw mut (*results)[lane]).write_unaligned(value) },
            Err(address) => {
                let kind = if address == 0 {
                    trap::TRAP
                } else {
                    trap::OUT_OF_RANGE
                };
                trap_now(ctx, warp, kind, 1 << lane, address, 0);
                return;
            }
        }
    }
}

/// What a function returns to a thread, or the address at which it must stop.
fn answer(
    running: Running,
    warp: u32,
    lane: u32,
    function: Function,
    words: &[u64; MAX_PARAMS],
) -> Result<u64, u64> {
    let thread = warp * 32 + lane;
    let (machine, task, ctaid, gridid) =
        running.with(|cta| (cta.machine, cta.task.clone(), cta.ctx.ctaid, cta.ctx.gridid));
    let Some(task) = task else { return Err(0) };
    let Some(grid) = task.grid() else {
        return Err(0);
    };
    let [x, y, z] = ctaid.map(u64::from);
    let [nx, ny, _] = grid.dims.map(u64::from);
    let caller = Caller {
        machine,
        task: &task,
        grid,
        block: x + nx * (y + ny * z),
        thread,
    };
    let last = |new: Option<u32>| {
        running.with(|cta| {
            let errors = cta.errors.of(gridid, ctaid);
            match new {
                Some(code) => errors.insert(thread, code),
                None => errors.remove(&thread),
            }
        })
    };
    let stopped = |stop| match stop {
        Stop::Error(error) => {
            last(Some(error.code().cast_unsigned()));
            Ok(u64::from(error.code().cast_unsigned()))
        }
        Stop::Memory(fault) => Err(fault.address.max(1)),
        Stop::Refused(refusal) => {
            machine.die(refusal.into_fault(task.core().chid));
            Err(0)
        }
    };
    match function {
        Function::GetLastError => Ok(last(None).unwrap_or(0).into()),
        Function::PeekAtLastError => Ok(running.with(|cta| {
            let errors = cta.errors.of(gridid, ctaid);
            errors.get(&thread).copied().unwrap_or(0).into()
        })),
        Function::GetErrorString => Ok(text(words[0], error::SUCCESS_TEXT, CudaError::text)),
        Function::GetErrorName => Ok(text(words[0], error::SUCCESS_NAME, CudaError::name)),
        Function::GetParameterBuffer | Function::GetParameterBufferV2 => {
            let buffer = if function == Function::GetParameterBuffer {
                caller.buffer(words[1])
            } else {
                let launch = (words[0], dims(words, 1), dims(words, 4), words[7] as u32);
                caller.buffer_for(launch)
            };
            match buffer {
                Ok(address) => Ok(address),
                // There is no buffer; the code asks for the last error.
                Err(stop) => stopped(stop).map(|_| 0),
            }
        }
        _ => match caller.run(function, words) {
            Ok(()) => Ok(0),
            Err(stop) => stopped(stop),
        },
    }
}

fn text(
    code: u64,
    success: &'static core::ffi::CStr,
    of: fn(CudaError) -> &'static core::ffi::CStr,
) -> u64 {
    let code = (code as u32).cast_signed();
    let text = if code == 0 {
        success
    } else {
        CudaError::from_code(code).map_or(error::UNRECOGNIZED, of)
    };
    text.as_ptr().expose_provenance() as u64
}

/// A `dim3` whose words begin at `at`.
fn dims(words: &[u64; MAX_PARAMS], at: usize) -> [u32; 3] {
    [0, 1, 2].map(|i| words[at + i] as u32)
}

fn put32(at: u64, value: u32) -> Answer {
    Ok(access::write_as_kernel(at, &value.to_le_bytes())?)
}

fn put64(at: u64, value: u64) -> Answer {
    Ok(access::write_as_kernel(at, &value.to_le_bytes())?)
}

fn load32(at: u64) -> Answer<u32> {
    let mut bytes = [0; 4];
    access::read_as_kernel(at, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn load64(at: u64) -> Answer<u64> {
    let mut bytes = [0; 8];
    access::read_as_kernel(at, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

impl Caller<'_> {
    fn head(&self) -> Answer<u64> {
        match self.grid.constants.runtime {
            // Code that was linked by someone else, without what a launch needs.
            0 => Err(CudaError::InvalidDeviceFunction.into()),
            at => Ok(at),
        }
    }

    fn head32(&self, offset: usize) -> Answer<u32> {
        load32(self.head()? + offset as u64)
    }

    /// A limit by `cudaLimit`.
    fn limit(&self, limit: u64) -> Answer<u64> {
        if limit >= LIMITS {
            return Err(CudaError::UnsupportedLimit.into());
        }
        load64(self.head()? + offset_of!(Head, limits) as u64 + limit * 8)
    }

    /// The row of a kernel by its address in code.
    fn kernel(&self, token: u64) -> Answer<Kernel> {
        let head = self.head()?;
        let rows = head + size_of::<Head>() as u64;
        for row in 0..u64::from(self.head32(offset_of!(Head, kernels))?) {
            let at = rows + row * size_of::<Kernel>() as u64;
            if load64(at)? == token {
                let word = |offset: usize| load32(at + offset as u64);
                return Ok(Kernel {
                    token,
                    image: load64(at + offset_of!(Kernel, image) as u64)?,
                    shared: word(offset_of!(Kernel, shared))?,
                    max_dynamic_shared: word(offset_of!(Kernel, max_dynamic_shared))?,
                    max_threads: word(offset_of!(Kernel, max_threads))?,
                    registers: word(offset_of!(Kernel, registers))?,
                    local: word(offset_of!(Kernel, local))?,
                    params: word(offset_of!(Kernel, params))?,
                    ptx_version: word(offset_of!(Kernel, ptx_version))?,
                    binary_version: word(offset_of!(Kernel, binary_version))?,
                });
            }
        }
        Err(CudaError::InvalidDeviceFunction.into())
    }

    fn ticket(&self) -> Answer<Ticket> {
        /// `cudaLimitDevRuntimePendingLaunchCount`
        const PENDING_LAUNCHES: u64 = 4;
        let limit = self.limit(PENDING_LAUNCHES)?;
        Ticket::take(&self.machine.children, limit)
            .ok_or_else(|| CudaError::LaunchPendingCountExceeded.into())
    }

    fn buffer(&self, bytes: u64) -> Answer<u64> {
        if bytes > u64::from(abi::sm::PARAM_MAX) {
            return Err(CudaError::InvalidValue.into());
        }
        let ticket = self.ticket()?;
        Ok(self.grid.family().keep(Pending {
            launch: None,
            params: Parameters::new(bytes as usize),
            ticket,
        }))
    }

    fn buffer_for(&self, launch: (u64, [u32; 3], [u32; 3], u32)) -> Answer<u64> {
        let kernel = self.check(launch)?;
        let ticket = self.ticket()?;
        Ok(self.grid.family().keep(Pending {
            launch: Some(launch),
            params: Parameters::new(kernel.params as usize),
            ticket,
        }))
    }

    /// Whether a launch is possible.
    fn check(
        &self,
        (token, grid, block, shared): (u64, [u32; 3], [u32; 3], u32),
    ) -> Answer<Kernel> {
        let kernel = self.kernel(token)?;
        let within =
            |dims: [u32; 3], max: [u32; 3]| dims.iter().zip(max).all(|(d, m)| (1..=m).contains(d));
        let threads = block.iter().map(|&d| u64::from(d)).product::<u64>();
        if !within(grid, GRID_MAX)
            || !within(block, BLOCK_MAX)
            || threads > u64::from(kernel.max_threads)
        {
            return Err(CudaError::InvalidConfiguration.into());
        }
        if shared > kernel.max_dynamic_shared {
            return Err(CudaError::InvalidValue.into());
        }
        if self.grid.depth >= MAX_DEPTH {
            return Err(CudaError::LaunchMaxDepthExceeded.into());
        }
        Ok(kernel)
    }

    /// Where a stream's handle leads. `own`: 0 is the thread's stream, not the block's.
    fn place(&self, handle: u64, own: bool) -> Answer<Place> {
        Ok(match handle {
            0 if own => Place::Stream(StreamKey::Thread(self.block, self.thread)),
            // `cudaStreamLegacy`
            0 | 1 => Place::Stream(StreamKey::Block(self.block)),
            // `cudaStreamPerThread`
            2 => Place::Stream(StreamKey::Thread(self.block, self.thread)),
            3 => Place::Tail,
            4 => Place::FireAndForget,
            handle if self.grid.family().has_stream(handle) => {
                Place::Stream(StreamKey::Created(handle))
            }
            _ => return Err(CudaError::InvalidResourceHandle.into()),
        })
    }

    fn put(&self, place: Place, item: Item) -> Answer {
        Ok(self.machine.put(self.task, place, item)?)
    }

    fn launch(
        &self,
        buffer: u64,
        place: Place,
        given: Option<(u64, [u32; 3], [u32; 3], u32)>,
    ) -> Answer {
        let Some(Pending {
            launch,
            params,
            ticket,
        }) = self.grid.family().take(buffer)
        else {
            return Err(CudaError::InvalidValue.into());
        };
        let Some(launch) = launch.or(given) else {
            return Err(CudaError::InvalidValue.into());
        };
        let kernel = self.check(launch)?;
        if params.bytes() < kernel.params as usize {
            return Err(CudaError::InvalidValue.into());
        }
        let (_, grid, block, shared) = launch;
        let shared_bytes = (kernel.shared + shared).next_multiple_of(128);
        let bank = ConstantBuffer {
            address: params.address(),
            bytes: u32::MAX,
        };
        let mut constants = [ConstantBuffer::default(); 8];
        constants[0] = bank;
        let program = self
            .machine
            .program(&Launch {
                grid,
                block,
                program: kernel.image,
                shared_bytes,
                constants,
                releases: [None; 3],
                dependents: [None; 2],
                cluster: [1; 3],
                null: false,
                sequential: false,
            })
            .map_err(|error| {
                self.machine
                    .link
                    .log(&format!("launch by a kernel: {error}"));
                CudaError::LaunchFailure
            })?;
        let own = self.grid.constants;
        let child = Child {
            program,
            grid,
            block,
            shared_bytes,
            kept: Kept {
                params,
                constants: Box::new(DriverConstants {
                    gridid: GRIDS.fetch_add(1, Ordering::Relaxed),
                    dynamic_shared: shared,
                    grid_workspace: 0,
                    // A green context's SMs, but not the parent's being cooperative.
                    launch_flags: own.launch_flags & !1,
                    ..own
                }),
                ticket,
            },
        };
        self.put(place, Item::Launch(child))
    }

    fn run(&self, function: Function, w: &[u64; MAX_PARAMS]) -> Answer {
        use Function as F;
        let own = function.name().ends_with("_ptsz");
        match function {
            F::DeviceGetAttribute => {
                let (attribute, device) = (w[1] as u32, w[2] as u32);
                if device != self.head32(offset_of!(Head, device))? {
                    return Err(CudaError::InvalidDevice.into());
                }
                if attribute == 0 || attribute >= self.head32(offset_of!(Head, attributes))? {
                    return Err(CudaError::InvalidValue.into());
                }
                let rows = u64::from(self.head32(offset_of!(Head, kernels))?);
                let table =
                    self.head()? + size_of::<Head>() as u64 + rows * size_of::<Kernel>() as u64;
                put32(w[0], load32(table + 4 * u64::from(attribute))?)
            }
            F::DeviceGetLimit => put64(w[0], self.limit(u64::from(w[1] as u32))?),
            // No preference, which is all there is.
            F::DeviceGetCacheConfig => put32(w[0], 0),
            // Banks of four bytes.
            F::DeviceGetSharedMemConfig => put32(w[0], 1),
            F::GetDeviceCount => put32(w[0], self.head32(offset_of!(Head, devices))?),
            F::GetDevice => put32(w[0], self.head32(offset_of!(Head, device))?),
            F::RuntimeGetVersion => put32(w[0], self.head32(offset_of!(Head, version))?),
            F::StreamCreateWithFlags => {
                if w[1] != NON_BLOCKING {
                    return Err(CudaError::InvalidValue.into());
                }
                put64(w[0], self.grid.family().create_stream())
            }
            F::StreamDestroy => self.known(self.grid.family().destroy_stream(w[0])),
            F::EventCreateWithFlags => {
                if w[1] & DISABLE_TIMING == 0 || w[1] > 7 {
                    return Err(CudaError::InvalidValue.into());
                }
                put64(w[0], self.grid.family().create_event())
            }
            F::EventDestroy => self.known(self.grid.family().destroy_event(w[0])),
            F::EventRecord
            | F::EventRecordPtsz
            | F::EventRecordWithFlags
            | F::EventRecordWithFlagsPtsz => {
                let place = self.ordered(w[1], own)?;
                let number = self.grid.family().record(w[0]);
                let number = number.ok_or(CudaError::InvalidResourceHandle)?;
                self.put(place, Item::Record(w[0], number))
            }
            F::StreamWaitEvent | F::StreamWaitEventPtsz => {
                let place = self.ordered(w[0], own)?;
                let number = self.grid.family().recorded(w[1]);
                let number = number.ok_or(CudaError::InvalidResourceHandle)?;
                self.put(place, Item::Wait(w[1], number))
            }
            F::FuncGetAttributes => self.attributes(w[0], w[1]),
            F::Malloc => {
                let heap = &self.machine.pools.heap;
                let own = self.grid.constants;
                match heap.allocate(own.heap, own.heap_bytes, w[1]) {
                    0 => Err(CudaError::MemoryAllocation.into()),
                    address => put64(w[0], address),
                }
            }
            F::Free => {
                if self.machine.pools.heap.release(w[0]) {
                    Ok(())
                } else {
                    Err(CudaError::InvalidValue.into())
                }
            }
            F::MemcpyAsync | F::MemcpyAsyncPtsz => {
                let work = Move {
                    to: w[0],
                    to_pitch: [0; 2],
                    from: Source::Memory(w[1], [0; 2]),
                    extent: [w[2], 1, 1],
                };
                self.put(self.place(w[4], own)?, Item::Move(work))
            }
            F::Memcpy2DAsync | F::Memcpy2DAsyncPtsz => {
                if w[4] > w[1] || w[4] > w[3] {
                    return Err(CudaError::InvalidPitchValue.into());
                }
                let work = Move {
                    to: w[0],
                    to_pitch: [w[1], 0],
                    from: Source::Memory(w[2], [w[3], 0]),
                    extent: [w[4], w[5], 1],
                };
                self.put(self.place(w[7], own)?, Item::Move(work))
            }
            F::Memcpy3DAsync | F::Memcpy3DAsyncPtsz => {
                let work = copy_3d(w[0])?;
                self.put(self.place(w[1], own)?, Item::Move(work))
            }
            F::MemsetAsync | F::MemsetAsyncPtsz => {
                let work = fill(w[0], [0; 2], w[1], [w[2], 1, 1]);
                self.put(self.place(w[3], own)?, Item::Move(work))
            }
            F::Memset2DAsync | F::Memset2DAsyncPtsz => {
                if w[3] > w[1] {
                    return Err(CudaError::InvalidPitchValue.into());
                }
                let work = fill(w[0], [w[1], 0], w[2], [w[3], w[4], 1]);
                self.put(self.place(w[5], own)?, Item::Move(work))
            }
            F::Memset3DAsync | F::Memset3DAsyncPtsz => {
                let [pointer, pitch, _, rows] = [w[0], w[1], w[2], w[3]];
                if w[5] > pitch {
                    return Err(CudaError::InvalidPitchValue.into());
                }
                let slice = pitch.wrapping_mul(rows);
                let work = fill(pointer, [pitch, slice], w[4], [w[5], w[6], w[7]]);
                self.put(self.place(w[8], own)?, Item::Move(work))
            }
            F::LaunchDevice | F::LaunchDevicePtsz => {
                let launch = (w[0], dims(w, 2), dims(w, 5), w[8] as u32);
                self.launch(w[1], self.place(w[9], own)?, Some(launch))
            }
            F::LaunchDeviceV2 | F::LaunchDeviceV2Ptsz => {
                self.launch(w[0], self.place(w[1], own)?, None)
            }
            F::OccupancyMaxActiveBlocks | F::OccupancyMaxActiveBlocksWithFlags => {
                let kernel = self.kernel(w[1])?;
                let threads = w[2] as u32;
                if threads == 0 || threads > i32::MAX.cast_unsigned() {
                    return Err(CudaError::InvalidValue.into());
                }
                let dynamic = u32::try_from(w[3]).unwrap_or(u32::MAX);
                let blocks = if threads > kernel.max_threads {
                    0
                } else {
                    let shared = kernel.shared.saturating_add(dynamic);
                    self.sm()?
                        .resident_blocks(threads, kernel.registers, shared)
                };
                put32(w[0], blocks)
            }
            F::GetLastError
            | F::PeekAtLastError
            | F::GetErrorString
            | F::GetErrorName
            | F::GetParameterBuffer
            | F::GetParameterBufferV2 => Ok(()),
        }
    }

    #[expect(clippy::unused_self, reason = "reads like the calls around it")]
    fn known(&self, there: bool) -> Answer {
        if there {
            Ok(())
        } else {
            Err(CudaError::InvalidResourceHandle.into())
        }
    }

    /// A stream in which events mean something.
    fn ordered(&self, handle: u64, own: bool) -> Answer<Place> {
        match self.place(handle, own)? {
            place @ Place::Stream(_) => Ok(place),
            Place::FireAndForget | Place::Tail => Err(CudaError::InvalidValue.into()),
        }
    }

    fn sm(&self) -> Answer<SmLimits> {
        let word = |offset: usize| self.head32(offset_of!(Head, sm) + offset);
        Ok(SmLimits {
            threads: word(offset_of!(SmLimits, threads))?,
            blocks: word(offset_of!(SmLimits, blocks))?,
            registers: word(offset_of!(SmLimits, registers))?,
            shared: word(offset_of!(SmLimits, shared))?,
            shared_reserved: word(offset_of!(SmLimits, shared_reserved))?,
            reserved: 0,
        })
    }

    /// `cudaFuncAttributes`
    fn attributes(&self, to: u64, token: u64) -> Answer {
        let kernel = self.kernel(token)?;
        let wide = [kernel.shared, 0, kernel.local];
        for (at, value) in (0..).step_by(8).zip(wide) {
            put64(to + at, value.into())?;
        }
        let words = [
            kernel.max_threads,
            kernel.registers,
            kernel.ptx_version,
            kernel.binary_version,
            0,
            kernel.max_dynamic_shared,
            // No preferred carve-out.
            u32::MAX,
        ];
        for (at, value) in (24..).step_by(4).zip(words) {
            put32(to + at, value)?;
        }
        Ok(())
    }
}

fn fill(to: u64, to_pitch: [u64; 2], value: u64, extent: [u64; 3]) -> Move {
    Move {
        to,
        to_pitch,
        from: Source::Byte(value as u8),
        extent,
    }
}

/// A `cudaMemcpy3DParms`. Arrays cannot be reached from the device.
fn copy_3d(at: u64) -> Answer<Move> {
    let word = |offset: u64| load64(at + offset);
    if word(0)? != 0 || word(64)? != 0 {
        return Err(CudaError::InvalidValue.into());
    }
    // A position, then a pitched pointer: address, pitch, width, height.
    let side = |position: u64, pointer: u64| -> Answer<(u64, [u64; 2])> {
        let (pitch, rows) = (word(pointer + 8)?, word(pointer + 24)?);
        let slice = pitch.wrapping_mul(rows);
        let offset = word(position)?
            .wrapping_add(word(position + 8)?.wrapping_mul(pitch))
            .wrapping_add(word(position + 16)?.wrapping_mul(slice));
        Ok((word(pointer)?.wrapping_add(offset), [pitch, slice]))
    };
    let (from, from_pitch) = side(8, 32)?;
    let (to, to_pitch) = side(72, 96)?;
    let extent = [word(128)?, word(136)?, word(144)?];
    if extent[0] > from_pitch[0] || extent[0] > to_pitch[0] {
        return Err(CudaError::InvalidPitchValue.into());
    }
    Ok(Move {
        to,
        to_pitch,
        from: Source::Memory(from, from_pitch),
        extent,
    })
}
