//! Compares this crate's structs and control numbers with tables computed from NVIDIA's public headers
//! (`ANTLERITE_FACTS`, else `../shared/facts` beside the repository). Where the tables are absent: not judged.
#![expect(clippy::print_stdout, reason = "says why it does not judge")]

use abi::nv::{
    alloc_params as alloc, control_params as ctl, escape_params as esc, sizes, uvm_params as uvm,
};
use serde_json::Value;
use std::path::PathBuf;

fn facts() -> Option<PathBuf> {
    let dir = std::env::var_os("ANTLERITE_FACTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/facts"),
        PathBuf::from,
    );
    if dir.join("abi/580.142/layouts.json").is_file() {
        return Some(dir);
    }
    println!(
        "not judged: no layout tables at {} (set ANTLERITE_FACTS)",
        dir.display()
    );
    None
}

fn load(path: PathBuf) -> Value {
    let text = std::fs::read_to_string(&path).expect("readable table");
    serde_json::from_str(&text).expect("JSON table")
}

/// Asserts size and the offset of every named field against the table.
macro_rules! check {
    ($table:ident: $($module:ident :: $name:ident { $($field:ident),* })*) => {
        $({
            let want = &$table[stringify!($name)];
            assert_eq!(want["size"], std::mem::size_of::<$module::$name>(), "size of {}", stringify!($name));
            $(
                let field = want["fields"].as_array().expect("fields").iter().find(|f| f[3] == stringify!($field));
                let field = field.unwrap_or_else(|| panic!("{} has no {}", stringify!($name), stringify!($field)));
                assert_eq!(field[0], std::mem::offset_of!($module::$name, $field),
                    "{}.{}", stringify!($name), stringify!($field));
            )*
        })*
    };
}

#[test]
fn structs_match_the_headers() {
    let Some(dir) = facts() else { return };
    let table = load(dir.join("abi/580.142/layouts.json"));
    check! { table:
        esc::NVOS00_PARAMETERS { hRoot, hObjectParent, hObjectOld, status }
        esc::NVOS02_PARAMETERS { hRoot, hClass, flags, pMemory, limit, status }
        esc::NVOS21_PARAMETERS { hRoot, hClass, pAllocParms, paramsSize, status }
        esc::NVOS64_PARAMETERS { hRoot, hObjectNew, hClass, pAllocParms, pRightsRequested, paramsSize, flags, status }
        esc::NVOS33_PARAMETERS { hClient, hMemory, offset, length, pLinearAddress, status, flags }
        esc::NVOS46_PARAMETERS { hDma, hMemory, offset, length, flags, flags2, kindOverride, dmaOffset, status }
        esc::NVOS47_PARAMETERS { hDma, dmaOffset, size, status }
        esc::NVOS54_PARAMETERS { hClient, hObject, cmd, flags, params, paramsSize, status }
        esc::NVOS55_PARAMETERS { hClient, hParent, hObject, hClientSrc, hObjectSrc, flags, status }
        esc::nv_ioctl_card_info_t { valid, pci_info, gpu_id, fb_size, minor_number, dev_name }
        esc::nv_ioctl_rm_api_version_t { cmd, reply, versionString }
        alloc::NV_CHANNEL_ALLOC_PARAMS { hObjectError, gpFifoOffset, gpFifoEntries, hUserdMemory, userdOffset, engineType }
        alloc::NV_MEMORY_ALLOCATION_PARAMS { owner, flags, attr, size, alignment, offset, limit, hVASpace }
        alloc::NV_VASPACE_ALLOCATION_PARAMETERS { flags, vaSize, vaBase }
        alloc::NV0005_ALLOC_PARAMETERS { hParentClient, hSrcResource, hClass, notifyIndex, data }
        ctl::NV2080_CTRL_FB_GET_INFO_V2_PARAMS { fbInfoListSize, fbInfoList }
        ctl::NV2080_CTRL_GPU_GET_PID_INFO_PARAMS { pidInfoListCount, pidInfoList }
        ctl::NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS { gpuId, deviceInstance, subDeviceInstance, numaId }
        uvm::UVM_MAP_EXTERNAL_ALLOCATION_PARAMS { base, length, offset, perGpuAttributes, gpuAttributesCount, rmCtrlFd, hClient, hMemory, rmStatus }
        uvm::UVM_REGISTER_GPU_PARAMS { gpu_uuid, numaEnabled, rmCtrlFd, hClient, rmStatus }
        uvm::UVM_MIGRATE_PARAMS { base, length, destinationUuid, flags, semaphoreAddress, semaphorePayload, userSpaceStart, rmStatus }
        uvm::UVM_SET_PREFERRED_LOCATION_PARAMS { preferredLocation, preferredCpuNumaNode, rmStatus }
    }
}

#[test]
fn control_numbers_match_the_headers() {
    let Some(dir) = facts() else { return };
    let table = load(dir.join("abi/580.142/cmds.json"));
    let table = table.as_object().expect("object");
    for control in abi::nv::controls::CONTROLS {
        assert_eq!(
            table[control.name].as_u64(),
            Some(u64::from(control.number)),
            "{}",
            control.name
        );
    }
    for (name, number) in table {
        let number = u32::try_from(number.as_u64().expect("number")).expect("32 bits");
        assert!(
            name.ends_with("_NULL") || abi::nv::controls::find(number).is_some(),
            "{name} is missing"
        );
    }
}

#[test]
fn sizes_match_every_version_with_a_table() {
    let Some(dir) = facts() else { return };
    let mut versions = 0;
    for entry in std::fs::read_dir(dir.join("abi")).expect("abi tables") {
        let entry = entry.expect("entry");
        let version =
            sizes::Version::parse(entry.file_name().to_str().expect("utf-8")).expect("version");
        let ours = sizes::Sizes::at(version);
        for (name, layout) in load(entry.path().join("layouts.json"))
            .as_object()
            .expect("object")
        {
            if let Some(bytes) = ours.of(name) {
                assert_eq!(layout["size"], bytes, "{name} at {version:?}");
            }
        }
        versions += 1;
    }
    assert!(versions >= 5, "only {versions} versions compared");
}
