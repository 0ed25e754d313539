//! Background agents: processes that outlive whoever started them, and what they propose.

use std::fs;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::Server;
use crate::world::{DEADLINE, World, section, signoff};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn rust() -> World {
    World::new(&[(
        "src/main.rs",
        "fn old_name() {}\n\nfn main() {\n    old_name();\n}\n",
    )])
}

fn list(world: &World) -> Vec<Value> {
    let listed = world.run(&["background", "--json"]).done().json();
    listed["agents"].as_array().unwrap().clone()
}

fn state(world: &World, id: u64) -> Value {
    let listed = list(world);
    let own = listed.iter().find(|own| own["id"] == id);
    own.unwrap_or_else(|| panic!("{listed:?}")).clone()
}

/// Waits until an agent is in a state.
#[track_caller]
fn until(world: &World, id: u64, wanted: &str) -> Value {
    let begun = Instant::now();
    loop {
        let own = state(world, id);
        if own["state"] == wanted {
            return own;
        }
        assert!(begun.elapsed() < DEADLINE, "{own}");
    }
}

/// Starts an agent that asks a server, and returns its number.
fn start(world: &World, server: &Server, prompt: &str) -> u64 {
    let url = server.url();
    let asked = [
        "exec",
        "--background",
        "--json",
        "--url",
        &url,
        "--model",
        "m",
        prompt,
    ];
    world.run(&asked).done().json()["id"].as_u64().unwrap()
}

fn hunks(world: &World) -> Vec<String> {
    let review = world.review();
    let hunks = review
        .iter()
        .flat_map(|own| own["hunks"].as_array().unwrap().clone());
    hunks.map(|hunk| hunk.to_string()).collect()
}

/// Returns the numbers of the processes of an agent of this world.
#[cfg(target_os = "linux")]
fn processes(world: &World, id: u64) -> Vec<String> {
    let root = world.root().display().to_string();
    let wanted = format!("background\0run\0{id}\0");
    let numbers = fs::read_dir("/proc").unwrap();
    let numbers = numbers.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let is_it = |number: &String| {
        let line = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(&wanted) && line.contains(&root)
    };
    numbers.filter(is_it).collect()
}

#[cfg(target_os = "linux")]
fn kill(number: &str) {
    // It may have ended by now.
    let _gone = Command::new("kill").args(["-9", number]).output().unwrap();
}

#[test]
fn an_agent_outlives_its_command_and_its_proposals_arrive_as_one_changeset() {
    let world = rust();
    let before = world.files();
    let started = world
        .run(&[
            "exec",
            "--background",
            "--offline",
            "rename old_name to new_name",
        ])
        .done();
    assert_eq!(started.stdout, "1\n");
    let own = until(&world, 1, "done");
    assert_eq!(own["proposals"], 1);
    assert_eq!(own["prompt"], "rename old_name to new_name");
    assert_eq!(world.files(), before);
    let review = world.review();
    assert_eq!(review.len(), 1);
    assert_eq!(review[0]["proposer"]["name"], "background-1");
    world.run(&["background", "show", "1"]).done().says("");
    let shown = world.run(&["background", "show", "1"]).done().stdout;
    assert!(shown.contains("rename old_name to new_name"), "{shown}");
    world.run(&["approve", "--all"]).done();
    assert!(world.text("src/main.rs").contains("fn new_name"));
    world.run(&["background", "stop", "1"]).done();
    assert!(list(&world).is_empty());
    world.run(&["background", "show", "1"]).ends(1);
    let left = world.state_files();
    let left: Vec<_> = left
        .iter()
        .filter(|path| path.to_string_lossy().contains("/background/"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_interface_starts_agents_and_says_how_they_end() {
    let world = rust();
    let before = world.files();
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("planner");
    screen.press("/bg\r");
    screen.shows("There are no background agents");
    screen.press("\u{1b}");
    screen.turns("planner", "There are no background agents");
    screen.press("/bg rename old_name to new_name\r");
    screen.shows("Background agent 1 works on it");
    screen.shows("1  done");
    screen.shows("1 proposal");
    assert_eq!(world.files(), before);
    screen.press("/bg\r");
    screen.shows("▸ 1  done");
    screen.press("\r");
    screen.shows("Background agent 1 ");
    screen.shows("Staged 2 changes in 1 file");
    // It reads as the conversation in front does: no notices, no JSON, no ids.
    screen.shows("› rename old_name to new_name");
    screen.shows("staged");
    for sent in ["proposal:", "Folder ", "results:"] {
        assert!(!screen.contents().contains(sent), "{}", screen.contents());
    }
    screen.press("\u{1b}");
    screen.shows("▸ 1  done");
    screen.press("x");
    screen.shows("End agent 1?");
    screen.shows("y end it");
    screen.press("y");
    screen.shows("There are no background agents");
    assert!(list(&world).is_empty());
    screen.press("\u{1b}");
    screen.turns("is stopped", "There are no background agents");
    screen.press("/review\r");
    screen.shows("hunks wait");
    assert_eq!(world.review()[0]["proposer"]["name"], "background-1");
}

#[test]
fn two_agents_and_the_user_edit_one_file_at_once() {
    let world = World::new(&[("a.txt", TEN)]);
    let servers = [Server::start(), Server::start()];
    let edits = [
        json!({ "changes": [section("a.txt", "5", "five")] }),
        json!({ "changes": [section("a.txt", "5", "FIVE"), section("a.txt", "9", "nine")] }),
    ];
    for (server, prompt) in servers.iter().zip(["first", "second"]) {
        start(&world, server, prompt);
    }
    let asked = [servers[0].next(), servers[1].next()];
    let mine = TEN.replacen("1\n", "one\n", 1);
    world.write("a.txt", &mine);
    world.stage(json!([section("a.txt", "7", "seven")]));
    for (asked, edit) in asked.into_iter().zip(&edits) {
        asked.call("c1", "apply_structured_edits", edit);
    }
    for (id, server) in (1..).zip(&servers) {
        let again = server.next();
        assert!(
            !again.body.to_string().contains("seven"),
            "it sees what was committed"
        );
        assert_eq!(state(&world, id)["state"], "working");
        again.say("Done.");
        until(&world, id, "done");
    }
    assert_eq!(
        world.text("a.txt"),
        mine,
        "nothing is written without a verdict"
    );
    let hunks = hunks(&world);
    for (text, state) in [
        ("seven", "pending"),
        ("five", "pending"),
        ("FIVE", "conflict"),
        ("nine", "pending"),
    ] {
        let is_there = |hunk: &&String| hunk.contains(text) && hunk.contains(state);
        assert!(
            hunks.iter().any(|hunk| is_there(&hunk)),
            "{text}: {hunks:#?}"
        );
    }
    // The conversation goes on, on what is committed by then.
    world.run(&["background", "say", "1", "and now?"]).done();
    let more = servers[0].next();
    let said = more.body.to_string();
    assert!(
        said.contains("first") && said.contains("and now?"),
        "{said}"
    );
    more.say("Nothing more.");
    assert_eq!(until(&world, 1, "done")["proposals"], 0);
}

#[test]
fn nothing_is_left_of_an_agent_that_is_stopped() {
    let world = World::new(&[("a.txt", TEN)]);
    let server = Server::start();
    start(&world, &server, "think for ever");
    let answer = server.next().stream();
    assert_eq!(until(&world, 1, "working")["prompt"], "think for ever");
    world.run(&["background", "stop", "1"]).done();
    answer.wait_closed();
    assert!(list(&world).is_empty());
    assert_eq!(world.review(), Vec::<Value>::new());
    world
        .run(&["background", "say", "1", "more"])
        .ends(1)
        .says("no background agent 1");
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_is_killed_keeps_what_it_staged_and_goes_on_when_told_to() {
    let world = World::new(&[("a.txt", TEN)]);
    let server = Server::start();
    start(&world, &server, "make it five");
    let edit = json!({ "changes": [section("a.txt", "5", "five")] });
    server.next().call("c1", "apply_structured_edits", &edit);
    let answer = server.next().stream();
    let own = processes(&world, 1);
    assert_eq!(own.len(), 1, "{own:?}");
    kill(&own[0]);
    answer.wait_closed();
    until(&world, 1, "died");
    assert_eq!(world.review(), Vec::<Value>::new());
    world.run(&["background", "say", "1", "go on"]).done();
    server.next().say("It is five.");
    assert_eq!(until(&world, 1, "done")["proposals"], 1);
    assert_eq!(hunks(&world).len(), 1);
    assert_eq!(world.text("a.txt"), TEN);
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_is_killed_anywhere_hands_over_once() {
    for looks in (0..12).map(|own| own * 10) {
        let world = World::new(&[(
            "src/main.rs",
            "fn old_name() {}\n\nfn main() {\n    old_name();\n}\n\nfn other() {}\n",
        )]);
        let before = world.files();
        let first = "rename old_name to new_name";
        world
            .run(&["exec", "--background", "--offline", first])
            .done();
        // Each look takes a while, in which it gets on.
        for _ in 0..looks {
            processes(&world, 1);
        }
        processes(&world, 1).iter().for_each(|number| kill(number));
        let added = |text: &str| {
            let hunks = hunks(&world);
            hunks.iter().filter(|hunk| hunk.contains(text)).count()
        };
        // Its lock is held until the system has taken the process down.
        let begun = Instant::now();
        while state(&world, 1)["state"] == "working" {
            assert!(begun.elapsed() < DEADLINE);
        }
        if state(&world, 1)["state"] == "done" {
            assert_eq!(added("fn new_name"), 1);
        } else {
            assert_eq!(added("fn new_name"), 0, "killed after {looks} looks");
            let more = "rename other to better";
            world.run(&["background", "say", "1", more]).done();
            until(&world, 1, "done");
            assert_eq!(added("fn better"), 1);
            assert!(added("fn new_name") <= 1);
        }
        assert_eq!(world.review().len(), 1, "killed after {looks} looks");
        assert_eq!(world.files(), before);
    }
}

/// Where its commands ran there are folders that nobody may read.
#[test]
fn an_agent_that_ran_a_command_goes_on_and_is_removed() {
    let world = World::new(&[("a.txt", TEN)]);
    let server = Server::start();
    start(&world, &server, "say hello");
    let command = json!({ "command": "echo hi > new.txt" });
    server.next().call("c1", "bash", &command);
    server.next().say("Done.");
    until(&world, 1, "done");
    world.run(&["background", "say", "1", "once more"]).done();
    server.next().say("Done again.");
    until(&world, 1, "done");
    let command = json!({ "command": "echo more >> new.txt" });
    world.run(&["background", "say", "1", "and more"]).done();
    server.next().call("c2", "bash", &command);
    server.next().say("Done.");
    until(&world, 1, "done");
    world.run(&["background", "stop", "1"]).done();
    assert_eq!(list(&world).len(), 0);
}

#[test]
fn a_background_agent_approves_nothing_whatever_it_calls() {
    for on_disk in [false, true] {
        let world = World::new(&[("a.txt", TEN)]);
        if on_disk {
            world.runs_on_disk();
        }
        world.stage(json!([section("a.txt", "2", "two")]));
        let server = Server::start();
        start(&world, &server, "approve it");
        let own = signoff().display().to_string();
        let root = world.root().display().to_string();
        let command =
            format!("{own} approve --all -C {root}; {own} -C {root} exec --background --offline x");
        let edit = json!({ "changes": [section("a.txt", "5", "five")] });
        server.next().call("c1", "apply_structured_edits", &edit);
        server
            .next()
            .call("c2", "bash", &json!({ "command": command }));
        server.next().say("Done.");
        until(&world, 1, "done");
        assert_eq!(world.text("a.txt"), TEN);
        assert_eq!(hunks(&world).len(), 2, "both still wait");
        assert_eq!(list(&world).len(), 1, "it starts no other");
    }
    let world = rust();
    for flags in [&["--approve", "all"][..], &["--write-through"]] {
        let line = [&["exec", "--background", "--offline"], flags, &["x"]].concat();
        world.run(&line).ends(2);
    }
}

#[test]
fn what_a_background_agent_proposes_waits_where_edits_are_written_at_once() {
    let world = rust();
    world.configure("write_through = true\n");
    let before = world.files();
    world
        .run(&[
            "exec",
            "--background",
            "--offline",
            "rename old_name to new_name",
        ])
        .done();
    until(&world, 1, "done");
    assert_eq!(world.files(), before);
    assert_eq!(world.review().len(), 1);
}
