//! Going back to an earlier prompt: what is asked, and what each key answers.

use insta::assert_snapshot;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::id::Timestamp;
use signoff_core::stage::review::{
    ConversationSpan, RevertHunk, RevertOutcome, RevertTarget, WrittenSince,
};
use signoff_llm::session::{Command, Event, PromptRef, RewindFiles, RewindScope};
use signoff_tui::app::{Msg, Query};

use crate::stage::{self, Stage};

fn prompt() -> PromptRef {
    PromptRef {
        place: 1,
        text: "rename total to sum\u{1b}[31m everywhere, and fix the docs".to_owned(),
    }
}

/// What is to be taken back, as it was shown.
fn shown() -> RevertTarget {
    RevertTarget::Since(WrittenSince {
        since: Timestamp(1),
        until: Some(Timestamp(8)),
        by: vec![ConversationSpan {
            session: "s".to_owned(),
            until: None,
        }],
    })
}

/// What was written since the prompt; `blocked` says what is in the way.
fn written(blocked: Option<&str>) -> Result<RevertOutcome, String> {
    let line = |kind, number: u32, text: &str| DiffLine {
        kind,
        old: (kind == LineKind::Removed).then_some(number),
        new: (kind == LineKind::Added).then_some(number),
        text: text.to_owned(),
        emphasis: Vec::new(),
        newline: true,
    };
    let file = |path: &str, old: &str, new: &str| {
        let hunk = RevertHunk {
            header: "@@ -4,1 +4,1 @@ fn pay() {".to_owned(),
            lines: vec![
                line(LineKind::Removed, 4, old),
                line(LineKind::Added, 4, new),
            ],
            line: None,
            yours: Vec::new(),
        };
        stage::reverted_file(path, vec![hunk])
    };
    let mut outcome = RevertOutcome {
        changesets: 3,
        ..stage::nothing_taken_back(shown())
    };
    match blocked {
        Some(why) => outcome.blocked = vec![stage::blocked_file("src/cart.rs", why, Vec::new())],
        None => {
            outcome.files = vec![
                file("src/cart.rs", "    let sum = 0;", "    let total = 0;"),
                file("src/order.rs", "    sum += price;", "    total += price;"),
            ];
            outcome.offered = Some(shown());
        }
    }
    Ok(outcome)
}

fn preview(written: Result<RevertOutcome, String>) -> Msg {
    stage::answer(move |app| app.show_rewind(prompt(), Some(Timestamp(1)), written))
}

/// The question is on the screen, and keys count.
fn asked(width: u16, files: Result<RevertOutcome, String>) -> Stage {
    let mut stage = Stage::ready(width, 18);
    assert_eq!(stage.tell([preview(files)]), []);
    stage
}

fn conversation() -> Vec<Command> {
    let (prompt, files) = (prompt(), None);
    vec![Command::Rewind { prompt, files }]
}

fn both() -> Vec<Command> {
    let (prompt, files) = (prompt(), Some(shown()));
    vec![Command::Rewind { prompt, files }]
}

#[test]
fn what_goes_back_is_asked_with_what_would_change() {
    for width in [40, 80, 120] {
        let stage = asked(width, written(None));
        assert_snapshot!(format!("rewind_question_{width}"), stage.screen());
    }
    let blocked = written(Some("src/cart.rs: version 4 cannot be taken back"));
    let stage = asked(80, blocked);
    assert_snapshot!("rewind_question_blocked_80", stage.screen());
    let why = "the record does not say when this prompt was sent".to_owned();
    let stage = asked(40, Err(why));
    assert_snapshot!("rewind_question_unknown_40", stage.screen());
}

#[test]
fn what_taking_files_back_would_do_is_looked_up_where_it_is_known_what_was_written() {
    let RevertTarget::Since(since) = shown() else {
        panic!("what was written since");
    };
    let scope = |files| {
        let (prompt, sent) = (prompt(), Some(Timestamp(1)));
        Event::RewindScope(RewindScope {
            prompt,
            sent,
            files,
        })
    };
    let mut stage = Stage::ready(80, 18);
    assert_eq!(stage.tell([scope(RewindFiles::Written(since.clone()))]), []);
    assert_eq!(stage.queries(), [Query::Rewind(prompt(), since)]);
    let why = "the record does not say when".to_owned();
    assert_eq!(stage.tell([scope(RewindFiles::Unknown { why })]), []);
    assert_eq!(stage.queries(), []);
    let screen = stage.screen();
    assert!(screen.contains("Back before"), "{screen}");
}

#[test]
fn each_key_has_one_answer() {
    let check = |key: &str, expected: Vec<Command>| {
        let mut stage = asked(80, written(None));
        assert_eq!(stage.press(key), expected, "{key}");
        assert!(!stage.screen().contains("Back before"), "{key}");
        // Keys go to the composer again.
        stage.press("x");
        assert!(stage.screen().contains("› x"), "{}", stage.screen());
    };
    for key in ["c", "C", "<enter>"] {
        check(key, conversation());
    }
    check("f", vec![Command::Revert(shown())]);
    check("b", both());
    for key in ["n", "<esc>", "<ctrl-c>"] {
        check(key, Vec::new());
    }
    // What means nothing here leaves the question, and what would change can be scrolled.
    let mut stage = asked(80, written(None));
    assert_eq!(stage.press("yaxjk<down><up><tab>"), []);
    assert!(stage.screen().contains("Back before"), "{}", stage.screen());
    // A paste answers nothing.
    stage.paste("f\nb\n");
    assert_eq!(stage.burst("fb<enter>"), []);
    assert!(stage.screen().contains("Back before"), "{}", stage.screen());
}

#[test]
fn where_files_cannot_go_back_the_conversation_can() {
    let why = "it is not known".to_owned();
    let blocked = || written(Some("src/cart.rs: version 4 cannot be taken back"));
    for files in [blocked(), Err(why)] {
        let mut stage = asked(80, files);
        assert!(!stage.screen().contains("b both"), "{}", stage.screen());
        assert_eq!(stage.press("fb"), []);
        assert!(stage.screen().contains("Back before"), "{}", stage.screen());
        assert_eq!(stage.press("c"), conversation());
    }
}

#[test]
fn keys_that_were_typed_before_the_question_answer_nothing() {
    for typed in ["fix", "b", "f", "c", "<enter>", "cfb<enter>"] {
        for pause in [0, 30, 599] {
            let mut stage = Stage::ready(120, 18);
            stage.say([preview(written(None))]);
            assert_eq!(stage.hurry(typed, pause), [], "{typed} every {pause} ms");
            let screen = stage.screen();
            assert!(screen.contains("Back before"), "{screen}");
            assert!(!screen.contains("b both"), "{screen}");
            stage.pass(600);
            assert!(stage.screen().contains("b both"), "{}", stage.screen());
            assert_eq!(stage.hurry("b", 0), both());
        }
    }
    // Esc needs no pause.
    let mut stage = Stage::ready(80, 18);
    stage.say([preview(written(None))]);
    assert_eq!(stage.hurry("<esc>", 0), []);
    assert!(!stage.screen().contains("Back before"));
}

#[test]
fn what_waits_and_came_after_the_prompt_is_said_to_stay() {
    let mut stage = Stage::staged(170, 24);
    stage.press("<esc>");
    let mut asked = |sent| {
        stage.tell([stage::answer(move |app| {
            app.show_rewind(prompt(), sent, written(None));
        })]);
        let says_so = stage.screen().contains("hunks staged since wait on: /deny");
        stage.press("<esc>");
        says_so
    };
    let staged_at = 0;
    assert!(asked(Some(Timestamp(staged_at - 1))));
    assert!(!asked(Some(Timestamp(staged_at))), "they were there before");
    assert!(asked(None));
}

#[test]
fn a_question_that_comes_late_is_not_asked() {
    let mut stage = Stage::ready(80, 18);
    stage.press("?");
    assert_eq!(stage.tell([preview(written(None))]), []);
    assert!(
        stage.screen().contains("Not gone back"),
        "{}",
        stage.screen()
    );
    stage.press("<esc>");
    stage.tell(stage::asking("go"));
    assert_eq!(stage.tell([preview(written(None))]), []);
    assert!(
        !stage.screen().contains("Back before"),
        "{}",
        stage.screen()
    );
}

#[test]
fn what_went_back_is_said() {
    for (with_files, expected) in [
        (true, "what was written since is reverted"),
        (false, "files stay: /undo"),
    ] {
        let mut stage = Stage::ready(160, 18);
        let prompt = "fix it".to_owned();
        stage.tell([Event::Rewound { prompt, with_files }]);
        let screen = stage.screen();
        assert!(
            screen.contains(expected) && screen.contains("› fix it"),
            "{screen}"
        );
    }
}
