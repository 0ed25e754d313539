//! Guard: code with HTML entities.
//!
//! In: a scene. Out: an alarm for each added line of a program with `&lt;`, `&gt;` or `&amp;`
//! among its signs. Many languages take `a &lt; b` for an `&` and a name, so their parsers say
//! nothing. What no parser takes, such as `\"` outside a string, is a syntax error anyway.

use super::scene::{Added, Scene};
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::syntax::Language;
use crate::text::{ENTITIES, Slice};
use crate::word::is_word;

/// Languages in which an `&` and a name may follow each other.
const PROGRAMS: &[Language] = &[
    Language::Rust,
    Language::TypeScript,
    Language::Tsx,
    Language::JavaScript,
    Language::Python,
    Language::Go,
    Language::C,
    Language::Cpp,
    Language::Java,
];

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    if !scene
        .language
        .is_some_and(|language| PROGRAMS.contains(&language))
    {
        return Vec::new();
    }
    let alarms = scene.added.iter().filter_map(|line| look_at(scene, line));
    alarms.take(MAX_ALARMS).collect()
}

fn look_at(scene: &Scene<'_>, line: &Added<'_>) -> Option<Alarm> {
    if !line.text.contains('&') || scene.was_there(line.text) {
        return None;
    }
    let mut written = ENTITIES.iter().flat_map(|(entity, sign)| {
        let places = line.text.match_indices(entity);
        places.map(move |(at, _)| (at, *entity, *sign))
    });
    let (at, entity, sign) =
        written.find(|(at, ..)| is_among_signs(scene, line.start + at).is_some())?;
    let name = entity.trim_matches(['&', ';']);
    // `&lt;` may end a statement about a variable of that name.
    let rest = line.text.slice(at + entity.len()..);
    let goes_on = !rest.trim().is_empty();
    let severity = if goes_on && !is_a_name(scene.new, name) {
        Severity::Refuse
    } else {
        Severity::Warn
    };
    let message = format!("`{entity}` outside strings: `{sign}` is meant");
    Some(scene.alarm(Guard::Escape, severity, line, message))
}

fn is_among_signs(scene: &Scene<'_>, at: usize) -> Option<()> {
    let root = scene.parsed()?.root();
    let node = root.descendant_for_byte_range(at, at + 1)?;
    (node.kind() == "&" || node.is_error()).then_some(())
}

/// Returns whether a text has a word other than as an entity.
fn is_a_name(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let head = text.slice(..at);
        let tail = text.slice(at + word.len()..);
        let whole = !head.ends_with(is_word) && !tail.starts_with(is_word);
        whole && !(head.ends_with('&') && tail.starts_with(';'))
    })
}
