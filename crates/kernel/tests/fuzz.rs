//! Hostile ioctls against the dispatcher: no panic, no leak.
#![expect(
    clippy::print_stdout,
    reason = "how many calls were made belongs into the test's output"
)]

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

/// Calls on each node; ANTLERITE_FUZZ_NODE_CALLS for more or fewer.
fn calls_per_node() -> usize {
    std::env::var("ANTLERITE_FUZZ_NODE_CALLS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(100_000)
}

#[test]
fn hostile_ioctls_on_each_node() {
    let calls = calls_per_node();
    // Ten lives: in a long one the limits are reached, and then little else happens.
    for life in 0..10 {
        let kernel = Kernel::new(config("580.142"), None).expect("kernel");
        let share = calls.div_ceil(10);
        let report = fuzz::run_nodes(&kernel, 100 + life, share);
        for (node, ran) in fuzz::NODES.iter().zip(report.by_node) {
            assert!(ran >= share, "{node:?}: {ran} of {share} calls");
        }
        assert!(report.allocated > share / 100, "{report:?}");
    }
    println!("{calls} calls on each of {:?}", fuzz::NODES);
}

#[test]
fn the_object_tree_is_as_its_model_says() {
    for seed in 0..4 {
        let mut config = config("580.142");
        // Small enough that each limit is met.
        config.framebuffer = 64 << 20;
        config.host_memory = 96 << 20;
        config.descriptors = 40;
        let kernel = Kernel::new(config, None).expect("kernel");
        let report = fuzz::model::run(&kernel, seed, calls() / 4);
        assert!(report.done > report.steps / 10, "{report:?}");
    }
}
