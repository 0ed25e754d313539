//! Syntax errors of one text, without a workspace.
//!
//! In: a JSON line with a text, and perhaps the one before it. Out: a JSON line with the errors
//! that are certain, and the alarms of grammars that err at times as warnings. With a text
//! before, only what is new counts.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::syntax::health::{self, SyntaxError};
use crate::syntax::{Language, SyntaxCache};
use crate::text::Source;

/// One line in.
#[derive(Clone, Debug, Deserialize)]
struct CheckRequest {
    #[serde(default)]
    id: Value,
    path: String,
    #[serde(default)]
    before: Option<String>,
    after: String,
}

/// One line out.
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// As in the request.
    pub id: Value,
    /// True if there are no errors.
    pub ok: bool,
    /// Errors that are certain.
    pub errors: Vec<SyntaxError>,
    /// What may be errors: these grammars alarm on some good texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<SyntaxError>,
    /// The language, if there is a grammar for the file.
    pub language: Option<&'static str>,
    /// Why the line could not be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Checks the text of one line; a line that is no request gets an answer as well.
pub fn check_line(cache: &SyntaxCache, line: &str) -> CheckAnswer {
    let request: CheckRequest = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return failed(Value::Null, format!("not a request: {error}")),
    };
    let path = match WorkspacePath::parse(&request.path, Path::new("/")) {
        Ok(path) => path,
        Err(error) => return failed(request.id, error.to_string()),
    };
    let errors = match &request.before {
        None => health::errors(cache, &path, &request.after),
        Some(before) => {
            let edits = difference(
                &Source::new(before.as_str()),
                &Source::new(request.after.as_str()),
            );
            health::new_errors(cache, &path, Some(before), &request.after, &edits)
        }
    };
    let (errors, warnings): (Vec<_>, Vec<_>) = errors.into_iter().partition(|error| error.certain);
    CheckAnswer {
        id: request.id,
        ok: errors.is_empty(),
        errors,
        warnings,
        language: Language::of(&path).map(Language::name),
        error: None,
    }
}

fn failed(id: Value, error: String) -> CheckAnswer {
    CheckAnswer {
        id,
        ok: false,
        errors: Vec::new(),
        warnings: Vec::new(),
        language: None,
        error: Some(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_checked_one_by_one() {
        let check = |line: &str, expected: &str| {
            assert_eq!(
                serde_json::to_string(&check_line(&SyntaxCache::default(), line)).unwrap(),
                expected
            );
        };
        check(
            r#"{"id":1,"path":"a.json","after":"{\n  \"a\": }"}"#,
            r#"{"id":1,"ok":false,"errors":[{"line":2,"column":8,"message":"expected value"}],"language":"json"}"#,
        );
        check(
            r#"{"id":2,"path":"a.json","before":"{","after":"{ "}"#,
            r#"{"id":2,"ok":true,"errors":[],"language":"json"}"#,
        );
        check(
            r#"{"path":"a","after":"x"}"#,
            r#"{"id":null,"ok":true,"errors":[],"language":null}"#,
        );
        assert!(
            check_line(&SyntaxCache::default(), "nonsense")
                .error
                .is_some()
        );
    }
}
