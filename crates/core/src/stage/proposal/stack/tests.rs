//! Stacks decided on and moved, by example and at random.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::edit::diff::hunk::group;
use crate::id::ProposalId;

fn id(number: u128) -> ProposalId {
    ProposalId(Uuid::from_u128(number))
}

fn hunk(proposal: u128, number: u32) -> HunkId {
    HunkId {
        proposal: id(proposal),
        number,
    }
}

/// Stages the texts one after the other, each as a proposal 1, 2, ...
fn stack(base: &str, texts: &[&str]) -> PathStack {
    let mut below = Source::new(base);
    let mut stack = PathStack {
        base: Some(below.clone()),
        layers: Vec::new(),
    };
    for (index, text) in texts.iter().enumerate() {
        let above = Source::new(*text);
        let edits = difference(&below, &above);
        let numbers = group(&below, &edits);
        stack.layers.push(Layer::new(
            id(index as u128 + 1),
            LayerKind::Edit { mode: None },
            edits,
            numbers,
        ));
        below = above;
    }
    stack
}

fn text(stack: &PathStack) -> String {
    String::from_utf8(stack.text().unwrap().unwrap().bytes().to_vec()).unwrap()
}

fn committed(decided: &DecidedStack) -> String {
    let base = decided.rest.base.as_ref().unwrap();
    String::from_utf8(base.bytes().to_vec()).unwrap()
}

fn decide(
    stack: &PathStack,
    approved: &[HunkId],
    denied: &[HunkId],
) -> Result<DecidedStack, Blocked> {
    let set = |hunks: &[HunkId]| hunks.iter().copied().collect();
    stack.decide(&set(approved), &set(denied))
}

#[test]
fn one_hunk_of_a_proposal_is_kept_and_one_dropped() {
    let stack = stack("a\nb\nc\nd\ne\n", &["A\nb\nc\nd\nE\n"]);
    let decided = decide(&stack, &[hunk(1, 1)], &[hunk(1, 2)]).unwrap();
    assert_eq!(committed(&decided), "A\nb\nc\nd\ne\n");
    assert!(decided.rest.layers.is_empty());
    let decided = decide(&stack, &[hunk(1, 2)], &[]).unwrap();
    assert_eq!(committed(&decided), "a\nb\nc\nd\nE\n");
    assert_eq!(text(&decided.rest), "A\nb\nc\nd\nE\n");
    assert_eq!(decided.rest.layers[0].hunks(), [hunk(1, 1)]);
}

#[test]
fn what_builds_on_a_denied_hunk_is_named_and_the_rest_stands() {
    let stack = stack("a\nb\nc\nd\n", &["a\nb2\nc\nd\n", "a\nb3\nc\nd\ne\n"]);
    let decided = decide(&stack, &[hunk(2, 1), hunk(2, 2)], &[hunk(1, 1)]).unwrap();
    assert_eq!(committed(&decided), "a\nb\nc\nd\ne\n");
    assert_eq!(decided.orphans, [(hunk(2, 1), hunk(1, 1))]);
}

#[test]
fn what_builds_on_a_waiting_hunk_cannot_be_approved_alone() {
    let stack = stack("a\n", &["b\n", "c\n"]);
    let blocked = decide(&stack, &[hunk(2, 1)], &[]).unwrap_err();
    assert_eq!(
        blocked,
        Blocked {
            hunk: hunk(2, 1),
            on: hunk(1, 1)
        }
    );
    let decided = decide(&stack, &[hunk(1, 1), hunk(2, 1)], &[]).unwrap();
    assert_eq!(committed(&decided), "c\n");
}

#[test]
fn the_users_own_save_moves_what_does_not_touch_it() {
    let stack = stack("a\nb\nc\nd\ne\n", &["a\nB\nc\nd\nE\n"]);
    let (moved, lost) = stack.rebase(Some(Source::new("x\na\nb\nc\nd\ne!\n")));
    assert_eq!(text(&moved), "x\na\nB\nc\nd\ne!\n");
    assert_eq!(lost, [hunk(1, 2)]);
    let (gone, lost) = stack.rebase(None);
    assert_eq!((gone.layers.len(), lost.len()), (0, 2));
}

#[test]
fn a_created_file_is_one_hunk_that_all_later_ones_need() {
    let mut stack = PathStack::default();
    let made = Layer::new(
        id(1),
        LayerKind::Create { mode: None },
        EditSet::between(b"", b"a\n"),
        Vec::new(),
    );
    stack.layers.push(made);
    let more = EditSet::new(vec![crate::text::Splice {
        at: 2,
        old: vec![],
        new: b"b\n".to_vec(),
    }]);
    let kind = LayerKind::Edit { mode: None };
    stack
        .layers
        .push(Layer::new(id(2), kind, more.unwrap(), vec![1]));
    assert_eq!(text(&stack), "a\nb\n");
    let decided = decide(&stack, &[], &[hunk(1, 1)]).unwrap();
    assert_eq!(decided.orphans, [(hunk(2, 1), hunk(1, 1))]);
    assert_eq!(decided.rest, PathStack::default());
    assert!(decide(&stack, &[hunk(2, 1)], &[]).is_err());
    let decided = decide(&stack, &[hunk(1, 1)], &[]).unwrap();
    assert_eq!(
        (committed(&decided).as_str(), text(&decided.rest).as_str()),
        ("a\n", "a\nb\n")
    );
}

proptest! {
    /// Whatever is approved, denied and left: what is left and what is committed add up to the
    /// overlay without the denied hunks and their orphans; nothing is dropped unsaid.
    #[test]
    fn every_hunk_is_committed_waiting_denied_or_named(
        texts in proptest::collection::vec("([a-c]\n){0,8}", 1..4),
        base in "([a-c]\n){0,8}",
        verdicts in proptest::collection::vec(0..3_u8, 40),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let stack = stack(&base, &texts);
        let hunks: Vec<HunkId> = stack.layers.iter().flat_map(Layer::hunks).collect();
        let given = |wanted: u8| -> Vec<HunkId> {
            let each = hunks.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == wanted);
            each.map(|(hunk, _)| *hunk).collect()
        };
        let (approved, denied) = (given(0), given(1));
        if let Ok(decided) = decide(&stack, &approved, &denied) {
            prop_assert!(decided.rest.text().is_ok());
            let mut seen: Vec<HunkId> = decided.approved.iter().flat_map(Layer::hunks).collect();
            seen.extend(decided.rest.layers.iter().flat_map(Layer::hunks));
            seen.extend(decided.orphans.iter().map(|(hunk, _)| *hunk));
            seen.extend(denied.iter().filter(|hunk| !decided.orphans.iter().any(|(o, _)| o == *hunk)));
            seen.sort_unstable();
            let mut all = hunks.clone();
            all.sort_unstable();
            prop_assert_eq!(seen, all);
        }
        if denied.is_empty() && given(2).is_empty() {
            let decided = decide(&stack, &approved, &denied).unwrap();
            prop_assert_eq!(committed(&decided), text(&stack));
        }
    }

    #[test]
    fn moving_onto_a_save_keeps_the_rest_and_names_the_lost(
        base in "([a-e]\n){0,10}",
        staged in "([a-e]\n){0,10}",
        saved in "([a-e]\n){0,10}",
    ) {
        let stack = stack(&base, &[&staged]);
        let (moved, lost) = stack.rebase(Some(Source::new(saved)));
        prop_assert!(moved.text().is_ok());
        let kept: usize = moved.layers.iter().map(|layer| layer.hunks().len()).sum();
        let all: usize = stack.layers.iter().map(|layer| layer.hunks().len()).sum();
        prop_assert_eq!(kept + lost.len(), all);
    }
}

/// The lines of a file of `count` lines, each as `made` says of its number.
fn lines(count: usize, made: impl Fn(usize) -> &'static str) -> String {
    let line = |number: usize| format!("{number} {}\n", made(number));
    (0..count).map(line).collect()
}

/// Lines of a file of which every third is changed: too many hunks to visit all for each of them.
const MANY: usize = 9_000;

fn first(number: usize) -> &'static str {
    if number.is_multiple_of(3) {
        "first"
    } else {
        ""
    }
}

fn second(number: usize) -> &'static str {
    if number.is_multiple_of(6) {
        "second"
    } else {
        first(number)
    }
}

#[test]
fn thousands_of_hunks_are_moved_onto_thousands_of_changes() {
    let base = lines(MANY, |_| "");
    let staged = stack(&base, &[&lines(MANY, first), &lines(MANY, second)]);
    let mine = |number: usize| number.is_multiple_of(9);
    let now = lines(MANY, |number| if mine(number) { "mine" } else { "" });
    let (moved, lost) = staged.rebase(Some(Source::new(now)));
    let expected = lines(
        MANY,
        |number| if mine(number) { "mine" } else { second(number) },
    );
    assert_eq!(text(&moved), expected);
    let of = |proposal: u128| {
        let own = lost.iter().filter(|hunk| hunk.proposal == id(proposal));
        own.count()
    };
    // The second changes half of the lines that the first has lost.
    assert_eq!((of(1), of(2)), (MANY / 9, MANY / 18));
}

#[test]
fn thousands_of_hunks_are_denied_with_those_that_build_on_them() {
    let base = lines(MANY, |_| "");
    let staged = stack(&base, &[&lines(MANY, first), &lines(MANY, second)]);
    let denied: HashSet<HunkId> = (1..)
        .step_by(3)
        .map(|number| hunk(1, number))
        .take(MANY / 9)
        .collect();
    let decided = staged.decide(&HashSet::new(), &denied).unwrap();
    let expected = lines(MANY, |number| {
        if number.is_multiple_of(9) {
            ""
        } else {
            second(number)
        }
    });
    assert_eq!(text(&decided.rest), expected);
    assert_eq!(decided.orphans.len(), MANY / 18);
    let rest: Vec<usize> = decided
        .rest
        .layers
        .iter()
        .map(|layer| layer.hunks().len())
        .collect();
    assert_eq!(rest, [MANY / 3 - MANY / 9, MANY / 6 - MANY / 18]);
}
