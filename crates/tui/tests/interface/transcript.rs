//! The transcript: Markdown, browsing, copies.

use insta::assert_snapshot;
use signoff_llm::claims::{JudgedSentence, Judgement};
use signoff_llm::message::CallId;
use signoff_llm::session::{CallEvent, Event};

use crate::stage::{self, Stage};

const ANSWER: &str = "\
# Fix

The **parser** drops the *last* token; see [the spec](https://example.org/spec).

1. Read the input line by line, and keep the rest for the next call.
   - [x] done
2. Write it.

> Said before.

| Option | Default | What it does |
|:--|--:|:--|
| `notify` | true | rings the bell and says when signoff waits for you or is done |
| `theme` | auto | dark or light |

```rust
fn main() {}
```
";

/// A request, an answer with Markdown, and a call.
pub(crate) fn answer() -> Vec<Event> {
    let call = CallId("1".to_owned());
    let tool = "grep".to_owned();
    let mut events = stage::asking("fix it");
    events.extend([
        stage::text(ANSWER),
        Event::Call(CallEvent::Started {
            call: call.clone(),
            tool: tool.clone(),
        }),
        Event::Call(CallEvent::Done {
            call,
            tool,
            ok: true,
            summary: "12 matches in 4 files".to_owned(),
            took_ms: Some(40),
        }),
    ]);
    events
}

fn answered(width: u16) -> Stage {
    let mut stage = Stage::ready(width, 40);
    stage.tell(answer());
    stage
}

#[test]
fn markdown() {
    for width in [40, 80] {
        assert_snapshot!(format!("markdown_{width}"), answered(width).screen());
    }
}

#[test]
fn blocks_are_browsed_and_copied() {
    for width in [40, 80] {
        let mut stage = answered(width);
        stage.press("<ctrl-t>k");
        assert_snapshot!(format!("browsing_{width}"), stage.screen());
        stage.press("y");
        assert_eq!(stage.copied().as_deref(), Some("fn main() {}\n"));
        stage.press("/LAST<enter>");
        assert!(
            stage.screen().contains("▶ The parser drops the last"),
            "{}",
            stage.screen()
        );
        stage.press("<esc>");
        assert!(stage.screen().contains("Ask for a change"));
    }
}

#[test]
fn the_last_answer_is_copied_and_a_letter_while_browsing_is_no_text() {
    let mut stage = answered(80);
    stage.press("/copy<enter>");
    assert_eq!(stage.copied().as_deref(), Some(ANSWER.trim_end()));
    stage.press("<ctrl-t>xz<esc>");
    assert!(
        stage.screen().contains("Ask for a change"),
        "{}",
        stage.screen()
    );
}

#[test]
fn an_answer_that_is_too_long_for_terminals_is_not_copied() {
    let mut stage = Stage::ready(80, 20);
    let mut events = stage::asking("list them");
    events.push(stage::text(&"x".repeat(74_001)));
    stage.tell(events);
    stage.press("/copy<enter>");
    assert_eq!(stage.copied(), None);
    assert!(
        stage.screen().contains("Too long for the clipboard"),
        "{}",
        stage.screen()
    );
}

/// What does not hold stands first, with what is so below it; the rest may be long.
#[test]
fn sentences_that_do_not_hold_are_shown_with_what_is_so() {
    let sentence = |text: &str, judgement| JudgedSentence {
        sentence: text.to_owned(),
        judgement,
    };
    let against = Judgement::Contradicted {
        why: "load is still used at src/worker.py:7".to_owned(),
        hunk: None,
    };
    let sentences = vec![
        sentence(
            "I renamed `load` to `read_config` in `src/config.py`.",
            Judgement::Holds,
        ),
        sentence("All callers are updated.", against),
    ];
    for width in [40, 80] {
        let mut stage = Stage::ready(width, 20);
        stage.tell(stage::asking("rename load"));
        stage.tell([Event::Claims {
            sentences: sentences.clone(),
        }]);
        assert_snapshot!(format!("claims_{width}"), stage.screen());
    }
    let mut stage = Stage::staged(80, 30);
    stage.tell([Event::Claims { sentences }]);
    stage.press("AA");
    let page = stage.screen();
    assert!(
        page.contains("1 sentence of the model's message does not hold:"),
        "{page}"
    );
    assert!(
        page.contains("✗ All callers are updated: load is still used at src/worker.py:7"),
        "{page}"
    );
}
