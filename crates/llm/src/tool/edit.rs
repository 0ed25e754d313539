//! `edit`: operations on the lines of one file.

use serde::de::{Error, IgnoredAny};
use serde_json::{Value, json};
use signoff_core::edit::request::{Change, Strategy};

use super::arguments::{
    HasSchema, Told, arguments, count, integer, list, names_of, one_of, parse, said, text, unfit,
};
use super::context::modification;
use super::edit_section::EditSection;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Edit;

/// Name of the tool.
pub(super) const EDIT: &str = "edit";

const DESCRIPTION: &str = "Change lines by number, as read shows them. All numbers mean the text \
                           before the call.";

arguments! {
    struct Arguments {
        #[serde(alias = "file_path", alias = "filePath")]
        path: String = Told::Required(text()),
        description: Option<String> = Told::Required(text()),
        /// Operations; the engine reads them.
        operations: Option<Value> = Told::Required(list(&operation())),
        /// Of `edit_section`: models know an `edit` of other programs, which replaces texts.
        #[serde(
            alias = "old_text",
            alias = "oldText",
            alias = "old_string",
            alias = "oldString",
            alias = "old_str"
        )]
        edits: Option<IgnoredAny> = Told::Untold,
        /// As text editors of other programs insert: a number of lines, and the text that comes behind these.
        #[serde(default)]
        #[expect(dead_code, reason = "it led here: no other command is meant")]
        command: IgnoredAny = Told::Untold,
        #[serde(default, deserialize_with = "count")]
        insert_line: Option<usize> = Told::Untold,
        #[serde(alias = "new_str")]
        insert_text: Option<String> = Told::Untold,
    }
}

/// Returns the schema of an operation.
fn operation() -> Value {
    json!({
        "type": "object",
        "properties": {
            "op": one_of(&["replace", "insert", "delete"]),
            "startLine": integer(),
            "endLine": integer(),
            "afterLine": said(integer(), "0: the start"),
            "content": list(&text()),
        },
        "required": ["op"],
    })
}

/// Returns the operations that insert a text after a line number. A final line break is not an additional line.
fn insertion((line, text): &(usize, String)) -> Value {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let content: Vec<&str> = text.split('\n').collect();
    json!([{ "op": "insert", "afterLine": line, "content": content }])
}

impl Tool for Edit {
    type Arguments = Change;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: EDIT,
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Change, ToolOutput> {
        let numbered: Arguments = parse(arguments)?;
        let inserted = numbered.insert_line.zip(numbered.insert_text);
        let operations = numbered
            .operations
            .or_else(|| Some(insertion(inserted.as_ref()?)));
        match (operations, numbered.edits) {
            (Some(operations), _) => modification(
                numbered.path,
                numbered.description,
                Strategy::Lines,
                json!({ "operations": operations }),
            ),
            (None, Some(_)) => EditSection.read(arguments),
            (None, None) => Err(unfit(&Error::missing_field("operations"))),
        }
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        let own = names_of::<Arguments>().into_iter();
        Some(own.chain(EditSection.known()?).collect())
    }

    fn facts(&self, change: &Change) -> CallFacts {
        CallFacts::path(&change.file)
    }

    fn run(&self, change: &Change, context: &ToolContext<'_>) -> ToolOutput {
        context.propose(vec![change.clone()])
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
    fn an_edit_of_texts_is_read_as_one_of_edit_section() {
        for fields in [
            json!({ "file_path": "a", "old_string": "two", "new_string": "2" }),
            json!({ "path": "a", "edits": [{ "old_text": "two", "new_text": "2" }] }),
        ] {
            let folder = Folder::new(&[("a", "one\ntwo\n")]);
            let output = folder.call("edit", fields);
            assert!(output.ok, "{}", output.content);
            let text = folder.call("read", json!({ "path": "a" })).content;
            assert_eq!(text, "    1\tone\n    2\t2\n");
        }
        let none = Folder::new(&[("a", "one\n")]).call("edit", json!({ "path": "a" }));
        assert!(none.content.contains("missing field `operations`"));
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
