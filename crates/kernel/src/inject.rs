//! Failures on request: what a broken GPU does to its log, its listeners and its programs.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use crate::event::RC_ERROR;
use crate::fault;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::klog::Level;
use crate::memory::Charge;
use crate::status::{RmResult, Status};

/// What to inject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// This Xid, to every context of the GPU.
    Xid(u32),
    /// A double-bit memory error: Xid 48, then 63.
    Ecc,
    /// The GPU is gone: Xid 79, and every call says that it is lost.
    FallenOff,
    /// Kernels do not end: Xid 109.
    Hang,
    /// The framebuffer is full until the next reset.
    Oom,
}

/// Double-bit error.
const XID_DBE: u32 = 48;
/// A row is to be remapped.
const XID_REMAP: u32 = 63;
/// Fallen off the bus.
const XID_FALLEN: u32 = 79;
/// Context switch timeout.
const XID_TIMEOUT: u32 = 109;

/// The CUDA result of a context that an Xid ended.
#[must_use]
pub fn cuda_result(xid: u32) -> u32 {
    match xid {
        // ILLEGAL_ADDRESS.
        31 => 700,
        // ECC_UNCORRECTABLE.
        48 | 63 | 64 | 94 | 95 => 214,
        // LAUNCH_TIMEOUT.
        8 | 109 => 702,
        // NVLINK_UNCORRECTABLE.
        74 => 220,
        // UNKNOWN.
        79 => 999,
        // LAUNCH_FAILED.
        _ => 719,
    }
}

/// Words of an Xid that hits the whole GPU.
fn words(xid: u32) -> &'static str {
    match xid {
        XID_DBE => "DBE (double bit error) ECC Error",
        XID_REMAP => "Row Remapper: New row marked for remapping, reset gpu to activate.",
        XID_FALLEN => "GPU has fallen off the bus.",
        XID_TIMEOUT => "CTX SWITCH TIMEOUT",
        94 => "Contained: ECC error",
        95 => "Uncontained: ECC error",
        119 => "Timeout waiting for RPC from GSP!",
        _ => "injected",
    }
}

fn gpu_xid(kernel: &Kernel, gpu: &Gpu, xid: u32) {
    fault::xid_line(
        kernel.log(),
        gpu,
        xid,
        "'<unknown>'",
        "<unknown>",
        words(xid),
    );
    gpu.interrupts.fetch_add(1, Ordering::Relaxed);
    gpu.each_sink(|sink| {
        if sink.wants(RC_ERROR, false) {
            sink.fire(xid, 0);
        }
    });
}

/// Ends all contexts of a GPU with an Xid. Returns how many.
fn end_contexts(kernel: &Kernel, gpu: &Gpu, xid: u32) -> usize {
    let spaces = kernel.spaces();
    let of_gpu = spaces.iter().filter(|s| s.gpu.index == gpu.index);
    of_gpu.filter(|space| space.kill(xid).is_ok()).count()
}

/// Injects a failure into a GPU. Returns how many contexts it hit.
///
/// # Errors
/// [`Status::INVALID_DEVICE`].
pub fn inject(kernel: &Kernel, gpu: u32, failure: Failure) -> RmResult<usize> {
    let gpu = kernel
        .gpus
        .iter()
        .find(|g| g.index == gpu)
        .ok_or(Status::INVALID_DEVICE)?;
    let hit = match failure {
        Failure::Xid(xid) => {
            let hit = end_contexts(kernel, gpu, xid);
            if hit == 0 {
                gpu_xid(kernel, gpu, xid);
            }
            hit
        }
        Failure::Ecc => {
            gpu.ecc().uncorrectable();
            gpu_xid(kernel, gpu, XID_DBE);
            let hit = end_contexts(kernel, gpu, XID_DBE);
            gpu_xid(kernel, gpu, XID_REMAP);
            hit
        }
        Failure::FallenOff => {
            gpu.lost.store(true, Ordering::SeqCst);
            gpu_xid(kernel, gpu, XID_FALLEN);
            kernel.log().line(
                Level::Error,
                &format!("NVRM: GPU {}: GPU has fallen off the bus.", gpu.bdf()),
            );
            end_contexts(kernel, gpu, XID_FALLEN)
        }
        Failure::Hang => {
            let hit = end_contexts(kernel, gpu, XID_TIMEOUT);
            if hit == 0 {
                gpu_xid(kernel, gpu, XID_TIMEOUT);
            }
            hit
        }
        Failure::Oom => {
            let mut hog = gpu.hog.lock().unwrap_or_else(PoisonError::into_inner);
            let free = gpu.framebuffer.free();
            if free > 0 {
                // Others may be faster; what is left then is little.
                hog.extend(Charge::take(&gpu.framebuffer, free));
            }
            kernel.log().line(
                Level::Warning,
                &format!(
                    "NVRM: GPU {}: injected: {} MiB of the framebuffer are taken until the next reset",
                    gpu.bdf(),
                    free >> 20
                ),
            );
            0
        }
    };
    kernel.refresh_view();
    Ok(hit)
}

/// Resets a GPU: what was injected is over.
///
/// # Errors
/// [`Status::STATE_IN_USE`] while a program has a context there; [`Status::GPU_IS_LOST`] when it has fallen off the bus,
/// which only a restart mends.
pub fn reset(kernel: &Kernel, gpu: &Gpu) -> RmResult {
    if gpu.lost.load(Ordering::SeqCst) {
        return Err(Status::GPU_IS_LOST);
    }
    if kernel.spaces().iter().any(|s| s.gpu.index == gpu.index) {
        return Err(Status::STATE_IN_USE);
    }
    gpu.hog
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
    gpu.ecc().reset();
    gpu.named.store(false, Ordering::Relaxed);
    kernel
        .log()
        .line(Level::Info, &format!("NVRM: GPU {}: reset", gpu.bdf()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn failures_reach_the_log_and_resets_end_them() {
        let config = Config::new(Some("h100"), Some("580.142")).expect("config");
        let kernel = Kernel::new(config, None).expect("kernel");
        assert_eq!(inject(&kernel, 0, Failure::Ecc), Ok(0));
        assert_eq!(inject(&kernel, 0, Failure::Xid(31)), Ok(0));
        assert_eq!(inject(&kernel, 0, Failure::Oom), Ok(0));
        assert_eq!(
            inject(&kernel, 7, Failure::Hang),
            Err(Status::INVALID_DEVICE)
        );
        let gpu = &kernel.gpus[0];
        assert_eq!(gpu.framebuffer.free(), 0);
        let log = kernel.log().lines().join("\n");
        for text in ["): 48, ", "): 63, ", "): 31, "] {
            assert!(log.contains(text), "{text} in {log}");
        }
        reset(&kernel, gpu).expect("reset");
        assert_eq!(gpu.framebuffer.free(), gpu.framebuffer.total());
        inject(&kernel, 0, Failure::FallenOff).expect("fallen");
        assert_eq!(reset(&kernel, gpu), Err(Status::GPU_IS_LOST));
    }
}
