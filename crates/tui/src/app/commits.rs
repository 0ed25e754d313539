//! Commits of programs beside the files of the review: asked for, decided on after the files, and taken back.
//!
//! In: verdicts that the review hands over, and what is told of the commits. Out: what is asked of them, and what there is to
//! say.
//!
//! ```text
//! handed over  a.txt approved, commit c23c approved
//! session      Decide(a.txt)           the commit waits until its files are on disk
//! Decided      commits: approve c23c   what was written stays in sight until that is answered
//! ```

use std::collections::VecDeque;

use signoff_core::id::{ChangesetId, ProposalId};
use signoff_core::stage::review::{AfterApproval, Proposer, Ruling, Verdict};
use signoff_llm::session::Command;
use signoff_sandbox::waiting_commits::SettledChange;

use super::conversation::Queued;
use super::{App, AppEffect, notes};
use crate::event_lines;
use crate::review::commits::CommitCard;
use crate::review::history::MadeCommit;
use crate::wrap::Row;

/// What is asked of the commits of programs. Each is answered with all that waits by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitsRequest {
    /// Which wait.
    List,
    /// What the user typed after `/commits`.
    Typed(String),
    /// These are to be made, or dropped.
    Decide {
        /// Each with whether it is approved.
        verdicts: Vec<(ProposalId, bool)>,
        /// Whether files were written just before, with them.
        with_files: bool,
    },
    /// The one with this id, which was made, is to be taken back with its files.
    TakeBack(ChangesetId),
    /// The one with this id, which was taken back, is to be made again with its files.
    MakeAgain(ChangesetId),
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitsAnswer {
    /// What there is to say; nothing to a list.
    pub said: Option<String>,
    /// Whether all of it was done.
    pub is_done: bool,
    /// What became of those that were decided on.
    pub settled: Vec<SettledChange>,
    /// What waits and was made by now, or why that is not known.
    pub now: Result<CommitsNews, String>,
}

/// The commits of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitsNews {
    /// Those that wait.
    pub cards: Vec<CommitCard>,
    /// Those that were made, the oldest first.
    pub made: Vec<MadeCommit>,
}

/// Verdicts on commits that were handed over: for each lot those on commits, with those on files or without.
#[derive(Debug, Default)]
pub(super) struct CommitLots(VecDeque<CommitLot>);

#[derive(Debug)]
struct CommitLot {
    rulings: Vec<Ruling>,
    /// Whether verdicts on files are carried out before it.
    follows_files: bool,
    /// What was said of the files once they were written.
    rows: Vec<Row>,
    /// What the model does after it; none where that is not chosen.
    after: Option<AfterApproval>,
    /// Why some are denied that the model made, as its next prompts.
    denials: Vec<String>,
}

impl CommitLot {
    fn request(&self, with_files: bool) -> CommitsRequest {
        let verdicts = self.rulings.iter().map(|ruling| {
            let is_approved = !matches!(ruling.verdict, Verdict::Deny { .. });
            (ruling.hunk.proposal, is_approved)
        });
        CommitsRequest::Decide {
            verdicts: verdicts.collect(),
            with_files,
        }
    }
}

impl App {
    pub(super) fn ask_commits(&mut self, request: CommitsRequest) {
        self.effects.push(AppEffect::Commits(request));
    }

    /// Takes the verdicts on commits out of these and returns those on files, which come first, with what the model does after
    /// these.
    pub(super) fn hand_over_commits(
        &mut self,
        rulings: Vec<Ruling>,
        after: Option<AfterApproval>,
    ) -> (Vec<Ruling>, Option<AfterApproval>) {
        let is_commit = |ruling: &Ruling| self.review.is_commit(ruling.hunk.proposal);
        let (commits, files): (Vec<Ruling>, Vec<Ruling>) = rulings.into_iter().partition(is_commit);
        // Both once: the model goes on after what comes last.
        let (after_files, after) = match after {
            after if commits.is_empty() => (after, None),
            after if files.is_empty() => (None, after),
            Some(AfterApproval::GoOn) => (Some(AfterApproval::Stop), after),
            after => (after, Some(AfterApproval::Stop)),
        };
        let denials = commits.iter().filter_map(|ruling| self.denial(ruling));
        let denials = denials.collect();
        self.commits.0.push_back(CommitLot {
            rulings: commits,
            denials,
            follows_files: !files.is_empty(),
            rows: Vec::new(),
            after,
        });
        if self.commits.0.len() == 1 {
            self.begin_lots();
        }
        (files, after_files)
    }

    /// Returns what the model is told of a commit of its own that was denied with a reason. What the user ran and denied asks
    /// nothing of it.
    fn denial(&self, ruling: &Ruling) -> Option<String> {
        let Verdict::Deny { reason: Some(why) } = &ruling.verdict else {
            return None;
        };
        let view = &self.review.commit(ruling.hunk.proposal)?.view;
        let what = match view.path.as_str() {
            commit if commit.starts_with("commit ") => commit.to_owned(),
            other => format!("change of {other}"),
        };
        (view.proposer != Proposer::User)
            .then(|| format!("I denied the {what} that you made: {why}"))
    }

    /// Asks for what the first lot decides, unless files come before.
    fn begin_lots(&mut self) {
        if let Some(lot) = self.commits.0.front()
            && !lot.follows_files
        {
            self.ask_commits(lot.request(false));
        }
    }

    /// Goes on with the commits of the lot whose files were decided on; false if there are none.
    pub(super) fn go_on_with_commits(&mut self, rows: &[Row], has_written: bool) -> bool {
        let Some(lot) = self.commits.0.front_mut() else {
            return false;
        };
        if lot.rulings.is_empty() {
            self.end_lot();
            return false;
        }
        lot.rows = rows.to_vec();
        let request = lot.request(has_written);
        self.ask_commits(request);
        true
    }

    fn end_lot(&mut self) -> Option<CommitLot> {
        let ended = self.commits.0.pop_front();
        self.begin_lots();
        ended
    }

    /// Takes over that the verdicts of a lot on files were not carried out: its commits wait as well.
    pub(super) fn drop_commit_lot(&mut self) {
        drop(self.end_lot());
    }

    /// Takes over what was answered about commits.
    pub fn told_of_commits(&mut self, request: &CommitsRequest, answer: CommitsAnswer) {
        let CommitsAnswer {
            said,
            is_done,
            settled,
            now,
        } = answer;
        match request {
            CommitsRequest::List => {}
            CommitsRequest::Typed(_) => said.iter().for_each(|text| self.answer(text)),
            CommitsRequest::Decide { verdicts, .. } => {
                self.commits_decided(verdicts, said.as_deref(), (settled, is_done));
            }
            CommitsRequest::TakeBack(_) | CommitsRequest::MakeAgain(_) => {
                said.iter().for_each(|text| self.answer(text));
                if is_done {
                    self.on_written();
                }
            }
        }
        match now {
            Ok(CommitsNews { cards, made }) => {
                self.history.set_commits(made);
                let mut ids = cards.iter().map(|card| card.view.id);
                let has_news = ids.any(|id| !self.review.is_commit(id));
                let dropped = self.review.set_commits(cards);
                self.tell(notes::unmarked(&dropped));
                self.renew_sign_off();
                self.guard_news();
                self.close_empty_review();
                if has_news && self.status.is_busy() && !self.conversation.runs_command() {
                    (self.focus).offer_review(self.conversation.composer(), self.review.list());
                }
            }
            Err(why) => self.tell(event_lines::info(&why)),
        }
    }

    /// Shows what became of a lot of commits, behind what was said of its files. Why one was denied is the model's next prompt.
    fn commits_decided(
        &mut self,
        verdicts: &[(ProposalId, bool)],
        said: Option<&str>,
        (settled, is_done): (Vec<SettledChange>, bool),
    ) {
        let Some(lot) = self.end_lot() else {
            return;
        };
        if !lot.follows_files {
            self.background.wrote();
            let approved = verdicts.iter().filter(|(_, is_approved)| *is_approved);
            let approved = approved.count();
            self.review.decided(approved, verdicts.len() - approved);
        }
        let mut rows = lot.rows;
        let about = said.map_or_else(Vec::new, event_lines::info);
        self.tell(about.clone());
        rows.extend(about);
        self.focus.signed_off(&rows, lot.follows_files || is_done);
        self.ask_all(lot.after.map(Command::AfterApproval));
        let is_approved = verdicts.iter().any(|(_, is_approved)| *is_approved);
        self.ask(Command::CommitsDecided {
            settled,
            is_done: is_done && is_approved || lot.follows_files,
        });
        for text in lot.denials {
            let prompt = Queued::Prompt(text);
            let commands = (self.conversation).submit(prompt, &mut self.status, self.now);
            self.ask_all(commands);
        }
    }
}
