//! Configuration, and what must never come out of it: keys, prompts and files in logs, and a
//! workspace that says where they go.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::json;

use crate::screen::Screen;
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
fn a_workspace_can_forbid_to_write_at_once_and_lower_limits() {
    let world = World::new(&[("a.txt", "old\n")]);
    world.configure("write_through = true\n[turn]\nmax_requests = 9\n");
    world.write(
        ".signoff.toml",
        "write_through = false\n[turn]\nmax_requests = 1\nstop = 'turn-end'\n",
    );
    let exec = ["exec", "--json", "--offline", "--write-through"];
    let ended = world.run(&[&exec[..], &["replace \"old\" with \"new\" in a.txt"]].concat());
    let ended = ended.says("forbids to write at once");
    let ended = ended.says("`turn.stop` is ignored");
    let events = ended.events();
    let staged = events.iter().any(|event| event["type"] == "staged");
    assert!(staged, "{events:?}");
    assert_eq!(world.text("a.txt"), "old\n");
    let read = json!({ "delta": "call", "name": "read", "arguments": { "path": "a.txt" } });
    let again = format!("{}\n", json!({ "deltas": [read] })).repeat(4);
    let script = world.beside("script.jsonl");
    std::fs::write(&script, again).unwrap();
    let exec = ["exec", "--json", "--replay", script.to_str().unwrap(), "go"];
    let limits = |world: &World| {
        let events = world.run(&exec).ends(1).events();
        events
            .iter()
            .filter(|event| event["type"] == "call_done")
            .count()
    };
    assert_eq!(limits(&world), 1);
    world.write(".signoff.toml", "[turn]\nmax_requests = 90\n");
    world.configure("[turn]\nmax_requests = 2\n");
    assert_eq!(limits(&world), 2, "it cannot raise them");
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
    let ended = looked(
        doctor,
        &server,
        "401 Unauthorized",
        &format!("no such key: {KEY}"),
    );
    let ended = ended.says("key        set").says("answered 401");
    assert_secret(&world, &ended);
}

/// Lets `doctor` look at a server that answers so.
fn looked(doctor: Command, server: &Server, status: &str, body: &str) -> Ended {
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| finish(doctor, b""));
        let asked = server.next();
        assert!(asked.head.starts_with("GET "), "{}", asked.head);
        asked.refuse(status, "", body);
        ended.join().unwrap().done()
    })
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
    let doctor = looked(doctor, &server, "404 Not Found", "");
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
        let looked = world.run(&["doctor"]).done().says(why);
        // Nothing is said of what would be tried with it.
        assert!(
            looked.stdout.contains("not tried: the configuration"),
            "{looked:?}"
        );
        assert!(!looked.stdout.contains("run on the disk"), "{looked:?}");
    }
}

/// It stayed at "starting", took prompts, and ended with 0.
#[test]
fn the_interface_ends_with_what_is_wrong_with_a_file() {
    let world = World::new(&[]);
    for (text, why) in [
        ("[turn\n", "line 1, column 6: unclosed table, expected `]`"),
        (
            "modell = 'x'\n",
            "line 1, column 1: unknown field `modell` (did you mean `model`?)",
        ),
        (
            "[turn]\nmax_requests = 'x'\n",
            "line 2, column 16: invalid type: string, expected u32",
        ),
        (
            "\nhistory_limit = 0\n",
            "line 2, column 17: 0 is too few: give 1 or more",
        ),
        (
            "[[permissions]]\ntool = 'Bash'\naction = 'deny'\n",
            "line 2, column 8: `Bash` is no tool (did you mean `bash`?)",
        ),
    ] {
        world.configure(text);
        for flags in [&["--offline"][..], &["--offline", "--inline"], &["--plain"]] {
            let left = Screen::open(&world, flags).left();
            assert_eq!(left.code, 1, "{flags:?}: {}", left.contents);
            assert!(
                left.contents.contains(why) && left.contents.contains("config.toml is not"),
                "{flags:?}: {}",
                left.contents
            );
        }
    }
}

#[test]
fn errors_of_a_file_are_lines_without_values() {
    let world = World::new(&[(".signoff.toml", "offline = true\n[turn\n")]);
    let ended = world.run(&["exec", "help"]).ends(1);
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(
        lines[0].starts_with("signoff: ") && lines[0].ends_with(".signoff.toml is not understood")
    );
    assert_eq!(
        lines[1..],
        [
            "  line 2, column 6: unclosed table, expected `]`",
            "  2 | [turn"
        ]
    );
    world.write(".signoff.toml", "");
    world.configure(&format!("headers = '{KEY}'\n"));
    let indent = " ".repeat(15);
    for ended in [
        world.run(&["exec", "--offline", "help"]).ends(1),
        world
            .run(&["doctor", "--offline"])
            .done()
            .says(&format!("\n{indent}line 1, column 11: ")),
        world.run(&["doctor", "--offline", "--json"]).done(),
    ] {
        assert_secret(&world, &ended);
        ended.says("invalid type: string, expected a map");
    }
}

#[test]
fn doctor_tells_of_a_key_that_no_model_gets() {
    let world = World::new(&[]);
    let told = |name: &str, flags: &[&str], expected: &str| {
        let mut doctor = world.command(&[&["doctor"], flags].concat());
        doctor.env(name, KEY);
        let ended = finish(doctor, b"").done().says(expected);
        assert_secret(&world, &ended);
    };
    let keyless = "!!  config     a key";
    told(
        "ANTHROPIC_API_KEY",
        &[],
        &format!("{keyless} for Anthropic is set, but no model: name one with --model"),
    );
    told(
        "SIGNOFF_API_KEY",
        &[],
        &format!("{keyless} is set (SIGNOFF_API_KEY), but no model and no address"),
    );
    told(
        "SIGNOFF_API_KEY",
        &["--model", "m"],
        &format!("{keyless} is set (SIGNOFF_API_KEY), but no address"),
    );
    told("SIGNOFF_API_KEY", &[], "ok  key        none is used");
    let down = Server::nowhere();
    told(
        "SIGNOFF_API_KEY",
        &["--url", &down],
        "set; no model is named: the first that the server lists is asked",
    );
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
    assert!(text("store").contains("1 hunk waits, 0 entries"));
    assert!(text("git").contains("a repository"));
    assert!(text("config").contains("not there"));
    assert!(text("model").contains("planner"));
    let down = Server::nowhere();
    world
        .run(&["doctor", "--url", &down])
        .done()
        .says("!!  model");
}

#[test]
fn doctor_tells_what_answers_and_what_does_not() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let at = |url: &str| format!("m at {url}");
    let doctor = |url: &str| world.command(&["doctor", "--url", url, "--model", "m"]);
    let there = r#"{"data":[{"id":"first"},{"id":"m"}]}"#;
    for (status, body, expected) in [
        ("200 OK", there, "ok  model      "),
        ("200 OK", there, "answers and has this model"),
        (
            "200 OK",
            r#"{"data":[{"id":"n"}]}"#,
            "not among the 1 that it lists",
        ),
        ("200 OK", r#"{"data":[{"id":"n"}]}"#, "!!  model      "),
        ("404 Not Found", "", "ok  model      "),
        ("404 Not Found", "", "lists no models (404)"),
        ("401 Unauthorized", r#"{"error":"who?"}"#, "!!  model      "),
        ("503 Service Unavailable", "", "!!  model      "),
    ] {
        let ended = looked(doctor(&url), &server, status, body);
        ended.says(expected).says(&at(&url));
    }
    world.configure(&format!("[apply]\nurl = '{url}'\nmodel = 'small'\n"));
    let ended = looked(
        world.command(&["doctor", "--offline"]),
        &server,
        "200 OK",
        there,
    );
    ended.says(&format!(
        "!!  apply      small at {url} answers; this model is not among the 2 that it lists"
    ));
    let down = Server::nowhere();
    world.configure(&format!("[apply]\nurl = '{down}'\nmodel = 'small'\n"));
    let ended = finish(doctor(&down), b"").done();
    let ended = ended.says(&format!("!!  model      {}: cannot reach", at(&down)));
    ended.says(&format!("!!  apply      small at {down}: cannot reach"));
}

#[test]
fn doctor_tells_what_is_not_installed() {
    let world = World::new(&[]);
    world
        .configure("url = 'http://127.0.0.1:1'\nmodel = 'm'\napi_key_command = ['no-such-pass']\n");
    let mut doctor = world.command(&["doctor"]);
    doctor.env("EDITOR", "no-such-editor --wait");
    let ended = finish(doctor, b"").done();
    ended
        .says("!!  editor     no-such-editor --wait: not found")
        .says("!!  key        from the configured command, but no-such-pass is not installed");
    world.edit_by("true");
    let ended = world.run(&["doctor", "--offline"]).done();
    ended.says("ok  editor     ").says("ok  bash       ");
}

#[test]
fn the_log_tells_of_calls_and_is_for_the_user_alone() {
    let world = World::new(&[("a.txt", "old words and more of them in one line\n")]);
    let log = world.beside("state/signoff/signoff.log");
    world.run(&["review"]).done();
    world.set_mode(log.to_str().unwrap(), 0o644);
    let mut exec = world.command(&[
        "exec",
        "--offline",
        "replace \"words\" with \"terms\" in a.txt",
    ]);
    exec.env("SIGNOFF_LOG", "signoff_llm=trace");
    finish(exec, b"").done();
    let mode = std::fs::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let log = world.log();
    assert!(
        log.contains("call tool=edit_section ok=true took_ms="),
        "{log}"
    );
    assert!(
        log.contains("after=\"old terms and more of them in on\""),
        "{log}"
    );
    assert!(!log.contains("in one line"), "{log}");
}

#[test]
fn shells_and_man_know_every_command() {
    let world = World::new(&[]);
    let completions = world.run(&["completions", "bash"]).done();
    let manual = world.run(&["man"]).done();
    let help = world.run(&["help"]).done();
    let commands = help.stdout.split("Commands:\n").nth(1).unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let mut count = 0;
    // Long explanations go on in lines that begin further in.
    for line in commands.filter(|line| !line.starts_with("   ")) {
        let name = line.split_whitespace().next().unwrap();
        count += 1;
        if name == "help" {
            continue;
        }
        assert!(completions.stdout.contains(&format!(" {name} ")), "{name}");
        let heading = format!(".SH \"COMMAND {name}\"");
        assert!(manual.stdout.contains(&heading), "{name}");
    }
    assert!(count > 20, "{count}");
    world.run(&["completions", "cmd"]).ends(2);
}

#[test]
fn keys_are_listed_as_they_are_configured() {
    let world = World::new(&[
        ("a.txt", "a\n"),
        (".signoff.toml", "[keys.review]\ndeny = 'f9'\n"),
    ]);
    let line = |arguments: &[&str], action: &str| {
        let ended = world.run(arguments).done();
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut lines = ended.stdout.lines().map(words).collect::<Vec<_>>();
        lines.retain(|line| line.starts_with(action));
        lines.join("\n")
    };
    world.configure("[keys.review]\napprove = 'f5'\n");
    assert_eq!(
        line(&["keys"], "review approve "),
        "review approve F5 approve the hunk"
    );
    assert_eq!(
        line(&["keys", "--default"], "review approve "),
        "review approve a approve the hunk"
    );
    let deny = "review deny d deny the hunk, with a reason";
    assert_eq!(
        line(&["keys"], "review deny "),
        deny,
        "a workspace has no say"
    );
    world.configure("[keys.review]\napprove = 'f99'\n");
    let ended = world.run(&["keys"]).ends(1);
    let ended = ended.says("config.toml, line 2: `keys.review.approve`: `f99` is not a key");
    ended.says("the built-in keys hold");
}

#[test]
fn a_variable_for_the_key_that_is_not_set_is_named() {
    let world = World::new(&[]);
    let url = Server::nowhere();
    world.configure(&format!(
        "url = '{url}'\nmodel = 'm'\napi_key_env = 'NOPE_KEY'\n"
    ));
    let told = "!!  key        not set: `api_key_env` names NOPE_KEY";
    world.run(&["doctor"]).says(told);
}
