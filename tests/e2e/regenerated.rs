//! A hunk that is written again, and rules that edits break, as the user and the model see them.

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

const NOTES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n";

fn edit(path: &str, pairs: &[(&str, &str)]) -> Value {
    let pairs = pairs.iter();
    let edits = pairs.map(|(old, new)| json!({ "old_text": old, "new_text": new }));
    json!({
        "path": path, "operation": "modify", "description": "Shout",
        "edits": edits.collect::<Vec<Value>>(),
    })
}

#[test]
fn one_hunk_is_written_again_and_the_marks_of_the_others_stay() {
    let world = World::new(&[("notes.md", NOTES), ("other.md", "one\n")]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready · step");
    screen.press("shout\r");
    let both = [("two\n", "TWO\n"), ("ten\n", "TEN\n")];
    server
        .next()
        .call("a", "edit_section", &edit("notes.md", &both));
    server.next().say("Staged.");
    screen.shows("+ TEN");
    // The first is approved, the second is to be written again.
    screen.shows("a approve");
    screen.press("a");
    screen.shows("[approve]");
    screen.shows("a approve");
    screen.press("R");
    screen.shows("What should be different in this hunk?");
    screen.press("in French\r");
    let asked = server.next();
    let prompt = asked.said_by("user").last().copied().unwrap_or_default();
    assert!(
        prompt.starts_with("Write the hunk at notes.md:7 ")
            && prompt.contains("again, which waits for my verdict: in French"),
        "{prompt}"
    );
    assert!(
        prompt.contains("+   10 TEN") && !prompt.contains("TWO"),
        "{prompt}"
    );
    // What lies elsewhere is refused in words, and changes nothing.
    asked.call("b", "edit_section", &edit("other.md", &[("one\n", "un\n")]));
    let asked = server.next();
    let said = asked.said_by("tool").last().copied().unwrap_or_default();
    assert!(
        said.contains("the user wants one hunk of notes.md written again"),
        "{said}"
    );
    asked.call("c", "bash", &json!({ "command": "touch x" }));
    let asked = server.next();
    let said = asked.said_by("tool").last().copied().unwrap_or_default();
    assert!(said.contains("one hunk is written again"), "{said}");
    asked.call(
        "d",
        "edit_section",
        &edit("notes.md", &[("TEN\n", "DIX\n")]),
    );
    server.next().say("In French now.");
    screen.shows("+ DIX");
    screen.shows("[approve]");
    screen.shows("a approve");
    screen.press("a");
    screen.signs();
    screen.shows("2 hunks approved");
    let text = NOTES.replace("two", "TWO").replace("ten", "DIX");
    assert_eq!(
        (world.text("notes.md"), world.text("other.md")),
        (text, "one\n".to_owned())
    );
}

#[test]
fn an_edit_that_a_rule_forbids_is_refused_with_its_line() {
    let rules = "# Rules\n\n- Never edit `gen/**`.\n- No new dependencies.\n";
    let world = World::new(&[("AGENTS.md", rules), ("gen/a.md", "one\n")]);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--json", "--url", &url, "--model", "m", "shout"]);
    server.next().call(
        "a",
        "edit_section",
        &edit("gen/a.md", &[("one\n", "ONE\n")]),
    );
    let asked = server.next();
    let said = asked.said_by("tool").last().copied().unwrap_or_default();
    assert!(
        said.contains("a rule forbids it: AGENTS.md:3: Never edit `gen/**`; leave it"),
        "{said}"
    );
    asked.say("A rule forbids it.");
    running.end();
    assert_eq!(world.review(), Vec::<Value>::new());
    // What the user proposes, or a program left, is staged and needs a look.
    let payload = json!({ "changes": [crate::world::section("gen/a.md", "one", "ONE")] });
    world.apply(&[], &payload).done();
    let waiting = world.review();
    assert_eq!(
        waiting[0]["held"],
        "a rule forbids it: AGENTS.md:3: Never edit `gen/**`."
    );
    world.run(&["approve", "--all"]).says("Never edit");
    assert_eq!(world.text("gen/a.md"), "one\n");
    let id = waiting[0]["id"].as_str().unwrap();
    world.run(&["approve", id]).done();
    assert_eq!(world.text("gen/a.md"), "ONE\n");
}

#[test]
fn a_denial_becomes_a_rule_that_is_signed_off_with_the_rest() {
    let world = World::new(&[("gen/a.md", "one\n"), ("notes.md", NOTES)]);
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("ready · step");
    screen.press("shout\r");
    server.next().call(
        "a",
        "edit_section",
        &edit("gen/a.md", &[("one\n", "ONE\n")]),
    );
    server.next().say("Staged.");
    screen.shows("+ ONE");
    screen.shows("d deny");
    screen.press("d");
    screen.shows("Why deny this hunk?");
    screen.press("generated, never edit gen/\x1b\r");
    screen.shows("/rule Never edit `gen/**`.");
    screen.press("\r");
    screen.shows("A rule that is enforced");
    assert!(!world.at("AGENTS.md").exists());
    // Nothing else waited, so the denial was carried out: the rule waits alone.
    let waiting = world.review();
    let paths: Vec<&str> = waiting
        .iter()
        .filter_map(|own| own["path"].as_str())
        .collect();
    assert_eq!(paths, ["AGENTS.md"]);
    let rule = waiting[0]["id"].as_str().unwrap();
    world.run(&["approve", rule]).done();
    assert_eq!(
        world.text("AGENTS.md"),
        "## Rules\n\n- Never edit `gen/**`.\n"
    );
    let listed = world.run(&["rule"]).done();
    assert_eq!(listed.stdout, "AGENTS.md:3: Never edit `gen/**`.\n");
    let with_more = format!("{}- **never modify `web/`!**\n", world.text("AGENTS.md"));
    world.write("AGENTS.md", with_more);
    let more = world.run(&["rule"]).done();
    assert_eq!(more.stdout, listed.stdout);
    more.says(
        "AGENTS.md:4: not enforced: write ``Never edit `GLOB`.``, not: - **never modify `web/`!**",
    );
    world
        .run(&["rule", "Be", "kind"])
        .done()
        .says("nothing enforces it");
    let ids = world.stage(json!([crate::world::section("gen/a.md", "one", "ONE")]));
    let reason = ["deny", &ids[0], "--reason", "it's generated"];
    world
        .run(&reason)
        .done()
        .says("signoff rule 'Never edit `gen/**`.'");
}
