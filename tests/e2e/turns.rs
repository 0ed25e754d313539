//! Turns of a model that the test plays: how long it may go on, and what it is told of what
//! became of its edits.

use serde_json::{Value, json};

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
    &end.expect("the turn ended")["end"]
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
