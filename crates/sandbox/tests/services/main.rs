//! Services: programs in the shadow with pipes, that end with whoever started them.
//!
//! Without a harness, because the supervisor and the stages of the shadow are this executable, run anew.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a test without a harness"
)]

mod brokered;
mod place;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signoff_sandbox::process::{Ended, Limits, Pipes};
use signoff_sandbox::shadow::{Launch, Origin, Service, Shadow, run_fed};
use signoff_sandbox::supervisor;
use signoff_source::file::{ProgramBase, ProgramContent, ProgramFile};

use place::{Case, LONG, Place, setup, wait_until};

/// First argument of a process that starts a service and is killed.
const HOLD: &str = "--hold";

fn main() -> ExitCode {
    if let Some(code) = supervisor::enter(std::env::args_os()) {
        return code.into();
    }
    let words: Vec<_> = std::env::args().collect();
    if let [_, hold, folder, mark] = words.as_slice()
        && hold == HOLD
    {
        hold_service(Path::new(folder), mark);
        return ExitCode::SUCCESS;
    }
    place::try_all("services", &CASES)
}

const CASES: [(&str, Case); 6] = [
    ("sees_what_is_staged_and_answers", sees_and_answers),
    ("says_how_it_ended", says_how_it_ended),
    ("leaves_nothing_when_dropped", leaves_nothing),
    ("ends_with_a_process_that_is_killed", ends_with_its_process),
    (
        "runs_to_its_end_with_an_input",
        a_fed_program_is_ended_and_bounded,
    ),
    (
        "reaches_only_the_hosts_of_its_rules",
        brokered::reaches_only_the_hosts_of_its_rules,
    ),
];

impl Place {
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
        .arg(place.setup.root.parent().expect("a folder"))
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
            "yes | head -c 100000; sleep 1000",
            "",
            short,
            false,
            Ended::TimedOut,
            "y\ny\n... (99994 bytes left out)\ny\n",
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
    let paths = processes.map(|entry| entry.path());
    paths
        .filter(|path| fs::read(path.join("cmdline")).is_ok_and(|line| line.starts_with(b"sleep")))
        .filter(|path| {
            fs::read(path.join("cmdline")).is_ok_and(|line| {
                line.split(|byte| *byte == 0)
                    .any(|own| own == word.as_bytes())
            })
        })
        .collect()
}
