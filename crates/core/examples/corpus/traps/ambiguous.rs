//! Lines that stand in several places.

use super::{class, trap};
use crate::ask::{Ask, Hunk};
use crate::case::{Case, Class, Truth};
use crate::clean;
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Compare, Index};

const UNNUMBERED: [Format; 3] = [Format::Section, Format::Bare, Format::Envelope];

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("ambiguous", &UNNUMBERED, several),
        class(
            "ambiguous, and the number between",
            &[Format::Unified],
            between,
        ),
        class("ambiguous after loosening", &UNNUMBERED, loosened),
    ]
}

fn several(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let (ask, _) = short(edit)?;
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

fn between(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let (mut ask, places) = short(edit)?;
    let hunk = ask.hunks.first_mut()?;
    let pair = places.windows(2).find(|pair| pair[1] - pair[0] >= 12)?;
    hunk.start = usize::midpoint(pair[0], pair[1]);
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

/// Phrases an edit with so few lines that they are there twice or more; none of the places is
/// as asked already.
fn short(edit: &Edit) -> Option<(Ask, Vec<usize>)> {
    let mut ask = edit.ask(1);
    let index = Index::new(&edit.base);
    let [hunk] = ask.hunks.as_slice() else {
        return None;
    };
    let options = [hunk.cut(1), hunk.cut(0)];
    for hunk in options {
        let places = index.places(&hunk.before(), Compare::Exact);
        let done = index.places(&hunk.after(), Compare::Exact);
        let told = hunk.before().iter().any(|line| text::telling(line));
        if places.len() >= 2 && done.is_empty() && told {
            ask.hunks = vec![hunk];
            return Some((ask, places));
        }
    }
    None
}

/// The block stands in a second place, indented otherwise, and is asked with an indentation
/// between the two.
fn loosened(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = clean::telling(edit, 2, Compare::Trimmed)?;
    let [hunk] = ask.hunks.as_slice() else {
        return None;
    };
    // The request would say which of the places it means, were a margin all that it shows.
    hunk.before()
        .iter()
        .any(|line| text::telling(line))
        .then_some(())?;
    let block = hunk.before();
    let mut lines = edit.base.to_vec();
    let free = hunk.start + block.len();
    let at = free + random.below(lines.len().saturating_sub(free) + 1);
    let copy: Vec<String> = block.iter().map(|line| shifted(line, 4)).collect();
    lines.splice(at..at, copy);
    let mut asked = hunk.clone();
    for row in &mut asked.rows {
        let text = shifted(row.text(), 2);
        *row.text_mut() = text;
    }
    let ask = Ask {
        hunks: vec![Hunk {
            start: hunk.start,
            ..asked
        }],
        ..ask.clone()
    };
    Some(trap(edit, text::join(&lines), &ask, format, Truth::Refusal))
}

fn shifted(line: &str, by: usize) -> String {
    if line.trim().is_empty() {
        line.to_owned()
    } else {
        format!("{}{line}", " ".repeat(by))
    }
}
