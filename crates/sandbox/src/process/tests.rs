//! Programs that behave and such that do not.

use super::*;

const USUAL: Limits = Limits {
    timeout: Duration::from_secs(60),
    most_bytes: 1_000,
};

fn bash(script: &str) -> Program {
    Program {
        name: "/bin/bash".into(),
        arguments: vec!["-c".into(), script.into()],
        folder: std::env::temp_dir(),
        inherits: true,
        hidden: Vec::new(),
        variables: Vec::new(),
        supervision: Supervision::None,
    }
}

fn run_it(script: &str, limits: Limits) -> Report {
    run(
        &bash(script),
        limits,
        &AtomicBool::new(false),
        &mut |_, _| {},
    )
    .expect("bash is there")
}

/// Set in the process that runs one test alone.
const ALONE: &str = "SIGNOFF_TEST_ALONE";

/// Runs one test in a process of its own: orphans come to a process, whichever of its tests they are from. Returns
/// whether this is that process.
fn is_alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let own = std::env::current_exe().expect("this program");
    let mut one = std::process::Command::new(own);
    let ran = one
        .args([&format!("process::tests::{test}"), "--exact"])
        .env(ALONE, "1")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

fn check(script: &str, ended: Ended, out: &str, err: &str) {
    let report = run_it(script, USUAL);
    assert_eq!(report.ended, ended, "{script}");
    assert_eq!(report.out.text(), out, "{script}");
    assert_eq!(report.err.text(), err, "{script}");
}

fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim()));
    status.is_ok_and(|status| !status.contains("State:\tZ") && !status.contains("State:\tX"))
}

#[test]
fn streams_and_codes_are_kept_apart() {
    check("echo a; echo b >&2; exit 3", Ended::Exit(3), "a\n", "b\n");
    check("true", Ended::Exit(0), "", "");
    check("kill -KILL $$", Ended::Signal(9), "", "");
    check(
        "cat; echo read nothing",
        Ended::Exit(0),
        "read nothing\n",
        "",
    );
}

#[test]
fn there_is_no_terminal_within_reach() {
    check(
        "(: </dev/tty) 2>/dev/null && echo reached || echo none",
        Ended::Exit(0),
        "none\n",
        "",
    );
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let program = Program {
        name: "/nowhere/at-all".into(),
        ..bash("")
    };
    let stop = AtomicBool::new(false);
    assert!(run(&program, USUAL, &stop, &mut |_, _| {}).is_err());
}

#[test]
fn hidden_variables_stay_hidden() {
    let mut program = bash("echo ${PATH:-hidden} $GREETING");
    program.hidden.push("PATH".to_owned());
    program
        .variables
        .push(("GREETING".to_owned(), "hello".to_owned()));
    let report = run(&program, USUAL, &AtomicBool::new(false), &mut |_, _| {}).expect("bash");
    // Bash has a path of its own where it inherits none.
    let inherited = std::env::var("PATH").unwrap_or_default();
    assert!(!report.out.text().contains(&inherited) && report.out.text().contains("hello"));
}

#[test]
fn output_without_end_takes_bounded_memory() {
    let report = run_it(
        "head -c 300000000 /dev/zero | tr '\\0' x; echo done >&2",
        USUAL,
    );
    assert_eq!(report.ended, Ended::Exit(0));
    assert_eq!(report.out.total(), 300_000_000);
    let mark = "\n... (299999000 bytes left out)\n";
    assert_eq!(report.out.text().len(), 1_000 + mark.len());
    assert_eq!(report.err.text(), "done\n");
}

#[test]
fn a_program_out_of_time_is_ended() {
    let limits = Limits {
        timeout: Duration::ZERO,
        ..USUAL
    };
    assert_eq!(run_it("sleep 1000", limits).ended, Ended::TimedOut);
}

#[test]
fn nothing_outlives_the_end() {
    // A child in the group, one that ignores the polite signal, and one in a session of its own.
    let script = "sleep 1000 & echo $!; (trap '' TERM; sleep 1000) & echo $!; \
                  setsid sleep 1000 & echo $!; trap '' TERM; wait; wait; sleep 1000";
    let (stop, mut lines) = (AtomicBool::new(false), 0);
    let report = run(&bash(script), USUAL, &stop, &mut |_, bytes| {
        lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        stop.store(lines == 3, Ordering::Relaxed);
    });
    let report = report.expect("bash");
    assert_eq!(report.ended, Ended::Stopped);
    for pid in report.out.text().lines() {
        assert!(!is_alive(pid), "{pid} is alive");
    }
}

#[test]
fn what_a_program_leaves_behind_is_ended_with_it() {
    if !is_alone("what_a_program_leaves_behind_is_ended_with_it") {
        return;
    }
    let report = run_it("sleep 1000 & echo $!; setsid sleep 1000 & echo $!", USUAL);
    assert_eq!(report.ended, Ended::Exit(0));
    let text = report.out.text();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!(report.strays, 2, "{text}");
    for pid in text.lines() {
        assert!(!is_alive(pid), "{pid} is alive");
    }
}

/// In a session of its own, without the mark, and without a parent that is left.
#[test]
#[cfg(target_os = "linux")]
fn what_hides_is_ended_too() {
    if !is_alone("what_hides_is_ended_too") {
        return;
    }
    let script = "read pid < <(env -i setsid bash -c 'echo $$; exec sleep 1000'); echo $pid";
    let report = run_it(script, USUAL);
    let text = report.out.text();
    let pid = text.lines().next().unwrap_or_default();
    assert_eq!(report.ended, Ended::Exit(0), "{text}");
    assert_eq!(report.strays, 1, "{text}");
    assert!(!is_alive(pid), "{pid} is alive");
}

#[test]
fn whoever_loses_interest_ends_it() {
    let stop = AtomicBool::new(false);
    let mut seen = Vec::new();
    let report = run(
        &bash("echo begun; sleep 1000"),
        USUAL,
        &stop,
        &mut |stream, bytes| {
            seen.push((stream, bytes.to_vec()));
            stop.store(true, Ordering::Relaxed);
        },
    );
    assert_eq!(report.expect("bash").ended, Ended::Stopped);
    assert_eq!(seen, [(Stream::Out, b"begun\n".to_vec())]);
}
