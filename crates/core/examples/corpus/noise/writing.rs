//! Slips in the writing of a format.

use super::{class, told};
use crate::ask::{Ask, Escaped, Row, Slip};
use crate::case::{Case, Class};
use crate::clean;
use crate::edit::Edit;
use crate::format::{Format, prefixed};
use crate::random::Random;

const PATCHES: [Format; 3] = [Format::Unified, Format::Bare, Format::Envelope];
const NUMBERED: [Format; 2] = [Format::Unified, Format::Dmp];
const FENCED: [Format; 6] = [
    Format::Section,
    Format::Unified,
    Format::Bare,
    Format::Envelope,
    Format::Dmp,
    Format::Whole,
];

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("wrong line numbers", &NUMBERED, numbers),
        class("wrong counts", &[Format::Unified], counts),
        class("line numbers pasted", &Format::BY_ROWS, pasted_old),
        class(
            "line numbers pasted in the new text too",
            &[Format::Section],
            pasted_both,
        ),
        class("quotes escaped once more", &Format::BY_ROWS, quotes),
        class("line breaks escaped once more", &[Format::Section], breaks),
        class("in a fence", &FENCED, fenced),
        class("no blank before empty lines", &PATCHES, blanks),
        class(
            "no blank before context",
            &[Format::Unified, Format::Bare],
            no_marks,
        ),
        class(
            "path without a/ and b/",
            &[Format::Unified, Format::Bare],
            bare_path,
        ),
        class("heading after @@", &[Format::Bare], heading),
    ]
}

fn numbers(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    styled(edit, format, |ask| {
        let off = 1 + random.below(60) as isize;
        ask.style.numbers_off = if random.once_in(2) { off } else { -off };
    })
}

fn counts(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    styled(edit, format, |ask| {
        let off = 1 + random.below(3) as isize;
        ask.style.counts_off = if random.once_in(2) { off } else { -off };
    })
}

fn pasted_old(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    pasted(random, edit, format, false)
}

fn pasted_both(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    pasted(random, edit, format, true)
}

fn pasted(random: &mut Random, edit: &Edit, format: Format, both: bool) -> Option<Case> {
    let manner = random.below(3);
    let mut ask = told(edit)?;
    if format == Format::Section && !both {
        ask.style.numbered_old = Some(manner);
        return Some(clean::case(edit, &ask, format));
    }
    for hunk in &mut ask.hunks {
        let (mut old, mut new) = (hunk.start, hunk.start);
        for row in &mut hunk.rows {
            let number = if row.is_before() { old } else { new };
            if row.is_before() || both {
                let text = prefixed(manner, number + 1, row.text());
                *row.text_mut() = text;
            }
            old += usize::from(row.is_before());
            new += usize::from(!matches!(row, Row::Removed(_)));
        }
    }
    Some(clean::case(edit, &ask, format))
}

fn quotes(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let rows = || ask.hunks.iter().flat_map(|hunk| &hunk.rows);
    // A text with backslashes of its own could be meant as it stands.
    let plain = rows().all(|row| !row.text().contains('\\'));
    let quoted = rows().any(|row| row.is_before() && row.text().contains('"'));
    (plain && quoted).then_some(())?;
    styled(edit, format, |ask| ask.style.escaped = Escaped::Quotes)
}

fn breaks(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let mut rows = ask.hunks.iter().flat_map(|hunk| &hunk.rows);
    rows.all(|row| !row.text().contains('\\')).then_some(())?;
    styled(edit, format, |ask| ask.style.escaped = Escaped::Lines)
}

fn fenced(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    styled(edit, format, |ask| ask.style.slip = Some(Slip::Fenced))
}

fn blanks(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let rows = ask.hunks.iter().flat_map(|hunk| &hunk.rows);
    let empty = |row: &Row| row.is_context() && row.text().is_empty();
    rows.into_iter().any(empty).then_some(())?;
    styled(edit, format, |ask| ask.style.slip = Some(Slip::BareBlanks))
}

/// Context lines at the margin lose the blank before them, where they cannot be taken for marks.
fn no_marks(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut case = clean::case(edit, &told(edit)?, format);
    let patch = case.change.pointer_mut("/diff/patch")?;
    let text = patch.as_str()?;
    let bare = |line: &str| match line.strip_prefix(' ') {
        Some(rest) if rest.starts_with(char::is_alphabetic) || rest.starts_with('}') => {
            format!("{rest}\n")
        }
        _ => format!("{line}\n"),
    };
    let other: String = text.lines().map(bare).collect();
    (other != text).then_some(())?;
    *patch = other.into();
    Some(case)
}

fn bare_path(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    styled(edit, format, |ask| {
        ask.style.header = Some(ask.path.clone())
    })
}

fn heading(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let first = edit.changes().next()?.old.start;
    let above = edit.base.get(..first)?;
    let line = above
        .iter()
        .rev()
        .find(|line| line.starts_with(char::is_alphabetic))?;
    styled(edit, format, |ask| ask.style.heading = Some(line.clone()))
}

fn styled(edit: &Edit, format: Format, style: impl FnOnce(&mut Ask)) -> Option<Case> {
    let mut ask = told(edit)?;
    style(&mut ask);
    Some(clean::case(edit, &ask, format))
}
