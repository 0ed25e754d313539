//! Project references of a `tsconfig.json`.
//!
//! In: its text, JSON with comments and trailing commas. Out: whether it has files of its own, and whether it
//! refers to other projects. `tsc` looks at the former, `tsc -b` at both:
//!
//! ```json
//! { "files": [], "references": [{ "path": "./tsconfig.app.json" }] }
//! ```
//!
//! has no files of its own, so that `tsc` finds nothing in it, whatever is wrong.

use serde_json::Value;

/// What a `tsconfig.json` says of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// True if it has files of its own.
    pub(super) own: bool,
    /// True if it refers to other projects.
    pub(super) others: bool,
}

/// Reads the text of a `tsconfig.json`; one that cannot be read has files of its own, and `tsc` says what is wrong.
pub(super) fn scope(text: &str) -> Scope {
    let read: Value = serde_json::from_str(&plain(text)).unwrap_or_default();
    let (files, include) = (Listed::of(&read["files"]), Listed::of(&read["include"]));
    // Without either, `tsc` takes all files; an empty list beside none says that there are none.
    let none = matches!(
        (files, include),
        (Listed::Empty, Listed::Empty | Listed::Absent) | (Listed::Absent, Listed::Empty)
    );
    Scope {
        own: !none,
        others: read["references"]
            .as_array()
            .is_some_and(|all| !all.is_empty()),
    }
}

enum Listed {
    Absent,
    Empty,
    Some,
}

impl Listed {
    fn of(list: &Value) -> Self {
        match list {
            Value::Null => Self::Absent,
            Value::Array(files) if files.is_empty() => Self::Empty,
            _ => Self::Some,
        }
    }
}

/// Returns JSON without comments and trailing commas, which `tsc` allows.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut in_string = false;
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(_)) if in_string => {
                out.push(c);
                out.extend(rest.next());
                continue;
            }
            ('"', _) => in_string = !in_string,
            ('/', Some('/')) if !in_string => {
                rest.by_ref().find(|c| *c == '\n');
                continue;
            }
            ('/', Some('*')) if !in_string => {
                rest.next();
                let mut before = ' ';
                rest.by_ref()
                    .find(|c| std::mem::replace(&mut before, *c) == '*' && *c == '/');
                continue;
            }
            (']' | '}', _) if !in_string => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_references_are_told_apart() {
        for (text, own, others) in [
            (r#"{"files":[],"references":[{"path":"./a"}]}"#, false, true),
            (
                "\u{feff}{ // solution\n \"files\": [ /* none, */ ],\n \"references\": [{\"path\": \"a\"},],\n}",
                false,
                true,
            ),
            (
                r#"{"include":[],"references":[{"path":"./a"}]}"#,
                false,
                true,
            ),
            (
                r#"{"files":[],"include":["src"],"references":[{"path":"./a"}]}"#,
                true,
                true,
            ),
            (
                r#"{"references":[{"path":"http://x/*"}],"include":["**/*"]}"#,
                true,
                true,
            ),
            (r#"{"references":[]}"#, true, false),
            (r#"{"files":[]}"#, false, false),
            ("{}", true, false),
            ("", true, false),
            ("{ \"references\": [", true, false),
        ] {
            assert_eq!(scope(text), Scope { own, others }, "{text}");
        }
    }

    #[test]
    fn strings_stay_as_they_are() {
        let text = r#"{"a": "x // \" /* ,]", "b": [1, 2 ,], }"#;
        let value: Value = serde_json::from_str(&plain(text)).unwrap();
        assert_eq!(
            value,
            serde_json::json!({"a": "x // \" /* ,]", "b": [1, 2]})
        );
        for broken in ["/*", "//", "\"\\", "/* *", "{,}"] {
            let _any = plain(broken);
        }
    }
}
