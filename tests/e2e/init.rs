//! `signoff init`: a proposal of an `AGENTS.md`.

use crate::server::Server;
use crate::world::World;

const FILES: &[(&str, &str)] = &[
    ("src/main.py", "print(1)\n"),
    ("Makefile", "all:\n\ttrue\n"),
];

#[test]
fn without_a_model_what_is_there_is_proposed_and_written_when_approved() {
    let world = World::new(FILES);
    let proposed = world.run(&["init", "--offline"]).done();
    let proposed = proposed
        .says("Languages: python (1 file)")
        .says("Build files: `Makefile`");
    proposed.says("AGENTS.md is staged");
    assert!(!world.root().join("AGENTS.md").exists());
    let twice = world.run(&["init", "--offline"]).ends(3);
    twice.says("AGENTS.md is proposed already: `signoff review` shows it");
    // Coding agents do what it says: it is looked at first.
    world
        .run(&["approve", "--all"])
        .ends(3)
        .says("approved by its id");
    let id = world.review()[0]["id"].as_str().unwrap().to_owned();
    world.run(&["approve", &id]).done();
    let text = std::fs::read_to_string(world.root().join("AGENTS.md")).unwrap();
    assert!(text.starts_with("# Instructions"), "{text}");
    let again = world.run(&["init", "--offline"]);
    again.ends(1).says("only a model edits it");
    let empty = World::new(&[("a.txt", "a\n")]);
    empty
        .run(&["init", "--offline"])
        .ends(1)
        .says("no code and no build file");
}

#[test]
fn a_model_is_asked_instead() {
    let world = World::new(FILES);
    let server = Server::start();
    world.configure(&format!("url = '{}'\nmodel = 'first'\n", server.url()));
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| world.run(&["init"]));
        let asked = server.next();
        let request = asked.body.to_string();
        assert!(request.contains("write AGENTS.md"), "{request}");
        asked.say("There is nothing to add.");
        ended
            .join()
            .unwrap()
            .says("first is asked to write AGENTS.md");
    });
}
