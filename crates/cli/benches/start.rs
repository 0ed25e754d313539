//! What a user waits for at the keyboard: the first key after the start, a key later on, and Enter.
//!
//! In: `signoff` and the smallest ratatui program there can be, started by turns in a
//! pseudo-terminal, with a server on this machine. Out, of both programs and as the ratio of the
//! medians: from the start of the process until a key typed at once is on the screen; from a key until it is on the
//! screen, while nothing else happens; from Enter until the server has the request, for the first prompt and for the one
//! after it. Nothing of the user's is read: home and workspace are temporary folders.

#![expect(
    clippy::print_stdout,
    reason = "the figures are what this program is for"
)]

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver, Sender};
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
/// A program that wrote nothing for so long waits for a key.
const QUIET: Duration = Duration::from_millis(100);
/// What is typed; neither program shows the first character of either before.
const PROMPTS: [&str; 2] = ["%vwxyz", "&zyxwv"];
/// As large as the terminal that reads what comes out, by default.
const SIZE: PtySize = PtySize {
    rows: 24,
    cols: 80,
    pixel_width: 0,
    pixel_height: 0,
};
/// An answer as Chat Completions streams it.
const ANSWER: &str = concat!(
    r#"data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":null}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    "\n\ndata: [DONE]\n\n",
);

/// The times of one program.
#[derive(Default)]
struct Times {
    first_key: Vec<Duration>,
    key: Vec<Duration>,
    first_enter: Vec<Duration>,
    next_enter: Vec<Duration>,
}

fn main() -> anyhow::Result<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("start: measured by `cargo bench` only");
        return Ok(());
    }
    let ours = PathBuf::from(env!("CARGO_BIN_EXE_signoff"));
    let programs = [minimal(&ours)?, ours];
    let server = Server::start()?;
    for program in programs.iter().cycle().take(WARM_UP * programs.len()) {
        measure(program, &server, &mut Times::default())?;
    }
    let mut times = [Times::default(), Times::default()];
    for _ in 0..STARTS {
        for (program, times) in programs.iter().zip(&mut times) {
            measure(program, &server, times)?;
        }
    }
    let [minimal, ours] = times;
    println!("milliseconds, median and 95th percentile, {STARTS} starts of each by turns");
    println!("{:<12}{:>16}{:>16}{:>8}", "", "minimal", "signoff", "ratio");
    row("first key", minimal.first_key, ours.first_key);
    row("key", minimal.key, ours.key);
    row("first Enter", minimal.first_enter, ours.first_enter);
    row("next Enter", minimal.next_enter, ours.next_enter);
    Ok(())
}

fn row(name: &str, minimal: Vec<Duration>, ours: Vec<Duration>) {
    let [minimal, ours] = [minimal, ours].map(|mut times| {
        times.sort_unstable();
        [50, 95].map(|percent| milliseconds(times.get((times.len() - 1) * percent / 100)))
    });
    let ratio = ours[0] / minimal[0];
    let [minimal, ours] = [minimal, ours].map(|[median, p95]| format!("{median:.2} {p95:>7.2}"));
    println!("{name:<12}{minimal:>16}{ours:>16}{ratio:>8.2}");
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

/// Starts a program, types and sends two prompts, and ends it.
fn measure(program: &Path, server: &Server, times: &mut Times) -> anyhow::Result<()> {
    let home = TempDir::new()?;
    let work = home.path().join("work");
    std::fs::create_dir(&work)?;
    let command = command(program, home.path(), &work, &server.url);
    let pty = native_pty_system().openpty(SIZE)?;
    let output = read_all(pty.master.as_ref())?;
    let input = pty.master.take_writer()?;
    let started = Instant::now();
    let mut running = Running {
        child: pty.slave.spawn_command(command)?,
        input,
        output,
        terminal: vt100::Parser::default(),
    };
    for (number, prompt) in PROMPTS.iter().enumerate() {
        for (at, key) in prompt.char_indices() {
            let typed = prompt.get(..=at).context("a prompt is ASCII")?;
            if number == 0 && at == 0 {
                running.press(typed)?;
                times.first_key.push(running.shows(typed)? - started);
                continue;
            }
            running.rest();
            let pressed = running.press(key.encode_utf8(&mut [0; 4]))?;
            times.key.push(running.shows(typed)? - pressed);
        }
        running.rest();
        let pressed = running.press("\r")?;
        let enter = match number {
            0 => &mut times.first_enter,
            _ => &mut times.next_enter,
        };
        enter.push(server.next()? - pressed);
        running.shows("ok")?;
    }
    running.stop()
}

fn command(program: &Path, home: &Path, work: &Path, url: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.args(["--url", url, "--model", "m"]);
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

/// A program in a terminal, which does not outlive its measurement.
struct Running {
    child: Box<dyn Child + Send + Sync>,
    input: Box<dyn io::Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    terminal: vt100::Parser,
}

impl Running {
    /// Types, and returns when.
    fn press(&mut self, keys: &str) -> anyhow::Result<Instant> {
        let pressed = Instant::now();
        self.input.write_all(keys.as_bytes())?;
        Ok(pressed)
    }

    /// Returns when `text` came to be on the program's own screen: what the terminal itself
    /// echoes before the program takes it over does not count.
    fn shows(&mut self, text: &str) -> anyhow::Result<Instant> {
        loop {
            let Ok((when, piece)) = self.output.recv_timeout(PATIENCE) else {
                let contents = self.terminal.screen().contents();
                bail!("no `{text}`; the screen was:\n{contents}");
            };
            self.terminal.process(&piece);
            let screen = self.terminal.screen();
            if screen.alternate_screen() && screen.contents().contains(text) {
                return Ok(when);
            }
        }
    }

    /// Waits until the program waits for a key.
    fn rest(&mut self) {
        while let Ok((_, piece)) = self.output.recv_timeout(QUIET) {
            self.terminal.process(&piece);
        }
    }

    fn stop(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        drop(self.child.kill());
    }
}

/// A server of Chat Completions that answers every prompt with `ok`.
struct Server {
    url: String,
    /// When each prompt was there whole.
    prompts: Receiver<Instant>,
}

impl Server {
    fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let (sender, prompts) = mpsc::channel();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let sender = sender.clone();
                // A connection that breaks ends the measurement, by the prompt that does not come.
                std::thread::spawn(move || serve(socket, &sender));
            }
        });
        Ok(Self { url, prompts })
    }

    fn next(&self) -> anyhow::Result<Instant> {
        self.prompts
            .recv_timeout(PATIENCE)
            .context("no request came")
    }
}

/// Answers the requests of one connection until it is closed.
fn serve(socket: TcpStream, prompts: &Sender<Instant>) -> anyhow::Result<()> {
    let mut answers = socket.try_clone()?;
    let mut requests = BufReader::new(socket);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            ensure!(
                requests.read_line(&mut head)? > 0,
                "the connection is closed"
            );
        }
        let head = head.to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .map_or(Ok(0), |length| length.trim().parse())?;
        requests.read_exact(&mut vec![0; length])?;
        let answer = if head.starts_with("post ") {
            prompts.send(Instant::now())?;
            let length = ANSWER.len();
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{ANSWER}"
            )
        } else {
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned()
        };
        answers.write_all(answer.as_bytes())?;
    }
}

fn milliseconds(time: Option<&Duration>) -> f64 {
    time.map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}
