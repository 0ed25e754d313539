//! The user's own text: what guards say of files that get a text which the user wrote in place of a hunk's.
//!
//! In: rulings that were not carried out yet. Out: for each file with such a text what guards find in it, as the rulings
//! would leave it. Nothing is refused by that. For example, `return 1` was edited to `return (((`: "line 2,
//! column 14: new syntax error: ...".

use std::collections::HashSet;

use serde::Serialize;

use super::decide::{Sorted, sorted};
use crate::edit::diff::lines::difference;
use crate::edit::guard::{self, Alarm};
use crate::edit::plan::Strategy;
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::id::HunkId;
use crate::stage::review::{Ruling, Verdict};
use crate::syntax::SyntaxCache;
use crate::text::Source;

/// What guards find in a file that gets a text of the user's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnTextAlarms {
    /// The file.
    pub path: String,
    /// What was found, a line each.
    pub alarms: Vec<String>,
}

/// Returns what guards find in the files in which rulings put a text of the user's; files in which they find nothing are
/// left out. Rulings that cannot be carried out write nothing, and so nothing is found.
pub(in crate::engine) fn own_text_alarms(
    overlay: &Overlay,
    syntax: &SyntaxCache,
    rulings: &[Ruling],
) -> Result<Vec<OwnTextAlarms>, EngineError> {
    let edited_hunks: HashSet<HunkId> = rulings
        .iter()
        .filter(|ruling| matches!(ruling.verdict, Verdict::ApproveEdited { .. }))
        .map(|ruling| ruling.hunk)
        .collect();
    let mut stage = overlay.stage.clone();
    let Ok(Sorted {
        approved,
        denied,
        edited,
        taken,
    }) = sorted(&stage, rulings)
    else {
        return Ok(Vec::new());
    };
    for hunk in taken {
        let disk = overlay.on_disk_beside(hunk)?;
        if stage.take(hunk, disk).is_err() {
            return Ok(Vec::new());
        }
    }
    for own in &edited {
        if stage.replace_text(own.hunk, &own.text).is_err() {
            return Ok(Vec::new());
        }
    }
    let Ok(commits) = stage.decide(&approved, &denied) else {
        return Ok(Vec::new());
    };
    let found = commits.iter().filter_map(|commit| {
        let hunks = commit.layers.iter().flat_map(|layer| layer.hunks());
        hunks.into_iter().find(|hunk| edited_hunks.contains(hunk))?;
        let empty = Source::new(Vec::new());
        let before = commit.before.as_ref();
        let edits = difference(before.unwrap_or(&empty), commit.after.as_ref()?);
        let path = commit.to.as_ref().unwrap_or(&commit.path);
        let after = commit.after.as_ref();
        let alarms = guard::inspect(syntax, path, before, after, &edits, Strategy::Lines);
        (!alarms.is_empty()).then(|| OwnTextAlarms {
            path: path.to_string(),
            alarms: alarms.iter().map(Alarm::to_string).collect(),
        })
    });
    Ok(found.collect())
}
