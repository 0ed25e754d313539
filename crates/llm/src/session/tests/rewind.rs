//! Going back to an earlier prompt.

use super::*;
use crate::memory::Record;

fn rewind(stage: &mut Stage, prompt: usize, text: &str) -> String {
    stage.take_log();
    let text = text.to_owned();
    stage.feed(Input::Command(Command::Rewind { prompt, text }));
    stage.take_log()
}

#[test]
fn a_prompt_and_all_behind_it_leave_the_conversation() {
    let mut stage = Stage::with(Config {
        remember: true,
        ..Config::new(specs())
    });
    for prompt in ["one", "two", "three"] {
        stage.submit(prompt);
        stage.says("Done.");
    }
    let listed = {
        stage.take_log();
        stage.feed(Input::Command(Command::Prompts));
        stage.take_log()
    };
    assert!(
        listed.contains("one") && listed.contains("three"),
        "{listed}"
    );
    assert!(rewind(&mut stage, 1, "one").contains("not in the conversation any more"));
    let log = rewind(&mut stage, 1, "two");
    assert!(log.contains("rewound"), "{log}");
    assert!(matches!(stage.records.last(), Some(Record::Retold(told)) if told.len() == 2));
    stage.submit("other");
    let messages = format!("{:?}", stage.last_prompt().messages);
    assert!(
        messages.contains("one") && messages.contains("other"),
        "{messages}"
    );
    assert!(
        !messages.contains("two") && !messages.contains("three"),
        "{messages}"
    );
    assert!(rewind(&mut stage, 0, "one").contains("a turn runs"));
}

/// What was staged behind the prompt waits as before, and the model is told of it.
#[test]
fn what_is_staged_stays() {
    let mut stage = Stage::new();
    stage.submit("edit it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 2));
    stage.says("It is staged.");
    assert!(rewind(&mut stage, 0, "edit it").contains("rewound"));
    stage.submit("what waits?");
    let messages = format!("{:?}", stage.last_prompt().messages);
    assert!(messages.contains("file1.rs"), "{messages}");
    assert!(!messages.contains("edit it"), "{messages}");
}
