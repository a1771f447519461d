//! Kernel half → a thread in the program or in the GPU process, over a socket of packets: which pages of managed memory
//! that process has to unmap. A kernel driver changes page tables by itself; from outside a process nobody can.
//!
//! A request is the address and the length in bytes, two little-endian words of 64 bits, whole pages; the answer is 0
//! or an errno, 32 bits. The pages stay in their memfd; the next access to them is a fault.

/// Bytes of a request.
pub const REQUEST_BYTES: usize = 16;
/// Bytes of an answer.
pub const ANSWER_BYTES: usize = 4;

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
