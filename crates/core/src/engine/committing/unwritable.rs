//! Files that cannot be written at present.
//!
//! In: what is staged. Out: the proposals for files that no approval can write now, each with the reason: the file
//! or its folder is read-only, or the system refuses it. They wait on, since the user can change that.
//!
//! A read-only file can be replaced by whoever may write its folder, and what a program did to one is. An edit is not,
//! as the user's word on the file stands against it: a program had the right to do what it did, a model has none.

use std::collections::{BTreeMap, HashSet};

use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::plan::Strategy;
use crate::engine::overlay::Overlay;
use crate::id::{HunkId, ProposalId};
use crate::stage::proposal::stack::PathStack;

/// Returns the proposals that cannot be written at present, each with the reason; those of `left` are not to be.
pub(in crate::engine) fn unwritable(
    overlay: &Overlay,
    left: &HashSet<HunkId>,
) -> BTreeMap<ProposalId, String> {
    let mut found = BTreeMap::new();
    for (key, stack) in &overlay.stage.stacks {
        if let Some(why) = why_unwritable(overlay, key, stack, left) {
            let own = stack.layers.iter().map(|layer| layer.proposal());
            found.extend(own.map(|id| (id, why.clone())));
        }
    }
    found
}

fn why_unwritable(
    overlay: &Overlay,
    key: &WorkspacePath,
    stack: &PathStack,
    left: &HashSet<HunkId>,
) -> Option<String> {
    let written = stack.layers.iter().filter(|layer| {
        let mut hunks = layer.hunks().into_iter();
        hunks.any(|hunk| !left.contains(&hunk))
    });
    let mut proposals = written.filter_map(|layer| overlay.stage.proposal(layer.proposal()));
    let replaces = proposals.any(|proposal| proposal.card.strategy == Strategy::Program);
    let targets = stack.layers.iter().filter_map(|layer| layer.to());
    let mut names = std::iter::once(key).chain(targets);
    names.find_map(|name| match overlay.workspace.check_writable(name).err()? {
        AccessError::ReadOnly { .. } if replaces => None,
        AccessError::ReadOnly { .. } => Some(
            "it is read-only, and no edit replaces such a file; make it writable first".to_owned(),
        ),
        AccessError::FolderReadOnly { .. } => {
            Some("it is in a read-only folder; make that writable first".to_owned())
        }
        error @ AccessError::Io { .. } => Some(error.to_string()),
        // What stands there makes conflicts of all that waits for the file, once that is looked at.
        AccessError::Path(_)
        | AccessError::Missing { .. }
        | AccessError::IsFolder { .. }
        | AccessError::NotFolder { .. }
        | AccessError::BelowFile { .. }
        | AccessError::NotRegular { .. }
        | AccessError::TooLarge { .. }
        | AccessError::Encoding { .. }
        | AccessError::Attribute { .. } => None,
    })
}
