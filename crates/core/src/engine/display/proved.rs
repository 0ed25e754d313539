//! Proofs of what a hunk is: one name in the place of another, or a block that moved as it was. Such a hunk is told
//! whole in one line, so that nobody has to read it.
//!
//! ```text
//! -    let total = price(total);        `total` -> `sum`: word by word both sides are the same otherwise
//! +    let sum = price(sum);
//!
//! a.rs  -fn load() {..}  3 lines       the only three lines that go, and
//! b.rs  +fn load() {..}  3 lines       the only three that come: they moved
//!
//! a.rs  -log(x); +log(ctx, x);         `log(` -> `log(ctx, `, read in the first hunk that makes it
//! b.rs  -log(y); +log(ctx, y);         the same rewrite, in each place of the text
//! ```
//!
//! In: the review list, with what is held of it. Out: for each hunk that waits its [`Proof`], if it has one. What makes
//! a program run, what is held, placed by likeness or in conflict has none: somebody is to read it.

use std::collections::HashMap;
use std::path::Path;

use super::same_rewrites;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::intent::Operation;
use crate::id::HunkId;
use crate::stage::proposal::groups::words;
use crate::stage::review::{HunkStatus, HunkView, Proof, ProposalView};
use crate::syntax::Language;

/// Fewer lines may be the same by chance: a closing brace with a blank line.
const FEWEST_MOVED: usize = 3;

/// Tells every hunk that waits its proof, if there is one.
pub(super) fn assign(views: &mut [ProposalView], root: &Path) {
    let mut names = HashMap::new();
    for view in views.iter_mut().filter(|view| can_be_proved(view)) {
        let language = WorkspacePath::parse(&view.path, root);
        let language = language.ok().and_then(|path| Language::of(&path));
        for hunk in view.hunks.iter_mut().filter(|hunk| waits(hunk)) {
            let is_name = |word: &str| {
                language.is_some_and(|language| {
                    let known = names.entry((language, word.to_owned()));
                    *known.or_insert_with(|| is_name(language, word))
                })
            };
            hunk.proof = hunk
                .group
                .is_some()
                .then(|| renamed(hunk, is_name))
                .flatten();
        }
    }
    same_rewrites::assign(views);
    let mut moved = moved(views);
    for hunk in views.iter_mut().flat_map(|view| &mut view.hunks) {
        if let Some(proof) = moved.remove(&hunk.id) {
            hunk.proof = Some(proof);
        }
    }
}

pub(super) fn can_be_proved(view: &ProposalView) -> bool {
    let is_edit = match view.operation {
        Operation::Modify | Operation::Rewrite => true,
        Operation::Create
        | Operation::Delete
        | Operation::Move
        | Operation::Link
        | Operation::Permissions => false,
    };
    is_edit && view.to.is_none() && view.runs.is_none() && view.held.is_none() && !view.is_guess
}

pub(in crate::engine) fn waits(hunk: &HunkView) -> bool {
    hunk.status == HunkStatus::Pending
        && hunk.denied_before.is_none()
        && !hunk.is_told_by_sizes()
        && hunk.lines.iter().any(is_change)
}

fn is_change(line: &DiffLine) -> bool {
    line.kind != LineKind::Context
}

fn is_blank(line: &DiffLine) -> bool {
    line.text.trim().is_empty()
}

/// Returns the one name that becomes another, if that is all that a hunk does.
fn renamed(hunk: &HunkView, mut is_name: impl FnMut(&str) -> bool) -> Option<Proof> {
    let side = |kind| hunk.lines.iter().filter(move |line| line.kind == kind);
    let (old, new) = (side(LineKind::Removed), side(LineKind::Added));
    if old.clone().count() != new.clone().count() {
        return None;
    }
    let mut rename: Option<(&str, &str)> = None;
    for (old, new) in old.zip(new) {
        if old.newline != new.newline {
            return None;
        }
        let (old, new) = (words(&old.text), words(&new.text));
        if old.len() != new.len() {
            return None;
        }
        for pair in old.into_iter().zip(new).filter(|(old, new)| old != new) {
            if *rename.get_or_insert(pair) != pair {
                return None;
            }
        }
    }
    let (from, to) = rename?;
    (is_name(from) && is_name(to)).then(|| Proof::Renamed {
        from: from.to_owned(),
        to: to.to_owned(),
    })
}

/// Tells whether a word is a name in a language, and none of its own words: `true` is none, nor is `let`.
fn is_name(language: Language, word: &str) -> bool {
    if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return false;
    }
    let Some(parsed) = language.parse(word) else {
        return false;
    };
    let mut found = false;
    parsed.walk(|node| {
        found |= node.child_count() == 0
            && node.byte_range() == (0..word.len())
            && language.identifiers().contains(&node.kind());
    });
    found
}

/// Returns the hunks that only take a block away, or only put it in, where it does the other nowhere else.
fn moved(views: &[ProposalView]) -> HashMap<HunkId, Proof> {
    type Place<'a> = (&'a ProposalView, &'a HunkView);
    let mut gone: HashMap<Vec<&str>, Vec<Place<'_>>> = HashMap::new();
    let mut come: HashMap<Vec<&str>, Vec<Place<'_>>> = HashMap::new();
    for view in views.iter().filter(|view| can_be_proved(view)) {
        for hunk in view.hunks.iter().filter(|hunk| waits(hunk)) {
            if let Some((kind, lines)) = block(hunk) {
                let side = match kind {
                    LineKind::Removed => &mut gone,
                    LineKind::Added | LineKind::Context => &mut come,
                };
                let texts = lines.into_iter().map(|line| line.text.as_str());
                side.entry(texts.collect()).or_default().push((view, hunk));
            }
        }
    }
    let mut proofs = HashMap::new();
    for (lines, gone) in gone {
        let ([(from, old)], Some([(to, new)])) =
            (gone.as_slice(), come.get(&lines).map(Vec::as_slice))
        else {
            continue;
        };
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let proof = |with: HunkId, path: &str, line: Option<u32>| Proof::Moved {
            with,
            path: path.to_owned(),
            line: line.unwrap_or(1),
            lines: count,
        };
        let at = |hunk: &HunkView, number: fn(&DiffLine) -> Option<u32>| {
            let mut lines = hunk.lines.iter();
            let first = lines.find(|line| is_change(line) && !is_blank(line));
            first.and_then(number)
        };
        proofs.insert(old.id, proof(new.id, &to.path, at(new, |line| line.new)));
        proofs.insert(new.id, proof(old.id, &from.path, at(old, |line| line.old)));
    }
    proofs
}

/// Returns the lines of a hunk that only removes or only adds lines in one place, blank ones at its ends aside.
pub(in crate::engine) fn block(hunk: &HunkView) -> Option<(LineKind, Vec<&DiffLine>)> {
    let kind = hunk.lines.iter().find(|line| is_change(line))?.kind;
    let mut runs = hunk
        .lines
        .chunk_by(|a, b| a.kind == b.kind)
        .filter(|run| run.first().is_some_and(is_change));
    let (run, None) = (runs.next()?, runs.next()) else {
        return None;
    };
    if run.iter().any(|line| !line.newline) {
        return None;
    }
    let first = run.iter().position(|line| !is_blank(line))?;
    let last = run.iter().rposition(|line| !is_blank(line))?;
    let lines: Vec<&DiffLine> = run.get(first..=last)?.iter().collect();
    (lines.len() >= FEWEST_MOVED).then_some((kind, lines))
}

#[cfg(test)]
pub(in crate::engine) mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::id::{ChangesetId, ProposalId, Timestamp};
    use crate::stage::review::{Grouped, Proposer};

    /// Returns a proposal of hunks, each as lines with their signs.
    pub(in crate::engine) fn view(number: u128, path: &str, hunks: &[&str]) -> ProposalView {
        let id = ProposalId(Uuid::from_u128(number));
        let line = |(at, line): (u32, &str)| DiffLine {
            kind: match line.as_bytes()[0] {
                b'-' => LineKind::Removed,
                b'+' => LineKind::Added,
                _ => LineKind::Context,
            },
            old: Some(at),
            new: Some(at),
            text: line[1..].to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        let hunk = |(number, lines): (u32, &&str)| HunkView {
            id: HunkId {
                proposal: id,
                number,
            },
            header: String::new(),
            status: HunkStatus::Pending,
            lines: (1..).zip(lines.lines()).map(line).collect(),
            yours: Vec::new(),
            takeable: false,
            added: 1,
            removed: 1,
            denied_before: None,
            group: Some(Grouped {
                key: String::new(),
                rewrite: String::new(),
                outlier: false,
            }),
            proof: None,
            moved: None,
        };
        ProposalView {
            id,
            changeset: ChangesetId(Uuid::nil()),
            path: path.to_owned(),
            to: None,
            operation: Operation::Modify,
            description: String::new(),
            evidence: String::new(),
            is_guess: false,
            placed: None,
            strategy: String::new(),
            note: None,
            runs: None,
            proposer: Proposer::User,
            held: None,
            effect: crate::stage::review::ProposalEffect::default(),
            created: Timestamp(0),
            hunks: (1..).zip(hunks).map(hunk).collect(),
        }
    }

    pub(in crate::engine) fn proofs(mut views: Vec<ProposalView>) -> Vec<Option<String>> {
        assign(&mut views, Path::new("/w"));
        let hunks = views.into_iter().flat_map(|view| view.hunks);
        let said = |proof| match proof {
            Proof::Renamed { from, to } => format!("{from} -> {to}"),
            Proof::SameRewrite { path, from, to, .. } => format!("{from} -> {to} as in {path}"),
            Proof::Moved {
                path, line, lines, ..
            } => format!("{lines} lines, {path}:{line}"),
        };
        hunks.map(|hunk| hunk.proof.map(said)).collect()
    }

    #[test]
    fn a_name_in_the_place_of_another_is_proved_and_nothing_beside_it() {
        let check = |path: &str, hunk: &str, expected: Option<&str>| {
            let found = proofs(vec![view(1, path, &[hunk])]);
            assert_eq!(found, [expected.map(str::to_owned)], "{hunk}");
        };
        let renamed = Some("total -> sum");
        check("a.rs", "-let total = 1;\n+let sum = 1;", renamed);
        check(
            "a.rs",
            " x\n-f(total, total)\n-total\n+f(sum, total)\n+sum\n y",
            renamed,
        );
        check("a.py", "-total = 1\n+sum = 1", renamed);
        // Something else beside it, or something else.
        for hunk in [
            "-let total = 1;\n+let sum = 2;",
            "-let total = 1;\n+let  sum = 1;",
            "-f(total, a)\n+f(sum, b)",
            "-total\n+sum\n+more",
            "-total\n-more\n+sum",
            "-let ok = true;\n+let ok = false;",
            "-let a = 1;\n+pub a = 1;",
            "-f(1)\n+f(2)",
            "+let sum = 1;",
        ] {
            check("a.rs", hunk, None);
        }
        check("notes.txt", "-total\n+sum", None);
    }

    #[test]
    fn a_block_that_moved_as_it_was_is_proved_on_both_sides() {
        let gone = " top\n-fn load() {\n-    read()\n-}\n-\n below";
        let come = " top\n+\n+fn load() {\n+    read()\n+}\n below";
        let both = |gone: &str, come: &str| {
            proofs(vec![view(1, "a.rs", &[gone]), view(2, "b.rs", &[come])])
        };
        assert_eq!(
            both(gone, come),
            [
                Some("3 lines, b.rs:3".to_owned()),
                Some("3 lines, a.rs:2".to_owned())
            ]
        );
        for (old, new) in [
            (gone, come.replace("read", "write")),
            (gone, come.replace("    read", "\tread")),
            (gone, format!("{come}\n+more")),
            (gone, format!("{come}\n-more")),
            ("-a\n-b", "+a\n+b".to_owned()),
        ] {
            assert_eq!(both(old, &new), [None, None], "{new}");
        }
        // Which of two is it?
        let twice = vec![view(1, "a.rs", &[gone, gone]), view(2, "b.rs", &[come])];
        assert_eq!(proofs(twice), [None, None, None]);
    }

    #[test]
    fn what_somebody_is_to_read_is_not_proved() {
        let own = || view(1, "a.rs", &["-let total = 1;\n+let sum = 1;"]);
        let changes: [fn(&mut ProposalView); 6] = [
            |view| view.runs = Some("cargo runs it".to_owned()),
            |view| view.held = Some("it may be nowhere".to_owned()),
            |view| view.is_guess = true,
            |view| view.operation = Operation::Create,
            |view| {
                view.hunks[0].status = HunkStatus::Conflict {
                    reason: String::new(),
                }
            },
            |view| {
                view.hunks[0].denied_before = Some(crate::stage::review::DeniedBefore {
                    reason: None,
                    time: Timestamp(0),
                });
            },
        ];
        for change in changes {
            let mut view = own();
            change(&mut view);
            assert_eq!(proofs(vec![view]), [None]);
        }
    }

    proptest! {
        /// What is folded says all of what it does: the rename makes the new side of the old one, and of a move no line is lost.
        #[test]
        fn a_proof_tells_all_of_a_hunk(
            lines in prop::collection::vec(("[-+ ]", "[ab ({;]{0,4}"), 1..9),
            other in prop::collection::vec(("[-+ ]", "[ab ({;]{0,4}"), 1..9),
        ) {
            let text = |lines: &[(String, String)]| -> String {
                lines.iter().map(|(sign, text)| format!("{sign}{text}\n")).collect()
            };
            let mut views = vec![view(1, "a.rs", &[&text(&lines)]), view(2, "b.rs", &[&text(&other)])];
            assign(&mut views, Path::new("/w"));
            let hunks = || views.iter().flat_map(|view| &view.hunks);
            let side = |hunk: &HunkView, kind| -> Vec<String> {
                let own = hunk.lines.iter().filter(|line| line.kind == kind);
                own.map(|line| line.text.clone()).collect()
            };
            for hunk in hunks() {
                let (old, new) = (side(hunk, LineKind::Removed), side(hunk, LineKind::Added));
                match &hunk.proof {
                    None => {}
                    Some(Proof::Renamed { from, to }) => {
                        // Whole words: of `aa` renamed to `a`, the old side has the new name within the old one.
                        // Whole words: where `aa` becomes `a`, the new name is within the old one.
                        let line = |line: &String| -> String {
                            let each = words(line).into_iter();
                            each.map(|word| if word == to { from.as_str() } else { word }).collect()
                        };
                        let back = |side: &[String]| -> Vec<String> { side.iter().map(line).collect() };
                        prop_assert_eq!(back(&old), back(&new));
                        prop_assert_eq!(old.len(), new.len());
                    }
                    Some(Proof::SameRewrite { from, to, .. }) => {
                        let back = |side: &[String]| side.concat().replace(to, from);
                        prop_assert_eq!(back(&old), back(&new));
                    }
                    Some(Proof::Moved { with, .. }) => {
                        let with = hunks().find(|other| other.id == *with).unwrap();
                        let other = if old.is_empty() { side(with, LineKind::Removed) } else { side(with, LineKind::Added) };
                        let full = |lines: Vec<String>| -> Vec<String> {
                            lines.into_iter().filter(|line| !line.trim().is_empty()).collect()
                        };
                        prop_assert_eq!(full([old, new].concat()), full(other));
                    }
                }
            }
        }
    }
}
