//! What ends with `signoff`, however it ends: every process that a command has started.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use serde_json::json;

use crate::screen::Screen;
use crate::world::{DEADLINE, World};

/// Ways of a process to stay. Each says its name into the pipe `$1` once it runs, and keeps the
/// pipe open for as long as it lives.
const SURVIVE: &str = r#"
exec 9>"$1"
trap '' TERM HUP INT
(echo deaf >&9; sleep 1000) &
setsid sh -c 'echo session >&9; sleep 1000' &
env -i /usr/bin/setsid /bin/sh -c 'echo bare >&9; /bin/sleep 1000' &
(setsid sh -c '(setsid sh -c "trap \"\" TERM; echo forked >&9; sleep 1000" &) &' &)
nohup sh -c 'echo nohup >&9; sleep 1000' >/dev/null 2>&1 &
echo own >&9
sleep 1000
"#;
const NAMES: [&str; 6] = ["bare", "deaf", "forked", "nohup", "own", "session"];

/// The lines of a pipe; the end of them is the end of all who hold it.
struct Held(Receiver<String>);

impl Held {
    /// Makes the pipe, and a world whose command is to hold it.
    fn new() -> (World, String, Self) {
        let world = World::new(&[("survive.sh", SURVIVE)]);
        // A pipe of the test's cannot be reached from a shadow.
        world.runs_on_disk();
        let pipe = world.beside("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let command = format!("sh survive.sh {}", pipe.display());
        let call = json!({ "delta": "call", "name": "bash", "arguments": { "command": command } });
        let replay = world.beside("replay.jsonl");
        let line = json!({ "deltas": [call] });
        std::fs::write(&replay, line.to_string()).unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            let pipe = BufReader::new(File::open(pipe).unwrap());
            let _nobody_waits = pipe.lines().try_for_each(|line| sender.send(line.unwrap()));
        });
        (world, replay.to_str().unwrap().to_owned(), Self(lines))
    }

    /// Waits until every process runs.
    #[track_caller]
    fn all_run(&self) {
        let next = || self.0.recv_timeout(DEADLINE).unwrap();
        let mut names: Vec<String> = NAMES.iter().map(|_| next()).collect();
        names.sort();
        assert_eq!(names, NAMES);
    }

    /// Waits until none is left.
    #[track_caller]
    fn none_lives(&self, after: &str) {
        let said = self.0.recv_timeout(DEADLINE);
        assert_eq!(said, Err(RecvTimeoutError::Disconnected), "{after}");
    }
}

#[test]
fn nothing_that_a_command_started_outlives_exec() {
    for signal in ["TERM", "HUP", "INT", "QUIT", "KILL"] {
        let (world, replay, held) = Held::new();
        let running = world.start(&["exec", "--allow", "*", "--replay", &replay, "go"]);
        held.all_run();
        running.signal(signal);
        held.none_lives(signal);
    }
}

#[test]
fn nothing_that_a_command_started_outlives_the_interface() {
    for signal in ["TERM", "HUP", "INT", "KILL"] {
        let (world, replay, held) = Held::new();
        let mut screen = Screen::open(&world, &["--replay", &replay, "go"]);
        screen.shows("Allow bash?");
        screen.shows("y yes");
        screen.press("y");
        held.all_run();
        screen.signal(signal);
        held.none_lives(signal);
    }
}

/// What a command leaves behind ends with the command, also where it kills its supervisor first.
#[test]
fn nothing_outlives_a_command_that_is_over() {
    for last in ["exit 0", "kill -KILL $PPID; sleep 1000"] {
        let (world, replay, held) = Held::new();
        let leaving = SURVIVE.trim_end().trim_end_matches("sleep 1000");
        world.write("survive.sh", format!("{leaving}{last}\n"));
        let running = world.start(&["exec", "--allow", "*", "--replay", &replay, "go"]);
        let mut said = Vec::new();
        let end = loop {
            match held.0.recv_timeout(DEADLINE) {
                Ok(name) => said.push(name),
                Err(end) => break end,
            }
        };
        assert_eq!(end, RecvTimeoutError::Disconnected, "{last}: {said:?}");
        assert!(said.iter().any(|name| name == "own"), "{last}: {said:?}");
        drop(running);
    }
}

/// What still ends the processes of a run that was killed writes nothing into the layers: they may be another run's.
#[test]
fn what_ends_a_killed_run_says_nothing_to_the_next_one() {
    crate::run::in_each(&[("a.txt", "one\n")], |world, backend| {
        let many = "for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; echo started; wait";
        let mut running = world.start(&["run", "--", "sh", "-c", many]);
        running.line();
        running.signal("KILL");
        // At its end once nobody holds the streams, of which signoff and its stages have a part.
        running.end();
        let workspaces = std::fs::read_dir(world.beside("state/signoff/workspaces")).unwrap();
        let own = workspaces.flatten().next().unwrap().path();
        let said = std::fs::read_to_string(own.join("shadow/user/0/failure")).unwrap_or_default();
        assert_eq!(said, "", "{backend}");
        let next = crate::run::sh(&world, "echo two >> a.txt").done();
        assert!(next.stderr.contains("1 file"), "{backend}: {next:?}");
    });
}
