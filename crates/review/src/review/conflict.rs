//! Hunks in conflict: keeping the user's lines, taking the hunk's, or a text made of both.
//!
//! In: a hunk, and what the user made of both texts. Out: both texts in one, and the verdict.
//!
//! ```text
//! <<<<<<< yours
//!     let total = 0;
//! =======
//!     let sum = 0;
//! >>>>>>> proposed
//! ```

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::stage::review::{HunkStatus, HunkView, Verdict};

use super::KeyNames;

/// Returns what is said of a key that is about a conflict, where there is none.
pub(super) fn no_conflict(KeyNames { approve, deny, .. }: &KeyNames) -> String {
    format!("This hunk is not in conflict: {approve} approves it, {deny} denies it")
}

/// Why a hunk is denied whose place the user keeps as it is.
pub(super) const KEPT: &str = "the user keeps their own lines";

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

/// Returns what a text comes to that the user made of both texts of a hunk in conflict: a denial where their own lines
/// stay. Nothing while the marks between both texts are in it.
pub(super) fn resolution(hunk: &HunkView, text: String) -> Option<Verdict> {
    let is_marker = |line: &str| MARKERS.contains(&line);
    if text.lines().any(is_marker) {
        return None;
    }
    Some(if text == old_text(hunk) {
        let reason = Some(KEPT.to_owned());
        Verdict::Deny { reason }
    } else if text == hunk.new_text() {
        Verdict::Approve
    } else {
        Verdict::edited(text)
    })
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

    #[test]
    fn a_text_made_of_both_is_a_verdict_once_no_mark_is_left_in_it() {
        let mut hunk = kit::file("above").hunks.remove(0);
        let removed = DiffLine {
            kind: LineKind::Removed,
            text: "mine".to_owned(),
            ..hunk.lines[0].clone()
        };
        hunk.lines.insert(1, removed);
        let kept = Verdict::Deny {
            reason: Some(KEPT.to_owned()),
        };
        let text = "mine and new\n".to_owned();
        for (text, expected) in [
            (both(&hunk), None),
            ("mine\n".to_owned(), Some(kept)),
            ("new\n".to_owned(), Some(Verdict::Approve)),
            (text.clone(), Some(Verdict::edited(text))),
        ] {
            assert_eq!(resolution(&hunk, text), expected);
        }
    }
}
