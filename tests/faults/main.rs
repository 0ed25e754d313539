//! A commit of five files, and its revert, with every system call that changes something on disk
//! cut off or failing in turn.
//!
//! After each, and after the next start, all five files are old or all are new, and history says
//! the same. The product is run as it is, under a tracer; nothing in it knows of these tests.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot set its stage has failed"
)]

mod place;
mod tracer;

use nix::errno::Errno;

use place::{Place, State};
use tracer::{Fault, Run};

const ERRORS: [Errno; 4] = [Errno::ENOSPC, Errno::EIO, Errno::EACCES, Errno::EROFS];
const APPROVE: &[&str] = &["approve", "--all"];
const REVERT: &[&str] = &["revert", "--changeset", "CHANGESET"];
const REVIEW: &[&str] = &["review", "--json"];

/// Runs the product without a fault and returns how many calls there are to cut off.
fn calls(place: &Place, arguments: &[&str]) -> usize {
    place.reset();
    let run = place.trace(arguments, None);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.calls > 20, "only {} calls were seen", run.calls);
    run.calls
}

/// Checks the state after a fault and the start after it.
fn check(place: &Place, run: &Run, what: &str) {
    let context = || format!("{what}\n{}\n{:?}", run.stderr, place.files());
    let next = place.run(REVIEW);
    assert_eq!(next.code, Some(0), "{}\nthen {}", context(), next.stderr);
    let state = place
        .state()
        .unwrap_or_else(|| panic!("torn: {}", context()));
    assert_eq!(place.recorded(), state, "history disagrees: {}", context());
    assert_eq!(place.drafts(), [""; 0], "{}", context());
}

fn killed(place: &Place, arguments: &[&str]) {
    for at in 1..=calls(place, arguments) {
        place.reset();
        let run = place.trace(arguments, Some((at, Fault::Kill)));
        assert_eq!(run.code, None, "call {at} was not reached");
        check(place, &run, &format!("killed at call {at}: {}", run.last));
    }
}

fn failing(place: &Place, arguments: &[&str], before: State) {
    for at in 1..=calls(place, arguments) {
        for error in ERRORS {
            place.reset();
            let run = place.trace(arguments, Some((at, Fault::Error(error))));
            let what = format!("{error} at call {at}: {}", run.last);
            assert!(run.code.is_some(), "{what}: it died: {}", run.stderr);
            let state = place.state();
            let context = || format!("{what}\n{}\n{:?}", run.stderr, place.files());
            if run.code == Some(0) {
                assert_ne!(state, Some(before), "said done, and was not: {}", context());
            } else {
                assert!(!run.stderr.trim().is_empty(), "no message: {}", context());
            }
            check(place, &run, &what);
            if run.code != Some(0) {
                assert_eq!(
                    place.state(),
                    Some(before),
                    "failed, and was done: {}",
                    context()
                );
            }
        }
    }
}

/// Kills a command at some of its calls, then the recovery after it at each of its own.
fn recovery_killed(place: &Place, arguments: &[&str], step: usize) {
    for at in (1..=calls(place, arguments)).step_by(step) {
        let mut again = 1;
        loop {
            place.reset();
            let run = place.trace(arguments, Some((at, Fault::Kill)));
            let recovery = place.trace(REVIEW, Some((again, Fault::Kill)));
            let what = format!(
                "killed at call {at}, {}, then at {again}, {}",
                run.last, recovery.last
            );
            check(place, &recovery, &what);
            if recovery.code.is_some() {
                break;
            }
            again += 1;
        }
    }
}

#[test]
fn a_commit_killed_at_every_call() {
    killed(&Place::staged(), APPROVE);
}

#[test]
fn a_revert_killed_at_every_call() {
    killed(&Place::committed(), REVERT);
}

#[test]
fn a_commit_with_every_call_failing() {
    failing(&Place::staged(), APPROVE, State::Old);
}

#[test]
fn a_revert_with_every_call_failing() {
    failing(&Place::committed(), REVERT, State::New);
}

#[test]
fn recovery_killed_at_every_call() {
    recovery_killed(&Place::staged(), APPROVE, 7);
    recovery_killed(&Place::committed(), REVERT, 11);
}
