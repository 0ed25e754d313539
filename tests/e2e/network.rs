//! The network by host: what `signoff run --net HOST` and the model's commands reach, with a server on loopback, which only
//! `inside` makes a host.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::confined;
use crate::screen::Screen;
use crate::world::World;

/// Asks for a host by bash alone, and prints the status and what the host says to `hello`.
const ASK: &str = r"ask() {
exec 3<>/dev/tcp/127.0.0.1/1000; printf 'CONNECT %s HTTP/1.1\r\n\r\n' $1 >&3
read -r _ status _ <&3; said=; if [ $status = 200 ]; then read -r _ <&3; echo hello >&3; read -r said <&3; fi
exec 3>&-; echo got $status $said; }; ask ";

/// Starts a host that says again what it is told, and returns its port.
fn host() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = [0; 6];
            stream.read_exact(&mut line).unwrap();
            stream.write_all(&line).unwrap();
        }
    });
    port
}

/// Has the model run a command with the network, and say that it is done.
fn script(world: &World, target: &str) -> String {
    let command = json!({ "command": format!("{ASK}{target}"), "network": true });
    let call = json!({ "delta": "call", "name": "bash", "arguments": command.to_string() });
    let answers = [
        json!({ "deltas": [call] }),
        json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
    ];
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    replay.display().to_string()
}

#[test]
fn a_program_reaches_the_hosts_that_are_named_and_says_which() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let target = format!("localhost:{}", host());
    let ask = format!("{ASK}{target}");
    let run = |flags: &[&str]| {
        let command = ["--json", "--", "/bin/bash", "-c", &ask];
        world.run(&[&["run"], flags, &command].concat()).done()
    };
    // Named, and still on this machine.
    let ran = run(&["--net", &target]);
    assert!(ran.stdout.starts_with("got 403\n"), "{ran:?}");
    let why = "127.0.0.1 is this machine's loopback; `inside` below [network]";
    let why6 = why.replace("127.0.0.1", "::1");
    assert!(
        ran.stderr.contains(why) || ran.stderr.contains(&why6),
        "{ran:?}"
    );

    world.configure(&format!("[network]\ninside = [\"{target}\"]\n"));
    let ran = run(&["--net", "cargo,a.example"]);
    assert!(ran.stdout.starts_with("got 200 hello\n"), "{ran:?}");
    let told: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    let host = &told["network"][0];
    assert_eq!(
        (&host["host"], &host["connections"]),
        (&json!("localhost"), &json!(1))
    );
    assert_eq!(
        (&host["sent"], &host["verdict"]),
        (&json!(6), &json!("allowed"))
    );
    let line = "1 connection, 6 bytes received, 6 bytes sent, allowed by `inside localhost:";
    assert!(ran.stderr.contains(line), "{ran:?}");

    world.write(
        ".signoff.toml",
        "network.deny = [\"localhost:*\"]\nnetwork.allow = [\"npm\"]\n",
    );
    let ran = run(&["--net", &target]);
    assert!(ran.stdout.starts_with("got 403\n"), "{ran:?}");
    assert!(
        ran.stderr
            .contains("refused by `deny localhost:*` in [network] of the workspace's"),
        "{ran:?}"
    );

    let ran = world.run(&["run", "--net", "carg", "--", "true"]);
    ran.ends(125)
        .says("`carg` is no preset; presets are cargo, npm,");
}

#[test]
fn the_models_commands_reach_hosts_by_rules_and_read_why_not() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let target = format!("localhost:{}", host());
    world.configure(&format!("[network]\ninside = [\"{target}\"]\n"));
    let exec = |target: &str| {
        let replay = script(&world, target);
        world
            .run(&["exec", "--json", "--replay", &replay, "go"])
            .done()
            .stdout
    };
    let said = exec(&target);
    assert!(said.contains("got 200 hello"), "{said}");
    let said = exec("a.example:443");
    assert!(said.contains("got 403"), "{said}");
}

#[test]
fn always_is_written_down_and_nobody_is_asked_again() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let port = host();
    let target = format!("localhost:{port}");
    world.configure("# mine\n[network] # hosts\ndeny = ['ads.example']\n");
    let written =
        format!("# mine\n[network] # hosts\nallow = [\"{target}\"]\ndeny = ['ads.example']\n");
    let replay = script(&world, &target);
    let mut screen = Screen::open(&world, &["--replay", &replay, "go"]);
    screen.shows("Allow network?");
    screen.shows("s this session");
    screen.press("a");
    screen.shows("is allowed from now on, by [network] in");
    screen.shows("Done.");
    drop(screen);
    assert_eq!(world.configured(), written);
    let mut screen = Screen::open(&world, &["--replay", &replay, "go"]);
    screen.shows("Done.");
    assert!(!screen.contents().contains("Allow network?"));
    drop(screen);
    // The rule is why it was not asked about: it allows the host, at public addresses.
    let ask = format!("{ASK}{target}");
    let ran = world.run(&["run", "--net", "cargo", "--", "/bin/bash", "-c", &ask]);
    assert!(ran.stderr.contains("this machine's loopback"), "{ran:?}");
}

#[test]
fn a_program_at_a_terminal_waits_while_the_user_is_asked_about_a_host() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let target = format!("localhost:{}", host());
    let run = |world: &World, before: &str| {
        let line = format!("{before} {ASK}{target}; read -r typed; echo typed=$typed");
        Screen::open(world, &["run", "--", "/bin/bash", "-c", &line])
    };
    let question = format!("asks for {target}");
    for (answer, came) in [
        ("yes", "this machine's loopback"),
        ("no", "refused by the user"),
        ("always", "is allowed from now on, by [network] in"),
    ] {
        world.configure("# mine\n");
        let mut screen = run(&world, "printf begun;");
        screen.says(&question);
        screen.shows("begun\n");
        // No such word, and one that is taken back.
        screen.press("perhaps\r");
        screen.wait("the question again", |screen| {
            screen.contents().matches("or no?").count() == 2
        });
        screen.press(&format!("x\u{7f}{answer}\r"));
        screen.shows("got 403");
        // The keys are the program's again.
        screen.press("more\r");
        screen.shows("typed=more");
        screen.says(came);
        let left = screen.left();
        assert_eq!(left.code, 0, "{}", left.contents);
        let expected = if answer == "always" {
            format!("# mine\n\n[network]\nallow = [\"{target}\"]\n")
        } else {
            "# mine\n".to_owned()
        };
        assert_eq!(world.configured(), expected);
    }
    // What was allowed for good is no question, without `--net` as well.
    let mut screen = run(&world, "");
    screen.shows("got 403");
    screen.press("more\r");
    screen.says("this machine's loopback");
    assert!(!screen.left().raw.contains("or no?"));
}

#[test]
fn a_program_that_has_the_terminal_is_not_interrupted_and_the_option_is_named() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let named = "`signoff run --net cargo,localhost:9` allows what no rule does";
    for before in ["stty -echo;", "stty -icanon;", "printf '\\e[?1049h';"] {
        let line = format!("{before} {ASK}localhost:9");
        let arguments = ["run", "--net", "cargo", "--", "/bin/bash", "-c", &line];
        let mut screen = Screen::open(&world, &arguments);
        screen.says(named);
        let left = screen.left();
        assert!(!left.raw.contains("or no?"), "{}", left.raw);
        assert!(left.raw.contains("you were not asked"), "{}", left.raw);
    }
    let line = format!("{ASK}localhost:9");
    let ran = world.run(&["run", "--net", "cargo", "--", "/bin/bash", "-c", &line]);
    assert!(ran.stderr.contains(named), "{ran:?}");
    assert!(!ran.stderr.contains("you were not asked"), "{ran:?}");
    let ran = world.run(&["run", "--", "/bin/bash", "-c", &line]);
    let named = "`signoff run --net localhost:9` allows";
    assert!(ran.stderr.contains(named), "{ran:?}");
}

#[test]
fn a_question_ends_with_the_program_that_asks() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let line = format!("{ASK}localhost:9; read -r typed");
    let open = || {
        let mut screen = Screen::open(&world, &["run", "--", "/bin/bash", "-c", &line]);
        screen.shows("or no?");
        screen
    };
    let screen = open();
    screen.signal("TERM");
    let left = screen.left();
    assert_eq!(left.code, 143);
    assert!(!left.contents.contains("not asked"), "{}", left.contents);
    // Ctrl-C refuses, and is the program's as well.
    let mut screen = open();
    screen.press("\u{3}");
    assert_eq!(screen.left().code, 130);
}

#[test]
fn a_configuration_that_cannot_be_written_is_said_and_the_session_has_the_host() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let target = format!("localhost:{}", host());
    world.configure("");
    let replay = script(&world, &target);
    let mut screen = Screen::open(&world, &["--replay", &replay, "go"]);
    screen.shows("Allow network?");
    screen.shows("a always");
    // Somebody else is at it.
    world.configure("[network\n");
    screen.press("a");
    screen.shows("is allowed until you quit, and was not written");
    screen.shows("Done.");
    assert_eq!(world.configured(), "[network\n");
}

#[test]
fn a_program_that_used_no_proxy_is_told_apart_from_one_that_was_refused() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let exec = |before: &str| {
        let command = format!("{before}echo 'Error: getaddrinfo EAI_AGAIN a.example'; exit 1");
        let command = json!({ "command": command, "network": true });
        let call = json!({ "delta": "call", "name": "bash", "arguments": command.to_string() });
        let replay = world.beside("replay.jsonl");
        let answers = [
            json!({ "deltas": [call] }),
            json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
        ];
        fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
        let replay = replay.display().to_string();
        let run = ["exec", "--json", "--replay", &replay, "go"];
        world.run(&run).done().stdout
    };
    let told = "looked a.example up itself";
    let said = exec("");
    assert!(said.contains(told), "{said}");
    let said = exec(&format!("{ASK}a.example:443; "));
    assert!(!said.contains(told), "{said}");
}

#[test]
fn the_user_is_asked_once_about_a_host_that_no_rule_is_about() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let target = format!("localhost:{}", host());
    let twice = format!("{target}; ask {target}");
    let replay = script(&world, &twice);
    let mut screen = Screen::open(&world, &["--replay", &replay, "go"]);
    screen.shows("Allow network?");
    screen.shows(&target);
    screen.shows("y yes");
    screen.press("y");
    // What the user allows is a host of the public network all the same.
    screen.shows("Done.");
    assert!(!screen.contents().contains("Allow network?"));
}
