//! The replacement of a pattern as a template.
//!
//! In: pattern and replacement as phrased. Out: the pieces of the template, and what the
//! pattern says of how matches are joined to the text around them.

use super::*;
use crate::text::Slice;
use crate::word::is_word;

/// Returns the replacement of a request as a template.
pub(in crate::edit::plan::structural) fn template(
    request: &StructRequest,
    notation: Notation,
    file: Option<Unit>,
) -> Result<Vec<Piece>, String> {
    let text = trimmed(&request.pattern, &request.replacement);
    let text = normalised(text, file);
    let mut pieces = match notation {
        Notation::Holes => hole_template(&request.pattern, &text)?,
        Notation::Metavariables => meta_template(&request.pattern, &text)?,
    };
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    Ok(pieces)
}

/// Returns the names that begin a line of the pattern, other than the first, without
/// indentation.
pub(in crate::edit::plan::structural) fn flush(pattern: &str) -> Vec<String> {
    let margin = leading(pattern);
    let lines = pattern.trim_end().lines().skip(1);
    let names = lines.filter_map(|line| {
        let rest = line.strip_prefix(margin)?;
        let rest = rest.strip_prefix(":[").or_else(|| rest.strip_prefix('$'))?;
        let rest = rest.trim_start_matches(['[', '$']);
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        rest.get(..end).map(str::to_owned)
    });
    names.collect()
}

/// Returns the name of the hole that a pattern begins with, and whether something other than
/// a call, an index or a member follows it.
pub(in crate::edit::plan::structural) fn leading_hole(pattern: &str) -> Option<(&str, bool)> {
    let text = pattern.trim_start();
    let (name, rest) = if text.starts_with(":[") {
        let (inner, length) = hole(text).ok()?;
        if inner.word || inner.regex.is_some() {
            return None;
        }
        (inner.name, text.get(length..)?)
    } else {
        let meta = metavariables(text).into_iter().next()?;
        if meta.start > 0 {
            return None;
        }
        (meta.name, text.get(meta.end..)?)
    };
    Some((name, !rest.starts_with(['.', '(', '[', '?'])))
}

/// Takes the white space from the ends of a replacement that the pattern has at its own.
fn trimmed<'r>(pattern: &str, replacement: &'r str) -> &'r str {
    let ends = pattern.ends_with(char::is_whitespace);
    let text = if ends {
        replacement.trim_end()
    } else {
        replacement
    };
    match (
        pattern.starts_with(char::is_whitespace),
        text.contains('\n'),
    ) {
        (true, false) => text.trim_start(),
        // Leading blanks of the first line say how the other lines are indented.
        (true, true) => text.trim_start_matches(['\n', '\r']),
        (false, _) => text,
    }
}

fn meta_template(pattern: &str, text: &str) -> Result<Vec<Piece>, String> {
    let known = metavariables(pattern);
    let mut pieces = Vec::new();
    let mut at = 0;
    for meta in with_words(text) {
        let is_known = known.iter().any(|other| other.name == meta.name);
        let head = text.slice(..meta.start);
        if head.ends_with(is_word) && (meta.name.is_empty() || !is_known) {
            continue;
        }
        if meta.name.is_empty() {
            return Err("the replacement has a metavariable without a name".into());
        }
        if !is_known {
            return Err(format!(
                "the replacement has `${}`, which the pattern has not",
                meta.name
            ));
        }
        pieces.push(Piece::Text(text.slice(at..meta.start).to_owned()));
        pieces.push(Piece::Hole(meta.name.to_owned()));
        at = meta.end;
    }
    let rest = text.slice(at..);
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

fn hole_template(pattern: &str, text: &str) -> Result<Vec<Piece>, String> {
    let (own, theirs) = (rests(text)?, rests(pattern)?);
    if theirs > 0 && own > 0 && own != theirs {
        return Err(
            "pattern and replacement have different numbers of `...`; give them names: `:[x]`"
                .into(),
        );
    }
    let mut count = 0;
    let mut pieces: Vec<Piece> = Vec::new();
    for part in split(text)? {
        match part {
            PatternPart::Text(text) => pieces.push(Piece::Text(text.to_owned())),
            PatternPart::Rest if theirs == 0 => pieces.push(Piece::Text("...".into())),
            PatternPart::Rest => {
                pieces.push(Piece::Hole(rest_name(count)));
                count += 1;
            }
            PatternPart::Hole(Inner { name: "_", .. }) => {
                return Err("the replacement has a hole without a name".into());
            }
            PatternPart::Hole(inner) => pieces.push(Piece::Hole(inner.name.to_owned())),
        }
    }
    Ok(pieces)
}

fn rests(text: &str) -> Result<usize, String> {
    split(text).map(|parts| {
        parts
            .iter()
            .filter(|part| matches!(part, PatternPart::Rest))
            .count()
    })
}
