//! Files that have other names, by hard links.
//!
//! In: a file that has staged work. Out: whether it has other names, which its card says then. A commit
//! gives the path a file of its own and leaves the other names, which may be outside the workspace, as they are.

use crate::disk::workspace::WorkspacePath;
use crate::engine::overlay::Overlay;

/// What the card of such a file says.
pub(in crate::engine) const OTHER_NAMES: &str =
    "the file has other names (hard links): they keep the old text";

/// Returns whether a file has other names. What cannot be looked at is found out when it is to be written.
pub(in crate::engine) fn is_linked(overlay: &Overlay, key: &WorkspacePath) -> bool {
    overlay.workspace.has_other_names(key).unwrap_or(false)
}

#[cfg(test)]
mod tests;
