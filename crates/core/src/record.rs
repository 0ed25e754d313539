//! The record: what was written, the way back, and where both are kept.
//!
//! | room | in | out |
//! |---|---|---|
//! | [`history`] | what was written | the way back |
//! | [`store`] | staged work and history | the same in a later process |

pub mod history;
pub mod store;
