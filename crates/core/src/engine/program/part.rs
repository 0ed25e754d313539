//! Parts of what is staged: the workspace as programs would find it without some of the hunks.
//!
//! In: what is staged at one moment. Out: for any hunks, the files without them, and which hunks fall with them.
//!
//! ```text
//! staged: hunk 1 adds `let a = 1;`, hunk 2, of a later proposal, makes `let a = 2;` of it, hunk 3 is elsewhere
//! without hunk 1: the file with hunk 3 alone; hunks 1 and 2 are gone
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{found, names_over};
use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::file::ProgramFile;
use crate::id::HunkId;
use crate::stage::proposal::stage::Stage;

/// What is staged, as it was at one moment.
#[derive(Clone, Debug)]
pub struct StagedParts {
    stage: Stage,
    /// Permission bits on disk.
    modes: BTreeMap<WorkspacePath, u32>,
}

/// What is staged but for some hunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedPart {
    /// The files as a program is to find them, those with all of their hunks gone too.
    pub files: Vec<ProgramFile>,
    /// The hunks that are not in it: those that were to be left out, and those that build on them.
    pub gone: BTreeSet<HunkId>,
}

impl StagedParts {
    pub(in crate::engine) fn of(overlay: &Overlay) -> Result<Self, EngineError> {
        let mut modes = BTreeMap::new();
        for key in overlay.stage.stacks.keys() {
            let attributes = overlay.workspace.attributes(key)?;
            modes.extend(attributes.map(|own| (key.clone(), own.mode)));
        }
        Ok(Self {
            stage: overlay.stage.clone(),
            modes,
        })
    }

    /// Returns the hunks that wait for a verdict.
    pub fn hunks(&self) -> Vec<HunkId> {
        self.stage.pending().collect()
    }

    /// Returns what the user asked for, of which a hunk came; nothing where that is not known.
    pub fn request(&self, hunk: HunkId) -> &str {
        let proposal = self.stage.proposal(hunk.proposal);
        proposal.map_or("", |own| own.card.origin.request.as_str())
    }

    /// Returns what is staged without these hunks; none if a file's layers cannot be taken apart.
    ///
    /// # Errors
    ///
    /// Fails where layers do not fit their text.
    pub fn without(&self, hunks: &BTreeSet<HunkId>) -> Result<Option<StagedPart>, EngineError> {
        let mut stage = self.stage.clone();
        let denied = hunks.iter().map(|hunk| (*hunk, None)).collect();
        if stage.decide(&HashSet::new(), &denied).is_err() {
            return Ok(None);
        }
        let left: BTreeSet<HunkId> = stage.pending().collect();
        let mut files = Vec::new();
        for (key, stack) in stage.stacks.iter() {
            let is_nothing = stack.layers.is_empty() && stack.base.is_none();
            if !is_nothing {
                files.extend(names_over(self.modes.get(key).copied(), key, stack)?);
            }
        }
        Ok(Some(StagedPart {
            files: files.into_iter().map(found).collect(),
            gone: self
                .stage
                .pending()
                .filter(|own| !left.contains(own))
                .collect(),
        }))
    }
}
