//! Words for values, and the clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// An NVML enable state.
pub fn enabled(value: u32) -> &'static str {
    if value == 0 { "Disabled" } else { "Enabled" }
}

/// A yes-or-no value.
pub fn yes(value: u32) -> &'static str {
    if value == 0 { "No" } else { "Yes" }
}

/// `nvmlComputeMode_t`.
pub fn compute_mode(mode: u32) -> &'static str {
    match mode {
        0 => "Default",
        1 => "Exclusive_Thread",
        2 => "Prohibited",
        3 => "Exclusive_Process",
        _ => "Unknown",
    }
}

/// `nvmlComputeMode_t` in a narrow column.
pub fn compute_mode_short(mode: u32) -> &'static str {
    match mode {
        1 => "E. Thread",
        3 => "E. Process",
        other => compute_mode(other),
    }
}

/// `nvmlBrandType_t`, those that occur.
pub fn brand(brand: u32) -> &'static str {
    match brand {
        1 => "Quadro",
        2 => "Tesla",
        5 => "GeForce",
        14 => "NVIDIA",
        _ => "Unknown",
    }
}

/// `NVML_DEVICE_ARCH_*`.
pub fn architecture(number: u32) -> &'static str {
    match number {
        2 => "Kepler",
        3 => "Maxwell",
        4 => "Pascal",
        5 => "Volta",
        6 => "Turing",
        7 => "Ampere",
        8 => "Ada Lovelace",
        9 => "Hopper",
        10 => "Blackwell",
        _ => "Unknown",
    }
}

/// `nvmlGpuVirtualizationMode_t`.
pub fn virtualization(mode: u32) -> &'static str {
    match mode {
        0 => "None",
        1 => "Pass-Through",
        2 => "VGPU",
        3 => "Host VGPU",
        4 => "Host VSGA",
        _ => "Unknown",
    }
}

/// A text without control characters: process names are the workload's to choose.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

fn now() -> (libc::tm, u32) {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = libc::time_t::try_from(since.as_secs()).unwrap_or(0);
    // SAFETY: `tm` is plain numbers and a pointer that may be null.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both point to values of ours.
    unsafe { libc::localtime_r(&raw const seconds, &raw mut parts) };
    (parts, since.subsec_millis())
}

/// Day or month `index` of names of three letters.
fn name(names: &'static str, index: i32) -> &'static str {
    let at = usize::try_from(index).unwrap_or(0) * 3;
    names.get(at..at + 3).unwrap_or("???")
}

/// Local time as `Sun Nov 29 20:11:12 2026`.
pub fn date() -> String {
    let (t, _) = now();
    format!(
        "{} {} {:>2} {:02}:{:02}:{:02} {}",
        name("SunMonTueWedThuFriSat", t.tm_wday),
        name("JanFebMarAprMayJunJulAugSepOctNovDec", t.tm_mon),
        t.tm_mday,
        t.tm_hour,
        t.tm_min,
        t.tm_sec,
        t.tm_year + 1900
    )
}

/// Local time as `2026/11/29 20:11:12.345`.
pub fn timestamp() -> String {
    let (t, milliseconds) = now();
    format!(
        "{}/{:02}/{:02} {:02}:{:02}:{:02}.{milliseconds:03}",
        t.tm_year + 1900,
        t.tm_mon + 1,
        t.tm_mday,
        t.tm_hour,
        t.tm_min,
        t.tm_sec
    )
}
