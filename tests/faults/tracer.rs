//! Runs a program, and stops it at one of the system calls that change something on disk.
//!
//! In: a command, and which of these calls fails how. Out: how it ended, and how many calls
//! there were. Only the main thread is traced: the commands that are tested write on no other.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// What becomes of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The process is killed instead of making it.
    Kill,
    /// It is not made, and fails with this error.
    Error(Errno),
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// Its exit code; none if it was killed.
    pub(crate) code: Option<i32>,
    /// What it said.
    pub(crate) stderr: String,
    /// How many calls it made that change something on disk.
    pub(crate) calls: usize,
    /// The call that was the last, or failed.
    pub(crate) last: String,
}

/// Calls that change something on disk, by their numbers on this machine.
const CALLS: [(u64, &str); 20] = [
    (1, "write"),
    (18, "pwrite64"),
    (20, "writev"),
    (74, "fsync"),
    (75, "fdatasync"),
    (76, "truncate"),
    (77, "ftruncate"),
    (82, "rename"),
    (83, "mkdir"),
    (84, "rmdir"),
    (86, "link"),
    (87, "unlink"),
    (91, "fchmod"),
    (257, "openat"),
    (258, "mkdirat"),
    (263, "unlinkat"),
    (264, "renameat"),
    (265, "linkat"),
    (285, "fallocate"),
    (316, "renameat2"),
];
/// Of the calls that open, only those that create count.
const CREATE: u64 = 0o100;
/// What a call's result reads before it is made.
const NOT_MADE: u64 = -38_i64 as u64;

/// Runs a command to its end, with a fault at one of its calls, counted from 1.
pub(crate) fn trace(command: &Command, fault: Option<(usize, Fault)>) -> Run {
    // It waits for its tracer before it becomes the program.
    let mut waiting = Command::new("/bin/sh");
    waiting
        .arg0("sh")
        .args(["-c", "kill -STOP $$; exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = waiting.spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let stopped = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
    assert!(
        matches!(stopped, WaitStatus::Stopped(_, Signal::SIGSTOP)),
        "{stopped:?}"
    );
    let options =
        Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL;
    ptrace::seize(pid, options).expect("this machine lets a process trace its child");
    kill(pid, Signal::SIGCONT).unwrap();
    let mut tracer = Tracer {
        pid,
        fault,
        begun: false,
        calls: 0,
        failing: None,
        last: String::new(),
    };
    let code = tracer.follow();
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    Run {
        code,
        stderr,
        calls: tracer.calls,
        last: tracer.last,
    }
}

struct Tracer {
    pid: Pid,
    fault: Option<(usize, Fault)>,
    /// True once it is the program.
    begun: bool,
    calls: usize,
    /// The error that the call fails with that is being made.
    failing: Option<Errno>,
    last: String,
}

impl Tracer {
    fn follow(&mut self) -> Option<i32> {
        loop {
            let signal = match waitpid(self.pid, Some(WaitPidFlag::__WALL)).unwrap() {
                WaitStatus::Exited(_, code) => return Some(code),
                WaitStatus::Signaled(..) => return None,
                WaitStatus::PtraceSyscall(_) => {
                    self.at_call();
                    None
                }
                WaitStatus::PtraceEvent(_, _, event) => {
                    self.begun |= event == nix::libc::PTRACE_EVENT_EXEC;
                    None
                }
                WaitStatus::Stopped(_, signal) => Some(signal),
                _ => None,
            };
            match ptrace::syscall(self.pid, signal) {
                // It was killed meanwhile; its end comes next.
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// A call begins or ends.
    fn at_call(&mut self) {
        let mut registers = ptrace::getregs(self.pid).unwrap();
        if let Some(error) = self.failing.take() {
            registers.rax = (-i64::from(error as i32)) as u64;
            return ptrace::setregs(self.pid, registers).unwrap();
        }
        let begins = registers.rax == NOT_MADE;
        let call = CALLS
            .iter()
            .find(|(number, _)| *number == registers.orig_rax);
        let (Some((number, name)), true, true) = (call, begins, self.begun) else {
            return;
        };
        let printed = [1, 20].contains(number) && registers.rdi <= 2;
        let opened = *number == 257 && registers.rdx & CREATE == 0;
        if printed || opened {
            return;
        }
        self.calls += 1;
        if !matches!(self.fault, Some((at, _)) if self.calls > at) {
            self.last = (*name).to_owned();
        }
        match self.fault {
            Some((at, Fault::Kill)) if at == self.calls => kill(self.pid, Signal::SIGKILL).unwrap(),
            Some((at, Fault::Error(error))) if at == self.calls => {
                self.failing = Some(error);
                registers.orig_rax = u64::MAX;
                ptrace::setregs(self.pid, registers).unwrap();
            }
            _ => {}
        }
    }
}
