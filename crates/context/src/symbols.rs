//! Symbols: where a name is defined, and where it is referred to.
//!
//! In: an index, a name, and the texts of files. Out: [`Place`]s. The index tells which files may have the
//! name; what they have is read from their texts, so that lines are those of now.

use std::path::Path;

use signoff_core::syntax::mentions::{Use, mentions};
use signoff_core::syntax::{Language, outline};
use signoff_core::workspace::WorkspacePath;

use crate::index::{FileId, Index};
use crate::words::{self, Field, Key};

/// A place in the workspace that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the file is, relative to the workspace.
    pub path: String,
    /// The 1-based line.
    pub line: usize,
    /// What the name is there, in one word: of a definition what it defines.
    pub kind: &'static str,
    /// The definitions around it, as `Type.method`.
    pub container: Option<String>,
}

/// What is asked of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Where it is defined.
    Definitions,
    /// Where it is referred to.
    References,
}

/// Returns the files that may have a name, by path.
pub fn candidates(index: &Index, ask: Ask, name: &str) -> Vec<FileId> {
    let whole = words::whole(name);
    let mut files = match ask {
        Ask::Definitions => index.files_with(Key::new(Field::Definition, &whole)),
        Ask::References => {
            // A name of one part is indexed by its stem, another one whole.
            let mut last = None;
            words::terms(name, |term| last = Some(Key::new(Field::Text, term)));
            last.map(|key| index.files_with(key)).unwrap_or_default()
        }
    };
    files.sort_by(|a, b| index.path(*a).cmp(index.path(*b)));
    files
}

/// Returns the places in one file that have a name.
pub fn places(ask: Ask, path: &str, text: &str, name: &str) -> Vec<Place> {
    let language = WorkspacePath::parse(path, Path::new("/")).ok();
    let Some(language) = language.as_ref().and_then(Language::of) else {
        return Vec::new();
    };
    if memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_none() {
        return Vec::new();
    }
    let Some(parsed) = language.parse(text) else {
        return Vec::new();
    };
    let place = |line, kind, container| Place {
        path: path.to_owned(),
        line,
        kind,
        container,
    };
    match ask {
        Ask::Definitions => {
            let symbols = outline::outline(language, &parsed).into_iter();
            let named = symbols.filter(|symbol| symbol.name == name && symbol.what != "impl");
            named
                .map(|symbol| {
                    let outer = symbol
                        .path
                        .strip_suffix(name)
                        .and_then(|path| path.strip_suffix('.'));
                    place(*symbol.lines.start(), symbol.what, outer.map(str::to_owned))
                })
                .collect()
        }
        Ask::References => {
            let found = mentions(language, &parsed, name).into_iter();
            let references = found.filter(|mention| mention.kind != Use::Definition);
            let mut places: Vec<Place> = references
                .map(|mention| place(mention.line, mention.kind.word(), mention.container))
                .collect();
            places.dedup();
            places
        }
    }
}

/// A definition with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The definitions around it, as `Type.method`.
    pub container: Option<String>,
    /// The first line and the last, 1-based.
    pub lines: (usize, usize),
    /// Its text, line by line.
    pub text: String,
}

/// Returns the definitions of a name in one file, with their text.
pub fn regions(path: &str, text: &str, name: &str) -> Vec<Region> {
    let language = WorkspacePath::parse(path, Path::new("/")).ok();
    let Some(language) = language.as_ref().and_then(Language::of) else {
        return Vec::new();
    };
    let Some(parsed) = language.parse(text) else {
        return Vec::new();
    };
    let symbols = outline::outline(language, &parsed).into_iter();
    let named = symbols.filter(|symbol| symbol.name == name && symbol.what != "impl");
    let region = |symbol: outline::Symbol| {
        let (first, last) = (*symbol.lines.start(), *symbol.lines.end());
        let outer = symbol.path.strip_suffix(name);
        let own = text.lines().skip(first.saturating_sub(1));
        let own: Vec<&str> = own.take((last + 1).saturating_sub(first)).collect();
        Region {
            container: outer
                .and_then(|path| path.strip_suffix('.'))
                .map(str::to_owned),
            lines: (first, last),
            text: own.join("\n"),
        }
    };
    named.map(region).collect()
}

/// Splits a name from those around it.
pub fn split(name: &str) -> (Option<&str>, &str) {
    let name = name.trim().trim_end_matches("()");
    match name.rsplit_once("::").or_else(|| name.rsplit_once('.')) {
        Some((within, name)) if !name.is_empty() => (Some(within), name),
        _ => (None, name),
    }
}

/// Returns whether the innermost definition around a place has this name.
pub fn is_in(place: &Place, within: &str) -> bool {
    let inner = within.rsplit(['.', ':']).next();
    let container = place.container.as_deref();
    container.is_some_and(|container| container.rsplit(['.', ':']).next() == inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;

    #[test]
    fn a_name_may_say_what_it_is_within() {
        for (name, expected) in [
            ("f", (None, "f")),
            ("T::f", (Some("T"), "f")),
            ("a.T.f()", (Some("a.T"), "f")),
            ("", (None, "")),
        ] {
            assert_eq!(split(name), expected);
        }
    }

    #[test]
    fn a_definition_comes_with_its_text() {
        let text = "struct T;\n\nimpl T {\n    fn f(&self) {\n        g();\n    }\n}\n";
        let found = regions("a.rs", text, "f");
        let [region] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(region.lines, (4, 6));
        assert_eq!(region.container.as_deref(), Some("T"));
        assert_eq!(region.text, "    fn f(&self) {\n        g();\n    }");
    }

    #[test]
    fn definitions_and_references_are_found() {
        let files = [
            ("src/a.rs", "impl T {\n    fn parse_header() {}\n}\n"),
            ("src/b.rs", "fn g() {\n    parse_header();\n}\n"),
            ("src/c.rs", "fn parseHeader() {}\n"),
            ("notes.md", "parse_header\n"),
        ];
        let index = Index::of_texts(
            files.map(|(path, text)| (path, text.as_bytes())),
            History::default(),
        );
        let find = |ask| {
            let ids = candidates(&index, ask, "parse_header").into_iter();
            let found = ids.flat_map(|id| {
                let path = index.path(id);
                let text = files.iter().find(|(known, _)| *known == path).unwrap().1;
                places(ask, path, text, "parse_header")
            });
            let shown = found.map(|place| {
                format!(
                    "{}:{} {} {}",
                    place.path,
                    place.line,
                    place.kind,
                    place.container.unwrap_or_default()
                )
            });
            shown.collect::<Vec<_>>()
        };
        assert_eq!(find(Ask::Definitions), ["src/a.rs:2 function T"]);
        assert_eq!(find(Ask::References), ["src/b.rs:2 call g"]);
    }
}
