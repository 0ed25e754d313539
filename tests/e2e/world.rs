//! A workspace of its own, and `signoff` run in it.
//!
//! In: files, arguments, standard input. Out: what came of it. Nothing outside a temporary
//! folder is read or written, and every process is gone when its owner is.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than anything here takes: a net for what hangs, waited for by nothing that works.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A workspace, and a home beside it.
pub(crate) struct World {
    /// Where processes find programs, if not in the usual places.
    path: Option<std::ffi::OsString>,
    folder: TempDir,
}

/// A process that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A process that runs; its lines come as it prints them.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
    seen: String,
}

/// What stands under a name: enough to tell that nothing was touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    File(Vec<u8>, u32),
    Link(PathBuf),
    Folder,
    Other,
}

impl World {
    /// Returns a workspace that holds these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            path: None,
        };
        fs::create_dir(world.root()).unwrap();
        fs::create_dir(world.beside("home")).unwrap();
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    /// Returns the same, where processes find the compiler that these tests are built with.
    pub(crate) fn with_cargo(self) -> Self {
        let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap());
        let folder = cargo.parent().unwrap();
        let path =
            Some(std::env::join_paths([folder, "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap());
        Self { path, ..self }
    }

    /// Has the model's commands run on the disk, once they are permitted.
    pub(crate) fn runs_on_disk(&self) {
        self.configure("[run]\nshadow = false\n");
    }

    /// Returns the workspace folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    /// Returns a path in the workspace.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Returns a path beside the workspace.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        write(&self.at(path), bytes.as_ref());
    }

    /// Makes this shell script the user's editor; the file is `$1`.
    pub(crate) fn edit_by(&self, script: &str) {
        self.program(&self.beside("editor"), &format!("#!/bin/sh\n{script}\n"));
    }

    /// Writes a program.
    pub(crate) fn program(&self, path: &Path, script: &str) {
        write(path, script.as_bytes());
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes the user's config file.
    pub(crate) fn configure(&self, text: &str) {
        write(&self.beside("config/signoff/config.toml"), text.as_bytes());
    }

    /// Returns the user's config file.
    pub(crate) fn configured(&self) -> String {
        fs::read_to_string(self.beside("config/signoff/config.toml")).unwrap()
    }

    /// Returns the text of a file of the workspace.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    /// Returns the bytes of a file of the workspace.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Sets the mode of a file of the workspace.
    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Returns everything in the workspace.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Found> {
        let mut found = BTreeMap::new();
        walk(&self.root(), &mut found);
        found
    }

    /// Returns the files that `signoff` keeps of workspaces.
    pub(crate) fn state_files(&self) -> Vec<PathBuf> {
        let mut found = BTreeMap::new();
        let state = self.beside("state");
        walk(&state, &mut found);
        found.into_keys().collect()
    }

    /// Returns everything that `signoff` has ever logged here.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.beside("state/signoff/signoff.log")).unwrap_or_default()
    }

    /// Returns `signoff` with these arguments, and an environment that holds nothing else.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(signoff());
        command
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .envs(self.environment())
            .envs(self.path.as_ref().map(|path| ("PATH", path)));
        command
    }

    /// Returns the environment of every process.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 7] {
        [
            ("HOME", self.beside("home")),
            ("XDG_STATE_HOME", self.beside("state")),
            ("XDG_CONFIG_HOME", self.beside("config")),
            ("XDG_DATA_HOME", self.beside("data")),
            ("XDG_CACHE_HOME", self.beside("cache")),
            ("TERM", "xterm-256color".into()),
            ("EDITOR", self.beside("editor")),
        ]
    }

    /// Runs `signoff` to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.feed(arguments, "")
    }

    /// Runs `signoff` to its end with this standard input.
    pub(crate) fn feed(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ended {
        finish(self.command(arguments), input.as_ref())
    }

    /// Runs `signoff` to its end where no namespace can be made, as in most containers; none where that cannot be had.
    pub(crate) fn run_without_namespaces(&self, arguments: &[&str]) -> Option<Ended> {
        let own = self.command(arguments);
        let refusing = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
        let mut command = Command::new("/usr/bin/unshare");
        command
            .args(["--user", "--map-root-user", "sh", "-c", refusing, "sh"])
            .arg(own.get_program())
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .envs(self.environment())
            .env("PATH", "/usr/bin:/bin");
        let tried = Command::new("/usr/bin/unshare")
            .args([
                "--user",
                "--map-root-user",
                "sh",
                "-c",
                refusing,
                "sh",
                "true",
            ])
            .output();
        let is_had = tried.is_ok_and(|output| output.status.success());
        is_had.then(|| finish(command, b""))
    }

    /// Runs `signoff apply` with a payload.
    pub(crate) fn apply(&self, flags: &[&str], payload: &Value) -> Ended {
        self.feed(&[&["apply"], flags].concat(), payload.to_string())
    }

    /// Stages a payload, which must be possible, and returns the ids of its proposals.
    pub(crate) fn stage(&self, changes: Value) -> Vec<String> {
        let answer = self
            .apply(&[], &json!({ "changes": changes }))
            .done()
            .json();
        let results = answer["results"].as_array().unwrap().iter();
        results
            .map(|result| result["proposal"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Returns the review list.
    pub(crate) fn review(&self) -> Vec<Value> {
        let listed = self.run(&["review", "--json"]).done().json();
        listed.as_array().unwrap().clone()
    }

    /// Returns the history of everything, newest first.
    pub(crate) fn history(&self) -> Vec<Value> {
        let listed = self.run(&["history", "--json"]).done().json();
        listed["entries"].as_array().unwrap().clone()
    }

    /// Starts `signoff` and lets it run.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::new(self.command(arguments))
    }
}

/// Returns the program that is tested: that of this build, or a copy that another user may run.
pub(crate) fn signoff() -> PathBuf {
    let other = std::env::var_os("SIGNOFF_TESTED");
    other.map_or_else(|| env!("CARGO_BIN_EXE_signoff").into(), PathBuf::from)
}

/// Runs a command to its end; what it says may never hold what a terminal obeys.
pub(crate) fn finish(command: Command, input: &[u8]) -> Ended {
    let mut running = Running::new(command);
    let mut stdin = running.child.stdin.take().unwrap();
    let input = input.to_vec();
    // It may end without having read everything.
    thread::spawn(move || drop(stdin.write_all(&input)));
    running.end()
}

impl Running {
    /// Starts a command.
    pub(crate) fn new(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let errors = lines_of(child.stderr.take().unwrap());
        Self {
            child,
            lines,
            errors,
            seen: String::new(),
        }
    }

    /// Writes to its standard input.
    pub(crate) fn say(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for the next line and returns it.
    pub(crate) fn line(&mut self) -> String {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => {
                self.seen.push_str(&line);
                line
            }
            Err(_) => panic!("no further line came after:\n{}", self.seen),
        }
    }

    /// Waits for the next event of this type and returns it.
    pub(crate) fn event(&mut self, kind: &str) -> Value {
        loop {
            let event: Value = serde_json::from_str(&self.line()).unwrap();
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Returns its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        assert!(signal(self.child.id(), name), "{name}");
    }

    /// Waits until it has ended.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.child.stdin.take());
        let stdout = std::mem::take(&mut self.seen) + &rest(&self.lines);
        let stderr = rest(&self.errors);
        let status = self.child.wait().unwrap();
        Ended::new(status, stdout, stderr)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Ended {
    fn new(status: ExitStatus, stdout: String, stderr: String) -> Self {
        let ended = Self {
            code: status.code(),
            stdout,
            stderr,
        };
        for text in [&ended.stdout, &ended.stderr] {
            assert!(
                !text.chars().any(is_hostile),
                "a terminal would obey this: {text:?}"
            );
            assert!(!text.contains("panicked"), "{text}");
        }
        ended
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Checks that it did what was asked.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        self.ends(0)
    }

    /// Checks that it says this somewhere.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        let said = self.stdout.contains(text) || self.stderr.contains(text);
        assert!(said, "nothing about {text:?} in {self:#?}");
        self
    }

    /// Returns its standard output, one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let value = serde_json::from_str(&self.stdout);
        value.unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Returns its standard output, a JSON value a line.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        let read =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(read).collect()
    }
}

/// Sends a process a signal; returns whether it was there.
pub(crate) fn signal(id: u32, name: &str) -> bool {
    let kill = format!("kill -{name} {id}");
    let sent = Command::new("sh").args(["-c", &kill]).status();
    sent.is_ok_and(|status| status.success())
}

/// Returns a change of one text to another, once in the file.
pub(crate) fn section(file: &str, old: &str, new: &str) -> Value {
    json!({
        "file": file,
        "strategy": "section",
        "description": format!("put {new} for {old}"),
        "section": { "edits": [{ "old_text": old, "new_text": new }] },
    })
}

/// Returns a change to a whole text.
pub(crate) fn whole(file: &str, content: &str) -> Value {
    json!({ "file": file, "strategy": "whole", "whole": { "content": content } })
}

/// Tells whether a terminal does something at this character other than show it.
pub(crate) fn is_hostile(c: char) -> bool {
    let bidi =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || bidi
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Found>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let what = if metadata.is_dir() {
            walk(&path, found);
            Found::Folder
        } else if metadata.is_symlink() {
            Found::Link(fs::read_link(&path).unwrap())
        } else if metadata.is_file() {
            Found::File(fs::read(&path).unwrap(), metadata.permissions().mode())
        } else {
            Found::Other
        };
        found.insert(path, what);
    }
}

/// Returns the lines of a stream as they come, line breaks included.
fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            let read = stream.read_until(b'\n', &mut line);
            let is_over = read.is_err() || line.is_empty();
            if is_over || sender.send(String::from_utf8(line).unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

fn rest(lines: &Receiver<String>) -> String {
    let mut text = String::new();
    loop {
        match lines.recv_timeout(DEADLINE) {
            Ok(line) => text.push_str(&line),
            Err(RecvTimeoutError::Disconnected) => return text,
            Err(RecvTimeoutError::Timeout) => panic!("it does not end; it said:\n{text}"),
        }
    }
}
