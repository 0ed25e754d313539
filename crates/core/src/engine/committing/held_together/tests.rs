//! Moves in pieces, and which of them stay with what is left.

use uuid::Uuid;

use super::*;
use crate::edit::intent::Operation;
use crate::id::ChangesetId;

/// Reads a proposal of a line as `move d/a e/a`, `delete a.txt | -one`, `modify* run.sh | -x +one`: one with a star is
/// left, and one with `2:` before it is of another changeset. A change without lines is of something that is no text.
fn read(number: usize, line: &str) -> (Deed<'_>, bool) {
    let (head, lines) = line.split_once(" | ").unwrap_or((line, ""));
    let (changeset, head) = head.split_once(':').unwrap_or(("1", head));
    let words: Vec<&str> = head.split(' ').collect();
    let operation = match words[0].trim_end_matches('*') {
        "move" => Operation::Move,
        "delete" => Operation::Delete,
        "create" => Operation::Create,
        _ => Operation::Modify,
    };
    let side = |mark: char| {
        let own = lines.split(' ').filter_map(|line| line.strip_prefix(mark));
        own.map(str::as_bytes).collect()
    };
    let deed = Deed {
        id: ProposalId(Uuid::from_u128(number as u128)),
        changeset: ChangesetId(Uuid::from_u128(changeset.parse().unwrap())),
        path: words[1],
        to: words.get(2).copied(),
        operation,
        lost: side('-'),
        gained: side('+'),
        loses_unseen: operation == Operation::Modify && lines.is_empty(),
        gains_unseen: operation == Operation::Modify && lines.is_empty(),
    };
    (deed.done(), words[0].ends_with('*'))
}

#[track_caller]
fn check(lines: &[&str], stays: &[&str]) {
    let each = lines.iter().enumerate();
    let read = each.map(|(number, line)| read(number, line));
    let (held, others): (Vec<_>, Vec<_>) = read.partition(|(_, held)| *held);
    let held = held.into_iter().map(|(deed, _)| deed).collect();
    let others: Vec<Deed<'_>> = others.into_iter().map(|(deed, _)| deed).collect();
    let paths = others.iter().map(|deed| (deed.id, deed.path.to_owned()));
    let paths: Vec<(ProposalId, String)> = paths.collect();
    let together = held_with(held, others);
    let with = paths.iter().filter(|(id, _)| together.contains_key(id));
    let with: Vec<&str> = with.map(|(_, path)| path.as_str()).collect();
    assert_eq!(with, stays, "{lines:?}");
}

#[test]
fn what_moves_onto_a_program_stays_with_it() {
    check(
        &[
            "delete a.txt | -one -two",
            "modify* run.sh | -echo +one +two",
        ],
        &["a.txt"],
    );
    // A line that was in both does not come.
    check(
        &["delete a.txt | -one -two", "modify* run.sh | -echo +two"],
        &["a.txt"],
    );
    check(&["delete a.txt | -one", "modify* run.sh"], &["a.txt"]);
    // What is no text may be in another that is none, also by a later program.
    check(&["modify a.bin", "modify* run.bin"], &["a.bin"]);
    check(&["modify a.bin", "2:modify* run.bin"], &["a.bin"]);
    check(&["delete a.txt | -one", "2:modify* run.sh"], &[]);
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

/// `is_most`, and lines that come with something that is written.
#[test]
fn what_loses_its_lines_stays_with_the_only_file_that_gets_them() {
    // In part, and by another program.
    check(
        &["modify a.txt | -one -two +new", "2:create* b.sh | +one"],
        &["a.txt"],
    );
    check(
        &[
            "modify a.txt | -one -two -three",
            "2:create* b.sh | +one +four",
        ],
        &[],
    );
    // `cp a.txt b.txt; mv a.txt run.sh`
    check(
        &[
            "delete a.txt | -one -two",
            "create b.txt | +one +two",
            "create* run.sh | +one +two",
        ],
        &[],
    );
    // The copy stays as well.
    check(
        &[
            "delete a.txt | -one -two",
            "modify b.txt | -x +one +two",
            "create* run.sh | +one +two +x",
        ],
        &["a.txt", "b.txt"],
    );
    // A line that is moved within what is left, and one that comes in two places.
    check(&["modify a.txt | -one", "modify* a.txt | +one"], &["a.txt"]);
    check(&["modify a.txt | -one +one", "modify* b.sh | +one"], &[]);
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
    // `mv d e && mv e/t e/u`
    check(&["move d/t e/u", "move* d/run e/run"], &["d/t"]);
    check(&["move d/t z/u", "move* d/run e/run"], &[]);
    check(&["move d/t e/t", "modify* d/run | -x +y"], &[]);
    check(&["move t d/t", "move* run bin/run"], &[]);
}

/// `cp -a d e && rm -r d && echo more >>e/a.txt`: half of the folder was moved.
#[test]
fn a_folder_whose_files_change_on_the_way_is_moved_whole_or_not() {
    let script = "move* d/run.sh e/run.sh";
    let moved = "move d/b.txt e/b.txt";
    let gone = "delete d/a.txt | -one -two";
    let come = "create e/a.txt | +one +two +more";
    check(
        &[script, moved, gone, come],
        &["d/b.txt", "d/a.txt", "e/a.txt"],
    );
    // All files change on the way, and one is removed.
    check(
        &[
            "create* e/run.sh | +run +more",
            "delete d/run.sh | -run",
            gone,
            come,
            "delete d/c.txt | -three",
        ],
        &["d/run.sh", "d/a.txt", "e/a.txt", "d/c.txt"],
    );
    // Files without a line that says anything.
    check(
        &[
            "delete* d/run.sh | -run",
            "create* e/run.sh | +run",
            "delete d/x",
            "create e/x",
        ],
        &["d/x", "e/x"],
    );
    // One folder within another, and two that change places.
    check(
        &[
            "move* d/n/run.sh q/d/n/run.sh",
            "delete d/a.txt | -one",
            "create q/d/a.txt | +one +more",
        ],
        &["d/a.txt", "q/d/a.txt"],
    );
    check(
        &[
            "move* d/run.sh k/run.sh",
            "move k/z.txt d/z.txt",
            "create k/new | +new",
        ],
        &["k/z.txt", "k/new"],
    );
    // By another program, elsewhere, or under another name.
    check(
        &[
            script,
            "2:delete d/a.txt | -one",
            "2:create f/a.txt | +one +more",
        ],
        &[],
    );
    check(
        &[script, "delete k/a.txt | -one", "create m/z.txt | +two"],
        &[],
    );
    check(
        &[
            script,
            "modify d/b.txt | -one +two",
            "create other.txt | +x",
        ],
        &[],
    );
}
