//! How much one answer may have, and how long one request may take.

use std::time::Duration;

/// Bytes of an answer. Clients cut what is longer: Claude Code warns above 10,000 tokens and drops above 25,000.
pub(super) const MOST_BYTES: usize = 60_000;

/// Entries of history in one answer, where the request names no number.
pub(super) const ENTRIES: usize = 20;

/// Files that a request is about, where it names no number.
pub(super) const FILES: usize = 10;

/// The longest that a request may wait for the user. Clients end a request that takes much longer.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Between two looks at whether the store changed: a person notices no delay, and a look reads two stamps.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_millis(300);
