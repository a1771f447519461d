//! RM_VID_HEAP_CONTROL: the older allocator interface (NVOS32), which libcuda uses.

use rustix::io::Errno;

use super::Call;
use super::object::free_object;
use crate::class::{self, AllocMemory};
use crate::params::{put_u32, put_u64, u32_at, u64_at};
use crate::status::{RmResult, Status};

/// `NVOS32_FUNCTION_*`.
const ALLOC_SIZE: u32 = 2;
const FREE: u32 = 3;
const INFO: u32 = 5;
const ALLOC_SIZE_RANGE: u32 = 14;
const GET_MEM_ALIGNMENT: u32 = 18;

/// The escape. Layout of NVOS32 for each function: nv-abi.md §2.5.
pub(super) fn control(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let result = run(call, arg);
    put_u32(arg, 0x14, crate::status::code(result));
    Ok(())
}

fn run(call: &mut Call<'_>, arg: &mut [u8]) -> RmResult {
    let (client, parent) = (u32_at(arg, 0), u32_at(arg, 4));
    match u32_at(arg, 8) {
        function @ (ALLOC_SIZE | ALLOC_SIZE_RANGE) => {
            let range =
                (function == ALLOC_SIZE_RANGE).then(|| (u64_at(arg, 0x80), u64_at(arg, 0x88)));
            let done = class::alloc_memory(
                call,
                AllocMemory {
                    client,
                    parent,
                    handle: u32_at(arg, 0x2c),
                    class: None,
                    size: u64_at(arg, 0x58),
                    alignment: u64_at(arg, 0x60),
                    flags: u32_at(arg, 0x34),
                    attr: u32_at(arg, 0x38),
                    offset: u64_at(arg, 0x68),
                    range,
                    space: u32_at(arg, 0x0c),
                },
            )?;
            put_u32(arg, 0x2c, done.handle);
            put_u64(arg, 0x58, done.size);
            put_u64(arg, 0x68, done.offset);
            put_u64(
                arg,
                0x70,
                done.offset.saturating_add(done.size).saturating_sub(1),
            );
            put_u32(arg, 0x38, done.attr);
            totals(call, client, parent, arg)
        }
        FREE => {
            free_object(call, client, u32_at(arg, 0x2c))?;
            totals(call, client, parent, arg)
        }
        INFO => totals(call, client, parent, arg),
        GET_MEM_ALIGNMENT => {
            call.kernel.tree().client(client, &call.file.owner)?;
            // {alignType, alignAttr, alignInputFlags, alignSize u64, alignHeight, ...}: big pages.
            put_u64(
                arg,
                0x38,
                u64_at(arg, 0x38).next_multiple_of(crate::memory::VIDEO_GRAIN),
            );
            Ok(())
        }
        _ => Err(Status::INVALID_FUNCTION),
    }
}

/// Bytes of the heap and bytes free.
fn totals(call: &Call<'_>, client: u32, parent: u32, arg: &mut [u8]) -> RmResult {
    let gpu = {
        let tree = call.kernel.tree();
        tree.client(client, &call.file.owner)?
            .object(parent)?
            .gpu
            .clone()
    };
    let gpu = gpu.ok_or(Status::INVALID_OBJECT_PARENT)?;
    put_u64(arg, 0x18, gpu.framebuffer.total());
    put_u64(arg, 0x20, gpu.framebuffer.free());
    Ok(())
}
