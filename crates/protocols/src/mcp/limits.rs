//! How much one answer may have, how long one request may take, and how much a program in the shadow may ask for.

use std::time::Duration;

/// Bytes of an answer. Clients cut what is longer: Claude Code warns above 10,000 tokens and drops above 25,000.
pub(super) const MOST_BYTES: usize = 60_000;

/// Entries of history in one answer, where the request names no number.
pub(super) const ENTRIES: usize = 20;

/// Files that a request is about, where it names no number.
pub(super) const FILES: usize = 10;

/// The longest that a request may wait for the user. Clients end a request that takes much longer.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Between two looks at whether the store changed: a person notices no delay, and a look reads two stamps.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_millis(300);

/// Requests of one connection that are open at once. Agents ask one or a few at a time.
pub(super) const MOST_REQUESTS: usize = 32;

/// Requests of one connection, or of all those of a run, that are worked on at once: all but those that wait for the user.
pub(super) const MOST_AT_WORK: usize = 4;

/// Connections of one program in the shadow at once: each agent and each of its agents has one.
pub(super) const MOST_CONNECTIONS: usize = 8;

/// Bytes of one message of a program in the shadow. No file that is edited has more than 8 MiB, and no model writes so much.
pub(super) const LONGEST_LINE: usize = 4 << 20;

/// Bytes of edits, and proposals, of one program in the shadow: what a program may leave there otherwise.
pub(super) const MOST_PROPOSED_BYTES: usize = 64 << 20;
pub(super) const MOST_PROPOSALS: usize = 20_000;
