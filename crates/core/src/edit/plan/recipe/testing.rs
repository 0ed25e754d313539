//! Tables for the tests of all recipes: a request in JSON, a text before and a text after.

use serde_json::Value;

use crate::edit::plan::Outcome;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::Change;

/// Applies the recipe that `recipe` names in JSON.
pub(super) fn apply(path: &str, before: &str, recipe: &str) -> Result<String, Outcome> {
    let recipe: Value = serde_json::from_str(recipe).unwrap();
    let change = serde_json::json!({"file": path, "recipe": recipe});
    run(path, before, Change::parse(change).unwrap().request)
}

/// Checks the text after, that a second time is `already_applied`, and the same with CRLF
/// if there are lines.
pub(super) fn check(path: &str, recipe: &str, before: &str, after: &str) {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let cases = [
        (before.to_owned(), after.to_owned()),
        (crlf(before), crlf(after)),
    ];
    let count = if before.contains('\n') { 2 } else { 1 };
    for (before, after) in cases.into_iter().take(count) {
        match apply(path, &before, recipe) {
            Ok(got) => assert_eq!(got, after, "{recipe}\n{before}"),
            Err(outcome) => panic!("{outcome:?}\n{recipe}\n{before}"),
        }
        let again = apply(path, &after, recipe);
        assert_eq!(
            word(&again),
            "already_applied",
            "{recipe}\n{after}\n{again:?}"
        );
    }
}

/// Checks that the recipe answers with `expected`, and that the answer says `why`.
pub(super) fn answers(path: &str, recipe: &str, before: &str, expected: &str, why: &str) {
    let result = apply(path, before, recipe);
    assert_eq!(word(&result), expected, "{recipe}\n{before}\n{result:?}");
    let said = match &result {
        Ok(text) => text,
        Err(
            Outcome::AlreadyApplied { why }
            | Outcome::Left { why }
            | Outcome::Ambiguous { why, .. }
            | Outcome::NotFound { why, .. }
            | Outcome::Refused { why }
            | Outcome::Invalid { why },
        ) => why,
        Err(Outcome::Planned(_) | Outcome::OutOfBudget) => "",
    };
    assert!(said.contains(why), "{said:?} does not say {why:?}");
}

/// Returns how the places were found.
pub(super) fn evidence(path: &str, recipe: &str, before: &str) -> Option<String> {
    let recipe: Value = serde_json::from_str(recipe).unwrap();
    let line = serde_json::json!({"path": path, "before": before, "change": {"recipe": recipe}});
    crate::engine::one_shot(
        &crate::syntax::SyntaxCache::default(),
        &line.to_string(),
        crate::edit::guard::Guards::Off,
    )
    .evidence
}
