//! Adds an import unless it is there.
//!
//! In: an import statement. Out: a plan that adds its names to an import of the same module,
//! or puts it among the imports, where their order has it; a first one goes below what has
//! to stay on top.

mod javascript;
mod list;
mod order;
mod python;
mod rust;

use tree_sitter::Node;

use super::head::{Head, line_after};
use super::{Family, File, OrAnswer, Plan, already, invalid, modified, refused, symbol};
use crate::syntax::kin::Kin;
use crate::syntax::{Language, Parsed};
use crate::text::Splice;
use crate::text::lines::replace_lines;

/// What a language says of an import.
enum Finding {
    /// It is there.
    Present,
    /// It is not, and goes here.
    At(Place),
    /// Something else on a 1-based line has its name.
    Taken(String),
    /// It is none of this language.
    NotImport,
}

/// Where an import goes.
enum Place {
    /// Its names go into imports that are there.
    Within(Vec<Splice>),
    /// It goes on a line of its own.
    Line(Line),
}

/// An import on a line of its own.
struct Line {
    text: String,
    /// What imports of its block are ordered by.
    key: String,
    /// True if it has to stand above all others.
    first: bool,
}

/// The file as the languages see it.
#[derive(Clone, Copy)]
struct Site<'a, 't> {
    file: File<'a>,
    language: Language,
    tree: &'t Parsed<'a>,
}

/// Plans the import.
pub(super) fn plan(file: File<'_>, import: &str) -> OrAnswer<Plan> {
    let (family, language, tree) = file.parsed()?;
    let site = Site {
        file,
        language,
        tree: &tree,
    };
    let place = locate(site, family, import)?;
    splice(site, family, place)
}

impl Finding {
    fn within(splices: Vec<Splice>) -> Self {
        Self::At(Place::Within(splices))
    }

    fn line(line: Line) -> Self {
        Self::At(Place::Line(line))
    }
}

/// Finds the import, or where it goes.
fn locate(site: Site<'_, '_>, family: Family, import: &str) -> OrAnswer<Place> {
    let path = site.file.path;
    let finding = match family {
        Family::Rust => rust::find(site, import),
        Family::Python => python::find(site, import),
        Family::Script => javascript::find(site, import),
    };
    match finding {
        Finding::Present => Err(already(format!("{path} has this import"))),
        Finding::NotImport => Err(invalid(format!("`{import}` is no import for {path}"))),
        Finding::Taken(why) => Err(refused(why)),
        Finding::At(place) => Ok(place),
    }
}

fn splice(site: Site<'_, '_>, family: Family, place: Place) -> OrAnswer<Plan> {
    match place {
        Place::Within(splices) => modified(splices, "added to the import of the same module", 1),
        Place::Line(line) => {
            let splice = own_line(site, family, &line);
            modified(vec![splice], "among the imports", 1)
        }
    }
}

/// Makes the splice that puts an import on a line of its own.
fn own_line(site: Site<'_, '_>, family: Family, line: &Line) -> Splice {
    let Site { file, tree, .. } = site;
    let head = Head::of(file, family, tree);
    let source = file.source;
    let lines: Vec<&str> = line.text.lines().collect();
    if head.imports.is_empty() || line.first {
        let at = match head.imports.first().filter(|_| line.first) {
            Some(first) => source.line_of(first.start_byte()),
            None => head.prologue,
        };
        let blank = head.imports.is_empty()
            && at < source.line_count()
            && !source.line(at).trim_ascii().is_empty();
        let all: Vec<&str> = lines.into_iter().chain(blank.then_some("")).collect();
        return replace_lines(source, at..at, &all);
    }
    let at = in_order(site, family, &head.imports, &line.key);
    replace_lines(source, at..at, &lines)
}

/// Returns the 0-based line at which an import goes among others: in the block of those that
/// its key begins like, or the last.
fn in_order(site: Site<'_, '_>, family: Family, imports: &[Node<'_>], key: &str) -> usize {
    let Site { file, tree, .. } = site;
    let own_key = |node: &Node<'_>| match family {
        Family::Rust => rust::key(tree.text(*node)),
        Family::Python => python::key(tree.text(*node)),
        Family::Script => javascript::key(tree.text(*node)),
    };
    let mut blocks: Vec<Vec<Node<'_>>> = Vec::new();
    for node in imports {
        let touches = blocks
            .last()
            .and_then(|block| block.last())
            .is_some_and(|last| line_after(file, *last) == file.source.line_of(node.start_byte()));
        match blocks.last_mut().filter(|_| touches) {
            Some(block) => block.push(*node),
            None => blocks.push(vec![*node]),
        }
    }
    let root = |key: &str| key.split(['.', ':', '/']).next().map(str::to_owned);
    let kin = blocks
        .iter()
        .rfind(|block| block.iter().any(|node| root(&own_key(node)) == root(key)));
    let Some(block) = kin.or(blocks.last()) else {
        return 0;
    };
    let keys: Vec<String> = block.iter().map(own_key).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let at = order::position(&keys, key);
    match (
        at,
        block.get(at),
        at.checked_sub(1).and_then(|before| block.get(before)),
    ) {
        (_, Some(next), None) => {
            let kin = Kin::of(tree.root(), [*next]);
            file.source.line_of(symbol::leading(tree, &kin, *next))
        }
        (_, _, Some(before)) => line_after(file, *before),
        (_, None, None) => 0,
    }
}

/// Returns the nodes at the top level, comments included.
fn top_level<'t>(tree: &'t Parsed<'_>) -> Vec<Node<'t>> {
    let root = tree.root();
    let mut cursor = root.walk();
    root.children(&mut cursor).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, check as check_recipe};

    fn ensure(import: &str) -> String {
        let import = serde_json::to_string(import).unwrap();
        format!(r#"{{"name":"ensure_import","import":{import}}}"#)
    }

    fn check(path: &str, before: &str, import: &str, after: &str) {
        check_recipe(path, &ensure(import), before, after);
    }

    #[test]
    fn an_import_goes_where_imports_are() {
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
            "a.rs",
            "use a;\nfn x() {}\nuse z;\n",
            "b",
            "use a;\nuse b;\nfn x() {}\nuse z;\n",
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
            "a.js",
            "'use client';\nx();\n",
            "import './a.css';",
            "'use client';\nimport './a.css';\n\nx();\n",
        );
    }

    #[test]
    fn a_sorted_block_stays_sorted() {
        check(
            "a.rs",
            "use std::fs;\nuse std::io;\n\nuse a::b;\nuse c::d;\n",
            "std::fmt",
            "use std::fmt;\nuse std::fs;\nuse std::io;\n\nuse a::b;\nuse c::d;\n",
        );
        check(
            "a.py",
            "import a\nimport c\n\nx = 1\n",
            "b",
            "import a\nimport b\nimport c\n\nx = 1\n",
        );
        check(
            "a.ts",
            "import a from 'a';\nimport c from 'c';\n",
            "import b from 'b';",
            "import a from 'a';\nimport b from 'b';\nimport c from 'c';\n",
        );
        check(
            "a.ts",
            "import c from 'c';\nimport a from 'a';\n",
            "import b from 'b';",
            "import c from 'c';\nimport a from 'a';\nimport b from 'b';\n",
        );
    }

    #[test]
    fn rust_groups_take_in_more() {
        let group = "use std::{fs, io};\n";
        check("a.rs", group, "std::fmt", "use std::{fmt, fs, io};\n");
        check(
            "a.rs",
            group,
            "use std::{fmt, io, rc};",
            "use std::{fmt, fs, io, rc};\n",
        );
        check(
            "a.rs",
            "use std::{\n    fs::{self, File},\n    io, // why\n};\n",
            "std::fs::write",
            "use std::{\n    fs::{self, File, write},\n    io, // why\n};\n",
        );
        check(
            "a.rs",
            "use std::{\n    fs,\n    io, // why\n};\n",
            "std::rc",
            "use std::{\n    fs,\n    io, // why\n    rc,\n};\n",
        );
        check(
            "a.rs",
            "pub use a::{b, c};\n",
            "a::d",
            "pub use a::{b, c};\nuse a::d;\n",
        );
        check(
            "a.rs",
            "#[cfg(x)]\nuse a::{b, c};\n",
            "a::d",
            "#[cfg(x)]\nuse a::{b, c};\nuse a::d;\n",
        );
        check(
            "a.rs",
            "use std::fs;\n",
            "std::io",
            "use std::fs;\nuse std::io;\n",
        );
    }

    #[test]
    fn script_imports_take_in_more() {
        check(
            "a.tsx",
            "import { a } from './m';\n",
            "import { b, c as d } from \"./m\"",
            "import { a, b, c as d } from './m';\n",
        );
        check(
            "a.ts",
            "import {\n  a,\n  c,\n} from './m'\n",
            "import { b, d } from './m'",
            "import {\n  a,\n  b,\n  c,\n  d,\n} from './m'\n",
        );
        check(
            "a.ts",
            "import {\n  a,\n  b\n} from './m'\n",
            "import { c } from './m'",
            "import {\n  a,\n  b,\n  c\n} from './m'\n",
        );
        check(
            "a.ts",
            "import { a } from 'm';\n",
            "import X from 'm'",
            "import X, { a } from 'm';\n",
        );
        check(
            "a.ts",
            "import X from 'm';\n",
            "import { a } from 'm'",
            "import X, { a } from 'm';\n",
        );
        check(
            "a.ts",
            "import type { A } from 'm';\n",
            "import { type B } from 'm';",
            "import type { A, B } from 'm';\n",
        );
        check(
            "a.ts",
            "import { a } from 'm';\n",
            "import type { B } from 'm';",
            "import { a } from 'm';\nimport type { B } from 'm';\n",
        );
        check(
            "a.ts",
            "import { a, type C } from 'm';\n",
            "import type { B } from 'm';",
            "import { a, type B, type C } from 'm';\n",
        );
        check(
            "a.ts",
            "import a from \"a\"\nx()\n",
            "import { b } from 'b';",
            "import a from \"a\"\nimport { b } from \"b\"\nx()\n",
        );
        check(
            "a.ts",
            "import * as m from 'm';\n",
            "import { b } from 'm';",
            "import * as m from 'm';\nimport { b } from 'm';\n",
        );
    }

    #[test]
    fn python_imports_take_in_more() {
        check(
            "a.py",
            "from m import a\n",
            "from m import b",
            "from m import a, b\n",
        );
        check(
            "a.py",
            "from m import (\n    a,\n    c,  # why\n)\n",
            "from m import b, d",
            "from m import (\n    a,\n    b,\n    c,  # why\n    d,\n)\n",
        );
        check(
            "a.py",
            "'''Doc.'''\nimport os\n",
            "from __future__ import annotations",
            "'''Doc.'''\nfrom __future__ import annotations\nimport os\n",
        );
        check(
            "a.py",
            "from __future__ import division\nimport os\n",
            "from __future__ import annotations",
            "from __future__ import division, annotations\nimport os\n",
        );
        check(
            "a.py",
            "from __future__ import division\nx = 1\n",
            "os",
            "from __future__ import division\nimport os\nx = 1\n",
        );
        check(
            "a.py",
            "from . import a\n",
            "from .m import a2",
            "from . import a\nfrom .m import a2\n",
        );
        check(
            "a.py",
            "from m import *\n",
            "from m import b",
            "from m import *\nfrom m import b\n",
        );
        check(
            "a.py",
            "import a, b\n",
            "import b as c",
            "import a, b\nimport b as c\n",
        );
    }

    #[test]
    fn what_is_imported_already_is_seen() {
        let check = |path: &str, before: &str, import: &str| {
            answers(
                path,
                &ensure(import),
                before,
                "already_applied",
                "has this import",
            );
        };
        let std = "use std::{fs::{self, File}, io};\n";
        check("a.rs", std, "use std::fs::File;");
        check("a.rs", std, "std::fs");
        check("a.rs", "pub use a::b;\n", "a::b");
        check("a.py", "from b import (c, d)\n", "from b import d");
        check(
            "a.ts",
            "import a, { b, c } from 'm';\n",
            "import { c } from \"m\";",
        );
        check(
            "a.ts",
            "import { T } from 'm';\n",
            "import type { T } from 'm';",
        );
        check("a.ts", "import 'm';\n", "import 'm'");
    }

    #[test]
    fn a_name_is_not_imported_twice() {
        let check = |path: &str, before: &str, import: &str, why: &str| {
            answers(path, &ensure(import), before, "refused", why);
        };
        check("a.rs", "use a::R;\n", "b::R", "`R` is imported on line 1");
        check("a.rs", "x!();\nuse a::R;\n", "pub use a::R", "on line 2");
        check("a.rs", "#[cfg(t)]\nuse a::R;\n", "a::R", "on line 2");
        check(
            "a.ts",
            "import { R } from 'a';\n",
            "import { R } from 'b';",
            "on line 1",
        );
        check(
            "a.ts",
            "import type { R } from 'a';\n",
            "import { R } from 'a';",
            "on line 1",
        );
        check(
            "a.ts",
            "\nfunction R() {}\n",
            "import R from 'b';",
            "on line 2",
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
            answers(path, &ensure(import), "x\n", "invalid", "is no import");
        }
        answers("a.txt", &ensure("import a"), "x\n", "refused", "no grammar");
    }
}
