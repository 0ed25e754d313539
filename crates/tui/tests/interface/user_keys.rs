//! Keys that the user configured: they decide only where the built-in ones would, and the screen names them.

use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Event};
use signoff_tui::app::{KeyMap, Msg};

use crate::stage::{self, Stage};

/// What users may want to approve with.
const APPROVE: &[(&str, &str)] = &[
    ("f5", "<f5>"),
    ("enter", "<enter>"),
    ("space", " "),
    ("ctrl-s", "<ctrl-s>"),
    ("x", "x"),
];

fn user_keys(text: &str) -> Msg {
    let table: Option<toml::Value> = toml::from_str(text).ok();
    let keys = table.and_then(|table| KeyMap::with_user_keys(&table).ok());
    assert!(keys.is_some(), "{text}");
    Msg::Keys(keys.unwrap_or_default())
}

fn approving_with(key: &str) -> Msg {
    user_keys(&format!(
        "review.approve = '{key}'\npermission.once = '{key}'"
    ))
}

/// The moment in which a proposal is on the screen; a prompt was sent long ago.
fn arriving(keys: Msg) -> Stage {
    let mut stage = Stage::ready(80, 30);
    stage.feed(keys);
    stage.tell(stage::asking("go"));
    stage.say(stage::staging(stage::two_files()));
    stage
}

fn marked(stage: &Stage) -> usize {
    stage.screen().matches("[approve]").count()
}

#[test]
fn a_key_that_approves_is_typed_ahead_of_nothing() {
    for (name, key) in APPROVE {
        for pause in [0, 30, 150, 599] {
            let mut stage = arriving(approving_with(name));
            assert_eq!(stage.hurry(key, pause), [], "{name} after {pause} ms");
            assert_eq!(marked(&stage), 0, "{name} after {pause} ms");
        }
        let mut stage = arriving(approving_with(name));
        stage.pass(600);
        stage.hurry(key, 0);
        assert_eq!(marked(&stage), 1, "{name}: {}", stage.screen());
        // The built-in key means nothing any more.
        let mut stage = arriving(approving_with(name));
        stage.pass(9_000);
        stage.hurry("a", 0);
        assert_eq!(marked(&stage), 0, "{name}: {}", stage.screen());
        // What comes at once with letters is text.
        for burst in [format!("{key}also"), format!("also{key}")] {
            let mut stage = arriving(approving_with(name));
            stage.pass(9_000);
            stage.burst(&burst);
            assert_eq!(marked(&stage), 0, "{burst}: {}", stage.screen());
        }
        // A proposal that comes into an open review takes no key that was on its way.
        let mut stage = arriving(approving_with(name));
        stage.pass(9_000);
        let new = stage::proposal(
            3,
            "c.rs",
            signoff_core::edit::intent::Operation::Modify,
            &[7],
        );
        stage.say([stage::one_more(new)]);
        stage.hurry(key, 100);
        assert_eq!(marked(&stage), 0, "{name}: {}", stage.screen());
    }
}

#[test]
fn a_key_that_permits_is_typed_ahead_of_nothing() {
    for (name, key) in APPROVE {
        let mut stage = Stage::ready(80, 16);
        stage.feed(approving_with(name));
        stage.say([Event::PermissionAsked {
            call: CallId("a".to_owned()),
            tool: "bash".to_owned(),
            subject: "make".to_owned(),
        }]);
        let is_permit = |asked: &Command| matches!(asked, Command::Permit { .. });
        assert!(!stage.hurry(key, 599).iter().any(is_permit), "{name}");
        let mut stage = Stage::ready(80, 16);
        stage.feed(approving_with(name));
        stage.say([Event::PermissionAsked {
            call: CallId("a".to_owned()),
            tool: "bash".to_owned(),
            subject: "make".to_owned(),
        }]);
        stage.pass(9_000);
        assert!(stage.hurry(key, 0).iter().any(is_permit), "{name}");
    }
}

/// Whoever approves hunk after hunk with Enter does not write with the press that was for another hunk.
#[test]
fn the_key_of_the_last_verdict_does_not_write_at_once() {
    let decides = |asked: &[Command]| {
        asked
            .iter()
            .any(|asked| matches!(asked, Command::Decide(_)))
    };
    let last = || {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.feed(approving_with("enter"));
        for _ in 0..9 {
            if stage.screen().contains("── Sign off") {
                break;
            }
            stage.pass(9_000);
            assert!(!decides(&stage.hurry("<enter>", 0)));
        }
        assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
        stage
    };
    assert!(!decides(&last().hurry("<enter>", 599)));
    assert!(decides(&last().hurry("<enter>", 600)));
}

#[test]
fn the_screen_names_the_users_keys() {
    let mut stage = Stage::staged(80, 40);
    stage.feed(user_keys(
        "review = { approve = 'f5', deny = 'ctrl-d', switch-focus = 'f6', sign-off = 'w' }\n\
         composer.switch-focus = ['f6', 'tab']\nsign-off.write = 'f10'",
    ));
    stage.draw();
    let shows = |stage: &Stage, text: &str| {
        assert!(stage.screen().contains(text), "{text}\n{}", stage.screen());
    };
    shows(&stage, "F5 approve");
    stage.press("w");
    shows(&stage, "Nothing is marked: F5 approves, Ctrl-D denies");
    stage.press("5");
    shows(&stage, "F6 to type");
    stage.press("<f5>");
    shows(&stage, "1 marked: w signs off");
    stage.press("w");
    shows(&stage, "F10 writes");
    stage.press("5");
    shows(&stage, "F10 writes, Esc goes back");
    stage.press("<esc><f1>");
    shows(&stage, "F5                              approve the hunk");
    stage.press("<esc><f6>");
    shows(&stage, ": F6");
}
