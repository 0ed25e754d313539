//! Moves in pieces, and which of them wait with a program.

use uuid::Uuid;

use super::*;
use crate::id::{ChangesetId, HunkId, Timestamp};
use crate::review::{DiffLine, HunkStatus, HunkView};

/// Returns a proposal of a line as `move d/a e/a`, `delete a.txt | -one`, `modify* run.sh | -x +one`: one with a star
/// waits for a look.
fn read(number: usize, line: &str) -> (ProposalView, bool) {
    let (head, lines) = line.split_once(" | ").unwrap_or((line, ""));
    let words: Vec<&str> = head.split(' ').collect();
    let operation = match words[0].trim_end_matches('*') {
        "move" => Operation::Move,
        "delete" => Operation::Delete,
        "create" => Operation::Create,
        _ => Operation::Modify,
    };
    let id = ProposalId(Uuid::from_u128(number as u128));
    let each = lines.split(' ').filter(|line| !line.is_empty());
    let each = each.map(|line| DiffLine {
        kind: match &line[..1] {
            "-" => LineKind::Removed,
            "+" => LineKind::Added,
            _ => LineKind::Context,
        },
        old: None,
        new: None,
        text: line[1..].to_owned(),
        emphasis: Vec::new(),
        newline: true,
    });
    let hunk = HunkView {
        id: HunkId {
            proposal: id,
            number: 1,
        },
        header: String::new(),
        status: HunkStatus::Pending,
        takeable: false,
        lines: each.collect(),
        yours: Vec::new(),
        added: 0,
        removed: 0,
        denied_before: None,
        group: None,
    };
    let view = ProposalView {
        id,
        changeset: ChangesetId(Uuid::from_u128(9)),
        path: words[1].to_owned(),
        to: words.get(2).map(|to| (*to).to_owned()),
        operation,
        description: String::new(),
        strategy: String::new(),
        evidence: String::new(),
        note: None,
        runs: None,
        created: Timestamp(0),
        hunks: vec![hunk],
    };
    (view, words[0].ends_with('*'))
}

#[track_caller]
fn check(lines: &[&str], waits: &[&str]) {
    let read: Vec<(ProposalView, bool)> = lines
        .iter()
        .enumerate()
        .map(|(number, line)| read(number, line))
        .collect();
    let held = read.iter().filter(|(_, held)| *held);
    let held: HashSet<ProposalId> = held.map(|(view, _)| view.id).collect();
    let views: Vec<ProposalView> = read.into_iter().map(|(view, _)| view).collect();
    let together = held_together(&views, &held);
    let with = views.iter().filter(|view| together.contains_key(&view.id));
    let with: Vec<&str> = with.map(|view| view.path.as_str()).collect();
    assert_eq!(with, waits, "{lines:?}");
}

#[test]
fn what_moves_onto_a_program_waits_with_it() {
    check(
        &[
            "delete a.txt | -one -two",
            "modify* run.sh | -echo +one +two",
        ],
        &["a.txt"],
    );
    // A line that was in both is context.
    check(
        &[
            "delete a.txt | -one -two",
            "modify* run.sh |  one -echo +two",
        ],
        &["a.txt"],
    );
    check(&["delete a.txt | -one", "modify* run.sh"], &["a.txt"]);
    check(&["delete a.txt | -one", "modify* run.sh | -x +y"], &[]);
    // Nothing is lost with an empty file.
    check(&["delete a.txt", "modify* run.sh | -x +y"], &[]);
    // `mv a.txt run.sh; mv c.txt a.txt`: the text of each goes on to the next.
    check(
        &[
            "delete c.txt | -three",
            "modify a.txt | -one +three",
            "modify* run.sh | -x +one",
        ],
        &["c.txt", "a.txt"],
    );
    // `mv a.txt b.txt; mv run.sh a.txt`
    check(
        &[
            "delete* run.sh | -x",
            "modify* a.txt | -one +x",
            "create b.txt | +one",
        ],
        &["b.txt"],
    );
}

#[test]
fn names_make_a_chain_or_a_cycle() {
    check(&["move a b", "move* b c"], &["a"]);
    check(
        &["move a b", "move b c", "move* c a", "move x y"],
        &["a", "b"],
    );
    check(&["move a b", "modify* b | -x +y"], &["a"]);
    check(&["move a b", "move* c d"], &[]);
    check(&["modify a | -x +y", "modify* b | -z +w"], &[]);
}

#[test]
fn a_folder_moves_as_a_whole() {
    check(&["move d/t e/t", "move* d/run e/run"], &["d/t"]);
    check(&["move x/d/t y/d/t", "move* x/run y/run"], &["x/d/t"]);
    check(
        &["move d/t e/t", "delete* d/run | -x", "create* e/run | +y"],
        &["d/t"],
    );
    check(&["move d/t e/u", "move* d/run e/run"], &[]);
    check(&["move d/t e/t", "modify* d/run | -x +y"], &[]);
    check(&["move t d/t", "move* run bin/run"], &[]);
}
