//! Reasons of denials and refusals.

use super::*;

/// Returns an answer to a form.
fn written(reason: &str) -> Value {
    json!({"action": "accept", "content": {"reason": reason}})
}

fn denied(reason: Option<&str>) -> String {
    let reason = reason.map(str::to_owned);
    decided(&Verdict::Deny { reason })
}

/// Returns one that is asked about a proposal.
fn asked_by(has_forms: bool) -> Editor {
    let mut editor = Editor::opened(has_forms);
    editor.prompt(2, "go");
    editor.event(Event::User {
        text: "go".to_owned(),
    });
    let view = file("one");
    editor.event(Event::Staged(vec![view.clone()].into()));
    editor.end(TurnEnd::Review);
    editor.review(&[view]);
    assert_eq!(editor.take().last().unwrap(), "ask s#1");
    editor
}

#[test]
fn a_form_asks_for_the_reason() {
    for (result, reason) in [
        (written("too long"), Some("too long")),
        (written(""), None),
        (json!({"action": "decline"}), None),
        (Value::Null, None),
        (selected("approve"), None),
    ] {
        let mut editor = asked_by(true);
        editor.answer(1, "deny-why");
        assert_eq!(editor.take(), ["form s#2"]);
        editor.input(SessionInput::Answer { number: 2, result });
        assert_eq!(editor.take(), [denied(reason)]);
    }
    // What changed while the form was open is asked about again.
    let mut editor = asked_by(true);
    editor.answer(1, "deny-why");
    editor.take();
    editor.review(&[file("two")]);
    let again = ["tool_call_update pending", "close s#2", "ask s#3"];
    assert_eq!(editor.take(), again);
}

#[test]
fn without_forms_the_next_prompt_is_the_reason() {
    let mut editor = asked_by(false);
    editor.answer(1, "deny-why");
    let told = editor.take();
    assert!(told[0].contains("say why in the next prompt"), "{told:?}");
    assert_eq!(told[1], r#"2 {"stopReason":"end_turn"}"#);
    editor.prompt(3, " keep the old name ");
    assert_eq!(editor.take(), [denied(Some("keep the old name"))]);
    editor.decided();
    editor.phase();
    editor.review(&[]);
    editor.end(TurnEnd::Done);
    let reason = Some("keep the old name".to_owned());
    editor.outcome(&file("one"), HunkStatus::Denied { reason });
    let told = editor.take();
    assert_eq!(told.last().unwrap(), r#"3 {"stopReason":"end_turn"}"#);
}

#[test]
fn a_prompt_that_is_no_reason_any_more_is_a_prompt() {
    // It was decided elsewhere, or reads differently.
    for list in [vec![], vec![file("two")]] {
        let mut editor = asked_by(false);
        editor.answer(1, "deny-why");
        editor.review(&list);
        editor.take();
        editor.prompt(3, "no");
        let told = editor.take();
        assert!(told[0].contains("nothing was denied"), "{told:?}");
        assert_eq!(told[1], "Submit(\"no\")");
    }
    // It is too long, or was not carried out.
    for (text, event) in [
        ("x".repeat(2001), None),
        ("no".to_owned(), Some(Event::Undecided)),
    ] {
        let mut editor = asked_by(false);
        editor.answer(1, "deny-why");
        editor.take();
        editor.prompt(3, &text);
        let reason = (text.len() < 9).then_some(text.as_str());
        assert_eq!(editor.take(), [denied(reason)]);
        match event {
            Some(event) => editor.event(event),
            None => editor.decided(),
        }
        assert_eq!(editor.take(), [format!("Submit({text:?})")]);
    }
}

#[test]
fn a_command_denies_all_that_waits() {
    let mut editor = asked_by(false);
    editor.answer(1, "later");
    editor.take();
    editor.prompt(3, "/deny not now");
    assert_eq!(editor.take(), [denied(Some("not now"))]);
    editor.event(Event::Undecided);
    editor.review(&[file("one")]);
    assert_eq!(editor.take(), ["ask s#2"]);
    let mut editor = Editor::opened(false);
    editor.prompt(3, "/deny");
    let told = editor.take();
    assert!(told[0].contains("nothing waits"), "{told:?}");
    assert_eq!(told[1], r#"3 {"stopReason":"end_turn"}"#);
}

#[test]
fn a_call_is_refused_for_a_reason() {
    let call = CallId("c".to_owned());
    let permit = |reason: Option<&str>| {
        let (call, reason) = (call.clone(), reason.map(str::to_owned));
        let grant = Grant::Refuse { reason };
        format!("{:?}", Command::Permit { call, grant })
    };
    for (has_forms, answer, told) in [
        (false, None, permit(None)),
        (true, Some("use make"), permit(Some("use make"))),
        (true, Some(""), permit(None)),
    ] {
        let mut editor = Editor::opened(has_forms);
        editor.event(Event::PermissionAsked {
            call: call.clone(),
            tool: "bash".to_owned(),
            subject: "sh".to_owned(),
        });
        editor.take();
        editor.answer(1, "refuse-why");
        if let Some(answer) = answer {
            assert_eq!(editor.take(), ["form s#2"]);
            let result = written(answer);
            editor.input(SessionInput::Answer { number: 2, result });
        }
        assert_eq!(editor.take(), [told]);
    }
}
