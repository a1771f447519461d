//! Running text files of PTX, inputs and expected outputs on every executor.

pub mod case;
pub mod elsewhere;
pub mod executor;
pub mod native;
pub mod random;
pub mod table;
pub mod value;
