//! Diagnosed hunks: which hunk a diagnostic is about.

use signoff_checks::check::Diagnostic;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, ProposalView};

/// Returns the hunk that a diagnostic is about: the one around its line, or else the first one of its
/// file.
pub fn hunk_of(diagnostic: &Diagnostic, proposals: &[ProposalView]) -> Option<HunkId> {
    let own = |view: &&ProposalView| view.to.as_ref().unwrap_or(&view.path) == &diagnostic.path;
    // The newest stands on top: its lines are numbered as in the text that was checked.
    let mut hunks = proposals
        .iter()
        .rev()
        .filter(own)
        .flat_map(|view| &view.hunks);
    let around = |hunk: &&HunkView| {
        let mut lines = hunk.lines.iter().filter_map(|line| line.new);
        let first = lines.next();
        let last = lines.next_back().or(first);
        first
            .zip(last)
            .is_some_and(|(first, last)| (first..=last).contains(&diagnostic.line))
    };
    let first = hunks.clone().next();
    hunks.find(around).or(first).map(|hunk| hunk.id)
}
