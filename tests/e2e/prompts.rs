//! Prompts in a terminal: queued ones, and those of earlier runs.

use serde_json::json;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const ENTER: &str = "\r";
const CTRL_C: &str = "\x03";

/// Returns where a text stands on the screen, as its row.
fn row_of(screen: &Screen, text: &str) -> usize {
    let contents = screen.contents();
    let row = contents.lines().position(|row| row.contains(text));
    row.unwrap_or_else(|| panic!("{text:?} is not in\n{contents}"))
}

/// What is sent while an answer comes is listed with what it waits for, and goes out in its order.
#[test]
fn queued_prompts_are_listed_and_go_out_in_their_order() {
    let world = World::new(&[("notes.md", "Text.\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "first"]);
    let mut answer = server.next().stream();
    answer.text("Let me see");
    screen.shows("Let me see");
    for prompt in ["second", "third"] {
        screen.press(prompt);
        screen.shows(&format!("› {prompt}"));
        screen.press(ENTER);
        screen.shows(&format!("· queued: {prompt}"));
    }
    screen.shows("2 prompts queued: wait for the answer");
    assert!(row_of(&screen, "queued: second") < row_of(&screen, "queued: third"));
    assert!(!server.was_asked(), "one at a time");
    answer.end("stop");
    let asked = server.next();
    assert_eq!(asked.said_by("user"), ["first", "second"]);
    screen.turns("1 prompt queued: waits for the answer", "queued: second");
    // A proposal comes before the next prompt.
    asked.call(
        "call_1",
        "edit_section",
        &json!({
            "path": "notes.md", "operation": "modify", "description": "say words",
            "edits": [{ "old_text": "Text.", "new_text": "Words." }],
        }),
    );
    server.next().say("It is staged.");
    screen.shows("1 prompt queued: waits for your verdicts");
    assert!(!server.was_asked(), "not before the verdict");
    screen.press("/approve all\r");
    let asked = server.next();
    let said = asked.said_by("user");
    assert_eq!(said.last(), Some(&"third"), "{said:?}");
    screen.turns("written notes.md", "queued");
    asked.say("All done.");
    screen.shows("All done.");
}

/// Prompts of earlier runs come back with Up, the newest first, also after a kill.
#[test]
fn prompts_are_remembered_over_a_restart() {
    let world = World::new(&[]);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    for prompt in ["one\ntwo".replace('\n', "\x1b\r"), "漢字 third".to_owned()] {
        screen.press(&prompt);
        screen.wait("all of the prompt", |screen| {
            let contents = screen.contents();
            contents.contains("two") || contents.contains("third")
        });
        screen.press(ENTER);
        screen.turns("Ask for a change", "› two");
    }
    screen.press("/status\r");
    screen.shows("Nothing waits for a verdict");
    screen.signal("KILL");
    drop(screen);
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("ready");
    screen.press(UP);
    screen.shows("› /status");
    screen.press(UP);
    screen.shows("› 漢字 third");
    screen.press(UP);
    screen.turns("› one", "third");
    screen.shows("two");
    screen.press(DOWN);
    screen.turns("› 漢字 third", "two");
    screen.press(CTRL_C);
    screen.turns("Ask for a change", "third");
    // Another folder has its own.
    let other = World::new(&[]);
    let mut screen = Screen::open(&other, &["--offline"]);
    screen.shows("ready");
    screen.press(&[UP, "x"].concat());
    screen.turns("› x", "third");
}

/// What is typed for the interface reaches no model.
#[test]
fn commands_are_answered_and_no_model_is_asked() {
    let world = World::new(&[("a.txt", "a 1\n")]);
    world.stage(json!([crate::world::section("a.txt", "a 1", "a 2")]));
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("m (");
    screen.shows("1 hunk waits: Tab");
    for (typed, said) in [
        ("/status", "mode: step; model: m"),
        ("/reject", "/deny REASON denies all that wait"),
        ("/login", "there are no accounts"),
        ("/mcp", "there are no MCP servers"),
        ("/aprove", "did you mean /approve?"),
    ] {
        screen.press(typed);
        screen.shows(&format!("› {typed}"));
        screen.press(ENTER);
        screen.shows(said);
        if screen.contents().contains(&format!("› {typed}")) {
            screen.press(CTRL_C);
            screen.turns("Ask for a change", &format!("› {typed}"));
        }
    }
    screen.press("/diff\r");
    screen.shows("── Review");
    screen.shows("+ a 2");
    assert!(!server.was_asked());
    assert_eq!(world.text("a.txt"), "a 1\n");
}
