//! User objects: something of the program's with a count, that ends when the last graph and the program let go of it.

use std::sync::{Arc, Mutex};

use cuda_abi::driver::{CUhostFn, CUresult, CUuserObject, Out};

use crate::core::handle::Table;

/// All user objects that the program still holds.
static OBJECTS: Table<Object> = Table::new(43, CUresult::INVALID_VALUE);

/// A user object.
pub(crate) struct Object {
    /// Its handle.
    pub handle: usize,
    pointer: Out<core::ffi::c_void>,
    destroy: unsafe extern "C" fn(Out<core::ffi::c_void>),
    /// References of the program.
    own: Mutex<u64>,
}

impl Drop for Object {
    fn drop(&mut self) {
        let (destroy, pointer) = (self.destroy, self.pointer);
        // Never on the thread that let go: the destructor may wait for what that thread holds.
        let call = move || {
            // SAFETY: the caller's destructor and its argument, which the C contract says live until this call.
            unsafe { destroy(pointer) };
        };
        if std::thread::Builder::new()
            .name("cuda-user-object".into())
            .spawn(call)
            .is_err()
        {
            crate::boundary::complain("no thread for a user object's destructor: it is not called");
        }
    }
}

/// References of a graph to an object.
#[derive(Clone)]
pub(crate) struct Held {
    object: Arc<Object>,
    count: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Makes an object.
pub(crate) fn create(
    pointer: Out<core::ffi::c_void>,
    destroy: CUhostFn,
    count: u32,
) -> Result<CUuserObject, CUresult> {
    let destroy = destroy.ok_or(CUresult::INVALID_VALUE)?;
    let (handle, _) = OBJECTS.insert_with(|handle| Object {
        handle,
        pointer,
        destroy,
        own: Mutex::new(u64::from(count)),
    })?;
    Ok(CUuserObject(handle))
}

/// Takes more references for the program.
pub(crate) fn retain(handle: CUuserObject, count: u32) -> Result<(), CUresult> {
    *lock(&OBJECTS.get(handle.0)?.own) += u64::from(count);
    Ok(())
}

/// Lets go of references of the program.
///
/// # Errors
/// 1 for more than there are.
pub(crate) fn release(handle: CUuserObject, count: u32) -> Result<(), CUresult> {
    let object = OBJECTS.get(handle.0)?;
    let mut own = lock(&object.own);
    *own = own
        .checked_sub(u64::from(count))
        .ok_or(CUresult::INVALID_VALUE)?;
    if *own == 0 {
        OBJECTS.remove(handle.0)?;
    }
    Ok(())
}

/// Gives a graph references: new ones, or the program's.
pub(crate) fn give(
    held: &mut Vec<Held>,
    handle: CUuserObject,
    count: u32,
    moved: bool,
) -> Result<(), CUresult> {
    let object = OBJECTS.get(handle.0)?;
    if moved {
        release(handle, count)?;
    }
    match held.iter_mut().find(|h| h.object.handle == handle.0) {
        Some(held) => held.count += u64::from(count),
        None => held.push(Held {
            object,
            count: u64::from(count),
        }),
    }
    Ok(())
}

/// Takes references from a graph.
///
/// # Errors
/// 1 for more than it has.
pub(crate) fn take(held: &mut Vec<Held>, handle: CUuserObject, count: u32) -> Result<(), CUresult> {
    let index = held
        .iter()
        .position(|h| h.object.handle == handle.0)
        .ok_or(CUresult::INVALID_VALUE)?;
    let left = held[index]
        .count
        .checked_sub(u64::from(count))
        .ok_or(CUresult::INVALID_VALUE)?;
    held[index].count = left;
    if left == 0 {
        held.remove(index);
    }
    Ok(())
}
