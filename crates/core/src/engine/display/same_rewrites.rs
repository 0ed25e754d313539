//! Same rewrites: proves that a hunk puts one text in the place of another, as an earlier hunk does, and nothing else.
//!
//! ```text
//! a.rs  -log(x)    +trace(x)      read: `log` -> `trace`
//! b.rs  -log(y)    +trace(y)      the same rewrite, wherever its old lines have the text
//! c.rs  -log(log)  +trace(log)    no: it leaves one of two places
//! ```
//!
//! In: the review list. Out: the proof of each hunk but the first that makes a rewrite.

use std::collections::HashMap;

use super::proved::{can_be_proved, waits};
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::id::HunkId;
use crate::stage::proposal::groups::{self, Rewrite};
use crate::stage::review::{HunkView, Proof, ProposalView};

/// The fewest hunks with the same rewrite of which all but the first are proved: two are read as fast as a line about
/// them.
const FEWEST_SAME: usize = 3;

/// The longest text of a rewrite on each side, in characters: the line that tells it has to fit.
const LONGEST_REWRITE: usize = 40;

/// Tells every hunk that makes the same rewrite as an earlier one so.
pub(super) fn assign(views: &mut [ProposalView]) {
    let mut first_of: HashMap<Rewrite, (HunkId, String, usize)> = HashMap::new();
    let mut found = HashMap::new();
    for view in views.iter().filter(|view| can_be_proved(view)) {
        let open = view.hunks.iter();
        for hunk in open.filter(|hunk| waits(hunk) && hunk.group.is_some() && hunk.proof.is_none())
        {
            if let Some(rewrite) = only_rewrite(hunk) {
                let first = || (hunk.id, view.path.clone(), 0);
                first_of.entry(rewrite.clone()).or_insert_with(first).2 += 1;
                found.insert(hunk.id, rewrite);
            }
        }
    }
    for hunk in views.iter_mut().flat_map(|view| &mut view.hunks) {
        let Some(rewrite) = found.remove(&hunk.id) else {
            continue;
        };
        let first = first_of.get(&rewrite);
        let first = first.filter(|(first, _, count)| *count >= FEWEST_SAME && *first != hunk.id);
        hunk.proof = first.map(|(with, path, _)| Proof::SameRewrite {
            with: *with,
            path: path.clone(),
            from: rewrite.0,
            to: rewrite.1,
        });
    }
}

/// Returns what a hunk puts in the place of what, if it does nothing else, and does it wherever its old lines have the
/// text: the two texts tell all of it then.
fn only_rewrite(hunk: &HunkView) -> Option<Rewrite> {
    let mut rewrites = groups::rewrites(hunk).into_iter();
    let (Some((from, to)), None) = (rewrites.next(), rewrites.next()) else {
        return None;
    };
    // Blanks and signs alone are too common to say which ones are meant.
    if !can_be_told(&from) || !can_be_told(&to) || !from.contains(char::is_alphanumeric) {
        return None;
    }
    let lines = |kind| hunk.lines.iter().filter(move |line| line.kind == kind);
    let (old, new) = (lines(LineKind::Removed), lines(LineKind::Added));
    let newlines = |line: &DiffLine| line.newline;
    if !old.clone().map(newlines).eq(new.clone().map(newlines)) {
        return None;
    }
    let mut pairs = old.zip(new);
    pairs
        .all(|(old, new)| replaced(&old.text, &from, &to) == new.text)
        .then_some((from, to))
}

/// Returns whether a text fits into the line that tells a rewrite.
fn can_be_told(text: &str) -> bool {
    !text.contains('\n') && text.chars().count() <= LONGEST_REWRITE && !text.trim().is_empty()
}

/// Returns a line with a text replaced wherever whole words of the line are that text.
fn replaced(line: &str, from: &str, to: &str) -> String {
    let (all, sought) = (groups::words(line), groups::words(from));
    let mut out = String::new();
    let mut rest = all.as_slice();
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(sought.as_slice()) {
            Some(behind) if !sought.is_empty() => {
                out.push_str(to);
                rest = behind;
            }
            _ => {
                out.push_str(first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::engine::display::proved::tests::{proofs, view};

    #[test]
    fn the_same_rewrite_is_proved_of_all_but_the_first_that_makes_it() {
        let check = |hunks: &[&str], expected: &[Option<&str>]| {
            let found = proofs(vec![view(1, "a.txt", hunks)]);
            let expected: Vec<_> = expected.iter().map(|own| own.map(str::to_owned)).collect();
            assert_eq!(found, expected, "{hunks:?}");
        };
        let same = Some("log -> trace as in a.txt");
        let (one, two, three) = (
            "-log(a)\n+trace(a)",
            "-log(b)\n+trace(b)",
            "-log(c)\n+trace(c)",
        );
        check(&[one, two, three], &[None, same, same]);
        check(&[one, two], &[None, None]);
        // Another rewrite beside it, one of two places, and lines that come.
        for other in [
            "-log(a, b)\n+trace(a, c)",
            "-log(log)\n+trace(log)",
            "-log(d)\n+trace(d)\n+more",
        ] {
            check(&[one, two, three, other], &[None, same, same, None]);
        }
        // What is put in alone does not say where.
        let put_in = ["-a b\n+a not b", "-c d\n+c not d", "-e f\n+e not f"];
        check(&put_in, &[None, None, None]);
    }
}
