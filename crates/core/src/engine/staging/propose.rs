//! Staging a payload: all of its changes or none.
//!
//! In: changes, untrusted. Out: an [`Answer`], and proposals over the overlay. A later change
//! of the payload is planned on the text that an earlier one leaves.

use std::collections::HashSet;

use super::answer::{Answer, FileAnswer, Status};
use crate::edit::plan::{self, Outcome, Part};
use crate::edit::request::{Change, Payload, Request};
use crate::id::{ChangesetId, HunkId};
use crate::stage::proposal::Origin;
use crate::stage::review::StagedProposals;

/// A payload and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedPayload {
    /// The changes.
    pub payload: Payload,
    /// Where they come from.
    pub origin: Origin,
    /// The turn's changeset; a new one is made where there is none.
    pub changeset: Option<ChangesetId>,
    /// The hunks that are written again, where nothing else may change. What takes their place is of their changeset.
    pub only: Option<Vec<HunkId>>,
}

/// What became of a payload that was planned beside the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum DraftEnd {
    /// It was staged, or the answer says why not.
    Answered(Answer),
    /// A text is another by now: what was asked is to be planned again.
    Outdated(SubmittedPayload),
}

/// Takes patches for several files apart. Where a payload gives such a patch once for each of
/// its files, each part is made once.
pub(super) fn parts(changes: &[Change]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut known: HashSet<(String, String)> = HashSet::new();
    for change in changes {
        let mut own = plan::parts(change.clone());
        if own.len() > 1 {
            for part in &mut own {
                let Request::Unified(patch) = &part.change.request else {
                    continue;
                };
                if !known.insert((part.change.file.clone(), patch.clone())) {
                    part.known = Some(Outcome::AlreadyApplied {
                        why: "an earlier change of this request is the same".into(),
                    });
                }
            }
        }
        parts.extend(own);
    }
    parts
}

impl Answer {
    /// Makes the answer for a payload of which nothing is staged.
    pub(super) fn unstaged(results: Vec<FileAnswer>) -> Self {
        Self {
            results,
            staged: false,
            changeset: None,
            verify: None,
            written: false,
            rewritten: Vec::new(),
            proposals: StagedProposals::default(),
        }
    }

    /// Takes over that what was staged is written.
    pub(super) fn written_at_once(&mut self) {
        self.written = true;
        self.staged = false;
        let results = self.results.iter_mut();
        let staged = results.filter(|result| result.status == Status::Staged);
        staged.for_each(|result| result.status = Status::Applied);
    }

    /// Returns whether every change is, or will be on approval, as asked.
    pub fn is_ok(&self) -> bool {
        self.results.iter().all(|result| result.ok)
    }

    /// Returns whether any change needs the user: it is ambiguous or refused.
    pub fn needs_user(&self) -> bool {
        self.results
            .iter()
            .any(|result| matches!(result.status, Status::Ambiguous | Status::Refused))
    }
}
