//! The edit engine of signoff.

pub mod id;
pub mod intent;
pub mod review;
