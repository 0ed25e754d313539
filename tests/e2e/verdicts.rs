//! `signoff review`, `approve`, `deny`: each in a process of its own.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::world::{World, section, whole};

/// Ten paragraphs, far enough apart for a hunk each.
fn paragraphs() -> String {
    (0..10).fold(String::new(), |mut text, number| {
        write!(text, "word{number}\n\n.\n.\n.\n.\n.\n.\n").unwrap();
        text
    })
}

/// A workspace in which one proposal changes these paragraphs.
fn staged(numbers: &[usize]) -> (World, String) {
    let world = World::new(&[("a.txt", &paragraphs())]);
    let edits = numbers.iter().map(|number| {
        json!({ "old_text": format!("word{number}\n"), "new_text": format!("changed{number}\n") })
    });
    let edits: Vec<Value> = edits.collect();
    let ids = world.stage(json!([{ "file": "a.txt", "section": { "edits": edits } }]));
    (world, ids[0].clone())
}

fn changed(numbers: &[usize]) -> String {
    numbers.iter().fold(paragraphs(), |text, number| {
        text.replace(&format!("word{number}\n"), &format!("changed{number}\n"))
    })
}

fn statuses(world: &World) -> Vec<String> {
    let waiting = world.review();
    let hunks = waiting
        .iter()
        .flat_map(|proposal| proposal["hunks"].as_array().unwrap());
    hunks
        .map(|hunk| hunk["status"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn hunks_are_approved_and_denied_one_by_one() {
    let (world, id) = staged(&[1, 3, 5, 7]);
    assert_eq!(statuses(&world), ["pending"; 4]);
    world
        .run(&["approve", &format!("{id}#2")])
        .done()
        .says("3 hunks still waiting");
    assert_eq!(world.text("a.txt"), changed(&[3]));
    assert_eq!(
        statuses(&world),
        ["pending", "committed", "pending", "pending"]
    );
    world
        .run(&["deny", &format!("{id}#3"), "--reason", "not this"])
        .done();
    assert_eq!(
        statuses(&world),
        ["pending", "committed", "denied", "pending"]
    );
    assert_eq!(world.review()[0]["hunks"][2]["reason"], "not this");
    world
        .run(&["approve", &format!("{id}#4"), &format!("{id}#1")])
        .done()
        .says("wrote 2 hunks");
    assert_eq!(world.text("a.txt"), changed(&[1, 3, 7]));
    assert_eq!(world.review(), Vec::<Value>::new());
}

#[test]
fn the_beginning_of_an_id_will_do_if_it_is_the_only_one() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let ids = world.stage(json!([
        section("a.txt", "a", "A"),
        section("b.txt", "b", "B")
    ]));
    // The ids begin with the time, so that two of one call share their first characters.
    world
        .run(&["approve", &ids[0][..8]])
        .ends(1)
        .says("2 proposals begin or end with");
    assert_eq!(world.text("a.txt"), "a\n");
    let shared = ids[0]
        .bytes()
        .zip(ids[1].bytes())
        .take_while(|(a, b)| a == b)
        .count();
    world
        .run(&["approve", &ids[1][..=shared]])
        .done()
        .says("b.txt");
    assert_eq!(
        (world.text("a.txt"), world.text("b.txt")),
        ("a\n".into(), "B\n".into())
    );
    world.run(&["deny", &ids[0][..8]]).done();
    assert_eq!(world.review(), Vec::<Value>::new());
}

#[test]
fn verdicts_about_what_does_not_wait_are_refused() {
    let (world, id) = staged(&[1, 3]);
    let before = world.files();
    for wrong in [
        "0000",
        "x",
        "",
        "#1",
        &format!("{id}#9"),
        &format!("{id}#0"),
        &format!("{id}#"),
    ] {
        let ended = world.run(&["approve", wrong]).ends(1);
        assert!(!ended.stderr.trim().is_empty(), "{wrong}");
    }
    world
        .run(&["approve", &format!("{id}#two")])
        .ends(1)
        .says("#two");
    // One id that is wrong keeps the right one from being carried out.
    world
        .run(&["approve", &format!("{id}#1"), &format!("{id}#9")])
        .ends(1);
    assert_eq!(world.files(), before);
    assert_eq!(statuses(&world), ["pending"; 2]);
    world.run(&["approve", &id]).done();
    world.run(&["approve", &id]).ends(1).says("no proposal");
    world
        .run(&["approve", "--all"])
        .done()
        .says("nothing waits");
    world.run(&["deny", "--all"]).done().says("nothing waits");
}

#[test]
fn denied_text_never_reaches_the_file() {
    let (world, id) = staged(&[1, 3]);
    let before = world.files();
    let denied = world
        .run(&["deny", &id, "--reason", "keep them", "--json"])
        .done()
        .json();
    assert_eq!(denied["status"], "done");
    assert_eq!(denied["committed"], json!([]));
    assert_eq!(denied["hunks"].as_array().unwrap().len(), 2);
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.files(), before);
    assert_eq!(world.history(), Vec::<Value>::new());
}

#[test]
fn what_builds_on_a_denied_change_goes_into_conflict() {
    let world = World::new(&[("a.txt", "one\n")]);
    let ids = world.stage(json!([
        section("a.txt", "one", "two"),
        section("a.txt", "two", "three")
    ]));
    // The second cannot go alone either.
    world.run(&["approve", &ids[1]]).ends(3).says("builds on");
    assert_eq!(world.text("a.txt"), "one\n");
    world.run(&["deny", &ids[0]]).done().says("conflict");
    let waiting = world.review();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["status"], "conflict");
    assert!(
        waiting[0]["hunks"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("denied")
    );
    world.run(&["approve", &ids[1]]).ends(1).says("nothing of");
    world.run(&["deny", "--all"]).done();
    assert_eq!(world.review(), Vec::<Value>::new());
    assert_eq!(world.text("a.txt"), "one\n");
}

#[test]
fn approving_all_of_nothing_but_conflicts_needs_the_user() {
    let world = World::new(&[("a.txt", "one\n")]);
    let ids = world.stage(json!([
        section("a.txt", "one", "two"),
        section("a.txt", "two", "three")
    ]));
    world.run(&["deny", &ids[0]]).done();
    world.run(&["approve", "--all"]).ends(3).says("conflict");
    assert_eq!(world.text("a.txt"), "one\n");
}

#[test]
fn approving_all_says_how_many_conflicts_are_left_and_where() {
    let stage = |world: &World| {
        let ids = world.stage(json!([
            section("a.txt", "one", "two"),
            section("a.txt", "two", "three"),
            section("b.txt", "one", "two")
        ]));
        world.run(&["deny", &ids[0]]).done();
    };
    let files = [("a.txt", "one\n"), ("b.txt", "one\n")];
    let world = World::new(&files);
    stage(&world);
    let ended = world.run(&["approve", "--all"]).ends(3);
    ended.says("wrote 1 hunk (b.txt); 1 hunk in a.txt is in conflict and can only be denied");
    assert_eq!(world.text("b.txt"), "two\n");
    let world = World::new(&files);
    stage(&world);
    let value = world.run(&["approve", "--all", "--json"]).ends(3).json();
    assert_eq!(value["status"], "done");
    assert_eq!(value["conflicts"][0]["path"], "a.txt");
    assert!(
        value["conflicts"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("denied")
    );
    world.run(&["deny", "--all"]).done();
}

/// Both were named in one command, which the engine refused: the user changed the lines of both at once.
#[test]
fn each_command_that_is_printed_for_conflicts_works() {
    let stage = || {
        let world = World::new(&[("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
        world.stage(json!([
            section("a.txt", "2", "two"),
            section("a.txt", "3", "three"),
            section("a.txt", "8", "eight")
        ]));
        world.write("a.txt", "1\nzwei\ndrei\n4\n5\n6\n7\nacht\n9\n");
        world
            .run(&["review"])
            .done()
            .says("none before it of the same lines");
        let left = world.run(&["approve", "--all"]).ends(3);
        let parts = left.stdout.split('`');
        let commands = parts.filter_map(|part| part.strip_prefix("signoff approve "));
        let commands: Vec<String> = commands.map(str::to_owned).collect();
        (world, commands)
    };
    for (at, written) in [
        (0, "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n"),
        (1, "1\n2\nthree\n4\n5\n6\n7\nacht\n9\n"),
    ] {
        let (world, commands) = stage();
        assert_eq!(commands.len(), 2, "{commands:?}");
        let arguments: Vec<&str> = commands[at].split(' ').collect();
        world.run(&[&["approve"], &arguments[..]].concat()).done();
        assert_eq!(world.text("a.txt"), written, "{commands:?}");
    }
}

/// The user saved the file between the review and the approval: what they approved is not what
/// would be written, so they are asked again.
#[test]
fn a_file_that_changed_since_the_review_is_shown_again_first() {
    let (world, _) = staged(&[5]);
    world.run(&["review"]).done().says("changed5");
    let mine = format!("my own first line\n{}", paragraphs());
    world.write("a.txt", &mine);
    let moved = world.run(&["approve", "--all", "--json"]).ends(3).json();
    assert_eq!(moved["status"], "moved");
    assert_eq!(moved["paths"], json!(["a.txt"]));
    assert_eq!(world.text("a.txt"), mine);
    let waiting = world.review();
    assert!(
        waiting[0]["note"]
            .as_str()
            .unwrap()
            .contains("your own change"),
        "{waiting:#?}"
    );
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("a.txt"), mine.replace("word5\n", "changed5\n"));
}

#[test]
fn a_line_that_the_user_changed_is_the_users() {
    let (world, id) = staged(&[1, 5]);
    let mine = paragraphs().replace("word5\n", "mine\n");
    world.write("a.txt", &mine);
    world.run(&["approve", "--all"]).ends(3);
    assert_eq!(world.text("a.txt"), mine);
    assert_eq!(statuses(&world), ["pending", "conflict"]);
    let shown = world.run(&["review"]).done();
    // What it makes of the line of the user.
    shown.says("-mine\n+changed5\n").says("|mine\n");
    world.run(&["approve", &id]).done();
    assert_eq!(world.text("a.txt"), mine.replace("word1\n", "changed1\n"));
    world.run(&["deny", "--all"]).done();
    assert_eq!(world.review(), Vec::<Value>::new());
}

#[test]
fn a_file_that_cannot_be_written_waits_and_the_others_are_written() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("ro/c.txt", "c\n")]);
    let ids = world.stage(json!([
        section("a.txt", "a", "A"),
        section("b.txt", "b", "B"),
        section("ro/c.txt", "c", "C"),
    ]));
    world.set_mode("b.txt", 0o444);
    world.set_mode("ro", 0o555);
    let is_root = std::fs::write(world.at("ro/made"), "").is_ok();
    let all = world.run(&["approve", "--all"]).ends(3);
    let all = all
        .says("wrote")
        .says("b.txt (it is read-only, and no edit replaces such a file");
    if !is_root {
        all.says("ro/c.txt (it is in a read-only folder; make that writable first)");
    }
    assert_eq!(
        (world.text("a.txt"), world.text("b.txt")),
        ("A\n".into(), "b\n".into())
    );
    assert_eq!(world.review().len(), if is_root { 1 } else { 2 });
    world.set_mode("ro", 0o755);
    world.set_mode("b.txt", 0o644);
    world.run(&["approve", &ids[1]]).done();
    world.run(&["approve", "--all"]);
    assert_eq!(
        (world.text("b.txt"), world.text("ro/c.txt")),
        ("B\n".into(), "C\n".into())
    );
}

/// A program replaces a read-only file, and what it did is written with the rest.
#[test]
fn what_a_program_did_to_a_read_only_file_is_written() {
    crate::run::in_each(&[("a.txt", "a\n"), ("b.txt", "b\n")], |world, backend| {
        world.set_mode("b.txt", 0o444);
        crate::run::sh(
            &world,
            "echo A > a.txt; rm b.txt; echo B > b.txt; chmod 444 b.txt",
        )
        .done();
        world.run(&["approve", "--all"]).done();
        assert_eq!(world.text("b.txt"), "B\n", "{backend}");
    });
}

/// Three files are approved and one of them cannot be written any more: all stay as they were.
#[test]
fn a_commit_writes_every_file_or_none() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    let stage = || {
        world.stage(json!([
            section("a.txt", "a", "A"),
            section("b.txt", "b", "B"),
            section("c.txt", "c", "C"),
        ]))
    };
    let ids = stage();
    world.set_mode("c.txt", 0o444);
    let before = world.files();
    world
        .run(&["approve", &ids[0], &ids[1], &ids[2]])
        .ends(1)
        .says("c.txt is read-only");
    assert_eq!(world.files(), before);
    assert_eq!(world.history(), Vec::<Value>::new());
    assert_eq!(world.review().len(), 3, "nothing is lost");

    world.set_mode("c.txt", 0o644);
    std::fs::remove_file(world.at("b.txt")).unwrap();
    std::fs::create_dir(world.at("b.txt")).unwrap();
    let before = world.files();
    let moved = "b.txt changed on disk since it was shown; nothing was written";
    world.run(&["approve", "--all"]).ends(3).says(moved);
    assert_eq!(world.files(), before);

    std::fs::remove_dir(world.at("b.txt")).unwrap();
    world.write("b.txt", "b\n");
    world.run(&["deny", "--all", "--reason", "no"]).done();
    stage();
    world.run(&["approve", "--all"]).done();
    assert_eq!(
        [
            world.text("a.txt"),
            world.text("b.txt"),
            world.text("c.txt")
        ],
        ["A\n", "B\n", "C\n"]
    );
}

#[test]
fn the_review_can_be_read_by_a_person() {
    let (world, id) = staged(&[1]);
    world.write("new.txt", "");
    let shown = world.run(&["review"]).done().stdout;
    let wanted = [
        "modify a.txt",
        &id,
        "#1 pending",
        "-word1\n",
        "+changed1\n",
        "@@ -6,7 +6,7 @@",
    ];
    for wanted in wanted {
        assert!(shown.contains(wanted), "{wanted:?} in:\n{shown}");
    }
    world.run(&["deny", "--all"]).done().says("denied 1 hunk");
    world
        .run(&["review"])
        .done()
        .says("nothing waits for a verdict");
}

#[test]
fn a_hunk_is_approved_as_edited() {
    let (world, id) = staged(&[1, 3]);
    let hunk = format!("{id}#1");
    assert_eq!(world.review()[0]["hunks"][0]["new_text"], "changed1\n");
    let both = world.feed(&["approve", &id, "--with", "-"], "mine\n");
    assert_eq!(both.code, Some(1), "one text is not for two hunks");
    assert_eq!(world.text("a.txt"), paragraphs());
    let done = world.feed(&["approve", &hunk, "--with", "-", "--json"], "mine\n");
    assert_eq!(done.done().json()["hunks"][0]["edited"], true);
    assert_eq!(
        world.text("a.txt"),
        paragraphs().replace("word1\n", "mine\n")
    );
    let blamed = world.run(&["blame", "a.txt:9", "--json"]).done().json();
    assert_eq!(blamed["lines"][0]["author"], "edited");
    assert_eq!(blamed["lines"][0]["text"], "mine");

    world.edit_by("exit 1");
    let failed = world.run(&["approve", &id, "--edit"]);
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.stderr.contains("nothing was changed"),
        "{}",
        failed.stderr
    );
    world.edit_by("sed -i s/changed/ours/ \"$1\"");
    // The end of an id tells it from others of its payload.
    let end = &id[id.len() - 6..];
    world.run(&["approve", end, "--edit"]).done();
    assert!(world.text("a.txt").contains("ours3\n"));
    world.run(&["revert", "a.txt", "--to", "0"]).done();
    assert_eq!(world.text("a.txt"), paragraphs());
}

/// What makes a program run is written by its name, and not along with the rest.
#[test]
fn what_makes_a_program_run_has_to_be_named() {
    let world = World::new(&[("a.txt", "one\n")]);
    let ids = world.stage(json!([
        whole("a.txt", "two\n"),
        whole(".envrc", "touch x\n")
    ]));
    let answer = world.run(&["approve", "--all"]).ends(3);
    answer.says(".envrc (direnv runs it when the folder is entered): `signoff approve ");
    assert_eq!(world.text("a.txt"), "two\n");
    assert!(!world.at(".envrc").exists());
    let answer = world.run(&["approve", "--all", "--json"]).ends(3).json();
    assert_eq!(answer["status"], "refused");
    assert_eq!(answer["unnamed"].as_array().unwrap().len(), 1);
    assert_eq!(
        world.review()[0]["runs"],
        "direnv runs it when the folder is entered"
    );
    world.run(&["approve", &ids[1]]).done();
    assert_eq!(world.text(".envrc"), "touch x\n");
}

#[test]
fn half_a_move_is_not_approved_with_everything_else() {
    for (script, kept) in [
        ("mv a.txt run.sh", &["a.txt", "run.sh"][..]),
        ("mv run.sh x.sh; mv a.txt run.sh", &["a.txt", "run.sh"]),
        ("mv a.txt b.txt; mv run.sh a.txt", &["a.txt", "run.sh"]),
        (
            "mv c.txt a.tmp; mv a.txt run.sh; mv a.tmp a.txt",
            &["a.txt", "c.txt", "run.sh"],
        ),
        ("mv d e", &["d/run", "d/t.txt"]),
    ] {
        let world = World::new(&[
            ("a.txt", "one\ntwo\n"),
            ("c.txt", "three\n"),
            ("run.sh", "#!/bin/sh\necho\n"),
            ("d/t.txt", "four\n"),
            ("d/run", "#!/bin/sh\necho\n"),
            ("alone.txt", "five\n"),
        ]);
        world.set_mode("run.sh", 0o755);
        world.set_mode("d/run", 0o755);
        let before: Vec<String> = kept.iter().map(|path| world.text(path)).collect();
        let script = format!("{script}; echo six > alone.txt");
        let ran = world.run(&["run", "--", "sh", "-c", &script]);
        if ran.code == Some(125) {
            crate::untried::untried("programs", ran.stderr.trim());
            return;
        }
        ran.done();
        world.run(&["approve", "--all"]).ends(3).says("alone.txt");
        for (path, text) in kept.iter().zip(before) {
            assert_eq!(world.text(path), text, "{script}: {path}");
        }
        assert_eq!(world.text("alone.txt"), "six\n", "{script}");
    }
}

#[test]
fn commands_print_json_where_there_is_nothing() {
    let world = World::new(&[("a.txt", "one\n")]);
    for (arguments, code, nothing) in [
        (&["review"][..], 0, "[]"),
        (&["history"], 0, r#""entries":[]"#),
        (&["check", "--project"], 0, r#""checks":[]"#),
        (&["check"], 0, "[]"),
        (&["test"], 0, "[]"),
        (&["test", "--list"], 0, "[]"),
        (&["test", "--list", "a.txt"], 0, "[]"),
        (&["approve", "--all"], 0, r#""hunks":[]"#),
        (&["approve", "--all", "--checked"], 0, r#""checks":[]"#),
        (&["deny", "--all"], 0, r#""hunks":[]"#),
        (&["approve", "abc"], 1, r#""status":"refused""#),
        (&["approve", "--group", "abc"], 1, r#""status":"refused""#),
        (&["deny", "abc"], 1, r#""status":"refused""#),
        (&["revert", "a.txt"], 1, r#""status":"nothing""#),
        (
            &["revert", "--changeset", "last"],
            1,
            r#""status":"nothing""#,
        ),
        (&["redo", "a.txt"], 1, r#""status":"nothing""#),
        (&["sessions"], 0, r#""sessions":[]"#),
        (&["symbols", "nowhere"], 1, "[]"),
        (&["references", "nowhere"], 1, "[]"),
        (&["doctor", "--offline"], 0, r#""findings":["#),
    ] {
        let ended = world.run(&[arguments, &["--json"]].concat()).ends(code);
        assert!(ended.stdout.contains(nothing), "{arguments:?}: {ended:#?}");
        ended.events();
    }
}

/// The user typed what waits, or pulled it: it is said once that nothing waits of it, and nobody decided on it.
#[test]
fn what_the_file_has_already_waits_no_more() {
    let world = World::new(&[("a.txt", "1\n2\n3\n")]);
    for first in [&["review"][..], &["approve", "--all"]] {
        world.write("a.txt", "1\n2\n3\n");
        world.stage(json!([section("a.txt", "2", "two")]));
        world.write("a.txt", "1\ntwo\n3\n");
        let told = world.run(first);
        let said = format!("{}{}", told.stdout, told.stderr);
        let done = "hunk 1 of a.txt is in the file already: nothing waits of that";
        assert!(said.contains(done), "{first:?} {told:?}");
        let again = world.run(&["review"]).done().says("nothing waits");
        assert!(!again.stderr.contains("already"), "{again:?}");
        assert_eq!(world.history().len(), 0);
    }
}

/// What waits goes with its file, as history does; who approves all is told first.
#[test]
fn what_waits_goes_with_a_file_that_was_moved() {
    let text =
        "one line of a text\nanother of it\nthe third\nand a fourth, so that it is long enough\n";
    let world = World::new(&[("a.txt", text)]);
    world.stage(json!([section("a.txt", "third", "3rd")]));
    world.write("docs/b.txt", text);
    std::fs::remove_file(world.at("a.txt")).unwrap();
    let review = world.review();
    assert_eq!(review[0]["path"], "docs/b.txt");
    let held = "it was made for a.txt, which is gone: docs/b.txt has its text";
    world.run(&["approve", "--all"]).ends(3).says(held);
    world
        .run(&["approve", review[0]["id"].as_str().unwrap()])
        .done();
    assert_eq!(world.text("docs/b.txt"), text.replace("third", "3rd"));
    assert!(!world.at("a.txt").exists());
}
