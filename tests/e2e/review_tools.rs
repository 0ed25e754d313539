//! Tools of the review: questions with a server that answers, the user's editor, lines of a hunk.

use serde_json::json;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::{World, section};

#[test]
fn a_question_is_answered_while_the_turn_runs() {
    let world = World::new(&[("notes.md", "# Title\n\nText.\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready");
    screen.press("say words\r");
    let edit = section("notes.md", "Text.", "Words.");
    server.next().call(
        "call_1",
        "apply_structured_edits",
        &json!({ "changes": [edit] }),
    );
    let mut closing = server.next().stream();
    closing.text("I staged ");
    screen.shows("d deny");
    screen.press("?");
    screen.shows("What do you ask about this hunk?");
    screen.press("Why words?\r");
    let asked = server.next();
    assert_eq!(asked.tool_choice(), "none");
    let question = asked.said_by("user").last().copied().unwrap().to_owned();
    assert!(
        question.contains("notes.md") && question.contains("Words."),
        "{question}"
    );
    assert!(question.contains("Why words?"), "{question}");
    asked.say("Since text says little.");
    screen.shows("[asked]");
    screen.shows("Since text says little.");
    closing.text("it.");
    closing.end("stop");
    assert_eq!(world.text("notes.md"), "# Title\n\nText.\n");
    screen.shows("a approve");
    screen.press("a");
    screen.signs();
    screen.shows("1 hunk approved");
    assert_eq!(world.text("notes.md"), "# Title\n\nWords.\n");
    screen.shows("Ask for a change");
    screen.press("and now?\r");
    let notices = server.next();
    let notices = notices.said_by("system").join("\n");
    assert!(
        notices.contains("You answered: Since text says little."),
        "{notices}"
    );
}

#[test]
fn the_file_on_disk_is_opened_at_the_hunk() {
    let world = World::new(&[("b.rs", "fn one() {}\n\nfn old_name() {}\n")]);
    let log = world.beside("opened");
    let script = format!("printf '%s|' \"$@\" > '{}'", log.display());
    world.edit_by(&script);
    let mut screen = Screen::open(&world, &["--offline", "rename old_name to new_name"]);
    screen.shows("a approve");
    screen.press("o");
    screen.wait("the editor", |_| log.exists());
    screen.shows("a approve");
    screen.press("y");
    screen.shows("handed to the terminal to copy");
    let opened = std::fs::read_to_string(&log).unwrap();
    let file = world.root().join("b.rs");
    assert_eq!(opened, format!("+3|{}|", file.display()));
}

/// Two of four lines are written.
#[test]
fn lines_of_a_hunk_are_approved_alone() {
    let world = World::new(&[("a.txt", "one\ntwo\nthree")]);
    world.stage(json!([section("a.txt", "two", "zwei\ndrei\nvier")]));
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("1 hunk waits: Tab");
    screen.press("\t");
    screen.shows("a approve");
    screen.press("v");
    screen.shows("0 of 4 lines selected");
    screen.press(" ");
    screen.shows("1 of 4 lines selected");
    screen.press("j");
    screen.shows("▸○  2 + zwei");
    screen.press(" ");
    screen.shows("2 of 4 lines selected");
    screen.shows("a approve them");
    screen.press("a");
    screen.signs();
    screen.shows("1 hunk approved");
    assert_eq!(world.text("a.txt"), "one\nzwei\nthree");
}
