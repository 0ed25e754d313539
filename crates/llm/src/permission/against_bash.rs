//! Random command lines: what a rule allows must be what bash runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command as Process;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::{CommandLine, UNKNOWN};

/// What lines are made of: harmless pieces, and those that shells read in ways of their own.
const PIECES: &[&str] = &[
    "a",
    "b",
    "-x",
    "'q r'",
    "\"s t\"",
    " ",
    " ",
    " ",
    " ",
    "\t",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "#",
    "$?",
    "\"$?\"",
    "$a",
    "${a}",
    "$(b)",
    "`b`",
    "$'b'",
    "$\"b\"",
    "\\",
    "'",
    "\"",
    "*",
    "~",
    "{a,b}",
    "!",
    "<",
    ">",
    ">/dev/null",
    "2>&1",
    "=",
    "a=",
    "(",
    ")",
    "[",
    "]",
    "%",
    "^",
    "@",
    "+",
    "if",
    "time",
    "\u{a0}",
    "\u{c}",
    "\r",
    "$[1]",
    "a2>&1",
    ">&2",
    ",",
    ":",
    "..",
    "/",
    "x",
];

/// A program that writes down how it was called, in one write; each word ends with a unit separator.
const RECORDER: &str = "#!/bin/bash
printf -v call '%s\\037' \"${0##*/}\" \"$@\"
printf '%s\\n' \"$call\" >>\"$RECORD\"
";

fn lines() -> impl Strategy<Value = String> {
    let harmless = proptest::sample::select(&PIECES[..17]);
    let piece = prop_oneof![3 => harmless, 1 => proptest::sample::select(PIECES)];
    proptest::collection::vec(piece, 1..14).prop_map(|pieces| pieces.concat())
}

/// Returns the calls that bash makes of a line, sorted: those of a pipe run together.
fn run(folder: &Path, line: &str) -> Vec<String> {
    let record = folder.join("record");
    fs::write(&record, "").unwrap();
    let status = Process::new("/bin/bash")
        .args(["-c", line])
        .current_dir(folder.join("empty"))
        .env_clear()
        .env("PATH", folder.join("bin"))
        .env("RECORD", &record)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    status.unwrap();
    let text = fs::read_to_string(&record).unwrap();
    let mut calls: Vec<String> = text.lines().map(str::to_owned).collect();
    calls.sort();
    calls
}

#[test]
fn bash_runs_nothing_but_the_commands_that_a_rule_allows() {
    if Process::new("/bin/bash").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir_all(folder.path().join("empty")).unwrap();
    fs::create_dir_all(&bin).unwrap();
    for name in ["a", "b", "x", "q", "r", "s", "t"] {
        let path = bin.join(name);
        fs::write(&path, RECORDER).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let plain_lines = std::cell::Cell::new(0);
    runner
        .run(&lines(), |line| {
            let CommandLine { commands, is_plain } = CommandLine::read(&line);
            if !is_plain {
                return Ok(());
            }
            plain_lines.set(plain_lines.get() + 1);
            let mut allowed: Vec<String> = Vec::new();
            for command in &commands {
                let words = command.iter().map(|word| {
                    let known = if word.contains(UNKNOWN) { "?" } else { word };
                    format!("{known}\u{1f}")
                });
                allowed.push(words.collect());
            }
            for call in run(folder.path(), &line) {
                // An exit status is a number, whatever stands around it.
                prop_assert!(
                    allowed
                        .iter()
                        .any(|allowed| *allowed == call || allowed.contains('?')),
                    "{line:?} ran {call:?}"
                );
            }
            Ok(())
        })
        .unwrap();
    assert!(
        plain_lines.get() > 100,
        "{} lines were plain",
        plain_lines.get()
    );
}
