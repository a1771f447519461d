//! What kind of image a pointer leads to.

use crate::{CONTAINER_MAGIC, WRAPPER_MAGIC, elf::is_elf, read::u32_at};

/// The kinds of image that `cuModuleLoadData` and `cuLibraryLoadData` accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image {
    /// A 24-byte wrapper: parse with [`crate::Wrapper`].
    Wrapper,
    /// A bare container: parse with [`crate::Container`].
    Container,
    /// An ELF cubin.
    Elf,
    /// Text, taken to be PTX. `end` is where its NUL is, or `None` when the slice holds no NUL (plain text, or a
    /// prefix that ends before it).
    Text {
        /// Bytes before the NUL.
        end: Option<usize>,
    },
    /// None of these: CUDA answers `CUDA_ERROR_INVALID_IMAGE` (200).
    Unknown,
}

/// How far into a slice text is judged.
const TEXT_PROBE: usize = 256;

/// Says what `bytes` start. Four bytes are enough for the binary kinds; text wants as many as there are.
#[must_use]
pub fn classify(bytes: &[u8]) -> Image {
    match u32_at(bytes, 0) {
        Ok(WRAPPER_MAGIC) => return Image::Wrapper,
        Ok(CONTAINER_MAGIC) => return Image::Container,
        Ok(_) if is_elf(bytes) => return Image::Elf,
        Ok(_) | Err(_) => {}
    }
    let end = bytes.iter().position(|&byte| byte == 0);
    let text = &bytes[..end.unwrap_or(bytes.len())];
    let probe = &text[..text.len().min(TEXT_PROBE)];
    let printable =
        |byte: u8| byte >= 0x80 || !byte.is_ascii_control() || byte.is_ascii_whitespace();
    // PTX opens with white space, a comment, or a directive.
    let opens = text
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|&byte| byte == b'.' || byte == b'/');
    if opens && probe.iter().copied().all(printable) {
        Image::Text { end }
    } else {
        Image::Unknown
    }
}
