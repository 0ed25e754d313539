//! `edit`: operations on the lines of one file.

use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::parse;
use super::subjects::{self, HasSubjects, Subjects};
use super::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Edit;

const DESCRIPTION: &str = "Change lines by number, as read shows them. All numbers mean the text \
                           before the call.";

#[derive(Deserialize)]
struct Arguments {
    path: String,
    description: Option<String>,
    /// Operations; the engine reads them.
    operations: Value,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::path(&self.path)
    }
}

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "edit",
            description: DESCRIPTION,
            reach: Reach::Stage,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "description": { "type": "string" },
                    "operations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "op": { "enum": ["replace", "insert", "delete"] },
                                "startLine": { "type": "integer" },
                                "endLine": { "type": "integer" },
                                "afterLine": { "type": "integer", "description": "0: the start" },
                                "content": { "type": "array", "items": { "type": "string" } },
                            },
                            "required": ["op"],
                        },
                    },
                },
                "required": ["path", "description", "operations"],
            }),
        }
    }

    fn run(&self, arguments: &str, context: &ToolContext<'_>) -> ToolOutput {
        let arguments: Arguments = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        context.propose_one(json!({
            "file": arguments.path,
            "strategy": "lines",
            "operation": "modify",
            "description": arguments.description,
            "lines": { "operations": arguments.operations },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::Folder;

    fn check(operations: &Value, expected: Result<&str, &str>) {
        let folder = Folder::new(&[("a", "one\ntwo\nthree\n")]);
        let arguments = json!({ "path": "a", "description": "d", "operations": operations });
        let output = folder.call("edit", arguments);
        assert_eq!(folder.disk("a").as_deref(), Some("one\ntwo\nthree\n"));
        let text = folder.call("read", json!({ "path": "a" })).content;
        match expected {
            Ok(expected) => assert_eq!((output.ok, text.as_str()), (true, expected)),
            Err(why) => assert!(
                !output.ok && output.content.contains(why),
                "{}",
                output.content
            ),
        }
    }

    #[test]
    fn numbers_mean_the_text_before_the_call() {
        let operations = json!([
            { "op": "insert", "afterLine": 0, "content": ["zero"] },
            { "op": "replace", "startLine": 2, "endLine": 2, "content": ["2a", "2b"] },
            { "op": "delete", "startLine": 3 },
        ]);
        check(
            &operations,
            Ok("    1\tzero\n    2\tone\n    3\t2a\n    4\t2b\n"),
        );
    }

    #[test]
    fn one_bad_operation_refuses_all() {
        let good = json!({ "op": "delete", "startLine": 1 });
        check(
            &json!([good, { "op": "delete", "startLine": 9 }]),
            Err("invalid"),
        );
        check(
            &json!([good, { "op": "replace", "startLine": 1, "content": ["x"] }]),
            Err("overlap"),
        );
        check(
            &json!([good, { "op": "turn", "startLine": 1 }]),
            Err("turn"),
        );
        check(&json!("delete"), Err("Nothing was changed"));
    }
}
