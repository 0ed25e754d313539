//! Review file: one file with all that is proposed for it.
//!
//! In: proposals, oldest first. Out: files, each once, with the hunks of its proposals in the order of the file. A proposal
//! is about the file that has its path, or gets it by a proposal before. For example, of `move a.rs to b.rs` and two edits
//! of `b.rs` that were staged one after the other, there is one file, `a.rs`, with three steps.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{HunkState, HunkView, ProposalView};

/// A file, and what is proposed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReviewFile {
    /// Never empty; oldest first.
    proposals: Vec<Arc<ProposalView>>,
    /// The hunks: which proposal they are of, and which of it.
    order: Vec<HunkIndex>,
    /// Whether it is no file, but a commit that waits.
    is_card: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HunkIndex {
    proposal: usize,
    hunk: usize,
}

/// Returns the files that proposals are about, in the order of their first proposals.
pub(super) fn files(
    proposals: impl IntoIterator<Item = impl Into<Arc<ProposalView>>>,
) -> Vec<ReviewFile> {
    let mut files: Vec<Vec<Arc<ProposalView>>> = Vec::new();
    let mut named: HashMap<String, usize> = HashMap::new();
    for proposal in proposals {
        let proposal: Arc<ProposalView> = proposal.into();
        let at = *named.entry(proposal.path.clone()).or_insert(files.len());
        if let Some(to) = &proposal.to {
            named.insert(to.clone(), at);
        }
        match files.get_mut(at) {
            Some(own) => own.push(proposal),
            None => files.push(vec![proposal]),
        }
    }
    files.into_iter().map(ReviewFile::new).collect()
}

/// Returns the proposals of files.
pub(super) fn proposals(
    files: &[ReviewFile],
) -> impl DoubleEndedIterator<Item = &ProposalView> + Clone {
    files
        .iter()
        .flat_map(|file| &file.proposals)
        .map(Arc::as_ref)
}

impl ReviewFile {
    /// Returns one file; its proposals are all about it.
    pub(super) fn new(proposals: Vec<impl Into<Arc<ProposalView>>>) -> Self {
        let proposals: Vec<Arc<ProposalView>> = proposals.into_iter().map(Into::into).collect();
        let mut order: Vec<HunkIndex> = Vec::new();
        for (proposal, own) in proposals.iter().enumerate() {
            // What takes the place of a hunk is listed, and not the hunk.
            let hunks = own.hunks.iter().enumerate();
            let listed = hunks.filter(|(_, hunk)| hunk.status.state() != HunkState::Replaced);
            order.extend(listed.map(|(hunk, _)| HunkIndex { proposal, hunk }));
        }
        let mut file = Self {
            proposals,
            order: Vec::new(),
            is_card: false,
        };
        if file.proposals.len() > 1 {
            // Stable: what builds on another hunk stands behind it.
            order.sort_by_key(|index| file.at(*index).map(|(_, hunk)| hunk.line_in_file()));
        }
        file.order = order;
        file
    }

    /// Returns what waits of the repository, in the place of a file.
    pub(super) fn card(view: ProposalView) -> Self {
        Self {
            is_card: true,
            ..Self::new(vec![view])
        }
    }

    /// Returns whether it is no file, but a commit that waits.
    pub(super) fn is_card(&self) -> bool {
        self.is_card
    }

    fn at(&self, HunkIndex { proposal, hunk }: HunkIndex) -> Option<(&ProposalView, &HunkView)> {
        let proposal = self.proposals.get(proposal)?;
        Some((proposal.as_ref(), proposal.hunks.get(hunk)?))
    }

    /// Returns the file as it is called on disk.
    pub(super) fn path(&self) -> &str {
        self.proposals.first().map_or("", |own| own.path.as_str())
    }

    /// Returns where the file goes, if it moves.
    pub(super) fn to(&self) -> Option<&str> {
        let mut last = self.proposals.iter().rev();
        last.find_map(|own| own.to.as_deref())
    }

    /// Returns what is proposed for it, oldest first.
    pub(super) fn proposals(&self) -> &[Arc<ProposalView>] {
        &self.proposals
    }

    /// Returns one of its proposals.
    pub(super) fn proposal(&self, id: ProposalId) -> Option<&ProposalView> {
        let mut own = self.proposals.iter().map(Arc::as_ref);
        own.find(|own| own.id == id)
    }

    /// Returns its hunks in the order of the file.
    pub(super) fn hunks(&self) -> impl DoubleEndedIterator<Item = &HunkView> + Clone {
        self.entries().map(|(_, hunk)| hunk)
    }

    /// Returns its hunks in the order of the file, each behind its proposal.
    pub(super) fn entries(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&ProposalView, &HunkView)> + Clone {
        self.order.iter().filter_map(|index| self.at(*index))
    }

    /// Returns how many hunks it has.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns a hunk by its place in the file, behind its proposal.
    pub(super) fn entry(&self, hunk: usize) -> Option<(&ProposalView, &HunkView)> {
        self.at(*self.order.get(hunk)?)
    }

    /// Returns a hunk by its place in the file.
    pub(super) fn hunk(&self, hunk: usize) -> Option<&HunkView> {
        self.entry(hunk).map(|(_, hunk)| hunk)
    }

    /// Returns which of its proposals a hunk is of.
    pub(super) fn proposal_of(&self, hunk: usize) -> Option<usize> {
        self.order.get(hunk).map(|index| index.proposal)
    }

    /// Returns the file without some of its hunks; none if nothing is left of it.
    pub(super) fn without(&self, hunks: &HashSet<HunkId>) -> Option<Self> {
        let mut proposals = self.proposals.clone();
        for proposal in &mut proposals {
            if proposal.hunks.iter().any(|hunk| hunks.contains(&hunk.id)) {
                let own = Arc::make_mut(proposal);
                own.hunks.retain(|hunk| !hunks.contains(&hunk.id));
            }
        }
        proposals.retain(|proposal| !proposal.hunks.is_empty());
        (!proposals.is_empty()).then(|| Self {
            is_card: self.is_card,
            ..Self::new(proposals)
        })
    }
}

#[cfg(test)]
mod tests {
    use signoff_core::id::ProposalId;
    use signoff_core::stage::review::StackPlace;
    use uuid::Uuid;

    use super::*;
    use crate::review::kit;

    /// Returns a proposal with hunks at these lines of its file.
    fn proposal(id: u128, (path, to): (&str, Option<&str>), lines: &[u32]) -> ProposalView {
        let id = ProposalId(Uuid::from_u128(id));
        let mut proposal = ProposalView {
            id,
            path: path.to_owned(),
            to: to.map(str::to_owned),
            ..kit::file("")
        };
        let one = proposal.hunks.remove(0);
        let hunks = lines.iter().zip(1..).map(|(line, number)| HunkView {
            id: HunkId {
                proposal: id,
                number,
            },
            place: Some(StackPlace {
                line: *line,
                ..StackPlace::default()
            }),
            ..one.clone()
        });
        proposal.hunks = hunks.collect();
        proposal
    }

    fn told(files: &[ReviewFile]) -> Vec<(&str, Vec<(u128, u32)>)> {
        let id = |hunk: &HunkView| (hunk.id.proposal.0.as_u128(), hunk.id.number);
        let each = files.iter();
        each.map(|file| (file.path(), file.hunks().map(id).collect()))
            .collect()
    }

    #[test]
    fn a_file_stands_once_with_its_hunks_in_their_order() {
        let made = files(vec![
            proposal(1, ("a", None), &[10, 30]),
            proposal(2, ("b", None), &[5]),
            proposal(3, ("a", Some("c")), &[0]),
            proposal(4, ("c", None), &[20, 30]),
        ]);
        let of_a = vec![(3, 1), (1, 1), (4, 1), (1, 2), (4, 2)];
        assert_eq!(told(&made), [("a", of_a), ("b", vec![(2, 1)])]);
        let gone: HashSet<HunkId> = made[0].proposals()[0]
            .hunks
            .iter()
            .map(|own| own.id)
            .collect();
        let left = made[0].without(&gone).unwrap();
        assert_eq!(told(&[left])[0].1, [(3, 1), (4, 1), (4, 2)]);
    }
}
