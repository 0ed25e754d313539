//! Listing of the files of a workspace, with the times at which they changed.

use std::path::Path;
use std::time::UNIX_EPOCH;

use ignore::WalkState;
use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_sandbox::ignored;

/// A file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Relative to the workspace.
    pub(super) path: Box<str>,
    /// When it changed, in seconds since 1970: files of one checkout are alike.
    pub(super) changed: u64,
}

/// Hands over every file that no ignore file names, until `take` returns false. Links and names that are not UTF-8 are
/// left out.
pub(super) fn list(root: &Path, reserved: &ReservedFolders, take: impl Fn(Listed) -> bool + Sync) {
    ignored::walk(root, reserved).build_parallel().run(|| {
        Box::new(|entry| {
            let file = entry.ok().and_then(|entry| listed(root, &entry));
            if file.is_none_or(&take) {
                WalkState::Continue
            } else {
                WalkState::Quit
            }
        })
    });
}

fn listed(root: &Path, entry: &ignore::DirEntry) -> Option<Listed> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    let changed = entry.metadata().ok()?.modified().ok()?;
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Listed {
        path: path.into(),
        changed: since.as_secs(),
    })
}
