//! A unified diff, with numbers or with bare `@@`.

use std::fmt::Write as _;

use crate::ask::{Ask, Hunk, Row, Slip, Style};

/// Returns the patch text.
pub(super) fn patch(ask: &Ask, numbered: bool) -> String {
    let style = &ask.style;
    let named = style.header.as_deref();
    let (old, new) = match named {
        Some(name) => (name.to_owned(), name.to_owned()),
        None => (format!("a/{}", ask.path), format!("b/{}", ask.path)),
    };
    let mut patch = format!("--- {old}\n+++ {new}\n");
    let mut shift = 0;
    for hunk in &ask.hunks {
        if numbered {
            numbers(&mut patch, hunk, shift, style);
        } else {
            bare(&mut patch, style);
        }
        shift += hunk.after().len() as isize - hunk.before().len() as isize;
        rows(&mut patch, hunk, style);
    }
    patch
}

fn numbers(patch: &mut String, hunk: &Hunk, shift: isize, style: &Style) {
    let (olds, news) = (hunk.before().len(), hunk.after().len());
    // An empty side stands after the line that it names.
    let line = |count: usize, shift: isize| {
        let first = hunk.start as isize + shift + style.numbers_off;
        (first + isize::from(count > 0)).max(0)
    };
    let count = |count: usize| (count as isize + style.counts_off).max(0);
    let _ = writeln!(
        patch,
        "@@ -{},{} +{},{} @@",
        line(olds, 0),
        count(olds),
        line(news, shift),
        count(news),
    );
}

fn bare(patch: &mut String, style: &Style) {
    patch.push_str("@@");
    if let Some(heading) = &style.heading {
        patch.push(' ');
        patch.push_str(heading);
    }
    patch.push('\n');
}

/// Writes the rows with their marks.
pub(super) fn rows(patch: &mut String, hunk: &Hunk, style: &Style) {
    for row in &hunk.rows {
        let mark = match row {
            Row::Context(text) if text.is_empty() && style.slip == Some(Slip::BareBlanks) => "",
            Row::Context(_) => " ",
            Row::Removed(_) => "-",
            Row::Added(_) => "+",
        };
        patch.push_str(mark);
        patch.push_str(row.text());
        patch.push('\n');
    }
}
