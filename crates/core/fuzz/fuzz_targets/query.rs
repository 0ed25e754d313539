//! Any query on any text.
//!
//! In: a byte for the language, then a text, a query and a template with form feeds between them.
//! Out: nothing, unless planning panics or a plan does not apply to its text.

#![no_main]

mod place;
mod planned;

use libfuzzer_sys::fuzz_target;
use signoff_core::edit::request::{AstAction, AstRequest, InsertPosition, Request};

fuzz_target!(|input: &str| {
    let Some((path, [text, query, template])) = place::read(input) else {
        return;
    };
    let actions = [
        AstAction::Implied,
        AstAction::Replace,
        AstAction::Delete,
        AstAction::Insert(InsertPosition::Before),
        AstAction::Insert(InsertPosition::After),
        AstAction::Insert(InsertPosition::Start),
        AstAction::Insert(InsertPosition::End),
    ];
    // One after the other, as the length of the query has it.
    let action = actions[query.len() % actions.len()];
    let request = Request::Ast(AstRequest {
        engine: "tree-sitter".to_owned(),
        language: None,
        query: query.to_owned(),
        capture: None,
        action,
        template: template.to_owned(),
        lines: None,
    });
    planned::apply(&path, text, request);
});
