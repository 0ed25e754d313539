//! The draft of version 2, and editors that send anything.

use proptest::prelude::*;

use super::*;

const TWO: EditorClient = EditorClient {
    version: ProtocolVersion::Two,
    has_forms: false,
};

/// Returns what was told of what goes on.
fn states(told: &[Value]) -> Vec<String> {
    let updates = told.iter().map(|message| &message["params"]["update"]);
    let states = updates.filter(|update| update["sessionUpdate"] == "state_update");
    let short = |update: &Value| match update["stopReason"].as_str() {
        Some(reason) => format!("{} {reason}", update["state"].as_str().unwrap()),
        None => update["state"].as_str().unwrap().to_owned(),
    };
    states.map(short).collect()
}

impl Editor {
    fn messages(&mut self) -> Vec<Value> {
        let outputs = self.session.take_outputs().into_iter();
        let sent = outputs.filter_map(|output| match output {
            SessionOutput::Send(message) => Some(message),
            _ => None,
        });
        sent.collect()
    }

    fn user(&mut self) {
        self.event(Event::User {
            text: "go".to_owned(),
        });
    }
}

#[test]
fn a_prompt_is_answered_once_it_stands_and_its_end_is_a_state() {
    let mut editor = Editor::opened(TWO);
    editor.prompt(2, "go");
    assert!(editor.messages().is_empty());
    editor.user();
    let told = editor.messages();
    assert_eq!(told[0]["id"], 2);
    let id = &told[0]["result"]["messageId"];
    assert_eq!(id, "m-1");
    let inserted = &told[1]["params"]["update"];
    assert_eq!(inserted["sessionUpdate"], "user_message");
    assert_eq!(inserted["messageId"], *id);
    assert_eq!(inserted["content"][0]["text"], "go");
    assert_eq!(states(&told), ["running"]);
    let view = file("one");
    editor.event(Event::Staged(vec![view.clone()].into()));
    editor.end(TurnEnd::Review);
    editor.review(std::slice::from_ref(&view));
    let told = editor.messages();
    assert_eq!(states(&told), ["requires_action"]);
    let asked = told.iter().find(|own| own["id"] == "s#1").unwrap();
    let subject = &asked["params"]["subject"];
    assert_eq!(subject["type"], "tool_call");
    let diff = &subject["toolCall"]["content"][0];
    assert_eq!(diff["changes"][0]["operation"], "modify");
    editor.answer(1, "approve");
    assert_eq!(states(&editor.messages()), ["running"]);
    editor.decided();
    editor.review(&[]);
    editor.outcome(&view, HunkStatus::Committed);
    assert_eq!(states(&editor.messages()), ["idle end_turn"]);
}

#[test]
fn what_fails_or_is_cancelled_is_told_by_the_state() {
    for (end, expected) in [
        (TurnEnd::Failed, "idle error"),
        (TurnEnd::Cancelled, "idle cancelled"),
        (TurnEnd::Limit, "idle max_turn_requests"),
    ] {
        let mut editor = Editor::opened(TWO);
        editor.prompt(2, "go");
        editor.user();
        editor.messages();
        editor.end(end);
        let told = editor.messages();
        assert_eq!(states(&told), [expected]);
        assert!(told.iter().all(|own| own["id"] != 2), "it was answered");
    }
    // Before it stands, it is refused.
    let mut editor = Editor::opened(TWO);
    editor.prompt(2, "go");
    editor.event(Event::Fault(Fault {
        kind: FaultKind::Usage,
        message: "no".to_owned(),
        hint: None,
    }));
    let told = editor.messages();
    assert!(told.iter().any(|own| own["error"]["message"] == "no"));
    assert!(states(&told).is_empty());
}

#[test]
fn a_reason_and_a_command_stand_as_prompts() {
    let mut editor = Editor::opened(TWO);
    editor.prompt(2, "/attached");
    let told = editor.messages();
    assert_eq!(told[0]["result"]["messageId"], "m-1");
    editor.event(Event::Prompts {
        prompts: Vec::new(),
    });
    assert_eq!(states(&editor.messages()), ["idle end_turn"]);
}

#[test]
fn an_earlier_conversation_says_how_it_stands_before_the_answer() {
    let origin = SessionOrigin::Earlier {
        session: "s".to_owned(),
        is_replayed: true,
    };
    let mut editor = Editor::open(origin, TWO);
    editor.began(&[file("one").id]);
    editor.event(Event::Earlier {
        speaker: signoff_llm::session::Speaker::User,
        text: "hello".to_owned(),
    });
    editor.event(Event::Prompts {
        prompts: Vec::new(),
    });
    let told = editor.messages();
    assert_eq!(told[0]["params"]["update"]["messageId"], "m-1");
    assert_eq!(states(&told[1..2]), ["idle"]);
    assert_eq!(told[2]["id"], 1);
    assert_eq!(told[2]["result"]["availableCommands"][0]["type"], "command");
    let option = &told[2]["result"]["configOptions"][0];
    assert_eq!(option["configId"], "mode");
    editor.review(&[file("one")]);
    assert_eq!(states(&editor.messages()), ["requires_action"]);
    editor.input(SessionInput::Cancel);
    assert_eq!(states(&editor.messages()), ["idle"]);
}

/// What an editor and a conversation may do, in any order.
fn any_input() -> impl Strategy<Value = (u8, u8)> {
    (0u8..22, 0u8..4)
}

fn feed(editor: &mut Editor, (what, which): (u8, u8)) {
    let texts = ["one", "two", "three", "four"];
    let text = texts[usize::from(which)];
    let options = ["approve", "deny", "deny-why", "once"];
    match what {
        0 => editor.prompt(u64::from(which), text),
        1 => editor.prompt(
            9,
            ["/deny x", "/compact", "/mcp", "/model b"][usize::from(which)],
        ),
        2 => editor.input(SessionInput::Cancel),
        3..=6 => editor.answer(u64::from(what - 2), options[usize::from(which)]),
        7 => editor.input(SessionInput::Answer {
            number: u64::from(which),
            answer: EditorAnswer::Reason(text.to_owned()),
        }),
        8 => editor.user(),
        9 => editor.phase(),
        10 => editor.end(
            [
                TurnEnd::Done,
                TurnEnd::Review,
                TurnEnd::Failed,
                TurnEnd::Cancelled,
            ][usize::from(which)],
        ),
        11 => editor.event(Event::Staged(vec![file(text)].into())),
        12..=13 => editor.review(&[file(text)]),
        14 => editor.review(&[]),
        15 => editor.decided(),
        16 => editor.event(Event::Undecided),
        17 => editor.outcome(&file(text), HunkStatus::Committed),
        18 => editor.event(Event::Fault(Fault {
            kind: if which == 0 {
                FaultKind::Usage
            } else {
                FaultKind::Provider
            },
            message: text.to_owned(),
            hint: None,
        })),
        19 => editor.event(Event::Prompts {
            prompts: Vec::new(),
        }),
        20 => editor.event(Event::PermissionAsked {
            call: CallId(text.to_owned()),
            tool: "bash".to_owned(),
            subject: text.to_owned(),
        }),
        _ => editor.input(SessionInput::Changed),
    }
}

proptest! {
    /// Whatever comes in whatever order: an approval answers the one question that is open, and what is approved reads as it
    /// was shown last; a prompt is answered once.
    #[test]
    fn approvals_count_for_what_was_shown_last(
        inputs in prop::collection::vec(any_input(), 0..60),
        is_draft in any::<bool>(),
    ) {
        let mut editor = Editor::opened(if is_draft { TWO } else { ONE });
        let mut open: Option<String> = None;
        let mut shown = Value::Null;
        let mut unanswered = 0i32;
        for input in inputs {
            let approves = match input {
                (3..=6, 0) => Some(format!("s#{}", input.0 - 2)),
                _ => None,
            };
            let was_open = approves.is_some() && approves == open;
            let answered = (3..=6).contains(&input.0).then(|| format!("s#{}", input.0 - 2));
            open = open.filter(|open| Some(open) != answered.as_ref());
            unanswered += i32::from(input.0 < 2);
            feed(&mut editor, input);
            for output in editor.session.take_outputs() {
                match output {
                    SessionOutput::Send(message) => {
                        match message["method"].as_str() {
                            Some("session/request_permission") => {
                                let call = message["params"].get("toolCall");
                                let call = call.unwrap_or(&message["params"]["subject"]["toolCall"]);
                                if call["kind"] == "edit" {
                                    open = message["id"].as_str().map(str::to_owned);
                                    prop_assert_eq!(&call["content"], &shown);
                                }
                            }
                            Some("session/update") => {
                                let update = &message["params"]["update"];
                                if update["kind"] == "edit" {
                                    shown = update["content"].clone();
                                }
                            }
                            Some(_) => {}
                            None => unanswered -= 1,
                        }
                    }
                    SessionOutput::Command(Command::Decide(rulings)) => {
                        let approved = rulings.iter().any(|own| own.verdict == Verdict::Approve);
                        prop_assert!(!approved || was_open, "{input:?}");
                    }
                    _ => {}
                }
            }
            prop_assert!((0..=1).contains(&unanswered), "{unanswered}");
        }
    }
}
