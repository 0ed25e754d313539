//! Staged work: what waits for the user, and what a person sees of it.
//!
//! | room | in | out |
//! |---|---|---|
//! | [`review`] | | what a person sees |
//! | [`proposal`] | plans | layers over files |

pub mod review;
pub mod proposal;
