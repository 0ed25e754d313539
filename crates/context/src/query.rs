//! Queries: what a request in words asks for.
//!
//! In: a request, an issue, the message of a commit. Out: [`Query`]: weighted terms, the paths and the
//! identifiers that it names. Words that any request may have, greetings among them, are no terms.

use signoff_source::clip;
use std::collections::HashMap;

use crate::history::is_trailer;
use crate::words::{self, is_compound};

mod common;

use common::is_stop_word;
pub(crate) use common::is_weak_word;

/// Maximum number of terms that are looked up; a longer request says little more.
const MAX_TERMS: usize = 60;
/// Text beyond this, in bytes, is not read: logs and listings that were pasted.
const MAX_BYTES: usize = 16 * 1024;
/// Pairs of neighbouring words that are looked up.
const MAX_PAIRS: usize = 40;
/// The longest scope of a subject, in bytes and in terms; what is longer is a sentence.
const MAX_SCOPE: usize = 40;
const MAX_SCOPE_WORDS: usize = 6;
/// The weight of a term of the first line, where one of a later line weighs 1: the subject says what it
/// is about.
const SUBJECT_WEIGHT: f32 = 2.0;

/// The weight of a word of change.
const WEAK_WEIGHT: f32 = 0.4;

/// A term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The stem.
    pub stem: String,
    /// The word as it was written.
    pub word: String,
    /// How much it counts.
    pub weight: f32,
}

/// What a request asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Terms, those that count most first.
    pub terms: Vec<Term>,
    /// Words that look like paths, without line numbers: `src/a.rs`, `a.rs`, `net/http`.
    pub paths: Vec<String>,
    /// Words that look like code.
    pub identifiers: Vec<String>,
    /// Neighbouring words as one: "thread pool" may be `ThreadPool`, or `thread_pool.rs`.
    pub pairs: Vec<Term>,
    /// Stems of the words before the first colon, as of `parser: accept tabs` and `fix(parser): ...`: by
    /// convention they name the part of the program that a change is about.
    pub scope: Vec<String>,
    /// How many words the request has that are no stop words.
    pub words: usize,
}

impl Query {
    /// Reads a request.
    pub fn parse(text: &str) -> Self {
        let text = clip::head(text, MAX_BYTES);
        let mut query = Self::default();
        let mut weights: HashMap<String, (String, f32, usize)> = HashMap::new();
        let lines = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !is_trailer(line));
        for (nth, line) in lines.enumerate() {
            query.read_pairs(line);
            if nth == 0 {
                query.scope = scope(line);
            }
            let weight = if nth == 0 { SUBJECT_WEIGHT } else { 1.0 };
            for raw in line.split_whitespace().filter(|raw| !is_noise(raw)) {
                query.read_word(raw, weight, &mut weights);
            }
        }
        let mut terms: Vec<(String, (String, f32, usize))> = weights.into_iter().collect();
        terms.sort_by(|(_, (_, a, nth_a)), (_, (_, b, nth_b))| {
            b.total_cmp(a).then(nth_a.cmp(nth_b))
        });
        query.words = terms.len();
        terms.truncate(MAX_TERMS);
        query.terms = terms
            .into_iter()
            .map(|(stem, (word, weight, _))| Term { stem, word, weight })
            .collect();
        query
    }

    /// Reads neighbouring plain words of a line.
    fn read_pairs(&mut self, line: &str) {
        let mut before: Option<&str> = None;
        for word in line.split_whitespace() {
            let plain = word.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
            let is_plain =
                plain.len() > 2 && plain.chars().all(char::is_alphanumeric) && !is_stop_word(plain);
            if let Some(first) = before.filter(|_| is_plain)
                && self.pairs.len() < MAX_PAIRS
            {
                let stem = words::whole(&format!("{first}{plain}"));
                if !self.pairs.iter().any(|known| known.stem == stem) {
                    self.pairs.push(Term {
                        stem,
                        word: format!("{first} {plain}"),
                        weight: 1.0,
                    });
                }
            }
            // A sign between two words parts them.
            before = (is_plain && plain.len() == word.len()).then_some(plain);
        }
    }

    /// Reads what is between two blanks.
    fn read_word(
        &mut self,
        raw: &str,
        weight: f32,
        weights: &mut HashMap<String, (String, f32, usize)>,
    ) {
        let bare = raw
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '@'))
            .trim_matches(['.', '@'])
            .trim_end_matches('/');
        let quoted = raw.contains('`');
        if let Some(path) = as_path(bare)
            && !self.paths.contains(&path)
        {
            self.paths.push(path);
        }
        for (_, word) in words::identifiers(raw) {
            let is_code = quoted || is_compound(word);
            if is_code && word.len() > 2 && !self.identifiers.iter().any(|known| known == word) {
                self.identifiers.push(word.to_owned());
            }
            if !is_code && is_stop_word(word) {
                continue;
            }
            let weight = if is_code || !is_weak_word(word) {
                weight
            } else {
                weight * WEAK_WEIGHT
            };
            words::terms(word, |stem| {
                let nth = weights.len();
                let known = weights
                    .entry(stem.to_owned())
                    .or_insert_with(|| (word.to_owned(), 0.0, nth));
                // What is said again counts less each time.
                known.1 = known.1.max(weight) + if known.1 > 0.0 { 0.3 } else { 0.0 };
            });
        }
    }
}

/// Returns the stems of the words that stand before the first colon of a subject.
fn scope(subject: &str) -> Vec<String> {
    let Some((before, _)) = subject
        .split_once(": ")
        .filter(|(before, _)| before.len() <= MAX_SCOPE)
    else {
        return Vec::new();
    };
    let inner = before.split_once('(').map_or(before, |(_, inner)| inner);
    let mut stems = Vec::new();
    for (_, word) in words::identifiers(inner) {
        if !is_stop_word(word) {
            words::terms(word, |stem| stems.push(stem.to_owned()));
        }
    }
    if stems.len() > MAX_SCOPE_WORDS {
        Vec::new()
    } else {
        stems
    }
}

/// Returns whether a word names nothing here: addresses, hashes of commits, numbers of issues.
fn is_noise(raw: &str) -> bool {
    let bare = raw.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_hash = bare.len() >= 7 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_digit = bare.bytes().any(|byte| byte.is_ascii_digit());
    let is_issue = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
    raw.contains("://")
        || raw.contains('@') && raw.contains('.') && !raw.starts_with('@')
        || is_hash && has_digit
        || is_issue
}

/// Returns a word as a path: with a `/`, or a name with an extension; without a line number.
fn as_path(bare: &str) -> Option<String> {
    let path = bare
        .split(':')
        .next()
        .unwrap_or(bare)
        .trim_start_matches("./");
    let path = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path);
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let has_extension = extension.is_some_and(|(_, extension)| {
        extension.len() <= 5 && extension.starts_with(|c: char| c.is_ascii_lowercase())
    });
    let has_folder = path.contains('/') && path.split('/').all(|part| part.len() > 1);
    (path.len() > 3 && (has_extension || has_folder)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        let mut stems: Vec<String> = Query::parse(text)
            .terms
            .into_iter()
            .map(|term| term.stem)
            .collect();
        stems.sort();
        stems
    }

    #[test]
    fn greetings_have_no_terms() {
        for text in [
            "hi",
            "Hello!",
            "thanks, that is great",
            "ok",
            "",
            "what can you do?",
            "good morning :)",
        ] {
            assert_eq!(stems(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn paths_and_identifiers_are_told_from_words() {
        let query =
            Query::parse("fix `twice` and parseHeader in src/a.rs:12, see net/http and b_test.go.");
        assert_eq!(query.paths, ["src/a.rs", "net/http", "b_test.go"]);
        assert_eq!(query.identifiers, ["twice", "parseHeader", "b_test"]);
        assert!(Query::parse("i/o e.g. this. 1.5").paths.is_empty());
    }

    #[test]
    fn addresses_hashes_and_trailers_say_nothing() {
        let text = "fix lexer\n\nhttps://example.org/parser #123 0a1b2c3d\nSigned-off-by: Ann Parser <a@b.c>\n";
        assert_eq!(stems(text), ["fix", "lex"]);
    }

    #[test]
    fn a_scope_is_what_stands_before_the_colon() {
        for (subject, expected) in [
            ("parser: accept tabs", vec!["pars"]),
            ("fix(net/http): a", vec!["net", "http"]),
            ("accept tabs", vec![]),
            (
                "a long sentence that goes on for very much longer: x",
                vec![],
            ),
        ] {
            assert_eq!(Query::parse(subject).scope, expected, "{subject}");
        }
    }

    #[test]
    fn neighbouring_words_are_pairs() {
        let pairs = Query::parse("the thread pool, worker `x` of a queue").pairs;
        let pairs: Vec<&str> = pairs.iter().map(|pair| pair.stem.as_str()).collect();
        assert_eq!(pairs, ["threadpool"]);
    }

    #[test]
    fn the_first_line_counts_most() {
        let query = Query::parse("lexer\n\nparser");
        let words: Vec<&str> = query.terms.iter().map(|term| term.word.as_str()).collect();
        assert_eq!(words, ["lexer", "parser"]);
    }
}
