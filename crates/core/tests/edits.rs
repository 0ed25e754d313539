//! What `docs/edits.md` shows is what the engine answers.
//!
//! In: the page. Out: nothing, unless a line in it is answered otherwise than the page says.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use serde_json::Value;
use signoff_core::engine::one_shot;
use signoff_core::guard::Guards;
use signoff_core::request::Payload;

const PAGE: &str = include_str!("../../../docs/edits.md");

/// Returns the examples: blocks of JSON, a line each.
fn blocks() -> Vec<Vec<&'static str>> {
    let parts = PAGE.split("```json\n").skip(1);
    parts
        .map(|part| {
            let end = part.find("\n```").expect("a block ends");
            part.get(..end).unwrap_or_default().lines().collect()
        })
        .collect()
}

#[test]
fn every_line_is_answered_as_the_page_says() {
    let mut seen = 0;
    let mut wrong: Vec<String> = Vec::new();
    for block in blocks() {
        for pair in block.chunks_exact(2) {
            let [asked, said] = pair else { continue };
            if !(asked.starts_with("{\"id\":") && asked.contains("\"path\"")) {
                continue;
            }
            let answer = serde_json::to_string(&one_shot(asked, Guards::On)).unwrap();
            if answer != *said {
                wrong.push(answer);
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "it answers\n{}", wrong.join("\n"));
    assert!(seen >= 15, "{seen}");
}

#[test]
fn every_change_and_payload_on_the_page_is_one() {
    let mut seen = 0;
    for block in blocks() {
        let whole = block.join("\n");
        let lines = block.iter().map(|line| (*line).to_owned());
        for text in lines.chain([whole]) {
            let Ok(value) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            let payload = match (value.get("changes"), value.get("file"), value.get("name")) {
                (Some(_), _, _) => value,
                (_, Some(_), _) if value.get("ok").is_none() => {
                    serde_json::json!({ "changes": [value] })
                }
                (_, _, Some(_)) => {
                    serde_json::json!({ "changes": [{ "file": "a.rs", "recipe": value }] })
                }
                _ => continue,
            };
            assert_eq!(
                Payload::parse(&payload.to_string()).map(|_| ()),
                Ok(()),
                "{text}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}
