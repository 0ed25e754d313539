//! Where a query can match at all.
//!
//! In: a query and a text. Out: the few stretches that hold what its predicates want some captured
//! node to be (`(#eq? @name "text")`), where every pattern has such a predicate. A match has a
//! node in one of them, so that the rest of the tree need not be gone through.

use std::ops::Range;

use memchr::memmem;
use tree_sitter::CaptureQuantifier;

/// Stretches are so many at most; those that are near each other count as one.
const MAX_WINDOWS: usize = 64;

/// Returns the stretches in order; none if a match may be anywhere.
pub(super) fn windows(
    query: &tree_sitter::Query,
    wording: &str,
    text: &str,
) -> Option<Vec<Range<usize>>> {
    let mut wanted = Vec::new();
    for pattern in 0..query.pattern_count() {
        let bytes = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
        let quantifiers = query.capture_quantifiers(pattern);
        // A capture that may have no node is no reason for a match to be anywhere.
        let sure = |name: &str| {
            let index = query.capture_index_for_name(name)?;
            let quantifier = quantifiers.get(index as usize)?;
            matches!(
                quantifier,
                CaptureQuantifier::One | CaptureQuantifier::OneOrMore
            )
            .then_some(())
        };
        let all = predicates(&tokens(wording.get(bytes)?));
        let own = all.into_iter().find(|own| sure(own.capture).is_some())?;
        if !query.is_pattern_rooted(pattern) {
            return None;
        }
        wanted.extend(own.texts);
    }
    Some(places(&wanted, text)).filter(|windows| {
        let covered: usize = windows.iter().map(Range::len).sum();
        covered <= text.len() / 2
    })
}

fn places(wanted: &[&str], text: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for wanted in wanted {
        let found = memmem::find_iter(text.as_bytes(), wanted);
        places.extend(found.map(|at| at..at + wanted.len()));
    }
    places.sort_unstable_by_key(|place| (place.start, place.end));
    let near = text.len() / MAX_WINDOWS;
    let mut windows: Vec<Range<usize>> = Vec::new();
    for place in places {
        match windows.last_mut() {
            Some(last) if place.start <= last.end + near => last.end = last.end.max(place.end),
            _ => windows.push(place),
        }
    }
    windows
}

/// What a predicate wants the nodes of a capture to be: one of these texts.
struct Wanted<'q> {
    capture: &'q str,
    texts: Vec<&'q str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'q> {
    Open,
    Text(&'q str),
    Word(&'q str),
}

/// Returns the predicates that name the texts of a capture.
fn predicates<'q>(tokens: &[Token<'q>]) -> Vec<Wanted<'q>> {
    let starts = tokens.windows(3).enumerate();
    let found = starts.filter_map(|(at, window)| match window {
        [
            Token::Open,
            Token::Word("#eq?" | "#any-eq?" | "#any-of?"),
            Token::Word(capture),
        ] => {
            let rest = tokens.get(at + 3..)?.iter();
            let texts: Vec<&str> = rest
                .map_while(|token| match token {
                    Token::Text(text) => Some(*text),
                    _ => None,
                })
                .collect();
            // An escape or a bare word among them ends the row of texts.
            let whole = tokens.get(at + 3 + texts.len()) == Some(&Token::Word(")"));
            let capture = capture.strip_prefix('@')?;
            (whole && !texts.is_empty() && texts.iter().all(|text| !text.is_empty()))
                .then_some(Wanted { capture, texts })
        }
        _ => None,
    });
    found.collect()
}

/// Takes a pattern apart; a text with escapes in it is a word, which no predicate here takes.
fn tokens(mut rest: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return tokens;
        };
        let length = match first {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '"' => quoted(rest),
            '(' | ')' | '[' | ']' | '{' | '}' => 1,
            _ => {
                let end = |char: char| char.is_whitespace() || "()[]{}\";".contains(char);
                rest.find(end).unwrap_or(rest.len()).max(first.len_utf8())
            }
        };
        let (token, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match first {
            ';' => {}
            '(' => tokens.push(Token::Open),
            '"' if !token.contains('\\') => tokens.push(Token::Text(token.trim_matches('"'))),
            _ => tokens.push(Token::Word(token)),
        }
        rest = tail;
    }
}

/// Returns the length of a text in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Language;

    #[test]
    fn predicates_tell_where_a_query_can_match() {
        let text = format!("fn a() {{}}\n{}fn b() {{ a() }}\n", "// c\n".repeat(40));
        let check = |query: &str, expected: Option<&[&str]>| {
            let compiled = tree_sitter::Query::new(&Language::Rust.grammar(), query).unwrap();
            let found = windows(&compiled, query, &text);
            let texts = |found: Vec<Range<usize>>| -> Vec<&str> {
                found.into_iter().map(|range| &text[range]).collect()
            };
            let found = found.map(texts);
            assert_eq!(found.as_deref(), expected, "{query}");
        };
        check(r#"((identifier) @x (#eq? @x "b"))"#, Some(&["b"]));
        check(
            r#"((identifier) @x (#any-of? @x "b" "a"))"#,
            Some(&["a", "b", "a"]),
        );
        check(r#"((identifier) @x (#eq? @x "none"))"#, Some(&[]));
        check(r#"((identifier) @x (#not-eq? @x "b"))"#, None);
        check(r#"((identifier) @x (#eq? @x "\x62"))"#, None);
        check(r#"((identifier) @x (#match? @x "b"))"#, None);
        check(r#"((identifier) @x) ; (#eq? @x "b")"#, None);
        check(r#"((identifier) @x (#eq? @x "b")) (block) @y"#, None);
        check(
            r#"((function_item (visibility_modifier)? @x) @y (#eq? @x "b"))"#,
            None,
        );
        check(r#"([(identifier) @x (block) @y] (#eq? @x "b"))"#, None);
    }
}
