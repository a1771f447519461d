//! Images and compiler options as C callers pass them.

use std::ffi::{CStr, c_char, c_void};
use std::time::Instant;

use abi::jit::request_flags;
use cuda_abi::driver::{CUjit_option, CUresult, In, Out};
use fatbin::{CONTAINER_HEADER_BYTES, Image as Form, MAX_CONTAINER_BYTES, WRAPPER_BYTES, Wrapper};

use jit::compiler::Options;

use crate::core::image::{Chooser, Image, LoadError, Overrides};
use crate::core::module::report;
use crate::core::{context, platform};
use crate::ffi::{Read, Write, text};

/// A log buffer of the caller's, and where it wants to know how much is in it.
#[derive(Clone, Copy, Debug, Default)]
struct Log {
    buffer: Option<Out<c_char>>,
    bytes: usize,
    /// Position of the size option: its value is replaced by the bytes written.
    size_at: Option<usize>,
}

/// Compiler options of a call.
#[derive(Debug)]
pub(crate) struct JitOptions {
    /// What the compiler gets.
    pub options: Options,
    /// What they change in an image.
    pub overrides: Overrides,
    /// `CU_JIT_LOG_VERBOSE`.
    pub verbose: bool,
    /// `CU_JIT_TARGET`: compute capability, major × 10 + minor.
    target: Option<u32>,
    /// `CU_JIT_GLOBAL_SYMBOL_*`: addresses that stand for variables which the code declares and nothing defines.
    pub symbols: Vec<(String, u64)>,
    info: Log,
    error: Log,
    values: Out<Out<c_void>>,
    wall_time_at: Option<usize>,
    started: Instant,
}

/// Reads the option arrays (CUDA Driver API 13.0, CUjit_option).
///
/// # Errors
/// 1 for numbers that are no option and values out of range, 801 for options that would change what the code means and
/// are not supported.
pub(crate) fn options(
    count: u32,
    options: Out<CUjit_option>,
    values: Out<Out<c_void>>,
) -> Result<JitOptions, CUresult> {
    use CUjit_option as O;
    let mut parsed = JitOptions {
        values,
        ..JitOptions::none()
    };
    let (mut symbol_names, mut symbol_addresses, mut symbol_count) = (None, None, 0);
    for index in 0..count as usize {
        let (option, value) = (options.at(index)?, values.at(index)?);
        // Numbers are passed in the pointer's own bits.
        let number = u32::try_from(value.addr() & 0xffff_ffff).unwrap_or_default();
        let at_most = |most: u32| {
            if number > most {
                Err(CUresult::INVALID_VALUE)
            } else {
                Ok(number)
            }
        };
        let flags = &mut parsed.options.flags;
        match option {
            O::WALL_TIME => parsed.wall_time_at = Some(index),
            O::INFO_LOG_BUFFER => parsed.info.buffer = Some(Out::new(value.addr())),
            O::INFO_LOG_BUFFER_SIZE_BYTES => {
                (parsed.info.bytes, parsed.info.size_at) = (number as usize, Some(index));
            }
            O::ERROR_LOG_BUFFER => parsed.error.buffer = Some(Out::new(value.addr())),
            O::ERROR_LOG_BUFFER_SIZE_BYTES => {
                (parsed.error.bytes, parsed.error.size_at) = (number as usize, Some(index));
            }
            O::LOG_VERBOSE => parsed.verbose = number != 0,
            O::OPTIMIZATION_LEVEL => parsed.options.opt_level = at_most(4)?,
            O::GENERATE_DEBUG_INFO if number != 0 => *flags |= request_flags::DEBUG,
            O::GENERATE_LINE_INFO if number != 0 => *flags |= request_flags::LINE_INFO,
            O::GENERATE_DEBUG_INFO | O::GENERATE_LINE_INFO => {}
            O::MAX_REGISTERS => parsed.overrides.max_registers = number,
            O::MAX_THREADS_PER_BLOCK => parsed.overrides.max_threads = number,
            O::OVERRIDE_DIRECTIVE_VALUES => parsed.overrides.over_directives = number != 0,
            O::TARGET => parsed.target = Some(number & 0xffff),
            O::TARGET_FROM_CUCONTEXT => parsed.target = None,
            O::FALLBACK_STRATEGY => drop(at_most(1)?),
            O::CACHE_MODE => drop(at_most(2)?),
            O::GLOBAL_SYMBOL_NAMES => symbol_names = Some(Out::<In<c_char>>::new(value.addr())),
            O::GLOBAL_SYMBOL_ADDRESSES => {
                symbol_addresses = Some(Out::<Out<c_void>>::new(value.addr()));
            }
            O::GLOBAL_SYMBOL_COUNT => symbol_count = number as usize,
            // How fast code comes to be or runs, or options of NVVM inputs, which are refused themselves.
            O::THREADS_PER_BLOCK
            | O::MIN_CTA_PER_SM
            | O::NEW_SM3X_OPT
            | O::FAST_COMPILE
            | O::LTO
            | O::FTZ
            | O::PREC_DIV
            | O::PREC_SQRT
            | O::FMA
            | O::REFERENCED_KERNEL_NAMES
            | O::REFERENCED_KERNEL_COUNT
            | O::REFERENCED_VARIABLE_NAMES
            | O::REFERENCED_VARIABLE_COUNT
            | O::OPTIMIZE_UNUSED_DEVICE_VARIABLES
            | O::POSITION_INDEPENDENT_CODE
            | O::SPLIT_COMPILE => {}
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    if symbol_count > 0 {
        let (Some(names), Some(addresses)) = (symbol_names, symbol_addresses) else {
            return Err(CUresult::INVALID_VALUE);
        };
        for index in 0..symbol_count {
            let name = text(names.at(index)?)?.to_owned();
            parsed
                .symbols
                .push((name, addresses.at(index)?.addr() as u64));
        }
    }
    Ok(parsed)
}

impl JitOptions {
    /// Without any.
    pub(crate) fn none() -> Self {
        Self {
            options: Options::default(),
            overrides: Overrides::default(),
            verbose: false,
            target: None,
            symbols: Vec::new(),
            info: Log::default(),
            error: Log::default(),
            values: Out::NULL,
            wall_time_at: None,
            started: Instant::now(),
        }
    }

    /// Makes an image by these options: what they change is changed, and the logs are written.
    ///
    /// # Errors
    /// Those of `image`; 209 where the options ask for code of another device.
    pub(crate) fn image(
        &self,
        image: impl FnOnce() -> Result<Image, LoadError>,
    ) -> Result<Image, CUresult> {
        let cc = chooser()?.cc;
        let outcome = match self.target {
            Some(target) if target > cc => Err(LoadError::new(
                CUresult::NO_BINARY_FOR_GPU,
                format!("error   : code for sm_{target} cannot be loaded on sm_{cc}\n"),
            )),
            Some(_) | None => image().and_then(|mut image| {
                image.apply(self.overrides);
                image.place(&self.symbols)?;
                Ok(image)
            }),
        };
        let info = match &outcome {
            Ok(image) if self.verbose => image.verbose(cc),
            Ok(_) | Err(_) => String::new(),
        };
        self.answer(outcome.as_ref().map(|_| info.as_str()));
        outcome.map_err(|error| report(&error))
    }

    /// Writes the logs of an outcome: what there is to say, or what is wrong.
    pub(crate) fn answer(&self, outcome: Result<&str, &LoadError>) {
        self.write(self.info, outcome.unwrap_or_default());
        self.write(self.error, outcome.err().map_or("", |error| &error.log));
        if let Some(at) = self.wall_time_at {
            // Milliseconds, a float in the pointer's own bits.
            let time = self.started.elapsed().as_secs_f32() * 1e3;
            self.values.set_at(at, Out::new(time.to_bits() as usize));
        }
    }

    fn write(&self, log: Log, text: &str) {
        let room = log.bytes.saturating_sub(1);
        let text = &text.as_bytes()[..text.len().min(room)];
        if let Some(buffer) = log.buffer.filter(|b| !b.is_null() && log.bytes > 0) {
            let buffer = Out::<u8>::new(buffer.addr());
            for (index, byte) in text.iter().enumerate() {
                buffer.set_at(index, *byte);
            }
            buffer.set_at(text.len(), 0);
        }
        if let Some(at) = log.size_at {
            self.values.set_at(at, Out::new(text.len()));
        }
    }
}

/// How images are chosen for the current device, or for device 0 when there is no context yet (libraries).
pub(crate) fn chooser() -> Result<Chooser, CUresult> {
    let platform = platform::get()?;
    let ordinal = context::current_context().map_or(0, |c| c.ordinal);
    let device = platform
        .devices
        .get(ordinal)
        .ok_or(CUresult::INVALID_DEVICE)?;
    Ok(Chooser {
        cc: device.cc(),
        cuda_version: platform.cuda_version,
    })
}

/// Bytes between two looks at whether memory is there: the smallest page.
const PAGE: usize = 4096;
/// Pages looked at by one system call (`UIO_MAXIOV`).
const PAGES: usize = 1024;

/// `len` bytes of the program's memory at an address: an error where an image's headers promise more than is there.
fn bytes_at(address: usize, len: usize) -> Result<&'static [u8], LoadError> {
    if !readable(address, len) {
        return Err(invalid("the image ends before its headers say"));
    }
    // SAFETY: by the C contract the image lies there for the call, and its own headers say how long it is; every page of
    // it can be read; no caller of this function keeps the bytes.
    Ok(
        unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u8>(address), len)
        },
    )
}

/// Whether all pages of a range can be read, by the kernel's word. Where it may not be asked, the headers are believed.
fn readable(address: usize, len: usize) -> bool {
    let Some(last) = address.checked_add(len.saturating_sub(1)) else {
        return false;
    };
    if len == 0 {
        return true;
    }
    if isize::try_from(len).is_err() {
        return false;
    }
    // The first byte, the first of every page after it, and so on to the page of the last.
    let mut next = Some(address);
    let mut bytes = [0_u8; PAGES];
    let byte = |base: usize| libc::iovec {
        iov_base: std::ptr::without_provenance_mut(base),
        iov_len: 1,
    };
    while let Some(start) = next {
        let mut there = Vec::with_capacity(PAGES);
        let mut at = Some(start);
        while let Some(one) = at.filter(|one| *one <= last && there.len() < PAGES) {
            there.push(byte(one));
            at = (one & !(PAGE - 1)).checked_add(PAGE);
        }
        next = at.filter(|one| *one <= last);
        let here = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: there.len(),
        };
        // SAFETY: writes at most as many bytes as `bytes` holds; addresses that cannot be read are reported, not
        // touched; the list's length is its own.
        let got = unsafe {
            libc::process_vm_readv(
                libc::getpid(),
                &raw const here,
                1,
                there.as_ptr(),
                there.len() as libc::c_ulong,
                0,
            )
        };
        if got < 0 {
            let error = std::io::Error::last_os_error().raw_os_error();
            return error != Some(libc::EFAULT);
        }
        if usize::try_from(got) != Ok(there.len()) {
            return false;
        }
    }
    true
}

fn invalid(text: impl ToString) -> LoadError {
    LoadError::new(CUresult::INVALID_IMAGE, text.to_string())
}

/// Opens whatever image lies at a C pointer.
pub(crate) fn open(image: In<c_void>) -> Result<Image, LoadError> {
    let failed = |code| LoadError::new(code, String::new());
    if image.is_null() {
        return Err(failed(CUresult::INVALID_VALUE));
    }
    let chooser = chooser().map_err(failed)?;
    let address = image.addr();
    // Four bytes tell the binary kinds; text is read up to its NUL.
    match fatbin::classify(bytes_at(address, 4)?) {
        Form::Wrapper => wrapper(chooser, address),
        Form::Container => container(chooser, address),
        Form::Elf => elf(chooser, address),
        Form::Text { .. } | Form::Unknown => {
            // SAFETY: by the C contract what is none of the binary kinds is NUL-terminated text.
            let text = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(address)) };
            text_image(chooser, text.to_bytes())
        }
    }
}

fn text_image(chooser: Chooser, bytes: &[u8]) -> Result<Image, LoadError> {
    if !matches!(fatbin::classify(bytes), Form::Text { .. }) {
        return Err(invalid("not an image: neither fat binary, cubin nor PTX"));
    }
    if std::env::var("CUDA_DISABLE_PTX_JIT").is_ok_and(|v| v != "0" && !v.is_empty()) {
        return Err(LoadError::new(
            CUresult::JIT_COMPILATION_DISABLED,
            "PTX compilation is disabled",
        ));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|e| LoadError::new(CUresult::INVALID_PTX, e.to_string()))?;
    chooser.ptx(text)
}

/// Containers of one program that are looked at.
const PRELINKED_MAX: usize = 1 << 16;

fn wrapper(chooser: Chooser, address: usize) -> Result<Image, LoadError> {
    match Wrapper::parse(bytes_at(address, WRAPPER_BYTES)?).map_err(invalid)? {
        Wrapper::Whole { data, .. } => container(chooser, usize::try_from(data).map_err(invalid)?),
        Wrapper::Relocatable { linked, prelinked } => {
            let linked = container(chooser, usize::try_from(linked).map_err(invalid)?);
            // The linked image has only SASS; the PTX is in the containers before linking, one per unit.
            if linked.is_ok() || prelinked == 0 {
                return linked;
            }
            let mut containers = Vec::new();
            let list = usize::try_from(prelinked).map_err(invalid)?;
            for index in 0..PRELINKED_MAX {
                let at = list
                    .checked_add(index * 8)
                    .ok_or_else(|| invalid(TOO_FAR))?;
                let word = bytes_at(at, 8)?.try_into().map_or(0, usize::from_le_bytes);
                if word == 0 {
                    break;
                }
                containers.push(container_bytes(word)?);
            }
            if containers.is_empty() {
                return linked;
            }
            chooser.prelinked(containers)
        }
    }
}

const TOO_FAR: &str = "an address outside the address space";

fn container_bytes(address: usize) -> Result<&'static [u8], LoadError> {
    let header: &[u8; CONTAINER_HEADER_BYTES] = bytes_at(address, CONTAINER_HEADER_BYTES)?
        .try_into()
        .map_err(invalid)?;
    let size = fatbin::container_size(header).map_err(invalid)?;
    if size as u64 > MAX_CONTAINER_BYTES {
        return Err(invalid("the container is too large"));
    }
    bytes_at(address, size)
}

fn container(chooser: Chooser, address: usize) -> Result<Image, LoadError> {
    chooser.container(container_bytes(address)?)
}

fn elf(chooser: Chooser, address: usize) -> Result<Image, LoadError> {
    /// Bytes of an ELF64 header.
    const HEADER: usize = 64;
    let header: &[u8; HEADER] = bytes_at(address, HEADER)?.try_into().map_err(invalid)?;
    let tables = fatbin::elf_tables_size(header).map_err(invalid)?;
    let size = fatbin::elf_size(bytes_at(address, tables)?).map_err(invalid)?;
    chooser.cubin(bytes_at(address, size)?)
}

/// Opens an image in a file.
pub(crate) fn open_file(path: &str) -> Result<Image, LoadError> {
    let failed = |code| LoadError::new(code, String::new());
    let chooser = chooser().map_err(failed)?;
    let bytes = std::fs::read(path)
        .map_err(|error| LoadError::new(CUresult::FILE_NOT_FOUND, error.to_string()))?;
    match fatbin::classify(&bytes) {
        Form::Container => chooser.container(&bytes),
        Form::Elf => chooser.cubin(&bytes),
        Form::Text { end } => text_image(chooser, &bytes[..end.unwrap_or(bytes.len())]),
        Form::Wrapper | Form::Unknown => {
            Err(invalid("not an image: neither fat binary, cubin nor PTX"))
        }
    }
}
