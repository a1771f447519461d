//! How the process's own address space is laid out: what belongs to the client (everything else) and what to us.

use abi::link;
use core::ops::Range;

/// Shared-memory windows of resident CTAs.
pub const SHARED: Range<u64> = 0x6000_0000_0000..0x6d00_0000_0000;
/// Local memory of resident CTAs.
pub const LOCAL: Range<u64> = 0x6d00_0000_0000..0x6e80_0000_0000;
/// Stacks of warps.
pub const STACKS: Range<u64> = 0x6e80_0000_0000..0x6f80_0000_0000;
/// USERD, usermode pages, error notifiers, and stacks of our own threads.
pub const ENGINE: Range<u64> = 0x6f80_0000_0000..0x7000_0000_0000;
/// First address after those of user space (4-level page tables).
pub const TOP: u64 = 0x7fff_ffff_f000;
/// Lowest address that Linux lets an ordinary process map (`vm.mmap_min_addr`).
pub const BOTTOM: u64 = 0x1_0000;
/// Page size, bytes.
pub const PAGE: u64 = 4096;

const fn overlaps(a: &Range<u64>, start: u64, end: u64) -> bool {
    start < a.end && a.start < end
}

/// Whether `len` bytes at `va` are addresses that a client may own. Zero lengths are fine at any client address.
#[must_use]
pub fn is_client(va: u64, len: u64) -> bool {
    match va.checked_add(len) {
        Some(end) => {
            va >= BOTTOM
                && end <= TOP
                && !overlaps(&link::RESERVED, va, end.max(va + 1))
                && !overlaps(&link::IMAGE_WINDOW, va, end.max(va + 1))
        }
        None => false,
    }
}

/// Whether a mapping of `len` bytes at `va` may be made for a client: page aligned, not empty, the client's addresses.
#[must_use]
pub fn may_map(va: u64, len: u64) -> bool {
    va.is_multiple_of(PAGE) && len.is_multiple_of(PAGE) && len != 0 && is_client(va, len)
}

/// `len` rounded up to whole pages.
#[must_use]
pub const fn pages(len: u64) -> u64 {
    (len + PAGE - 1) & !(PAGE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_windows_lie_in_what_the_link_reserves_and_do_not_overlap() {
        let all = [SHARED, LOCAL, STACKS, ENGINE];
        for pair in all.windows(2) {
            assert!(pair[0].end <= pair[1].start);
        }
        assert_eq!(all[0].start, link::RESERVED.start);
        assert_eq!(all[3].end, link::RESERVED.end);
    }

    #[test]
    fn only_client_addresses_may_be_mapped() {
        assert!(may_map(0x7_0000_0000, 0x20_0000));
        assert!(!may_map(0x7_0000_0001, 0x20_0000));
        assert!(!may_map(0x7_0000_0000, 0));
        assert!(!may_map(0x1000, 0x1000));
        assert!(!may_map(link::IMAGE_WINDOW.start - 0x1000, 0x2000));
        assert!(!may_map(link::RESERVED.end - 0x1000, 0x1000));
        assert!(may_map(link::RESERVED.end, 0x1000));
        assert!(!may_map(TOP - 0x1000, 0x2000));
        assert!(!may_map(u64::MAX - 0xfff, 0x1000));
    }
}
