//! Graphics engine (SM) controls.

use std::sync::Arc;

use abi::nv::control_params::{
    NV2080_CTRL_GR_GET_GPC_MASK_PARAMS, NV2080_CTRL_GR_GET_TPC_MASK_PARAMS,
};

use super::Control;
use crate::params::{load, put, put_u32, put_u64, store};
use crate::status::{RmResult, Status};

/// Entries of one GR_GET_INFO.
const MAX_LIST: usize = 128;

/// GR_GET_INFO: (index, data) pairs through a pointer. `NV0080_CTRL_GR_INFO_INDEX_*`.
pub(super) fn info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = Arc::clone(call.gpu()?);
    let p = &gpu.profile;
    super::fb::pairs_by_pointer(call, params, MAX_LIST, |index| {
        Ok(match index {
            0x07 => p.gpcs,
            0x08 => 1,
            0x09 => p.sms_per_tpc,
            0x0c => p.sm_version,
            0x0d => p.warps_per_sm,
            0x0e => 32,
            0x13 => p.cores_per_sm,
            0x14 => p.gpcs,
            0x15 | 0x18 => p.fbps,
            0x17 | 0x2a => p.tpcs_per_gpc,
            0x1b => p.fbps,
            0x1d => p.sms * p.cores_per_sm,
            0x20 => p.sms_per_tpc,
            0x23 => p.sms * p.tensor_cores_per_sm,
            0x24 => 1,
            0x25 => p.ltcs,
            0x26 => p.ltcs * 4,
            0x2c | 0x2e => 64,
            _ => 0,
        })
    })
}

/// GR_GET_CTX_BUFFER_SIZE.
pub(super) fn context_size(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u64(params, 8, 2 << 20);
    Ok(())
}

/// GR_GET_GLOBAL_SM_ORDER: entries of {gpcId, localTpcId, localSmId, globalTpcId, virtualGpcId, migratableTpcId, ...}
/// as u16, then the counts and the route.
pub(super) fn sm_order(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = call.gpu()?;
    let profile = &gpu.profile;
    // {numSm u16, numTpc u16, padding, route 16} end the struct in all versions.
    let tail = params
        .len()
        .checked_sub(24)
        .ok_or(Status::INVALID_PARAM_STRUCT)?;
    // 12 bytes per SM up to 570 (512 SMs), 14 at 575, 18 since 580.
    let entry = tail / 512;
    let route: [u8; 16] = params[tail + 8..]
        .try_into()
        .map_err(|_| Status::INVALID_PARAM_STRUCT)?;
    params.fill(0);
    let (mut sm, mut tpc) = (0_usize, 0_u32);
    for gpc in 0..profile.gpcs {
        for local in 0..profile.tpc_mask(gpc).count_ones() {
            for unit in 0..profile.sms_per_tpc {
                let at = sm * entry;
                for (field, value) in [gpc, local, unit, tpc, gpc, local].into_iter().enumerate() {
                    let value = u16::try_from(value).unwrap_or(u16::MAX);
                    if (field + 1) * 2 <= entry {
                        put(params, at + field * 2, &value.to_le_bytes());
                    }
                }
                sm += 1;
            }
            tpc += 1;
        }
    }
    put(params, tail, &u16::try_from(sm).unwrap_or(0).to_le_bytes());
    put(
        params,
        tail + 2,
        &u16::try_from(tpc).unwrap_or(0).to_le_bytes(),
    );
    put(params, tail + 8, &route);
    Ok(())
}

/// GR_GET_CAPS_V2.
pub(super) fn caps(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put(params, 0, &[0; 23]);
    put(params, 40, &[1]);
    Ok(())
}

/// GR_GET_GPC_MASK.
pub(super) fn gpc_mask(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut wanted: NV2080_CTRL_GR_GET_GPC_MASK_PARAMS = load(params);
    wanted.gpcMask = (1 << call.gpu()?.profile.gpcs.min(31)) - 1;
    store(params, &wanted);
    Ok(())
}

/// GR_GET_TPC_MASK.
pub(super) fn tpc_mask(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut wanted: NV2080_CTRL_GR_GET_TPC_MASK_PARAMS = load(params);
    let profile = &call.gpu()?.profile;
    if wanted.gpcId >= profile.gpcs {
        return Err(Status::INVALID_ARGUMENT);
    }
    wanted.tpcMask = profile.tpc_mask(wanted.gpcId);
    store(params, &wanted);
    Ok(())
}

/// GR_GET_SM_ISSUE_RATE_MODIFIER: full rate everywhere (0), the route stays.
pub(super) fn issue_rate(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let end = params.len();
    if let Some(rates) = params.get_mut(16..end) {
        rates.fill(0);
    }
    put_u32(params, end, 0);
    Ok(())
}
