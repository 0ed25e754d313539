//! Services: programs in the shadow with pipes, that end with whoever started them.
//!
//! Without a harness, because the supervisor and the stages of the shadow are this executable, run anew.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a test without a harness"
)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signoff_source::file::{ProgramBase, ProgramContent, ProgramFile};
use signoff_verify::language_server::{
    Client, FileOperation, LanguageServer, ServerFault, Target, Wait,
};
use signoff_verify::process::{Ended, Limits, Pipes};
use signoff_verify::shadow::{self, Launch, Origin, Service, Setup, Shadow, run_fed};
use signoff_verify::supervisor;

/// First argument of a process that starts a service and is killed.
const HOLD: &str = "--hold";
/// First argument of a process that is a language server.
const SERVE: &str = "--serve";
/// What a loop waits for at most.
const LONG: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    if let Some(code) = supervisor::enter(std::env::args_os()) {
        return code.into();
    }
    let words: Vec<_> = std::env::args().collect();
    if words.get(1).is_some_and(|word| word == SERVE) {
        serve();
        return ExitCode::SUCCESS;
    }
    if let [_, hold, folder, mark] = words.as_slice()
        && hold == HOLD
    {
        hold_service(Path::new(folder), mark);
        return ExitCode::SUCCESS;
    }
    let place = Place::new();
    if let Err(why) = shadow::probe(&place.setup) {
        untried(&format!("services: {why}"));
        return ExitCode::SUCCESS;
    }
    for (name, case) in CASES {
        case(&place);
        println!("test services {name} ... ok");
    }
    ExitCode::SUCCESS
}

/// What is tried in a workspace.
type Case = fn(&Place);

const CASES: [(&str, Case); 7] = [
    (
        "a_language_server_answers_about_staged_texts",
        server_answers,
    ),
    ("a_language_server_that_dies_is_an_error", server_dies),
    ("sees_what_is_staged_and_answers", sees_and_answers),
    ("says_how_it_ended", says_how_it_ended),
    ("leaves_nothing_when_dropped", leaves_nothing),
    ("ends_with_a_process_that_is_killed", ends_with_its_process),
    (
        "runs_to_its_end_with_an_input",
        a_fed_program_is_ended_and_bounded,
    ),
];

/// A workspace, and the setup of shadows of it.
struct Place {
    folder: tempfile::TempDir,
    setup: Setup,
}

impl Place {
    fn new() -> Self {
        // Not in a temporary folder of the system, of which programs have one of their own.
        let folder = tempfile::tempdir_in(own_folder()).expect("a folder");
        let setup = setup(folder.path());
        fs::create_dir(&setup.root).expect("a folder");
        fs::create_dir(&setup.home).expect("a folder");
        fs::write(setup.root.join("a.txt"), "disk\n").expect("a file");
        Self { folder, setup }
    }

    /// Starts a script as a service, with `staged\n` for the text of `a.txt`.
    fn start(&self, script: &str) -> (Service, Pipes) {
        let mut own = Shadow::open(self.setup.clone(), Origin::LanguageServers).expect("a slot");
        let staged = ProgramFile {
            path: "a.txt".to_owned(),
            content: Some(ProgramContent::File {
                bytes: b"staged\n".to_vec(),
                mode: None,
            }),
            base: ProgramBase::Current,
            folders_gone: 0,
        };
        own.stage(vec![staged]).expect("room");
        start(own, script)
    }
}

fn setup(folder: &Path) -> Setup {
    let root = folder.join("workspace");
    Setup {
        parent: None,
        layers: folder.join("layers"),
        under: None,
        folder: root.clone(),
        root,
        network: false,
        home: folder.join("home"),
        caches: Vec::new(),
        shown: Vec::new(),
        placed: Vec::new(),
        texts: Vec::new(),
        replaced: Vec::new(),
        hidden: Vec::new(),
        reserved: Default::default(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
    }
}

fn start(shadow: Shadow, script: &str) -> (Service, Pipes) {
    let arguments: [OsString; 2] = ["-c".into(), script.into()];
    let launch = Launch {
        name: OsStr::new("/bin/bash"),
        arguments: &arguments,
        folder: None,
        variables: &[],
    };
    Service::start(shadow, &launch).expect("it starts")
}

fn sees_and_answers(place: &Place) {
    let script = "cat a.txt; while read -r line; do echo \"got $line\"; echo \"$line\" > a.txt; done; cat a.txt >&2";
    let (service, pipes) = place.start(script);
    let Pipes {
        mut input,
        output,
        mut errors,
    } = pipes;
    let mut lines = BufReader::new(output).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    assert_eq!(line(), "staged");
    for word in ["one", "two"] {
        writeln!(input, "{word}").expect("it reads");
        assert_eq!(line(), format!("got {word}"));
    }
    drop(input);
    let mut said = String::new();
    errors.read_to_string(&mut said).expect("text");
    assert_eq!(said, "two\n");
    let (ended, shadow) = service.end(LONG).expect("it says how");
    assert_eq!(ended, Ended::Exit(0));
    assert_eq!(shadow.failure(), None);
    let disk = fs::read_to_string(place.setup.root.join("a.txt"));
    assert_eq!(disk.expect("a text"), "disk\n");
    drop(shadow);
    // The next one finds what is staged, not what this one wrote.
    let (_service, pipes) = place.start("cat a.txt");
    let mut text = String::new();
    let mut output = pipes.output;
    output.read_to_string(&mut text).expect("text");
    assert_eq!(text, "staged\n");
}

fn says_how_it_ended(place: &Place) {
    for (script, grace, expected) in [
        ("echo; exit 3", LONG, Ended::Exit(3)),
        ("echo; sleep 1000", Duration::ZERO, Ended::Signal(9)),
        ("trap 'exit 4' TERM; echo; read -r _", LONG, Ended::Exit(4)),
    ] {
        let (mut service, mut pipes) = place.start(script);
        pipes.output.read_exact(&mut [0]).expect("a line");
        let over = std::cell::RefCell::new(&mut service);
        wait_until(|| script != "echo; exit 3" || over.borrow_mut().is_over());
        let (ended, _shadow) = service.end(grace).expect("it says how");
        assert_eq!(ended, expected, "{script}");
    }
}

fn leaves_nothing(place: &Place) {
    let mark = mark();
    let script = format!("setsid sleep {mark} & sleep {mark} & echo; read -r _");
    let (service, mut pipes) = place.start(&script);
    pipes.output.read_exact(&mut [0]).expect("a line");
    drop(service);
    assert_eq!(with_argument(&mark), Vec::<PathBuf>::new());
    // What it has left is told to whoever writes.
    let written = pipes.input.write_all(b"x");
    assert!(written.is_err());
}

fn ends_with_its_process(place: &Place) {
    let mark = mark();
    let own = std::env::current_exe().expect("this program");
    let mut holder = Command::new(own)
        .arg(HOLD)
        .arg(place.folder.path())
        .arg(&mark)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = holder.stdout.take().expect("a pipe");
    output.read_exact(&mut [0]).expect("a line");
    // The shell goes on before its child has become the program.
    wait_until(|| !with_argument(&mark).is_empty());
    holder.kill().expect("it runs");
    holder.wait().expect("it ends");
    wait_until(|| with_argument(&mark).is_empty());
}

/// A program that is given input ends by itself or is ended, whatever it does with its streams.
fn a_fed_program_is_ended_and_bounded(place: &Place) {
    let long = "x".repeat(1 << 20);
    let long = long.as_str();
    let short = Duration::from_millis(300);
    for (script, input, timeout, stopped, ended, out) in [
        ("cat", "word", LONG, false, Ended::Exit(0), "word"),
        (
            "wc -c; exit 2",
            long,
            LONG,
            false,
            Ended::Exit(2),
            "1048576\n",
        ),
        // It does not read its input.
        ("echo a", long, LONG, false, Ended::Exit(0), "a\n"),
        (
            "exec <&- >&- 2>&-; exit 7",
            long,
            LONG,
            false,
            Ended::Exit(7),
            "",
        ),
        ("sleep 1000", "", short, false, Ended::TimedOut, ""),
        ("sleep 1000", "", LONG, true, Ended::Stopped, ""),
        (
            "yes",
            "",
            short,
            false,
            Ended::TimedOut,
            "y\ny\ny\ny\n... (truncated)",
        ),
    ] {
        let mut own = Shadow::open(place.setup.clone(), Origin::Hooks).expect("a slot");
        own.stage(Vec::new()).expect("room");
        let arguments: [OsString; 2] = ["-c".into(), script.into()];
        let launch = Launch {
            name: OsStr::new("/bin/bash"),
            arguments: &arguments,
            folder: None,
            variables: &[],
        };
        let limits = Limits {
            timeout,
            most_bytes: 8,
        };
        let stop = AtomicBool::new(stopped);
        let ran = run_fed(own, &launch, input.into(), limits, &stop);
        let (report, _shadow) = ran.expect("it runs");
        assert_eq!(report.ended, ended, "{script}");
        assert_eq!(report.out.text(), out, "{script}");
    }
}

/// Waits for what comes by itself.
fn wait_until(is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + LONG;
    while !is_done() {
        assert!(Instant::now() < deadline, "it does not come");
        std::thread::yield_now();
    }
}

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
                let at = |character| json!({"line": 0, "character": character});
                let uri = message["params"]["textDocument"]["uri"]
                    .as_str()
                    .expect("a file");
                let range = json!({"start": at(5), "end": at(8)});
                json!({"changes": {uri: [{"range": range, "newText": message["params"]["newName"]}]}})
            }
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
        write!(output, "Content-Length: {}\r\n\r\n{answer}", answer.len()).expect("room");
        output.flush().expect("room");
    }
}

/// Starts a service that ends only with this process.
fn hold_service(folder: &Path, mark: &str) {
    let mut own = Shadow::open(setup(folder), Origin::ToolServers).expect("a slot");
    own.stage(Vec::new()).expect("room");
    let script = format!("trap '' TERM; sleep {mark} & echo; wait");
    let (_service, mut pipes) = start(own, &script);
    pipes.output.read_exact(&mut [0]).expect("a line");
    println!();
    // Until it is killed.
    let _end = pipes.output.read(&mut [0]);
}

/// Returns a number of seconds that no other program sleeps.
fn mark() -> String {
    format!("{}.7", 100_000 + std::process::id())
}

/// Returns the processes with an argument.
fn with_argument(word: &str) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").expect("a listing").flatten();
    let has_it = |path: &PathBuf| {
        fs::read(path.join("cmdline")).is_ok_and(|line| {
            line.split(|byte| *byte == 0)
                .any(|own| own == word.as_bytes())
        })
    };
    let sleeps = |path: &PathBuf| {
        fs::read(path.join("cmdline")).is_ok_and(|line| line.starts_with(b"sleep"))
    };
    let paths = processes.map(|entry| entry.path());
    paths.filter(sleeps).filter(has_it).collect()
}

/// Returns the folder for what tests leave.
fn own_folder() -> PathBuf {
    let named = std::env::var_os("SIGNOFF_UNTRIED");
    named.map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from)
}

/// Records that something was not tried, where the test `untried` finds it.
fn untried(what: &str) {
    let folder = own_folder().join("untried");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(std::process::id().to_string());
    let mut file = fs::File::options()
        .create(true)
        .append(true)
        .open(file)
        .expect("a file");
    writeln!(file, "{what}").expect("room");
    println!("untried: {what}");
}
