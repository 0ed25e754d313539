//! Reports on what was taken back, or would be.
//!
//! In: what the engine made of it. Out: events, and one notice for each file.

use signoff_core::engine::{ChangesetUndone, FileUndone, Undone};
use signoff_core::id::Timestamp;
use signoff_core::stage::review::{RevertTarget, SincePreview, WrittenSince};

use super::super::ledger::Ledger;
use super::super::outbox::Outbox;
use super::super::{Effect, Event, Fault, FaultKind, PromptRef, RewindFiles, RewindPreview};
use super::Review;
use crate::notice::Notice;

/// Which way a changeset goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum RevertKind {
    /// It is taken back.
    Back,
    /// It is taken back with all that was written to its files since.
    BackAndLater,
    /// All that was written since an earlier prompt is taken back.
    BackToPrompt,
    /// What was taken back of it is put back.
    Again,
}

impl Review {
    /// Takes what came of taking a change back. Returns whether files changed.
    pub(in crate::session) fn reverted(
        &mut self,
        outcome: Result<Undone, Fault>,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> bool {
        self.reported();
        match outcome {
            Ok(Undone::Done {
                path,
                summary,
                gone,
                restored,
                unkept,
                ..
            }) => {
                unkept.iter().for_each(|lost| out.inform(lost));
                out.emit(Event::Reverted {
                    path: path.clone(),
                    summary: summary.clone(),
                });
                let told = ledger.told();
                let known = gone.iter().all(|one| told.is_back(&path, *one))
                    && restored.iter().all(|one| !told.is_back(&path, *one));
                if !known || (gone.is_empty() && restored.is_empty()) {
                    ledger.tell(Notice::Reverted {
                        path,
                        summary,
                        taken_back: gone,
                        restored,
                    });
                }
                self.consult(Effect::ReadReview, out);
                return true;
            }
            Ok(Undone::Conflict { why }) => {
                out.fault(FaultKind::Conflict, why, "nothing was written");
            }
            Ok(Undone::Nothing { why }) => out.inform(&why),
            Err(fault) => out.emit(Event::Fault(fault)),
        }
        false
    }

    /// Takes what came of taking a changeset back, or of putting it back again. Returns whether
    /// files changed.
    pub(in crate::session) fn changeset_reverted(
        &mut self,
        outcome: Result<ChangesetUndone, Fault>,
        way: RevertKind,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> bool {
        self.reported();
        match outcome {
            Ok(ChangesetUndone::Done { files, unkept }) => {
                unkept.iter().for_each(|lost| out.inform(lost));
                for file in files {
                    file_reverted(file, way, ledger, out);
                }
                self.consult(Effect::ReadReview, out);
                return true;
            }
            Ok(ChangesetUndone::Conflict { why }) => {
                out.fault(FaultKind::Conflict, why, "nothing was written");
            }
            Ok(ChangesetUndone::Nothing) => out.inform(match way {
                RevertKind::Back | RevertKind::BackAndLater | RevertKind::BackToPrompt => {
                    "nothing of it is in effect"
                }
                RevertKind::Again => "nothing of it is taken back",
            }),
            Err(fault) => out.emit(Event::Fault(fault)),
        }
        false
    }

    /// Takes what was written since a prompt.
    pub(in crate::session) fn rewind_previewed(
        &mut self,
        prompt: PromptRef,
        sent: Timestamp,
        outcome: Result<Option<SincePreview>, Fault>,
        out: &mut Outbox,
    ) {
        let preview = match outcome {
            Ok(preview) => preview,
            Err(fault) => return out.emit(Event::Fault(fault)),
        };
        if let Some(RevertTarget::Since(shown)) = preview.as_ref().map(|own| &own.preview.target) {
            self.shown_since = Some((prompt.clone(), shown.clone()));
        }
        out.emit(Event::RewindPreview(RewindPreview {
            prompt,
            sent: Some(sent),
            files: preview.map_or(RewindFiles::Nothing, RewindFiles::Written),
        }));
    }

    /// Returns what was shown last of what was written since this prompt; it counts once.
    pub(in crate::session) fn take_shown_since(
        &mut self,
        prompt: &PromptRef,
    ) -> Option<WrittenSince> {
        let shown = self.shown_since.take();
        shown
            .filter(|(of, _)| of == prompt)
            .map(|(_, written)| written)
    }
}

fn file_reverted(file: FileUndone, way: RevertKind, ledger: &mut Ledger, out: &mut Outbox) {
    let FileUndone {
        path,
        version,
        gone,
        restored,
    } = file;
    let summary = match way {
        RevertKind::Back => "all that was written with one changeset",
        RevertKind::BackAndLater => "all that was written since one changeset began",
        RevertKind::BackToPrompt => "all that was written since an earlier prompt",
        RevertKind::Again => "what was taken back is put back",
    };
    let summary = summary.to_owned();
    out.emit(Event::Reverted {
        path: path.clone(),
        summary: summary.clone(),
    });
    let taken_back: Vec<u64> = gone.iter().map(|gone| gone.version).collect();
    let restored = match way {
        // The entry that puts them back stands for the changes.
        RevertKind::Again if restored.is_empty() => vec![version],
        _ => restored,
    };
    ledger.tell(Notice::Reverted {
        path,
        summary,
        taken_back,
        restored,
    });
}
