//! GPU process → kernel half, over a socket of packets: bytes of the program's own memory, which no one has mapped on the
//! GPU. So do the copy engines of a GPU whose driver has heterogeneous memory management, when the program leaves it on
//! (`UVM_INITIALIZE` without `UVM_INIT_FLAGS_DISABLE_HMM`); our own user half switches it off.
//!
//! A request is a byte (0 read, 1 write), address and length (little-endian words of 64 bits), and the bytes to write. The
//! answer is an errno or 0 (32 bits), and the bytes read.

/// Most bytes of a request or an answer, besides its head.
pub const MOST: usize = 64 << 10;
/// Bytes before the data of a request.
pub const REQUEST_HEAD: usize = 17;
/// Bytes before the data of an answer.
pub const ANSWER_HEAD: usize = 4;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Store, not load.
    pub write: bool,
    /// Address in the program.
    pub va: u64,
    /// Bytes.
    pub len: u64,
}

impl Request {
    /// Its head.
    #[must_use]
    pub fn head(self) -> [u8; REQUEST_HEAD] {
        let mut head = [0; REQUEST_HEAD];
        head[0] = u8::from(self.write);
        head[1..9].copy_from_slice(&self.va.to_le_bytes());
        head[9..].copy_from_slice(&self.len.to_le_bytes());
        head
    }

    /// The request of a packet, and the bytes behind its head. None for what is none: too short, too many bytes asked
    /// for, or other than are there to write.
    #[must_use]
    pub fn of(packet: &[u8]) -> Option<(Self, &[u8])> {
        let (head, data) = packet.split_first_chunk::<REQUEST_HEAD>()?;
        let (kind, words) = head.split_first()?;
        let (va, len) = words.split_first_chunk::<8>()?;
        let request = Self {
            write: match kind {
                0 => false,
                1 => true,
                _ => return None,
            },
            va: u64::from_le_bytes(*va),
            len: u64::from_le_bytes(*len.first_chunk()?),
        };
        let right = request.len <= MOST as u64
            && data.len() as u64 == if request.write { request.len } else { 0 };
        right.then_some((request, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_what_they_were() {
        let write = Request {
            write: true,
            va: 0x7fff_1234_5678,
            len: 3,
        };
        let packet = [&write.head()[..], b"abc"].concat();
        assert_eq!(Request::of(&packet), Some((write, &b"abc"[..])));
        assert_eq!(Request::of(&packet[..19]), None);
        assert_eq!(Request::of(&packet[..16]), None);
        let read = Request {
            write: false,
            va: 1,
            len: MOST as u64 + 1,
        };
        assert_eq!(Request::of(&read.head()), None);
    }
}
