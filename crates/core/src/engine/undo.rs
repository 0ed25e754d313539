//! Taking back what was written.
//!
//! In: a file and how far to go back. Out: the file written, with the user's later edits kept,
//! as a new entry of history; or why it cannot be.

use super::{Engine, EngineError};
use crate::diff::hunk;
use crate::diff::lines::difference;
use crate::history::revert::{NoReversal, Reversal, reversal};
use crate::history::{Entry, EntryKind, FileHistory};
use crate::plan::Presence;
use crate::proposal::stage::Commit;
use crate::review::{HistoryView, RevertTo};
use crate::text::{EditSet, Source};
use crate::transaction::CommitError;
use crate::workspace::WorkspacePath;

/// What became of a revert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It was done.
    Done {
        /// The file.
        path: String,
        /// The version of the entry that it became.
        version: u64,
        /// The versions taken back, newest first.
        taken_back: Vec<u64>,
        /// What was taken back, in one line.
        summary: String,
    },
    /// There is nothing to take back.
    Nothing {
        /// Why, in one line.
        why: String,
    },
    /// Later changes or the user's own edits are in the way; nothing was written.
    Conflict {
        /// Which, in one line.
        why: String,
    },
}

impl Engine {
    /// Returns history, newest first: of one file, or of all, file by file.
    pub fn history(&mut self, path: Option<&str>) -> Result<Vec<HistoryView>, EngineError> {
        let _lock = self.begin()?;
        let paths = match path {
            Some(path) => vec![self.path(path)?],
            None => self.store.history_paths()?,
        };
        let mut views = Vec::new();
        for path in paths {
            views.extend(self.store.history(&path)?.views());
        }
        views.sort_by_key(|view| std::cmp::Reverse(view.time));
        Ok(views)
    }

    /// Takes changes to a file back and keeps what the user changed since.
    pub fn revert(&mut self, path: &str, to: RevertTo) -> Result<Undone, EngineError> {
        let _lock = self.begin()?;
        let path = self.path(path)?;
        let history = self.store.history(&path)?;
        let before = self.workspace.read(&path)?.map(|image| image.source);
        let since = match self.since(&path, before.as_ref())? {
            Ok(since) => since,
            Err(why) if !history.entries.is_empty() => return Ok(Undone::Conflict { why }),
            Err(_) => EditSet::default(),
        };
        match reversal(&history, &since, to) {
            Ok(reversal) => self.take_back(path, &history, before, since, reversal),
            Err(error @ NoReversal::Conflict { .. }) => Ok(Undone::Conflict {
                why: format!("{path}: {error}"),
            }),
            Err(error) => Ok(Undone::Nothing {
                why: format!("{path}: {error}"),
            }),
        }
    }

    /// Returns what the user changed in a file since it was last written here.
    fn since(
        &self,
        path: &WorkspacePath,
        now: Option<&Source>,
    ) -> Result<Result<EditSet, String>, EngineError> {
        Ok(match (self.store.committed(path)?.flatten(), now) {
            (Some(written), Some(now)) => Ok(difference(&written, now)),
            (None, None) => Ok(EditSet::default()),
            (Some(_), None) => Err(format!("{path} was deleted since it was written here")),
            (None, Some(_)) => Err(format!("{path} was made again since it was deleted here")),
        })
    }

    fn take_back(
        &mut self,
        path: WorkspacePath,
        history: &FileHistory,
        before: Option<Source>,
        drift: EditSet,
        reversal: Reversal,
    ) -> Result<Undone, EngineError> {
        let text = before.clone().unwrap_or_else(|| Source::new(Vec::new()));
        let after = Source::new(reversal.edits.apply(text.bytes())?);
        let after = (reversal.presence != Presence::Deleted).then_some(after);
        let numbers = hunk::group(&text, &reversal.edits);
        let shown = hunk::render(&text, &reversal.edits, &numbers);
        let lines = shown.iter().fold((0, 0), |sum, hunk| {
            (sum.0 + hunk.added, sum.1 + hunk.removed)
        });
        let summary = summary(history, &reversal.versions);
        let entry = Entry {
            path: path.clone(),
            version: history.next_version(),
            time: (self.ambient.now)(),
            description: summary.clone(),
            kind: EntryKind::Revert(reversal.versions.clone()),
            presence: reversal.presence,
            drift,
            edits: reversal.edits,
            lines,
        };
        let version = entry.version;
        let commit = Commit {
            path: path.clone(),
            before,
            after,
            layers: Vec::new(),
        };
        match self.transact(&[commit], &[entry], &[], &[]) {
            Err(EngineError::Commit(CommitError::Changed { path })) => {
                return Ok(Undone::Conflict {
                    why: format!("{path} changed this very moment; try again"),
                });
            }
            written => written?,
        }
        let taken_back = reversal.versions;
        Ok(Undone::Done {
            path: path.to_string(),
            version,
            taken_back,
            summary,
        })
    }
}

/// Says in one line what is taken back.
fn summary(history: &FileHistory, versions: &[u64]) -> String {
    let described = history
        .entries
        .iter()
        .filter(|entry| versions.contains(&entry.version));
    match described.collect::<Vec<_>>().as_slice() {
        [only] => format!("revert version {}: {}", only.version, only.description),
        several => {
            let ends = (several.first(), several.last());
            let (Some(first), Some(last)) = ends else {
                return "revert".to_owned();
            };
            format!("revert versions {} to {}", first.version, last.version)
        }
    }
}
