//! Attributes of streams.

use cuda_abi::driver::{CUlaunchAttributeID, CUresult, CUstream, CUstreamAttrValue, In, Out};

use super::context::PRIORITIES;
use crate::core::stream;
use crate::ffi::{Read, Write};

use CUlaunchAttributeID as A;

/// Attributes that streams have; synchronisation starts as `CU_SYNC_POLICY_AUTO`, domains as 0 and 1.
fn initial(id: A, priority: i32) -> Option<[u64; 8]> {
    let mut words = [0; 8];
    match id {
        A::ACCESS_POLICY_WINDOW | A::MEM_SYNC_DOMAIN => {}
        A::SYNCHRONIZATION_POLICY => words[0] = 1,
        A::PRIORITY => words[0] = u64::from(priority.cast_unsigned()),
        A::MEM_SYNC_DOMAIN_MAP => words[0] = 1 << 8,
        _ => return None,
    }
    Some(words)
}

pub(crate) fn get(s: CUstream, id: A, out: Out<CUstreamAttrValue>) -> Result<(), CUresult> {
    let out = out.required()?;
    let stream = stream::find(s)?.stream;
    let start = initial(id, stream.priority).ok_or(CUresult::INVALID_VALUE)?;
    let words = stream.attributes().get(&id.0).copied().unwrap_or(start);
    out.set(CUstreamAttrValue { words })
}

pub(crate) fn set(s: CUstream, id: A, value: In<CUstreamAttrValue>) -> Result<(), CUresult> {
    let mut words = value.get()?.words;
    let stream = stream::find(s)?.stream;
    initial(id, 0).ok_or(CUresult::INVALID_VALUE)?;
    let low = u32::try_from(words[0] & 0xffff_ffff).unwrap_or_default();
    match id {
        // Auto to blocking.
        A::SYNCHRONIZATION_POLICY if !(1..=4).contains(&low) => {
            return Err(CUresult::INVALID_VALUE);
        }
        A::MEM_SYNC_DOMAIN if low > 1 => return Err(CUresult::INVALID_VALUE),
        A::PRIORITY => {
            let wanted = low.cast_signed().clamp(PRIORITIES.1, PRIORITIES.0);
            words = [0; 8];
            words[0] = u64::from(wanted.cast_unsigned());
        }
        _ => {}
    }
    stream.attributes().insert(id.0, words);
    Ok(())
}

/// Streams must be of one context.
pub(crate) fn copy(dst: CUstream, src: CUstream) -> Result<(), CUresult> {
    let (to, from) = (stream::find(dst)?.stream, stream::find(src)?.stream);
    if to.context != from.context {
        return Err(CUresult::INVALID_VALUE);
    }
    let all = from.attributes().clone();
    *to.attributes() = all;
    Ok(())
}
