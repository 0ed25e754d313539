//! A process that is killed, or told that a system call failed, at any call that changes
//! something: of a commit of several files, of its revert, and of the recovery.
//!
//! The process is traced and stopped at each of those calls. Every fifth is tried, each time
//! with another fault; with `FAULTS=all` in the environment, every one.

use std::fs;
use std::process::Stdio;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::json;

use crate::world::World;

/// The calls that change something on disk.
const CALLS: [i64; 15] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    libc::SYS_rmdir,
    libc::SYS_ftruncate,
    libc::SYS_fchmod,
    libc::SYS_link,
];
const ERRORS: [Errno; 4] = [Errno::ENOSPC, Errno::EIO, Errno::EACCES, Errno::EROFS];

const OLD: [(&str, Option<&str>); 7] = [
    ("a", Some("1\n")),
    ("b", Some("2\r\n")),
    ("deep/c", Some("3")),
    ("made/x/d", None),
    ("gone", Some("5\n")),
    ("old/from", Some("6\n")),
    ("new/from", None),
];
const NEW: [(&str, Option<&str>); 7] = [
    ("a", Some("one\n")),
    ("b", Some("two\r\n")),
    ("deep/c", Some("three")),
    ("made/x/d", Some("four\n")),
    ("gone", None),
    ("old/from", None),
    ("new/from", Some("6\n")),
];
const FILES: usize = 6;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    Kill,
    Fails(Errno),
}

/// What came of a traced process.
#[derive(Debug)]
pub(crate) struct Traced {
    /// None if it was killed.
    pub(crate) code: Option<i32>,
    errors: String,
    /// Whether it got to the call at which something should happen.
    pub(crate) reached: bool,
}

/// Runs `signoff` and lets a fault happen at its call of this number that changes something.
pub(crate) fn traced(world: &World, arguments: &[&str], at: usize, fault: Fault) -> Traced {
    traced_at(world, arguments, (&CALLS, at), fault)
}

/// Runs `signoff` and lets a fault happen at its call of this number among those of some kinds.
pub(crate) fn traced_at(
    world: &World,
    arguments: &[&str],
    call: (&[i64], usize),
    fault: Fault,
) -> Traced {
    let wanted = world.command(arguments);
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", "read go; exec \"$0\" \"$@\""])
        .arg(wanted.get_program())
        .args(arguments)
        .current_dir(world.root())
        .env_clear()
        .envs(world.environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let said = world.beside("errors");
    command.stderr(fs::File::create(&said).unwrap());
    let mut child = command.spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let options =
        Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL;
    ptrace::seize(pid, options).unwrap();
    // It waits for this line, so that nothing is missed.
    drop(std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        b"go\n",
    ));
    let (code, reached) = follow(pid, call, fault);
    // Its end was seen already.
    let _reaped = child.wait();
    Traced {
        code,
        errors: fs::read_to_string(said).unwrap(),
        reached,
    }
}

/// Follows a process to its end.
fn follow(pid: Pid, (kinds, at): (&[i64], usize), fault: Fault) -> (Option<i32>, bool) {
    let (mut calls, mut enters, mut running, mut failing) = (0, true, false, None);
    loop {
        let mut signal = None;
        match waitpid(pid, None).unwrap() {
            WaitStatus::Stopped(_, passed) => signal = Some(passed),
            WaitStatus::Exited(_, code) => return (Some(code), calls > at),
            WaitStatus::Signaled(..) => return (None, calls > at),
            // The end of the call that began the program is next.
            WaitStatus::PtraceEvent(..) => (running, enters) = (true, false),
            WaitStatus::PtraceSyscall(_) if running && enters => {
                enters = false;
                let mut registers = ptrace::getregs(pid).unwrap();
                if kinds.contains(&registers.orig_rax.cast_signed()) {
                    calls += 1;
                    match fault {
                        Fault::Kill if calls == at + 1 => kill(pid, Signal::SIGKILL).unwrap(),
                        Fault::Fails(errno) if calls == at + 1 => {
                            registers.orig_rax = u64::MAX;
                            ptrace::setregs(pid, registers).unwrap();
                            failing = Some(errno);
                        }
                        _ => {}
                    }
                }
            }
            WaitStatus::PtraceSyscall(_) if running => {
                enters = true;
                if let Some(errno) = failing.take() {
                    let mut registers = ptrace::getregs(pid).unwrap();
                    registers.rax = (-i64::from(errno as i32)).cast_unsigned();
                    ptrace::setregs(pid, registers).unwrap();
                }
            }
            _ => {}
        }
        // One that was killed just now is gone, and its end comes next.
        let go_on = if running {
            ptrace::syscall(pid, signal)
        } else {
            ptrace::cont(pid, signal)
        };
        assert!(matches!(go_on, Ok(()) | Err(Errno::ESRCH)), "{go_on:?}");
    }
}

fn staged() -> (World, String) {
    let there = OLD
        .iter()
        .filter_map(|(path, text)| Some((*path, (*text)?)));
    let world = World::new(&there.collect::<Vec<_>>());
    let whole = |(path, text): &(&str, Option<&str>)| match text {
        Some(text) => json!({"file": path, "whole": {"content": text}}),
        None => json!({"file": path, "strategy": "delete"}),
    };
    let mut changes: Vec<_> = NEW.iter().take(5).map(whole).collect();
    changes.push(json!({"file": "old/from", "move": {"to": "new/from"}}));
    let answer = world.apply(&[], &json!({"changes": changes})).done().json();
    (world, answer["changeset"].as_str().unwrap().to_owned())
}

/// Returns whether everything is new; all of it has to be new or old, and nothing else there.
fn is_new(world: &World, what: &str) -> bool {
    let found = world.files();
    let is = |state: &[(&str, Option<&str>)]| {
        let same = |(path, text): &(&str, Option<&str>)| match text {
            Some(text) => fs::read_to_string(world.at(path)).is_ok_and(|now| now == *text),
            None => !world.at(path).exists(),
        };
        state.iter().all(same)
    };
    let stray = found
        .keys()
        .find(|path| path.to_string_lossy().ends_with(".signoff"));
    assert!(stray.is_none(), "{what}: {stray:?} lies about");
    assert!(is(&OLD) || is(&NEW), "{what}: torn: {found:?}");
    let folders = world.at("made").exists() || world.at("new").exists();
    assert_eq!(folders, is(&NEW), "{what}: folders are left");
    is(&NEW)
}

/// Tells whether this machine lets a process trace its child; some sandboxes do not.
pub(crate) fn may_trace() -> bool {
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", "read go"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let traced = ptrace::seize(pid, Options::PTRACE_O_EXITKILL);
    child.kill().unwrap();
    child.wait().unwrap();
    match traced {
        Ok(()) => true,
        Err(Errno::EPERM | Errno::ENOSYS | Errno::EIO) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Lets faults happen at the calls of `act`, and looks at what is left each time.
fn sweep(reverts: bool, fault: impl Fn(usize) -> Fault, offset: usize) {
    if !may_trace() {
        return crate::untried::untried("faults", "this machine lets no process trace another");
    }
    let step = match std::env::var_os("FAULTS") {
        Some(_) => 1,
        None => 5,
    };
    let mut at = if step == 1 { 0 } else { offset };
    let (mut killed, mut undone) = (false, false);
    loop {
        let (world, changeset) = staged();
        let arguments: &[&str] = if reverts {
            world.run(&["approve", "--all"]).done();
            &["revert", "--changeset", &changeset]
        } else {
            &["approve", "--all"]
        };
        let fault = fault(at / step);
        let ended = traced(&world, arguments, at, fault);
        let what = format!("{arguments:?}, call {at}, {fault:?}: {ended:?}");
        if ended.code.is_none() {
            // The recovery is killed as well, at one call after the other.
            let mut again = at % 2;
            killed = true;
            loop {
                let next = traced(&world, &["history"], again, Fault::Kill);
                undone |= next
                    .errors
                    .contains("a commit that was interrupted is undone");
                if !next.reached {
                    break;
                }
                again += 5;
            }
        }
        let entries = world.history().len();
        let done = entries == if reverts { 2 * FILES } else { FILES };
        assert_eq!(
            is_new(&world, &what),
            done != reverts,
            "{what}: {entries} entries"
        );
        if let Some(code) = ended.code {
            let told = ended.errors.starts_with("signoff: ");
            let printing = ended.errors.contains("it was carried out");
            assert!(code == 0 || told, "{what}: a fault without a word");
            assert_eq!(code == 0 || printing, done, "{what}");
        }
        if !ended.reached {
            assert!(at > 60, "{what}: there were calls to fail at");
            assert!(undone || !killed, "what was undone is told");
            break;
        }
        at += step;
    }
}

#[test]
fn a_commit_that_is_killed_is_whole_or_was_never() {
    sweep(false, |_| Fault::Kill, 0);
}

#[test]
fn a_revert_that_is_killed_is_whole_or_was_never() {
    sweep(true, |_| Fault::Kill, 1);
}

#[test]
fn a_commit_that_fails_anywhere_says_so_and_changes_nothing() {
    sweep(false, |at| Fault::Fails(ERRORS[at % ERRORS.len()]), 1);
}

#[test]
fn a_revert_that_fails_anywhere_says_so_and_changes_nothing() {
    sweep(true, |at| Fault::Fails(ERRORS[at % ERRORS.len()]), 2);
}
