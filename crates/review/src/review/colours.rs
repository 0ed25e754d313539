//! Colours of code in the review.
//!
//! In: the list, and colours as they are found. Out: which proposal's are wanted next, one at a time, and the tokens of
//! a hunk's lines. Until they are there, and where the lines are others by then, code is plain.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::engine::{CodeColours, lines_key};
use signoff_core::id::ProposalId;
use signoff_core::stage::review::{HunkView, ProposalView};
use signoff_core::syntax::tokens::Token;

use super::list::unchanged;
use super::review_file::{ReviewFile, proposals};

/// Maximum number of proposals whose colours are kept: more than are near any screen. A walk through 1,000 files with 11 hunks each would
/// leave 40 MB of them.
const KEPT: usize = 256;

/// What is known of the colours.
#[derive(Debug, Default)]
pub(super) struct Colours {
    known: HashMap<ProposalId, CodeColours>,
    /// Those that are known, in the order in which they were found.
    found: VecDeque<ProposalId>,
    /// What was asked for as it is listed now.
    asked: HashSet<ProposalId>,
}

impl Colours {
    /// Takes over the colours of a proposal.
    pub(super) fn take(&mut self, colours: CodeColours) {
        let proposal = colours.proposal;
        if self.known.insert(proposal, colours).is_none() {
            self.found.push_back(proposal);
        }
        while self.found.len() > KEPT {
            let oldest = self.found.pop_front();
            oldest.into_iter().for_each(|own| {
                self.known.remove(&own);
                self.asked.remove(&own);
            });
        }
    }

    /// Returns once whose colours are to be found, for the files that are shown and the one behind them.
    pub(super) fn wanted<'a>(
        &mut self,
        files: &'a [ReviewFile],
        shown: Range<usize>,
    ) -> Option<&'a ProposalView> {
        let near = files.iter().skip(shown.start).take(shown.len() + 1);
        let mut near = near.flat_map(ReviewFile::proposals).map(Arc::as_ref);
        near.find(|own| self.asked.insert(own.id))
    }

    /// Takes over another list: what is not in it is forgotten, and what has other lines there is wanted again.
    pub(super) fn relist(&mut self, before: &[ReviewFile], after: &[ReviewFile]) {
        let listed: HashSet<ProposalId> = proposals(after).map(|own| own.id).collect();
        let unchanged = unchanged(before, after);
        self.known.retain(|id, _| listed.contains(id));
        self.found.retain(|id| listed.contains(id));
        self.asked.retain(|id| unchanged.contains(id));
    }

    /// Returns which of the known colours of its proposal are those of a hunk with these lines; none where they are not
    /// known.
    pub(super) fn find(&self, hunk: &HunkView, lines: &[DiffLine]) -> Option<usize> {
        let hunks = &self.known.get(&hunk.id.proposal)?.hunks;
        let at = hunks.iter().position(|own| own.hunk == hunk.id)?;
        let own = hunks.get(at)?;
        (own.key == lines_key(lines)).then_some(at)
    }

    /// Returns the tokens of the lines of a hunk that [`Self::find`] found.
    pub(super) fn tokens(&self, proposal: ProposalId, at: usize) -> &[Vec<Token>] {
        let known = self.known.get(&proposal);
        let own = known.and_then(|known| known.hunks.get(at));
        own.map_or(&[], |own| &own.lines)
    }

    /// Returns why a file has none, where one would expect them.
    pub(super) fn off(&self, file: &ReviewFile) -> Option<&str> {
        let mut known = file
            .proposals()
            .iter()
            .filter_map(|own| self.known.get(&own.id));
        known.find_map(|own| own.off.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::review::kit;

    #[test]
    fn what_was_found_long_ago_is_asked_for_again() {
        let ids = (0..=KEPT).map(|id| ProposalId(Uuid::from_u128(id as u128)));
        let ids: Vec<ProposalId> = ids.collect();
        let files = ids.iter().map(|id| {
            let id = *id;
            ReviewFile::new(vec![ProposalView {
                id,
                ..kit::file("")
            }])
        });
        let files: Vec<ReviewFile> = files.collect();
        let mut colours = Colours::default();
        for (at, id) in ids.iter().enumerate() {
            while let Some(wanted) = colours.wanted(&files, at..at) {
                assert_eq!(wanted.id, *id);
                colours.take(CodeColours {
                    proposal: *id,
                    hunks: Vec::new(),
                    off: None,
                });
            }
        }
        for (at, is_wanted) in [(KEPT, false), (1, false), (0, true), (0, false)] {
            let wanted = colours.wanted(&files, at..at);
            assert_eq!(wanted.is_some(), is_wanted, "{at}");
        }
    }

    #[test]
    fn each_file_is_asked_for_once_until_its_lines_change() {
        let file = |id: u128, text: &str| {
            let proposal = ProposalView {
                id: ProposalId(Uuid::from_u128(id)),
                ..kit::file(text)
            };
            ReviewFile::new(vec![proposal])
        };
        let mut colours = Colours::default();
        let files = [file(1, "a"), file(2, "b"), file(3, "c")];
        let mut wanted = |files: &[ReviewFile], shown: usize| {
            let wanted = colours.wanted(files, shown..shown + 1);
            wanted.map(|file| file.id.0.as_u128())
        };
        assert_eq!(wanted(&files, 0), Some(1));
        assert_eq!(wanted(&files, 0), Some(2));
        assert_eq!(wanted(&files, 0), None);
        let changed = [file(2, "other"), file(3, "c")];
        colours.relist(&files, &changed);
        let mut wanted = |files: &[ReviewFile], shown: usize| {
            let wanted = colours.wanted(files, shown..shown + 1);
            wanted.map(|file| file.id.0.as_u128())
        };
        assert_eq!(wanted(&changed, 0), Some(2));
        assert_eq!(wanted(&changed, 0), Some(3));
        assert_eq!(wanted(&changed, 0), None);
        colours.relist(&changed, &files);
        assert_eq!(
            colours.wanted(&files, 0..1).map(|file| file.id),
            Some(files[0].proposals()[0].id)
        );
    }
}
