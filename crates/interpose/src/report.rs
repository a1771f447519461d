//! What the user is told, on standard error.

use std::fmt;

/// Writes one line in one piece; nothing is done about a closed standard error.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let text = format!("antlerite: {line}\n");
    // SAFETY: the buffer is readable for its length.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// Whether `ANTLERITE_TRACE` asks for what the loader hooks do.
pub(crate) fn traces() -> bool {
    std::env::var("ANTLERITE_TRACE").is_ok_and(|layers| {
        layers
            .split(',')
            .any(|word| matches!(word, "1" | "all" | "interpose"))
    })
}
