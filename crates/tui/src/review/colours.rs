//! Colours of code in the review.
//!
//! In: the list, and colours as they are found. Out: which proposal's are wanted next, one at a time, and the tokens of
//! a hunk's lines. Until they are there, and where the lines are others by then, code is plain.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use signoff_core::engine::{CodeColours, lines_key};
use signoff_core::id::ProposalId;
use signoff_core::review::{HunkView, ProposalView};
use signoff_core::syntax::tokens::Token;

/// What is known of the colours.
#[derive(Debug, Default)]
pub(super) struct Colours {
    known: HashMap<ProposalId, CodeColours>,
    /// What was asked for, with how it looked then.
    asked: HashMap<ProposalId, u64>,
}

impl Colours {
    /// Takes over the colours of a proposal.
    pub(super) fn take(&mut self, colours: CodeColours) {
        self.known.insert(colours.proposal, colours);
    }

    /// Returns once whose colours are to be found, for the file that is shown and the one behind it.
    pub(super) fn wanted(&mut self, files: &[ProposalView], shown: usize) -> Option<ProposalId> {
        let mut near = files.iter().skip(shown).take(2);
        near.find_map(|file| {
            let look = look(file);
            let before = self.asked.insert(file.id, look);
            (before != Some(look)).then_some(file.id)
        })
    }

    /// Forgets proposals that are not listed any more.
    pub(super) fn retain(&mut self, files: &[ProposalView]) {
        let is_listed = |id: &ProposalId| files.iter().any(|file| file.id == *id);
        self.known.retain(|id, _| is_listed(id));
        self.asked.retain(|id, _| is_listed(id));
    }

    /// Returns the tokens of a hunk's lines; nothing where they are not known.
    pub(super) fn of(&self, hunk: &HunkView) -> &[Vec<Token>] {
        let known = self.known.get(&hunk.id.proposal);
        let mut hunks = known.into_iter().flat_map(|known| &known.hunks);
        let own = hunks.find(|own| own.hunk == hunk.id);
        let own = own.filter(|own| own.key == lines_key(&hunk.lines));
        own.map_or(&[], |own| &own.lines)
    }

    /// Returns why a file has none, where one would expect them.
    pub(super) fn off(&self, file: &ProposalView) -> Option<&str> {
        self.known.get(&file.id)?.off.as_deref()
    }
}

fn look(file: &ProposalView) -> u64 {
    let mut hasher = DefaultHasher::new();
    for hunk in &file.hunks {
        lines_key(&hunk.lines).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use signoff_core::id::{ChangesetId, HunkId, Timestamp};
    use signoff_core::intent::Operation;
    use signoff_core::review::{DiffLine, HunkStatus, LineKind};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn each_look_of_a_file_is_asked_for_once() {
        let mut colours = Colours::default();
        let file = |id: u128, text: &str| ProposalView {
            id: ProposalId(Uuid::from_u128(id)),
            changeset: ChangesetId(Uuid::nil()),
            path: "a.rs".to_owned(),
            to: None,
            operation: Operation::Modify,
            description: String::new(),
            evidence: String::new(),
            strategy: String::new(),
            note: None,
            runs: None,
            is_guess: false,
            held: None,
            created: Timestamp(0),
            hunks: vec![HunkView {
                id: HunkId {
                    proposal: ProposalId(Uuid::from_u128(id)),
                    number: 1,
                },
                header: String::new(),
                status: HunkStatus::Pending,
                lines: vec![DiffLine {
                    kind: LineKind::Added,
                    old: None,
                    new: Some(1),
                    text: text.to_owned(),
                    emphasis: Vec::new(),
                    newline: true,
                }],
                yours: Vec::new(),
                takeable: false,
                added: 1,
                removed: 0,
                denied_before: None,
                group: None,
            }],
        };
        let files = [file(1, "a"), file(2, "b"), file(3, "c")];
        assert_eq!(colours.wanted(&files, 0), Some(files[0].id));
        assert_eq!(colours.wanted(&files, 0), Some(files[1].id));
        assert_eq!(colours.wanted(&files, 0), None);
        let changed = [file(1, "a"), file(2, "other"), file(3, "c")];
        assert_eq!(colours.wanted(&changed, 0), Some(files[1].id));
        assert_eq!(colours.wanted(&changed, 2), Some(files[2].id));
        colours.retain(&changed[1..]);
        assert_eq!(colours.wanted(&files, 0), Some(files[0].id));
    }
}
