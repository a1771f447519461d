//! nvml.
