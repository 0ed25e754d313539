//! Child processes: servers on standard input and output.
//!
//! In: a program. Out: its pipes, and its end with all of its process group. [`Launcher`] is the seam to where it runs.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use secrecy::ExposeSecret as _;
use signoff_sandbox::polling;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::definition::ServerProgram;

/// Starts the programs of servers.
pub type Launcher = Arc<dyn Fn(&ServerProgram) -> io::Result<Launched> + Send + Sync>;

/// A program that runs.
pub struct Launched {
    /// Its standard input.
    pub input: OwnedFd,
    /// Its standard output.
    pub output: OwnedFd,
    /// What it prints to standard error.
    pub complaints: Complaints,
    /// What ends it when it is dropped, with everything that it started.
    pub guard: Box<dyn RunningProgram>,
}

/// A program that runs. It is ended when this is dropped.
pub trait RunningProgram: Send + Sync {
    /// Returns why it could not be started after all, if so.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// How long a program has to end once its input is closed and it was told to; and its last complaint to come once its output
/// has ended, which goes through another pipe.
const GRACE: Duration = Duration::from_millis(300);
/// Bytes of its complaints that are kept, the last ones.
const MOST_COMPLAINTS: usize = 2_000;

/// The end of what a program prints to standard error.
#[derive(Clone, Debug, Default)]
pub struct Complaints {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// Closed once all was read; none where there is nothing to read.
    end: Option<watch::Receiver<()>>,
}

impl Complaints {
    /// Begins to read, on a thread of its own. What is printed without end is read, and not kept.
    pub fn read(mut from: impl Read + Send + 'static) -> Self {
        let (reads, end) = watch::channel(());
        let complaints = Self {
            end: Some(end),
            ..Self::default()
        };
        let sink = complaints.clone();
        thread::spawn(move || {
            let _reads = reads;
            let mut buffer = [0; 4096];
            while let Ok(read) = from.read(&mut buffer) {
                if read == 0 {
                    break;
                }
                sink.push(buffer.get(..read).unwrap_or_default());
            }
        });
        complaints
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let over = kept.len().saturating_sub(MOST_COMPLAINTS);
        kept.drain(..over);
    }

    /// Returns the last line that is not empty of a program whose output has ended.
    pub(crate) async fn last_line(&self) -> Option<String> {
        if let Some(mut end) = self.end.clone() {
            // What it started may hold the pipe open for as long as it likes.
            let _ended = timeout(GRACE, end.changed()).await;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous()).into_owned();
        let mut lines = text.lines().rev().map(str::trim);
        lines.find(|line| !line.is_empty()).map(str::to_owned)
    }
}

/// Ends a process group.
struct Group(Child);

impl RunningProgram for Group {}

impl Drop for Group {
    fn drop(&mut self) {
        let Ok(id) = i32::try_from(self.0.id()) else {
            return;
        };
        let Some(group) = Pid::from_raw(id) else {
            return;
        };
        let _gone = kill_process_group(group, Signal::TERM);
        // It is left to be waited for: until then its number, and that of its group, stands for nothing else.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let _over = polling::until(Instant::now() + GRACE, || {
            let runs = matches!(waitid(WaitId::Pid(group), options), Ok(None));
            (!runs).then_some(())
        });
        let _gone = kill_process_group(group, Signal::KILL);
        if let Err(error) = self.0.wait() {
            tracing::warn!(%error, "the end of a server is not known");
        }
        // What it left behind was killed with it, and is gone a moment later.
        let _gone = polling::until(Instant::now() + GRACE, || {
            test_kill_process_group(group).is_err().then_some(())
        });
    }
}

/// Returns what starts programs as they are, with the user's rights, in a process group of their own. They get these
/// variables and those of their definition.
pub fn unconfined(variables: Vec<(String, String)>) -> Launcher {
    Arc::new(move |program| {
        let mut command = Command::new(&program.command);
        let own = program.variables.iter();
        let own = own.map(|(name, value)| (name.as_str(), value.expose_secret()));
        command
            .args(&program.arguments)
            .current_dir(&program.folder)
            .env_clear()
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .envs(own)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let complaints = child.stderr.take().map(Complaints::read);
        let group = Group(child);
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Launched {
            input: input.into(),
            output: output.into(),
            complaints: complaints.unwrap_or_default(),
            guard: Box::new(group),
        })
    })
}
