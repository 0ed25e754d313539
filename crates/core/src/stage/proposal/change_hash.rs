//! Change hashes: what a hunk changes, as a name that is the same on any machine.
//!
//! In: a stage and one of its hunks. Out: a hash of the file's path, of what its proposal does beside the text, and of the
//! bytes that go and come. Where in the file they are is no part of it: the file of another person may have other lines
//! above, and the verdicts on the hunks beside it do not change it. Nor is whether its group may write it, which is up to the
//! umask of whoever makes it.

use super::layer_kind::LayerKind;
use super::stage::Stage;
use crate::id::HunkId;
use crate::stage::review::ChangeHash;

/// The permission of a file's group to write it.
const GROUP_WRITES: u32 = 0o020;

/// Returns the hash of what a hunk changes; none if nothing of it is staged any more.
pub fn change_hash(stage: &Stage, hunk: HunkId) -> Option<ChangeHash> {
    let proposal = stage.proposal(hunk.proposal)?;
    let stack = stage.stacks.get(stage.key_of(&proposal.path)?)?;
    let mut hasher = blake3::Hasher::new();
    put(&mut hasher, proposal.path.as_str().as_bytes());
    let mut is_there = false;
    let own = stack.layers.iter();
    for layer in own.filter(|layer| layer.proposal() == hunk.proposal) {
        if !layer.hunks().contains(&hunk) {
            continue;
        }
        is_there = true;
        put(&mut hasher, word(layer.kind()).as_bytes());
        let to = layer.to().map(|to| to.as_str().as_bytes());
        put(&mut hasher, to.unwrap_or(b""));
        let mode = layer
            .mode()
            .map(|mode| format!("{:o}", mode.to & !GROUP_WRITES));
        put(&mut hasher, mode.as_deref().unwrap_or("").as_bytes());
        for (splice, number) in layer.edits().splices().iter().zip(layer.numbers()) {
            if *number == hunk.number {
                put(&mut hasher, &splice.old);
                put(&mut hasher, &splice.new);
            }
        }
    }
    is_there.then(|| ChangeHash(hasher.finalize().to_hex().to_string()))
}

fn word(kind: &LayerKind) -> &'static str {
    match kind {
        LayerKind::Edit { .. } => "edit",
        LayerKind::Create { .. } => "create",
        LayerKind::Link => "link",
        LayerKind::Retarget => "retarget",
        LayerKind::Delete { .. } => "delete",
        LayerKind::Move { .. } => "move",
        LayerKind::Permissions(_) => "permissions",
    }
}

/// Hashes a part with its length, so that no two lists of parts have the same bytes.
fn put(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&part.len().to_le_bytes());
    hasher.update(part);
}
