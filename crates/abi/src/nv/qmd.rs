//! QMD: the launch descriptor that the compute class reads from memory.
//!
//! Bit `b` lies in 32-bit word `b / 32`. Field maps: open-gpu-doc, `clcbc0qmd.h` and its kin.
// Layouts and numbers: open-gpu-kernel-modules 580.142 and open-gpu-doc (MIT). See PROVENANCE.md.

/// A bit field of a QMD, at most 32 bits wide; arrays have a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit of element 0.
    pub lo: u32,
    /// Highest bit of element 0.
    pub hi: u32,
    /// Bits from one element to the next; 0 = not an array.
    pub stride: u32,
}

impl Field {
    /// Value of the field (element `index`), or 0 when the descriptor is too short to hold it.
    #[must_use]
    pub fn get(self, words: &[u32], index: u32) -> u64 {
        let (lo, width) = (self.lo + self.stride * index, self.hi - self.lo + 1);
        let word = |i: u32| u64::from(words.get(i as usize).copied().unwrap_or(0));
        let pair = word(lo / 32) | word(lo / 32 + 1) << 32;
        pair >> (lo % 32) & ((1 << width) - 1)
    }

    /// Sets the field (element `index`); excess bits of `value` are cut, as hardware does.
    pub fn set(self, words: &mut [u32], index: u32, value: u64) {
        let (lo, width) = (self.lo + self.stride * index, self.hi - self.lo + 1);
        let mask = ((1u64 << width) - 1) << (lo % 32);
        let bits = value << (lo % 32) & mask;
        for (i, half) in [(lo / 32, 0), (lo / 32 + 1, 32)] {
            let (mask, bits) = (mask >> half & 0xffff_ffff, bits >> half & 0xffff_ffff);
            if let (true, Some(word)) = (mask != 0, words.get_mut(i as usize)) {
                *word = u32::try_from(u64::from(*word) & !mask | bits).unwrap_or_default();
            }
        }
    }
}

const fn f(hi: u32, lo: u32, stride: u32) -> Field {
    Field { lo, hi, stride }
}

/// QMD V04_00 (Hopper, class 0xCBC0): 384 bytes, 256-byte aligned.
pub mod v4 {
    #![expect(missing_docs, reason = "NVIDIA's field names")]
    use super::{Field, f};

    pub const DEPENDENCE_COUNTER: Field = f(15, 0, 0);
    pub const QMD_GROUP_ID: Field = f(21, 16, 0);
    pub const ADD_TO_HEAD_OF_QMD_GROUP_LINKED_LIST: Field = f(22, 22, 0);
    pub const QMD_TYPE: Field = f(25, 23, 0);
    pub const ARRIVE_AT_LATCH_VALID: Field = f(28, 28, 0);
    pub const WAIT_ON_LATCH_VALID: Field = f(29, 29, 0);
    pub const REQUIRE_SCHEDULING_PCAS: Field = f(30, 30, 0);
    pub const TPC_DISABLE_MASK_VALID: Field = f(31, 31, 0);
    pub const CIRCULAR_QUEUE_SIZE: Field = f(56, 32, 0);
    pub const INNER_GET: Field = f(94, 64, 0);
    pub const INNER_OVERFLOW: Field = f(95, 95, 0);
    pub const INNER_PUT: Field = f(126, 96, 0);
    pub const INNER_STICKY_OVERFLOW: Field = f(127, 127, 0);
    pub const HW_ONLY_INNER_GET: Field = f(190, 160, 0);
    pub const HW_ONLY_INNER_PUT: Field = f(222, 192, 0);
    pub const HW_ONLY_SPAN_LIST_HEAD_INDEX: Field = f(253, 224, 0);
    pub const HW_ONLY_SPAN_LIST_HEAD_INDEX_VALID: Field = f(254, 254, 0);
    pub const HW_ONLY_SKED_NEXT_QMD_POINTER: Field = f(287, 256, 0);
    pub const HW_ONLY_DEPENDENCE_COUNTER: Field = f(303, 288, 0);
    pub const HW_ONLY_REQUIRE_SCHEDULING_PCAS: Field = f(304, 304, 0);
    pub const RELEASE_ENABLE: Field = f(320, 320, 16);
    pub const RELEASE_STRUCTURE_SIZE: Field = f(322, 321, 16);
    pub const RELEASE_MEMBAR_TYPE: Field = f(323, 323, 16);
    pub const RELEASE_REDUCTION_ENABLE: Field = f(324, 324, 16);
    pub const RELEASE_REDUCTION_OP: Field = f(327, 325, 16);
    pub const RELEASE_REDUCTION_FORMAT: Field = f(329, 328, 16);
    pub const RELEASE_TRAP_TYPE: Field = f(331, 330, 16);
    pub const RELEASE_PAYLOAD64B: Field = f(332, 332, 16);
    pub const RELEASE_RESERVED_INFO: Field = f(335, 333, 16);
    pub const DEPENDENT_QMD_ENABLE: Field = f(368, 368, 5);
    pub const DEPENDENT_QMD_ACTION: Field = f(371, 369, 5);
    pub const DEPENDENT_QMD_PREFETCH: Field = f(372, 372, 5);
    pub const SELF_COPY_ON_COMPLETION: Field = f(378, 378, 0);
    pub const DEMOTE_L2_EVICT_LAST: Field = f(379, 379, 0);
    pub const DISABLE_AUTO_INVALIDATE: Field = f(380, 380, 0);
    pub const CORRELATION_ID_INTERNAL: Field = f(381, 381, 0);
    pub const CWD_MEMBAR_TASK_CHASING_ENABLE: Field = f(382, 382, 0);
    pub const CORRELATION_ID: Field = f(415, 384, 0);
    pub const CONSTANT_BUFFER_VALID: Field = f(416, 416, 4);
    pub const CONSTANT_BUFFER_PREFETCH: Field = f(418, 417, 4);
    pub const CONSTANT_BUFFER_INVALIDATE: Field = f(419, 419, 4);
    pub const DEPENDENT_QMD0_POINTER: Field = f(479, 448, 0);
    pub const DEPENDENT_QMD1_POINTER: Field = f(511, 480, 0);
    pub const SHADER_LOCAL_MEMORY_LOW_SIZE: Field = f(535, 512, 0);
    pub const SASS_VERSION: Field = f(543, 536, 0);
    pub const SHADER_LOCAL_MEMORY_HIGH_SIZE: Field = f(567, 544, 0);
    pub const API_VISIBLE_CALL_LIMIT: Field = f(568, 568, 0);
    pub const SAMPLER_INDEX: Field = f(569, 569, 0);
    pub const CONSTANT_BUFFER_PREFETCH_PRE_MAX_SIZE_SHIFTED8: Field = f(575, 570, 0);
    pub const QMD_MINOR_VERSION: Field = f(579, 576, 0);
    pub const QMD_MAJOR_VERSION: Field = f(583, 580, 0);
    pub const SHARED_MEMORY_SIZE: Field = f(601, 584, 0);
    pub const INVALIDATE_TEXTURE_HEADER_CACHE: Field = f(602, 602, 0);
    pub const INVALIDATE_TEXTURE_SAMPLER_CACHE: Field = f(603, 603, 0);
    pub const INVALIDATE_TEXTURE_DATA_CACHE: Field = f(604, 604, 0);
    pub const INVALIDATE_SHADER_DATA_CACHE: Field = f(605, 605, 0);
    pub const INVALIDATE_INSTRUCTION_CACHE: Field = f(606, 606, 0);
    pub const INVALIDATE_SHADER_CONSTANT_CACHE: Field = f(607, 607, 0);
    pub const MIN_SM_CONFIG_SHARED_MEM_SIZE: Field = f(613, 608, 0);
    pub const MAX_SM_CONFIG_SHARED_MEM_SIZE: Field = f(619, 614, 0);
    pub const TARGET_SM_CONFIG_SHARED_MEM_SIZE: Field = f(625, 620, 0);
    pub const SHARED_ALLOCATION_ENABLE: Field = f(626, 626, 0);
    pub const RELEASE_SEMAPHORE0_ADDR_LOWER: Field = f(671, 640, 0);
    pub const RELEASE_SEMAPHORE0_ADDR_UPPER: Field = f(696, 672, 0);
    pub const RELEASE_SEMAPHORE0_PAYLOAD_LOWER: Field = f(735, 704, 0);
    pub const RELEASE_SEMAPHORE0_PAYLOAD_UPPER: Field = f(767, 736, 0);
    pub const RELEASE_SEMAPHORE1_ADDR_LOWER: Field = f(799, 768, 0);
    pub const RELEASE_SEMAPHORE1_ADDR_UPPER: Field = f(824, 800, 0);
    pub const RELEASE_SEMAPHORE1_PAYLOAD_LOWER: Field = f(863, 832, 0);
    pub const RELEASE_SEMAPHORE1_PAYLOAD_UPPER: Field = f(895, 864, 0);
    pub const RELEASE_SEMAPHORE2_ADDR_LOWER: Field = f(927, 896, 0);
    pub const RELEASE_SEMAPHORE2_ADDR_UPPER: Field = f(952, 928, 0);
    pub const RELEASE_SEMAPHORE2_PAYLOAD_LOWER: Field = f(991, 960, 0);
    pub const RELEASE_SEMAPHORE2_PAYLOAD_UPPER: Field = f(1023, 992, 0);
    pub const GRID_WIDTH: Field = f(1055, 1024, 0);
    pub const GRID_HEIGHT: Field = f(1071, 1056, 0);
    pub const GRID_DEPTH: Field = f(1103, 1088, 0);
    pub const CWD_REFERENCE_COUNT_DELTA_MINUS_ONE: Field = f(1127, 1120, 0);
    pub const CWD_REFERENCE_COUNT_ID: Field = f(1133, 1128, 0);
    pub const CWD_REFERENCE_COUNT_INCR_ENABLE: Field = f(1134, 1134, 0);
    pub const CWD_REFERENCE_COUNT_DECR_ENABLE: Field = f(1135, 1135, 0);
    pub const CWD_MEMBAR_TYPE: Field = f(1137, 1136, 0);
    pub const SEQUENTIALLY_RUN_CTAS: Field = f(1138, 1138, 0);
    pub const CTA_LAUNCH_QUEUE: Field = f(1139, 1139, 0);
    pub const FREE_CTA_SLOTS_EMPTY_SM: Field = f(1147, 1140, 0);
    pub const SYNC_DOMAIN_ID: Field = f(1149, 1148, 0);
    pub const PRE_EXIT_AT_LAST_CTA_LAUNCH: Field = f(1150, 1150, 0);
    pub const ENABLE_PROGRAM_PRE_EXIT: Field = f(1151, 1151, 0);
    pub const CTA_THREAD_DIMENSION0: Field = f(1167, 1152, 0);
    pub const CTA_THREAD_DIMENSION1: Field = f(1183, 1168, 0);
    pub const CTA_THREAD_DIMENSION2: Field = f(1199, 1184, 0);
    pub const REGISTER_COUNT: Field = f(1208, 1200, 0);
    pub const BARRIER_COUNT: Field = f(1215, 1211, 0);
    pub const PROGRAM_ADDRESS_LOWER: Field = f(1247, 1216, 0);
    pub const PROGRAM_ADDRESS_UPPER: Field = f(1272, 1248, 0);
    pub const OCCUPANCY_THRESHOLD_WARP: Field = f(1287, 1280, 0);
    pub const OCCUPANCY_MAX_WARP: Field = f(1295, 1288, 0);
    pub const OCCUPANCY_THRESHOLD_REGISTER: Field = f(1303, 1296, 0);
    pub const OCCUPANCY_MAX_REGISTER: Field = f(1311, 1304, 0);
    pub const OCCUPANCY_THRESHOLD_SHARED_MEM: Field = f(1319, 1312, 0);
    pub const OCCUPANCY_MAX_SHARED_MEM: Field = f(1327, 1320, 0);
    pub const PROGRAM_PREFETCH_ADDR_LOWER_SHIFTED: Field = f(1375, 1344, 0);
    pub const PROGRAM_PREFETCH_ADDR_UPPER_SHIFTED: Field = f(1392, 1376, 0);
    pub const PROGRAM_PREFETCH_SIZE: Field = f(1401, 1393, 0);
    pub const PROGRAM_PREFETCH_TYPE: Field = f(1403, 1402, 0);
    pub const LATCH_ACQUIRE_INVALIDATE_SHADER_DATA_CACHE: Field = f(1406, 1406, 0);
    pub const LATCH_ACQUIRE_INVALIDATE_TEXTURE_DATA_CACHE: Field = f(1407, 1407, 0);
    pub const GRID_WIDTH_RESUME: Field = f(1439, 1408, 0);
    pub const GRID_HEIGHT_RESUME: Field = f(1455, 1440, 0);
    pub const GRID_DEPTH_RESUME: Field = f(1471, 1456, 0);
    pub const ARRIVE_AT_LATCH_ID: Field = f(1503, 1472, 0);
    pub const WAIT_ON_LATCH_ID: Field = f(1535, 1504, 0);
    pub const CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6: Field = f(1567, 1536, 64);
    pub const CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6: Field = f(1586, 1568, 64);
    pub const CONSTANT_BUFFER_SIZE_SHIFTED4: Field = f(1599, 1587, 64);
    pub const CIRCULAR_QUEUE_ADDR_LOWER: Field = f(2079, 2048, 0);
    pub const CIRCULAR_QUEUE_ADDR_UPPER: Field = f(2087, 2080, 0);
    pub const CIRCULAR_QUEUE_ENTRY_SIZE: Field = f(2127, 2112, 0);
    pub const COALESCE_WAITING_PERIOD: Field = f(2135, 2128, 0);
    pub const QUEUE_ENTRIES_PER_CTA_LOG2: Field = f(2140, 2136, 0);
    pub const GPC_CGA_WIDTH: Field = f(2149, 2144, 0);
    pub const GPC_CGA_HEIGHT: Field = f(2157, 2152, 0);
    pub const GPC_CGA_DEPTH: Field = f(2165, 2160, 0);
    pub const CGA_CTA_DISTRIBUTION_MODE: Field = f(2207, 2207, 0);
    pub const GPU_CGA_WIDTH: Field = f(2223, 2208, 0);
    pub const GPU_CGA_HEIGHT: Field = f(2239, 2224, 0);
    pub const GPU_CGA_DEPTH: Field = f(2255, 2240, 0);
    pub const DEBUG_ID_LOWER: Field = f(2399, 2368, 0);
    pub const DEBUG_ID_UPPER: Field = f(2431, 2400, 0);
    pub const TPC_DISABLE_MASK: Field = f(2463, 2432, 32);
    pub const OUTER_PUT: Field = f(3038, 3008, 0);
    pub const OUTER_OVERFLOW: Field = f(3039, 3039, 0);
    pub const OUTER_GET: Field = f(3070, 3040, 0);
    pub const OUTER_STICKY_OVERFLOW: Field = f(3071, 3071, 0);
}

/// QMD V03_00 (Ampere and Ada): 256 bytes, 256-byte aligned.
pub mod v3 {
    #![expect(missing_docs, reason = "NVIDIA's field names")]
    use super::{Field, f};

    pub const OUTER_PUT: Field = f(30, 0, 0);
    pub const OUTER_OVERFLOW: Field = f(31, 31, 0);
    pub const OUTER_GET: Field = f(62, 32, 0);
    pub const OUTER_STICKY_OVERFLOW: Field = f(63, 63, 0);
    pub const INNER_GET: Field = f(94, 64, 0);
    pub const INNER_OVERFLOW: Field = f(95, 95, 0);
    pub const INNER_PUT: Field = f(126, 96, 0);
    pub const INNER_STICKY_OVERFLOW: Field = f(127, 127, 0);
    pub const QMD_GROUP_ID: Field = f(133, 128, 0);
    pub const SM_GLOBAL_CACHING_ENABLE: Field = f(134, 134, 0);
    pub const RUN_CTA_IN_ONE_SM_PARTITION: Field = f(135, 135, 0);
    pub const IS_QUEUE: Field = f(136, 136, 0);
    pub const ADD_TO_HEAD_OF_QMD_GROUP_LINKED_LIST: Field = f(137, 137, 0);
    pub const REQUIRE_SCHEDULING_PCAS: Field = f(140, 140, 0);
    pub const DEPENDENCE_COUNTER: Field = f(157, 142, 0);
    pub const SELF_COPY_ON_COMPLETION: Field = f(158, 158, 0);
    pub const CIRCULAR_QUEUE_SIZE: Field = f(184, 160, 0);
    pub const DEMOTE_L2_EVICT_LAST: Field = f(185, 185, 0);
    pub const INVALIDATE_TEXTURE_HEADER_CACHE: Field = f(186, 186, 0);
    pub const INVALIDATE_TEXTURE_SAMPLER_CACHE: Field = f(187, 187, 0);
    pub const INVALIDATE_TEXTURE_DATA_CACHE: Field = f(188, 188, 0);
    pub const INVALIDATE_SHADER_DATA_CACHE: Field = f(189, 189, 0);
    pub const INVALIDATE_INSTRUCTION_CACHE: Field = f(190, 190, 0);
    pub const INVALIDATE_SHADER_CONSTANT_CACHE: Field = f(191, 191, 0);
    pub const CTA_RASTER_WIDTH_RESUME: Field = f(223, 192, 0);
    pub const CTA_RASTER_HEIGHT_RESUME: Field = f(239, 224, 0);
    pub const CTA_RASTER_DEPTH_RESUME: Field = f(255, 240, 0);
    pub const PROGRAM_PREFETCH_ADDR_LOWER_SHIFTED: Field = f(287, 256, 0);
    pub const CIRCULAR_QUEUE_ADDR_LOWER: Field = f(319, 288, 0);
    pub const CIRCULAR_QUEUE_ADDR_UPPER: Field = f(327, 320, 0);
    pub const CIRCULAR_QUEUE_ENTRY_SIZE: Field = f(351, 336, 0);
    pub const CWD_REFERENCE_COUNT_ID: Field = f(357, 352, 0);
    pub const CWD_REFERENCE_COUNT_DELTA_MINUS_ONE: Field = f(365, 358, 0);
    pub const CWD_REFERENCE_COUNT_INCR_ENABLE: Field = f(367, 367, 0);
    pub const CWD_MEMBAR_TYPE: Field = f(369, 368, 0);
    pub const SEQUENTIALLY_RUN_CTAS: Field = f(370, 370, 0);
    pub const CWD_REFERENCE_COUNT_DECR_ENABLE: Field = f(371, 371, 0);
    pub const API_VISIBLE_CALL_LIMIT: Field = f(378, 378, 0);
    pub const SAMPLER_INDEX: Field = f(382, 382, 0);
    pub const DISABLE_AUTO_INVALIDATE: Field = f(383, 383, 0);
    pub const CTA_RASTER_WIDTH: Field = f(415, 384, 0);
    pub const CTA_RASTER_HEIGHT: Field = f(431, 416, 0);
    pub const CTA_RASTER_DEPTH: Field = f(463, 448, 0);
    pub const DEPENDENT_QMD0_POINTER: Field = f(511, 480, 0);
    pub const DEPENDENT_QMD0_ENABLE: Field = f(512, 512, 0);
    pub const DEPENDENT_QMD0_ACTION: Field = f(515, 513, 0);
    pub const DEPENDENT_QMD0_PREFETCH: Field = f(516, 516, 0);
    pub const DEPENDENT_QMD1_ENABLE: Field = f(517, 517, 0);
    pub const DEPENDENT_QMD1_ACTION: Field = f(520, 518, 0);
    pub const DEPENDENT_QMD1_PREFETCH: Field = f(521, 521, 0);
    pub const COALESCE_WAITING_PERIOD: Field = f(529, 522, 0);
    pub const QUEUE_ENTRIES_PER_CTA_LOG2: Field = f(534, 530, 0);
    pub const OCCUPANCY_THRESHOLD_SHARED_MEM: Field = f(542, 535, 0);
    pub const CTA_LAUNCH_QUEUE: Field = f(543, 543, 0);
    pub const SHARED_MEMORY_SIZE: Field = f(561, 544, 0);
    pub const MIN_SM_CONFIG_SHARED_MEM_SIZE: Field = f(567, 562, 0);
    pub const MAX_SM_CONFIG_SHARED_MEM_SIZE: Field = f(574, 569, 0);
    pub const QMD_VERSION: Field = f(579, 576, 0);
    pub const QMD_MAJOR_VERSION: Field = f(583, 580, 0);
    pub const OCCUPANCY_MAX_SHARED_MEM: Field = f(591, 584, 0);
    pub const CTA_THREAD_DIMENSION0: Field = f(607, 592, 0);
    pub const CTA_THREAD_DIMENSION1: Field = f(623, 608, 0);
    pub const CTA_THREAD_DIMENSION2: Field = f(639, 624, 0);
    pub const CONSTANT_BUFFER_VALID: Field = f(640, 640, 1);
    pub const REGISTER_COUNT_V: Field = f(656, 648, 0);
    pub const TARGET_SM_CONFIG_SHARED_MEM_SIZE: Field = f(662, 657, 0);
    pub const SHARED_ALLOCATION_ENABLE: Field = f(663, 663, 0);
    pub const FREE_CTA_SLOTS_EMPTY_SM: Field = f(671, 664, 0);
    pub const SM_DISABLE_MASK_LOWER: Field = f(703, 672, 0);
    pub const SM_DISABLE_MASK_UPPER: Field = f(735, 704, 0);
    pub const SHADER_LOCAL_MEMORY_LOW_SIZE: Field = f(759, 736, 0);
    pub const BARRIER_COUNT: Field = f(767, 763, 0);
    pub const RELEASE0_ADDRESS_LOWER: Field = f(799, 768, 0);
    pub const RELEASE0_ADDRESS_UPPER: Field = f(807, 800, 0);
    pub const RELEASE0_MEMBAR_TYPE: Field = f(819, 819, 0);
    pub const RELEASE0_REDUCTION_OP: Field = f(822, 820, 0);
    pub const RELEASE0_ENABLE: Field = f(823, 823, 0);
    pub const RELEASE0_REDUCTION_FORMAT: Field = f(825, 824, 0);
    pub const RELEASE0_REDUCTION_ENABLE: Field = f(826, 826, 0);
    pub const RELEASE0_TRAP_TYPE: Field = f(828, 827, 0);
    pub const RELEASE0_PAYLOAD64B: Field = f(829, 829, 0);
    pub const RELEASE0_STRUCTURE_SIZE: Field = f(831, 830, 0);
    pub const RELEASE0_PAYLOAD_LOWER: Field = f(863, 832, 0);
    pub const RELEASE0_PAYLOAD_UPPER: Field = f(895, 864, 0);
    pub const RELEASE1_ADDRESS_LOWER: Field = f(927, 896, 0);
    pub const RELEASE1_ADDRESS_UPPER: Field = f(935, 928, 0);
    pub const RELEASE1_MEMBAR_TYPE: Field = f(947, 947, 0);
    pub const RELEASE1_REDUCTION_OP: Field = f(950, 948, 0);
    pub const RELEASE1_ENABLE: Field = f(951, 951, 0);
    pub const RELEASE1_REDUCTION_FORMAT: Field = f(953, 952, 0);
    pub const RELEASE1_REDUCTION_ENABLE: Field = f(954, 954, 0);
    pub const RELEASE1_TRAP_TYPE: Field = f(956, 955, 0);
    pub const RELEASE1_PAYLOAD64B: Field = f(957, 957, 0);
    pub const RELEASE1_STRUCTURE_SIZE: Field = f(959, 958, 0);
    pub const RELEASE1_PAYLOAD_LOWER: Field = f(991, 960, 0);
    pub const RELEASE1_PAYLOAD_UPPER: Field = f(1023, 992, 0);
    pub const CONSTANT_BUFFER_ADDR_LOWER: Field = f(1055, 1024, 64);
    pub const CONSTANT_BUFFER_ADDR_UPPER: Field = f(1072, 1056, 64);
    pub const CONSTANT_BUFFER_PREFETCH_POST: Field = f(1073, 1073, 64);
    pub const CONSTANT_BUFFER_INVALIDATE: Field = f(1074, 1074, 64);
    pub const CONSTANT_BUFFER_SIZE_SHIFTED4: Field = f(1087, 1075, 64);
    pub const PROGRAM_ADDRESS_LOWER: Field = f(1567, 1536, 0);
    pub const PROGRAM_ADDRESS_UPPER: Field = f(1584, 1568, 0);
    pub const SHADER_LOCAL_MEMORY_HIGH_SIZE: Field = f(1623, 1600, 0);
    pub const PROGRAM_PREFETCH_ADDR_UPPER_SHIFTED: Field = f(1640, 1632, 0);
    pub const PROGRAM_PREFETCH_SIZE: Field = f(1649, 1641, 0);
    pub const PROGRAM_PREFETCH_TYPE: Field = f(1651, 1650, 0);
    pub const SASS_VERSION: Field = f(1663, 1656, 0);
    pub const RELEASE2_ADDRESS_LOWER: Field = f(1695, 1664, 0);
    pub const RELEASE2_ADDRESS_UPPER: Field = f(1703, 1696, 0);
    pub const RELEASE2_MEMBAR_TYPE: Field = f(1715, 1715, 0);
    pub const RELEASE2_REDUCTION_OP: Field = f(1718, 1716, 0);
    pub const RELEASE2_ENABLE: Field = f(1719, 1719, 0);
    pub const RELEASE2_REDUCTION_FORMAT: Field = f(1721, 1720, 0);
    pub const RELEASE2_REDUCTION_ENABLE: Field = f(1722, 1722, 0);
    pub const RELEASE2_TRAP_TYPE: Field = f(1724, 1723, 0);
    pub const RELEASE2_PAYLOAD64B: Field = f(1725, 1725, 0);
    pub const RELEASE2_STRUCTURE_SIZE: Field = f(1727, 1726, 0);
    pub const RELEASE2_PAYLOAD_LOWER: Field = f(1759, 1728, 0);
    pub const RELEASE2_PAYLOAD_UPPER: Field = f(1791, 1760, 0);
    pub const OCCUPANCY_THRESHOLD_WARP: Field = f(1799, 1792, 0);
    pub const OCCUPANCY_MAX_WARP: Field = f(1807, 1800, 0);
    pub const OCCUPANCY_THRESHOLD_REGISTER: Field = f(1815, 1808, 0);
    pub const OCCUPANCY_MAX_REGISTER: Field = f(1823, 1816, 0);
    pub const HW_ONLY_INNER_GET: Field = f(1854, 1824, 0);
    pub const HW_ONLY_REQUIRE_SCHEDULING_PCAS: Field = f(1855, 1855, 0);
    pub const HW_ONLY_INNER_PUT: Field = f(1886, 1856, 0);
    pub const HW_ONLY_SPAN_LIST_HEAD_INDEX: Field = f(1917, 1888, 0);
    pub const HW_ONLY_SPAN_LIST_HEAD_INDEX_VALID: Field = f(1919, 1919, 0);
    pub const HW_ONLY_SKED_NEXT_QMD_POINTER: Field = f(1951, 1920, 0);
    pub const HW_ONLY_DEPENDENCE_COUNTER: Field = f(1967, 1952, 0);
    pub const DEBUG_ID_UPPER: Field = f(2015, 1984, 0);
    pub const DEBUG_ID_LOWER: Field = f(2047, 2016, 0);
}

/// QMD V05_00 (Blackwell, classes 0xCDC0 and 0xCEC0): 384 bytes, 256-byte aligned. Field maps: open-gpu-doc,
/// `clcdc0qmd.h`.
pub mod v5 {
    #![expect(missing_docs, reason = "NVIDIA's field names")]
    use super::{Field, f};

    pub const HW_ONLY_SPAN_LIST_HEAD_INDEX: Field = f(29, 0, 0);
    pub const HW_ONLY_SPAN_LIST_HEAD_INDEX_VALID: Field = f(30, 30, 0);
    pub const HW_ONLY_REQUIRE_SCHEDULING_PCAS: Field = f(31, 31, 0);
    pub const HW_ONLY_SKED_NEXT_QMD_POINTER: Field = f(63, 32, 0);
    pub const INNER_GET: Field = f(94, 64, 0);
    pub const INNER_OVERFLOW: Field = f(95, 95, 0);
    pub const INNER_PUT: Field = f(126, 96, 0);
    pub const INNER_STICKY_OVERFLOW: Field = f(127, 127, 0);
    pub const DEPENDENCE_COUNTER: Field = f(143, 128, 0);
    pub const QMD_GROUP_ID: Field = f(149, 144, 0);
    pub const ADD_TO_HEAD_OF_QMD_GROUP_LINKED_LIST: Field = f(150, 150, 0);
    pub const QMD_TYPE: Field = f(153, 151, 0);
    pub const NUM_SUB_TASKS_PER_TASK: Field = f(157, 154, 0);
    pub const REQUIRE_SCHEDULING_PCAS: Field = f(158, 158, 0);
    pub const TPC_DISABLE_MASK_VALID: Field = f(159, 159, 0);
    pub const CIRCULAR_QUEUE_SIZE: Field = f(184, 160, 0);
    pub const HW_ONLY_DEPENDENCE_COUNTER: Field = f(207, 192, 0);
    pub const RESUME_SUB_TASK_ID: Field = f(210, 208, 0);
    pub const COMPLETED_SUB_TASK_MASK: Field = f(218, 211, 0);
    pub const GRID_WIDTH_RESUME: Field = f(255, 224, 0);
    pub const GRID_HEIGHT_RESUME: Field = f(271, 256, 0);
    pub const GRID_DEPTH_RESUME: Field = f(287, 272, 0);
    pub const RELEASE_ENABLE: Field = f(288, 288, 16);
    pub const RELEASE_STRUCTURE_SIZE: Field = f(290, 289, 16);
    pub const RELEASE_MEMBAR_TYPE: Field = f(291, 291, 16);
    pub const RELEASE_REDUCTION_ENABLE: Field = f(292, 292, 16);
    pub const RELEASE_REDUCTION_OP: Field = f(295, 293, 16);
    pub const RELEASE_REDUCTION_FORMAT: Field = f(297, 296, 16);
    pub const RELEASE_TRAP_TYPE: Field = f(299, 298, 16);
    pub const RELEASE_PAYLOAD64B: Field = f(300, 300, 16);
    pub const RELEASE_RESERVED_INFO: Field = f(303, 301, 16);
    pub const DEPENDENT_QMD_ENABLE: Field = f(336, 336, 8);
    pub const DEPENDENT_QMD_ACTION: Field = f(339, 337, 8);
    pub const DEPENDENT_QMD_PREFETCH: Field = f(340, 340, 8);
    pub const SELF_COPY_ON_COMPLETION: Field = f(341, 341, 0);
    pub const DEMOTE_L2_EVICT_LAST: Field = f(342, 342, 0);
    pub const DISABLE_AUTO_INVALIDATE: Field = f(343, 343, 0);
    pub const CORRELATION_ID_INTERNAL: Field = f(349, 349, 0);
    pub const CWD_MEMBAR_TASK_CHASING_ENABLE: Field = f(350, 350, 0);
    pub const SHARED_ALLOCATION_ENABLE: Field = f(351, 351, 0);
    pub const CORRELATION_ID: Field = f(383, 352, 0);
    pub const DEPENDENT_QMD_POINTER: Field = f(415, 384, 32);
    pub const SASS_VERSION: Field = f(455, 448, 0);
    pub const API_VISIBLE_CALL_LIMIT: Field = f(456, 456, 0);
    pub const SAMPLER_INDEX: Field = f(457, 457, 0);
    pub const CONSTANT_BANK_PREFETCH_PRE_MAX_SIZE_SHIFTED8: Field = f(463, 458, 0);
    pub const QMD_MINOR_VERSION: Field = f(467, 464, 0);
    pub const QMD_MAJOR_VERSION: Field = f(471, 468, 0);
    pub const INVALIDATE_TEXTURE_HEADER_CACHE: Field = f(472, 472, 0);
    pub const INVALIDATE_TEXTURE_SAMPLER_CACHE: Field = f(473, 473, 0);
    pub const INVALIDATE_TEXTURE_DATA_CACHE: Field = f(474, 474, 0);
    pub const INVALIDATE_SHADER_DATA_CACHE: Field = f(475, 475, 0);
    pub const INVALIDATE_INSTRUCTION_CACHE: Field = f(476, 476, 0);
    pub const INVALIDATE_SHADER_CONSTANT_CACHE: Field = f(477, 477, 0);
    pub const LATCH_ACQUIRE_INVALIDATE_SHADER_DATA_CACHE: Field = f(478, 478, 0);
    pub const LATCH_ACQUIRE_INVALIDATE_TEXTURE_DATA_CACHE: Field = f(479, 479, 0);
    pub const RELEASE_SEMAPHORE0_ADDR_LOWER: Field = f(511, 480, 0);
    pub const RELEASE_SEMAPHORE0_ADDR_UPPER: Field = f(536, 512, 0);
    pub const RELEASE_SEMAPHORE0_PAYLOAD_LOWER: Field = f(575, 544, 0);
    pub const RELEASE_SEMAPHORE0_PAYLOAD_UPPER: Field = f(607, 576, 0);
    pub const CWD_REFERENCE_COUNT_DELTA_MINUS_ONE: Field = f(615, 608, 0);
    pub const CWD_REFERENCE_COUNT_ID: Field = f(621, 616, 0);
    pub const CWD_REFERENCE_COUNT_INCR_ENABLE: Field = f(622, 622, 0);
    pub const CWD_REFERENCE_COUNT_DECR_ENABLE: Field = f(623, 623, 0);
    pub const CWD_MEMBAR_TYPE: Field = f(625, 624, 0);
    pub const LATCH_ACQUIRE_INVALIDATE_CONSTANT_CACHE: Field = f(626, 626, 0);
    pub const CTA_LAUNCH_QUEUE: Field = f(627, 627, 0);
    pub const FREE_CTA_SLOTS_EMPTY_SM: Field = f(635, 628, 0);
    pub const SYNC_DOMAIN_ID: Field = f(637, 636, 0);
    pub const PRE_EXIT_AT_LAST_CTA_LAUNCH: Field = f(638, 638, 0);
    pub const ENABLE_PROGRAM_PRE_EXIT: Field = f(639, 639, 0);
    pub const ARRIVE_AT_LATCH_ID: Field = f(671, 640, 0);
    pub const WAIT_ON_LATCH_ID: Field = f(703, 672, 0);
    pub const OCCUPANCY_THRESHOLD_SHARED_MEM: Field = f(721, 714, 0);
    pub const OCCUPANCY_MAX_SHARED_MEM: Field = f(729, 722, 0);
    pub const ARRIVE_AT_LATCH_VALID: Field = f(730, 730, 0);
    pub const WAIT_ON_LATCH_VALID: Field = f(731, 731, 0);
    pub const LATCH_RELEASE_INVALIDATE_ENABLE: Field = f(732, 732, 0);
    pub const HOLD_CTA_LAUNCH_UNTIL_PARENT_LATCH_ACQUIRE_AND_CTA_COMPLETE: Field = f(733, 733, 0);
    pub const HOLD_MEMBAR_UNTIL_LATCH_ACQUIRE: Field = f(734, 734, 0);
    pub const PRIORITY_DEMOTE_UNTIL_LATCH_ACQUIRE: Field = f(735, 735, 0);
    pub const OCCUPANCY_THRESHOLD_WARP: Field = f(743, 736, 0);
    pub const OCCUPANCY_MAX_WARP: Field = f(751, 744, 0);
    pub const OCCUPANCY_THRESHOLD_REGISTER: Field = f(759, 752, 0);
    pub const OCCUPANCY_MAX_REGISTER: Field = f(767, 760, 0);
    pub const RELEASE_SEMAPHORE1_ADDR_LOWER: Field = f(799, 768, 0);
    pub const RELEASE_SEMAPHORE1_ADDR_UPPER: Field = f(824, 800, 0);
    pub const RELEASE_SEMAPHORE1_PAYLOAD_LOWER: Field = f(863, 832, 0);
    pub const RELEASE_SEMAPHORE1_PAYLOAD_UPPER: Field = f(895, 864, 0);
    pub const RELEASE_SEMAPHORE2_ADDR_LOWER: Field = f(927, 896, 0);
    pub const RELEASE_SEMAPHORE2_ADDR_UPPER: Field = f(952, 928, 0);
    pub const RELEASE_SEMAPHORE2_PAYLOAD_LOWER: Field = f(991, 960, 0);
    pub const RELEASE_SEMAPHORE2_PAYLOAD_UPPER: Field = f(1023, 992, 0);
    pub const PROGRAM_ADDRESS_LOWER_SHIFTED4: Field = f(1055, 1024, 0);
    pub const PROGRAM_ADDRESS_UPPER_SHIFTED4: Field = f(1076, 1056, 0);
    pub const PROGRAM_PREFETCH_SIZE: Field = f(1085, 1077, 0);
    pub const PROGRAM_PREFETCH_TYPE: Field = f(1087, 1086, 0);
    pub const CTA_THREAD_DIMENSION0: Field = f(1103, 1088, 0);
    pub const CTA_THREAD_DIMENSION1: Field = f(1119, 1104, 0);
    pub const CTA_THREAD_DIMENSION2: Field = f(1127, 1120, 0);
    pub const REGISTER_COUNT: Field = f(1136, 1128, 0);
    pub const BARRIER_COUNT: Field = f(1141, 1137, 0);
    pub const ICC_PREFETCH_SIZE: Field = f(1147, 1142, 0);
    pub const SHARED_MEMORY_SIZE_SHIFTED7: Field = f(1162, 1152, 0);
    pub const MIN_SM_CONFIG_SHARED_MEM_SIZE: Field = f(1168, 1163, 0);
    pub const MAX_SM_CONFIG_SHARED_MEM_SIZE: Field = f(1174, 1169, 0);
    pub const TARGET_SM_CONFIG_SHARED_MEM_SIZE: Field = f(1180, 1175, 0);
    pub const SHARED_MEM_BARRIER_INIT_ENABLE: Field = f(1181, 1181, 0);
    pub const SHADER_LOCAL_MEMORY_LOW_SIZE_SHIFTED4: Field = f(1199, 1184, 0);
    pub const SHADER_LOCAL_MEMORY_HIGH_SIZE_SHIFTED4: Field = f(1215, 1200, 0);
    pub const VIRTUAL_RESOURCE_COUNT: Field = f(1223, 1216, 0);
    pub const GRID_WIDTH: Field = f(1279, 1248, 0);
    pub const GRID_HEIGHT: Field = f(1295, 1280, 0);
    pub const GRID_DEPTH: Field = f(1327, 1312, 0);
    pub const CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6: Field = f(1375, 1344, 64);
    pub const CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6: Field = f(1394, 1376, 64);
    pub const CONSTANT_BUFFER_SIZE_SHIFTED4: Field = f(1407, 1395, 64);
    pub const CONSTANT_BUFFER_VALID: Field = f(1856, 1856, 4);
    pub const CONSTANT_BUFFER_PREFETCH: Field = f(1858, 1857, 4);
    pub const CONSTANT_BUFFER_INVALIDATE: Field = f(1859, 1859, 4);
    pub const PROGRAM_PREFETCH_ADDR_LOWER_SHIFTED: Field = f(1919, 1888, 0);
    pub const PROGRAM_PREFETCH_ADDR_UPPER_SHIFTED: Field = f(1936, 1920, 0);
    pub const GPC_CGA_WIDTH: Field = f(2053, 2048, 0);
    pub const GPC_CGA_HEIGHT: Field = f(2061, 2056, 0);
    pub const GPC_CGA_DEPTH: Field = f(2069, 2064, 0);
    pub const LARGE_GPC_CGA_WIDTH_MINUS_ONE: Field = f(2075, 2072, 0);
    pub const LARGE_GPC_CGA_HEIGHT_MINUS_ONE: Field = f(2079, 2076, 0);
    pub const CGA_CTA_DISTRIBUTION_MODE: Field = f(2111, 2111, 0);
    pub const GPU_CGA_WIDTH: Field = f(2127, 2112, 0);
    pub const GPU_CGA_HEIGHT: Field = f(2143, 2128, 0);
    pub const GPU_CGA_DEPTH: Field = f(2159, 2144, 0);
    pub const DEBUG_ID_LOWER: Field = f(2207, 2176, 0);
    pub const DEBUG_ID_UPPER: Field = f(2239, 2208, 0);
    pub const TPC_DISABLE_MASK: Field = f(2271, 2240, 32);
    pub const INCOMPLETE_BOX_BASE_WIDTH_RESUME: Field = f(2527, 2496, 0);
    pub const INCOMPLETE_BOX_BASE_HEIGHT_RESUME: Field = f(2543, 2528, 0);
    pub const INCOMPLETE_BOX_BASE_DEPTH_RESUME: Field = f(2559, 2544, 0);
    pub const INCOMPLETE_BOX_OFFSET_WIDTH_RESUME: Field = f(2563, 2560, 0);
    pub const INCOMPLETE_BOX_OFFSET_HEIGHT_RESUME: Field = f(2567, 2564, 0);
    pub const QUEUE_ENTRIES_PER_CTA_LOG2: Field = f(2596, 2592, 0);
    pub const HW_ONLY_INNER_GET: Field = f(2654, 2624, 0);
    pub const HW_ONLY_INNER_PUT: Field = f(2686, 2656, 0);
    pub const OUTER_PUT: Field = f(3038, 3008, 0);
    pub const OUTER_OVERFLOW: Field = f(3039, 3039, 0);
    pub const OUTER_GET: Field = f(3070, 3040, 0);
    pub const OUTER_STICKY_OVERFLOW: Field = f(3071, 3071, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip_across_words() {
        let mut words = [0u32; 96];
        v4::PROGRAM_ADDRESS_UPPER.set(&mut words, 0, 0x123_4567);
        v4::PROGRAM_ADDRESS_LOWER.set(&mut words, 0, 0x89ab_cdef);
        v4::CONSTANT_BUFFER_SIZE_SHIFTED4.set(&mut words, 3, 0x1555);
        assert_eq!(v4::PROGRAM_ADDRESS_LOWER.get(&words, 0), 0x89ab_cdef);
        assert_eq!(v4::PROGRAM_ADDRESS_UPPER.get(&words, 0), 0x123_4567);
        assert_eq!(v4::CONSTANT_BUFFER_SIZE_SHIFTED4.get(&words, 3), 0x1555);
        assert_eq!(v4::CONSTANT_BUFFER_SIZE_SHIFTED4.get(&words, 2), 0);
    }
}
