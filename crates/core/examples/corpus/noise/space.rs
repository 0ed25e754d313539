//! White space that is not the file's.

use super::{by_row, class, told};
use crate::ask::Slip;
use crate::case::{Case, Class, Truth};
use crate::clean;
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text;

const TEXTS: [Format; 6] = [
    Format::Section,
    Format::Unified,
    Format::Bare,
    Format::Envelope,
    Format::Lines,
    Format::Whole,
];

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("trailing blanks", &Format::BY_ROWS, trailing),
        class("file has trailing blanks", &Format::BY_ROWS, file_trailing),
        class("indented less", &Format::BY_ROWS, dedent),
        class("indented more", &Format::BY_ROWS, indent),
        class(
            "indented less, blanks at the end, wrong numbers",
            &Format::BY_ROWS,
            several,
        ),
        class("tabs for spaces", &Format::BY_ROWS, tabs),
        class("blank lines around", &[Format::Section], edges),
        class("LF for a CRLF file", &TEXTS, file_crlf),
        class("CRLF for an LF file", &TEXTS, ask_crlf),
    ]
}

fn trailing(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    by_row(edit, format, |row| {
        if row.is_before() && random.once_in(2) {
            row.text_mut().push_str("  ");
        }
    })
}

/// The file has blanks at the end of a context line, which the model leaves out.
fn file_trailing(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let changed: Vec<_> = edit.changes().map(|change| change.old.clone()).collect();
    let mut lines = edit.base.to_vec();
    let mut differs = false;
    for hunk in &ask.hunks {
        for at in hunk.start..hunk.start + hunk.before().len() {
            let stays = !changed.iter().any(|range| range.contains(&at));
            // A line that is there twice could be taken for the other.
            let alone = edit.base.get(at).is_some_and(|line| {
                let times = |lines: Vec<&str>| lines.iter().filter(|other| *other == line).count();
                text::telling(line) && times(hunk.before()) == 1 && times(hunk.after()) == 1
            });
            let chosen = stays && alone && random.once_in(2);
            if let (true, Some(line)) = (chosen, lines.get_mut(at)) {
                line.push_str("   ");
                differs = true;
            }
        }
    }
    let after = text::apply(&lines, edit.changes());
    differs.then(|| Case {
        path: edit.path.clone(),
        before: text::join(&lines),
        change: format.change(&ask),
        truth: Truth::Text(text::join(&after)),
    })
}

fn dedent(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let rows = ask
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.rows)
        .map(|row| row.text());
    let filled = rows.filter(|text| !text.trim().is_empty());
    let common = filled
        .map(|text| text.len() - text.trim_start_matches(' ').len())
        .min()?;
    let unit = unit(edit);
    let levels = common / unit;
    (levels > 0).then_some(())?;
    let cut = unit * (1 + random.below(levels));
    by_row(edit, format, |row| {
        let text = row.text_mut();
        *text = text.get(cut..).unwrap_or_default().to_owned();
    })
}

fn several(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let unit = unit(edit);
    let mut ask = told(edit)?;
    ask.style.numbers_off = 7 + random.below(30) as isize;
    for row in ask.hunks.iter_mut().flat_map(|hunk| &mut hunk.rows) {
        let text = row.text();
        (text.trim().is_empty() || leading(text) >= unit).then_some(())?;
        let end = if row.is_before() && random.once_in(3) {
            " "
        } else {
            ""
        };
        *row.text_mut() = format!("{}{end}", text.get(unit..).unwrap_or_default());
    }
    Some(clean::case(edit, &ask, format))
}

fn indent(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let more = " ".repeat(unit(edit) * (1 + random.below(2)));
    by_row(edit, format, |row| {
        let text = row.text_mut();
        if !text.trim().is_empty() {
            text.insert_str(0, &more);
        }
    })
}

/// Only where each line is indented by whole units, so that a tab has one meaning, and a line
/// of the file tells which.
fn tabs(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let unit = unit(edit);
    let ask = told(edit)?;
    let rows = || ask.hunks.iter().flat_map(|hunk| &hunk.rows);
    let whole = |text: &str| !text.contains('\t') && leading(text).is_multiple_of(unit);
    let told = rows().any(|row| row.is_before() && leading(row.text()) > 0);
    (told && rows().all(|row| whole(row.text()))).then_some(())?;
    by_row(edit, format, |row| {
        let text = row.text_mut();
        let width = leading(text);
        *text = format!(
            "{}{}",
            "\t".repeat(width / unit),
            text.get(width..).unwrap_or_default()
        );
    })
}

fn edges(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut ask = told(edit)?;
    // Where a change is at the edge, a blank line there may be meant.
    ask.hunks
        .iter()
        .all(|hunk| hunk.margins().0 > 0 && hunk.margins().1 > 0)
        .then_some(())?;
    ask.style.slip = Some(Slip::BlankEdges);
    Some(clean::case(edit, &ask, format))
}

fn file_crlf(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut case = clean::case(edit, &told(edit)?, format);
    case.before = case.before.replace('\n', "\r\n");
    if let Truth::Text(text) = &mut case.truth {
        *text = text.replace('\n', "\r\n");
    }
    Some(case)
}

fn ask_crlf(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut ask = told(edit)?;
    ask.style.slip = Some(Slip::CrLf);
    Some(clean::case(edit, &ask, format))
}

/// Returns by how much the file indents: 2 or 4.
fn unit(edit: &Edit) -> usize {
    let indented = edit
        .base
        .iter()
        .map(|line| leading(line))
        .filter(|width| *width > 0);
    let (mut all, mut odd) = (0, 0);
    for width in indented {
        all += 1;
        odd += usize::from(width % 4 == 2);
    }
    if odd * 5 > all { 2 } else { 4 }
}

fn leading(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}
