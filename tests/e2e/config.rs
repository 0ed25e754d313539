//! Configuration, and what must never come out of it: keys, prompts and files in logs, and a
//! workspace that says where they go.

use crate::server::Server;
use crate::world::{Ended, World, finish};

const KEY: &str = "sk-very-secret-0123456789";

fn ask(world: &World, environment: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let mut command = world.command(&[&["exec", "--json"], arguments, &["hello there"]].concat());
    command.envs(environment.iter().copied());
    finish(command, b"")
}

/// Answers one request with text, in another thread's time, and returns its head.
fn answer(server: &Server) -> String {
    let asked = server.next();
    let head = asked.head.clone();
    asked.say("hi");
    head
}

#[test]
fn a_workspace_cannot_say_where_to_send() {
    let world = World::new(&[("a.txt", "a\n")]);
    let (good, evil) = (Server::start(), Server::start());
    world.configure(&format!("url = '{}'\nmodel = 'm'\n", good.url()));
    world.write(
        ".signoff.toml",
        format!(
            "url = '{}'\nmodel = 'theirs'\napi_key_env = 'HOME'\n",
            evil.url()
        ),
    );
    let ended = std::thread::scope(|scope| {
        let ended = scope.spawn(|| ask(&world, &[], &[]));
        let asked = good.next();
        assert_eq!(asked.body["model"], "m");
        asked.say("hi");
        ended.join().unwrap()
    });
    ended.done().says("`url` is ignored");
    assert!(!evil.was_asked());
}

#[test]
fn a_workspace_can_forbid_the_network() {
    let world = World::new(&[(".signoff.toml", "offline = true\n")]);
    let server = Server::start();
    let url = server.url();
    ask(&world, &[], &["--url", &url, "--model", "m"]).says("offline");
    assert!(!server.was_asked());
}

#[test]
fn flags_beat_the_environment_and_that_beats_the_file() {
    let servers = [Server::start(), Server::start(), Server::start()];
    let urls = servers.each_ref().map(Server::url);
    let world = World::new(&[]);
    world.configure(&format!("url = '{}'\nmodel = 'file'\n", urls[0]));
    let environment = [
        ("SIGNOFF_URL", urls[1].as_str()),
        ("SIGNOFF_MODEL", "environment"),
    ];
    let flags = ["--url", urls[2].as_str(), "--model", "flag"];
    let cases: [(&[_], &[_], _, _); 3] = [
        (&[], &[], 0, "file"),
        (&environment, &[], 1, "environment"),
        (&environment, &flags, 2, "flag"),
    ];
    for (environment, flags, server, model) in cases {
        let ended = std::thread::scope(|scope| {
            let ended = scope.spawn(|| ask(&world, environment, flags));
            let asked = servers[server].next();
            assert_eq!(asked.body["model"], model);
            asked.say("hi");
            ended.join().unwrap()
        });
        ended.done();
    }
}

/// The key opens the door and is seen nowhere else, not even when the server repeats it.
#[test]
fn keys_are_sent_and_never_shown() {
    let world = World::new(&[("a.txt", "contents of the file\n")]);
    world.configure("api_key_env = 'MY_OWN_KEY'\n");
    let server = Server::start();
    let url = server.url();
    let flags = ["--url", url.as_str(), "--model", "m"];
    for name in ["SIGNOFF_API_KEY", "MY_OWN_KEY"] {
        let environment = [(name, KEY), ("SIGNOFF_LOG", "trace")];
        let (ended, head) = std::thread::scope(|scope| {
            let ended = scope.spawn(|| ask(&world, &environment, &flags));
            let head = answer(&server);
            (ended.join().unwrap().done(), head)
        });
        assert!(
            head.contains(&format!("authorization: Bearer {KEY}")),
            "{head}"
        );
        assert_secret(&world, &ended);
        let ended = std::thread::scope(|scope| {
            let ended = scope.spawn(|| ask(&world, &environment, &flags));
            let body = format!("{{\"error\":{{\"message\":\"no such key: {KEY}\"}}}}");
            server.next().refuse("401 Unauthorized", "", &body);
            ended.join().unwrap().ends(1).says("401")
        });
        assert_secret(&world, &ended);
    }
    let mut doctor = world.command(&[&["doctor"], &flags[..]].concat());
    doctor.env("SIGNOFF_API_KEY", KEY);
    let ended = finish(doctor, b"").done().says("key        set");
    assert_secret(&world, &ended);
}

fn assert_secret(world: &World, ended: &Ended) {
    let log = world.log();
    for text in [&ended.stdout, &ended.stderr, &log] {
        assert!(!text.contains(KEY), "the key is shown: {text}");
    }
    assert!(!log.contains("hello there"), "a prompt is in the log");
}

/// A program may print the key, headers may name variables; none of it is shown.
#[test]
fn keys_of_commands_and_in_headers_are_sent_and_never_shown() {
    let world = World::new(&[]);
    let server = Server::start();
    world.configure(&format!(
        "url = '{}'\nprotocol = 'anthropic'\nmodel = 'm'\n\
         api_key_command = ['/bin/sh', '-c', 'echo {KEY}; echo more']\n\
         [headers]\nX-Team = '$TEAM'\n[body]\ntemperature = 0.5\n",
        server.url()
    ));
    let environment = [("TEAM", KEY), ("SIGNOFF_LOG", "trace")];
    let (ended, asked) = std::thread::scope(|scope| {
        let ended = scope.spawn(|| ask(&world, &environment, &[]));
        let asked = server.next();
        let (head, body) = (asked.head.clone(), asked.body.clone());
        asked.refuse(
            "401 Unauthorized",
            "",
            &format!("{{\"error\":\"no such key: {KEY}\"}}"),
        );
        (ended.join().unwrap().ends(1), (head, body))
    });
    let (head, body) = asked;
    assert!(head.contains(&format!("x-api-key: {KEY}\r\n")), "{head}");
    assert!(head.contains(&format!("x-team: {KEY}\r\n")), "{head}");
    assert_eq!(body["temperature"], 0.5);
    assert_secret(&world, &ended);
    let mut doctor = world.command(&["doctor"]);
    doctor.env("TEAM", KEY);
    let doctor = finish(doctor, b"").done();
    assert_secret(
        &world,
        &doctor.says("key        from the configured command"),
    );
    world.configure("url = 'http://127.0.0.1:1'\nmodel = 'm'\napi_key_command = ['false']\n");
    ask(&world, &[], &[])
        .ends(1)
        .says("which api_key_command names, failed");
}

/// The system's keyring is asked by the system's own program.
#[test]
fn a_key_in_the_keyring_is_sent_and_never_shown() {
    let program = if cfg!(target_os = "macos") {
        "security"
    } else {
        "secret-tool"
    };
    let world = World::new(&[]);
    let server = Server::start();
    let script = format!("#!/bin/sh\ncase \"$*\" in *mine*) echo {KEY};; *) exit 1;; esac\n");
    let path = world.beside(&format!("bin/{program}"));
    world.program(&path, &script);
    let bin = world.beside("bin");
    let environment = [("PATH", bin.to_str().unwrap()), ("SIGNOFF_LOG", "trace")];
    let configure = |name: &str| {
        let url = server.url();
        world.configure(&format!(
            "url = '{url}'\nmodel = 'm'\napi_key_keyring = '{name}'\n"
        ));
    };
    configure("mine");
    let (ended, head) = std::thread::scope(|scope| {
        let ended = scope.spawn(|| ask(&world, &environment, &[]));
        let head = answer(&server);
        (ended.join().unwrap().done(), head)
    });
    assert!(
        head.contains(&format!("authorization: Bearer {KEY}\r\n")),
        "{head}"
    );
    assert_secret(&world, &ended);
    configure("other");
    ask(&world, &environment, &[])
        .ends(1)
        .says("the keyring gave no key under \"other\"");
    ask(&world, &[("PATH", "/nowhere")], &[])
        .ends(1)
        .says(program);
}

/// OpenAI's key is for OpenAI's address.
#[test]
fn a_key_goes_only_where_it_belongs() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let head = std::thread::scope(|scope| {
        let ended = scope.spawn(|| {
            ask(
                &world,
                &[("OPENAI_API_KEY", KEY)],
                &["--url", &url, "--model", "m"],
            )
        });
        let head = answer(&server);
        ended.join().unwrap().done();
        head
    });
    assert!(!head.to_lowercase().contains("authorization"), "{head}");
}

/// Credentials within an address are no less secret.
#[test]
fn an_address_is_shown_without_its_password() {
    let world = World::new(&[]);
    let url = Server::nowhere().replace("http://", "http://me:hunter2@");
    let doctor = world.run(&["doctor", "--url", &url, "--model", "m"]).done();
    assert!(!doctor.stdout.contains("hunter2"), "{doctor:#?}");
    let bad = ask(
        &world,
        &[],
        &["--url", "http://me:hunter2@", "--model", "m"],
    )
    .ends(1);
    assert!(
        !bad.stderr.contains("hunter2") && !bad.stderr.is_empty(),
        "{bad:#?}"
    );
}

#[test]
fn a_file_that_is_not_understood_is_named() {
    let world = World::new(&[]);
    for (text, why) in [
        ("model = ", "config.toml"),
        ("modell = 'x'\n", "modell"),
        ("model = 3\n", "config.toml"),
    ] {
        world.configure(text);
        world.run(&["exec", "--offline", "help"]).ends(1).says(why);
        // What needs no model works all the same, and doctor says what is wrong.
        world.run(&["review"]).done();
        // What writes has to know how much of history is kept.
        world.run(&["approve", "--all"]).ends(1).says(why);
        world.run(&["doctor"]).says(why);
    }
}

#[test]
fn doctor_says_what_there_is() {
    let world = World::new(&[("a.txt", "a\n"), (".git/HEAD", "")]);
    world.stage(serde_json::json!([crate::world::section(
        "a.txt", "a", "b"
    )]));
    let findings = world.run(&["doctor", "--offline", "--json"]).done().json();
    let findings = findings["findings"].as_array().unwrap().clone();
    let text = |name: &str| {
        let finding = findings
            .iter()
            .find(|finding| finding["name"] == name)
            .unwrap();
        assert_eq!(finding["ok"], true, "{finding}");
        finding["text"].as_str().unwrap().to_owned()
    };
    assert!(text("workspace").ends_with("ws"));
    assert!(text("store").contains("1 hunks wait"));
    assert!(text("git").contains("a repository"));
    assert!(text("config").contains("not there"));
    assert!(text("model").contains("planner"));
    let down = Server::nowhere();
    world
        .run(&["doctor", "--url", &down])
        .done()
        .says("!!  model");
}
