//! `outline`: what a file defines, with the lines of each definition, as staged.

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::syntax::{Language, outline};

use super::arguments::{Told, arguments, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// The tool.
pub(super) struct Outline;

/// More definitions than this are counted, not listed: a generated file of thousands would fill what a model reads.
pub(super) const MOST_DEFINITIONS: usize = 400;

arguments! {
    pub(super) struct Arguments {
        path: String = Told::Required(text()),
    }
}

impl PlainTool for Outline {
    type Arguments = Arguments;
    const NAME: &'static str = "outline";
    const DESCRIPTION: &'static str = "List the definitions of a source file with their lines.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments { path } = arguments;
        match context.read(path) {
            Ok(Some(text)) => match lines(context, path, &text, MOST_DEFINITIONS) {
                Some((shown, count)) => {
                    ToolOutput::done(shown, format!("{path}: {}", counted(count, "definition")))
                }
                None => ToolOutput::failed(
                    format!("error: no outline for {}: read it", quote::name(path)),
                    format!("{path}: no outline"),
                ),
            },
            Ok(None) => context.missing(path),
            Err(error) => ToolOutput::failed(format!("error: {error}"), error),
        }
    }
}

/// Returns the definitions of a text, a line each, and how many there are; none if its language
/// has no outline.
pub(super) fn lines(
    context: &ToolContext<'_>,
    path: &str,
    text: &str,
    most: usize,
) -> Option<(String, usize)> {
    let path = WorkspacePath::parse(path, context.root()).ok()?;
    let language = Language::of(&path)?;
    let made = context.bounded(|syntax| {
        let parsed = syntax.parse_once(language, text)?;
        Some(outline::outline(language, &parsed))
    });
    let symbols = made.flatten()?;
    let count = symbols.len();
    if count == 0 {
        return None;
    }
    Some((outline::listing(&symbols, most), count))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tool::testing::Folder;

    fn check(path: &str, text: &str, expected: &str) {
        let folder = Folder::new(&[(path, text)]);
        let output = folder.call("outline", json!({ "path": path }));
        assert_eq!(output.content, expected);
    }

    #[test]
    fn definitions_come_with_their_lines() {
        check(
            "a.py",
            "class A:\n    def f(self):\n        pass\n\ndef g():\n    pass\n",
            "1-3 class A\n  2-3 function f\n5-6 function g\n",
        );
    }

    #[test]
    fn a_file_without_any_is_to_be_read() {
        check("a.txt", "x\n", "error: no outline for a.txt: read it");
        check("a.py", "pass\n", "error: no outline for a.py: read it");
    }
}
