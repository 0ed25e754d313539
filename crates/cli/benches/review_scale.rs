//! How long the review of many files takes to open, and each of its keys to be answered.
//!
//! In: workspaces with staged hunks, and `signoff` opened in each, in a pseudo-terminal. Out: times from the start of the
//! process to the first frame and to the hunks; for each key the median and the 99th percentile of the time until the screen
//! changes; memory. Nothing of the user's is read: home and workspace are temporary folders.

#![expect(
    clippy::print_stdout,
    reason = "the figures are what this program is for"
)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Files, and hunks in each; the last file has the rest of the hunks. The sizes that reviews of other programs are
/// measured with, and that of a rename through a large repository.
const SIZES: [(usize, usize); 2] = [(180, 720), (1_001, 11_070)];
/// Lines between two hunks: far enough for them to stay two.
const APART: usize = 12;
/// Measured openings of each workspace.
const OPENINGS: usize = 10;
/// Nothing takes that long.
const PATIENCE: Duration = Duration::from_secs(60);
/// Keys are not taken before the review was on the screen for a while.
const TAKES_KEYS: Duration = Duration::from_secs(1);
/// A screen that did not change for so long after a key is the answer to it.
const QUIET: Duration = Duration::from_millis(25);
/// A key that has changed nothing by then changes nothing.
const UNANSWERED: Duration = Duration::from_millis(500);
const TAB: &str = "\t";
const PAGE_DOWN: &str = "\x1b[6~";

/// Keys that are pressed in turn, how they are called, and how often.
const KEYS: &[(&str, &[&str], usize)] = &[
    ("j", &["j"], 200),
    ("k", &["k"], 200),
    ("n", &["n"], 200),
    ("N", &["N"], 200),
    ("J", &["J"], 150),
    ("K", &["K"], 150),
    ("PageDown", &[PAGE_DOWN], 200),
    ("G, g", &["G", "g"], 100),
    ("Tab", &[TAB], 100),
    ("m, Esc", &["m", "\x1b"], 100),
    ("Space", &[" "], 100),
];

const SIZE: PtySize = PtySize {
    rows: 40,
    cols: 120,
    pixel_width: 0,
    pixel_height: 0,
};

fn main() -> anyhow::Result<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("review_scale: measured by `cargo bench` only");
        return Ok(());
    }
    for (files, hunks) in SIZES {
        let world = World::with(files, hunks)?;
        println!("{hunks} hunks in {files} files");
        openings(&world)?;
        keys(&world)?;
    }
    Ok(())
}

/// Prints how long it takes until the review is there.
fn openings(world: &World) -> anyhow::Result<()> {
    let (mut frames, mut named, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=OPENINGS {
        let mut screen = Screen::open(world)?;
        let frame = screen.wait(|screen| !screen.contents().trim().is_empty())?;
        let name = screen.wait(|screen| world.is_named_on(screen))?;
        let pressed = Instant::now();
        screen.keys.write_all(TAB.as_bytes())?;
        let review = screen.wait(|screen| world.is_shown_on(screen))?;
        // The first brings program and files into memory.
        if round > 0 {
            frames.push(frame - screen.started);
            named.push(name - screen.started);
            shown.push(review.saturating_duration_since(pressed));
        }
    }
    row("first frame", &mut frames);
    row("what waits", &mut named);
    row("Tab at once", &mut shown);
    Ok(())
}

/// Prints how long each key takes, and how much memory they leave.
fn keys(world: &World) -> anyhow::Result<()> {
    let mut screen = Screen::open(world)?;
    screen.wait(|screen| world.is_named_on(screen))?;
    screen.settle(TAKES_KEYS)?;
    screen.keys.write_all(TAB.as_bytes())?;
    screen.wait(|screen| world.is_shown_on(screen))?;
    screen.settle(TAKES_KEYS)?;
    let memory = screen.memory()?;
    for (name, keys, times) in KEYS {
        let mut answers = Vec::new();
        for key in keys.iter().cycle().take(*times) {
            answers.extend(screen.press(key)?);
        }
        row(name, &mut answers);
        if answers.len() < *times {
            println!("  {} of them changed nothing", times - answers.len());
        }
    }
    println!("  memory: {memory} opened, {} at the end", screen.memory()?);
    Ok(())
}

fn row(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let [median, p99, most] = [50, 99, 100]
        .map(|percent| milliseconds(times.get((times.len().saturating_sub(1)) * percent / 100)));
    println!("  {name:<12}{median:>9.2} ms{p99:>9.2} ms p99{most:>9.2} ms at most");
}

fn milliseconds(time: Option<&Duration>) -> f64 {
    time.map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}

/// A workspace with staged hunks.
struct World {
    home: TempDir,
    hunks: usize,
}

impl World {
    fn with(files: usize, hunks: usize) -> anyhow::Result<Self> {
        let home = TempDir::new()?;
        let world = Self { home, hunks };
        let each = hunks / files;
        let mut changes = Vec::new();
        for file in 0..files {
            let is_last = file + 1 == files;
            let own = if is_last { hunks - each * file } else { each };
            let path = format!("src/part_{}/file_{file}.rs", file / 20);
            let at = world.work().join(&path);
            std::fs::create_dir_all(at.parent().context("a file is in a folder")?)?;
            std::fs::write(at, text(file, own, "old"))?;
            changes.push(json!({
                "file": path,
                "description": format!("compute file {file} anew"),
                "whole": { "content": text(file, own, "new") },
            }));
        }
        world.stage(&json!({ "changes": changes }))?;
        Ok(world)
    }

    fn work(&self) -> std::path::PathBuf {
        self.home.path().join("work")
    }

    fn environment(&self) -> BTreeMap<&'static str, std::ffi::OsString> {
        let home = self.home.path();
        let folder = |name| home.join(name).into_os_string();
        BTreeMap::from([
            ("TERM", "xterm-256color".into()),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", folder("home")),
            ("XDG_CONFIG_HOME", folder("config")),
            ("XDG_STATE_HOME", folder("state")),
            ("XDG_DATA_HOME", folder("data")),
            ("XDG_CACHE_HOME", folder("cache")),
        ])
    }

    fn stage(&self, payload: &Value) -> anyhow::Result<()> {
        let mut apply = Command::new(program())
            .arg("apply")
            .current_dir(self.work())
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        let mut input = apply.stdin.take().context("it reads the payload")?;
        input.write_all(payload.to_string().as_bytes())?;
        drop(input);
        ensure!(apply.wait()?.success(), "the payload was not staged");
        Ok(())
    }

    /// Returns whether it is said how much waits.
    fn is_named_on(&self, screen: &vt100::Screen) -> bool {
        let named = format!("{} hunks wait", self.hunks);
        screen.contents().contains(&named)
    }

    /// Returns whether the first hunk is shown.
    fn is_shown_on(&self, screen: &vt100::Screen) -> bool {
        screen.contents().contains("new_0_0")
    }
}

/// Returns a file with a changed line for each hunk.
fn text(file: usize, hunks: usize, word: &str) -> String {
    let lines = (0..hunks * APART).map(|line| match line % APART {
        0 => format!("/// Returns part {line} of file {file}.\n"),
        1 => format!("pub fn part_{line}(input: &[u32]) -> Option<u32> {{\n"),
        6 => format!(
            "    let {word}_{file}_{} = sum * 3; // {word}\n",
            line / APART
        ),
        10 => "}\n".to_owned(),
        11 => "\n".to_owned(),
        inner => {
            format!("    let step_{inner} = input.iter().map(|each| each + {inner}).max()?;\n")
        }
    });
    lines.collect()
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_signoff"))
}

/// A terminal with `signoff` in it, which does not outlive its measurement.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    terminal: vt100::Parser,
    started: Instant,
}

impl Screen {
    fn open(world: &World) -> anyhow::Result<Self> {
        let pty = native_pty_system().openpty(SIZE)?;
        let output = read_all(pty.master.as_ref())?;
        let keys = pty.master.take_writer()?;
        let mut command = CommandBuilder::new(program());
        command.arg("--offline");
        command.env_clear();
        for (name, value) in world.environment() {
            command.env(name, value);
        }
        command.cwd(world.work());
        let started = Instant::now();
        Ok(Self {
            child: pty.slave.spawn_command(command)?,
            _master: pty.master,
            keys,
            output,
            terminal: terminal()?,
            started,
        })
    }

    /// Returns when the screen came to be as wanted.
    fn wait(&mut self, fits: impl Fn(&vt100::Screen) -> bool) -> anyhow::Result<Instant> {
        loop {
            let Ok((when, piece)) = self.output.recv_timeout(PATIENCE) else {
                bail!("it does not come; the screen is:\n{}", self.contents());
            };
            self.terminal.process(&piece);
            if fits(self.terminal.screen()) {
                return Ok(when);
            }
        }
    }

    /// Waits until nothing was drawn for so long.
    fn settle(&mut self, quiet: Duration) -> anyhow::Result<()> {
        loop {
            match self.output.recv_timeout(quiet) {
                Ok((_, piece)) => self.terminal.process(&piece),
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => bail!("it ended:\n{}", self.contents()),
            }
        }
    }

    /// Presses a key and returns how long it took until the screen was another; nothing if it stays as it is.
    fn press(&mut self, key: &str) -> anyhow::Result<Option<Duration>> {
        let before = self.terminal.screen().contents_formatted();
        let pressed = Instant::now();
        self.keys.write_all(key.as_bytes())?;
        let mut answered = None;
        while let Some(left) = UNANSWERED.checked_sub(pressed.elapsed())
            && let Ok((when, piece)) = self.output.recv_timeout(left)
        {
            self.terminal.process(&piece);
            if self.terminal.screen().contents_formatted() != before {
                answered = Some(when.saturating_duration_since(pressed));
                break;
            }
        }
        self.settle(QUIET)?;
        Ok(answered)
    }

    fn contents(&self) -> String {
        self.terminal.screen().contents()
    }

    /// Returns what of its memory is in use, and which part of it is no file.
    fn memory(&self) -> anyhow::Result<String> {
        let id = self.child.process_id().context("it runs")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kilobytes = line.and_then(|line| line.split_whitespace().next());
            let kilobytes = kilobytes.and_then(|own| own.parse::<f64>().ok());
            kilobytes.map_or(f64::NAN, |own| own * 1024.0 / 1e6)
        };
        let [all, anonymous, most] = ["VmRSS:", "RssAnon:", "VmHWM:"].map(of);
        Ok(format!(
            "{all:.1} MB ({anonymous:.1} of its own, {most:.1} at the most)"
        ))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn terminal() -> anyhow::Result<vt100::Parser> {
    Ok(vt100::Parser::new(
        SIZE.rows.try_into()?,
        SIZE.cols.try_into()?,
        0,
    ))
}

/// Reads the terminal on a thread of its own and tells when each piece came.
fn read_all(master: &dyn MasterPty) -> anyhow::Result<Receiver<(Instant, Vec<u8>)>> {
    let mut reader = master.try_clone_reader()?;
    let (sender, pieces) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            let piece = buffer.get(..length).unwrap_or_default().to_vec();
            if sender.send((Instant::now(), piece)).is_err() {
                return;
            }
        }
    });
    Ok(pieces)
}
