//! The edit engine of signoff: finds where a change belongs, stages it, lets it be reviewed,
//! writes it all or not at all, and takes it back.
//!
//! No network, no terminal, no async runtime, no clock and no environment: time and ids come in
//! through [`id::Ambient`], files through [`workspace::Workspace`].
//!
//! The rooms, each using only those above it:
//!
//! | room | in | out |
//! |---|---|---|
//! | [`id`] | | identities, time, the outside world as arguments |
//! | [`text`] | bytes | sources, and edits with their algebra |
//! | [`workspace`] | paths | files on disk or in memory |
//! | [`syntax`] | text | trees |
//! | [`intent`] | | what a change is for |
//! | [`review`] | | what a person sees |
//! | [`request`] | JSON | one asked change |
//! | [`diff`] | two texts | lines that differ, hunks |
//! | [`locate`] | a text and a wish | places |
//! | [`plan`] | a request | splices, or an answer why not |
//! | [`guard`] | a plan and its texts | alarms: what must not be staged, or not unseen |
//! | [`proposal`] | plans | layers over files |
//! | [`transaction`] | texts to write | all of them, or none |
//! | [`history`] | what was written | the way back |
//! | [`store`] | all of that | the same in a later process |
//! | [`engine`] | requests and verdicts | answers, commits, reverts |

pub mod id;
pub mod text;
pub mod workspace;
pub mod syntax;
pub mod intent;
pub mod review;
pub mod request;
pub mod diff;
pub mod locate;
pub mod plan;
pub mod guard;
pub mod proposal;
pub mod transaction;
pub mod history;
pub mod store;
pub mod engine;
