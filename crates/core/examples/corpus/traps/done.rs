//! Edits that were made already.

use super::{class, trap};
use crate::ask::{Ask, Hunk};
use crate::case::{Case, Class, Truth};
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Compare, Index, Lines};

const ALL: [Format; 6] = [
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
        class("already there", &ALL, plain),
        class("already there, context above only", &Format::BY_ROWS, above),
        class("already there, context below only", &Format::BY_ROWS, below),
    ]
}

fn plain(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    done(edit, edit.ask(3), format)
}

fn above(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    one_sided(edit, format, |hunk, (_, below)| {
        let rows = hunk
            .rows
            .get(..hunk.rows.len() - below)
            .unwrap_or_default()
            .to_vec();
        Hunk { rows, ..hunk }
    })
}

fn below(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    one_sided(edit, format, |hunk, (above, _)| Hunk {
        start: hunk.start + above,
        rows: hunk.rows.get(above..).unwrap_or_default().to_vec(),
    })
}

/// An insertion with context on one side, which is there before and after.
fn one_sided(
    edit: &Edit,
    format: Format,
    cut: impl Fn(Hunk, (usize, usize)) -> Hunk,
) -> Option<Case> {
    let mut ask = edit.ask(3);
    let [hunk] = ask.hunks.as_slice() else {
        return None;
    };
    // Lines added in two places leave no block that is there before and after.
    (hunk.only_adds() && edit.changes().count() == 1).then_some(())?;
    let hunk = cut(hunk.clone(), hunk.margins());
    let mut added = edit.changes().flat_map(|change| &change.new);
    (hunk.before().len() >= 2 && added.any(|line| text::telling(line))).then_some(())?;
    let after = edit.after();
    let context = hunk
        .before()
        .iter()
        .map(|line| (*line).to_owned())
        .collect::<Vec<_>>();
    Index::new(&after)
        .has_one(&context, Compare::Exact)
        .then_some(())?;
    ask.hunks = vec![hunk];
    Some(trap(edit, text::join(&after), &ask, format, Truth::Already))
}

fn done(edit: &Edit, ask: Ask, format: Format) -> Option<Case> {
    let after = edit.after();
    told(&after, &ask).then_some(())?;
    let text = text::join(&after);
    format.is_told(&ask, &text).then_some(())?;
    Some(trap(edit, text, &ask, format, Truth::Already))
}

/// Returns whether all that the edit leaves is in the text once, and nothing that it would
/// still have to change.
fn told(after: &Lines, ask: &Ask) -> bool {
    let index = Index::new(after);
    ask.hunks.iter().all(|hunk| {
        let says = hunk.after().iter().any(|line| text::telling(line));
        let left = index.has_one(&hunk.after(), Compare::Trimmed);
        says && left && index.places(&hunk.before(), Compare::Trimmed).is_empty()
    })
}
