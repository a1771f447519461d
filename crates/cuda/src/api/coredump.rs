//! Settings of GPU core dumps: kept and told, for the process and for each context. No dump is written (FIDELITY.md).

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

use cuda_abi::driver::{CUcoredumpSettings, CUresult, In, Out};

use crate::core::context;
use crate::ffi::{Read, Write, set_text, text};

/// A setting's value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Switch(bool),
    Flags(u32),
    Text(String),
}

/// By context (0: the process), then by number.
static SETTINGS: Mutex<BTreeMap<(usize, i32), Value>> = Mutex::new(BTreeMap::new());

/// Bytes of a file name or pipe at most, with the NUL.
const TEXT_MAX: usize = 1023;

fn lock() -> std::sync::MutexGuard<'static, BTreeMap<(usize, i32), Value>> {
    SETTINGS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What holds before anything is set: what the environment says.
fn initial(setting: CUcoredumpSettings) -> Result<Value, CUresult> {
    use CUcoredumpSettings as S;
    let on = |name: &str| std::env::var(name).is_ok_and(|v| v == "1");
    let named = |name: &str, other: &str| std::env::var(name).unwrap_or_else(|_| other.to_owned());
    Ok(match setting {
        S::ENABLE_ON_EXCEPTION => Value::Switch(on("CUDA_ENABLE_COREDUMP_ON_EXCEPTION")),
        S::TRIGGER_HOST => {
            Value::Switch(named("CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION", "1") == "1")
        }
        S::LIGHTWEIGHT => Value::Switch(on("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP")),
        S::ENABLE_USER_TRIGGER => Value::Switch(on("CUDA_ENABLE_USER_TRIGGERED_COREDUMP")),
        S::FILE => Value::Text(named("CUDA_COREDUMP_FILE", "core_%t_%h_%p.nvcudmp")),
        S::PIPE => Value::Text(named("CUDA_COREDUMP_PIPE", "corepipe.cuda.%h.%p")),
        S::GENERATION_FLAGS => Value::Flags(0),
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

fn value(context: usize, setting: CUcoredumpSettings) -> Result<Value, CUresult> {
    let settings = lock();
    let own = settings.get(&(context, setting.0));
    match own.or_else(|| settings.get(&(0, setting.0))) {
        Some(value) => Ok(value.clone()),
        None => initial(setting),
    }
}

/// With a null place only the size is told.
fn get(
    context: usize,
    setting: CUcoredumpSettings,
    place: Out<c_void>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let size = size.required()?;
    let value = value(context, setting)?;
    let needed = match &value {
        Value::Switch(_) => 1,
        Value::Flags(_) => 4,
        Value::Text(text) => text.len() + 1,
    };
    if place.is_null() {
        return size.set(needed);
    }
    let room = size.get()?;
    if room < needed {
        return Err(CUresult::INVALID_VALUE);
    }
    match value {
        Value::Switch(on) => Out::<u8>::new(place.addr()).set(u8::from(on))?,
        Value::Flags(flags) => Out::<u32>::new(place.addr()).set(flags)?,
        Value::Text(text) => set_text(Out::new(place.addr()), room, &text)?,
    }
    size.set(needed)
}

fn set(
    context: usize,
    setting: CUcoredumpSettings,
    place: Out<c_void>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let (place, size) = (place.required()?, size.get()?);
    let value = match initial(setting)? {
        Value::Switch(_) if size >= 1 => Value::Switch(Out::<u8>::new(place.addr()).get()? != 0),
        Value::Flags(_) if size >= 4 => Value::Flags(Out::<u32>::new(place.addr()).get()?),
        Value::Text(_) if (1..=TEXT_MAX).contains(&size) => {
            Value::Text(text(In::new(place.addr()))?.to_owned())
        }
        Value::Switch(_) | Value::Flags(_) | Value::Text(_) => {
            return Err(CUresult::INVALID_VALUE);
        }
    };
    // The pipe is the process's, and only before it is opened.
    if setting == CUcoredumpSettings::PIPE && context != 0 {
        return Err(CUresult::NOT_PERMITTED);
    }
    lock().insert((context, setting.0), value);
    Ok(())
}

pub(crate) fn get_attribute(
    setting: CUcoredumpSettings,
    place: Out<c_void>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    get(context::current()?.context, setting, place, size)
}

pub(crate) fn set_attribute(
    setting: CUcoredumpSettings,
    place: Out<c_void>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    set(context::current()?.context, setting, place, size)
}

pub(crate) fn get_attribute_global(
    setting: CUcoredumpSettings,
    place: Out<c_void>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    get(0, setting, place, size)
}

pub(crate) fn set_attribute_global(
    setting: CUcoredumpSettings,
    place: Out<c_void>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    set(0, setting, place, size)
}
