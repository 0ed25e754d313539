//! Files that are not as plain as their text.
//!
//! A mark at the start, no newline at the end, endings that differ: all stay as they are.

use super::{class, told};
use crate::ask::{Ask, Hunk};
use crate::case::{Case, Class, Truth};
use crate::clean;
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Lines};

const FORMATS: [Format; 5] = [
    Format::Section,
    Format::Unified,
    Format::Bare,
    Format::Envelope,
    Format::Lines,
];

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("file with a byte order mark", &FORMATS, mark),
        class("file without a final newline", &FORMATS, open_end),
        class("file with mixed line endings", &FORMATS, mixed),
    ]
}

fn mark(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    both(clean::case(edit, &told(edit)?, format), |text| {
        format!("\u{feff}{text}")
    })
}

fn open_end(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let last = edit.changes().last()?.old.end;
    // A change of the last line says itself how the file ends.
    (last < edit.base.len() && edit.base.len() < last + 40).then_some(())?;
    both(clean::case(edit, &ask, format), |text| {
        text.trim_end_matches('\n').to_owned()
    })
    .filter(|_| edit.base.last().is_some_and(|line| !line.is_empty()))
}

/// Lines far from the edit end with CR and LF; those around it do not.
fn mixed(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = told(edit)?;
    let mut base = edit.base.to_vec();
    for (at, line) in base.iter_mut().enumerate() {
        if is_far(&ask, at) && random.once_in(3) {
            line.push('\r');
        }
    }
    (base != *edit.base).then_some(())?;
    let after: Lines = text::apply(&base, edit.changes());
    Some(Case {
        path: edit.path.clone(),
        before: text::join(&base),
        change: format.change(&ask),
        truth: Truth::Text(text::join(&after)),
    })
}

fn is_far(ask: &Ask, line: usize) -> bool {
    let far = |hunk: &Hunk| line + 4 < hunk.start || line > hunk.start + hunk.before().len() + 4;
    ask.hunks.iter().all(far)
}

fn both(mut case: Case, change: impl Fn(&str) -> String) -> Option<Case> {
    let Truth::Text(truth) = &case.truth else {
        return None;
    };
    case.truth = Truth::Text(change(truth));
    case.before = change(&case.before);
    Some(case)
}
