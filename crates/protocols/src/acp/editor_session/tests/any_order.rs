//! Editors that send anything, in any order.

use proptest::prelude::*;

use super::*;

/// What an editor and a conversation may do, in any order.
fn any_input() -> impl Strategy<Value = (u8, u8)> {
    (0u8..22, 0u8..4)
}

fn feed(editor: &mut Editor, (what, which): (u8, u8)) {
    let texts = ["one", "two", "three", "four"];
    let text = texts[usize::from(which)];
    let options = ["approve", "deny", "deny-why", "once"];
    match what {
        0 => editor.prompt(i64::from(which), text),
        1 => editor.prompt(
            9,
            ["/deny x", "/compact", "/mcp", "/model b"][usize::from(which)],
        ),
        2 => editor.input(SessionInput::Cancel),
        3..=6 => editor.answer(u64::from(what - 2), options[usize::from(which)]),
        7 => editor.input(SessionInput::Answer {
            number: u64::from(which),
            result: json!({"action": "accept", "content": {"reason": text}}),
        }),
        8 => editor.event(Event::User {
            text: "go".to_owned(),
        }),
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
        has_forms in any::<bool>(),
    ) {
        let mut editor = Editor::opened(has_forms);
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
                        let message = serde_json::to_value(message).unwrap();
                        match message["method"].as_str() {
                            Some("session/request_permission") => {
                                let call = &message["params"]["toolCall"];
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
