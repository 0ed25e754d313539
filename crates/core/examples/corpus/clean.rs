//! Edits on their own base.

use std::rc::Rc;

use crate::ask::{Ask, Hunk, Row, Slip, Style};
use crate::case::{Case, Class, Kind, Make, Truth};
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Compare, Index};

/// Models seldom show more lines than this around a change.
const MAX_CONTEXT: usize = 12;

/// Returns the classes.
pub(crate) fn classes() -> Vec<Class> {
    let class = |name, formats, weight, make: Make| Class {
        kind: Kind::Clean,
        name,
        formats,
        weight,
        make,
    };
    vec![
        class("as made", &Format::ALL, 3, plain),
        class(
            "no newline at the end of the texts",
            &[Format::Section],
            1,
            open_end,
        ),
        class("part of a line", &[Format::Section], 1, inline),
    ]
}

fn plain(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(random, edit, format)?;
    Some(case(edit, &ask, format))
}

fn open_end(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut ask = told(random, edit, format)?;
    // Where the last row is no context, the newline is part of what changes.
    ask.hunks
        .iter()
        .all(|hunk| hunk.margins().1 > 0)
        .then_some(())?;
    ask.hunks
        .iter()
        .all(|h| h.rows.last().is_some_and(|r| !r.text().is_empty()))
        .then_some(())?;
    ask.style.slip = Some(Slip::OpenEnd);
    Some(case(edit, &ask, format))
}

/// A pair of single lines without what is around them, as models write short changes.
fn inline(_: &mut Random, edit: &Edit, _: &Edit, _: Format) -> Option<Case> {
    let [hunk] = edit.hunks.as_slice() else {
        return None;
    };
    let [change] = hunk.as_slice() else {
        return None;
    };
    let ([new], [old]) = (change.new.as_slice(), edit.base.get(change.old.clone())?) else {
        return None;
    };
    let (old_text, new_text) = (old.trim(), new.trim());
    let same_indent = old.split(old_text).next() == new.split(new_text).next();
    let text = text::join(&edit.base);
    let alone = text.matches(old_text).count() == 1 && !old_text.is_empty();
    (alone && same_indent && old.trim_end() == old && new.trim_end() == new).then_some(())?;
    let pair = serde_json::json!({ "old_text": old_text, "new_text": new_text });
    Some(Case {
        path: edit.path.clone(),
        before: text,
        change: serde_json::json!({ "strategy": "section", "section": { "edits": [pair] } }),
        truth: Truth::Text(text::join(&edit.after())),
    })
}

/// Phrases an edit so that its place is beyond doubt: by numbers that are right, or by as many
/// lines as tell it from all others.
pub(crate) fn told(random: &mut Random, edit: &Edit, format: Format) -> Option<Ask> {
    let least = if format == Format::Section {
        1 + random.below(3)
    } else {
        3
    };
    if format.has_numbers() || format == Format::Whole {
        return Some(edit.ask(3));
    }
    let ask = telling(edit, least, Compare::Exact)?;
    (format != Format::Section || is_alone(edit, &ask)).then_some(ask)
}

/// Returns whether the old texts are there once even where they need not be whole lines: a
/// blank line at their start is the end of any line, and their last line the start of others.
fn is_alone(edit: &Edit, ask: &Ask) -> bool {
    let text = text::join(&edit.base);
    ask.hunks
        .iter()
        .all(|hunk| text.matches(&hunk.before().join("\n")).nth(1).is_none())
}

/// Phrases an edit with the fewest lines, from `least` on, that occur once.
pub(crate) fn telling(edit: &Edit, least: usize, compare: Compare) -> Option<Ask> {
    let index = Index::new(&edit.base);
    let mut ask = edit.ask(least);
    for (hunk, changes) in ask.hunks.iter_mut().zip(&edit.hunks) {
        let mut context = least;
        while !index.has_one(&hunk.before(), compare) {
            context += 1;
            if context > MAX_CONTEXT {
                return None;
            }
            *hunk = edit.hunk(changes, context, context);
        }
    }
    let apart = ask.hunks.windows(2).all(|pair| match pair {
        [a, b] => a.start + a.before().len() <= b.start,
        _ => true,
    });
    apart.then_some(ask)
}

/// Returns the simplest case of a format.
pub(crate) fn sample(format: Format) -> Case {
    let lines = |text: &str| Rc::new(text.lines().map(str::to_owned).collect::<Vec<_>>());
    let rows = vec![
        Row::Context("first line".into()),
        Row::Removed("second line".into()),
        Row::Added("another line".into()),
        Row::Context("third line".into()),
    ];
    let ask = Ask {
        path: "a.txt".into(),
        hunks: vec![Hunk { start: 0, rows }],
        before: lines("first line\nsecond line\nthird line"),
        after: lines("first line\nanother line\nthird line"),
        style: Style::default(),
    };
    Case {
        path: ask.path.clone(),
        before: text::join(&ask.before),
        change: format.change(&ask),
        truth: Truth::Text(text::join(&ask.after)),
    }
}

/// Makes the case of `ask` on the edit's own base.
pub(crate) fn case(edit: &Edit, ask: &Ask, format: Format) -> Case {
    Case {
        path: edit.path.clone(),
        before: text::join(&edit.base),
        change: format.change(ask),
        truth: Truth::Text(text::join(&edit.after())),
    }
}
