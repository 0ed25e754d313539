//! When the user is asked and when edits are written at once, with the engine behind it.

use signoff_core::stage::review::{RevertTarget, RevertTo};

use super::*;
use crate::gate::StopRule;
use crate::tool::lock;

/// What a turn of three edits, one an answer, came to.
struct Story {
    /// What each request said of tools: `+` they may be called, `-` they may not.
    choices: String,
    end: TurnEnd,
    /// The files on disk.
    disk: Vec<String>,
    /// Files that wait for a verdict.
    waiting: usize,
    /// Files that history knows a change of.
    written: usize,
    /// What the model was answered and told.
    told: String,
    folder: Folder,
}

const FILES: [(&str, &str); 3] = [("a", "one\n"), ("b", "one\n"), ("c", "one\n")];

/// Plays a turn in which each file is edited; where `guessed` names a file, its edit fits only
/// nearly.
async fn play(rule: &str, write_through: bool, guessed: &str) -> Story {
    let long = "fn total(rate: f64, count: f64) -> f64 {\n    rate * count\n}\n";
    let files = FILES.map(|(path, text)| (path, if path == guessed { long } else { text }));
    let folder = Folder::new(&files);
    lock(&folder.engine).set_write_through(write_through);
    let edits = FILES.map(|(path, _)| {
        let (old, new) = if path == guessed {
            ("    rate  *  count\n", "    rate * count * 2.0\n")
        } else {
            ("one", "two")
        };
        let change = json!({
            "path": path, "operation": "modify", "description": "count",
            "edits": [{ "old_text": old, "new_text": new }],
        });
        Answer::Whole(called(&[("edit_section", change)]))
    });
    let script = script(edits.into_iter().collect());
    let config = Config {
        stop: rule.parse::<StopRule>().unwrap(),
        ..Config::new(Registry::default())
    };
    let driver = driver(&script, &folder).with_config(config);
    let end = exec(driver, "count".to_owned(), |_| {}).await;
    let prompts = script.prompts.lock().unwrap();
    let choices = prompts.iter().map(|prompt| match prompt.tool_choice {
        ToolChoice::Auto => '+',
        ToolChoice::None => '-',
    });
    let told = prompts
        .last()
        .into_iter()
        .flat_map(|prompt| prompt.messages.iter().skip(1));
    let told = told.filter_map(|message| match message {
        Message::System { text } | Message::Tool { content: text, .. } => Some(text.as_str()),
        _ => None,
    });
    let mut engine = lock(&folder.engine);
    let waiting = engine.review().unwrap().len();
    let history = FILES.map(|(path, _)| engine.history(Some(path)).unwrap().len());
    drop(engine);
    Story {
        choices: choices.collect(),
        end,
        disk: FILES
            .iter()
            .filter_map(|(path, _)| folder.disk(path))
            .collect(),
        waiting,
        written: history.iter().filter(|count| **count > 0).count(),
        told: told.collect::<Vec<_>>().join("\n"),
        folder,
    }
}

#[tokio::test]
async fn edits_go_before_the_user_as_the_rule_says() {
    for (rule, choices, waiting) in [
        ("first-edit", "+-", 1),
        ("after:1", "+-", 1),
        ("after:2", "++-", 2),
        ("after:9", "++++", 3),
        ("turn-end", "++++", 3),
    ] {
        let story = play(rule, false, "").await;
        assert_eq!(
            (story.choices.as_str(), story.waiting),
            (choices, waiting),
            "{rule}"
        );
        assert_eq!((story.end, story.written), (TurnEnd::Review, 0), "{rule}");
        assert_eq!(story.disk, ["one\n"; 3], "{rule}: nothing is written");
        assert!(
            story.told.contains("staged, not applied"),
            "{rule}: {}",
            story.told
        );
    }
}

/// What is written at once is in the journal's store and in history, and can be taken back; the
/// model is told that it is written, and goes on with its tools under every rule.
#[tokio::test]
async fn edits_are_written_at_once_under_every_rule() {
    for rule in ["first-edit", "after:2", "turn-end"] {
        let story = play(rule, true, "").await;
        assert_eq!(
            (story.choices.as_str(), story.end),
            ("++++", TurnEnd::Done),
            "{rule}"
        );
        assert_eq!((story.waiting, story.written), (0, 3), "{rule}");
        assert_eq!(story.disk, ["two\n"; 3], "{rule}");
        assert!(story.told.contains("\"written\":true"), "{}", story.told);
        assert!(
            !story.told.contains("staged, not applied"),
            "{}",
            story.told
        );
        let mut engine = lock(&story.folder.engine);
        engine
            .take_back(&RevertTarget::file("b", RevertTo::Last))
            .unwrap();
        drop(engine);
        assert_eq!(story.folder.disk("b").as_deref(), Some("one\n"), "{rule}");
    }
}

/// What the user should see first waits, whatever is configured; then the rule counts.
#[tokio::test]
async fn a_guess_is_never_written_at_once() {
    for (rule, choices, written) in [
        ("first-edit", "++-", 1),
        ("after:2", "++++", 2),
        ("turn-end", "++++", 2),
    ] {
        let story = play(rule, true, "b").await;
        assert_eq!(
            (story.choices.as_str(), story.end),
            (choices, TurnEnd::Review),
            "{rule}"
        );
        assert_eq!(
            (story.waiting, story.written),
            (1, written),
            "{rule}: {}",
            story.told
        );
        assert_eq!(story.disk[0], "two\n");
        assert!(
            story.disk[1].contains("rate * count\n"),
            "{}",
            story.disk[1]
        );
        assert!(story.told.contains("staged, not applied"), "{}", story.told);
    }
}
