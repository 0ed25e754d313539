//! Calls and answers of hooks.

use std::path::Path;

use serde_json::{Value, json};
use signoff_sandbox::process::Ended;

use super::call_input::{HookScene, HookedResponse};
use super::*;
use crate::subjects::{ForeignSubject, Subjects};
use crate::tool_spec::Reach;
use crate::trust::TrustQuestion;

fn paths(names: &[&str]) -> Subjects {
    Subjects::Paths(names.iter().map(|&name| name.to_owned()).collect())
}

fn foreign() -> Subjects {
    Subjects::Foreign(Box::new(ForeignSubject {
        tool: "files__read".to_owned(),
        arguments: json!({"file_path": "x"}),
        fingerprint: String::new(),
        is_changed: false,
    }))
}

#[test]
fn tools_have_the_names_that_hooks_know() {
    for (tool, reach, subjects, expected) in [
        (
            "bash",
            Reach::Execute,
            Subjects::Confined("ls".into()),
            "Bash bash",
        ),
        ("read", Reach::Observe, paths(&["a"]), "Read read"),
        (
            "write",
            Reach::Stage,
            paths(&["a"]),
            "Write Edit MultiEdit write",
        ),
        (
            "move",
            Reach::Stage,
            paths(&["a", "b"]),
            "Edit Write MultiEdit move",
        ),
        (
            "apply_structured_edits",
            Reach::Stage,
            paths(&["a"]),
            "Edit Write MultiEdit apply_structured_edits",
        ),
        (
            "mcp_call",
            Reach::Execute,
            foreign(),
            "mcp__files__read files__read",
        ),
        ("git_log", Reach::Observe, paths(&[]), "git_log"),
    ] {
        let call = HookedCall {
            tool,
            reach,
            subjects: &subjects,
            arguments: "{}",
            new_text: None,
        };
        let names = call.names();
        assert_eq!(names.join(" "), expected);
    }
}

#[test]
fn a_hook_judges_what_runs_and_not_what_the_model_wrote_beside_it() {
    let line = Subjects::Networked("rm x".into());
    let scene = HookScene {
        session: "s",
        root: Path::new("/w"),
    };
    for (tool, subjects, arguments, new_text, expected) in [
        (
            "bash",
            line,
            r#"{"command":"ls","timeout":3,"file_path":"/etc/passwd"}"#,
            None,
            vec![json!({"command": "rm x", "timeout": 3})],
        ),
        (
            "edit_section",
            paths(&["src/../.env"]),
            r#"{"file_path":"harmless","path":"src/../.env","new_string":"y"}"#,
            Some("x"),
            vec![json!({
                "path": "src/../.env", "file_path": "/w/.env", "new_string": "x", "content": "x"
            })],
        ),
        (
            "move",
            paths(&["a", "/w/b", "", "a"]),
            "[",
            None,
            vec![json!({"file_path": "/w/a"}), json!({"file_path": "/w/b"})],
        ),
        (
            "mcp_call",
            foreign(),
            "{}",
            None,
            vec![json!({"file_path": "x"})],
        ),
        ("git_log", paths(&[]), "{}", None, vec![json!({})]),
    ] {
        let call = HookedCall {
            tool,
            reach: Reach::Stage,
            subjects: &subjects,
            arguments,
            new_text,
        };
        let inputs = call.inputs(HookEvent::PreToolUse, scene, None);
        let told: Vec<Value> = inputs.iter().map(|it| it["tool_input"].clone()).collect();
        assert_eq!(told, expected, "{tool}");
        let first = &inputs[0];
        assert_eq!(first["cwd"], "/w");
        assert_eq!(first["session_id"], "s");
        assert_eq!(first["hook_event_name"], "PreToolUse");
        assert_eq!(first["signoff_tool"], tool);
        assert_eq!(first["tool_name"], call.names()[0]);
        assert_eq!(first.get("tool_response"), None);
        let response = HookedResponse {
            ok: true,
            content: "done",
        };
        let after = call.inputs(HookEvent::PostToolUse, scene, Some(response));
        let expected = json!({"success": true, "content": "done"});
        assert_eq!(after[0]["tool_response"], expected);
    }
}

/// An answer of a hook, and what follows from it: the verdict, what the model reads, what the user is told.
struct AnswerCase {
    event: HookEvent,
    ended: Ended,
    out: &'static str,
    err: &'static str,
    verdict: &'static str,
    context: &'static str,
    remark: &'static str,
}

const fn case(
    event: HookEvent,
    (ended, out, err): (Ended, &'static str, &'static str),
    (verdict, context, remark): (&'static str, &'static str, &'static str),
) -> AnswerCase {
    AnswerCase {
        event,
        ended,
        out,
        err,
        verdict,
        context,
        remark,
    }
}

const PRE: HookEvent = HookEvent::PreToolUse;
const POST: HookEvent = HookEvent::PostToolUse;
const PROMPT: HookEvent = HookEvent::UserPromptSubmit;
const DONE: Ended = Ended::Exit(0);
const BLOCKS: Ended = Ended::Exit(2);

const ANSWERS: &[AnswerCase] = &[
    case(PRE, (DONE, "", ""), ("", "", "")),
    case(PRE, (DONE, "ok", "noise"), ("", "", "")),
    case(
        PRE,
        (BLOCKS, "{", " use make\n"),
        ("deny: use make", "", ""),
    ),
    case(PRE, (BLOCKS, "", ""), ("deny: it gave no reason", "", "")),
    case(POST, (BLOCKS, "", "bad"), ("", "bad", "")),
    case(
        PROMPT,
        (DONE, " branch: main\n", ""),
        ("", "branch: main", ""),
    ),
    case(PROMPT, (BLOCKS, "x", "no keys"), ("deny: no keys", "", "")),
    case(
        PROMPT,
        (DONE, r#"{"decision":"block","reason":"no keys"}"#, ""),
        ("deny: no keys", "", ""),
    ),
    case(
        PRE,
        (
            Ended::Exit(1),
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
            "a\nb",
        ),
        (
            "",
            "",
            "ended with exit code 1, and work goes on as without it: a",
        ),
    ),
    case(
        PRE,
        (Ended::Exit(127), "", ""),
        ("", "", "ended with exit code 127"),
    ),
    case(
        PRE,
        (Ended::Signal(9), "", ""),
        ("", "", "was ended by signal 9"),
    ),
    case(
        PRE,
        (Ended::TimedOut, "", ""),
        (
            "",
            "",
            "was ended after its time, and work goes on as without it",
        ),
    ),
    case(PRE, (Ended::Stopped, "", ""), ("stopped", "", "")),
    case(
        PRE,
        (
            DONE,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            "",
        ),
        ("deny: no", "", ""),
    ),
    case(
        PRE,
        (
            DONE,
            r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#,
            "",
        ),
        ("ask: sure?", "", ""),
    ),
    case(
        PRE,
        (
            DONE,
            r#"{"hookSpecificOutput":{"permissionDecision":"allow","additionalContext":"note"}}"#,
            "",
        ),
        ("", "note", ""),
    ),
    case(
        PRE,
        (DONE, r#"{"decision":"approve","reason":"fine"}"#, ""),
        ("", "", ""),
    ),
    case(
        PRE,
        (DONE, r#"{"decision":"block","reason":"old form"}"#, ""),
        ("deny: old form", "", ""),
    ),
    case(
        PRE,
        (DONE, r#"{"continue":false,"stopReason":"stop"}"#, ""),
        ("deny: stop", "", ""),
    ),
    case(
        POST,
        (
            DONE,
            r#"{"decision":"block","reason":"lint","systemMessage":"hello\nthere"}"#,
            "",
        ),
        ("", "lint", "says: hello"),
    ),
    case(
        PRE,
        (
            DONE,
            r#"{"hookSpecificOutput":{"updatedInput":{"command":"x"},"permissionDecision":"allow"}}"#,
            "",
        ),
        (
            "",
            "",
            "answered with the field updatedInput, which is passed over",
        ),
    ),
    case(
        PRE,
        (DONE, "{", ""),
        (
            "",
            "",
            "printed JSON that cannot be read, and work goes on as without it: ",
        ),
    ),
];

#[test]
fn an_answer_denies_asks_or_adds_and_never_allows() {
    for case in ANSWERS {
        let answer = HookAnswer::read(case.event, case.ended, case.out, case.err);
        let shown = format!("{} {answer:?}", case.out);
        let verdict = match &answer.verdict {
            HookVerdict::None => String::new(),
            HookVerdict::Deny(why) => format!("deny: {why}"),
            HookVerdict::Ask(why) => format!("ask: {why}"),
            HookVerdict::Stopped => "stopped".to_owned(),
        };
        assert_eq!(verdict, case.verdict, "{shown}");
        assert_eq!(
            answer.context.as_deref().unwrap_or(""),
            case.context,
            "{shown}"
        );
        let told = answer.remarks.first().map_or("", String::as_str);
        assert!(told.starts_with(case.remark), "{shown}");
        assert_eq!(told.is_empty(), case.remark.is_empty(), "{shown}");
    }
    let flood = HookAnswer::read(PRE, BLOCKS, "", &"é".repeat(5_000));
    assert!(matches!(flood.verdict, HookVerdict::Deny(why) if why.len() <= 2_000));
}

fn hook(command: &str) -> Hook {
    Hook {
        event: HookEvent::PreToolUse,
        matcher: ToolMatcher::read("*").0,
        command: command.to_owned(),
        timeout: Duration::from_secs(3),
    }
}

fn asked(hooks: &Hooks) -> Vec<String> {
    let names = ["Read".to_owned()];
    assert!(hooks.asked(HookEvent::PostToolUse, &names).is_empty());
    let asked = hooks.asked(HookEvent::PreToolUse, &names);
    asked.iter().map(|hook| hook.command.clone()).collect()
}

#[test]
fn hooks_of_the_workspace_are_asked_only_once_they_are_trusted() {
    let hooks = |standing| {
        let question = TrustQuestion {
            label: "hooks".into(),
            text: "theirs".into(),
        };
        let workspace = WorkspaceHooks {
            hooks: vec![hook("theirs")],
            trust: TrustRecord::new(question, standing, Box::new(|_| Ok(()))),
        };
        Hooks::new(vec![hook("own")], Some(workspace)).unwrap()
    };
    for (standing, expected) in [
        (TrustStanding::Unknown, &["own"][..]),
        (TrustStanding::Changed, &["own"]),
        (TrustStanding::Refused, &["own"]),
        (TrustStanding::Trusted, &["own", "theirs"]),
    ] {
        assert_eq!(asked(&hooks(standing)), expected);
    }
    let hooks = hooks(TrustStanding::Unknown);
    for (is_trusted, expected) in [(true, &["own", "theirs"][..]), (false, &["own"])] {
        hooks.trust().unwrap().decide(is_trusted).unwrap();
        assert_eq!(asked(&hooks), expected);
    }
    assert!(hooks.is_news("x") && !hooks.is_news("x"));
    assert!(Hooks::new(Vec::new(), None).is_none());
}
