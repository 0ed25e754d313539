//! How long it takes from the start of the process until a typed key is on the screen.
//!
//! In: `signoff` and the smallest ratatui program there can be, started by turns in a
//! pseudo-terminal, each with a key typed at once. Out: median and 95th percentile of both,
//! and how much longer `signoff` takes. Nothing of the user's is read: home and workspace are
//! temporary folders.

#![expect(
    clippy::print_stdout,
    reason = "the figures are what this program is for"
)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

/// Measured starts of each program.
const STARTS: usize = 60;
/// Starts before, so that both programs are in memory.
const WARM_UP: usize = 3;
/// Nothing takes that long.
const PATIENCE: Duration = Duration::from_secs(10);
/// A key that neither program shows before it is typed.
const KEY: &str = "%";
/// As large as the terminal that reads what comes out, by default.
const SIZE: PtySize = PtySize {
    rows: 24,
    cols: 80,
    pixel_width: 0,
    pixel_height: 0,
};

fn main() -> anyhow::Result<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("start: measured by `cargo bench` only");
        return Ok(());
    }
    let ours = PathBuf::from(env!("CARGO_BIN_EXE_signoff"));
    let programs = [("minimal", minimal(&ours)?), ("signoff", ours)];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..WARM_UP + STARTS {
        for ((_, program), times) in programs.iter().zip(&mut times) {
            let took = key_to_echo(program)?;
            if round >= WARM_UP {
                times.push(took);
            }
        }
    }
    println!("from process start to a typed key on the screen, {STARTS} starts each, by turns");
    println!("{:<10}{:>12}{:>12}{:>12}", "", "fastest", "median", "p95");
    let mut medians = Vec::new();
    for ((name, _), times) in programs.iter().zip(&mut times) {
        times.sort_unstable();
        let [fastest, median, p95] =
            [0, 50, 95].map(|percent| milliseconds(times.get((times.len() - 1) * percent / 100)));
        println!("{name:<10}{fastest:>9.2} ms{median:>9.2} ms{p95:>9.2} ms");
        medians.push(median);
    }
    if let [minimal, ours] = medians.as_slice() {
        println!("ratio of the medians: {:.2}", ours / minimal);
    }
    Ok(())
}

/// Builds the smallest program beside `ours`, as cargo does not build examples for benchmarks.
fn minimal(ours: &Path) -> anyhow::Result<PathBuf> {
    let folder = ours.parent().context("a program is in a folder")?;
    let target = folder
        .parent()
        .context("cargo keeps programs in a folder of its own")?;
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--example", "minimal"])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .arg("--target-dir")
        .arg(target)
        .status()?;
    ensure!(built.success(), "cannot build the example `minimal`");
    Ok(folder.join("examples/minimal"))
}

fn key_to_echo(program: &Path) -> anyhow::Result<Duration> {
    let home = TempDir::new()?;
    let work = home.path().join("work");
    std::fs::create_dir(&work)?;
    let pty = native_pty_system().openpty(SIZE)?;
    let output = read_all(pty.master.as_ref())?;
    let mut input = pty.master.take_writer()?;
    let started = Instant::now();
    let mut child = Running(
        pty.slave
            .spawn_command(command(program, home.path(), &work))?,
    );
    input.write_all(KEY.as_bytes())?;
    let seen = echo(&output)?;
    child.stop()?;
    Ok(seen - started)
}

fn command(program: &Path, home: &Path, work: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.env_clear();
    command.env("TERM", "xterm-256color");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home);
    for (name, folder) in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CACHE_HOME", "cache"),
    ] {
        command.env(name, home.join(folder));
    }
    command.cwd(work);
    command
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

/// Returns when the key came to be on the program's own screen: what the terminal itself
/// echoes before the program takes it over does not count.
fn echo(output: &Receiver<(Instant, Vec<u8>)>) -> anyhow::Result<Instant> {
    let mut terminal = vt100::Parser::default();
    loop {
        let Ok((when, piece)) = output.recv_timeout(PATIENCE) else {
            bail!("no echo; the screen was:\n{}", terminal.screen().contents());
        };
        terminal.process(&piece);
        let screen = terminal.screen();
        if screen.alternate_screen() && screen.contents().contains(KEY) {
            return Ok(when);
        }
    }
}

/// A program that does not outlive its measurement.
struct Running(Box<dyn Child + Send + Sync>);

impl Running {
    fn stop(&mut self) -> anyhow::Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        drop(self.0.kill());
    }
}

fn milliseconds(time: Option<&Duration>) -> f64 {
    time.map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}
