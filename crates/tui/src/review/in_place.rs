//! Editing a hunk's new text in place, without the user's editor.
//!
//! In: a key, and the text as it is typed. Out: the text to begin with, and the verdict once the user accepts it. What was
//! typed and not accepted is offered again, as long as the hunk reads as it did then.

use std::collections::HashMap;

use signoff_core::id::HunkId;

use super::pending_verdicts::Confirmation;
use super::{Manuscript, Outcome, Review, ReviewKey, ReviewTool};

/// Texts that were begun in place and not accepted.
#[derive(Debug, Default)]
pub(super) struct TextDrafts(HashMap<HunkId, Manuscript>);

impl Review {
    /// Has the user edit the selected hunk's new text in place.
    pub(super) fn edit_in_place(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        let key = ReviewKey::Tool(ReviewTool::EditInPlace);
        let manuscript = match self.edit(key, confirmed) {
            Outcome::Edit(manuscript) => manuscript,
            other => return other,
        };
        let hunk = manuscript.hunk;
        let draft = self.text_drafts.0.remove(&hunk);
        let is_same = |draft: &Manuscript| draft.reads == manuscript.reads;
        let (draft, outdated) = match draft {
            Some(draft) if is_same(&draft) => (draft, None),
            other => (manuscript, other),
        };
        self.text_drafts.0.insert(hunk, draft);
        Outcome::EditInPlace { hunk, outdated }
    }

    /// Returns the text of a hunk that is being edited in place.
    pub(crate) fn drafted_text(&self, hunk: HunkId) -> &str {
        let draft = self.text_drafts.0.get(&hunk);
        draft.map_or("", |draft| &draft.text)
    }

    /// Keeps the text as it is typed.
    pub(crate) fn draft_text(&mut self, hunk: HunkId, text: &str) {
        if let Some(draft) = self.text_drafts.0.get_mut(&hunk) {
            text.clone_into(&mut draft.text);
        }
    }

    /// Returns once what was typed in the place of a hunk's new text.
    pub(crate) fn take_drafted_text(&mut self, hunk: HunkId) -> Option<Manuscript> {
        self.text_drafts.0.remove(&hunk)
    }
}
