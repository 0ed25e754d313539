//! Checked states: whether checks ran on files exactly as they are written.
//!
//! In: what checks said of the staged files. Out: of a commit, what had run on the files that it leaves.
//!
//! ```text
//! staged     a.py, b.py    pytest passes
//! approved   a.py          the files are a.py as staged and b.py as before: nothing ran on that
//! approved   b.py          the files are as staged: pytest had passed
//! ```
//!
//! Files that nothing is staged over are no part of the state.

use std::collections::BTreeMap;

use crate::disk::workspace::WorkspacePath;
use crate::engine::overlay::Overlay;
use crate::engine::state::WorkspaceState;
use crate::engine::{Engine, EngineError};
use crate::record::store::{CheckedState, StagedFiles};
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Commit;
use crate::stage::review::CheckRun;
use crate::text::Source;

impl Engine {
    /// Returns the files with staged work, as they would be.
    pub fn staged_files(&mut self) -> Result<StagedFiles, EngineError> {
        let _lock = self.state.begin()?;
        staged_files(&self.state.overlay)
    }

    /// Keeps what checks said of the staged files; nothing if these are others by now. What ran on the same files before is
    /// kept too.
    pub fn note_checks(
        &mut self,
        files: StagedFiles,
        runs: Vec<CheckRun>,
    ) -> Result<(), EngineError> {
        let _lock = self.state.begin()?;
        if runs.is_empty() || files != staged_files(&self.state.overlay)? {
            return Ok(());
        }
        let mut by_name: BTreeMap<String, CheckRun> = BTreeMap::new();
        let known = self.state.store.checked()?;
        let known = known.filter(|known| known.files == files);
        let known = known.into_iter().flat_map(|known| known.runs);
        by_name.extend(known.chain(runs).map(|run| (run.name.clone(), run)));
        let runs = by_name.into_values().collect();
        let checked = CheckedState { files, runs };
        self.state
            .store
            .transact(|writer| writer.set_checked(&checked))?;
        Ok(())
    }
}

fn staged_files(overlay: &Overlay) -> Result<StagedFiles, EngineError> {
    let mut files = StagedFiles::new();
    for (path, stack) in overlay.stage.standing() {
        let text = stack.map(PathStack::text).transpose()?.flatten();
        files.insert(path.to_string(), fingerprint(text.as_ref()));
    }
    Ok(files)
}

/// Returns the checks that had run on the files as these commits leave them.
pub(in crate::engine) fn checks_of(
    state: &WorkspaceState,
    commits: &[Commit],
) -> Result<Vec<CheckRun>, EngineError> {
    let Some(checked) = state.store.checked()? else {
        return Ok(Vec::new());
    };
    let mut written: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for commit in commits {
        if commit.name() != &commit.path {
            written.entry(commit.path.as_str()).or_insert(None);
        }
        let after = fingerprint(commit.after.as_ref());
        written.insert(commit.name().as_str(), after);
    }
    let is_known = |path: &&str| checked.files.contains_key(*path);
    if !written.keys().all(is_known) {
        return Ok(Vec::new());
    }
    let workspace = &state.overlay.workspace;
    for (path, was) in &checked.files {
        let now = match written.get(path.as_str()) {
            Some(now) => now.clone(),
            None => {
                let path = WorkspacePath::parse(path, &workspace.root())?;
                // What cannot be read is not known to be the same.
                let Ok(image) = workspace.read(&path) else {
                    return Ok(Vec::new());
                };
                fingerprint(image.map(|image| image.source).as_ref())
            }
        };
        if now != *was {
            return Ok(Vec::new());
        }
    }
    Ok(checked.runs)
}

fn fingerprint(text: Option<&Source>) -> Option<String> {
    text.map(|text| text.fingerprint().to_string())
}
