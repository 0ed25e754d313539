//! Proposals for tests.

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::{ChangesetId, HunkId, ProposalId, Timestamp};
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalEffect, ProposalView, Proposer};

/// Returns a proposal with one hunk: a line of context and an added one.
pub(crate) fn file(context: &str) -> ProposalView {
    let proposal = ProposalId(uuid::Uuid::nil());
    let line = |kind, text: &str| DiffLine {
        kind,
        old: Some(1),
        new: Some(1),
        text: text.to_owned(),
        emphasis: Vec::new(),
        newline: true,
    };
    let hunk = HunkView {
        displayed: signoff_core::stage::review::DisplayHash::default(),
        id: HunkId {
            proposal,
            number: 1,
        },
        header: String::new(),
        status: HunkStatus::Pending,
        lines: vec![
            line(LineKind::Context, context),
            line(LineKind::Added, "new"),
        ],
        yours: Vec::new(),
        takeable: false,
        added: 1,
        removed: 0,
        denied_before: None,
        verdicts: Vec::new(),
        group: None,
        proof: None,
        moved: None,
        undisplayed: None,
        place: None,
    };
    ProposalView {
        id: proposal,
        changeset: ChangesetId(uuid::Uuid::nil()),
        path: "a.txt".to_owned(),
        to: None,
        operation: Operation::Modify,
        description: String::new(),
        evidence: String::new(),
        strategy: String::new(),
        note: None,
        runs: None,
        proposer: Proposer::User,
        is_guess: false,
        placed: None,
        held: None,
        effect: ProposalEffect::default(),
        created: Timestamp(0),
        hunks: vec![hunk],
    }
}
