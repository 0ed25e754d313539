//! Turns of a model that the test plays: how long it may go on, and what it is told of what
//! became of its edits.

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::{Asked, Server};
use crate::world::{Running, World};

const NOTES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// A workspace and a server that speaks for the model.
struct Talk {
    world: World,
    server: Server,
}

impl Talk {
    fn new() -> Self {
        let files = [("notes.md", NOTES), ("other.md", "one\n")];
        Self {
            world: World::new(&files),
            server: Server::start(),
        }
    }

    /// Starts `exec` with these flags.
    fn exec(&self, flags: &[&str], prompt: &str) -> Running {
        let url = self.server.url();
        let model = ["exec", "--json", "--url", &url, "--model", "m"];
        self.world.start(&[&model[..], flags, &[prompt]].concat())
    }
}

fn end_of(events: &[Value]) -> &Value {
    let end = events.iter().find(|event| event["type"] == "turn_ended");
    &end.unwrap()["end"]
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({
        "path": path, "operation": "modify", "description": format!("{old} is {new}"),
        "edits": [{ "old_text": old, "new_text": new }],
    })
}

fn last_result(asked: &Asked) -> &str {
    asked.said_by("tool").last().copied().unwrap_or_default()
}

/// A test is run, fails, something is mended, and so on: the usual way to work.
#[test]
fn a_test_that_still_fails_after_a_fix_does_not_end_the_turn() {
    let talk = Talk::new();
    let running = talk.exec(&["--write-through", "--allow", "*"], "make it pass");
    let test = json!({ "command": "head -n 1 notes.md; exit 1" });
    for (old, new) in [("one", "1"), ("1", "uno"), ("uno", "eins")] {
        talk.server.next().call("t", "bash", &test);
        let asked = talk.server.next();
        assert!(last_result(&asked).contains(old), "{}", asked.body);
        asked.call(
            "e",
            "edit_section",
            &edit("notes.md", &format!("{old}\n"), &format!("{new}\n")),
        );
    }
    talk.server.next().say("It passes.");
    assert_eq!(end_of(&running.end().done().events()), "done");
    assert_eq!(talk.world.text("notes.md"), NOTES.replace("one", "eins"));
}

#[test]
fn a_test_that_fails_alike_again_and_again_ends_the_turn() {
    let talk = Talk::new();
    let running = talk.exec(&["--allow", "*"], "make it pass");
    let test = json!({ "command": "echo took $RANDOM ms; exit 1" });
    for _ in 0..3 {
        talk.server.next().call("t", "bash", &test);
    }
    let ended = running.end();
    assert_eq!(end_of(&ended.ends(1).events()), "limit");
}

/// Stages an edit of each file in one turn and lets it end.
fn stage_both(talk: &Talk, flags: &[&str]) -> Vec<Value> {
    let running = talk.exec(flags, "shout");
    let mut answer = talk.server.next().stream();
    for (index, (path, old, new)) in [
        ("notes.md", "two\n", "TWO\n"),
        ("other.md", "one\n", "ONE\n"),
    ]
    .into_iter()
    .enumerate()
    {
        answer.call(index, &format!("c{index}"), "edit_section");
        answer.arguments(index, &edit(path, old, new).to_string());
    }
    answer.end("tool_calls");
    talk.server.next().say("Both are staged.");
    running.end().done().events()
}

/// What the model does one after another is written one after another, and a file that waits changes nothing of that.
#[test]
fn what_was_written_at_once_is_not_denied_where_something_waits() {
    for flags in [
        &["--write-through"][..],
        &["--write-through", "--approve", "all"],
    ] {
        let talk = Talk::new();
        let running = talk.exec(flags, "make three files");
        for path in ["wt1.txt", "Makefile", "wt2.txt"] {
            let write = json!({ "path": path, "content": "all:\n", "description": path });
            talk.server.next().call("w", "write", &write);
        }
        talk.server.next().say("All three are there.");
        let ended = running.end().ends(3);
        let ended = ended.says("wrote wt1.txt, wt2.txt at once; of the rest, nothing was written");
        assert_eq!(talk.world.text("wt1.txt"), "all:\n");
        assert_eq!(talk.world.text("wt2.txt"), "all:\n");
        assert!(!talk.world.at("Makefile").exists());
        let events = ended.events();
        let verdicts = events.last().unwrap();
        assert_eq!(verdicts["type"], "verdicts");
        assert_eq!(verdicts["status"], "refused");
        assert_eq!(verdicts["at_once"], json!(["wt1.txt", "wt2.txt"]));
    }
}

/// Goes on, and returns what the system says after the model's last words.
fn gone_on(talk: &Talk, flags: &[&str]) -> String {
    let running = talk.exec(&[&["-c"], flags].concat(), "go on");
    let asked = talk.server.next();
    let messages = asked.body["messages"].as_array().unwrap();
    let said = messages
        .iter()
        .rposition(|message| message["role"] == "assistant");
    let after = messages[said.unwrap() + 1..].iter();
    let notices = after.filter(|message| message["role"] == "system");
    let notices: Vec<&str> = notices
        .filter_map(|message| message["content"].as_str())
        .collect();
    let notices = notices.join("\n");
    asked.say("I see.");
    running.end().done();
    notices
}

#[test]
fn verdicts_given_by_commands_reach_the_model() {
    let talk = Talk::new();
    stage_both(&talk, &[]);
    let ids: Vec<String> = talk
        .world
        .review()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    talk.world
        .run(&["deny", &ids[0], "--reason", "keep lower case"])
        .done();
    talk.world.run(&["approve", &ids[1]]).done();
    let told = gone_on(&talk, &[]);
    assert!(
        told.contains("1 kept, 1 denied") && told.contains("denied: keep lower case"),
        "{told}"
    );
    let told = gone_on(&talk, &[]);
    assert_eq!(told, "", "a thing is told once");
    talk.world.run(&["revert", "other.md"]).done();
    let told = gone_on(&talk, &["--fork"]);
    assert!(told.contains("reverted a change to other.md"), "{told}");
    talk.world.run(&["redo", "other.md"]).done();
    let told = gone_on(&talk, &[]);
    assert!(told.contains("put back a change to other.md"), "{told}");
    assert_eq!(gone_on(&talk, &[]), "");
}

#[test]
fn what_was_approved_with_the_turn_reaches_the_model() {
    let talk = Talk::new();
    stage_both(&talk, &["--approve", "all"]);
    let told = gone_on(&talk, &[]);
    assert!(
        told.contains("The user decided on 2 hunks: 2 kept, 0 denied"),
        "{told}"
    );
    assert_eq!(gone_on(&talk, &[]), "");
}

#[test]
fn what_was_written_at_once_and_taken_back_reaches_the_model() {
    let talk = Talk::new();
    stage_both(&talk, &["--write-through"]);
    talk.world.run(&["revert", "notes.md"]).done();
    let told = gone_on(&talk, &[]);
    assert!(
        told.contains("reverted a change to notes.md: version 1: two"),
        "{told}"
    );
    assert_eq!(gone_on(&talk, &[]), "");
}

/// One list says what waits, to the user and to the model.
#[test]
fn after_a_sign_off_in_part_the_next_request_names_what_the_review_shows() {
    let talk = Talk {
        world: World::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]),
        server: Server::start(),
    };
    let url = talk.server.url();
    let options = [
        "--url",
        &url,
        "--model",
        "m",
        "--stop",
        "turn-end",
        "change both",
    ];
    let mut screen = Screen::open(&talk.world, &options);
    talk.server
        .next()
        .call("a", "edit_section", &edit("a.txt", "one", "two"));
    talk.server
        .next()
        .call("b", "edit_section", &edit("b.txt", "one", "two"));
    talk.server.next().say("Staged.");
    screen.shows("2 hunks wait");
    talk.world.write("b.txt", "mine\n");
    screen.says("1 hunk waits, 1 in conflict");
    screen.shows("a approve");
    screen.press("a");
    screen.shows("To be written: 1 hunk in 1 file");
    // The line has no room for more of the keys.
    screen.shows("1 in conflict   Enter writes");
    screen.press("\r");
    screen.shows("written a.txt");
    screen.says("1 hunk in conflict");
    screen.press("\t");
    screen.shows("› Ask for a change");
    screen.press("and now?");
    screen.shows("› and now?");
    screen.press("\r");
    let asked = talk.server.next();
    let told = asked.said_by("system").join("\n");
    assert!(told.contains("- b.txt: in conflict, not written"), "{told}");
    assert!(!told.contains("waiting for the user's verdict"), "{told}");
    assert_eq!(talk.world.text("a.txt"), "two\n");
}

#[test]
fn a_turn_in_which_the_model_says_and_does_nothing_is_no_success() {
    let talk = Talk::new();
    let running = talk.exec(&[], "explain this");
    talk.server.next().say("");
    running.end().ends(1).says("the model answered nothing");
    // What it wrote at once is no proposal that waits.
    let running = talk.exec(&["--write-through"], "make a file");
    let write = json!({ "path": "wt.txt", "content": "all\n", "description": "wt" });
    talk.server.next().call("w", "write", &write);
    talk.server.next().say("");
    let ended = running.end().done();
    assert!(!ended.stderr.contains("answered nothing"), "{ended:?}");
    assert_eq!(talk.world.text("wt.txt"), "all\n");
}
