//! Function pointers that a caller hands to the driver; `None` is the null pointer.
#![expect(missing_docs, reason = "NVIDIA's names")]

use core::ffi::{c_char, c_void};

use super::structs::CUasyncNotificationInfo;
use super::{CUasyncCallbackHandle, CUlogLevel, CUresult, CUstream, In, Out};

pub type CUhostFn = Option<unsafe extern "C" fn(Out<c_void>)>;
pub type CUstreamCallback = Option<unsafe extern "C" fn(CUstream, CUresult, Out<c_void>)>;
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(i32) -> usize>;
pub type CUasyncCallback =
    Option<unsafe extern "C" fn(In<CUasyncNotificationInfo>, Out<c_void>, CUasyncCallbackHandle)>;
pub type CUlogsCallback = Option<unsafe extern "C" fn(Out<c_void>, CUlogLevel, Out<c_char>, usize)>;
