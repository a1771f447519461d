//! RM escapes on `/dev/nvidiactl` and `/dev/nvidiaN`: one table, one row each.

mod device;
mod event;
mod heap;
mod map;
mod object;

use std::sync::Arc;

use abi::nv::escapes::{self, Node as Rule};
use door::Node;
use rustix::io::Errno;

use crate::file::OpenFile;
use crate::kernel::Kernel;
use crate::klog::Level;
use crate::usermem::UserMem;

/// A call under way.
pub struct Call<'a> {
    /// The kernel half.
    pub kernel: &'a Kernel,
    /// The file it came from.
    pub file: &'a Arc<OpenFile>,
    /// The caller.
    pub user: &'a mut dyn UserMem,
}

type Handler = fn(&mut Call<'_>, &mut [u8]) -> Result<(), Errno>;

/// Row of the table: number and handler; name, sizes and node rule are in `abi::nv::escapes`.
static ROWS: &[(u32, Handler)] = &[
    (escapes::RM_ALLOC_MEMORY, object::alloc_memory),
    (escapes::RM_FREE, object::free),
    (escapes::RM_CONTROL, object::control),
    (escapes::RM_ALLOC, object::alloc),
    (escapes::RM_DUP_OBJECT, object::dup),
    (escapes::RM_SHARE, object::share),
    (escapes::RM_IDLE_CHANNELS, object::idle_channels),
    (escapes::RM_VID_HEAP_CONTROL, heap::control),
    (escapes::RM_MAP_MEMORY, map::map),
    (escapes::RM_UNMAP_MEMORY, map::unmap),
    (escapes::RM_MAP_MEMORY_DMA, map::map_dma),
    (escapes::RM_UNMAP_MEMORY_DMA, map::unmap_dma),
    (escapes::RM_UPDATE_DEVICE_MAPPING_INFO, map::update),
    (escapes::RM_GET_EVENT_DATA, event::get_data),
    (escapes::ALLOC_OS_EVENT, event::alloc),
    (escapes::FREE_OS_EVENT, event::free),
    (escapes::CARD_INFO, device::card_info),
    (escapes::REGISTER_FD, device::register_fd),
    (escapes::STATUS_CODE, device::status_code),
    (escapes::CHECK_VERSION_STR, device::check_version),
    (escapes::ATTACH_GPUS_TO_FD, device::attach_gpus),
    (escapes::QUERY_DEVICE_INTR, device::query_intr),
    (escapes::SYS_PARAMS, device::sys_params),
    (escapes::NUMA_INFO, device::numa_info),
    (escapes::WAIT_OPEN_COMPLETE, device::wait_open),
];

/// Numbers that have a handler.
#[must_use]
pub fn handled() -> Vec<u32> {
    ROWS.iter().map(|(number, _)| *number).collect()
}

/// Runs an escape: unknown number, wrong size or wrong node is `EINVAL`.
///
/// # Errors
/// The errno of the system call.
pub fn dispatch(
    kernel: &Kernel,
    file: &Arc<OpenFile>,
    number: u32,
    arg: &mut [u8],
    user: &mut dyn UserMem,
) -> Result<(), Errno> {
    let row = escapes::find(number);
    let handler = ROWS
        .iter()
        .find(|(n, _)| *n == number)
        .map(|(_, handler)| *handler);
    let (Some(row), Some(handler)) = (row, handler) else {
        let name = row.map_or("unknown", |r| r.name);
        kernel.log().once(
            Level::Notice,
            &format!("escape {number:#x}"),
            &format!(
                "NVRM: unsupported ioctl 0x{number:02x} ({name}), size 0x{:x}",
                arg.len()
            ),
        );
        return Err(Errno::INVAL);
    };
    let control = file.node == Node::Control;
    let right_node = match row.node {
        Rule::Any => true,
        Rule::Control => control,
        Rule::Device => !control,
    };
    let right_size = row.params.is_empty()
        || row.params.iter().any(|name| {
            kernel.sizes.of(name).and_then(|s| usize::try_from(s).ok()) == Some(arg.len())
        });
    if !right_node || !right_size {
        kernel.log().once(
            Level::Notice,
            &format!("escape {number:#x} node/size {}", arg.len()),
            &format!(
                "NVRM: ioctl 0x{number:02x} ({}) refused: size 0x{:x} on {}",
                row.name,
                arg.len(),
                file.node.path()
            ),
        );
        return Err(Errno::INVAL);
    }
    handler(&mut Call { kernel, file, user }, arg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_an_escape() {
        for (number, _) in ROWS {
            assert!(escapes::find(*number).is_some(), "{number:#x}");
        }
    }
}
