//! Language servers: programs in the shadow that are asked about what is staged.
//!
//! Without a harness, because the supervisor and the stages of the shadow are this executable, run anew.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a test without a harness"
)]

#[path = "../../../sandbox/tests/services/place.rs"]
mod place;

use std::io::{BufRead as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::{Value, json};
use signoff_checks::language_server::{
    Client, FileOperation, LanguageServer, ServerFault, Target, Wait,
};
use signoff_sandbox::shadow::{Launch, Origin, Shadow};
use signoff_sandbox::supervisor;

use place::{Case, LONG, Place, wait_until};

/// First argument of a process that is a language server.
const SERVE: &str = "--serve";

fn main() -> ExitCode {
    if let Some(code) = supervisor::enter(std::env::args_os()) {
        return code.into();
    }
    if std::env::args().nth(1).is_some_and(|word| word == SERVE) {
        serve();
        return ExitCode::SUCCESS;
    }
    place::try_all("language servers", &CASES)
}

const CASES: [(&str, Case); 2] = [
    (
        "a_language_server_answers_about_staged_texts",
        server_answers,
    ),
    ("a_language_server_that_dies_is_an_error", server_dies),
];

/// Starts this program as a language server in the shadow.
fn language_server(place: &Place) -> Result<Client, ServerFault> {
    let own = std::env::current_exe().expect("this program");
    let mut setup = place.setup.clone();
    setup.shown = vec![own.clone()];
    let mut shadow = Shadow::open(setup, Origin::LanguageServers).expect("a slot");
    shadow.stage(Vec::new()).expect("room");
    let launch = Launch {
        name: own.as_os_str(),
        arguments: &[SERVE.into()],
        folder: None,
        variables: &[],
    };
    Client::start(shadow, LanguageServer::Go, &launch, patient())
}

fn patient() -> Wait<'static> {
    static GOES_ON: AtomicBool = AtomicBool::new(false);
    Wait {
        deadline: Instant::now() + LONG,
        stop: &GOES_ON,
    }
}

fn server_answers(place: &Place) {
    let mut client = language_server(place).expect("it starts");
    client
        .send_text("a.go", "func old() {}\n")
        .expect("it reads");
    let target = Target {
        path: "a.go".to_owned(),
        line: 1,
        name: "old".to_owned(),
    };
    let edited = client.rename(&target, "new", &|_| None, patient());
    let edited = edited.expect("an edit");
    let [(path, FileOperation::Write(file))] = edited.iter().collect::<Vec<_>>()[..] else {
        panic!("{edited:?}");
    };
    assert_eq!(
        (path.as_str(), file.text.as_str()),
        ("a.go", "func new() {}\n")
    );
    assert!(!place.setup.root.join("a.go").exists());
}

fn server_dies(place: &Place) {
    let mut client = language_server(place).expect("it starts");
    client
        .send_text("a.go", "func old() {}\n")
        .expect("it reads");
    let target = Target {
        path: "a.go".to_owned(),
        line: 1,
        name: "func".to_owned(),
    };
    let fault = client.rename(&target, "die", &|_| None, patient());
    let fault = fault.expect_err("it dies").to_string();
    assert_eq!(fault, "the language server ended: it is too much");
    wait_until_over(&mut client);
}

fn wait_until_over(client: &mut Client) {
    let client = std::cell::RefCell::new(client);
    wait_until(|| client.borrow_mut().is_over());
}

/// Is a language server that renames what is at column 5 of a file's first line, and dies where that is to be `die`.
fn serve() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).expect("text") == 0 {
                return;
            }
            match line.trim().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a length"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).expect("a body");
        let message: Value = serde_json::from_slice(&body).expect("a message");
        let result = match message["method"].as_str() {
            Some("initialize") => json!({"capabilities": {}}),
            Some("textDocument/rename") if message["params"]["newName"] == "die" => {
                std::io::stderr()
                    .write_all(b"it is too much\n")
                    .expect("room");
                return;
            }
            Some("textDocument/rename") => {
                let uri = message["params"]["textDocument"]["uri"]
                    .as_str()
                    .expect("a file");
                let range = json!({"start": position(5), "end": position(8)});
                json!({"changes": {uri: [{"range": range, "newText": message["params"]["newName"]}]}})
            }
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
        write!(output, "Content-Length: {}\r\n\r\n{answer}", answer.len()).expect("room");
        output.flush().expect("room");
    }
}

fn position(character: usize) -> Value {
    json!({"line": 0, "character": character})
}
