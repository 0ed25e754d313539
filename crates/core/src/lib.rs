//! The edit engine of signoff.

pub mod id;
pub mod text;
pub mod workspace;
pub mod syntax;
pub mod intent;
pub mod request;
pub mod locate;
pub mod plan;
pub mod diff;
pub mod review;
pub mod proposal;
