//! `find`: files by name, with every staged change in it.

use signoff_core::quote;

use super::arguments::{Told, arguments, text};
use super::walk::candidates;
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// The tool.
pub(super) struct Find;

const DESCRIPTION: &str = "Find files by glob (*.rs, src/**/x_*) or part of a name.";
/// More files than this are counted, not listed: `*` in a large repository would fill what a model reads.
const MOST: usize = 500;

arguments! {
    pub(super) struct Arguments {
        pattern: String = Told::Required(text()),
        #[serde(default)]
        path: String = Told::Optional(text()),
    }
}

impl PlainTool for Find {
    type Arguments = Arguments;
    const NAME: &'static str = "find";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path).looking_for(&arguments.pattern, None)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments { pattern, path } = arguments;
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return ToolOutput::failed("error: the pattern is empty", "no pattern");
        }
        match candidates(context, path, Some(&glob(pattern))) {
            Ok(_) if context.stopped() => context.cut_short(),
            Ok(found) => {
                let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
                listed(pattern, &paths)
            }
            Err(error) => ToolOutput::failed(format!("error: {error}"), error),
        }
    }
}

/// Returns the glob that is meant: a bare word is part of a name.
fn glob(pattern: &str) -> String {
    if pattern.contains(['*', '?', '[', '{', '/']) {
        pattern.to_owned()
    } else {
        format!("*{pattern}*")
    }
}

fn listed(pattern: &str, paths: &[&str]) -> ToolOutput {
    let count = paths.len();
    if count == 0 {
        return ToolOutput::done("no file\n", format!("{pattern}: no file"));
    }
    let mut text: String = paths
        .iter()
        .take(MOST)
        .map(|path| format!("{}\n", quote::name(path)))
        .collect();
    if let Some(more @ 1..) = count.checked_sub(MOST) {
        text += &format!("({more} more; narrow the pattern or give a path)\n");
    }
    let noun = if count == 1 { "file" } else { "files" };
    ToolOutput::done(text, format!("{pattern}: {count} {noun}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::testing::Folder;

    fn check(pattern: &str, path: &str, expected: &str) {
        let folder = Folder::new(&[
            ("src/main.rs", ""),
            ("src/lib/mod.rs", ""),
            ("notes.md", ""),
            (".gitignore", "out\n"),
            ("out/x.rs", ""),
        ]);
        folder.call(
            "write",
            json!({ "path": "src/fresh.rs", "description": "d", "content": "//\n" }),
        );
        let output = folder.call("find", json!({ "pattern": pattern, "path": path }));
        assert_eq!(output.content, expected, "{pattern} in {path:?}");
    }

    #[test]
    fn files_are_found_by_glob_and_by_part_of_a_name() {
        check("*.md", "", "notes.md\n");
        check("main", "", "src/main.rs\n");
        check("mod*", "src/lib", "src/lib/mod.rs\n");
        check("src/*.rs", "", "src/fresh.rs\nsrc/main.rs\n");
        check("*.py", "", "no file\n");
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        check(" ", "", "error: the pattern is empty");
        let folder = Folder::new(&[]);
        assert!(!folder.call("find", json!({ "pattern": "[" })).ok);
        assert!(
            !folder
                .call("find", json!({ "pattern": "x", "path": "../y" }))
                .ok
        );
    }

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let paths = vec!["a"; MOST + 3];
        let output = listed("a", &paths);
        assert!(
            output
                .content
                .ends_with("(3 more; narrow the pattern or give a path)\n")
        );
    }
}
