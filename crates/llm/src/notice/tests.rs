//! What each notice says, and that all of it is bounded and on lines of its own.

use insta::assert_snapshot;
use uuid::Uuid;

use signoff_core::stage::review::{DeniedLines, HunkStatus};

use super::*;

fn proposal(number: u128) -> ProposalId {
    ProposalId(Uuid::from_u128(number))
}

fn judged(proposal_number: u128, number: u32, status: HunkStatus) -> HunkOutcome {
    HunkOutcome {
        hunk: HunkId {
            proposal: proposal(proposal_number),
            number,
        },
        path: format!("src/file{proposal_number}.rs"),
        status,
    }
}

fn denied(reason: Option<&str>) -> HunkStatus {
    HunkStatus::Denied {
        reason: reason.map(str::to_owned),
    }
}

fn one_staged() -> Staged {
    Staged {
        id: proposal(1),
        path: "notes.md".to_owned(),
        operation: Operation::Modify,
        description: "Remove all headings".to_owned(),
        hunks: 2,
    }
}

#[test]
fn staged() {
    let notice = Notice::Staged {
        proposals: vec![one_staged()],
        open: false,
        failed: Vec::new(),
        by_user: false,
    };
    assert_snapshot!(notice, @"
    Your edits are staged, not applied: files on disk are unchanged and the user reviews them now.
    - proposal 00000000-0000-0000-0000-000000000001: modify notes.md (2 hunks): Remove all headings
    Do not call tools in your next message. Say in a sentence or two what you staged. If edits of the request are left, end with one line `Left: WHAT`: you go on with them once the user approves. Then stop.
    ");
}

#[test]
fn staged_by_what_the_user_ran() {
    let notice = Notice::Staged {
        proposals: vec![one_staged()],
        open: false,
        failed: Vec::new(),
        by_user: true,
    };
    let told = notice.to_string();
    assert!(
        told.starts_with("What the user ran") && told.ends_with("It asks nothing of you."),
        "{told}"
    );
    assert!(!told.contains("Your edits"), "{told}");
}

#[test]
fn staged_while_the_model_goes_on() {
    let notice = Notice::Staged {
        proposals: vec![one_staged()],
        open: true,
        failed: Vec::new(),
        by_user: false,
    };
    assert_snapshot!(notice, @"
    Your edits are staged, not applied: files on disk are unchanged, and your tools read them with the edits in.
    - proposal 00000000-0000-0000-0000-000000000001: modify notes.md (2 hunks): Remove all headings
    Go on with what is left of the request. When nothing is left, say in a sentence or two what you staged; the user reviews then.
    ");
}

#[test]
fn staged_beside_a_call_that_failed() {
    let notice = Notice::Staged {
        proposals: vec![one_staged()],
        open: true,
        failed: vec![failed(Some("a.rs")), failed(None)],
        by_user: false,
    };
    assert_snapshot!(notice, @"
    Some of your calls failed, and your other edits are staged, not applied: files on disk are unchanged, and your tools read them with the edits in.
    - failed: edit_section of a.rs: not found
    - failed: edit_section: not found
    - proposal 00000000-0000-0000-0000-000000000001: modify notes.md (2 hunks): Remove all headings
    Make what failed again, in the way that its answer says; tools are open. When nothing is left, say in a sentence or two what you staged and what you could not do; the user reviews then.
    ");
}

fn failed(path: Option<&str>) -> FailedCall {
    FailedCall {
        tool: "edit_section".to_owned(),
        path: path.map(str::to_owned),
        why: "not found".to_owned(),
    }
}

#[test]
fn user_edits() {
    let edited = UserEdit {
        path: "a.rs".into(),
        gone: false,
        added: 1,
        removed: 2,
        lines: vec!["-3 ol\u{1b}d".into(), "+3 new".into()],
    };
    let gone = UserEdit {
        path: "b\nc".into(),
        gone: true,
        lines: Vec::new(),
        ..edited.clone()
    };
    let files = vec![edited, gone];
    assert_snapshot!(Notice::UserEdits { files }, @r#"
    The user changed files on disk since you read them (- before, + now, with line numbers):
    - a.rs: +1 -2
      | -3 ol d
      | +3 new
      | and 1 more line
    - "b\nc": deleted
    These changes are the user's own: keep them. Read a file again before you edit it.
    "#);
}

#[test]
fn after_misfits_another_way_is_named() {
    assert_snapshot!(misfits("edit_section", true), @"Two edits of a.rs were not staged. Take another way now: edit with the line numbers of a fresh read, or write with the whole text.");
    assert_snapshot!(misfits("edit_section", false), @"Two edits of a.rs were not staged. Take another way now: write with the whole text.");
    assert_snapshot!(misfits("write", true), @"Two edits of a.rs were not staged. Take another way now: edit_section with text copied from a fresh read.");
}

fn misfits(tool: &str, by_lines: bool) -> Notice {
    Notice::Misfits {
        path: "a.rs".to_owned(),
        tool: tool.to_owned(),
        by_lines,
    }
}

#[test]
fn syntax_refused() {
    let faults = vec![
        syntax_fault(3, "a brace is not closed"),
        syntax_fault(7, "unexpected `}`"),
    ];
    assert_snapshot!(Notice::SyntaxRefused { faults }, @"
    Your edit was not staged: with it, there would be new errors of syntax.
    - a.rs:3:9: a brace is not closed
    - a.rs:7:9: unexpected `}`
    The lines are those of the text that you asked for. The file is as it was: mend these places and send the whole edit again.
    ");
}

fn syntax_fault(line: usize, message: &str) -> SyntaxFault {
    SyntaxFault {
        path: "a.rs".to_owned(),
        line,
        column: 9,
        message: message.to_owned(),
    }
}

#[test]
fn waiting() {
    let notice = Notice::Waiting {
        hunks: 1,
        paths: vec!["notes.md".to_owned()],
        conflicts: vec!["todo.md".to_owned()],
    };
    assert_snapshot!(notice, @"
    Still waiting for the user's verdict: 1 hunk of staged edits, not on disk but in what your tools read.
    - notes.md
    - todo.md: in conflict, not written
    Tools are open.
    ");
}

#[test]
fn verdicts() {
    let kept = HunkStatus::Committed;
    let notice = Notice::Verdicts {
        hunks: vec![
            judged(1, 1, kept.clone()),
            judged(1, 2, kept.clone()),
            judged(1, 3, denied(Some("too broad,\nonly the first"))),
            judged(1, 4, kept.clone()),
            judged(2, 1, kept),
            judged(2, 2, denied(None)),
            judged(
                2,
                3,
                HunkStatus::Conflict {
                    reason: "depends on hunk 2, which was denied".to_owned(),
                },
            ),
        ],
        pending: 2,
    };
    assert_snapshot!(notice, @"
    The user decided on 7 hunks: 4 kept, 2 denied, 1 in conflict; 2 still wait.
    - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunks 1-2 kept
    - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 3 denied: too broad, only the first
    - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 4 kept
    - proposal 00000000-0000-0000-0000-000000000002, src/file2.rs: hunk 1 kept
    - proposal 00000000-0000-0000-0000-000000000002, src/file2.rs: hunk 2 denied
    - proposal 00000000-0000-0000-0000-000000000002, src/file2.rs: hunk 3 in conflict: depends on hunk 2, which was denied
    Only kept hunks are on disk. Denied text is not in the file: do not propose it again; where a reason is given, act on it. Read a file again before you edit it.
    ");
}

#[test]
fn verdicts_on_lines() {
    let notice = Notice::Verdicts {
        hunks: vec![
            judged(
                1,
                1,
                denied_lines(&["+  log(a);"], Some("no logs,\nplease")),
            ),
            judged(1, 2, denied_lines(&["-a", "+b"], None)),
        ],
        pending: 0,
    };
    assert_snapshot!(notice, @"
    The user decided on 2 hunks: 2 kept (2 of them in part), 0 denied.
    - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 1 kept in part, the user denied `+  log(a);`: no logs, please
    - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 2 kept in part, the user denied `-a`, `+b`
    Only kept hunks are on disk. Denied text is not in the file: do not propose it again; where a reason is given, act on it. Read a file again before you edit it.
    ");
}

fn denied_lines(lines: &[&str], reason: Option<&str>) -> HunkStatus {
    HunkStatus::Edited {
        text: "rest\n".to_owned(),
        denied: Some(DeniedLines {
            lines: lines.iter().map(ToString::to_string).collect(),
            reason: reason.map(str::to_owned),
        }),
    }
}

#[test]
fn verdicts_all_kept() {
    let notice = Notice::Verdicts {
        hunks: vec![judged(1, 1, HunkStatus::Committed)],
        pending: 0,
    };
    assert_snapshot!(notice, @"
    The user decided on 1 hunk: 1 kept, 0 denied.
    - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 1 kept
    Kept hunks are on disk. Nothing more is to be done about them unless asked.
    ");
}

#[test]
fn file_moved() {
    let notice = Notice::FileMoved {
        paths: vec!["a.rs".to_owned(), "b\n.rs".to_owned()],
    };
    assert_snapshot!(notice, @r#"
    The user changed files on disk while your staged edits to them waited, so that a verdict was not carried out then:
    - a.rs
    - "b\n.rs"
    Read these files again before you edit them.
    "#);
}

#[test]
fn reverted() {
    let notice = Notice::Reverted {
        path: "a.rs".to_owned(),
        summary: "reverted version 3, \"rename\".".to_owned(),
        taken_back: Vec::new(),
        restored: Vec::new(),
    };
    assert_snapshot!(notice, @r#"The user reverted a change to a.rs: reverted version 3, "rename". It is no longer on disk; do not make it again unless asked. Read the file again before you edit it."#);
}

#[test]
fn the_model_is_told_who_interrupted_it() {
    assert_snapshot!(interrupted(Interruption::User), @"The user stopped you here. Calls that had no result were not run; what was staged before stays staged. Do not take this up again unless asked.");
    assert_snapshot!(interrupted(Interruption::Connection), @"Your answer broke off here through no fault of yours. None of its calls were run. Do not repeat what you already said.");
}

fn interrupted(by: Interruption) -> Notice {
    Notice::Interrupted { by }
}

#[test]
fn each_limit_says_what_ended_the_turn() {
    assert_snapshot!(limit(Limit::SameFailure { tool: "edit_section".to_owned() }), @"Your turn was ended: edit_section failed twice with the same arguments. Do not make that call again; read first and call differently, or say what you need.");
    assert_snapshot!(limit(Limit::SameResult { tool: "grep".to_owned() }), @"Your turn was ended: grep gave the same result three times. Use what it said, or say what you need.");
    assert_snapshot!(limit(Limit::Tokens { most: 5000 }), @"Your turn was ended at the user's limit of 5000 tokens. When asked to go on, take the shortest way.");
    assert_snapshot!(limit(Limit::Cost { most: 250_000 }), @"Your turn was ended at the user's limit of $0.2500. When asked to go on, take the shortest way.");
    assert_snapshot!(limit(Limit::Requests { most: 40 }), @"Your turn was ended after 40 requests without a staged edit. When asked to go on, take the shortest way.");
}

fn limit(limit: Limit) -> Notice {
    Notice::Limit { limit }
}

#[test]
fn none_is_longer_than_the_cap() {
    let long = "ü\n".repeat(5000);
    let hunks = (0..2000)
        .map(|number| judged(u128::from(number), number, denied(Some(&long))))
        .collect();
    let proposals = vec![
        Staged {
            path: long.clone(),
            description: long.clone(),
            ..one_staged()
        };
        500
    ];
    let every_other = (0..5000)
        .map(|number| judged(1, number * 2, HunkStatus::Committed))
        .collect();
    let notices = [
        Notice::Staged {
            proposals,
            open: true,
            failed: Vec::new(),
            by_user: false,
        },
        Notice::Misfits {
            path: long.clone(),
            tool: long.clone(),
            by_lines: true,
        },
        Notice::SyntaxRefused {
            faults: vec![
                SyntaxFault {
                    path: long.clone(),
                    line: usize::MAX,
                    column: usize::MAX,
                    message: long.clone(),
                };
                500
            ],
        },
        Notice::Waiting {
            hunks: usize::MAX,
            paths: vec![long.clone(); 500],
            conflicts: vec![long.clone(); 500],
        },
        Notice::Verdicts {
            hunks,
            pending: usize::MAX,
        },
        Notice::Verdicts {
            hunks: every_other,
            pending: 0,
        },
        Notice::FileMoved {
            paths: vec![long.clone(); 500],
        },
        Notice::Reverted {
            path: long.clone(),
            summary: long.clone(),
            taken_back: Vec::new(),
            restored: Vec::new(),
        },
        Notice::Limit {
            limit: Limit::SameFailure { tool: long },
        },
    ];
    for notice in notices {
        let text = notice.to_string();
        assert!(text.len() <= LONGEST, "{} bytes: {text}", text.len());
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let text = Notice::Waiting {
        hunks: 900,
        paths: (0..900).map(|n| format!("src/file{n}.rs")).collect(),
        conflicts: Vec::new(),
    }
    .to_string();
    let listed = text.matches("src/file").count();
    assert!(text.contains(&format!("- and {} more", 900 - listed)));
}

#[test]
fn a_failed_call_names_its_file_once() {
    for (why, expected) in [
        ("a.rs: a.rs does not exist", "edit: a.rs does not exist"),
        ("a.rs: no text fits", "edit of a.rs: no text fits"),
        ("2 places fit", "edit of a.rs: 2 places fit"),
    ] {
        let call = FailedCall {
            tool: "edit".to_owned(),
            path: Some("a.rs".to_owned()),
            why: why.to_owned(),
        };
        assert_eq!(call.to_string(), expected);
    }
}
