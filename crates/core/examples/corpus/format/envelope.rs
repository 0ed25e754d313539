//! The envelope of `*** Begin Patch`.

use super::unified::rows;
use crate::ask::Ask;

/// Returns the patch text.
pub(super) fn patch(ask: &Ask) -> String {
    let name = ask.style.header.as_ref().unwrap_or(&ask.path);
    let mut patch = format!("*** Begin Patch\n*** Update File: {name}\n");
    for hunk in &ask.hunks {
        patch.push_str("@@\n");
        rows(&mut patch, hunk, &ask.style);
    }
    patch.push_str("*** End Patch\n");
    patch
}
