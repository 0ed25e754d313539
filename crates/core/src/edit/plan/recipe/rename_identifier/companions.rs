//! Companions: other files that a change of a payload is planned with.
//!
//! A change is planned on its own file. Only a name that a payload renames in several files, one change each, is the
//! same name there or not according to what the files import from each other:
//!
//! ```text
//! main.rs    use a::load;         planned first: the other two and the manifests around them are read with it, and
//! a.rs       pub fn load() {}     it is found that `load` of `a.rs` is renamed, and `main.rs` passes that on
//! b.rs       use other::load;     planned later: nothing more is read; `other` is not renamed, so the file is left
//! ```
//!
//! The texts are those that earlier changes of the payload leave. Whoever stages a payload reads them and knows nothing
//! of names.

use std::collections::{BTreeMap, BTreeSet};

use super::crates::{CrateFolder, crate_folders};
use super::together::renamed;
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Part;
use crate::edit::request::{Change, CrateRoot, Recipe, Rename, Request};
use crate::syntax::SyntaxCache;
use crate::text::Source;

/// The files that a change is planned with, besides its own.
#[derive(Default)]
pub(crate) struct Companions {
    /// The files in which the payload renames the same name.
    files: Vec<(WorkspacePath, Source, Rename)>,
    /// The manifests in the folders around those.
    manifests: Vec<(CrateFolder, Source)>,
}

/// What the companions of a payload's changes have told, which holds for its later changes too.
#[derive(Default)]
pub(crate) struct PayloadFacts(BTreeMap<Names, RenamedTogether>);

/// The present name and the new one.
type Names = (String, String);

/// What is known of two names.
struct RenamedTogether {
    /// The files that define or pass on the first one, of those that it is renamed in.
    files: Vec<String>,
    /// The crates around those.
    crates: Vec<CrateRoot>,
}

impl PayloadFacts {
    /// Returns what `change` is to be planned with, of a payload of these parts. `read` returns the file of a name with
    /// its text; what cannot be read is left to its own change.
    pub(crate) fn companions(
        &self,
        change: &Change,
        parts: &[Part],
        mut read: impl FnMut(&str) -> Option<(WorkspacePath, Source)>,
    ) -> Companions {
        let Some(own) = rename(change).filter(|own| !self.0.contains_key(&names(own))) else {
            return Companions::default();
        };
        let mut files = Vec::new();
        for part in parts {
            let same = rename(&part.change).filter(|request| names(request) == names(own));
            if let Some(request) = same
                && let Some((path, source)) = read(&part.change.file)
            {
                files.push((path, source, request.clone()));
            }
        }
        // One file alone takes its names from no other.
        let folders = match files.len() {
            0 | 1 => BTreeSet::new(),
            _ => crate_folders(files.iter().map(|(path, ..)| path)),
        };
        let manifests = folders.into_iter().filter_map(|folder| {
            let (_, manifest) = read(&folder.manifest())?;
            Some((folder, manifest))
        });
        Companions {
            manifests: manifests.collect(),
            files,
        }
    }

    /// Tells a change what its companions have to do with it, and keeps that for later changes.
    pub(crate) fn tell(
        &mut self,
        change: &mut Change,
        companions: Companions,
        cache: &SyntaxCache,
    ) {
        let Request::Recipe(Recipe::RenameIdentifier(request)) = &mut change.request else {
            return;
        };
        let known = self.0.entry(names(request));
        let known = known.or_insert_with(|| RenamedTogether::of(companions, cache));
        request.together.clone_from(&known.files);
        request.crates.clone_from(&known.crates);
    }
}

impl RenamedTogether {
    fn of(companions: Companions, cache: &SyntaxCache) -> Self {
        let Companions {
            mut files,
            manifests,
        } = companions;
        let manifests = manifests.iter();
        let crates: Vec<CrateRoot> = manifests
            .filter_map(|(folder, manifest)| folder.library(manifest))
            .collect();
        for (_, _, request) in &mut files {
            request.crates.clone_from(&crates);
        }
        Self {
            files: renamed(cache, &files),
            crates,
        }
    }
}

/// Returns what a change renames, if that is what it does.
fn rename(change: &Change) -> Option<&Rename> {
    match &change.request {
        Request::Recipe(Recipe::RenameIdentifier(request)) => Some(request),
        _ => None,
    }
}

fn names(request: &Rename) -> Names {
    (request.from.clone(), request.to.clone())
}
