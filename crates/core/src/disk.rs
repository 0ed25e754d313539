//! The user's files: reading them, and writing several at once or none.
//!
//! | room | in | out |
//! |---|---|---|
//! | [`workspace`] | paths | files on disk or in memory |
//! | [`transaction`] | texts to write | all of them, or none |

pub mod workspace;
pub mod transaction;
