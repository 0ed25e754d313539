//! Reports on what was taken back.
//!
//! In: what the engine made of it. Out: events, one notice for each file, and proposals for files that stay.

use signoff_core::stage::review::{RevertOutcome, RevertTarget, RevertedFile};

use super::super::ledger::Ledger;
use super::super::outbox::Outbox;
use super::super::{Event, FaultKind};
use super::Review;
use crate::notice::Notice;

impl Review {
    /// Takes what came of taking changes back.
    pub(in crate::session) fn taken_back(
        &mut self,
        outcome: RevertOutcome,
        is_over: bool,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) {
        if !outcome.written {
            match outcome.conflict() {
                Some(why) => {
                    let why = why.to_owned();
                    out.fault(FaultKind::Conflict, why, "nothing was written");
                }
                None => out.inform(&outcome.nothing),
            }
            return;
        }
        let stays = outcome.stays();
        outcome.unkept.iter().for_each(|lost| out.inform(lost));
        for file in outcome.files {
            file_taken_back(file, &outcome.target, ledger, out);
        }
        stays.iter().for_each(|stays| out.inform(stays));
        if outcome.proposals.is_empty() {
            self.list(outcome.proposals.listing, is_over, out);
        } else {
            self.stage(outcome.proposals, false, is_over, out);
        }
    }
}

fn file_taken_back(
    file: RevertedFile,
    target: &RevertTarget,
    ledger: &mut Ledger,
    out: &mut Outbox,
) {
    let path = file.name().to_owned();
    let summary = summary(&file, target).to_owned();
    out.emit(Event::Reverted {
        path: path.clone(),
        summary: in_a_list(&file, target).to_owned(),
    });
    let taken_back: Vec<u64> = file.gone.iter().map(|gone| gone.version).collect();
    let mut restored = file.restored;
    match target.parts().0 {
        RevertTarget::OneFile { .. } => {
            let told = ledger.told();
            let is_known = taken_back.iter().all(|one| told.is_back(&path, *one))
                && restored.iter().all(|one| !told.is_back(&path, *one));
            if is_known && !(taken_back.is_empty() && restored.is_empty()) {
                return;
            }
        }
        // The entry that puts them back stands for the changes.
        RevertTarget::Redo { .. } if restored.is_empty() => restored.push(file.version),
        _ => {}
    }
    ledger.tell(Notice::Reverted {
        path,
        summary,
        taken_back,
        restored,
    });
}

/// Says the same in a list of the files of a change.
fn in_a_list<'f>(file: &'f RevertedFile, target: &RevertTarget) -> &'f str {
    match target.parts().0 {
        RevertTarget::Changeset { .. } => "reverted",
        RevertTarget::Redo { .. } => "redone",
        whole => summary(file, whole),
    }
}

/// Says in one line what was taken back of a file.
fn summary<'f>(file: &'f RevertedFile, target: &RevertTarget) -> &'f str {
    match target {
        RevertTarget::OneFile { .. } => &file.summary,
        RevertTarget::Changeset { .. } => "one change, in all of its files",
        RevertTarget::Before { .. } => "one change and all later ones of its files",
        RevertTarget::Since(_) => "all changes since an earlier prompt",
        RevertTarget::Redo { .. } => "what was reverted is redone",
        RevertTarget::Part { of, .. } => summary(file, of),
    }
}
