//! Hostile ioctls against the dispatcher: no panic, no leak.

use std::path::PathBuf;

use kernel::config::Config;
use kernel::fuzz;
use kernel::kernel::Kernel;

fn config(version: &str) -> Config {
    let mut config = Config::new(Some("h100"), Some(version)).expect("configuration");
    config.framebuffer = 256 << 20;
    config.host_memory = 256 << 20;
    config.descriptors = 200;
    config.gpu_bin = PathBuf::from("/nonexistent/antlerite-gpu");
    config
}

/// Calls per seed; ANTLERITE_FUZZ_CALLS for more.
fn calls() -> usize {
    std::env::var("ANTLERITE_FUZZ_CALLS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(10_000)
}

#[test]
fn hostile_ioctls_leave_nothing() {
    for (seed, version) in [(1, "580.142"), (2, "535.309.01"), (3, "580.142")] {
        let kernel = Kernel::new(config(version), None).expect("kernel");
        let report = fuzz::run(&kernel, seed, calls() / 3);
        assert!(report.allocated > calls() / 100, "{report:?}");
        assert!(report.refused < report.calls * 3 / 4, "{report:?}");
    }
}
