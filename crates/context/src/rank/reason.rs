//! Reasons: why a file was ranked, in words.
//!
//! In: the signals of a file. Out: short phrases, the strongest first.

use super::expand::{Bond, Expanded};
use super::naming::Named;
use super::past::Past;
use super::text::Found;
use crate::index::{FileId, Index};
use crate::query::Query;
use crate::words::{self, Field, Key};

/// Reasons that are given for a file.
const MOST_REASONS: usize = 3;
/// Words that are named in one reason.
const MOST_WORDS: usize = 3;

/// What the reasons are made of.
pub(super) struct Reasons<'a> {
    pub(super) index: &'a Index,
    pub(super) query: &'a Query,
    /// What the query was read from, in words.
    pub(super) asked: &'static str,
    pub(super) found: &'a Found,
    pub(super) named: &'a Named,
    pub(super) past: &'a Past,
    pub(super) expanded: &'a Expanded,
    pub(super) modified: &'a [FileId],
}

impl Reasons<'_> {
    /// Returns why a file was ranked; never nothing.
    pub(super) fn of(&self, file: FileId) -> Vec<String> {
        let reasons = [
            self.named
                .name(file)
                .map(|name| format!("`{name}` is named in {}", self.asked)),
            self.modified
                .contains(&file)
                .then(|| "modified since the last commit".to_owned()),
            self.defines(file),
            self.path_words(file),
            self.mentions(file),
            self.expanded
                .bonds
                .get(&file)
                .map(|(_, bond)| self.bond(bond)),
            self.commit(file),
        ];
        let mut reasons: Vec<String> = reasons.into_iter().flatten().take(MOST_REASONS).collect();
        if reasons.is_empty() {
            reasons.push("was changed lately".to_owned());
        }
        reasons
    }

    fn defines(&self, file: FileId) -> Option<String> {
        let plain = self.query.terms.iter().map(|term| term.word.as_str());
        let names = self
            .query
            .identifiers
            .iter()
            .map(String::as_str)
            .chain(plain);
        let mut defined: Vec<String> = Vec::new();
        for name in names {
            let key = Key::new(Field::Definition, &words::whole(name));
            let quoted = format!("`{name}`");
            if !defined.contains(&quoted) && self.index.files_with(key).contains(&file) {
                defined.push(quoted);
            }
            if defined.len() == MOST_WORDS {
                break;
            }
        }
        (!defined.is_empty()).then(|| format!("defines {}", defined.join(", ")))
    }

    fn path_words(&self, file: FileId) -> Option<String> {
        let path = self.index.path(file);
        let mut stems = Vec::new();
        for (_, word) in words::identifiers(path) {
            words::terms(word, |stem| stems.push(stem.to_owned()));
        }
        let terms = self
            .query
            .terms
            .iter()
            .filter(|term| stems.contains(&term.stem));
        let words: Vec<String> = terms
            .take(MOST_WORDS)
            .map(|term| format!("\"{}\"", term.word))
            .collect();
        (!words.is_empty()).then(|| format!("path has {}", words.join(", ")))
    }

    fn mentions(&self, file: FileId) -> Option<String> {
        let terms = self
            .query
            .terms
            .iter()
            .zip(&self.found.by_term)
            .zip(&self.found.weights);
        let mut held: Vec<(f32, &str)> = terms
            .filter(|((_, files), _)| files.binary_search_by_key(&file, |(file, _)| *file).is_ok())
            .map(|((term, _), weight)| (*weight, term.word.as_str()))
            .collect();
        held.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut words: Vec<String> = held
            .into_iter()
            .map(|(_, word)| format!("\"{word}\""))
            .collect();
        words.dedup();
        words.truncate(MOST_WORDS);
        (!words.is_empty()).then(|| format!("mentions {}", words.join(", ")))
    }

    fn bond(&self, bond: &Bond) -> String {
        match bond {
            Bond::TestOf(file) => format!("tests `{}`", self.path_of(file)),
            Bond::TestedBy(file) => format!("tested by `{}`", self.path_of(file)),
            Bond::ChangedWith(file, 1) => {
                format!("changed with `{}` in 1 commit", self.path_of(file))
            }
            Bond::ChangedWith(file, times) => {
                format!("changed with `{}` in {times} commits", self.path_of(file))
            }
        }
    }

    fn path_of(&self, file: &FileId) -> &str {
        self.index.path(*file)
    }

    fn commit(&self, file: FileId) -> Option<String> {
        let commit = self
            .index
            .history()
            .commits
            .get(*self.past.best.get(&file)?)?;
        Some(format!("changed in the commit \"{}\"", commit.subject))
    }
}
