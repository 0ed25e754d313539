//! Overlay: the workspace with all staged changes applied.
//!
//! In: paths. Out: texts and folders, for every tool that reads; and the stage, moved onto the files as they are now.
//! Nothing here knows of the store: [`WorkspaceState`](super::state::WorkspaceState) keeps what changes.

pub(super) mod reading;
pub(super) mod seen;

use std::collections::BTreeMap;
use std::path::PathBuf;

use unicode_normalization::UnicodeNormalization;

use super::EngineError;
use crate::disk::workspace::{AccessError, DirEntry, DirEntryKind, Workspace, WorkspacePath};
use crate::id::HunkId;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::ProposalView;
use crate::text::Source;

/// What the staged layers of a file lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Footing {
    /// The file as it is now. What was approved can be written.
    Current,
    /// The file as it was when its first layer was staged, whatever became of it since. Nothing can be written.
    Fixed,
}

/// The files of a workspace, and all that is staged over them.
pub(super) struct Overlay {
    pub(super) workspace: Box<dyn Workspace>,
    pub(super) root: PathBuf,
    pub(super) stage: Stage,
    pub(super) footing: Footing,
}

impl Overlay {
    /// Returns the one path that stands for a file, whatever links lead to it. A link with staged work stands
    /// for itself.
    pub(super) fn path(&self, text: &str) -> Result<WorkspacePath, AccessError> {
        let path = self.as_there(WorkspacePath::parse(text, &self.root)?);
        if self.stage.key_of(&path).is_some() {
            return Ok(path);
        }
        self.workspace.canonical(&path)
    }

    /// Returns a path in the spelling that its names have where they are there: `e\u{301}.md` may be there as `\u{e9}.md`,
    /// and is canonically equivalent. A path that is nowhere is as it was written.
    pub(super) fn as_there(&self, path: WorkspacePath) -> WorkspacePath {
        // What is plain has one spelling.
        if path.as_str().is_ascii() {
            return path;
        }
        let mut there = String::new();
        for name in path.as_str().split('/') {
            let folder =
                WorkspacePath::parse(if there.is_empty() { "." } else { &there }, &self.root);
            let listed = folder.ok().and_then(|folder| self.listed(&folder).ok());
            let names = listed.iter().flatten();
            let is_there = name.is_ascii() || names.clone().any(|entry| entry.name == name);
            let mut alike = names.filter(|entry| entry.name.nfc().eq(name.nfc()));
            let own = match (is_there, alike.next(), alike.next()) {
                (false, Some(only), None) => only.name.as_str(),
                _ => name,
            };
            if !there.is_empty() {
                there.push('/');
            }
            there.push_str(own);
        }
        WorkspacePath::parse(&there, &self.root).unwrap_or(path)
    }

    /// Returns the path on disk of the file that a proposal is for, while anything of it is staged.
    pub(super) fn key_of(&self, view: &ProposalView) -> Option<&WorkspacePath> {
        let own = self.stage.proposal(view.id)?;
        self.stage.key_of(&own.path)
    }

    /// Returns a file's text with everything staged in it; none if it would not be there.
    pub(super) fn text(&self, path: &WorkspacePath) -> Result<Option<Source>, EngineError> {
        match self.stage.text(path) {
            Some(text) => Ok(text?),
            None => self.on_disk(path),
        }
    }

    /// Returns a file's text on disk; none if it is not there.
    pub(super) fn on_disk(&self, path: &WorkspacePath) -> Result<Option<Source>, EngineError> {
        Ok(self.workspace.read(path)?.map(|image| image.source))
    }

    /// Returns the file that a hunk stands aside of, if nothing else is staged for it.
    pub(super) fn on_disk_beside(&self, hunk: HunkId) -> Result<Option<Source>, AccessError> {
        let path = self.stage.find(hunk).map(|(path, _)| path);
        match path.filter(|path| self.stage.key_of(path).is_none()) {
            Some(path) => Ok(self.workspace.read(path)?.map(|image| image.source)),
            None => Ok(None),
        }
    }

    /// Returns the names in a folder, sorted, as they would be with everything staged.
    pub(super) fn listed(&self, folder: &WorkspacePath) -> Result<Vec<DirEntry>, EngineError> {
        let prefix = match folder.as_str() {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let staged: Vec<_> = self
            .stage
            .standing()
            .filter(|(path, _)| path.as_str().starts_with(&prefix))
            .collect();
        let below = staged.iter().any(|(_, stack)| stack.is_some());
        let on_disk = match self.workspace.list(folder) {
            Err(_absent) if below => Vec::new(),
            listed => listed?,
        };
        let mut entries: BTreeMap<String, DirEntry> = on_disk
            .into_iter()
            .map(|entry| (entry.name.clone(), entry))
            .collect();
        for (path, stack) in staged {
            let Some(rest) = path.as_str().strip_prefix(&prefix) else {
                continue;
            };
            match (rest.split_once('/'), stack) {
                (None, None) => drop(entries.remove(rest)),
                (None, Some(stack)) => {
                    let Some(text) = stack.text()? else {
                        continue;
                    };
                    let size = text.bytes().len() as u64;
                    let entry = DirEntry {
                        name: rest.to_owned(),
                        kind: if text.is_link() {
                            DirEntryKind::Symlink
                        } else {
                            DirEntryKind::File
                        },
                        size,
                    };
                    entries.insert(rest.to_owned(), entry);
                }
                (Some((name, _)), Some(_)) => {
                    let entry = DirEntry {
                        name: name.to_owned(),
                        kind: DirEntryKind::Dir,
                        size: 0,
                    };
                    entries.entry(name.to_owned()).or_insert(entry);
                }
                (Some(_), None) => {}
            }
        }
        Ok(entries.into_values().collect())
    }

    /// Returns the first of the targets of moves at which something is. What cannot be read is there as well.
    fn first_taken<'t>(
        &self,
        mut targets: impl Iterator<Item = &'t WorkspacePath>,
    ) -> Option<&'t WorkspacePath> {
        targets.find(|to| !matches!(self.workspace.read(to), Ok(None)))
    }

    /// Moves a file's layers onto the file as it is now, and does not keep that; returns the key of the file if
    /// anything moved. The path is any that the file has with some of what is staged.
    pub(super) fn place_anew(
        &mut self,
        path: &WorkspacePath,
    ) -> Result<Option<WorkspacePath>, EngineError> {
        if self.footing == Footing::Fixed {
            return Ok(None);
        }
        let former = self.stage.formers.get_key_value(path);
        let key = (self.stage.key_of(path)).or(former.map(|(key, _)| key));
        let Some(key) = key.cloned() else {
            return Ok(None);
        };
        let former = self.stage.formers.get(&key);
        let is_obstructed = former.is_some_and(|former| {
            let is_staged = |to| self.stage.key_of(to).is_some_and(|other| *other != key);
            self.first_taken(former.targets()).is_some() || former.targets().any(is_staged)
        });
        if let Some(former) = self.stage.formers.get_mut(&key) {
            former.is_obstructed = is_obstructed;
        }
        let mut moved = match self.workspace.read_resolved(&key) {
            Ok(image) => self.stage.settle(&key, image.map(|image| image.source)),
            // The user has put something there that no text can be moved onto: the rest goes on without it.
            Err(
                error @ (AccessError::Path(_)
                | AccessError::IsFolder { .. }
                | AccessError::NotRegular { .. }
                | AccessError::BelowFile { .. }
                | AccessError::TooLarge { .. }),
            ) => self.stage.block(&key, &error.to_string()),
            Err(error) => return Err(error.into()),
        };
        if self.stage.replaces_mode(&key)
            && let Some(now) = self.workspace.mode(&key)?
        {
            moved |= self.stage.settle_mode(&key, now);
        }
        let stack = self.stage.stacks.get(&key);
        let layers = stack.into_iter().flat_map(|stack| &stack.layers);
        if let Some(taken) = self
            .first_taken(layers.filter_map(|layer| layer.to()))
            .cloned()
        {
            self.stage.obstruct(&key, &taken);
            moved = true;
        }
        Ok(moved.then_some(key))
    }
}
