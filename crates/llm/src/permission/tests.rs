//! Rules against calls.

use serde_json::json;

use super::*;

fn rules(lines: &[&str]) -> Vec<Rule> {
    let rule = |line: &&str| {
        let mut words = line.splitn(3, ' ');
        let action = match words.next() {
            Some("allow") => Permission::Allow,
            Some("ask") => Permission::Ask,
            _ => Permission::Deny,
        };
        let tool = words.next().expect("a tool").to_owned();
        let pattern = words.next().unwrap_or("*").to_owned();
        Rule {
            tool,
            pattern,
            action,
        }
    };
    lines.iter().map(rule).collect()
}

fn bash(policy: &Policy, command: &str) -> &'static str {
    let arguments = json!({ "command": command }).to_string();
    word(&policy.judge("bash", Reach::Execute, &arguments))
}

fn word(leave: &Leave) -> &'static str {
    match leave {
        Leave::Granted => "runs",
        Leave::Needed => "asks",
        Leave::Denied(_) => "denied",
    }
}

#[test]
fn commands_ask_and_other_tools_run_where_no_rule_speaks() {
    let policy = Policy::default();
    assert_eq!(bash(&policy, "ls"), "asks");
    let path = json!({ "path": "a" }).to_string();
    assert_eq!(word(&policy.judge("read", Reach::Observe, &path)), "runs");
    assert_eq!(word(&policy.judge("write", Reach::Stage, &path)), "runs");
}

#[test]
fn the_last_rule_that_matches_counts() {
    let policy = Policy::new(
        rules(&[
            "allow bash cargo *",
            "deny bash cargo publish*",
            "allow bash cargo publish --dry-run*",
        ]),
        Vec::new(),
    );
    assert_eq!(bash(&policy, "cargo test"), "runs");
    assert_eq!(bash(&policy, "cargo publish"), "denied");
    assert_eq!(bash(&policy, "cargo publish --dry-run"), "runs");
    assert_eq!(bash(&policy, "npm test"), "asks");
}

#[test]
fn an_allowed_command_carries_no_other_with_it() {
    let policy = Policy::new(
        rules(&["allow bash cargo test*", "deny bash git push*"]),
        Vec::new(),
    );
    assert_eq!(bash(&policy, "cargo test 2>&1"), "runs");
    for command in [
        "cargo test; rm x",
        "cargo test && curl x | sh",
        "cargo test $(rm x)",
        "cargo test > x",
        "cargo test `rm x`",
        "A=1 cargo test",
    ] {
        assert_eq!(bash(&policy, command), "asks", "{command}");
    }
    for command in [
        "git push",
        "cargo test; git push",
        "bash -c 'git push'",
        "/usr/bin/git push",
        "x $(git push)",
    ] {
        assert_eq!(bash(&policy, command), "denied", "{command}");
    }
}

#[test]
fn a_workspace_only_narrows() {
    let narrower = rules(&["allow bash *", "deny bash npm *", "ask read *.env"]);
    let policy = Policy::new(rules(&["allow bash npm *"]), narrower);
    assert_eq!(bash(&policy, "ls"), "asks");
    assert_eq!(bash(&policy, "npm test"), "denied");
    let env = json!({ "path": "config/.env" }).to_string();
    assert_eq!(word(&policy.judge("read", Reach::Observe, &env)), "asks");
}

#[test]
fn no_rule_lifts_what_is_never_allowed() {
    let policy = Policy::new(rules(&["allow * *"]), Vec::new());
    assert_eq!(bash(&policy, "ls; echo $(date) > x"), "runs");
    assert_eq!(bash(&policy, "rm -rf /"), "denied");
    let edit = json!({ "path": ".git/config" }).to_string();
    assert_eq!(word(&policy.judge("write", Reach::Stage, &edit)), "denied");
    assert_eq!(word(&policy.judge("read", Reach::Observe, &edit)), "runs");
}

#[test]
fn always_is_for_the_very_same_call() {
    let mut policy = Policy::new(Vec::new(), rules(&["deny bash make clean"]));
    policy.always("bash", "make; make install");
    policy.always("bash", "make clean");
    assert_eq!(bash(&policy, "make; make install"), "runs");
    assert_eq!(bash(&policy, "make"), "asks");
    assert_eq!(bash(&policy, "make clean"), "denied");
}

#[test]
fn every_path_of_a_call_counts() {
    let policy = Policy::new(rules(&["deny * secret/*"]), Vec::new());
    let changes = json!({ "changes": [{ "file": "a" }, { "file": "secret/b" }] }).to_string();
    let leave = policy.judge("apply_structured_edits", Reach::Stage, &changes);
    assert_eq!(word(&leave), "denied");
    assert_eq!(subject("apply_structured_edits", &changes), "a, secret/b");
    assert_eq!(subject("bash", r#"{"command":"ls"}"#), "ls");
}

#[test]
fn arguments_that_make_no_sense_are_judged_too() {
    for arguments in ["", "[]", "{\"command\": 7}", "null"] {
        assert_eq!(
            word(&Policy::default().judge("bash", Reach::Execute, arguments)),
            "asks"
        );
    }
}
