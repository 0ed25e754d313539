//! Conversations that go on in a later process.

use serde_json::Value;

use crate::world::World;

fn world() -> World {
    World::new(&[("notes.md", "# Title\n\nText.\n")])
}

fn exec(world: &World, flags: &[&str], prompt: &str) -> Vec<Value> {
    let words = [&["exec", "--offline", "--json"], flags, &[prompt]].concat();
    world.run(&words).done().events()
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
fn a_conversation_that_is_not_there_is_an_error() {
    let world = world();
    let lost = world.run(&["exec", "--offline", "--resume", "nope", "help"]);
    lost.ends(1).says("0 conversations here are \"nope\"");
    let first = world
        .run(&["exec", "--offline", "--continue", "help"])
        .done();
    first.says("There is no earlier conversation here");
}
