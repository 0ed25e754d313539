//! Reports on verdicts and reverts, for the user and the model.
//!
//! In: what the engine made of them. Out: events, one notice each, and at times a new turn:
//! a denial with a reason is for the model to answer, at once or when its turn is over.

use signoff_core::engine::{
    ChangesetUndone, Decided, Decision, FileUndone, HunkOutcome, Undone, decided_by_others,
};
use signoff_core::stage::review::{HunkState, ProposalView, Ruling};

use super::pending_hunks::Look;
use super::{CommittedFile, Effect, Event, Fault, FaultKind, Session};
use crate::notice::{Judged, Notice};

/// Verdicts, and how what they approve looked to the user.
#[derive(Debug)]
pub(super) struct Held {
    rulings: Vec<Ruling>,
    seen: Vec<Look>,
}

/// Which way a changeset goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It is taken back.
    Back,
    /// It is taken back with all that was written to its files since.
    BackAndLater,
    /// All that was written since an earlier prompt is taken back.
    BackToPrompt,
    /// What was taken back of it is put back.
    Again,
}

impl Session {
    /// Takes verdicts about what the screen shows.
    pub(super) fn rule(&mut self, rulings: Vec<Ruling>) {
        let seen = self.pending_hunks.looks(&rulings);
        self.rulings.push_back(Held { rulings, seen });
    }

    /// Hands verdicts to the engine, one lot at a time, when all of its reports have come: a
    /// hunk that looks different by then was not what the user approved.
    pub(super) fn release_rulings(&mut self) {
        while self.consulting == 0 && self.staging.is_empty() {
            let Some(Held { rulings, seen }) = self.rulings.pop_front() else {
                return;
            };
            let changed = self.pending_hunks.changed(&seen);
            if changed.is_empty() {
                self.consult(Effect::Decide(rulings))
            } else {
                self.moved(changed)
            }
        }
    }

    /// Takes what came of verdicts.
    pub(super) fn decided(&mut self, outcome: Result<Decision, Fault>) {
        self.reported();
        match outcome {
            Ok(Decision::Done(decided)) => self.carried_out(decided),
            Ok(Decision::Moved { paths }) => self.moved(paths),
            Ok(Decision::Elsewhere { hunks, others }) => {
                self.inform_of_others(hunks);
                match others {
                    0 => {}
                    1 => self.inform("1 other verdict was not carried out and stays marked"),
                    n => self.inform(&format!(
                        "{n} other verdicts were not carried out and stay marked"
                    )),
                }
                self.emit(Event::Undecided);
            }
            Ok(Decision::Refused { why }) => {
                self.fault(FaultKind::Conflict, why, "nothing was written");
                self.emit(Event::Undecided);
            }
            Err(fault) => {
                self.emit(Event::Fault(fault));
                self.emit(Event::Undecided);
            }
        }
        self.consult(Effect::ReadReview);
    }

    /// Takes what came of taking a change back.
    pub(super) fn reverted(&mut self, outcome: Result<Undone, Fault>) {
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
                unkept.iter().for_each(|lost| self.inform(lost));
                self.emit(Event::Reverted {
                    path: path.clone(),
                    summary: summary.clone(),
                });
                self.begin_anew();
                let told = self.told();
                let known = gone.iter().all(|one| told.is_back(&path, *one))
                    && restored.iter().all(|one| !told.is_back(&path, *one));
                if !known || (gone.is_empty() && restored.is_empty()) {
                    self.tell(Notice::Reverted {
                        path,
                        summary,
                        taken_back: gone,
                        restored,
                    });
                }
                self.consult(Effect::ReadReview);
            }
            Ok(Undone::Conflict { why }) => {
                self.fault(FaultKind::Conflict, why, "nothing was written");
            }
            Ok(Undone::Nothing { why }) => self.inform(&why),
            Err(fault) => self.emit(Event::Fault(fault)),
        }
    }

    /// Takes what came of taking a changeset back, or of putting it back again.
    pub(super) fn changeset_reverted(&mut self, outcome: Result<ChangesetUndone, Fault>, way: Way) {
        self.reported();
        match outcome {
            Ok(ChangesetUndone::Done { files, unkept }) => {
                unkept.iter().for_each(|lost| self.inform(lost));
                self.begin_anew();
                for file in files {
                    self.file_reverted(file, way);
                }
                self.consult(Effect::ReadReview);
            }
            Ok(ChangesetUndone::Conflict { why }) => {
                self.fault(FaultKind::Conflict, why, "nothing was written");
            }
            Ok(ChangesetUndone::Nothing) => self.inform(match way {
                Way::Back | Way::BackAndLater | Way::BackToPrompt => "nothing of it is in effect",
                Way::Again => "nothing of it is taken back",
            }),
            Err(fault) => self.emit(Event::Fault(fault)),
        }
    }

    /// Reports a file of what was taken back, or put back, at once.
    fn file_reverted(&mut self, file: FileUndone, way: Way) {
        let FileUndone {
            path,
            version,
            gone,
            restored,
        } = file;
        let summary = match way {
            Way::Back => "all that was written with one changeset",
            Way::BackAndLater => "all that was written since one changeset began",
            Way::BackToPrompt => "all that was written since an earlier prompt",
            Way::Again => "what was taken back is put back",
        };
        let summary = summary.to_owned();
        self.emit(Event::Reverted {
            path: path.clone(),
            summary: summary.clone(),
        });
        let taken_back: Vec<u64> = gone.iter().map(|gone| gone.version).collect();
        let restored = match way {
            // The entry that puts them back stands for the changes.
            Way::Again if restored.is_empty() => vec![version],
            _ => restored,
        };
        self.tell(Notice::Reverted {
            path,
            summary,
            taken_back,
            restored,
        });
    }

    /// Takes the review list.
    pub(super) fn reviewed(&mut self, outcome: Result<Vec<ProposalView>, Fault>) {
        self.reported();
        match outcome {
            Ok(proposals) => {
                let gone = self.pending_hunks.read(&proposals);
                if !gone.is_empty() && !self.leaving {
                    self.consult(Effect::ReadOutcomes(gone));
                }
                self.emit(Event::Review { proposals });
                self.settle();
            }
            Err(fault) => self.emit(Event::Fault(fault)),
        }
    }

    /// Takes what became of hunks that do not wait any more, though nothing here decided on them.
    pub(super) fn outcomes_read(&mut self, hunks: Vec<HunkOutcome>) {
        self.reported();
        self.inform_of_others(hunks);
    }

    /// Reports what another process decided to the user, and with the next prompt to the model.
    fn inform_of_others(&mut self, hunks: Vec<HunkOutcome>) {
        for line in decided_by_others(&hunks) {
            self.inform(&line);
        }
        let hunks: Vec<Judged> = hunks.into_iter().map(Judged::from).collect();
        let _answer = self.pending_hunks.decide(&hunks);
    }

    fn carried_out(&mut self, decided: Decided) {
        let pending = decided.pending;
        let hunks: Vec<Judged> = decided.hunks.into_iter().map(Judged::from).collect();
        let committed = decided.committed.into_iter();
        let committed = committed.map(|(path, version)| CommittedFile {
            deleted: decided.deleted.contains(&path),
            path,
            version,
        });
        self.emit(Event::Decided {
            committed: committed.collect(),
            approved: count(&hunks, HunkState::Committed),
            denied: count(&hunks, HunkState::Denied),
            pending,
        });
        decided.unkept.iter().for_each(|lost| self.inform(lost));
        let approved = count(&hunks, HunkState::Committed) > 0;
        if approved {
            self.begin_anew();
        }
        let goes_on = self.going_on.goes_on() && approved && pending == 0 && self.attended;
        // A prompt that came meanwhile may have looked before this did.
        let told = self.told();
        let (hunks, known): (Vec<_>, Vec<_>) =
            hunks.into_iter().partition(|judged| told.is_news(judged));
        self.pending_hunks.decide(&known);
        let answer = self.pending_hunks.decide(&hunks);
        if count(&hunks, HunkState::Pending) < hunks.len() {
            self.tell(Notice::Verdicts { hunks, pending });
        }
        self.settle();
        match ((answer || goes_on) && !self.leaving, &self.turn) {
            (true, None) if !self.is_held() => self.begin(None),
            (true, _) => self.resume = true,
            (false, _) => {}
        }
    }

    pub(super) fn reported(&mut self) {
        self.consulting = self.consulting.saturating_sub(1);
    }

    fn moved(&mut self, paths: Vec<String>) {
        let message = format!("changed on disk since it was shown: {}", paths.join(", "));
        let hint = "nothing was written; look at the changes again, then decide";
        self.fault(FaultKind::FileChanged, message, hint);
        self.emit(Event::Undecided);
        self.tell(Notice::FileMoved { paths });
    }

    fn fault(&mut self, kind: FaultKind, message: String, hint: &str) {
        self.emit(Event::Fault(Fault {
            kind,
            message,
            hint: Some(hint.to_owned()),
        }));
    }
}

fn count(hunks: &[Judged], state: HunkState) -> usize {
    let same = |judged: &&Judged| judged.status.state() == state;
    hunks.iter().filter(same).count()
}
