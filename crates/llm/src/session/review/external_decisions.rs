//! External decisions: verdicts given by a command or in another process.
//!
//! In: what the engine knows of the conversation's edits, before a prompt. Out: the notices that
//! the model would have been given here; what it was told before is not told again.

use signoff_core::engine::{HunkOutcome, Outcomes};
use signoff_core::id::ProposalId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{EntryStatus, HistoryView, HunkStatus};

use super::super::ledger::Ledger;
use super::super::outbox::Outbox;
use super::Review;
use crate::notice::{Notice, ToldOutcomes};

/// Of what there may be external_decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inquiry {
    /// Proposals that wait as far as the model knows.
    pub proposals: Vec<ProposalId>,
    /// The conversations whose edits it knows of.
    pub sessions: Vec<String>,
}

impl Review {
    /// Tells the model of what it does not know. Returns whether there was something.
    pub(in crate::session) fn catch_up(
        &mut self,
        outcomes: Outcomes,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> bool {
        let told = ledger.told();
        let news = self.verdicts_given(&told, outcomes.hunks, outcomes.pending, ledger)
            + reversals_made(&told, &outcomes.written, ledger);
        if news > 0 {
            let what = counted(news, "decision");
            out.inform(&format!("the model learns of {what} made elsewhere"));
        }
        news > 0
    }

    fn verdicts_given(
        &mut self,
        told: &ToldOutcomes,
        hunks: Vec<HunkOutcome>,
        pending: usize,
        ledger: &mut Ledger,
    ) -> usize {
        let is_news =
            |judged: &HunkOutcome| judged.status != HunkStatus::Pending && told.is_news(judged);
        let hunks: Vec<HunkOutcome> = hunks.into_iter().filter(is_news).collect();
        // What only came into conflict with the user's own edits still waits.
        let count = hunks
            .iter()
            .filter(|judged| !matches!(judged.status, HunkStatus::Conflict { .. }))
            .count();
        if count > 0 {
            // A reason is answered by the turn that the prompt begins.
            let _answer = self.hunks.decide(&hunks);
            ledger.tell(Notice::Verdicts { hunks, pending });
        }
        count
    }
}

fn reversals_made(told: &ToldOutcomes, written: &[HistoryView], ledger: &mut Ledger) -> usize {
    let ours = written
        .iter()
        .filter(|change| ledger.lineage().wrote(change));
    let news = ours.filter(|change| {
        let back = change.status == EntryStatus::Reverted;
        back != told.is_back(&change.path, change.version)
    });
    let notices: Vec<Notice> = news.map(reversal).collect();
    let count = notices.len();
    notices.into_iter().for_each(|notice| ledger.tell(notice));
    count
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
