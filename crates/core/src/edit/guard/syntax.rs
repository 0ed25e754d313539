//! Guard: new syntax errors.
//!
//! In: a scene. Out: an alarm for each error that the text before does not have, and one for a text that is too large
//! to be parsed. Languages
//! whose parser alarms on good files warn, and so do files that tests keep for being wrong.
//!
//! A parser stops at the first conflict of a merge, or takes all of them for one error: where the first
//! of two is resolved, it tells the second as a new error. So texts with conflicts are compared as if
//! each were resolved, all to one side or all to the other.

use std::borrow::Cow;

use super::scene::Scene;
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::edit::diff::lines::difference;
use crate::syntax::{MAX_PARSE_BYTES, health};
use crate::text::Source;

/// Folders of such files.
const MEANT: &[&str] = &[
    "invalid",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-data",
];

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let errors = health::new_errors(scene.cache, scene.path, scene.old, scene.new, scene.edits);
    if !errors.is_empty()
        && [ConflictSide::Ours, ConflictSide::Theirs]
            .into_iter()
            .any(|side| fits(scene, side))
    {
        return Vec::new();
    }
    let meant = scene
        .path
        .as_str()
        .split('/')
        .any(|part| MEANT.contains(&part));
    errors
        .into_iter()
        .take(MAX_ALARMS)
        .map(|error| alarm(meant, error))
        .collect()
}

fn alarm(meant: bool, error: health::SyntaxError) -> Alarm {
    Alarm {
        guard: Guard::Syntax,
        severity: if error.certain && !meant {
            Severity::Refuse
        } else {
            Severity::Warn
        },
        line: error.line,
        column: error.column,
        excerpt: error.excerpt,
        message: format!("new syntax error: {}", error.message),
    }
}

/// Warns of a text that no parser read because it is too large: its syntax errors are not known.
pub(super) fn unparsed(scene: &Scene<'_>) -> Option<Alarm> {
    let bytes = health::unparsed_bytes(scene.path, scene.old, scene.new)?;
    Some(Alarm {
        guard: Guard::Syntax,
        severity: Severity::Warn,
        line: 1,
        column: 1,
        excerpt: String::new(),
        message: format!(
            "syntax was not checked: the file has {bytes} bytes, and more than {MAX_PARSE_BYTES} are not parsed"
        ),
    })
}

/// A side of a conflict.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConflictSide {
    Ours,
    Theirs,
}

/// Returns whether a text with conflicts has no new error once they are resolved to one side.
fn fits(scene: &Scene<'_>, side: ConflictSide) -> bool {
    let Some(Cow::Owned(before)) = scene.old.and_then(|old| resolved(old, side)) else {
        return false;
    };
    let Some(after) = resolved(scene.new, side) else {
        return false;
    };
    let edits = difference(&Source::new(before.as_str()), &Source::new(&*after));
    health::new_errors(scene.cache, scene.path, Some(&before), &after, &edits).is_empty()
}

/// Returns a text with one side of each of its conflicts; none if their markers do not match.
fn resolved(text: &str, side: ConflictSide) -> Option<Cow<'_, str>> {
    /// Where a line stands: outside of a conflict, or in one of its parts.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum At {
        Outside,
        Ours,
        Base,
        Theirs,
    }
    if !text.lines().any(|line| is_marked(line, "<<<<<<<")) {
        return Some(Cow::Borrowed(text));
    }
    let mut at = At::Outside;
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let next = match at {
            At::Outside if is_marked(line, "<<<<<<<") => At::Ours,
            At::Ours if is_marked(line, "|||||||") => At::Base,
            At::Ours | At::Base if is_marked(line, "=======") => At::Theirs,
            At::Theirs if is_marked(line, ">>>>>>>") => At::Outside,
            _ => {
                let own = match at {
                    At::Outside => true,
                    At::Ours => side == ConflictSide::Ours,
                    At::Theirs => side == ConflictSide::Theirs,
                    At::Base => false,
                };
                kept.push_str(if own { line } else { "" });
                continue;
            }
        };
        at = next;
    }
    (at == At::Outside).then_some(Cow::Owned(kept))
}

fn is_marked(line: &str, mark: &str) -> bool {
    let rest = line.strip_prefix(mark);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
}
