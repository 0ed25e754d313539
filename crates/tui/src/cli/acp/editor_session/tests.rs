//! Conversations in an editor, as messages and events.

use signoff_core::stage::review::{HunkStatus, Verdict};
use signoff_llm::session::Grant;

use super::*;
use crate::review::kit::file;

/// A session in which nothing was said, and what it has sent.
struct Editor {
    session: EditorSession,
}

impl Editor {
    fn open(is_load: bool) -> Self {
        let opening = OpeningRequest {
            id: json!(1),
            is_load,
        };
        Self {
            session: EditorSession::new(PathBuf::from("/w"), opening),
        }
    }

    /// Returns one that waits for the end of a prompt.
    fn prompted() -> Self {
        let mut editor = Self::open(false);
        editor.event(Event::Session {
            id: "s".to_owned(),
            parent: None,
            prompts: 0,
        });
        editor.event(Event::Prompts {
            prompts: Vec::new(),
        });
        editor.take();
        let text = "go".to_owned();
        editor.input(SessionInput::Prompt {
            id: json!(2),
            blocks: vec![PromptBlock::Text { text: text.clone() }],
        });
        assert_eq!(editor.take(), ["Submit(\"go\")"]);
        editor.event(Event::User { text });
        editor
    }

    fn input(&mut self, input: SessionInput) {
        self.session.handle(input);
    }

    fn event(&mut self, event: Event) {
        self.input(SessionInput::Event(Box::new(event)));
    }

    fn answer(&mut self, number: u64, option: &str) {
        let choice = PermissionChoice::Selected(option.to_owned());
        self.input(SessionInput::Answer { number, choice });
    }

    fn end(&mut self, end: TurnEnd) {
        self.event(Event::TurnEnded { end });
    }

    fn review(&mut self, proposals: &[ProposalView]) {
        let proposals = proposals.to_vec();
        self.event(Event::Review { proposals });
    }

    fn outcome(&mut self, view: &ProposalView, status: HunkStatus) {
        let outcome = |hunk: &signoff_core::stage::review::HunkView| HunkOutcome {
            hunk: hunk.id,
            path: view.path.clone(),
            status: status.clone(),
        };
        let outcomes = view.hunks.iter().map(outcome).collect();
        self.input(SessionInput::Outcomes(outcomes));
    }

    /// Returns what was sent since, in short.
    fn take(&mut self) -> Vec<String> {
        let outputs = self.session.take_outputs();
        outputs.iter().map(in_short).collect()
    }
}

fn in_short(output: &SessionOutput) -> String {
    let SessionOutput::Send(message) = output else {
        return match output {
            SessionOutput::Command(command) => format!("{command:?}"),
            SessionOutput::ReadOutcomes(ids) => format!("read {}", ids.len()),
            SessionOutput::Opened(id) => format!("opened {id}"),
            SessionOutput::Remark(text) => text.clone(),
            SessionOutput::Send(_) => unreachable!(),
        };
    };
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let params = &message["params"];
    match message["method"].as_str() {
        Some("session/update") => {
            let update = &params["update"];
            let status = word(&update["status"]) + &word(&update["content"]["text"]);
            format!("{} {status}", word(&update["sessionUpdate"]))
        }
        Some("session/request_permission") => format!("ask {}", word(&message["id"])),
        Some(_) => format!("close {}", word(&params["requestId"])),
        None => format!(
            "{} {}{}",
            message["id"],
            message["result"],
            word(&message["error"]["message"])
        ),
    }
}

/// Returns a prompt that staged a change and is asked about it.
fn asked(view: &ProposalView) -> Editor {
    let mut editor = Editor::prompted();
    editor.event(Event::Staged {
        proposals: vec![view.clone()],
    });
    editor.end(TurnEnd::Review);
    assert_eq!(editor.take(), ["tool_call pending", "Review"]);
    editor.review(std::slice::from_ref(view));
    assert_eq!(editor.take(), ["ask s#1"]);
    editor
}

fn decided(verdict: &Verdict) -> String {
    let hunk = file("one").hunks[0].id;
    let verdict = verdict.clone();
    format!("{:?}", Command::Decide(vec![Ruling { hunk, verdict }]))
}

#[test]
fn a_verdict_is_the_terminals_and_ends_the_prompt() {
    let committed = HunkStatus::Committed;
    let denied = HunkStatus::Denied { reason: None };
    for (option, verdict, status, told) in [
        ("approve", Verdict::Approve, committed, "completed"),
        ("deny", Verdict::Deny { reason: None }, denied, "failed"),
    ] {
        let view = file("one");
        let mut editor = asked(&view);
        editor.answer(1, option);
        assert_eq!(editor.take(), [decided(&verdict)]);
        editor.event(Event::Decided {
            committed: Vec::new(),
            approved: 1,
            denied: 0,
            pending: 0,
        });
        editor.review(&[]);
        assert_eq!(editor.take(), ["read 1"]);
        editor.outcome(&view, status);
        let end = r#"2 {"stopReason":"end_turn"}"#;
        let update = format!("tool_call_update {told}");
        assert_eq!(editor.take(), [update.as_str(), end]);
    }
}

#[test]
fn a_turn_after_a_verdict_belongs_to_the_prompt() {
    let view = file("one");
    let mut editor = asked(&view);
    editor.answer(1, "approve");
    editor.event(Event::Decided {
        committed: Vec::new(),
        approved: 1,
        denied: 0,
        pending: 0,
    });
    editor.event(Event::Phase {
        phase: Phase::Asking,
    });
    editor.review(&[]);
    editor.outcome(&view, HunkStatus::Committed);
    editor.take();
    editor.end(TurnEnd::Done);
    assert_eq!(editor.take(), [r#"2 {"stopReason":"end_turn"}"#]);
}

#[test]
fn what_changed_since_it_was_shown_is_asked_again() {
    let mut editor = asked(&file("one"));
    let changed = file("two");
    editor.input(SessionInput::Changed);
    editor.review(std::slice::from_ref(&changed));
    let again = ["Review", "tool_call_update pending", "close s#1", "ask s#2"];
    assert_eq!(editor.take(), again);
    // The answer was on its way.
    editor.answer(1, "approve");
    assert!(editor.take().is_empty());
    editor.answer(2, "approve");
    assert_eq!(editor.take(), [decided(&Verdict::Approve)]);
    // It changed again, and the engine has refused.
    editor.event(Event::Undecided);
    editor.review(&[file("three")]);
    assert_eq!(editor.take(), ["tool_call_update pending", "ask s#3"]);
}

#[test]
fn a_verdict_in_a_terminal_closes_the_question() {
    let view = file("one");
    let mut editor = asked(&view);
    editor.review(&[]);
    assert_eq!(editor.take(), ["close s#1", "read 1"]);
    let reason = Some("no".to_owned());
    editor.outcome(&view, HunkStatus::Denied { reason });
    let told = ["tool_call_update failed", r#"2 {"stopReason":"end_turn"}"#];
    assert_eq!(editor.take(), told);
    editor.answer(1, "approve");
    assert!(editor.take().is_empty());
}

#[test]
fn a_cancelled_prompt_decides_nothing() {
    let mut editor = asked(&file("one"));
    editor.input(SessionInput::Cancel);
    let told = editor.take();
    assert_eq!(told[0], "Cancel");
    assert_eq!(told.last().unwrap(), r#"2 {"stopReason":"cancelled"}"#);
    editor.answer(1, "approve");
    assert!(editor.take().is_empty());
    // While the turn runs, its end is waited for.
    let mut editor = Editor::prompted();
    editor.input(SessionInput::Cancel);
    assert_eq!(editor.take(), ["Cancel"]);
    editor.end(TurnEnd::Cancelled);
    assert_eq!(editor.take(), [r#"2 {"stopReason":"cancelled"}"#]);
}

#[test]
fn what_is_left_or_not_shown_whole_stays_staged() {
    let mut large = file("one");
    large.hunks[0].lines[0].old = None;
    large.hunks[0].lines[0].new = None;
    let mut editor = Editor::prompted();
    editor.event(Event::Staged {
        proposals: vec![large.clone()],
    });
    editor.end(TurnEnd::Review);
    editor.take();
    editor.review(&[large]);
    let end = r#"2 {"stopReason":"end_turn"}"#;
    let told = editor.take();
    assert!(
        told[0].contains("1 proposal staged and not written"),
        "{told:?}"
    );
    assert_eq!(told[1], end);
    let mut editor = asked(&file("one"));
    editor.input(SessionInput::Answer {
        number: 1,
        choice: PermissionChoice::Cancelled,
    });
    assert_eq!(editor.take()[1], end);
}

#[test]
fn a_call_runs_only_by_its_own_question() {
    let call = CallId("c".to_owned());
    let ask = || Event::PermissionAsked {
        call: call.clone(),
        tool: "bash".to_owned(),
        subject: "make".to_owned(),
    };
    let mut editor = Editor::prompted();
    editor.event(ask());
    assert_eq!(editor.take(), ["ask s#1"]);
    editor.answer(7, "once");
    assert!(editor.take().is_empty());
    editor.answer(1, "once");
    let grant = Grant::Once;
    let permit = Command::Permit {
        call: call.clone(),
        grant,
    };
    assert_eq!(editor.take(), [format!("{permit:?}")]);
    // A call that ended by itself is not asked about any more.
    editor.event(ask());
    editor.take();
    editor.event(Event::CallDone {
        call,
        tool: "bash".to_owned(),
        ok: false,
        summary: "stopped".to_owned(),
        took_ms: None,
    });
    assert_eq!(editor.take()[0], "close s#2");
}

#[test]
fn what_was_said_before_is_told_before_the_answer_to_load() {
    let mut editor = Editor::open(true);
    editor.event(Event::Session {
        id: "s".to_owned(),
        parent: None,
        prompts: 1,
    });
    for (speaker, text) in [
        (signoff_llm::session::Speaker::User, "hello"),
        (signoff_llm::session::Speaker::Model, "yes"),
    ] {
        let text = text.to_owned();
        editor.event(Event::Earlier { speaker, text });
    }
    editor.event(Event::Prompts {
        prompts: Vec::new(),
    });
    let told = [
        "Prompts",
        "user_message_chunk hello",
        "agent_message_chunk yes",
        "opened s",
        "1 {}",
    ];
    assert_eq!(editor.take(), told);
}

#[test]
fn a_prompt_that_cannot_be_sent_fails() {
    let mut editor = Editor::prompted();
    let second = |blocks| SessionInput::Prompt {
        id: json!(3),
        blocks,
    };
    editor.input(second(Vec::new()));
    assert_eq!(
        editor.take(),
        ["3 nulla prompt is being worked on; cancel it first"]
    );
    editor.event(Event::Fault(Fault {
        kind: FaultKind::Provider,
        message: "no key".to_owned(),
        hint: None,
    }));
    editor.end(TurnEnd::Failed);
    assert_eq!(editor.take()[1], "2 nullno key");
    editor.input(second(Vec::new()));
    assert_eq!(editor.take(), ["3 nullthe prompt is empty"]);
}
