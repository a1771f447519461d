//! Hostile ioctls as a client of the installed server.

use std::time::{Duration, Instant};

use kernel::{config::Config, fuzz, kernel::Kernel};

/// Makes the calls and says how many there were.
pub fn run(count: u64, seed: u64, seconds: u64) -> Result<(), String> {
    let config = Config::new(Some("h100"), Some("580.142")).map_err(|why| format!("{why:?}"))?;
    // Never called: only its lists and sizes are used.
    let model = Kernel::new(config, None).map_err(|why| why.to_string())?;
    let count = usize::try_from(count).map_err(|why| why.to_string())?;
    let start = Instant::now();
    let report = fuzz::through_door(&model, seed, count, Duration::from_secs(seconds))
        .map_err(|why| why.to_string())?;
    println!(
        "{} calls in {:.1} s, {} refused, {} objects; by node {:?}: {:?}",
        report.calls,
        start.elapsed().as_secs_f64(),
        report.refused,
        report.allocated,
        fuzz::NODES,
        report.by_node
    );
    Ok(())
}

/// The object tree's model through the door.
pub fn tree(steps: u64, seed: u64, seconds: u64, video: u64) -> Result<(), String> {
    let steps = usize::try_from(steps).map_err(|why| why.to_string())?;
    let start = Instant::now();
    let report = fuzz::model_through_door(seed, steps, video, Duration::from_secs(seconds))
        .map_err(|why| why.to_string())?;
    println!(
        "{} steps in {:.1} s, {} done, all as the model says",
        report.steps,
        start.elapsed().as_secs_f64(),
        report.done
    );
    Ok(())
}
