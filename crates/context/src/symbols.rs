//! Symbols: where a name is defined, and where it is referred to.
//!
//! In: an index, a name, and the texts of files. Out: [`Place`]s. The index tells which files may have the
//! name; what they have is read from their texts, so that lines are those of now.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use signoff_source::path::WorkspacePath;
use signoff_source::syntax::mentions::{Use, mentions};
use signoff_source::syntax::{Language, outline};

use crate::index::{FileId, Index};
use crate::words::{self, Field, Key};

/// A place in the workspace that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the file is, relative to the workspace.
    pub path: String,
    /// The 1-based lines: of a definition all of it, of a reference the one that it is on.
    pub lines: RangeInclusive<usize>,
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

/// Returns the places that have a name, which may say what it is within, as `Type.method`. `read` returns the
/// text of a file as it is now; files in `others` are looked at whatever the index knows of them.
pub fn find(
    index: &Index,
    ask: Ask,
    name: &str,
    others: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<Place> {
    let (within, name) = split(name);
    let known = candidates(index, ask, name)
        .into_iter()
        .map(|file| index.path(file).to_owned());
    let files: BTreeSet<String> = known.chain(others.iter().cloned()).collect();
    let is_meant = |place: &Place| match ask {
        Ask::Definitions => within.is_none_or(|within| is_in(place, within)),
        Ask::References => true,
    };
    let each = files.into_iter().flat_map(|path| {
        let text = read(&path);
        text.map_or_else(Vec::new, |text| places(ask, &path, &text, name))
    });
    each.filter(is_meant).collect()
}

/// Returns the files that may have a name.
fn candidates(index: &Index, ask: Ask, name: &str) -> Vec<FileId> {
    match ask {
        Ask::Definitions => index.files_with(Key::new(Field::Definition, &words::whole(name))),
        Ask::References => {
            // A name of one part is indexed by its stem, another one whole.
            let mut last = None;
            words::terms(name, |term| last = Some(Key::new(Field::Text, term)));
            last.map(|key| index.files_with(key)).unwrap_or_default()
        }
    }
}

/// Returns the places in one file that have a name.
fn places(ask: Ask, path: &str, text: &str, name: &str) -> Vec<Place> {
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
    match ask {
        Ask::Definitions => {
            let symbols = outline::outline(language, &parsed).into_iter();
            let named = symbols.filter(|symbol| symbol.name == name && symbol.what != "impl");
            let defined = named.map(|symbol| {
                let outer = symbol.path.strip_suffix(name);
                let outer = outer.and_then(|path| path.strip_suffix('.'));
                place_of(path, symbol.lines, symbol.what, outer.map(str::to_owned))
            });
            defined.collect()
        }
        Ask::References => {
            let found = mentions(language, &parsed, name).into_iter();
            let references = found.filter(|mention| mention.kind != Use::Definition);
            let mut places: Vec<Place> = references
                .map(|mention| {
                    let lines = mention.line..=mention.line;
                    place_of(path, lines, mention.kind.word(), mention.container)
                })
                .collect();
            places.dedup();
            places
        }
    }
}

fn place_of(
    path: &str,
    lines: RangeInclusive<usize>,
    kind: &'static str,
    container: Option<String>,
) -> Place {
    Place {
        path: path.to_owned(),
        lines,
        kind,
        container,
    }
}

/// Splits a name from those around it.
fn split(name: &str) -> (Option<&str>, &str) {
    let name = name.trim().trim_end_matches("()");
    match name.rsplit_once("::").or_else(|| name.rsplit_once('.')) {
        Some((within, name)) if !name.is_empty() => (Some(within), name),
        _ => (None, name),
    }
}

/// Returns whether the innermost definition around a place has this name.
fn is_in(place: &Place, within: &str) -> bool {
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
    fn definitions_and_references_are_found() {
        let files = [
            (
                "src/a.rs",
                "impl T {\n    fn parse_header() {\n        g();\n    }\n}\n",
            ),
            ("src/b.rs", "fn g() {\n    parse_header();\n}\n"),
            ("src/c.rs", "fn parseHeader() {}\n"),
            ("notes.md", "parse_header\n"),
        ];
        let index = Index::of_texts(
            files.map(|(path, text)| (path, text.as_bytes())),
            History::default(),
        );
        let read = |path: &str| {
            let all = files
                .iter()
                .chain(&[("new.rs", "fn h() {\n    T.parse_header();\n}\n")]);
            let mut own = all.filter(|(known, _)| *known == path);
            own.next().map(|(_, text)| (*text).to_owned())
        };
        let found = |ask, name, others: &[&str]| {
            let others: Vec<String> = others.iter().map(|path| (*path).to_owned()).collect();
            let shown = find(&index, ask, name, &others, &read)
                .into_iter()
                .map(|place| {
                    let (first, last) = place.lines.into_inner();
                    let container = place.container.unwrap_or_default();
                    format!("{}:{first}-{last} {} {container}", place.path, place.kind)
                });
            shown.collect::<Vec<_>>()
        };
        for name in ["parse_header", "T.parse_header", "a::T::parse_header()"] {
            assert_eq!(
                found(Ask::Definitions, name, &[]),
                ["src/a.rs:2-4 function T"]
            );
        }
        assert_eq!(found(Ask::Definitions, "U.parse_header", &[]), [""; 0]);
        assert_eq!(
            found(Ask::References, "parse_header", &[]),
            ["src/b.rs:2-2 call g"]
        );
        // One that the index does not know yet.
        let with_new = found(Ask::References, "parse_header", &["new.rs"]);
        assert_eq!(with_new, ["new.rs:2-2 call h", "src/b.rs:2-2 call g"]);
    }
}
