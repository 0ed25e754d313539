//! Edits: from what a model asked to splices on bytes, or to an answer why not.
//!
//! Pure throughout: nothing here sees the disk, staged work or history.
//!
//! | room | in | out |
//! |---|---|---|
//! | [`intent`] | | what a change is for |
//! | [`request`] | JSON | one asked change |
//! | [`diff`] | two texts | lines that differ, hunks |
//! | [`locate`] | a text and a wish | places |
//! | [`plan`] | a request | splices, or an answer why not |
//! | [`rule`] | instructions and texts | what the user forbade |
//! | [`guard`] | a plan and its texts | alarms: what must not be staged, or not unseen |
//!
//! **Invariant:** pure. Nothing in it sees the disk, staged work or history.

pub mod intent;
pub mod request;
pub mod diff;
pub mod locate;
pub mod plan;
pub mod rule;
pub mod guard;
