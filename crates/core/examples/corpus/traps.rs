//! Requests for which nothing must be written.
//!
//! In: edits. Out: cases whose place is not told, not there, or done already.

mod absent;
mod ambiguous;
mod done;
mod twins;

use crate::ask::Ask;
use crate::case::{Case, Class, Kind, Make, Truth};
use crate::edit::Edit;
use crate::format::Format;

/// Returns the classes.
pub(crate) fn classes() -> Vec<Class> {
    let mut all = Vec::new();
    all.extend(ambiguous::classes());
    all.extend(absent::classes());
    all.extend(done::classes());
    all.extend(twins::classes());
    all
}

fn class(name: &'static str, formats: &'static [Format], make: Make) -> Class {
    Class {
        kind: Kind::Trap,
        name,
        formats,
        weight: 2,
        make,
    }
}

fn trap(edit: &Edit, before: String, ask: &Ask, format: Format, truth: Truth) -> Case {
    Case {
        path: edit.path.clone(),
        before,
        change: format.change(ask),
        truth,
    }
}
