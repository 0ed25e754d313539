//! `signoff history` and `revert`: what was written can be taken back, in any later process.

use std::fs;

use serde_json::{Value, json};

use crate::commits::plainly;
use crate::run::sh;
use crate::world::{World, section, whole};

const TEXTS: [&str; 4] = [
    "a\n.\n.\nb\n.\n.\nc\n",
    "A\n.\n.\nb\n.\n.\nc\n",
    "A\n.\n.\nB\n.\n.\nc\n",
    "A\n.\n.\nB\n.\n.\nC\n",
];

/// A file that was written three times.
fn written() -> World {
    let world = World::new(&[("a.txt", TEXTS[0])]);
    for (old, new) in [("a", "A"), ("b", "B"), ("c", "C")] {
        world.stage(json!([section("a.txt", old, new)]));
        world.run(&["approve", "--all"]).done();
    }
    assert_eq!(world.text("a.txt"), TEXTS[3]);
    world
}

fn column(world: &World, name: &str) -> Vec<Value> {
    world
        .history()
        .iter()
        .map(|entry| entry[name].clone())
        .collect()
}

#[test]
fn history_is_listed_newest_first() {
    let world = written();
    assert_eq!(column(&world, "version"), [3, 2, 1]);
    assert_eq!(
        column(&world, "description"),
        ["put C for c", "put B for b", "put A for a"]
    );
    assert_eq!(column(&world, "status"), ["applied"; 3]);
    for entry in world.history() {
        assert_eq!(entry["path"], "a.txt");
        assert_eq!(
            (entry["added"].clone(), entry["removed"].clone()),
            (json!(1), json!(1))
        );
        let time = entry["time"].as_str().unwrap();
        assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
        assert_eq!(entry["proposal"].as_str().unwrap().len(), 36);
        assert_eq!(entry["changeset"].as_str().unwrap().len(), 36);
        assert_eq!(entry["strategy"], "section");
    }
    let listed = world.run(&["history", "a.txt"]).done();
    assert_eq!(listed.stdout.lines().count(), 3);
    world.run(&["history", "b.txt"]).done().says("no history");
    let patches = world.run(&["history", "a.txt", "--patch"]).done();
    patches.says("-b\n+B\n");
    let newest = world.history()[0]["changeset"].clone();
    world
        .run(&["revert", "--changeset", newest.as_str().unwrap()])
        .done();
    assert_eq!(world.text("a.txt"), TEXTS[2]);
}

#[test]
fn a_changeset_is_named_in_short_or_as_the_last_one() {
    let world = written();
    let entries = world.history();
    let ids = entries
        .iter()
        .map(|entry| entry["changeset"].as_str().unwrap());
    let ids: Vec<&str> = ids.collect();
    world.run(&["revert", "--changeset", "last"]).done();
    world.run(&["revert", "--changeset", "last"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[1]);
    let short = &ids[2][24..];
    world
        .run(&["revert", "--changeset", short, "--dry-run"])
        .done();
    world.run(&["revert", "--changeset", short]).done();
    assert_eq!(world.text("a.txt"), TEXTS[0]);
    for (none, told) in [
        ("last", "all of it is reverted already"),
        ("no", "history has no changeset no"),
    ] {
        let ended = world.run(&["revert", "--changeset", none]);
        ended.ends(1).says(told);
    }
    let both = &ids[0][..4];
    world
        .run(&["revert", "--changeset", both])
        .ends(3)
        .says("could be any of");
}

#[test]
fn the_last_change_is_taken_back_then_the_one_before() {
    let world = written();
    for text in [TEXTS[2], TEXTS[1], TEXTS[0]] {
        world.run(&["revert", "a.txt"]).done();
        assert_eq!(world.text("a.txt"), text);
    }
    world.run(&["revert", "a.txt"]).ends(1);
    assert_eq!(world.text("a.txt"), TEXTS[0]);
    assert_eq!(
        column(&world, "version"),
        [6, 5, 4, 3, 2, 1],
        "a revert is an entry too"
    );
    assert_eq!(column(&world, "status")[..3], ["revert"; 3]);
    assert_eq!(column(&world, "status")[3..], ["reverted"; 3]);
}

#[test]
fn what_is_reverted_and_redone_is_one_line_and_every_record_in_json() {
    let world = written();
    let check = |statuses: &[&str], state: &str| {
        let listed = world.run(&["history", "a.txt"]).done();
        let lines: Vec<&str> = listed.stdout.lines().collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[0].contains(state), "{lines:?}");
        assert!(!lines[1].contains("re"), "{lines:?}");
        assert_eq!(column(&world, "status")[..statuses.len()], *statuses);
    };
    world.run(&["undo"]).done();
    check(&["revert", "reverted"], ", reverted 20");
    world.run(&["redo", "a.txt"]).done();
    check(&["revert", "reverted", "applied"], ", redone 20");
    assert_eq!(column(&world, "turned")[2], column(&world, "time")[0]);
    world.run(&["undo"]).done();
    let statuses = ["revert", "revert", "reverted", "reverted"];
    check(&statuses, ", reverted 20");
}

#[test]
fn what_was_denied_can_be_read_again() {
    let world = World::new(&[("a.txt", TEXTS[0]), ("b.txt", "b\n")]);
    world
        .run(&["history", "--denied"])
        .done()
        .says("no denied hunk is kept");
    let long: String = (0..3_000).map(|line| format!("line {line}\n")).collect();
    world.stage(json!([section("a.txt", "b", "B"), whole("b.txt", &long)]));
    world
        .run(&["deny", "--all", "--reason", "keep it small"])
        .done();
    let listed = world.run(&["history", "--denied", "a.txt"]).done();
    let listed = listed.says("a.txt  +1 -1  put B for b  denied: keep it small");
    listed.says("-b\n+B\n");
    let json = world.run(&["history", "--denied", "--json"]).done().json();
    let denied = json["denied"].as_array().unwrap();
    assert_eq!(denied.len(), 2);
    assert_eq!(denied[0]["reason"], "keep it small");
    // Of a long one the first lines.
    let listed = world.run(&["history", "--denied", "b.txt"]).done();
    let listed = listed.says("+line 0\n");
    listed.says("more changed lines not kept");
}

#[test]
fn any_version_can_be_gone_back_to() {
    for (version, text) in TEXTS.iter().enumerate().take(3) {
        let world = written();
        let back = world
            .run(&["revert", "a.txt", "--to", &version.to_string(), "--json"])
            .done()
            .json();
        assert_eq!(back["status"], "reverted");
        assert_eq!(back["version"], 4);
        assert_eq!(world.text("a.txt"), *text);
        // And forward again: to what it was after version 3.
        world.run(&["revert", "a.txt", "--to", "3"]).done();
        assert_eq!(world.text("a.txt"), TEXTS[3]);
    }
    let world = written();
    world.run(&["revert", "a.txt", "--to", "3"]).ends(1);
    world
        .run(&["revert", "a.txt", "--to", "9"])
        .ends(1)
        .says("9");
    assert_eq!(world.text("a.txt"), TEXTS[3]);
}

#[test]
fn what_the_user_wrote_since_stays() {
    let world = written();
    world.write("a.txt", format!("mine\n{}", TEXTS[3]));
    world.run(&["revert", "a.txt", "--to", "0"]).done();
    assert_eq!(world.text("a.txt"), format!("mine\n{}", TEXTS[0]));
}

#[test]
fn what_the_user_wrote_over_a_change_is_a_conflict() {
    let world = written();
    let mine = TEXTS[3].replace("C\n", "mine\n");
    world.write("a.txt", &mine);
    let conflict = world.run(&["revert", "a.txt", "--json"]).ends(3).json();
    assert_eq!(conflict["status"], "conflict");
    assert_eq!(conflict["hunks"][0]["yours"], json!(["mine"]));
    world.run(&["revert", "a.txt"]).ends(3).says("-C\n+c\n");
    assert_eq!(world.text("a.txt"), mine);
    std::fs::remove_file(world.at("a.txt")).unwrap();
    world.run(&["revert", "a.txt"]).ends(3).says("deleted");
    assert!(!world.at("a.txt").exists());
}

#[test]
fn a_file_that_was_made_goes_and_one_that_went_is_made() {
    let world = World::new(&[("old.txt", "old\nlines\n")]);
    world.stage(json!([whole("new.txt", "new\n"), { "file": "old.txt", "strategy": "delete" }]));
    world.run(&["approve", "--all"]).done();
    assert!(!world.at("old.txt").exists());
    world.run(&["revert", "new.txt"]).done();
    world.run(&["revert", "old.txt"]).done();
    assert!(!world.at("new.txt").exists());
    assert_eq!(world.text("old.txt"), "old\nlines\n");
}

#[test]
fn a_file_keeps_its_last_ten_entries() {
    let world = World::new(&[("a.txt", "0\n")]);
    for number in 1..=12 {
        let payload = json!({ "changes": [whole("a.txt", &format!("{number}\n"))] });
        world.apply(&["--write"], &payload).done();
    }
    let versions: Vec<u64> = (3..=12).rev().collect();
    assert_eq!(column(&world, "version"), versions);
    world.run(&["revert", "a.txt", "--to", "1"]).ends(1);
    world.run(&["revert", "a.txt", "--to", "2"]).done();
    assert_eq!(world.text("a.txt"), "2\n");
}

/// Staged work and a revert do not get into each other's way.
#[test]
fn a_revert_under_staged_work_moves_it() {
    let world = written();
    world.stage(json!([section("a.txt", "C", "see")]));
    world.run(&["revert", "a.txt", "--to", "2"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[2]);
    assert_eq!(world.review()[0]["status"], "conflict");
    world.run(&["deny", "--all"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[2]);
}

#[test]
fn what_was_taken_back_can_be_put_back() {
    let world = written();
    world.run(&["revert", "a.txt", "--to", "1"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[1]);
    world.run(&["redo", "a.txt"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[3]);
    world.run(&["redo", "a.txt"]).ends(1);
    assert_eq!(world.text("a.txt"), TEXTS[3]);
}

#[test]
fn one_version_can_be_taken_back_from_under_later_ones() {
    let world = written();
    world.run(&["revert", "a.txt", "--only", "2"]).done();
    assert_eq!(world.text("a.txt"), TEXTS[3].replace('B', "b"));
    let world = World::new(&[("a.txt", "one\n")]);
    for (old, new) in [("one", "two"), ("two", "three")] {
        let payload = json!({ "changes": [section("a.txt", old, new)] });
        world.apply(&["--write"], &payload).done();
    }
    world.run(&["revert", "a.txt", "--only", "1"]).ends(3);
    assert_eq!(world.text("a.txt"), "three\n");
}

#[test]
fn a_preview_shows_and_writes_nothing() {
    let world = written();
    let shown = world
        .run(&["revert", "a.txt", "--to", "2", "--dry-run"])
        .done();
    assert!(
        shown.stdout.contains("-C\n") && shown.stdout.contains("+c\n"),
        "{shown:#?}"
    );
    let preview = world
        .run(&["revert", "a.txt", "--dry-run", "--json"])
        .done()
        .json();
    assert_eq!(preview["status"], "preview");
    assert_eq!(world.text("a.txt"), TEXTS[3]);
    assert_eq!(world.history().len(), 3);
}

/// A changeset goes back in all of its files or in none.
#[test]
fn a_changeset_goes_back_as_a_whole() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let changes = json!([
        section("a.txt", "a", "A"),
        section("b.txt", "b", "B"),
        whole("c.txt", "c\n")
    ]);
    let before = world.files();
    let answer = world
        .apply(&["--write"], &json!({ "changes": changes }))
        .done()
        .json();
    let changeset = answer["changeset"].as_str().unwrap();
    world.write("b.txt", "mine\n");
    world
        .run(&["revert", "--changeset", changeset])
        .ends(3)
        .says("b.txt");
    assert_eq!(world.text("a.txt"), "A\n");
    world.write("b.txt", "B\n");
    world.run(&["revert", "--changeset", changeset]).done();
    assert_eq!(world.files(), before);
    world.run(&["revert", "--changeset", changeset]).ends(1);
}

#[test]
fn blame_tells_the_users_lines_from_the_models() {
    let world = written();
    world.write("a.txt", TEXTS[3].replace("A\n", "A\nmine\n"));
    let lines = world.run(&["blame", "a.txt", "--json"]).done().json();
    let line = |number: usize| lines["lines"][number - 1].clone();
    assert_eq!(line(1)["text"], "A");
    assert_eq!(
        (line(1)["author"].clone(), line(1)["version"].clone()),
        (json!("applied"), json!(1))
    );
    assert_eq!(line(2)["text"], "mine");
    assert_ne!(line(2)["author"], "applied");
    world.run(&["blame", "a.txt:1"]).done().says("put A for a");
    world.run(&["blame", "a.txt:99"]).ends(1).says("99");
    world
        .run(&["blame", "absent.txt"])
        .ends(1)
        .says("absent.txt");
}

#[test]
fn files_in_other_encodings_and_with_odd_endings_keep_their_bytes() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    };
    let text = "\u{feff}one\r\nold\ntwo é\r\n\r\nlast";
    let files = [
        ("le.txt", utf16(text, u16::to_le_bytes)),
        ("be.txt", utf16(text, u16::to_be_bytes)),
        ("utf8.txt", text.as_bytes().to_vec()),
        ("latin.txt", b"one\r\nold\ntwo \xe9\r\n\r\nlast".to_vec()),
    ];
    let world = World::new(&[]);
    for (path, bytes) in &files {
        world.write(path, bytes);
        world.set_mode(path, 0o640);
    }
    let before = world.files();
    let changes: Vec<_> = files
        .iter()
        .map(|(path, _)| section(path, "old", "new"))
        .collect();
    world.stage(json!(changes));
    world.run(&["approve", "--all"]).done();
    let swap = |bytes: &[u8], old: &[u8], new: &[u8]| -> Vec<u8> {
        let at = bytes
            .windows(old.len())
            .position(|part| part == old)
            .unwrap();
        [&bytes[..at], new, &bytes[at + old.len()..]].concat()
    };
    let wide = |word: &str, bytes| utf16(word, bytes);
    let expected = [
        swap(
            &files[0].1,
            &wide("old", u16::to_le_bytes),
            &wide("new", u16::to_le_bytes),
        ),
        swap(
            &files[1].1,
            &wide("old", u16::to_be_bytes),
            &wide("new", u16::to_be_bytes),
        ),
        swap(&files[2].1, b"old", b"new"),
        swap(&files[3].1, b"old", b"new"),
    ];
    for ((path, _), expected) in files.iter().zip(expected) {
        assert_eq!(world.bytes(path), expected, "{path}");
        world.run(&["revert", path]).done();
    }
    assert_eq!(world.files(), before);
}

#[test]
fn a_damaged_store_is_repaired_and_says_what_is_lost() {
    let world = World::new(&[("a.txt", "a\n")]);
    world.stage(json!([section("a.txt", "a", "b")]));
    world
        .run(&["doctor", "--repair", "--offline"])
        .says("nothing was wrong");
    let mut found = world.state_files().into_iter();
    let store = found.find(|path| path.ends_with("state.db")).unwrap();
    std::fs::write(&store, "no database, but long enough ".repeat(200)).unwrap();
    world.run(&["review"]).ends(1);
    world
        .run(&["doctor", "--repair", "--offline"])
        .says("made anew");
    assert!(world.review().is_empty());
    assert_eq!(world.text("a.txt"), "a\n");
    assert!(
        world
            .state_files()
            .iter()
            .any(|path| path.to_string_lossy().contains("damaged"))
    );
}

#[test]
fn write_through_writes_at_once_and_can_be_taken_back() {
    let world = World::new(&[("a.rs", "fn old() {}\nfn main() { old() }\n")]);
    let prompt = "rename old to fresh";
    world
        .run(&["exec", "--offline", "--write-through", prompt])
        .done()
        .says("wrote a.rs");
    assert_eq!(world.text("a.rs"), "fn fresh() {}\nfn main() { fresh() }\n");
    assert!(world.review().is_empty());
    world.run(&["revert", "a.rs"]).done();
    assert_eq!(world.text("a.rs"), "fn old() {}\nfn main() { old() }\n");
}

/// History keeps ten changesets of a file, however many hunks these have.
#[test]
fn a_changeset_of_many_hunks_is_taken_back_whole() {
    let old: String = (0..16)
        .map(|line| format!("line {line}\n\n\n\n\n\n\n\n"))
        .collect();
    let world = World::new(&[("a.txt", &old)]);
    let edits =
        (0..16).map(|line| section("a.txt", &format!("line {line}\n"), &format!("row {line}\n")));
    world
        .apply(
            &["--write"],
            &json!({ "changes": edits.collect::<Vec<_>>() }),
        )
        .done();
    assert_eq!(world.text("a.txt"), old.replace("line", "row"));
    world.run(&["undo"]).done();
    assert_eq!(world.text("a.txt"), old);
}

/// What could not be written at once waits, which is no success.
#[test]
fn write_through_says_what_it_left() {
    let world = World::new(&[("Makefile", "all:\n\techo x\n")]);
    let prompt = "replace \"echo\" with \"printf\" in Makefile";
    world
        .run(&["exec", "--offline", "--write-through", prompt])
        .ends(3)
        .says("makes a program run");
    assert_eq!(world.review().len(), 1);
}

/// `undo` and its redo go over all files of a changeset, and push nothing out of the history.
#[test]
fn a_changeset_is_taken_back_and_put_back_in_all_of_its_files() {
    let world = World::new(&[("a.txt", "a 1\n"), ("b.txt", "b 1\n")]);
    world.stage(json!([
        section("a.txt", "a 1", "a 2"),
        section("b.txt", "b 1", "b 2")
    ]));
    world.run(&["approve", "--all"]).done();
    let texts = || (world.text("a.txt"), world.text("b.txt"));
    let (old, new) = (
        ("a 1\n".to_owned(), "b 1\n".to_owned()),
        ("a 2\n".to_owned(), "b 2\n".to_owned()),
    );
    for _ in 0..8 {
        world.run(&["undo"]).done().says("reverted in");
        assert_eq!(texts(), old);
        world.run(&["redo"]).done().says("redone in");
        assert_eq!(texts(), new);
    }
    let first = world
        .history()
        .into_iter()
        .filter(|entry| entry["version"] == 1);
    assert_eq!(first.count(), 2, "it is still there");
    let one = world.run(&["revert", "a.txt"]).done();
    let one = one.says("b.txt still has").says("revert --changeset");
    assert!(!one.stdout.contains("b.txt"), "{one:#?}");
}

/// Three of four files go back after a look, and what takes the fourth back is a proposal; redo puts the three back.
#[test]
fn what_can_be_taken_back_in_part_says_which_part() {
    let names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    let world = World::new(&names.map(|name| (name, "1\n2\n3\n")));
    world.stage(json!(names.map(|name| section(name, "2", "two"))));
    world.run(&["approve", "--all"]).done();
    world.write("c.txt", "1\nzwei\n3\nmine\n");
    let texts = || names.map(|name| world.text(name));
    let before = texts();
    let part = "3 of 4 files go back; c.txt changed since: it comes as a proposal";
    let refused = world.run(&["undo"]).ends(3);
    assert!(
        refused.stderr.contains(&format!("with --yes {part}")),
        "{refused:?}"
    );
    world.run(&["undo", "--dry-run"]).ends(3);
    world.run(&["undo", "--dry-run", "--yes"]).done().says(part);
    let told = world.run(&["undo", "--json"]).ends(3).json();
    assert_eq!(told["status"], "conflict");
    assert_eq!(told["files"], json!(["a.txt", "b.txt", "d.txt"]));
    assert_eq!(told["stay"][0]["proposable"], true);
    assert_eq!(texts(), before);
    let told = world.run(&["undo", "--yes", "--json"]).done().json();
    assert_eq!(told["status"], "reverted");
    assert_eq!(told["files"].as_array().unwrap().len(), 3);
    let (old, new) = ("1\n2\n3\n", "1\ntwo\n3\n");
    assert_eq!(texts(), [old, old, "1\nzwei\n3\nmine\n", old]);
    let review = world.review();
    assert_eq!(review[0]["path"], "c.txt");
    assert_eq!(review[0]["id"], told["stay"][0]["proposal"]);
    world.run(&["redo", "--changeset", "last"]).done();
    assert_eq!(texts(), [new, new, "1\nzwei\n3\nmine\n", new]);
    // A line that was changed since is not given up by who approves all.
    let left = "a line that was changed since goes with it: \"zwei\"";
    world.run(&["approve", "--all"]).ends(3).says(left);
    assert_eq!(world.text("c.txt"), "1\nzwei\n3\nmine\n");
    let id = review[0]["id"].as_str().unwrap();
    world.run(&["approve", id]).done();
    assert_eq!(world.text("c.txt"), "1\n2\n3\nmine\n");
}

#[test]
fn a_change_is_taken_back_where_the_file_was_moved() {
    let text =
        "one line of a text\nanother of it\nthe third\nand a fourth, so that it is long enough\n";
    let world = World::new(&[("a.txt", text), (".gitignore", "built\n")]);
    world.stage(json!([section("a.txt", "third", "3rd")]));
    world.run(&["approve", "--all"]).done();
    let as_written = world.text("a.txt");
    let edited = format!("{as_written}mine\n");
    world.write("built/a.txt", &as_written);
    world.write("docs/b.txt", &edited);
    fs::remove_file(world.at("a.txt")).unwrap();
    world
        .run(&["history"])
        .done()
        .says("docs/b.txt (2)  moved  +0 -0  a.txt to docs/b.txt  moved outside of signoff");
    assert_eq!(column(&world, "status"), ["moved", "applied"]);
    world
        .run(&["undo", "--dry-run"])
        .done()
        .says("put 3rd for third (the file was a.txt then) in docs/b.txt");
    world.run(&["undo"]).done().says("reverted in docs/b.txt");
    assert_eq!(world.text("docs/b.txt"), format!("{text}mine\n"));
    world.run(&["redo", "a.txt"]).done();
    world.write("docs/c.txt", &edited);
    fs::rename(world.at("docs/b.txt"), world.at("docs/d.txt")).unwrap();
    world
        .run(&["revert", "a.txt"])
        .ends(3)
        .says("it is not certain which file it became: docs/c.txt, docs/d.txt");
    fs::remove_file(world.at("docs/c.txt")).unwrap();
    world.run(&["revert", "a.txt"]).done();
    assert_eq!(world.text("docs/d.txt"), format!("{text}mine\n"));
}

/// What a program wrote with one call to two files, of which one was then written more often than history keeps.
#[test]
fn what_history_does_not_keep_is_said() {
    let world = World::new(&[]);
    let append = |script: &str| {
        sh(&world, script).done();
        world.run(&["approve", "--all"]).done();
    };
    append("echo A >> a; echo B >> b");
    let history = world.run(&["history", "--json"]).done().json();
    let changeset = history["entries"][0]["changeset"]
        .as_str()
        .unwrap()
        .to_owned();
    for number in 0..12 {
        append(&format!("echo {number} >> a"));
    }
    for arguments in [&["--dry-run"][..], &[]] {
        let mut revert = vec!["revert", "--changeset", changeset.as_str()];
        revert.extend(arguments);
        world
            .run(&revert)
            .ends(3)
            .says("a: what the changeset wrote there is not kept any more (`history_limit`)");
        assert_eq!(world.text("b"), "B\n");
    }
    for _ in 0..10 {
        world.run(&["undo"]).done();
    }
    assert_eq!(world.text("a"), "A\n0\n1\n");
    let revert_b = ["revert", "--changeset", changeset.as_str(), "--yes"];
    world.run(&revert_b).done();
    assert!(!world.at("b").exists());
    world
        .run(&["undo"])
        .ends(1)
        .says("there is nothing to revert: all that is kept is reverted already; 3 older entries are not kept any more");
    world
        .run(&["revert", "a"])
        .ends(1)
        .says("a: no change to revert; 3 older entries are not kept any more");
}

/// A folder where a file was is in the way, as a link is.
#[test]
fn a_folder_in_the_place_of_a_file_needs_the_user() {
    let world = World::new(&[]);
    sh(&world, "echo A > a; echo B > b").done();
    world.run(&["approve", "--all"]).done();
    plainly(&world, "rm a; mkdir a");
    for arguments in [&["undo"][..], &["undo", "--dry-run"], &["revert", "a"]] {
        world
            .run(arguments)
            .ends(3)
            .says("a became a folder since it was written here");
        assert_eq!(world.text("b"), "B\n");
    }
    world.run(&["undo", "--yes"]).done();
    assert!(!world.at("b").exists());
}
