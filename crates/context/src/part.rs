//! Part: the definition within one file that a request is about.
//!
//! In: a path, a text and a request. Out: the lines of one definition, if it is clear which. A name that the
//! request has tells it; else the words of the request that few definitions have.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;

use signoff_source::path::WorkspacePath;
use signoff_source::syntax::Language;
use signoff_source::syntax::outline::{Symbol, outline};

use crate::words;

/// How many times the score of the second definition the first one has.
const AHEAD: f32 = 1.5;
/// How often a word counts in the name of a definition.
const IN_NAME: f32 = 2.0;

/// Returns the lines of the definition that a request is about, counted from one.
pub fn about(path: &str, text: &str, request: &str) -> Option<RangeInclusive<usize>> {
    let symbols = definitions(path, text)?;
    let asked: Vec<&str> = words::identifiers(request).map(|(_, word)| word).collect();
    // A plain word of the request may be the name of something by chance.
    let mut named = symbols
        .iter()
        .filter(|symbol| asked.contains(&symbol.name.as_str()) && is_name(request, &symbol.name));
    if let (Some(only), None) = (named.next(), named.next()) {
        return Some(only.lines.clone());
    }
    by_words(text, &symbols, request)
}

fn is_name(request: &str, name: &str) -> bool {
    name.len() > 2 && (words::is_compound(name) || is_marked(request, name))
}

/// Returns the innermost definitions, or none if there are less than two to choose from.
fn definitions(path: &str, text: &str) -> Option<Vec<Symbol>> {
    let language = Language::of(&WorkspacePath::parse(path, Path::new("/")).ok()?)?;
    let symbols = outline(language, &language.parse(text)?);
    let next = symbols.iter().skip(1).map(Some).chain([None]);
    let innermost: Vec<Symbol> = symbols
        .iter()
        .zip(next)
        .filter(|(symbol, next)| next.is_none_or(|next| next.range.start >= symbol.range.end))
        .map(|(symbol, _)| symbol.clone())
        .collect();
    (innermost.len() > 1).then_some(innermost)
}

/// Returns whether a request writes a word as code: in backticks, behind `@` or before `(`.
fn is_marked(request: &str, name: &str) -> bool {
    [format!("`{name}`"), format!("@{name}"), format!("{name}(")]
        .iter()
        .any(|marked| request.contains(marked))
}

fn by_words(text: &str, symbols: &[Symbol], request: &str) -> Option<RangeInclusive<usize>> {
    let asked = terms(request);
    let has: Vec<(HashSet<String>, HashSet<String>)> = symbols
        .iter()
        .map(|symbol| {
            let body = text.get(symbol.range.clone()).unwrap_or_default();
            (terms(body), terms(&symbol.name))
        })
        .collect();
    let weights: Vec<(&String, f32)> = asked
        .iter()
        .map(|term| (term, rarity(&has, symbols, term)))
        .collect();
    let mut scored: Vec<(f32, &Symbol)> = has
        .iter()
        .map(|(body, name)| score(&weights, body, name))
        .zip(symbols)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [(first, symbol), (second, _), ..] = scored.as_slice() else {
        return None;
    };
    (*first > 0.0 && *first >= second * AHEAD).then(|| symbol.lines.clone())
}

fn score(weights: &[(&String, f32)], body: &HashSet<String>, name: &HashSet<String>) -> f32 {
    weights
        .iter()
        .filter(|(term, _)| body.contains(*term))
        .map(|(term, weight)| {
            if name.contains(*term) {
                IN_NAME * weight
            } else {
                *weight
            }
        })
        .sum()
}

fn rarity(has: &[(HashSet<String>, HashSet<String>)], symbols: &[Symbol], term: &String) -> f32 {
    let count = has.iter().filter(|(body, _)| body.contains(term)).count();
    // What all of them have tells nothing.
    (symbols.len() as f32 / count.max(1) as f32).ln()
}

fn terms(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    for (_, word) in words::identifiers(text) {
        words::terms(word, |term| {
            found.insert(term.to_owned());
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_about_the_definition_that_it_names_or_describes() {
        let text = "LIMIT = 3\n\nclass Greeter:\n    def greet(self, name):\n        print(\"helo \" + name)\n\n    \
                    def part_from(self, name):\n        print(\"bye \" + name)\n\n\
                    def read_names(path):\n    return open(path).read().split()\n";
        let check = |request: &str, lines: Option<RangeInclusive<usize>>| {
            assert_eq!(about("a.py", text, request), lines, "{request}");
        };
        check("let read_names close the file", Some(10..=11));
        check("say the name twice in `greet`", Some(4..=5));
        check("part_from() should say farewell", Some(7..=8));
        check("fix the typo helo", Some(4..=5));
        check("the bye should be loud", Some(7..=8));
        check(
            "split at commas when names are read from the path",
            Some(10..=11),
        );
        check("print the name in upper case", None);
        check("make it faster", None);
        check("", None);
        assert_eq!(about("a.py", "def f():\n    pass\n", "change f()"), None);
        assert_eq!(about("a.txt", text, "read_names"), None);
    }
}
