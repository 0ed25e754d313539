//! Lines around hunks that the user opened.
//!
//! In: keys, and lines of files as the engine tells them. Out: which lines are wanted, and those that are shown above
//! and below a hunk.

use std::collections::HashMap;

use signoff_core::id::HunkId;
use signoff_core::review::DiffLine;

/// What is open of the context.
#[derive(Debug, Default)]
pub(super) struct OpenContext {
    open: HashMap<HunkId, Around>,
}

/// The lines above and below a hunk.
#[derive(Debug, Default)]
struct Around {
    above: Vec<DiffLine>,
    below: Vec<DiffLine>,
}

impl OpenContext {
    /// Returns the lines above and below a hunk.
    pub(super) fn around(&self, hunk: HunkId) -> [&[DiffLine]; 2] {
        let around = self.open.get(&hunk);
        around.map_or([&[], &[]], |around| [&around.above, &around.below])
    }
}
