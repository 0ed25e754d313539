//! Hunks in conflict: keeping the user's lines, taking the hunk's, or a text made of both.
//!
//! In: keys on the selected hunk, and what the user made of both texts. Out: marks.
//!
//! ```text
//! <<<<<<< yours
//!     let total = 0;
//! =======
//!     let sum = 0;
//! >>>>>>> proposed
//! ```

use signoff_core::id::HunkId;
use signoff_core::review::{DiffLine, HunkStatus, HunkView, LineKind, Verdict};

use super::KeyNames;
use super::{DENIAL, Outcome, Review, ReviewKey, Scope, say};

/// Why a hunk is denied whose place the user keeps as it is.
const KEPT: &str = "the user keeps their own lines";

/// The lines that tell the two texts apart.
const MARKERS: [&str; 3] = ["<<<<<<< yours", "=======", ">>>>>>> proposed"];

/// Returns true if a hunk is in conflict.
pub(super) fn is_conflict(hunk: &HunkView) -> bool {
    matches!(hunk.status, HunkStatus::Conflict { .. })
}

/// Returns both texts of a hunk in conflict, for the user's editor.
pub(super) fn both(hunk: &HunkView) -> String {
    let ended = |mut text: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    };
    let [yours, between, proposed] = MARKERS;
    let (mine, theirs) = (ended(old_text(hunk)), ended(hunk.new_text()));
    format!("{yours}\n{mine}{between}\n{theirs}{proposed}\n")
}

/// Returns a hunk's old text, from its first changed line to its last one.
fn old_text(hunk: &HunkView) -> String {
    let changed = |line: &DiffLine| line.kind != LineKind::Context;
    let first = hunk.lines.iter().position(changed).unwrap_or(0);
    let last = hunk.lines.iter().rposition(changed);
    let within = hunk.lines.get(first..last.map_or(first, |last| last + 1));
    let mut text = String::new();
    let old = within.unwrap_or_default().iter();
    for line in old.filter(|line| line.kind != LineKind::Added) {
        text.push_str(&line.text);
        text.push_str(if line.newline { "\n" } else { "" });
    }
    text
}

impl Review {
    /// Returns true if a key is about a conflict, and the selected hunk is in none: it is as much as a letter that means
    /// nothing.
    pub(crate) fn is_stray(&self, key: ReviewKey) -> bool {
        matches!(key, ReviewKey::KeepMine | ReviewKey::TakeTheirs)
            && !self.list.selected_hunk().is_some_and(is_conflict)
    }

    /// Returns what a key means for the selected hunk: one in conflict is taken as `a` takes it.
    pub(super) fn resolving(&self, key: ReviewKey) -> ReviewKey {
        match key {
            ReviewKey::TakeTheirs if self.list.selected_hunk().is_some_and(is_conflict) => {
                ReviewKey::Approve
            }
            key => key,
        }
    }

    /// Says of a key that is about a conflict that there is none.
    pub(super) fn no_conflict(&self) -> Outcome {
        let KeyNames { approve, deny, .. } = &self.verdicts.names;
        Outcome::Say(format!(
            "This hunk is not in conflict: {approve} approves it, {deny} denies it"
        ))
    }

    /// Denies the selected hunk, since the user's own lines stay.
    pub(super) fn keep_mine(&mut self) -> Outcome {
        let Some(hunk) = self.list.selected_hunk().filter(|hunk| is_conflict(hunk)) else {
            return self.no_conflict();
        };
        let id = hunk.id;
        if let Some(refusal) =
            (self.verdicts.marks).refusal(Some(hunk), &DENIAL, &self.verdicts.names)
        {
            return Outcome::Say(refusal);
        }
        let (diff, scene) = self.parts();
        if !diff.is_in_sight(&scene) {
            return self.show_first();
        }
        self.deny(Scope::Hunk(id), Some(KEPT.to_owned()))
    }

    /// Takes over what the user made of both texts of a hunk in conflict.
    pub(super) fn resolved(&mut self, id: HunkId, text: String) -> Outcome {
        let is_marker = |line: &str| MARKERS.contains(&line);
        if text.lines().any(is_marker) {
            let key = &self.verdicts.names.edit;
            return Outcome::Say(format!(
                "The marks between both texts are still there: {key} edits it again"
            ));
        }
        let Some(hunk) = self.list.hunk(id).cloned() else {
            return say("The hunk does not wait any more");
        };
        if text == old_text(&hunk) {
            return self.deny(Scope::Hunk(id), Some(KEPT.to_owned()));
        }
        let verdict = if text == hunk.new_text() {
            Verdict::Approve
        } else {
            Verdict::ApproveEdited { text }
        };
        let had_edited = self.verdicts.marks.has_edited();
        self.verdicts.marks.set_alone(&hunk, verdict);
        self.mark_other_side();
        self.marked_anew(had_edited);
        self.submit_if_all_marked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit;

    #[test]
    fn both_texts_are_given_to_the_editor() {
        let mut hunk = kit::file("above").hunks.remove(0);
        let removed = DiffLine {
            kind: LineKind::Removed,
            text: "mine".to_owned(),
            newline: false,
            ..hunk.lines[0].clone()
        };
        hunk.lines.insert(1, removed);
        let expected = "<<<<<<< yours\nmine\n=======\nnew\n>>>>>>> proposed\n";
        assert_eq!(both(&hunk), expected);
        hunk.lines.remove(1);
        assert_eq!(
            both(&hunk),
            "<<<<<<< yours\n=======\nnew\n>>>>>>> proposed\n"
        );
    }
}
