//! What `docs/edits.md` shows is what the engine answers.
//!
//! In: the page. Out: nothing, unless an example on it is answered otherwise than the page says, or
//! is none. `UPDATE_PAGES=1` writes the answers anew.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and writes the page if it is told to"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Deserializer, Value};
use signoff_core::disk::workspace::memory::MemoryWorkspace;
use signoff_core::edit::guard::Guards;
use signoff_core::edit::request::{Payload, RECIPES, Strategy};
use signoff_core::engine::{Engine, SubmittedPayload, one_shot};
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::record::store::Store;
use signoff_core::stage::proposal::Origin;
use signoff_core::syntax::{Language, SyntaxCache};
use uuid::Uuid;

const PAGE: &str = include_str!("../../../docs/edits.md");

/// The files that the page's payloads are for.
const FILES: &[(&str, &str)] = &[
    ("src/lib.rs", "fn settings() {\n    load();\n}\n"),
    ("src/main.rs", "fn main() {\n    println!(\"hello\");\n}\n"),
    ("src/old.rs", "fn old() {}\n"),
    ("a.txt", "one\n"),
    ("b.txt", "one\n"),
];

/// Returns the examples: what is asked, and what is answered.
fn examples() -> Vec<(String, Value)> {
    let blocks = PAGE.split("```json\n").skip(1).map(|part| {
        let end = part.find("\n```").expect("a block ends");
        let block = part.get(..end).unwrap_or_default();
        let mut values = Deserializer::from_str(block).into_iter::<Value>();
        let _asked = values.next().expect("something is asked").unwrap();
        let asked = block.get(..values.byte_offset()).unwrap_or_default();
        let answer = values
            .next()
            .unwrap_or_else(|| panic!("no answer: {asked}"));
        assert!(values.next().is_none(), "more than an answer: {asked}");
        (asked.to_owned(), answer.unwrap())
    });
    blocks.collect()
}

/// Answers a payload as the tool does, in a workspace of its own.
fn proposed(payload: &str) -> Value {
    let files = MemoryWorkspace::default();
    FILES
        .iter()
        .for_each(|(path, text)| files.save(path, *text));
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("state.db")).unwrap();
    let count = AtomicU64::new(1);
    let ambient = Ambient {
        now: Box::new(|| Timestamp(0)),
        uuid: Box::new(move || Uuid::from_u64_pair(7, count.fetch_add(1, Ordering::Relaxed))),
    };
    let mut engine = Engine::new(Box::new(files), store, ambient).unwrap();
    let asked = SubmittedPayload {
        payload: Payload::parse(payload).unwrap_or_else(|why| panic!("{why}: {payload}")),
        origin: Origin::default(),
        changeset: None,
        only: None,
    };
    let mut answer = serde_json::to_value(engine.propose(asked).unwrap()).unwrap();
    let results = answer["results"].as_array_mut().into_iter().flatten();
    results.for_each(|result| hide(result, "proposal"));
    hide(&mut answer, "changeset");
    answer
}

/// Ids are others each time.
fn hide(value: &mut Value, field: &str) {
    if let Some(id) = value.get_mut(field) {
        *id = "...".into();
    }
}

#[test]
fn every_example_is_answered_as_the_page_says() {
    let (mut wrong, mut page) = (Vec::new(), PAGE.to_owned());
    let examples = examples();
    for (asked, said) in &examples {
        let answer = if asked.trim_start().starts_with("{\"id\":") {
            serde_json::to_value(one_shot(&SyntaxCache::default(), asked, Guards::On)).unwrap()
        } else {
            proposed(asked)
        };
        // As text, since the page shows the fields in the order in which they are answered.
        let (answer, said) = (answer.to_string(), said.to_string());
        if answer != said {
            page = page.replace(&said, &answer);
            wrong.push(answer);
        }
    }
    if std::env::var_os("UPDATE_PAGES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/edits.md");
        std::fs::write(path, page).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "it answers\n{}", wrong.join("\n"));
    assert!(examples.len() >= 35, "{}", examples.len());
}

#[test]
fn every_strategy_recipe_and_language_is_on_the_page() {
    for strategy in Strategy::ALL {
        assert!(PAGE.contains(&format!("\n### {strategy}\n")), "{strategy}");
        let used = format!("\"strategy_used\":\"{strategy}\"");
        assert!(PAGE.contains(&used), "{strategy} has no example");
    }
    for recipe in RECIPES {
        assert!(PAGE.contains(&format!("\n| `{recipe}` |")), "{recipe}");
        let asked = format!("{{\"name\":\"{recipe}\"");
        assert!(PAGE.contains(&asked), "{recipe} has no example");
    }
    let languages = PAGE.split("## Languages").nth(1).unwrap_or_default();
    let rows: Vec<&str> = languages
        .lines()
        .filter(|row| row.starts_with("| "))
        .collect();
    for language in Language::ALL {
        let named = |row: &&str| row.contains(&format!("`{}`", language.name()));
        assert!(rows.iter().any(named), "{}", language.name());
    }
}
