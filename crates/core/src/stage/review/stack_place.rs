//! Stack place: where a hunk stands in its file, whatever other proposals about the file wait.
//!
//! The lines of a hunk are numbered for the text below its proposal. `before` and `after` lead to the numbers of the file:
//!
//! ```text
//! file on disk   proposal 1     proposal 2
//! 1 a            1 +new
//! 2 b            2  a           3 -b      line 2 on disk: before = -1
//! ```

use serde::{Deserialize, Serialize};

use crate::id::HunkId;

/// Where a hunk stands among all that waits about its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackPlace {
    /// The line of the file on disk at which it changes something, from 0: hunks of a file are listed in this order.
    pub line: u32,
    /// What added to an old line number gives that of the file on disk.
    pub before: i32,
    /// What added to a new line number gives that of the file with all that waits in it.
    pub after: i32,
    /// The hunk of an earlier proposal whose lines it changes again, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builds_on: Option<HunkId>,
}
