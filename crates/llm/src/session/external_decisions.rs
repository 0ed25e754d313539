//! External decisions: verdicts given by a command or in another process.
//!
//! In: what the engine knows of the conversation's edits, before a prompt. Out: the notices that
//! the model would have been given here; what it was told before is not told again.

use signoff_core::engine::Outcomes;
use signoff_core::id::{ProposalId, Timestamp};
use signoff_core::plural::counted;
use signoff_core::stage::review::{ConversationSpan, EntryStatus, HistoryView, HunkStatus};

use super::{Effect, Session};
use crate::memory::Recall;
use crate::notice::{Judged, Notice, Told};

/// Of what there may be external_decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inquiry {
    /// Proposals that wait as far as the model knows.
    pub proposals: Vec<ProposalId>,
    /// The conversations whose edits it knows of.
    pub sessions: Vec<String>,
}

/// The conversations that this one goes on from, itself included, and until when each counts, in
/// milliseconds since 1970.
#[derive(Clone, Debug, Default)]
pub(super) struct Lineage(Vec<(String, i64)>);

impl Lineage {
    /// Returns the line of a conversation.
    pub(super) fn of(recall: &Recall) -> Self {
        let own = (recall.id.clone(), i64::MAX);
        let line = std::iter::once(own).chain(recall.ancestors.iter().cloned());
        Self(line.filter(|(id, _)| !id.is_empty()).collect())
    }

    /// Returns its ids, as what they wrote is asked for.
    pub(super) fn spans(&self) -> Vec<ConversationSpan> {
        let span = |(session, until): &(String, i64)| ConversationSpan {
            session: session.clone(),
            until: (*until != i64::MAX).then_some(Timestamp(*until)),
        };
        self.0.iter().map(span).collect()
    }

    fn wrote(&self, change: &HistoryView) -> bool {
        let session = change.session.as_deref();
        let wrote =
            |(id, until): &(String, i64)| session == Some(id.as_str()) && change.time.0 <= *until;
        self.0.iter().any(wrote)
    }
}

impl Session {
    /// Returns of what there may be external_decisions; nothing where nothing was said.
    pub fn inquiry(&self) -> Option<Inquiry> {
        let said = !self.transcript.entries().is_empty();
        said.then(|| Inquiry {
            proposals: self.told().unsettled(),
            sessions: self.lineage.0.iter().map(|(id, _)| id.clone()).collect(),
        })
    }

    /// Tells the model of what it does not know.
    pub(super) fn catch_up(&mut self, outcomes: Outcomes) {
        let told = self.told();
        let hunks: Vec<Judged> = outcomes.hunks.into_iter().map(Judged::from).collect();
        let news = self.verdicts_given(&told, hunks, outcomes.pending)
            + self.reversals_made(&told, &outcomes.written);
        if news > 0 {
            self.begin_anew();
            self.consult(Effect::ReadReview);
            let what = counted(news, "decision");
            self.inform(&format!("the model learns of {what} made elsewhere"));
        }
    }

    /// Returns what the model was told of its edits, and what it is going to be told.
    pub(super) fn told(&self) -> Told {
        Told::of(self.transcript.notices().chain(&self.held))
    }

    fn verdicts_given(&mut self, told: &Told, hunks: Vec<Judged>, pending: usize) -> usize {
        let is_news =
            |judged: &Judged| judged.status != HunkStatus::Pending && told.is_news(judged);
        let hunks: Vec<Judged> = hunks.into_iter().filter(is_news).collect();
        let decided = |judged: &&Judged| !matches!(judged.status, HunkStatus::Conflict { .. });
        // What only came into conflict with the user's own edits still waits.
        let count = hunks.iter().filter(decided).count();
        if count > 0 {
            // A reason is answered by the turn that the prompt begins.
            let _answer = self.pending_hunks.decide(&hunks);
            self.tell(Notice::Verdicts { hunks, pending });
        }
        count
    }

    fn reversals_made(&mut self, told: &Told, written: &[HistoryView]) -> usize {
        let ours = written.iter().filter(|change| self.lineage.wrote(change));
        let news = ours.filter(|change| {
            let back = change.status == EntryStatus::Reverted;
            back != told.is_back(&change.path, change.version)
        });
        let notices: Vec<Notice> = news.map(reversal).collect();
        let count = notices.len();
        notices.into_iter().for_each(|notice| self.tell(notice));
        count
    }
}

fn reversal(change: &HistoryView) -> Notice {
    let back = change.status == EntryStatus::Reverted;
    let version = vec![change.version];
    let (taken_back, restored) = if back {
        (version, Vec::new())
    } else {
        (Vec::new(), version)
    };
    Notice::Reverted {
        path: change.path.clone(),
        summary: format!("version {}: {}", change.version, change.description),
        taken_back,
        restored,
    }
}
