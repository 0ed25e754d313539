//! Windows: the stretches of a text in which a query can match.
//!
//! In: a query and a text. Out: the few stretches that hold what its predicates want some captured
//! node to be (`(#eq? @name "text")`), where every pattern has such a predicate. A match has a
//! node in one of them, so the rest of the tree need not be walked: a query by name on 300 KB of TSX
//! takes 8 ms with windows, 30 ms without.

use std::ops::Range;

use memchr::memmem;
use tree_sitter::CaptureQuantifier;

use super::matches::Query;
use super::tokens::{Token, comparisons, repeats, tokens};

/// Maximum number of stretches; those near each other count as one. Case: a query for a name that is everywhere, for which
/// starting the cursor at each would take longer than one walk.
const MAX_WINDOWS: usize = 64;

/// Returns the stretches in order; none if a match may be anywhere.
pub(super) fn windows(query: &Query, text: &str) -> Option<Vec<Range<usize>>> {
    // At the end of a stretch, tree-sitter leaves matches out that could have gone on.
    if repeats(query.text()) {
        return None;
    }
    let compiled = query.compiled();
    let tokens = tokens(query.text());
    let mut wanted = Vec::new();
    for pattern in 0..compiled.pattern_count() {
        if !compiled.is_pattern_rooted(pattern) {
            return None;
        }
        let quantifiers = compiled.capture_quantifiers(pattern);
        // A capture that may have no node is no reason for a match to be anywhere.
        let sure = |capture: &str| {
            let index = compiled.capture_index_for_name(capture);
            let quantifier = index.and_then(|index| quantifiers.get(index as usize));
            matches!(
                quantifier,
                Some(CaptureQuantifier::One | CaptureQuantifier::OneOrMore)
            )
        };
        let span = compiled.start_byte_for_pattern(pattern)..compiled.end_byte_for_pattern(pattern);
        let own: Vec<&Token> = tokens
            .iter()
            .filter(|token| span.contains(&token.at()))
            .collect();
        let (_, texts) = comparisons(query.text(), &own)
            .into_iter()
            .find(|(capture, texts)| {
                sure(capture) && (!texts.iter().any(|text| text.is_empty()))
            })?;
        wanted.extend(texts);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Language;

    #[test]
    fn predicates_tell_where_a_query_can_match() {
        let text = format!("fn a() {{}}\n{}fn b() {{ a() }}\n", "// c\n".repeat(40));
        let tree = Language::Rust.parse(&text).unwrap();
        let check = |query: &str, expected: Option<&[&str]>| {
            let compiled = Query::new(&tree, query).unwrap();
            let found = windows(&compiled, &text);
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
        check(r#"((identifier)+ @x (#eq? @x "b"))"#, None);
        check(
            r#"(function_item name: (_)? (parameters (_)*) . body: (block)? @y) @x (#eq? @x "b")"#,
            None,
        );
        check(r#"([(identifier) @x (block) @y] (#eq? @x "b"))"#, None);
    }
}
