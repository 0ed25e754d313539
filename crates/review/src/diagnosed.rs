//! Diagnosed hunks: which hunk a diagnostic is about.

use signoff_checks::check::Diagnostic;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, ProposalView};

/// Returns the hunk that a diagnostic is about: the one around its line, or else the first one of its
/// file.
pub fn hunk_of<'a>(
    diagnostic: &Diagnostic,
    proposals: impl DoubleEndedIterator<Item = &'a ProposalView>,
) -> Option<HunkId> {
    let own = |view: &&ProposalView| view.to.as_ref().unwrap_or(&view.path) == &diagnostic.path;
    // The newest stands on top.
    let hunks = proposals.rev().filter(own);
    let hunks: Vec<&HunkView> = hunks.flat_map(|view| &view.hunks).collect();
    let around = |hunk: &&&HunkView| {
        // The text that was checked has all that waits in it.
        let shift = hunk.place.map_or(0, |place| place.after);
        let mut lines = hunk.lines.iter();
        let mut lines = lines
            .by_ref()
            .filter_map(|line| line.new?.checked_add_signed(shift));
        let first = lines.next();
        let last = lines.next_back().or(first);
        first
            .zip(last)
            .is_some_and(|(first, last)| (first..=last).contains(&diagnostic.line))
    };
    let found = hunks.iter().find(around).or(hunks.first());
    found.map(|hunk| hunk.id)
}
