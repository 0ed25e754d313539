//! Files that have other names, by hard links.
//!
//! In: the files that have staged work. Out: those of them with other names, which get a word on their cards. A commit
//! gives the path a file of its own and leaves the other names, which may be outside the workspace, as they are.

use std::collections::BTreeSet;

use crate::disk::workspace::WorkspacePath;
use crate::engine::overlay::Overlay;

/// What the card of such a file says.
pub(in crate::engine) const OTHER_NAMES: &str =
    "the file has other names (hard links): they keep the old text";

/// Returns the files with staged work that have other names now.
pub(in crate::engine) fn linked(overlay: &Overlay) -> BTreeSet<WorkspacePath> {
    let keys = overlay.stage.stacks.keys();
    keys.filter(|key| is_linked(overlay, key))
        .cloned()
        .collect()
}

/// Returns whether a file has other names. What cannot be looked at is found out when it is to be written.
pub(in crate::engine) fn is_linked(overlay: &Overlay, key: &WorkspacePath) -> bool {
    overlay.workspace.has_other_names(key).unwrap_or(false)
}

#[cfg(test)]
mod tests;
