//! Extraction: what the index keeps of one file.
//!
//! In: a path and the bytes of a file. Out: [`Extract`]: the terms of each chunk, the names that the
//! file defines, and what it imports. Any bytes will do; of binary and large files only the path is
//! kept.
//!
//! **Invariant:** any bytes will do. Of binary, generated and large files only the path is kept.

use std::path::Path;

use signoff_source::path::WorkspacePath;
use signoff_source::syntax::{Language, outline};
use signoff_source::text::source::BINARY_PROBE;

use crate::imports;
use crate::role::{self, Role};
use crate::words::{self, Field, Key};

/// Files above this size get only their path: such files are data or generated.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// Texts above this size define nothing: a tree takes a hundred times the text and more. Of 32,000 files of packages
/// 42 are larger, most of them tables, and they took a fifth of the time and a third of the memory.
const MAX_PARSED_BYTES: usize = 256 * 1024;
/// Lines of a chunk: about a screen, the size of a function with its neighbours.
const CHUNK_LINES: usize = 60;
/// Bytes of a chunk at most, so that a file of one long line has several.
const CHUNK_BYTES: usize = 8 * 1024;
/// How often a name counts where it is defined, beside the mention itself.
const DEFINITION_WEIGHT: usize = 2;
/// How often the words of a file's name count, where those of its folders count once.
const NAME_WEIGHT: usize = 2;

/// A term in a chunk, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// The term and its field.
    pub key: Key,
    /// The chunk, counted from the first of the file or of the segment.
    pub chunk: u32,
    /// How often, at most 255.
    pub count: u8,
}

/// What the index keeps of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// Where the file is, relative to the workspace.
    pub path: String,
    /// What the file is for.
    pub role: Role,
    /// The number of terms of each chunk; never empty.
    pub chunks: Vec<u32>,
    /// The terms, sorted.
    pub postings: Vec<Posting>,
    /// What it imports, as it is written.
    pub imports: Vec<String>,
    /// The names that it defines.
    pub names: Vec<String>,
}

/// Extracts what the index keeps of a file; `bytes` are none for a file that is too large to read.
pub fn extract(path: &str, bytes: Option<&[u8]>) -> Extract {
    let role = Role::of(path);
    let mut extract = Extract {
        path: path.to_owned(),
        role,
        chunks: vec![0],
        postings: Vec::new(),
        imports: Vec::new(),
        names: Vec::new(),
    };
    let text = bytes.filter(|bytes| bytes.len() <= MAX_TEXT_BYTES && !is_binary(bytes));
    if let Some(text) = text.filter(|_| role != Role::Generated) {
        read(&String::from_utf8_lossy(text), &mut extract);
    }
    read_path(path, &mut extract.postings);
    for import in &extract.imports {
        if let Some(last) = imports::last_name(import) {
            let key = Key::new(Field::Import, &words::whole(last));
            extract.postings.push(Posting {
                key,
                chunk: 0,
                count: 1,
            });
        }
    }
    extract.postings.sort_unstable();
    extract
        .postings
        .dedup_by_key(|posting| (posting.key, posting.chunk));
    extract
}

fn is_binary(bytes: &[u8]) -> bool {
    let begin = bytes.get(..BINARY_PROBE).unwrap_or(bytes);
    memchr::memchr(0, begin).is_some()
}

/// Reads the words of a path into the field of paths.
fn read_path(path: &str, postings: &mut Vec<Posting>) {
    let mut keys = Vec::new();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    for (part, weight) in [(folders, 1), (name, NAME_WEIGHT)] {
        for (_, word) in words::identifiers(part) {
            words::terms(word, |term| {
                keys.extend(std::iter::repeat_n(Key::new(Field::Path, term), weight));
            });
        }
    }
    keys.push(Key::new(Field::Stem, &role::subject(path)));
    count_into(&mut keys, 0, postings);
}

/// Counts keys into postings of a chunk and empties them.
fn count_into(keys: &mut Vec<Key>, chunk: u32, postings: &mut Vec<Posting>) {
    keys.sort_unstable();
    for same in keys.chunk_by(|a, b| a == b) {
        let count = u8::try_from(same.len()).unwrap_or(u8::MAX);
        postings.extend(same.first().map(|key| Posting {
            key: *key,
            chunk,
            count,
        }));
    }
    keys.clear();
}

/// Reads a text, chunk by chunk.
fn read(text: &str, extract: &mut Extract) {
    let language = WorkspacePath::parse(&extract.path, Path::new("/")).ok();
    let language = language.as_ref().and_then(Language::of);
    let mut defined = defined(language, text);
    defined.sort_by_key(|(at, _)| *at);
    extract.imports = imports::of(&extract.path, text);
    let mut defined = defined.into_iter().peekable();
    let mut keys = Vec::new();
    let mut chunks = Vec::new();
    let mut at = 0;
    for piece in pieces(text) {
        let chunk = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        for (_, identifier) in words::identifiers(piece) {
            words::terms(identifier, |term| keys.push(Key::new(Field::Text, term)));
        }
        chunks.push(u32::try_from(keys.len()).unwrap_or(u32::MAX));
        at += piece.len();
        while let Some((_, name)) = defined.next_if(|(start, _)| *start < at) {
            for (_, word) in words::identifiers(&name) {
                words::terms(word, |term| {
                    let key = Key::new(Field::Text, term);
                    keys.extend(std::iter::repeat_n(key, DEFINITION_WEIGHT));
                });
                keys.push(Key::new(Field::Definition, &words::whole(word)));
            }
            extract.names.push(name);
        }
        count_into(&mut keys, chunk, &mut extract.postings);
    }
    if !chunks.is_empty() {
        extract.chunks = chunks;
    }
    extract.names.sort_unstable();
    extract.names.dedup();
}

/// Returns the names that a text defines, and where each definition begins. Headings and tables of
/// settings define nothing that is asked for by name.
fn defined(language: Option<Language>, text: &str) -> Vec<(usize, String)> {
    let language = language.filter(|language| {
        text.len() <= MAX_PARSED_BYTES && !is_prose(*language) && language.defines()
    });
    let Some(language) = language else {
        return Vec::new();
    };
    let Some(parsed) = language.parse(text) else {
        return Vec::new();
    };
    outline::outline(language, &parsed)
        .into_iter()
        .filter(|symbol| symbol.what != "impl")
        .map(|symbol| (symbol.range.start, symbol.name))
        .collect()
}

fn is_prose(language: Language) -> bool {
    matches!(
        language,
        Language::Markdown
            | Language::Toml
            | Language::Yaml
            | Language::Json
            | Language::Html
            | Language::Css
    )
}

/// Cuts a text into chunks at ends of lines, or within a line that is too long.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let limit = rest.floor_char_boundary(CHUNK_BYTES);
        let begin = rest.get(..limit).unwrap_or(rest);
        let mut ends = memchr::memchr_iter(b'\n', begin.as_bytes());
        let end = match ends.nth(CHUNK_LINES - 1) {
            Some(end) => end + 1,
            None if limit == rest.len() => limit,
            // Too many bytes for so few lines: cut behind the last line that fits.
            None => memchr::memrchr(b'\n', begin.as_bytes()).map_or(limit, |end| end + 1),
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn has(extract: &Extract, field: Field, term: &str) -> bool {
        let key = Key::new(field, term);
        extract.postings.iter().any(|posting| posting.key == key)
    }

    #[test]
    fn text_path_definitions_and_imports_become_terms() {
        let text = b"use crate::lexer;\nfn parse_header() {}\n";
        let extract = extract("src/http_head.rs", Some(text));
        assert!(has(&extract, Field::Text, "parseheader"));
        assert!(has(&extract, Field::Text, "head"));
        assert!(has(&extract, Field::Definition, "parseheader"));
        assert!(has(&extract, Field::Path, "http"));
        assert!(has(&extract, Field::Stem, "httphead"));
        assert!(has(&extract, Field::Import, "lexer"));
        assert_eq!(extract.names, ["parse_header"]);
    }

    #[test]
    fn a_long_text_defines_nothing_and_has_its_words() {
        let long = format!("fn parse_header() {{}}\n{}", "\n".repeat(MAX_PARSED_BYTES));
        let extract = extract("a.rs", Some(long.as_bytes()));
        assert!(has(&extract, Field::Text, "parseheader"));
        assert!(extract.names.is_empty());
    }

    #[test]
    fn of_binary_generated_and_large_files_only_the_path_is_kept() {
        let large = vec![b'a'; MAX_TEXT_BYTES + 1];
        for (path, bytes) in [
            ("a/logo.rs", &b"word\0"[..]),
            ("Cargo.lock", b"word"),
            ("b.rs", &large),
        ] {
            let extract = extract(path, Some(bytes));
            assert!(!has(&extract, Field::Text, "word"), "{path}");
            assert_eq!(extract.chunks, [0]);
        }
        assert!(has(&extract("a/logo.rs", None), Field::Path, "logo"));
    }

    #[test]
    fn chunks_cover_the_text() {
        let long_line = "word ".repeat(10_000);
        let lines = "a line\n".repeat(1_000);
        for text in [
            long_line.as_str(),
            &lines,
            "",
            "\n",
            "a",
            "é".repeat(9_000).as_str(),
        ] {
            assert_eq!(pieces(text).collect::<String>(), text);
            assert!(pieces(text).all(|piece| piece.len() <= CHUNK_BYTES));
        }
        assert_eq!(pieces(&lines).count(), 1_000_usize.div_ceil(CHUNK_LINES));
    }

    proptest! {
        #[test]
        fn any_bytes_have_sorted_postings(
            bytes in prop::collection::vec(any::<u8>(), 0..2_000),
            name in prop::sample::select(vec!["a.rs", "b.py", "c.tsx", "d.go", "e", "Cargo.toml", "f.java", "g.c"]),
        ) {
            let extract = extract(name, Some(&bytes));
            prop_assert!(extract.postings.is_sorted());
            let chunks = extract.chunks.len() as u32;
            prop_assert!(extract.postings.iter().all(|posting| posting.chunk < chunks));
        }
    }
}
