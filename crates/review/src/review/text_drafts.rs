//! Texts of hunks that are edited in place, without the user's editor.
//!
//! In: a hunk's new text, and the text as it is typed. Out: the text to begin with. What was typed and not accepted is
//! offered again, in later runs as well, as long as the hunk reads as it did then.

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;

use super::merging::Versions;
use crate::response::Manuscript;

/// Texts that were begun in place and not accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct TextDrafts(Vec<TextDraft>);

/// A text, one for each hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TextDraft {
    #[serde(flatten)]
    manuscript: Manuscript,
    /// That it is not what it began with. Only such texts are written down.
    #[serde(skip, default = "typed")]
    is_typed: bool,
}

fn typed() -> bool {
    true
}

impl TextDrafts {
    /// Returns those of the file with what this process changed.
    pub(super) fn merged(all: Versions<'_, Self>) -> Self {
        let drafts = all.part(|own| &own.0[..]);
        Self(drafts.merged(|own| own.manuscript.hunk, TextDraft::clone))
    }

    /// Keeps a text for a hunk of which none was begun.
    pub(super) fn offer(&mut self, manuscript: Manuscript) {
        if !self.has(manuscript.hunk) {
            self.put(manuscript, true);
        }
    }

    /// Begins with a hunk's new text, or with what was begun of it. Returns what was begun before the hunk changed.
    pub(super) fn begin(&mut self, manuscript: Manuscript) -> Option<Manuscript> {
        match self.take(manuscript.hunk) {
            Some(draft) if draft.reads == manuscript.reads => {
                let is_typed = draft.text != manuscript.text;
                self.put(draft, is_typed);
                None
            }
            other => {
                self.put(manuscript, false);
                other
            }
        }
    }

    /// Returns the text of a hunk that is being edited.
    pub(super) fn text(&self, hunk: HunkId) -> &str {
        let mut drafts = self.0.iter().map(|draft| &draft.manuscript);
        let draft = drafts.find(|draft| draft.hunk == hunk);
        draft.map_or("", |draft| &draft.text)
    }

    /// Keeps the text as it is typed.
    pub(super) fn set(&mut self, hunk: HunkId, text: &str) {
        let mut drafts = self.0.iter_mut();
        let draft = drafts.find(|draft| draft.manuscript.hunk == hunk);
        if let Some(draft) = draft.filter(|draft| draft.manuscript.text != text) {
            text.clone_into(&mut draft.manuscript.text);
            draft.is_typed = true;
        }
    }

    /// Returns once what was typed in the place of a hunk's new text.
    pub(super) fn take(&mut self, hunk: HunkId) -> Option<Manuscript> {
        let mut drafts = self.0.iter();
        let at = drafts.position(|draft| draft.manuscript.hunk == hunk)?;
        Some(self.0.swap_remove(at).manuscript)
    }

    /// Returns the texts that are not what they began with.
    pub(super) fn typed(&self) -> Self {
        let drafts = self.0.iter().filter(|draft| draft.is_typed);
        Self(drafts.cloned().collect())
    }

    /// Takes the texts of hunks that are not wanted, as far as they were typed.
    pub(super) fn take_unwanted(&mut self, is_wanted: impl Fn(HunkId) -> bool) -> Vec<Manuscript> {
        let gone = (self.0).extract_if(.., |draft| !is_wanted(draft.manuscript.hunk));
        let typed = gone.filter(|draft| draft.is_typed);
        typed.map(|draft| draft.manuscript).collect()
    }

    /// Returns true if a hunk's text was begun.
    pub(super) fn has(&self, hunk: HunkId) -> bool {
        let mut drafts = self.0.iter();
        drafts.any(|draft| draft.manuscript.hunk == hunk)
    }

    /// Returns true if no text was begun.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn put(&mut self, manuscript: Manuscript, is_typed: bool) {
        self.0.push(TextDraft {
            manuscript,
            is_typed,
        });
    }
}

#[cfg(test)]
mod tests {
    use signoff_core::stage::review::HunkReading;

    use super::*;
    use crate::review::kit;

    #[test]
    fn what_was_typed_is_offered_again_as_long_as_the_hunk_reads_the_same() {
        let manuscript = |context: &str| {
            let hunk = kit::file(context).hunks.remove(0);
            Manuscript {
                hunk: hunk.id,
                path: "a.txt".to_owned(),
                text: hunk.new_text(),
                reads: HunkReading::of(&hunk),
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
        // What was not typed is not written down.
        assert!(drafts.typed().is_empty());
        drafts.set(hunk, "mine\n");
        let json = serde_json::to_string(&drafts.typed()).unwrap();
        let mut drafts: TextDrafts = serde_json::from_str(&json).unwrap();
        assert_eq!(drafts.typed(), drafts);
        assert_eq!(drafts.begin(manuscript("changed above")), None);
        assert_eq!(drafts.text(hunk), "mine\n");
        assert_eq!(drafts.take_unwanted(|own| own != hunk).len(), 1);
        assert_eq!(drafts.begin(manuscript("changed above")), None);
        assert_eq!(drafts.take(hunk), Some(manuscript("changed above")));
        assert_eq!(drafts.take(hunk), None);
    }
}
