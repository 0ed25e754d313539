//! Imports: what a file names of others.
//!
//! In: a text. Out: the paths and modules that it imports, as they are written; read line by line,
//! since an import that is missed or too many costs little in a ranking.

/// Imports that are kept of one file. Case: generated indexes with a thousand `export * from`, which are near to nothing.
const MAX_IMPORTS: usize = 200;
/// Bytes of the longest import that is kept: longer ones are data URLs.
const MAX_BYTES: usize = 200;

/// Returns what a file imports, without repetitions.
pub(crate) fn of(path: &str, text: &str) -> Vec<String> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let line_imports: fn(&str, &mut Vec<String>) = match extension {
        "rs" => rust,
        "py" | "pyi" => python,
        "go" => return go(text),
        "java" | "kt" | "scala" => java,
        "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" => include,
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => script,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for line in text.lines() {
        if found.len() >= MAX_IMPORTS {
            break;
        }
        line_imports(line.trim(), &mut found);
    }
    tidy(found)
}

fn tidy(mut found: Vec<String>) -> Vec<String> {
    found.retain(|import| !import.is_empty() && import.len() <= MAX_BYTES);
    found.sort_unstable();
    found.dedup();
    found.truncate(MAX_IMPORTS);
    found
}

/// Returns the last name of an import: `header` of `crate::http::header`, `./http/header.js`,
/// `a.b.header`.
pub(crate) fn last_name(import: &str) -> Option<&str> {
    let file = import.rsplit(['/', '\\']).next()?;
    let file = [
        "js", "ts", "jsx", "tsx", "mjs", "h", "hpp", "css", "vue", "svelte",
    ]
    .iter()
    .find_map(|extension| file.strip_suffix(extension)?.strip_suffix('.'))
    .unwrap_or(file);
    let name = file
        .rsplit(['.', ':'])
        .find(|part| !part.is_empty() && *part != "*")?;
    Some(name)
}

/// Reads `use a::b::{c, d};` and `mod c;`.
fn rust(line: &str, found: &mut Vec<String>) {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    if let Some(name) = line
        .strip_prefix("mod ")
        .and_then(|rest| rest.strip_suffix(';'))
    {
        found.push(format!("self::{}", name.trim()));
        return;
    }
    let Some(rest) = line.strip_prefix("use ") else {
        return;
    };
    let rest = rest.trim_end_matches(';');
    let (base, list) = rest.split_once('{').unwrap_or((rest, ""));
    let base = base.trim().trim_end_matches("::");
    // Names in lower case are modules, others are what a module holds.
    found.push(module_path(base));
    for name in list.trim_end_matches('}').split(',').map(str::trim) {
        if name.starts_with(char::is_lowercase) && name != "self" {
            found.push(format!("{base}::{}", module_path(name)));
        }
    }
}

/// Returns the modules that a path leads through: `a::b` of `a::b::Type`.
fn module_path(path: &str) -> String {
    let parts = path
        .split("::")
        .map(|part| part.split(" as ").next().unwrap_or(part).trim());
    parts
        .take_while(|part| !part.starts_with(char::is_uppercase))
        .collect::<Vec<_>>()
        .join("::")
}

/// Reads `import a.b as c, d` and `from .a import b, c`.
fn python(line: &str, found: &mut Vec<String>) {
    if let Some(rest) = line.strip_prefix("from ") {
        let Some((base, names)) = rest.split_once(" import ") else {
            return;
        };
        found.push(base.trim().to_owned());
        for name in names.trim_matches(['(', ')', ' ']).split(',') {
            let name = name.split_whitespace().next().unwrap_or_default();
            if name.starts_with(char::is_lowercase) {
                found.push(format!("{}.{name}", base.trim().trim_end_matches('.')));
            }
        }
    } else if let Some(rest) = line.strip_prefix("import ") {
        let modules = rest
            .split(',')
            .filter_map(|name| name.split_whitespace().next());
        found.extend(modules.map(str::to_owned));
    }
}

/// Reads `import "a/b"` and blocks of them.
fn go(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut within = false;
    for line in text.lines().map(str::trim) {
        let alone = line.strip_prefix("import ");
        within |= line == "import (";
        if within || alone.is_some() {
            found.extend(quoted(line).map(str::to_owned));
        }
        if within && line == ")" || line.starts_with("func ") {
            break;
        }
    }
    tidy(found)
}

/// Reads `import a.b.C;`.
fn java(line: &str, found: &mut Vec<String>) {
    let rest = line
        .strip_prefix("import ")
        .map(|rest| rest.trim_end_matches(';').trim());
    found.extend(rest.map(|rest| rest.trim_start_matches("static ").to_owned()));
}

/// Reads `#include "a/b.h"`; what is between `<>` is seldom the workspace's, but may be.
fn include(line: &str, found: &mut Vec<String>) {
    if let Some(rest) = line.strip_prefix("#include") {
        let name = rest.trim().trim_matches(['"', '<', '>']);
        found.push(name.to_owned());
    }
}

/// Reads `import ... from "./a"`, `export ... from "./a"`, `require("./a")` and `import("./a")`.
fn script(line: &str, found: &mut Vec<String>) {
    let after = [" from ", "require(", "import(", "import "]
        .iter()
        .find_map(|word| line.split_once(word).map(|(_, after)| after))
        .or_else(|| line.strip_prefix("} from "));
    if let Some(name) = after.and_then(quoted) {
        found.push(name.to_owned());
    }
}

/// Returns what is between the first quotes of a line.
fn quoted(line: &str) -> Option<&str> {
    let start = line.find(['"', '\'', '`'])?;
    let quote = line.get(start..)?.chars().next()?;
    let rest = line.get(start + 1..)?;
    rest.get(..rest.find(quote)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read_in_each_language() {
        let table: &[(&str, &str, &[&str])] = &[
            (
                "a.rs",
                "use crate::a::{b, C};\npub mod d;\nuse std::io::Read as _;\n",
                &["crate::a", "crate::a::b", "self::d", "std::io"],
            ),
            (
                "a.py",
                "from .a import b, C\nimport x.y as z\n",
                &[".a", ".a.b", "x.y"],
            ),
            (
                "a.go",
                "import \"fmt\"\nimport (\n\t\"a/b\"\n\tx \"c/d\"\n)\n\"no\"\n",
                &["a/b", "c/d", "fmt"],
            ),
            (
                "A.java",
                "import static a.b.C;\nimport a.D;\n",
                &["a.D", "a.b.C"],
            ),
            (
                "a.c",
                "#include \"b/c.h\"\n#include <stdio.h>\n",
                &["b/c.h", "stdio.h"],
            ),
            (
                "a.ts",
                "import { a } from './b.js'\nconst c = require('d')\n} from \"../e\"\n",
                &["../e", "./b.js", "d"],
            ),
            ("a.txt", "import a", &[]),
        ];
        for (path, text, expected) in table {
            assert_eq!(of(path, text), *expected, "{path}");
        }
    }

    #[test]
    fn the_last_name_of_an_import_is_that_of_a_file() {
        for (import, name) in [
            ("crate::a::b", Some("b")),
            ("./a/b.js", Some("b")),
            ("a.b.C", Some("C")),
            (".a", Some("a")),
            ("b/c.h", Some("c")),
            ("..", None),
            ("a.b.*", Some("b")),
        ] {
            assert_eq!(last_name(import), name, "{import}");
        }
    }
}
