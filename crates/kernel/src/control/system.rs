//! Controls of the client: versions, address spaces, share policy.

use abi::nv::control_params::{
    NV0000_CTRL_CLIENT_GET_ADDR_SPACE_TYPE_PARAMS, NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS,
};

use super::Control;
use crate::memory::Place;
use crate::object::Body;
use crate::params::{load, put_u32, store};
use crate::status::{RmResult, Status};

const TITLE: &str = "Antlerite virtual kernel module";
/// Changelist that the version strings go with; any number will do.
const CHANGELIST: u32 = 1;

/// GET_BUILD_VERSION: strings through pointers.
pub(super) fn build_version(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut wanted: NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS = load(params);
    let version = call.kernel.config().version_text.clone();
    let room = usize::try_from(wanted.sizeOfStrings).unwrap_or(usize::MAX);
    for (pointer, text) in [
        (wanted.pDriverVersionBuffer, version.as_str()),
        (wanted.pVersionBuffer, version.as_str()),
        (wanted.pTitleBuffer, TITLE),
    ] {
        if pointer == 0 {
            continue;
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        if bytes.len() > room {
            return Err(Status::BUFFER_TOO_SMALL);
        }
        call.user
            .write(pointer, &bytes)
            .map_err(|_| Status::INVALID_ADDRESS)?;
    }
    wanted.changelistNumber = CHANGELIST;
    wanted.officialChangelistNumber = CHANGELIST;
    store(params, &wanted);
    Ok(())
}

/// GET_BUILD_VERSION_V2: strings in the struct, 256 bytes each; three of them before 560.28, four since.
pub(super) fn build_version_v2(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let version = call.kernel.config().version_text.clone();
    params.fill(0);
    let strings = (params.len() - 8) / 256;
    let branch = format!("r{}_00", call.kernel.config().version.0);
    let texts: &[&str] = if strings >= 4 {
        &[&version, &version, &branch, TITLE]
    } else {
        &[&version, &version, TITLE]
    };
    for (field, text) in params.chunks_mut(256).zip(texts) {
        crate::params::put_str(field, text);
    }
    let end = params.len();
    put_u32(params, end - 8, CHANGELIST);
    put_u32(params, end - 4, CHANGELIST);
    Ok(())
}

/// GET_P2P_CAPS: none.
pub(super) fn p2p_caps(_: &mut Control<'_>, _: &mut [u8]) -> RmResult {
    Err(Status::NOT_SUPPORTED)
}

/// CLIENT_GET_ADDR_SPACE_TYPE: 1 system memory, 2 video memory, 3 registers.
pub(super) fn address_space_type(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut wanted: NV0000_CTRL_CLIENT_GET_ADDR_SPACE_TYPE_PARAMS = load(params);
    let place = match call
        .kernel
        .body(&call.file.owner, call.client, wanted.hObject)?
    {
        Body::Memory(memory) => memory.place(),
        Body::Usermode(_) => Place::Registers,
        _ => return Err(Status::INVALID_OBJECT),
    };
    wanted.addrSpaceType = match place {
        Place::System | Place::Pinned => 1,
        Place::Video => 2,
        Place::Registers => 3,
    };
    store(params, &wanted);
    Ok(())
}

/// `RS_SHARE_TYPE_ALL` and `RS_SHARE_TYPE_OS_SECURITY_TOKEN`.
const SHARE_ALL: u16 = 1;
const SHARE_SAME_USER: u16 = 2;
/// `RS_SHARE_ACTION_FLAG_REVOKE`.
const REVOKE: u8 = 1;

/// CLIENT_SET_INHERITED_SHARE_POLICY.
pub(super) fn share_policy(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let policy: abi::nv::escape_params::RS_SHARE_POLICY = load(params);
    let mut tree = call.kernel.tree();
    let client = tree.client_mut(call.client, &call.file.owner)?;
    if matches!(policy.type_, SHARE_ALL | SHARE_SAME_USER) {
        client.share_all = policy.action & REVOKE == 0;
    }
    Ok(())
}
