//! A workspace with five files to be changed together, that can be put back as it was.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::tracer::{Fault, Run, trace};

const FILES: [&str; 5] = ["a.txt", "b.txt", "c.txt", "d/new.txt", "e.txt"];

/// Which of their two texts the files have, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Old,
    New,
}

/// A workspace, its store, and a copy of both.
pub(crate) struct Place {
    folder: TempDir,
    changeset: String,
}

impl Place {
    /// Returns a workspace in which five changes wait: three modify, one creates, one deletes.
    pub(crate) fn staged() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            changeset: String::new(),
        };
        fs::create_dir_all(place.live("ws")).unwrap();
        for file in FILES {
            if let Some(text) = text(file, State::Old) {
                fs::write(place.file(file), text).unwrap();
            }
        }
        let edit = |file: &str| json!({ "file": file, "section": { "edits": [{ "old_text": "old", "new_text": "new" }] } });
        let payload = json!({ "changes": [
            edit("a.txt"), edit("b.txt"), edit("c.txt"),
            { "file": "d/new.txt", "whole": { "content": "new\n" } },
            { "file": "e.txt", "strategy": "delete" },
        ]});
        let mut child = place
            .command(&["apply"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(payload.to_string().as_bytes()).unwrap();
        drop(input);
        assert!(child.wait_with_output().unwrap().status.success());
        place.keep()
    }

    /// Returns a workspace in which these changes are written.
    pub(crate) fn committed() -> Self {
        let place = Self::staged();
        let listed = place.json(&["review", "--json"]);
        let changeset = listed[0]["changeset"].as_str().unwrap().to_owned();
        assert_eq!(place.run(&["approve", "--all"]).code, Some(0));
        Self { changeset, ..place }.keep()
    }

    /// Puts everything back as it was when the place was made.
    pub(crate) fn reset(&self) {
        fs::remove_dir_all(self.live("")).unwrap();
        copy(&self.folder.path().join("kept"), &self.live(""));
    }

    /// Runs the product under a fault.
    pub(crate) fn trace(&self, arguments: &[&str], fault: Option<(usize, Fault)>) -> Run {
        trace(&self.command(arguments), fault)
    }

    /// Runs the product.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let Output { status, stderr, .. } = self.command(arguments).output().unwrap();
        Run {
            code: status.code(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            calls: 0,
            last: String::new(),
        }
    }

    /// Returns what the files are, if they are all alike.
    pub(crate) fn state(&self) -> Option<State> {
        let is = |state| {
            FILES
                .iter()
                .all(|file| fs::read_to_string(self.file(file)).ok() == text(file, state))
        };
        [State::Old, State::New]
            .into_iter()
            .find(|state| is(*state))
    }

    /// Returns what history says that the files are.
    pub(crate) fn recorded(&self) -> State {
        let listed = self.json(&["history", "--json"]);
        let entries = listed["entries"].as_array().unwrap();
        let is_applied = |file: &str| {
            let of_it = entries.iter().find(|entry| entry["path"] == file);
            of_it.is_some_and(|entry| entry["status"] == "applied")
        };
        let applied = FILES.iter().filter(|file| is_applied(file)).count();
        match applied {
            0 => State::Old,
            5 => State::New,
            _ => panic!("history is torn: {listed}"),
        }
    }

    /// Returns the texts, for a message.
    pub(crate) fn files(&self) -> Vec<(&'static str, Option<String>)> {
        FILES
            .iter()
            .map(|file| (*file, fs::read_to_string(self.file(file)).ok()))
            .collect()
    }

    /// Returns the names in the workspace that no user put there.
    pub(crate) fn drafts(&self) -> Vec<String> {
        let folders = [self.live("ws"), self.live("ws/d")];
        let entries = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name.contains("signoff")).collect()
    }

    fn keep(self) -> Self {
        let kept = self.folder.path().join("kept");
        if kept.exists() {
            fs::remove_dir_all(&kept).unwrap();
        }
        copy(&self.live(""), &kept);
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let named = |word: &&str| match *word {
            "CHANGESET" => self.changeset.clone(),
            word => word.to_owned(),
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_signoff"));
        command
            .args(arguments.iter().map(named))
            .current_dir(self.live("ws"))
            .env_clear()
            .env("HOME", self.live("home"))
            .env("XDG_STATE_HOME", self.live("state"))
            .env("XDG_CONFIG_HOME", self.live("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments).output().unwrap();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    fn file(&self, path: &str) -> PathBuf {
        self.live("ws").join(path)
    }

    fn live(&self, path: &str) -> PathBuf {
        self.folder.path().join("live").join(path)
    }
}

fn text(file: &str, state: State) -> Option<String> {
    let filler = "the same line\n".repeat(200);
    match (file, state) {
        ("d/new.txt", State::Old) | ("e.txt", State::New) => None,
        ("d/new.txt", State::New) => Some("new\n".to_owned()),
        (_, State::Old) => Some(format!("{filler}old\n{filler}")),
        (_, State::New) => Some(format!("{filler}new\n{filler}")),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
