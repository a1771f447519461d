//! RM controls: one table, one row each.
//!
//! A row has a number, the size of its parameters (by the struct's name, so it follows the advertised version), the
//! class of object it is for, and a handler. Unknown commands are logged once, counted, and answered
//! `NV_ERR_NOT_SUPPORTED`, as the driver does.

mod bus;
mod channel;
mod ecc;
mod fb;
mod gpu;
mod gr;
mod legacy;
mod system;
mod vendor;

use std::sync::Arc;

use abi::nv::classes::{NV01_DEVICE_0, NV20_SUBDEVICE_0};
use abi::nv::controls;
use abi::nv::escape_params::NVOS54_PARAMETERS;

use crate::escape::Call;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::klog::Level;
use crate::object::Body;
use crate::status::{RmResult, Status};
use crate::usermem::UserMem;

/// A control under way.
pub struct Control<'a> {
    /// The kernel half.
    pub kernel: &'a Kernel,
    /// The caller's file.
    pub file: &'a Arc<crate::file::OpenFile>,
    /// The caller.
    pub user: &'a mut dyn UserMem,
    /// Client.
    pub client: u32,
    /// Object.
    pub object: u32,
    /// GPU of the object; a client has none.
    pub gpu: Option<Arc<Gpu>>,
    /// What the object is.
    pub body: Body,
}

impl Control<'_> {
    /// The object's GPU.
    ///
    /// # Errors
    /// [`Status::INVALID_OBJECT`] for a client.
    pub fn gpu(&self) -> RmResult<&Arc<Gpu>> {
        self.gpu.as_ref().ok_or(Status::INVALID_OBJECT)
    }
}

/// How many bytes a control's parameters have.
#[derive(Clone, Copy, Debug)]
enum Size {
    /// The struct that `abi::nv::controls` names.
    Table,
    /// This struct.
    Of(&'static str),
    /// That many.
    Bytes(usize),
}

/// What kind of object a control is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    Client,
    Device,
    Subdevice,
    Channel,
    Tsg,
    Any,
}

type Handler = fn(&mut Control<'_>, &mut [u8]) -> RmResult;

struct Row {
    number: u32,
    on: On,
    size: Size,
    handler: Handler,
}

const fn row(number: u32, on: On, size: Size, handler: Handler) -> Row {
    Row {
        number,
        on,
        size,
        handler,
    }
}

/// Succeeds and changes nothing: settings that mean nothing on a virtual GPU.
fn accept(_: &mut Control<'_>, _: &mut [u8]) -> RmResult {
    Ok(())
}

/// Succeeds with zeros.
fn zeros(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    params.fill(0);
    Ok(())
}

use On::{Any, Channel, Client, Device, Subdevice, Tsg};
use Size::{Bytes, Of, Table};

/// The table, ascending.
static ROWS: &[Row] = &[
    // NV01_ROOT_CLIENT
    row(0x0000_0101, Client, Table, system::build_version),
    row(0x0000_0127, Client, Table, system::p2p_caps),
    row(
        0x0000_013e,
        Client,
        Of("NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS"),
        system::build_version_v2,
    ),
    row(0x0000_01f0, Client, Table, zeros),
    row(0x0000_0201, Client, Table, gpu::attached_ids),
    row(0x0000_0202, Client, Table, gpu::id_info),
    row(
        0x0000_0205,
        Client,
        Of("NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS"),
        gpu::id_info_v2,
    ),
    row(0x0000_0214, Client, Table, gpu::probed_ids),
    row(0x0000_0215, Client, Table, gpu::attach_ids),
    row(0x0000_0216, Client, Table, accept),
    row(0x0000_021b, Client, Table, gpu::pci_info),
    row(0x0000_0275, Client, Table, gpu::uuid_from_id),
    row(0x0000_0279, Client, Table, gpu::drain_state),
    row(0x0000_027b, Client, Table, zeros),
    row(
        0x0000_0a04,
        Client,
        Of("NV0000_SYNC_GPU_BOOST_GROUP_INFO_PARAMS"),
        zeros,
    ),
    row(0x0000_0b02, Client, Table, gpu::accounting_state),
    row(0x0000_0d01, Client, Table, system::address_space_type),
    row(0x0000_0d04, Client, Table, system::share_policy),
    row(
        abi::vendor::CTRL_IDENTIFY,
        Client,
        Bytes(size_of::<abi::vendor::IdentifyParams>()),
        vendor::identify,
    ),
    row(
        abi::vendor::CTRL_FAULT_INFO,
        Client,
        Bytes(size_of::<abi::vendor::FaultInfoParams>()),
        vendor::fault_info,
    ),
    // NV04_DISPLAY_COMMON: headless.
    row(0x0073_0102, Any, Table, zeros),
    row(0x0073_0107, Any, Table, zeros),
    row(0x0073_0108, Any, Table, zeros),
    // The two above as clients of the 535 driver number them.
    row(0x0073_0120, Any, Bytes(12), zeros),
    row(0x0073_0122, Any, Bytes(16), zeros),
    // NV01_DEVICE_0
    row(0x0080_0201, Device, Table, gpu::class_list),
    row(0x0080_0280, Device, Table, gpu::subdevices),
    row(0x0080_0287, Device, Table, gpu::set_persistence),
    row(0x0080_0288, Device, Table, gpu::persistence),
    row(0x0080_0289, Device, Table, zeros),
    row(0x0080_028b, Device, Bytes(1), zeros),
    row(0x0080_028e, Device, Bytes(1), zeros),
    row(
        0x0080_0292,
        Device,
        Of("NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS"),
        gpu::class_list_v2,
    ),
    row(0x0080_0294, Device, Table, zeros),
    row(
        0x0080_1307,
        Device,
        Of("NV0080_CTRL_FB_GET_CAPS_V2_PARAMS"),
        zeros,
    ),
    row(
        0x0080_1402,
        Device,
        Of("NV0080_CTRL_HOST_GET_CAPS_V2_PARAMS"),
        zeros,
    ),
    row(0x0080_170d, Device, Table, channel::channel_list),
    // NV20_SUBDEVICE_0
    row(
        0x2080_0102,
        Subdevice,
        Of("NV2080_CTRL_GPU_GET_INFO_V2_PARAMS"),
        gpu::info_v2,
    ),
    row(0x2080_0110, Subdevice, Table, gpu::name),
    row(0x2080_0111, Subdevice, Table, gpu::short_name),
    row(0x2080_0119, Subdevice, Table, zeros),
    row(0x2080_012f, Subdevice, Table, ecc::status),
    row(0x2080_0130, Subdevice, Table, gpu::set_compute_mode),
    row(0x2080_0131, Subdevice, Table, gpu::compute_mode),
    row(0x2080_0133, Subdevice, Table, ecc::configuration),
    row(0x2080_0134, Subdevice, Table, ecc::set_configuration),
    row(0x2080_0136, Subdevice, Table, ecc::clear),
    row(0x2080_013f, Subdevice, Table, gpu::board_info),
    row(0x2080_0142, Subdevice, Table, gpu::id),
    row(0x2080_014a, Subdevice, Table, gpu::gid),
    row(0x2080_0157, Subdevice, Bytes(0), ecc::support),
    // No encoder, no frame capture: no sessions.
    row(0x2080_016d, Subdevice, Table, zeros),
    row(
        0x2080_0170,
        Subdevice,
        Of("NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS"),
        gpu::engines,
    ),
    row(0x2080_017b, Subdevice, Table, zeros),
    row(0x2080_018b, Subdevice, Table, zeros),
    row(0x2080_018d, Subdevice, Table, gpu::pids),
    row(0x2080_018e, Subdevice, Table, gpu::pid_info),
    row(0x2080_0301, Subdevice, Table, channel::set_notification),
    row(0x2080_0403, Subdevice, Table, gpu::timer),
    row(0x2080_0406, Subdevice, Table, gpu::time_correlation),
    row(0x2080_0802, Subdevice, Table, gpu::bios_info),
    row(0x2080_110b, Subdevice, Table, accept),
    row(0x2080_1201, Subdevice, Table, gr::info),
    row(0x2080_1210, Subdevice, Table, accept),
    row(0x2080_1218, Subdevice, Table, gr::context_size),
    row(
        0x2080_121b,
        Subdevice,
        Of("NV2080_CTRL_GR_GET_GLOBAL_SM_ORDER_PARAMS"),
        gr::sm_order,
    ),
    row(
        0x2080_1227,
        Subdevice,
        Of("NV2080_CTRL_GR_GET_CAPS_V2_PARAMS"),
        gr::caps,
    ),
    row(0x2080_122a, Subdevice, Table, gr::gpc_mask),
    row(0x2080_122b, Subdevice, Table, gr::tpc_mask),
    row(0x2080_1230, Subdevice, Table, gr::issue_rate),
    row(
        0x2080_1303,
        Subdevice,
        Of("NV2080_CTRL_FB_GET_INFO_V2_PARAMS"),
        fb::info_v2,
    ),
    row(0x2080_130e, Subdevice, Table, accept),
    row(0x2080_1344, Subdevice, Table, ecc::remapped_rows),
    row(0x2080_1701, Subdevice, Table, gpu::arch),
    row(0x2080_1702, Subdevice, Table, accept),
    row(0x2080_1801, Subdevice, Table, bus::pci_info),
    row(0x2080_1802, Subdevice, Table, bus::info),
    row(0x2080_1803, Subdevice, Table, bus::bar_info),
    row(
        0x2080_1823,
        Subdevice,
        Of("NV2080_CTRL_BUS_GET_INFO_V2_PARAMS"),
        bus::info_v2,
    ),
    row(0x2080_200a, Subdevice, Table, accept),
    row(0x2080_2068, Subdevice, Table, legacy::pstate),
    row(0x2080_2209, Subdevice, Table, zeros),
    row(0x2080_220c, Subdevice, Bytes(0), accept),
    row(0x2080_2210, Subdevice, Bytes(0), accept),
    row(
        0x2080_2a0a,
        Subdevice,
        Of("NV2080_CTRL_CE_GET_ALL_CAPS_PARAMS"),
        gpu::copy_caps,
    ),
    row(0x2080_3001, Subdevice, Table, zeros),
    row(0x2080_3400, Subdevice, Table, ecc::exposed_counters),
    row(0x2080_3401, Subdevice, Table, ecc::volatile_counts),
    row(0x2080_3601, Subdevice, Table, gpu::gsp_features),
    row(
        abi::vendor::CTRL_BOARD,
        Subdevice,
        Bytes(size_of::<abi::vendor::BoardParams>()),
        vendor::board,
    ),
    row(abi::vendor::CTRL_RESET, Subdevice, Bytes(0), vendor::reset),
    row(
        abi::vendor::CTRL_ACCOUNTING,
        Subdevice,
        Bytes(abi::vendor::ACCOUNTING_BYTES),
        vendor::accounting,
    ),
    row(
        abi::vendor::CTRL_LINKS,
        Subdevice,
        Bytes(size_of::<abi::vendor::LinksParams>()),
        vendor::links,
    ),
    row(
        abi::vendor::CTRL_SHARES,
        Subdevice,
        Bytes(abi::vendor::SHARES_BYTES),
        vendor::shares,
    ),
    row(0x2080_8159, Subdevice, Bytes(332), zeros),
    row(0x2080_8513, Subdevice, Bytes(1432), legacy::thermal),
    row(0x2080_9009, Subdevice, Bytes(8), legacy::clock_domains),
    row(0x2080_a068, Subdevice, Bytes(4), legacy::pstate),
    row(0x2080_a097, Subdevice, Bytes(1168), legacy::utilization),
    row(0x2080_a637, Subdevice, Bytes(88024), legacy::power),
    // Channel groups and channels
    row(
        0xa06c_0101,
        Tsg,
        Of("NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS"),
        channel::schedule_group,
    ),
    row(0xa06c_0103, Tsg, Table, accept),
    row(0xa06c_0105, Tsg, Table, accept),
    row(
        0xa06f_0103,
        Channel,
        Of("NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS"),
        channel::schedule,
    ),
    row(0xa06f_0104, Channel, Table, accept),
    row(0xc36f_0101, Any, Bytes(8), channel::engine_id),
    row(
        0xc36f_0108,
        Channel,
        Of("NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS"),
        channel::token,
    ),
    row(
        0xcb33_0101,
        Any,
        Of("NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_CAPABILITIES_PARAMS"),
        zeros,
    ),
];

/// Largest parameters of any row.
const LARGEST: usize = 128 << 10;

fn size_of_row(kernel: &Kernel, row: &Row) -> Option<usize> {
    let named = |name: &str| kernel.sizes.of(name).and_then(|s| usize::try_from(s).ok());
    match row.size {
        Size::Bytes(n) => Some(n),
        Size::Of(name) => named(name),
        Size::Table => controls::find(row.number).and_then(|c| {
            if c.params.is_empty() {
                Some(0)
            } else {
                named(c.params)
            }
        }),
    }
}

/// Numbers of all rows with their parameter sizes at this kernel half's version.
#[must_use]
pub fn handled(kernel: &Kernel) -> Vec<(u32, usize)> {
    ROWS.iter()
        .filter_map(|r| Some((r.number, size_of_row(kernel, r)?)))
        .collect()
}

/// Runs a control.
///
/// # Errors
/// The RM status.
pub fn dispatch(call: &mut Call<'_>, params: &NVOS54_PARAMETERS) -> RmResult {
    let kernel = call.kernel;
    let (on, gpu, body) = {
        let tree = kernel.tree();
        let client = tree.client(params.hClient, &call.file.owner)?;
        if params.hObject == params.hClient {
            (Client, None, Body::Plain)
        } else {
            let object = client.object(params.hObject)?;
            let on = match (&object.body, object.class) {
                (_, NV01_DEVICE_0) => Device,
                (_, NV20_SUBDEVICE_0) => Subdevice,
                (Body::Channel(_), _) => Channel,
                (Body::Tsg(_), _) => Tsg,
                _ => Any,
            };
            (on, object.gpu.clone(), object.body.clone())
        }
    };
    // What the fault of a channel was stays known.
    if gpu
        .as_ref()
        .is_some_and(|g| g.lost.load(std::sync::atomic::Ordering::Relaxed))
        && params.cmd != abi::vendor::CTRL_FAULT_INFO
    {
        return Err(Status::GPU_IS_LOST);
    }
    let row = ROWS.iter().find(|r| r.number == params.cmd);
    let Some((row, size)) = row.and_then(|r| Some((r, size_of_row(kernel, r)?))) else {
        let name = controls::find(params.cmd).map_or("unknown", |c| c.name);
        kernel.log().once(
            Level::Notice,
            &format!("control {:#010x}", params.cmd),
            &format!(
                "NVRM: control 0x{:08x} ({name}), {} bytes, is not supported (pid {}, {})",
                params.cmd, params.paramsSize, call.file.owner.pid, call.file.owner.name
            ),
        );
        return Err(Status::NOT_SUPPORTED);
    };
    if usize::try_from(params.paramsSize) != Ok(size) || size > LARGEST {
        return Err(Status::INVALID_PARAM_STRUCT);
    }
    if row.on != Any && row.on != on {
        return Err(Status::INVALID_ARGUMENT);
    }
    if size != 0 && params.params == 0 {
        return Err(Status::INVALID_POINTER);
    }
    let mut bytes = vec![0; size];
    if size != 0 {
        call.user
            .read(params.params, &mut bytes)
            .map_err(|_| Status::INVALID_ADDRESS)?;
    }
    let mut control = Control {
        kernel,
        file: call.file,
        user: call.user,
        client: params.hClient,
        object: params.hObject,
        gpu,
        body,
    };
    (row.handler)(&mut control, &mut bytes)?;
    if size != 0 {
        call.user
            .write(params.params, &bytes)
            .map_err(|_| Status::INVALID_ADDRESS)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::nv::sizes::{Sizes, Version};

    #[test]
    fn rows_are_sorted_and_have_sizes() {
        assert!(ROWS.windows(2).all(|w| w[0].number < w[1].number));
        for version in ["535.309.01", "550.163.01", "580.142"] {
            let sizes = Sizes::at(Version::parse(version).expect("version"));
            for row in ROWS {
                match row.size {
                    Size::Bytes(_) => {}
                    Size::Of(name) => assert!(sizes.of(name).is_some(), "{name} at {version}"),
                    Size::Table => {
                        let control = controls::find(row.number);
                        let control = control
                            .unwrap_or_else(|| panic!("{:#x} is not in the table", row.number));
                        let known = control.params.is_empty() || sizes.of(control.params).is_some();
                        assert!(
                            known || version != "580.142",
                            "{:#x} {} at {version}",
                            row.number,
                            control.params
                        );
                    }
                }
            }
        }
    }
}
