//! Proposals for tests.

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView, Proposer};

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
        id: HunkId {
            proposal,
            number: 1,
        },
        status: HunkStatus::Pending,
        lines: vec![
            line(LineKind::Context, context),
            line(LineKind::Added, "new"),
        ],
        added: 1,
        ..HunkView::default()
    };
    ProposalView {
        id: proposal,
        path: "a.txt".to_owned(),
        operation: Operation::Modify,
        proposer: Proposer::User,
        hunks: vec![hunk],
        ..ProposalView::default()
    }
}
