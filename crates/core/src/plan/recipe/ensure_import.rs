//! Adds an import unless it is there.
//!
//! In: an import statement. Out: a plan that puts it after the last import (or where a first
//! one belongs), or adds its names to an import of the same module.

mod javascript;
mod python;
mod rust;

use tree_sitter::Node;

use super::{Outcome, modified, parsed};
use crate::syntax::{Language, Parsed};
use crate::text::lines::replace_lines;
use crate::text::{Source, Splice};
use crate::workspace::WorkspacePath;

/// What a language says of an import.
enum Finding {
    /// It is there.
    Present,
    /// Its names go into an import that is there.
    Extend(Splice),
    /// It goes on a line of its own.
    Add(String),
    /// It is none of this language.
    NotImport,
}

/// Plans the import.
pub(super) fn plan(path: &WorkspacePath, source: &Source, text: &str, import: &str) -> Outcome {
    let (language, tree) = match parsed(path, text) {
        Ok(parsed) => parsed,
        Err(outcome) => return outcome,
    };
    let (finding, kinds, prologue): (_, &[&str], &[&str]) = match language {
        Language::Rust => (
            rust::find(&tree, import),
            &["use_declaration", "extern_crate_declaration"],
            &["inner_attribute_item", "line_comment", "shebang"],
        ),
        Language::Python => (
            python::find(&tree, import),
            &[
                "import_statement",
                "import_from_statement",
                "future_import_statement",
            ],
            &["comment", "expression_statement"],
        ),
        Language::TypeScript | Language::Tsx | Language::JavaScript => (
            javascript::find(&tree, import),
            &["import_statement"],
            &["hash_bang_line", "expression_statement"],
        ),
        _ => {
            return Outcome::Refused {
                why: format!("imports are not known for {path}; use `section` or `diff`"),
            };
        }
    };
    match finding {
        Finding::Present => Outcome::AlreadyApplied {
            why: format!("{path} has this import"),
        },
        Finding::NotImport => Outcome::Invalid {
            why: format!("`{import}` is no import for {path}"),
        },
        Finding::Extend(splice) => {
            modified(vec![splice], "added to the import of the same module", 1)
        }
        Finding::Add(line) => {
            let (at, blank) = line_for(&tree, source, kinds, prologue);
            let lines: &[&str] = if blank { &[&line, ""] } else { &[&line] };
            modified(
                vec![replace_lines(source, at..at, lines)],
                "after the imports",
                1,
            )
        }
    }
}

/// Returns the 0-based line at which a new import goes, and whether a blank line follows it.
fn line_for(
    tree: &Parsed<'_>,
    source: &Source,
    kinds: &[&str],
    prologue: &[&str],
) -> (usize, bool) {
    let items = top_level(tree);
    if let Some(last) = items.iter().rfind(|node| kinds.contains(&node.kind())) {
        return (source.line_of(last.end_byte().saturating_sub(1)) + 1, false);
    }
    let head = items
        .iter()
        .take_while(|node| prologue.contains(&node.kind()) && is_head(tree, **node));
    let at = head.last().map_or(0, |node| {
        source.line_of(node.end_byte().saturating_sub(1)) + 1
    });
    let blank = at < source.line_count() && !source.line(at).trim_ascii().is_empty();
    (at, blank)
}

/// Returns whether a leading node stays above a first import: an inner doc comment, a
/// docstring or a directive, but no comment of the item below.
fn is_head(tree: &Parsed<'_>, node: Node<'_>) -> bool {
    let text = tree.text(node);
    match node.kind() {
        "line_comment" => text.starts_with("//!"),
        "comment" => text.starts_with("#!") || text.starts_with("# -*-"),
        "expression_statement" => text.starts_with(['"', '\'']),
        _ => true,
    }
}

fn top_level<'t>(tree: &'t Parsed<'_>) -> Vec<Node<'t>> {
    let root = tree.root();
    let mut cursor = root.walk();
    root.children(&mut cursor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{run, word};
    use crate::request::{Recipe, Request};

    fn ensure(path: &str, before: &str, import: &str) -> Result<String, Outcome> {
        run(
            path,
            before,
            Request::Recipe(Recipe::EnsureImport {
                import: import.into(),
            }),
        )
    }

    #[test]
    fn an_import_goes_where_imports_are() {
        let check = |path: &str, before: &str, import: &str, after: &str| {
            assert_eq!(
                ensure(path, before, import).unwrap(),
                after,
                "{before:?} {import:?}"
            );
            let again = ensure(path, after, import);
            assert_eq!(word(&again), "already_applied", "{after:?} {import:?}");
        };
        check(
            "a.rs",
            "use a::b;\n\nfn x() {}\n",
            "std::fs",
            "use a::b;\nuse std::fs;\n\nfn x() {}\n",
        );
        check(
            "a.rs",
            "//! Doc.\n\nfn x() {}\n",
            "use std::fs;",
            "//! Doc.\nuse std::fs;\n\nfn x() {}\n",
        );
        check(
            "a.rs",
            "/// Doc.\nfn x() {}\n",
            "use std::fs",
            "use std::fs;\n\n/// Doc.\nfn x() {}\n",
        );
        check(
            "a.py",
            "\"\"\"Doc.\"\"\"\nx = 1\n",
            "os",
            "\"\"\"Doc.\"\"\"\nimport os\n\nx = 1\n",
        );
        check(
            "a.py",
            "import a\n",
            "from b import c, d",
            "import a\nfrom b import c, d\n",
        );
        check(
            "a.ts",
            "import a from 'a';\nx();\n",
            "import { b } from 'b';",
            "import a from 'a';\nimport { b } from 'b';\nx();\n",
        );
        check(
            "a.tsx",
            "import { a } from './m';\n",
            "import { b, c as d } from \"./m\"",
            "import { a, b, c as d } from './m';\n",
        );
        check(
            "a.js",
            "'use client';\nx();\n",
            "import './a.css';",
            "'use client';\nimport './a.css';\n\nx();\n",
        );
    }

    #[test]
    fn what_is_imported_already_is_seen() {
        let check = |path: &str, before: &str, import: &str| {
            assert_eq!(
                word(&ensure(path, before, import)),
                "already_applied",
                "{before:?}"
            );
        };
        check(
            "a.rs",
            "use std::{fs::{self, File}, io};\n",
            "use std::fs::File;",
        );
        check("a.rs", "use std::{fs::{self, File}, io};\n", "std::fs");
        check("a.py", "from b import (c, d)\n", "from b import d");
        check(
            "a.ts",
            "import a, { b, c } from 'm';\n",
            "import { c } from \"m\";",
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for (path, import) in [
            ("a.rs", "use ;"),
            ("a.rs", "fn x() {}"),
            ("a.ts", "react"),
            ("a.py", "1 +"),
        ] {
            assert_eq!(word(&ensure(path, "x\n", import)), "invalid", "{import}");
        }
        assert_eq!(word(&ensure("a.txt", "x\n", "import a")), "refused");
    }
}
