//! Images and compiler options as C callers pass them.

use std::ffi::{CStr, c_char, c_void};

use abi::jit::request_flags;
use cuda_abi::driver::{CUjit_option, CUresult, In, Out};
use fatbin::{CONTAINER_HEADER_BYTES, Image as Form, MAX_CONTAINER_BYTES, WRAPPER_BYTES, Wrapper};

use crate::core::image::{Chooser, Image, LoadError};
use crate::core::jit::Options;
use crate::core::{context, platform};
use crate::ffi::{Read, Write};

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
    info: Log,
    error: Log,
    values: Out<Out<c_void>>,
    wall_time_at: Option<usize>,
}

/// Reads the option arrays. Options that change nothing here are accepted.
pub(crate) fn options(
    count: u32,
    options: Out<CUjit_option>,
    values: Out<Out<c_void>>,
) -> Result<JitOptions, CUresult> {
    use CUjit_option as O;
    let mut parsed = JitOptions {
        options: Options::default(),
        info: Log::default(),
        error: Log::default(),
        values,
        wall_time_at: None,
    };
    for index in 0..count as usize {
        let (option, value) = (options.at(index)?, values.at(index)?);
        // Numbers are passed in the pointer's own bits.
        let number = u32::try_from(value.addr() & 0xffff_ffff).unwrap_or_default();
        let mut flag = |bit: u32| {
            if number != 0 {
                parsed.options.flags |= bit
            }
        };
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
            O::OPTIMIZATION_LEVEL if number > 4 => return Err(CUresult::INVALID_VALUE),
            O::OPTIMIZATION_LEVEL => parsed.options.opt_level = number,
            O::GENERATE_DEBUG_INFO => flag(request_flags::DEBUG),
            O::GENERATE_LINE_INFO => flag(request_flags::LINE_INFO),
            other if (0..O::NUM_OPTIONS.0).contains(&other.0) => {}
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    Ok(parsed)
}

impl JitOptions {
    /// Without any.
    pub(crate) fn none() -> Self {
        Self {
            options: Options::default(),
            info: Log::default(),
            error: Log::default(),
            values: Out::NULL,
            wall_time_at: None,
        }
    }

    /// Writes the logs of an outcome.
    pub(crate) fn answer<T>(&self, outcome: &Result<T, LoadError>) {
        self.write(self.info, "");
        self.write(
            self.error,
            outcome.as_ref().err().map_or("", |error| &error.log),
        );
        if let Some(at) = self.wall_time_at {
            // A float in the pointer's own bits; nothing was compiled yet.
            self.values.set_at(at, Out::new(0));
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

fn wrapper(chooser: Chooser, address: usize) -> Result<Image, LoadError> {
    match Wrapper::parse(bytes_at(address, WRAPPER_BYTES)?).map_err(invalid)? {
        Wrapper::Whole { data, .. } => container(chooser, usize::try_from(data).map_err(invalid)?),
        Wrapper::Relocatable { linked, prelinked } => {
            let linked = container(chooser, usize::try_from(linked).map_err(invalid)?);
            let first = if prelinked == 0 {
                0
            } else {
                let word = bytes_at(usize::try_from(prelinked).map_err(invalid)?, 8)?;
                word.try_into().map_or(0, usize::from_le_bytes)
            };
            // The linked image has only SASS; the PTX is in the containers before linking. One is a whole program; more
            // need a linker.
            match linked {
                Err(_) if first != 0 => container(chooser, first),
                other => other,
            }
        }
    }
}

fn container(chooser: Chooser, address: usize) -> Result<Image, LoadError> {
    let header: &[u8; CONTAINER_HEADER_BYTES] = bytes_at(address, CONTAINER_HEADER_BYTES)?
        .try_into()
        .map_err(invalid)?;
    let size = fatbin::container_size(header).map_err(invalid)?;
    if size as u64 > MAX_CONTAINER_BYTES {
        return Err(invalid("the container is too large"));
    }
    chooser.container(bytes_at(address, size)?)
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
