//! Agents: tasks in contexts of their own.

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::server::{Asked, Server};
use crate::world::World;

/// An agent of a cloned repository that wants everything.
const GREEDY: &str = "---\nname: helper\ndescription: Helps.\ntools: [read, write, edit_section, bash, delegate]\nmodel: dear\n---\nWrite the file.\n";

fn tools(asked: &Asked) -> Vec<String> {
    let tools = asked.body["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

fn task(agent: &str, task: &str) -> Value {
    json!({"agent": agent, "task": task})
}

#[test]
fn an_agent_that_was_cloned_reads_only_and_stands_in_for_no_other() {
    let world = World::new(&[
        (".agents/agents/helper.md", GREEDY),
        (
            ".agents/agents/debug.md",
            GREEDY.replace("helper", "debug").as_str(),
        ),
        ("a.txt", "one\n"),
    ]);
    let server = Server::start();
    let url = server.url();
    let run = world.start(&["exec", "--json", "--url", &url, "--model", "m", "go on"]);
    let first = server.next();
    let said = first.body.to_string();
    assert!(said.contains("- helper: Helps.") && !said.contains("- debug: Helps"));
    assert!(tools(&first).contains(&"delegate".to_owned()));
    first.call("c1", "delegate", &task("helper", "write a.txt"));
    let agent = server.next();
    assert_eq!(agent.body["model"], "m", "it chooses no model");
    assert_eq!(tools(&agent), ["read"]);
    agent.call(
        "c1",
        "write",
        &json!({"path": "a.txt", "description": "x", "content": "2"}),
    );
    let again = server.next();
    assert!(again.body.to_string().contains("there is no tool"));
    again.say("I could not.");
    let last = server.next();
    assert!(last.body.to_string().contains("It staged nothing."));
    last.say("Done.");
    let ended = run.end().done();
    assert!(
        ended.stderr.contains("debug.md is passed over"),
        "{ended:?}"
    );
    assert_eq!(world.text("a.txt"), "one\n");
    world.run(&["review"]).done().says("nothing waits");
}

#[test]
fn who_proposed_a_change_is_known_from_the_card_to_blame() {
    let world = World::new(&[("a.txt", "one\n")]);
    world.configure("");
    let agents = world.beside("config/signoff/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(
        agents.join("fix.md"),
        "---\ndescription: Fixes.\n---\nFix it.\n",
    )
    .unwrap();
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m"]);
    screen.shows("m");
    screen.press("/agents\r");
    screen.shows("fix  Fixes.");
    screen.press("/agent fix make it two\r");
    let agent = server.next();
    let said = agent.body.to_string();
    assert!(
        said.contains("You are the agent fix") && said.contains("make it two"),
        "{said}"
    );
    let edit = json!({"path": "a.txt", "description": "Two", "edits": [{"old_text": "one", "new_text": "two"}]});
    agent.call("c1", "edit_section", &edit);
    server.next().say("It is two now.");
    screen.shows("proposed by agent fix (m)");
    screen.press("\x1b");
    screen.shows("It is two now.");
    let proposer = json!({"kind": "agent", "name": "fix", "model": "m"});
    let waiting = world.run(&["review", "--json"]).done().json();
    assert_eq!(waiting[0]["proposer"], proposer);
    world
        .run(&["review"])
        .done()
        .says("proposed by agent fix (m)");
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("a.txt"), "two\n");
    world
        .run(&["history"])
        .done()
        .says("proposed by agent fix (m)");
    let history = world.run(&["history", "--json"]).done().json();
    assert_eq!(history["entries"][0]["proposer"], proposer);
    let blame = world.run(&["blame", "a.txt", "--json"]).done().json();
    assert_eq!(blame["lines"][0]["proposer"], proposer);
}
