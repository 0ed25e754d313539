//! `signoff setup`: a server and a model are picked, tried and kept.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::thread::scope;

use serde_json::json;

use crate::screen::Screen;
use crate::server::Server;
use crate::world::{Ended, World, finish};

const KEY: &str = "sk-very-secret-0123456789";

const MINE: &str = "# mine, with care\n\nmodel = 'old'   # fast\nhistory_limit = 20\n\n[turn]\nstop = \"turn-end\" # later\n";

fn list(server: &Server, names: &[&str]) {
    let asked = server.next();
    assert!(asked.head.starts_with("GET /v1/models "), "{}", asked.head);
    let names: Vec<_> = names.iter().map(|name| json!({ "id": name })).collect();
    asked.refuse("200 OK", "", &json!({ "data": names }).to_string());
}

fn answers(server: &Server) {
    let asked = server.next();
    assert_eq!(asked.said_by("user").len(), 1);
    assert!(asked.body["tools"].is_null(), "{}", asked.body);
    asked.say("ready");
}

fn calls(server: &Server) {
    let asked = server.next();
    assert_eq!(asked.body["tools"][0]["function"]["name"], "read");
    asked.call("c1", "read", &json!({ "path": "notes.txt" }));
}

/// Runs setup with flags, and has `serve` answer.
fn with_flags(world: &World, flags: &[&str], serve: impl FnOnce()) -> Ended {
    scope(|scope| {
        let words = [&["setup"], flags].concat();
        let ended = scope.spawn(move || world.run(&words));
        serve();
        ended.join().unwrap()
    })
}

#[test]
fn at_a_terminal_a_model_is_picked_tried_and_kept_beside_all_that_was_there() {
    let world = World::new(&[]);
    world.configure(MINE);
    let server = Server::start();
    let url = server.url();
    let environment = [("MY_OWN_KEY", KEY)];
    let mut screen = Screen::open_in(&world, &["setup"], &environment);
    screen.says("Now it says: old.");
    screen.shows("not set: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY");
    // On a machine with servers there are more lines; the last one is this.
    let offered = "another server\nWhich one? (1 to ";
    screen.shows(offered);
    let contents = screen.contents();
    let (_, number) = contents.split_once(offered).unwrap();
    let number = number.split_once(')').unwrap().0.to_owned();
    screen.press(&format!("{number}\r"));
    screen.shows("Its address");
    screen.press(&format!("{url}\r"));
    screen.shows("How is it spoken to? (1 to 5, Enter for 1)");
    screen.press("\r");
    screen.shows("Where does its key come from?");
    screen.press("2\r");
    screen.shows("not the key:");
    screen.press("sk-typed-by-mistake\r");
    screen.shows("that is not the name of a variable");
    screen.press("2\rMY_OWN_KEY\r");
    list(&server, &["text-embed", "m1", "m2"]);
    screen.shows("2  m2");
    screen.press("2\r");
    let asked = server.next();
    assert_eq!(asked.body["model"], "m2");
    assert!(asked.head.contains(&format!("authorization: Bearer {KEY}")));
    // The first model fails, and another is taken.
    asked.refuse(
        "404 Not Found",
        "",
        r#"{"error":{"message":"model not found"}}"#,
    );
    screen.shows("check the model's name");
    screen.shows("What now? (1 to 5)");
    screen.press("1\r");
    list(&server, &["m1", "m2"]);
    screen.shows("1  m1");
    screen.press("m1\r");
    answers(&server);
    calls(&server);
    screen.says("tool calls work");
    screen.says("line 3: model = \"old\" becomes \"m1\"");
    screen.shows("Change these settings?");
    screen.press("yes\r");
    let left = screen.left();
    assert_eq!(left.code, 0, "{}", left.contents);
    assert!(!left.raw.contains(KEY), "{}", left.contents);
    let added = format!("url = \"{url}\"\napi_key_env = \"MY_OWN_KEY\"\n");
    let expected = MINE.replace(
        "model = 'old'   # fast\n",
        &format!("model = \"m1\"   # fast\n{added}"),
    );
    assert_eq!(world.configured(), expected);
    let file = world.beside("config/signoff/config.toml");
    assert_eq!(
        fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn without_a_terminal_flags_say_all_of_it() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    for flags in [
        &["setup"][..],
        &["setup", "--url", &url],
        &["setup", "--model", "m"],
    ] {
        world.run(flags).ends(2).says("--url URL --model NAME");
    }
    assert!(!server.was_asked());
    let flags = ["--url", &url, "--model", "m"];
    let ended = with_flags(&world, &flags, || {
        answers(&server);
        calls(&server);
    });
    ended
        .done()
        .says("text        works")
        .says("tool calls  work");
    let written = format!("url = \"{url}\"\nmodel = \"m\"\n");
    assert_eq!(world.configured(), written);
    // What is there is not replaced unless that is said; the same again changes nothing.
    let other = ["setup", "--url", &url, "--model", "n", "--untried"];
    world
        .run(&other)
        .ends(3)
        .says("line 2: model = \"m\" becomes \"n\"");
    assert_eq!(world.configured(), written);
    world.run(&[&other[..], &["--replace"]].concat()).done();
    assert!(world.configured().contains("model = \"n\""));
    assert!(!server.was_asked());
}

#[test]
fn a_model_that_calls_no_tools_is_told_from_one_that_has_them_put_into_words() {
    for (serve_again, expected) in [
        (
            Some(r#"{"name": "read", "arguments": {"path": "notes.txt"}}"#),
            "in words",
        ),
        (None, "none ("),
    ] {
        let world = World::new(&[]);
        let server = Server::start();
        let url = server.url();
        let ended = with_flags(&world, &["--url", &url, "--model", "m"], || {
            answers(&server);
            let asked = server.next();
            match serve_again {
                Some(call) => {
                    let body = r#"{"error":{"message":"m does not support tools"}}"#;
                    asked.refuse("400 Bad Request", "", body);
                    let asked = server.next();
                    assert!(asked.body["tools"].is_null());
                    asked.say(&format!("```json\n{call}\n```\n"));
                }
                None => asked.say("I cannot."),
            }
        });
        let ended = ended.done();
        ended.says(expected);
        assert!(world.configured().contains("model = \"m\""));
    }
}

#[test]
fn a_model_whose_tool_calls_could_not_be_tried_is_not_kept() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let ended = with_flags(&world, &["--url", &url, "--model", "m"], || {
        answers(&server);
        let body = r#"{"error":{"message":"the quota is used up"}}"#;
        server.next().refuse("400 Bad Request", "", body);
    });
    ended.ends(1).says("the quota is used up").says("--untried");
    assert!(!world.beside("config/signoff/config.toml").exists());
}

#[test]
fn what_fails_is_said_with_what_to_do_and_nothing_is_written() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let flags = ["--url", &url, "--model", "m", "--api-key-env", "MY_OWN_KEY"];
    let mut command = world.command(&[&["setup"], &flags[..]].concat());
    command.env("MY_OWN_KEY", KEY);
    let ended = scope(|scope| {
        let ended = scope.spawn(|| finish(command, b""));
        let body = format!("{{\"error\":{{\"message\":\"no such key: {KEY}\"}}}}");
        server.next().refuse("401 Unauthorized", "", &body);
        ended.join().unwrap()
    });
    let ended = ended
        .ends(1)
        .says("401")
        .says("check the key")
        .says("--untried");
    assert!(!format!("{ended:?}").contains(KEY));
    assert!(!world.beside("config/signoff/config.toml").exists());
    for (flags, expected) in [
        (
            ["--url", "https://u:sk-secret@x.example", "--model", "m"],
            "in the address",
        ),
        (
            ["--url", &url, "--model=m", "--api-key-env=sk-secret"],
            "never put into the file",
        ),
        (
            ["--url", &url, "--model=m", "--protocol=x"],
            "is no protocol",
        ),
    ] {
        let ended = world
            .run(&[&["setup", "--untried"], &flags[..]].concat())
            .ends(1);
        let ended = ended.says(expected);
        assert!(!format!("{ended:?}").contains("sk-secret"));
    }
    assert!(!world.beside("config/signoff/config.toml").exists());
}

#[test]
fn a_file_that_cannot_be_written_stays_and_the_lines_are_shown() {
    let world = World::new(&[]);
    let setup = [
        "setup",
        "--url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--untried",
    ];
    // A folder cannot be made where a link is that leads nowhere.
    fs::create_dir(world.beside("config")).unwrap();
    symlink(world.beside("nowhere"), world.beside("config/signoff")).unwrap();
    let ended = world.run(&setup).ends(1);
    ended.says("cannot").says("model = \"m\"");
    fs::remove_file(world.beside("config/signoff")).unwrap();
    let broken = "model = 'a\n";
    world.configure(broken);
    world.run(&setup).ends(1).says("line 1");
    assert_eq!(world.configured(), broken);
}
