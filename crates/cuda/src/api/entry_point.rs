//! `cuGetProcAddress`, `cuGetExportTable`.

use std::ffi::{c_char, c_void};

use cuda_abi::driver::{
    CUdriverProcAddress_flags, CUdriverProcAddressQueryResult, CUresult, CUuuid, In, Out,
};

use crate::ffi::{Write, address, text};
use crate::table::{Found, find};

/// Bits of `flags` that have a meaning.
const FLAGS: u64 = 3;

/// The form without a status reports every failure as an error.
pub(crate) fn get_proc_address(
    symbol: In<c_char>,
    pfn: Out<Out<c_void>>,
    version: i32,
    flags: u64,
) -> Result<(), CUresult> {
    let pfn = pfn.required()?;
    match search(symbol, version, flags)? {
        Found::Entry(entry) => pfn.set(Out::new(address(entry.address()))),
        Found::NoName | Found::TooNew => {
            pfn.set(Out::NULL)?;
            Err(CUresult::NOT_FOUND)
        }
    }
}

/// The form with a status stores the null pointer and says why; without a place for the status a name that is not there
/// is an error.
pub(crate) fn get_proc_address_v2(
    symbol: In<c_char>,
    pfn: Out<Out<c_void>>,
    version: i32,
    flags: u64,
    status: Out<CUdriverProcAddressQueryResult>,
) -> Result<(), CUresult> {
    let pfn = pfn.required()?;
    let (pointer, why) = match search(symbol, version, flags)? {
        Found::Entry(entry) => (
            Out::new(address(entry.address())),
            CUdriverProcAddressQueryResult::SUCCESS,
        ),
        Found::NoName => (Out::NULL, CUdriverProcAddressQueryResult::SYMBOL_NOT_FOUND),
        Found::TooNew => (
            Out::NULL,
            CUdriverProcAddressQueryResult::VERSION_NOT_SUFFICIENT,
        ),
    };
    pfn.set(pointer)?;
    status.set_opt(why);
    if pointer.is_null() && status.is_null() {
        Err(CUresult::NOT_FOUND)
    } else {
        Ok(())
    }
}

fn search(symbol: In<c_char>, version: i32, flags: u64) -> Result<Found, CUresult> {
    let symbol = text(symbol)?;
    if flags & !FLAGS != 0 || flags == FLAGS {
        return Err(CUresult::INVALID_VALUE);
    }
    let per_thread = flags
        == u64::from(
            CUdriverProcAddress_flags::PER_THREAD_DEFAULT_STREAM
                .0
                .unsigned_abs(),
        );
    Ok(find(symbol, version, per_thread))
}

/// There are no private tables: every UUID is unknown.
pub(crate) fn get_export_table(table: Out<In<c_void>>, id: In<CUuuid>) -> Result<(), CUresult> {
    let _ = id;
    table.required()?.set(In::NULL)?;
    Err(CUresult::NOT_FOUND)
}
