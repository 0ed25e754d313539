//! Net changes: what all staged work makes of each file, from disk to overlay.
//!
//! In: the stage, moved onto the files as they are now. Out: one change a file, whatever number of proposals it is
//! made of: what a patch holds.

use crate::disk::workspace::{AccessError, WorkspacePath, encoded};
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::stage::proposal::layer;
use crate::text::Source;

/// What all staged work makes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetChange {
    /// The file as it is on disk; none if it is created.
    pub before: Option<FileState>,
    /// The file as it would be; none if it is deleted.
    pub after: Option<FileState>,
}

/// A file at one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Path relative to the workspace.
    pub path: String,
    /// Its bytes as written on disk; of a symbolic link its target.
    pub bytes: Vec<u8>,
    /// Whether it is a symbolic link.
    pub is_link: bool,
    /// Permission bits; none for those that new files get.
    pub mode: Option<u32>,
}

/// Returns what all staged work makes of each file that it changes, in the order of their paths.
pub(in crate::engine) fn net_changes(overlay: &Overlay) -> Result<Vec<NetChange>, EngineError> {
    let mut changes = Vec::new();
    for (key, stack) in &overlay.stage.stacks {
        let on_disk = overlay
            .workspace
            .attributes(key)?
            .map(|attributes| attributes.mode);
        let mode = layer::mode(&stack.layers).or(on_disk);
        let before = stack.base.as_ref();
        let before = before.map(|text| state(key, text, on_disk)).transpose()?;
        let after = stack
            .text()?
            .map(|text| state(stack.name(key), &text, mode))
            .transpose()?;
        if before != after {
            changes.push(NetChange { before, after });
        }
    }
    Ok(changes)
}

/// Returns a text as its file; an error if its encoding lacks a character.
fn state(path: &WorkspacePath, text: &Source, mode: Option<u32>) -> Result<FileState, AccessError> {
    Ok(FileState {
        path: path.to_string(),
        bytes: encoded(path, text)?,
        is_link: text.is_link(),
        mode,
    })
}
