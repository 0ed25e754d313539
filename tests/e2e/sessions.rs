//! Conversations that go on in a later process.

use serde_json::Value;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

fn world() -> World {
    World::new(&[("notes.md", "# Title\n\nText.\n")])
}

fn exec(world: &World, flags: &[&str], prompt: &str) -> Vec<Value> {
    let words = [&["exec", "--offline", "--json"], flags, &[prompt]].concat();
    // The built-in planner says with 1 that it did not understand.
    let ended = world.run(&words);
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
    ended.events()
}

/// Returns the id of the conversation, and what of it was said before.
fn session(events: &[Value]) -> (String, Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    let id = text(&of("session").next().unwrap()["id"]);
    let users = of("earlier").filter(|event| event["speaker"] == "user");
    (id, users.map(|event| text(&event["text"])).collect())
}

fn list(world: &World) -> Vec<Value> {
    let json = world.run(&["sessions", "--json"]).done().json();
    json["sessions"].as_array().unwrap().clone()
}

#[test]
fn a_conversation_is_gone_on_with_forked_and_listed() {
    let world = world();
    assert!(list(&world).is_empty());
    let (first, earlier) = session(&exec(&world, &[], "help"));
    assert!(earlier.is_empty());
    let (again, earlier) = session(&exec(&world, &["--continue"], "what can you do?"));
    assert_eq!((&again, &earlier[..]), (&first, &["help".to_owned()][..]));
    let (fork, earlier) = session(&exec(&world, &["--resume", &first, "--fork"], "help"));
    assert!(fork != first && earlier.len() == 2);
    let listed = list(&world);
    assert_eq!(
        (listed[0]["id"].as_str(), listed.len()),
        (Some(fork.as_str()), 2)
    );
    assert_eq!(
        (&listed[0]["parent"], &listed[0]["prompts"]),
        (&listed[1]["id"], &3.into())
    );
    assert_eq!(listed[1]["title"], "help");
    world.run(&["sessions"]).done().says(&first);
}

#[test]
fn a_conversation_goes_on_with_the_model_that_was_chosen_in_it() {
    let world = world();
    let server = Server::start();
    world.configure(&format!("url = '{}'\nmodel = 'first'\n", server.url()));
    let asked = |flags: &[&str]| {
        let words = [&["exec"], flags, &["go on"]].concat();
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| world.run(&words).done());
            let asked = server.next();
            let model = asked.body["model"].as_str().unwrap().to_owned();
            asked.say("ok");
            (model, ended.join().unwrap())
        })
    };
    let mut screen = Screen::open(&world, &["hello"]);
    server.next().say("Hello.");
    screen.shows("Hello.");
    screen.press("/model second\r");
    let listed = r#"{"data":[{"id":"first"},{"id":"second"}]}"#;
    server.next().refuse("200 OK", "", listed);
    screen.shows("From now on second is asked");
    screen.press("\u{3}\u{3}");
    screen.left();
    let (model, ended) = asked(&["--continue"]);
    assert_eq!(model, "second");
    ended.says("second is asked, as chosen in this conversation");
    assert_eq!(asked(&["--continue", "--fork"]).0, "second");
    assert_eq!(asked(&["--continue", "--model", "third"]).0, "third");
    assert_eq!(asked(&["--continue"]).0, "second", "a flag is for one run");
    assert_eq!(asked(&[]).0, "first");
}

#[test]
fn a_conversation_is_printed_for_people_and_for_programs() {
    let world = world();
    let none = world.run(&["sessions", "export"]);
    assert_eq!(none.code, Some(1), "{none:#?}");
    let (id, _) = session(&exec(&world, &[], "replace Text with Words in notes.md"));
    let markdown = world.run(&["sessions", "export"]).done().stdout;
    assert!(markdown.starts_with("# Conversation\n\n## "), "{markdown}");
    assert!(
        markdown.contains("replace Text with Words in notes.md"),
        "{markdown}"
    );
    let atif = world.run(&["sessions", "export", &id[..8], "--format", "atif"]);
    let atif = atif.done().json();
    assert_eq!(
        (&atif["schema_version"], &atif["session_id"]),
        (&"ATIF-v1.7".into(), &id.as_str().into())
    );
    let steps = atif["steps"].as_array().unwrap();
    assert!(
        steps
            .iter()
            .any(|step| step["observation"]["results"][0]["source_call_id"]
                == step["tool_calls"][0]["tool_call_id"]
                && step["source"] == "agent"),
        "{atif}"
    );
    world.run(&["sessions", "--json", "export"]).ends(2);
}

#[test]
fn a_conversation_that_is_not_there_is_an_error() {
    let world = world();
    let lost = world.run(&["exec", "--offline", "--resume", "nope", "help"]);
    lost.ends(1).says("0 conversations here are \"nope\"");
    let first = world
        .run(&["exec", "--offline", "--continue", "help"])
        .done();
    first.says("There is no earlier conversation here");
}
