//! Texts of hunks that are edited in place, without the user's editor.
//!
//! In: a hunk's new text, and the text as it is typed. Out: the text to begin with. What was typed and not accepted is
//! offered again, as long as the hunk reads as it did then.

use std::collections::HashMap;

use signoff_core::id::HunkId;

use super::outcome::Manuscript;

/// Texts that were begun in place and not accepted.
#[derive(Debug, Default)]
pub(super) struct TextDrafts(HashMap<HunkId, Manuscript>);

impl TextDrafts {
    /// Begins with a hunk's new text, or with what was begun of it. Returns what was begun before the hunk changed.
    pub(super) fn begin(&mut self, manuscript: Manuscript) -> Option<Manuscript> {
        let draft = self.0.remove(&manuscript.hunk);
        let (draft, outdated) = match draft {
            Some(draft) if draft.reads == manuscript.reads => (draft, None),
            other => (manuscript, other),
        };
        self.0.insert(draft.hunk, draft);
        outdated
    }

    /// Returns the text of a hunk that is being edited.
    pub(super) fn text(&self, hunk: HunkId) -> &str {
        let draft = self.0.get(&hunk);
        draft.map_or("", |draft| &draft.text)
    }

    /// Keeps the text as it is typed.
    pub(super) fn set(&mut self, hunk: HunkId, text: &str) {
        if let Some(draft) = self.0.get_mut(&hunk) {
            text.clone_into(&mut draft.text);
        }
    }

    /// Returns once what was typed in the place of a hunk's new text.
    pub(super) fn take(&mut self, hunk: HunkId) -> Option<Manuscript> {
        self.0.remove(&hunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit;
    use crate::review::seen::Reading;

    #[test]
    fn what_was_typed_is_offered_again_as_long_as_the_hunk_reads_the_same() {
        let manuscript = |context: &str| {
            let hunk = kit::file(context).hunks.remove(0);
            Manuscript {
                hunk: hunk.id,
                path: "a.txt".to_owned(),
                text: hunk.new_text(),
                reads: Reading::of_hunk(&hunk),
            }
        };
        let hunk = manuscript("").hunk;
        let mut drafts = TextDrafts::default();
        drafts.set(hunk, "not begun");
        assert_eq!(drafts.text(hunk), "");
        assert_eq!(drafts.begin(manuscript("above")), None);
        assert_eq!(drafts.text(hunk), "new\n");
        drafts.set(hunk, "mine\n");
        assert_eq!(drafts.begin(manuscript("above")), None);
        assert_eq!(drafts.text(hunk), "mine\n");
        let outdated = drafts.begin(manuscript("changed above")).unwrap();
        assert_eq!(outdated.text, "mine\n");
        assert_eq!(drafts.take(hunk), Some(manuscript("changed above")));
        assert_eq!(drafts.take(hunk), None);
    }
}
