//! Kernel half → a thread in the program or in the GPU process, over a socket of packets: which pages of managed memory
//! that process has to unmap. A kernel driver changes page tables by itself; from outside a process nobody can.
//!
//! A request is the address and the length in bytes, two little-endian words of 64 bits, whole pages; the answer is 0
//! or an errno, 32 bits. The pages stay in their memfd; the next access to them is a fault.
//!
//! A packet that brings a descriptor offers a [`desk`] for what follows, and is answered with 0 if it is taken: a page
//! that both map, which costs two sleeps and two wake-ups per request in place of two packets. The agent sleeps on the
//! desk for [`desk::PATIENCE`] and then on the socket, having said so; a packet of length 0 wakes it there and has no
//! answer. The socket's end ends both.

/// Bytes of a request.
pub const REQUEST_BYTES: usize = 16;
/// Bytes of an answer.
pub const ANSWER_BYTES: usize = 4;

/// The page that both sides map: offsets of its words, 32 bits each but for the span, bytes.
pub mod desk {
    use core::time::Duration;

    /// Bytes of the memfd.
    pub const BYTES: usize = 4096;
    /// Number of the last request, written by the kernel half after the span; the agent sleeps on it. Starts at 0, which
    /// is no request.
    pub const ASKED: usize = 0;
    /// Number of the last request that was answered, written by the agent after [`ERRNO`]; the kernel half sleeps on it.
    pub const ANSWERED: usize = 4;
    /// Not 0 while the agent sleeps on the socket.
    pub const ASLEEP: usize = 8;
    /// The answer: 0 or an errno.
    pub const ERRNO: usize = 12;
    /// Address of the span, 64 bits.
    pub const VA: usize = 16;
    /// Its length, 64 bits.
    pub const LEN: usize = 24;
    /// How long the agent sleeps on the desk.
    pub const PATIENCE: Duration = Duration::from_millis(20);
}

/// Address and length of a request.
#[must_use]
pub fn span(request: &[u8; REQUEST_BYTES]) -> (u64, u64) {
    let (va, len) = request.split_at(8);
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    (word(va), word(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_two_words() {
        let mut request = [0; REQUEST_BYTES];
        request[..8].copy_from_slice(&0x1234_5678_9abc_u64.to_le_bytes());
        request[8..].copy_from_slice(&0x1_0000_u64.to_le_bytes());
        assert_eq!(span(&request), (0x1234_5678_9abc, 0x1_0000));
    }
}
