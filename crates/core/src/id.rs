//! Identities, and the clock and random source that core is given.
//!
//! In: nothing. Out: newtypes for ids and time, and [`Ambient`], through which
//! the clock and fresh UUIDs enter as arguments.
//!
//! **Invariant:** core reads no clock and no environment, opens no socket, starts no process, has no async runtime.
//! `clippy.toml` of the crate forbids the calls.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
pub use uuid::Uuid;

/// Identifies one proposal; the model sees it and the user may type a prefix of it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ProposalId(pub Uuid);

/// Identifies the proposals of one turn, which are committed together.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ChangesetId(pub Uuid);

/// Identifies one hunk: its proposal and its 1-based number in it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct HunkId {
    /// The proposal that the hunk belongs to.
    pub proposal: ProposalId,
    /// 1-based number within the proposal; never reused.
    pub number: u32,
}

impl fmt::Display for ProposalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ChangesetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for HunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.proposal, self.number)
    }
}

impl FromStr for ProposalId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::parse_str(text).map(Self)
    }
}

/// Milliseconds since the Unix epoch.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// The clock and the source of ids, passed in because core reads neither.
pub struct Ambient {
    /// Returns the present time.
    pub now: Box<dyn Fn() -> Timestamp + Send>,
    /// Returns a UUID that was never returned before.
    pub uuid: Box<dyn FnMut() -> Uuid + Send>,
}

impl fmt::Debug for Ambient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ambient")
    }
}
