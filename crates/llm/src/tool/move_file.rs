//! `move`: one file, or a folder with all that is in it, gets another path; texts stay.
//!
//! In: paths, the second of which may be a folder to move into. Out: what the engine says to it. A
//! file that is there already is rewritten with the other's text, so that the user sees what goes.

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, Request, WholeRequest};

use super::arguments::{Told, arguments, text};
use super::context::change;
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// The tool.
pub(super) struct MoveFile;

const DESCRIPTION: &str = "Move or rename a file or folder.";

arguments! {
    pub(super) struct Arguments {
        #[serde(alias = "source")]
        path: String = Told::Required(text()),
        description: Option<String> = Told::Required(text()),
        #[serde(alias = "destination")]
        to: String = Told::Required(text()),
    }
}

impl PlainTool for MoveFile {
    type Arguments = Arguments;
    const NAME: &'static str = "move";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const REACH: Reach = Reach::Stage;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        let Arguments { path, to, .. } = arguments;
        CallFacts::paths(vec![path.clone(), to.clone()]).about(vec![path.clone()])
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let to = parsed(&arguments.path, context)
            .and_then(|from| destination(&from, &arguments.to, context));
        let to = match to {
            Ok(to) => to,
            Err(error) => {
                return ToolOutput::failed(format!("error: {error}. Nothing was changed."), error);
            }
        };
        let changes = overwriting(arguments, &to, context);
        context.propose(changes.unwrap_or_else(|| {
            let from = arguments.path.clone();
            let moved = change(from, arguments.description.clone(), Request::Move { to });
            vec![Change {
                operation: Some(Operation::Move),
                ..moved
            }]
        }))
    }
}

/// Returns the changes that put a file's text in the place of another's; none where nothing is
/// in the way, or where either is no text.
fn overwriting(arguments: &Arguments, to: &str, context: &ToolContext<'_>) -> Option<Vec<Change>> {
    let from = parsed(&arguments.path, context).ok()?;
    context.read(to).ok()??;
    let text = context.read(&from).ok()?.filter(|_| from != to)?;
    let description = || arguments.description.clone();
    let (content, gone) = (WholeRequest::new(text), Request::Delete);
    Some(vec![
        Change {
            operation: Some(Operation::Rewrite),
            ..change(to.to_owned(), description(), content)
        },
        Change {
            operation: Some(Operation::Delete),
            ..change(from, description(), gone)
        },
    ])
}

/// Returns the path that the file or folder gets: its own name below `to`, where that is a folder
/// or written like one.
fn destination(from: &str, to: &str, context: &ToolContext<'_>) -> Result<String, String> {
    let path = parsed(to, context)?;
    let is_folder = to.trim().ends_with('/') || path.is_empty() || context.list(&path).is_ok();
    let name = from.rsplit('/').next().unwrap_or(from);
    Ok(match (is_folder && path != from, path.as_str()) {
        (false, _) => path,
        (true, "") => name.to_owned(),
        (true, folder) => format!("{folder}/{name}"),
    })
}

/// Returns a path in its one form, empty for the workspace itself.
fn parsed(path: &str, context: &ToolContext<'_>) -> Result<String, String> {
    let parsed = WorkspacePath::parse(path.trim(), context.root());
    let parsed = parsed.map_err(|error| error.to_string())?;
    Ok(match parsed.as_str() {
        "." => String::new(),
        path => path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tool::testing::Folder;

    /// Moves, and returns what stands where then, or why not.
    fn check(from: &str, to: &str, expected: &[&str]) {
        let folder = Folder::new(&[
            ("a", "1\n"),
            ("d/b", "2\n"),
            ("d/e/c", "3\n"),
            ("f/g", "4\n"),
        ]);
        let arguments = json!({ "path": from, "description": "d", "to": to });
        let output = folder.call("move", arguments);
        let shown = if !output.ok {
            output.summary
        } else {
            let found = folder.call("find", json!({ "pattern": "**" })).content;
            let files = found.lines().filter(|line| !line.ends_with("files"));
            files.collect::<Vec<_>>().join(" ")
        };
        for expected in expected {
            assert!(shown.contains(expected), "{from} to {to}: {shown}");
        }
        assert_eq!(folder.disk("a").as_deref(), Some("1\n"), "only staged");
    }

    #[test]
    fn a_file_is_renamed_and_folders_are_made() {
        check("a", "z", &["z", "d/b"]);
        check("./a", "new/deep/a", &["new/deep/a"]);
    }

    #[test]
    fn source_and_destination_are_other_names_of_both_paths() {
        let folder = Folder::new(&[("a", "1\n")]);
        let output = folder.call("move", json!({ "source": "a", "destination": "b" }));
        assert!(output.ok, "{}", output.content);
        let found = folder.call("find", json!({ "pattern": "**" })).content;
        assert!(found.starts_with("b\n"), "{found}");
    }

    #[test]
    fn into_a_folder_it_keeps_its_name() {
        check("a", "d", &["d/a", "d/b"]);
        check("d/b", ".", &["b", "d/e/c"]);
        check("a", "new/", &["new/a"]);
    }

    #[test]
    fn a_folder_is_moved_with_all_that_is_in_it() {
        check("d", "h", &["h/b", "h/e/c"]);
        check("d/", "f", &["f/d/b", "f/d/e/c", "f/g"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        check("d", "d/e/f", &["d cannot be moved into itself"]);
        check("d", "d", &["d cannot be moved into itself"]);
        check(".", "f", &["cannot be moved into itself"]);
        check("d/e", ".", &["e"]);
        check("nothing", "x", &["nothing"]);
        check("a", "../out", &["out"]);
    }

    #[test]
    fn a_file_that_is_there_is_rewritten_and_the_other_goes() {
        let folder = Folder::new(&[("a", "1\n2\n"), ("d/a", "1\n3\n")]);
        let arguments = json!({ "path": "a", "description": "d", "to": "d" });
        let output = folder.call("move", arguments);
        assert!(output.ok, "{}", output.content);
        assert_eq!(output.summary, "staged d/a +1 -1, a +0 -2");
        let read = |path: &str| folder.call("read", json!({ "path": path })).content;
        assert_eq!(read("d/a"), "    1\t1\n    2\t2\n");
        assert!(read("a").contains("a does not exist"), "{}", read("a"));
        assert_eq!(folder.disk("d/a").as_deref(), Some("1\n3\n"), "only staged");
        // What is no text is not replaced unseen.
        let folder = Folder::new(&[("a", "1\n"), ("b", "\0\u{1}")]);
        let arguments = json!({ "path": "a", "description": "d", "to": "b" });
        let output = folder.call("move", arguments);
        assert!(!output.ok && output.staged.is_empty(), "{}", output.content);
    }

    #[test]
    fn a_folder_that_is_not_empty_is_not_replaced() {
        let folder = Folder::new(&[("d/x", "1\n"), ("f/d/y", "2\n")]);
        let arguments = json!({ "path": "d", "description": "d", "to": "f" });
        let output = folder.call("move", arguments);
        assert!(
            output.summary.contains("f/d is there already"),
            "{}",
            output.summary
        );
        assert!(output.staged.is_empty());
    }
}
