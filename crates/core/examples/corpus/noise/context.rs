//! Context that is not quite the file's.

use super::{by_row, class, context_row, told};
use crate::ask::{Ask, Hunk, Row};
use crate::case::{Case, Class};
use crate::clean;
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Compare, Index};

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("context line reworded", &Format::BY_ROWS, reworded),
        class(
            "context line next to the change reworded",
            &Format::BY_ROWS,
            reworded_near,
        ),
        class("context line missing", &Format::BY_ROWS, missing),
        class("context line added", &Format::BY_ROWS, extra),
        class("blank line added", &Format::BY_ROWS, extra_blank),
        class("elision", &Format::BY_ROWS, elision),
        class("curly quotes and dashes", &Format::BY_ROWS, curly),
        class("no-break spaces", &Format::BY_ROWS, no_break),
    ]
}

fn reworded(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    one(random, edit, format, 1, |random, rows, at| {
        let text = rows.get_mut(at)?.text_mut();
        *text = reword(random, text)?;
        Some(())
    })
}

fn reworded_near(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    // With a pure insertion, too little would be left of its surroundings.
    let removes = edit.changes().all(|change| !change.old.is_empty());
    removes.then_some(())?;
    let mut ask = context(edit, 3)?;
    let hunk = ask.hunks.first_mut()?;
    let (above, below) = hunk.margins();
    let places = [
        above.checked_sub(1),
        (below > 0).then(|| hunk.rows.len() - below),
    ];
    let places: Vec<usize> = places.into_iter().flatten().collect();
    let at = *random.pick(&places)?;
    pinned(edit, hunk, at).then_some(())?;
    let text = hunk.rows.get_mut(at)?.text_mut();
    *text = reword(random, text)?;
    Some(clean::case(edit, &ask, format))
}

fn missing(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    one(random, edit, format, 1, |_, rows, at| {
        rows.remove(at);
        Some(())
    })
}

fn extra(random: &mut Random, edit: &Edit, other: &Edit, format: Format) -> Option<Case> {
    let known = Index::new(&edit.base);
    let strange = other
        .base
        .iter()
        .filter(|l| text::telling(l) && !known.knows(l));
    let strange: Vec<&String> = strange.take(20).collect();
    one(random, edit, format, 1, |random, rows, at| {
        let line = Row::Context((*random.pick(&strange)?).clone());
        rows.insert(at, line);
        Some(())
    })
}

fn extra_blank(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    one(random, edit, format, 1, |_, rows, at| {
        let blank = |at: usize| rows.get(at).is_some_and(|row| row.text().trim().is_empty());
        (!blank(at) && !blank(at - 1)).then_some(())?;
        rows.insert(at, Row::Context(String::new()));
        Some(())
    })
}

/// Three or more context lines in the middle become dots.
fn elision(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut ask = context(edit, 8)?;
    let hunk = ask.hunks.first_mut()?;
    let (above, below) = hunk.margins();
    let upper = random.once_in(2);
    let (from, to) = if upper {
        (1, above.checked_sub(2)?)
    } else {
        (hunk.rows.len() - below + 2, hunk.rows.len() - 1)
    };
    (to >= from + 3).then_some(())?;
    pinned(edit, hunk, if upper { to - 1 } else { from }).then_some(())?;
    let edge = hunk.rows.get(if upper { 0 } else { to })?.text().to_owned();
    let known = Index::new(&edit.base);
    (text::telling(&edge) && known.has_one(&[edge], Compare::Trimmed)).then_some(())?;
    let dots = if random.once_in(2) {
        "..."
    } else {
        comment_dots(&edit.path)
    };
    hunk.rows.splice(from..to, [Row::Context(dots.to_owned())]);
    Some(clean::case(edit, &ask, format))
}

fn curly(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    by_row(edit, format, |row| {
        if row.is_before() {
            let mut open = false;
            let text = row.text().replace(" - ", " – ").replace('\'', "’");
            let quoted = text.chars().map(|c| match c {
                '"' => {
                    open = !open;
                    if open { '“' } else { '”' }
                }
                c => c,
            });
            *row.text_mut() = quoted.collect();
        }
    })
}

fn no_break(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    by_row(edit, format, |row| {
        if row.is_before() && random.once_in(2) {
            let text = row.text_mut();
            let lead = text.len() - text.trim_start().len();
            if let Some(at) = text.get(lead..).and_then(|rest| rest.find(' ')) {
                text.replace_range(lead + at..=lead + at, "\u{a0}");
            }
        }
    })
}

/// Phrases an edit and changes one context row of its first hunk.
fn one(
    random: &mut Random,
    edit: &Edit,
    format: Format,
    apart: usize,
    change: impl FnOnce(&mut Random, &mut Vec<Row>, usize) -> Option<()>,
) -> Option<Case> {
    let mut ask = context(edit, 4)?;
    let hunk = ask.hunks.first_mut()?;
    let at = context_row(random, &hunk.rows, apart, text::telling)?;
    pinned(edit, hunk, at).then_some(())?;
    change(random, &mut hunk.rows, at)?;
    Some(clean::case(edit, &ask, format))
}

fn context(edit: &Edit, lines: usize) -> Option<Ask> {
    told(edit)?;
    clean::telling(edit, lines, Compare::Trimmed)
}

/// Returns whether the rows on the changes' side of row `at` tell the place without it.
fn pinned(edit: &Edit, hunk: &Hunk, at: usize) -> bool {
    let above = at < hunk.margins().0;
    let rows = if above {
        hunk.rows.get(at + 1..)
    } else {
        hunk.rows.get(..at)
    };
    let rows = rows.unwrap_or_default().to_vec();
    let left = Hunk { start: 0, rows };
    let block = left.before();
    let told = block.iter().any(|line| text::telling(line));
    told && Index::new(&edit.base).has_one(&block, Compare::Trimmed)
}

/// Returns the line with one of its words changed, if it has enough of them.
fn reword(random: &mut Random, text: &str) -> Option<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<(usize, &str)> = Vec::new();
    for part in text
        .split(|c: char| !word(c))
        .filter(|part| part.len() >= 4)
    {
        words.push((part.as_ptr() as usize - text.as_ptr() as usize, part));
    }
    (words.len() >= 2).then_some(())?;
    let (at, part) = *random.pick(&words)?;
    let other = match random.below(3) {
        0 => format!("{part}s"),
        1 => format!("new_{part}"),
        _ => "value".to_owned(),
    };
    Some(format!(
        "{}{other}{}",
        text.get(..at)?,
        text.get(at + part.len()..)?
    ))
}

fn comment_dots(path: &str) -> &'static str {
    if path.ends_with(".py") {
        "# ..."
    } else {
        "// ..."
    }
}
