//! Conversations in an editor, as messages and events.

use serde_json::json;
use signoff_core::stage::review::{HunkStatus, ProposalView, Ruling, Verdict};
use signoff_llm::message::CallId;
use signoff_llm::mode::Mode;
use signoff_llm::provider::About;
use signoff_llm::session::Grant;

use super::*;
use crate::kit::file;

mod any_order;
mod reasons;

/// A session, and what it has sent.
struct Editor {
    session: EditorSession,
}

impl Editor {
    fn open(origin: SessionOrigin, has_forms: bool) -> Self {
        let opening = OpeningRequest {
            id: RequestId::Number(1),
            origin,
        };
        let setting = SessionSetting {
            root: PathBuf::from("/w"),
            has_forms,
            message_prefix: "m".to_owned(),
            may_write_through: false,
        };
        Self {
            session: EditorSession::new(setting, opening),
        }
    }

    /// Returns one whose conversation is open, in which nothing was said.
    fn opened(has_forms: bool) -> Self {
        let mut editor = Self::open(SessionOrigin::New, has_forms);
        editor.began(&[]);
        editor.event(Event::Prompts {
            prompts: Vec::new(),
        });
        editor.take();
        editor
    }

    /// Returns one that waits for the end of a prompt.
    fn prompted() -> Self {
        let mut editor = Self::opened(false);
        editor.prompt(2, "go");
        assert_eq!(editor.take(), ["Submit(\"go\")"]);
        let text = "go".to_owned();
        editor.event(Event::User { text });
        editor
    }

    fn began(&mut self, staged: &[ProposalId]) {
        self.event(Event::Session {
            id: "s".to_owned(),
            parent: None,
            prompts: 0,
            staged: staged.to_vec(),
        });
    }

    fn prompt(&mut self, id: i64, text: &str) {
        self.input(SessionInput::Prompt {
            id: RequestId::Number(id),
            blocks: vec![text.into()],
        });
    }

    fn phase(&mut self) {
        self.event(Event::Phase {
            phase: Phase::Asking,
        });
    }

    fn decided(&mut self) {
        self.event(Event::Decided {
            committed: Vec::new(),
            approved: 1,
            denied: 0,
            pending: 0,
        });
    }

    fn input(&mut self, input: SessionInput) {
        self.session.handle(input);
    }

    fn event(&mut self, event: Event) {
        self.input(SessionInput::Event(Box::new(event)));
    }

    fn answer(&mut self, number: u64, option: &str) {
        let result = selected(option);
        self.input(SessionInput::Answer { number, result });
    }

    fn end(&mut self, end: TurnEnd) {
        self.event(Event::TurnEnded { end });
    }

    fn review(&mut self, proposals: &[ProposalView]) {
        let proposals = proposals.to_vec();
        self.event(Event::Review(proposals.into()));
    }

    fn outcome(&mut self, view: &ProposalView, status: HunkStatus) {
        let outcomes = view.hunks.iter().map(|hunk| HunkOutcome {
            hunk: hunk.id,
            path: view.path.clone(),
            status: status.clone(),
        });
        self.input(SessionInput::Outcomes(outcomes.collect()));
    }

    /// Chooses a value of an option, and returns what is sent for it.
    fn choose(&mut self, option: &str, value: &str) -> Vec<String> {
        let request = ChoiceRequest {
            id: RequestId::Number(5),
            is_mode_request: false,
        };
        self.input(SessionInput::Configure {
            request,
            option: option.to_owned(),
            value: value.to_owned(),
        });
        self.take()
    }

    /// Returns what was sent since, in short.
    fn take(&mut self) -> Vec<String> {
        let outputs = self.session.take_outputs();
        outputs.iter().map(in_short).collect()
    }
}

/// Returns an answer that selects an option.
fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
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
    let message = serde_json::to_value(message).unwrap();
    let params = &message["params"];
    match message["method"].as_str() {
        Some("session/update") => {
            let update = &params["update"];
            let status = [&update["status"], &update["content"]["text"]].map(word);
            format!("{} {}", word(&update["sessionUpdate"]), status.concat())
        }
        Some("session/request_permission") => format!("ask {}", word(&message["id"])),
        Some("elicitation/create") => format!("form {}", word(&message["id"])),
        Some(_) => format!("close {}", word(&params["requestId"])),
        None => format!(
            "{} {}{}",
            message["id"],
            message["result"],
            word(&message["error"]["message"])
        ),
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a prompt that staged a change and is asked about it.
fn asked(view: &ProposalView) -> Editor {
    let mut editor = Editor::prompted();
    editor.event(Event::Staged(vec![view.clone()].into()));
    editor.end(TurnEnd::Review);
    assert_eq!(editor.take(), ["tool_call ", "Review"]);
    editor.review(std::slice::from_ref(view));
    assert_eq!(editor.take(), ["ask s#1"]);
    editor
}

fn decided(verdict: &Verdict) -> String {
    let hunk = file("one").hunks[0].id;
    let verdict = verdict.clone();
    format!(
        "{:?}",
        Command::Decide(vec![Ruling {
            hunk,
            displayed: signoff_core::stage::review::DisplayHash::default(),
            sight: signoff_core::stage::review::Sight::Editor,
            verdict
        }])
    )
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
        editor.decided();
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
    editor.decided();
    editor.phase();
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
fn a_prompt_ends_with_its_conversation() {
    let mut editor = Editor::prompted();
    editor.input(SessionInput::Close(None));
    let told = ["Cancel", r#"2 {"stopReason":"cancelled"}"#];
    assert_eq!(editor.take(), told);
    let mut editor = asked(&file("one"));
    editor.input(SessionInput::Close(None));
    let told = editor.take();
    assert_eq!(told[0], "Cancel");
    assert_eq!(told.last().unwrap(), r#"2 {"stopReason":"cancelled"}"#);
    editor.answer(1, "approve");
    assert!(editor.take().is_empty());
}

#[test]
fn what_is_left_or_not_shown_whole_stays_staged() {
    let mut large = file("one");
    large.hunks[0].lines[0].old = None;
    large.hunks[0].lines[0].new = None;
    let mut editor = Editor::prompted();
    editor.event(Event::Staged(vec![large.clone()].into()));
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
        result: json!({"outcome": {"outcome": "cancelled"}}),
    });
    assert_eq!(editor.take()[1], end);
}

#[test]
fn a_call_runs_only_by_its_own_question() {
    let call = CallId("c".to_owned());
    let question = Event::PermissionAsked {
        call: call.clone(),
        tool: "bash".to_owned(),
        subject: "make".to_owned(),
    };
    let mut editor = Editor::prompted();
    editor.event(question.clone());
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
    editor.event(question);
    editor.take();
    editor.event(Event::Call(CallEvent::Done {
        call,
        tool: "bash".to_owned(),
        ok: false,
        summary: "stopped".to_owned(),
        took_ms: None,
    }));
    assert_eq!(editor.take()[0], "close s#2");
}

/// Returns the messages of an earlier conversation that is opened, up to the answer.
fn taken_up(is_replayed: bool) -> (Editor, Vec<String>) {
    let origin = SessionOrigin::Earlier {
        session: SessionId::new("s"),
        is_replayed,
    };
    let mut editor = Editor::open(origin, false);
    let staged = file("one").id;
    editor.began(&[staged]);
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
    let told = editor.take();
    (editor, told)
}

#[test]
fn what_was_said_before_is_told_before_the_answer_to_load() {
    for (is_replayed, said) in [
        (
            true,
            &["user_message_chunk hello", "agent_message_chunk yes"][..],
        ),
        (false, &[]),
    ] {
        let (_, told) = taken_up(is_replayed);
        let after = said.len() + 1;
        assert_eq!(told[0], "Prompts");
        assert_eq!(told[1..after], *said);
        assert_eq!(told[after], "opened s");
        let answer = &told[after + 1];
        let is_whole = answer.starts_with("1 {") && answer.contains("configOptions");
        assert!(is_whole, "{answer}");
        let rest = ["available_commands_update ", "Review"];
        assert_eq!(told[after + 2..], rest);
    }
}

#[test]
fn what_waits_of_an_earlier_conversation_is_asked_about() {
    let (mut editor, _) = taken_up(true);
    let mut others = file("two");
    others.id = ProposalId(uuid::Uuid::max());
    editor.review(&[file("one"), others]);
    assert_eq!(editor.take(), ["tool_call ", "ask s#1"]);
    editor.answer(1, "approve");
    assert_eq!(editor.take(), [decided(&Verdict::Approve)]);
    editor.decided();
    editor.review(&[]);
    editor.outcome(&file("one"), HunkStatus::Committed);
    assert_eq!(editor.take(), ["read 1", "tool_call_update completed"]);
    // Nothing is left: the next prompt is as any other.
    editor.prompt(2, "go");
    assert_eq!(editor.take(), ["Submit(\"go\")"]);
}

#[test]
fn a_prompt_leaves_what_is_asked_about_staged() {
    let (mut editor, _) = taken_up(true);
    editor.review(&[file("one")]);
    editor.take();
    editor.prompt(2, "go on");
    assert_eq!(editor.take(), ["close s#1", "Submit(\"go on\")"]);
    editor.event(Event::User {
        text: "go on".to_owned(),
    });
    editor.end(TurnEnd::Done);
    editor.review(&[file("one")]);
    assert_eq!(editor.take(), ["Review", "ask s#2"]);
    editor.prompt(3, "first this");
    let told = editor.take();
    assert_eq!(told[0], "close s#2");
    assert!(told[1].contains("1 proposal staged"), "{told:?}");
    let rest = [r#"2 {"stopReason":"end_turn"}"#, "Submit(\"first this\")"];
    assert_eq!(told[2..], rest);
    editor.answer(2, "approve");
    assert!(editor.take().is_empty());
}

#[test]
fn a_prompt_that_cannot_be_sent_fails() {
    let mut editor = Editor::prompted();
    editor.prompt(3, "");
    assert_eq!(editor.take(), ["3 nullthe prompt is empty"]);
    editor.prompt(3, "more");
    let told = ["3 nulla prompt is being worked on; cancel it first"];
    assert_eq!(editor.take(), told);
    editor.event(Event::Fault(Fault {
        kind: FaultKind::Provider,
        message: "no key".to_owned(),
        hint: None,
    }));
    editor.end(TurnEnd::Failed);
    assert_eq!(editor.take()[1], "2 nullno key");
}

#[test]
fn a_prompt_that_was_not_sent_fails_unless_it_was_cancelled() {
    for (is_cancelled, expected) in [
        (false, "2 nulltoo many images"),
        (true, r#"2 {"stopReason":"cancelled"}"#),
    ] {
        let mut editor = Editor::opened(false);
        editor.prompt(2, "go");
        if is_cancelled {
            editor.input(SessionInput::Cancel);
        }
        editor.event(Event::Fault(Fault {
            kind: FaultKind::Usage,
            message: "too many images".to_owned(),
            hint: None,
        }));
        assert_eq!(editor.take().last().unwrap(), expected);
    }
}

#[test]
fn images_go_with_the_prompt() {
    let mut editor = Editor::opened(false);
    for (data, expected) in [
        ("iVBORw0KGgo=", Ok("Submit(\"image 1\")")),
        ("x", Err("not sent as base64")),
    ] {
        let image = json!({"type": "image", "data": data, "mimeType": "image/png"});
        editor.input(SessionInput::Prompt {
            id: RequestId::Number(2),
            blocks: vec![serde_json::from_value(image).unwrap()],
        });
        let told = editor.take();
        match expected {
            Ok(submitted) => {
                assert!(told[0].starts_with("GiveImages"), "{told:?}");
                assert_eq!(told[1], submitted);
                editor.event(Event::User {
                    text: String::new(),
                });
                editor.end(TurnEnd::Done);
                editor.take();
            }
            Err(why) => assert!(told[0].contains(why), "{told:?}"),
        }
    }
}

#[test]
fn commands_are_done_and_end_the_prompt() {
    let end = r#"2 {"stopReason":"end_turn"}"#;
    let mut editor = Editor::opened(false);
    editor.prompt(2, "/compact");
    assert_eq!(editor.take(), ["Compact", "Prompts"]);
    editor.event(Event::Prompts {
        prompts: Vec::new(),
    });
    assert_eq!(editor.take(), [end]);
    editor.prompt(2, "/mcp");
    assert_eq!(editor.take(), ["Servers(List)"]);
    editor.event(Event::Servers(signoff_llm::foreign::ServersReport {
        lines: vec!["files runs".to_owned()],
        ..Default::default()
    }));
    let told = editor.take();
    assert!(told[0].contains("files runs"), "{told:?}");
    assert_eq!(told[1], end);
    editor.prompt(2, "/review");
    let told = editor.take();
    assert!(told[0].contains("for a terminal"), "{told:?}");
    assert_eq!(told[1], end);
}

fn answered_by(model: &str) -> Event {
    Event::Ready {
        about: About {
            provider: "p".to_owned(),
            model: model.to_owned(),
            endpoint: String::new(),
        },
        hint: None,
    }
}

#[test]
fn a_mode_or_a_model_is_chosen_among_those_offered() {
    let mut editor = Editor::opened(false);
    assert!(editor.choose("mode", "write-through")[0].contains("does not let"));
    assert_eq!(editor.choose("mode", "plan"), ["SetMode(Plan)", "Prompts"]);
    editor.event(Event::Mode { mode: Mode::Plan });
    editor.event(Event::Prompts {
        prompts: Vec::new(),
    });
    let told = editor.take();
    assert_eq!(told[..2], ["current_mode_update ", "config_option_update "]);
    assert!(told[2].contains(r#""currentValue":"plan""#), "{told:?}");
    assert!(editor.choose("model", "b")[0].contains("does not list"));
    editor.event(answered_by("a"));
    let models = vec!["a".to_owned(), "b".to_owned()];
    editor.input(SessionInput::Models(models));
    editor.take();
    assert_eq!(editor.choose("model", "b"), ["UseModel(\"b\")"]);
    editor.event(answered_by("b"));
    let told = editor.take();
    assert!(told[2].contains(r#""currentValue":"b""#), "{told:?}");
    assert_eq!(editor.choose("model", "a"), ["UseModel(\"a\")"]);
    editor.event(Event::Fault(Fault {
        kind: FaultKind::Usage,
        message: "it is gone".to_owned(),
        hint: None,
    }));
    assert_eq!(editor.take()[1], "5 nullit is gone");
}
