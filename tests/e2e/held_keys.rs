//! Keys that agents use and do not have: a scripted agent asks its service by a placeholder, and looks for the key in everything
//! that it can read.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::confined;
use crate::untried::untried;
use crate::world::{Ended, World, finish};

const KEY: &str = "sk-test-Qx7Lw2Zk9Vn4Rb8Tj5Hd3Mf6Py";

/// Asks the service, and says how often a pattern is in files, environments and memory. The pattern has each character in
/// brackets, so that this process does not hold what it looks for.
const AGENT: &str = r#"
import glob, http.client, os, re, sys, urllib.parse
pattern = re.compile(sys.argv[1].encode())
address = urllib.parse.urlsplit(os.environ[sys.argv[2]])
connection = http.client.HTTPConnection(address.hostname, address.port)
def ask(path, headers):
    connection.request("POST", path, "{}", headers)
    answer = connection.getresponse()
    text = str(answer.headers) + answer.read().decode()
    connection.close()
    return answer.status, text
name = "x-api-key" if sys.argv[3].startswith("ANTHROPIC") else "Authorization"
own = os.environ.get(sys.argv[3], "")
value = own if name == "x-api-key" else "Bearer " + own
status, text = ask(address.path + "/asked", {name: value})
print("asked", status, "*" * 34 in text)
print("unknown", ask("/", {name: value + "x"})[0])
def found(read):
    try:
        return len(pattern.findall(read()))
    except OSError:
        return 0
def memory(process):
    with open(process + "/maps") as maps, open(process + "/mem", "rb", 0) as held:
        for line in maps:
            start, end = (int(at, 16) for at in line.split()[0].split("-"))
            if "r" == line.split()[1][0] and "[v" not in line:
                try:
                    held.seek(start)
                    yield held.read(end - start)
                except (OSError, OverflowError, ValueError):
                    pass
count, seen = 0, 0
for process in glob.glob("/proc/[0-9]*"):
    count += found(lambda: open(process + "/environ", "rb").read())
    count += found(lambda: open(process + "/cmdline", "rb").read())
    try:
        for piece in memory(process):
            seen += 1
            count += len(pattern.findall(piece))
    except OSError:
        pass
for top in [os.environ["HOME"], os.getcwd(), "/tmp", "/run", "/var/tmp", "/dev/shm"]:
    for folder, _, files in os.walk(top):
        for file in files:
            count += found(lambda: open(os.path.join(folder, file), "rb").read(1 << 24))
print("found", count, seen > 10)
"#;

/// Starts a service that repeats what it was sent in a header and in its answer. Returns its port, and what it was sent.
fn service() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sent, received) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut head, mut piece) = (Vec::new(), [0; 1024]);
            while !head.ends_with(b"{}") {
                let read = stream.read(&mut piece).unwrap();
                head.extend_from_slice(&piece[..read]);
            }
            let head = String::from_utf8(head).unwrap();
            let echo = head.replace("\r\n", " ");
            let answer = format!("HTTP/1.1 200 OK\r\nX-Echo: {echo}\r\n\r\n{head}");
            stream.write_all(answer.as_bytes()).unwrap();
            sent.send(head).unwrap();
        }
    });
    (port, received)
}

fn in_brackets(text: &str) -> String {
    text.chars().map(|c| format!("[{c}]")).collect()
}

/// Runs the agent with these variables; `has` is the one with its placeholder, and `pattern` what it looks for.
fn run(
    world: &World,
    flags: &[&str],
    pattern: &str,
    names: [&str; 2],
    set: &[(&str, &str)],
) -> Ended {
    let script = world.beside("agent.py");
    fs::write(&script, AGENT).unwrap();
    let [address, has] = names;
    let script = fs::read_to_string(script).unwrap();
    let agent = ["--", "python3", "-c", &script, pattern, address, has];
    let mut command = world.command(&[&["run"], flags, &agent].concat());
    command.envs(set.iter().copied());
    finish(command, b"")
}

#[test]
fn no_process_of_an_agent_holds_the_key_that_it_uses() {
    let Some(world) = confined::world(&[("a.txt", "one\n")]) else {
        return;
    };
    let mut python = Command::new("python3");
    if python
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        untried("keys of agents", "there is no python3");
        return;
    }
    let (port, received) = service();
    let home = |path: &str| world.beside("home").join(path);
    for (path, text) in [
        (
            ".codex/auth.json",
            format!("{{\"OPENAI_API_KEY\": \"{KEY}\"}}"),
        ),
        (
            ".claude.json",
            format!(
                "{{\"customApiKeyResponses\": {{\"approved\": [\"{}\"]}}}}",
                &KEY[KEY.len() - 20..]
            ),
        ),
        (".gemini/.env", format!("GEMINI_API_KEY={KEY}\n")),
        (
            "../data/opencode/auth.json",
            format!("{{\"openai\": {{\"type\": \"api\", \"key\": \"{KEY}\"}}}}"),
        ),
    ] {
        fs::create_dir_all(home(path).parent().unwrap()).unwrap();
        fs::write(home(path), text).unwrap();
    }
    let address = format!("http://127.0.0.1:{port}/base");
    let found = in_brackets(&KEY[KEY.len() - 20..]);
    for (option, word, names) in [
        (
            "--agent",
            "claude",
            ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"],
        ),
        ("--agent", "codex", ["OPENAI_BASE_URL", "CODEX_API_KEY"]),
        (
            "--agent",
            "gemini",
            ["GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"],
        ),
        ("--agent", "opencode", ["OPENAI_BASE_URL", "OPENAI_API_KEY"]),
        (
            "--key",
            "anthropic",
            ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"],
        ),
        ("--key", "openai", ["OPENAI_BASE_URL", "OPENAI_API_KEY"]),
        (
            "--key",
            "gemini",
            ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY"],
        ),
    ] {
        let set = [(names[0], address.as_str()), (names[1], KEY)];
        for hosts in [&[][..], &["--net", "a.example"]] {
            let flags = [&[option, word], hosts].concat();
            let ran = run(&world, &flags, &found, names, &set);
            assert_eq!(
                ran.stdout, "asked 200 True\nunknown 400\nfound 0 True\n",
                "{flags:?}: {}",
                ran.stderr
            );
            let head = received.recv().unwrap();
            assert!(head.starts_with("POST /base/asked HTTP/1.1\r\n"), "{head}");
            assert!(head.contains(KEY) && !head.contains("signoff-"), "{head}");
            let told = format!("network: 127.0.0.1:{port}: 1 connection, ");
            assert!(ran.stderr.contains(&told), "{}", ran.stderr);
            let told = format!("allowed by the key in {}", names[1]);
            assert!(ran.stderr.contains(&told), "{}", ran.stderr);
        }
        // What is looked for would be found.
        let flags = [option, word];
        let ran = run(&world, &flags, "signoff-[0-9a-f]{64}", names, &set);
        assert!(
            ran.stdout.contains("asked 200") && !ran.stdout.contains("found 0"),
            "{ran:?}"
        );
        received.recv().unwrap();
    }
}

#[test]
fn a_program_uses_only_the_keys_that_are_named_and_there() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let run = |flags: &[&str]| {
        let shell = [
            "--",
            "sh",
            "-c",
            "echo $OPENAI_API_KEY:$OPENAI_BASE_URL:$ANTHROPIC_API_KEY",
        ];
        let mut command = world.command(&[&["run"], flags, &shell].concat());
        command
            .env("OPENAI_API_KEY", KEY)
            .env("ANTHROPIC_API_KEY", KEY);
        finish(command, b"")
    };
    assert_eq!(run(&[]).stdout, "::\n");
    let ran = run(&["--key", "openai"]);
    assert!(ran.stdout.starts_with("signoff-"), "{ran:?}");
    assert!(
        ran.stdout.ends_with(":http://127.0.0.1:1000/v1:\n"),
        "{ran:?}"
    );
    let ran = run(&["--key", "gemini"]);
    ran.ends(125)
        .says("there is no key for `--key gemini`: set GEMINI_API_KEY or GOOGLE_API_KEY");
    let ran = run(&["--key", "openai", "--env", "OPENAI_API_KEY"]);
    ran.ends(125).says("there is no key for `--key openai`");
    let ran = run(&["--key", "other"]);
    ran.ends(2).says("services are openai, anthropic, gemini");
}

#[test]
fn the_users_rules_and_word_go_before_a_key() {
    let Some(world) = confined::world(&[]) else {
        return;
    };
    let run = |flags: &[&str], key: &str| {
        let shell = [
            "--",
            "sh",
            "-c",
            "echo $ANTHROPIC_API_KEY $ANTHROPIC_BASE_URL",
        ];
        let mut command = world.command(&[&["run", "--agent", "claude"], flags, &shell].concat());
        command.env("ANTHROPIC_API_KEY", key);
        finish(command, b"")
    };
    let ran = run(&["--env", "ANTHROPIC_API_KEY"], KEY);
    assert_eq!(ran.stdout, format!("{KEY}\n"), "{ran:?}");
    let ran = run(&["--net", "a.example"], KEY);
    assert!(ran.stdout.ends_with(" http://127.0.0.1:1000\n"), "{ran:?}");
    let ran = run(&[], "a b");
    ran.ends(125)
        .says("the key in ANTHROPIC_API_KEY cannot be sent");
}
