//! Preview of a revert, for the screen.
//!
//! In: what a user would take back or put back. Out: the hunks that would change; or what is in the way.

use super::redo::{reverts_at, times_taken_back};
use super::revert_conflict::{RevertConflict, revert_conflicts};
use super::undo::{ChangesetPreview, RevertForecast};
use super::versions::{of_changeset, since_changeset};
use super::work_out::{forecast, preview_each};
use super::written_since::versions_since;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::stage::review::{RevertHunk, RevertPreview, RevertTarget, RevertTo};

/// Returns what a revert would do, or what is in its way, and does nothing.
pub(super) fn foresee(
    state: &WorkspaceState,
    target: &RevertTarget,
) -> Result<RevertPreview, EngineError> {
    match target {
        RevertTarget::OneFile { path, to } => foresee_file(state, path, *to),
        RevertTarget::Changeset { changeset } => {
            let preview = preview_each(state, |history| Ok(of_changeset(history, *changeset)))?;
            Ok(foreseen(target, preview))
        }
        RevertTarget::Before { before } => {
            let preview = preview_each(state, |history| Ok(since_changeset(history, *before)))?;
            Ok(foreseen(target, preview))
        }
        RevertTarget::Redo { redo } => {
            let times = times_taken_back(&state.store, *redo)?;
            let preview = preview_each(state, |history| Ok(reverts_at(history, &times)))?;
            Ok(foreseen(target, preview))
        }
        RevertTarget::Since(written) => {
            let preview = preview_each(state, |history| versions_since(history, written))?;
            Ok(foreseen(target, preview))
        }
    }
}

fn foresee_file(
    state: &WorkspaceState,
    path: &str,
    to: RevertTo,
) -> Result<RevertPreview, EngineError> {
    let mut seen = RevertPreview {
        target: RevertTarget::OneFile {
            path: path.to_owned(),
            to,
        },
        moves_to: None,
        blocked: None,
        hunks: Vec::new(),
    };
    let hunk = |(header, lines)| RevertHunk {
        header,
        lines,
        yours: Vec::new(),
    };
    match forecast(state, path, to)? {
        RevertForecast::Possible(preview) => {
            seen.moves_to = preview.to;
            seen.hunks = preview.hunks.into_iter().map(hunk).collect();
        }
        RevertForecast::Nothing { why } => seen.blocked = Some(why),
        RevertForecast::Conflict { why } => {
            let conflict = |conflict: RevertConflict| RevertHunk {
                header: conflict.header,
                lines: conflict.lines,
                yours: conflict.yours,
            };
            seen.blocked = Some(why);
            seen.hunks = revert_conflicts(state, path, to)?
                .into_iter()
                .map(conflict)
                .collect();
        }
    }
    Ok(seen)
}

/// Returns what a preview of several files shows.
pub(super) fn foreseen(target: &RevertTarget, preview: ChangesetPreview) -> RevertPreview {
    let mut seen = RevertPreview {
        target: target.clone(),
        moves_to: None,
        blocked: None,
        hunks: Vec::new(),
    };
    match preview {
        ChangesetPreview::Possible(mut files) => {
            files.sort_by(|one, other| one.path.cmp(&other.path));
            for file in files {
                let moved = file.to.as_ref().map(|to| format!(" -> {to}"));
                let name = format!("{}{}", file.path, moved.unwrap_or_default());
                let hunk = |(header, lines)| RevertHunk {
                    header: format!("{name}  {header}"),
                    lines,
                    yours: Vec::new(),
                };
                if file.hunks.is_empty() {
                    // A move, or other permissions: the file has to be named all the same.
                    seen.hunks.push(hunk((file.summary, Vec::new())));
                    continue;
                }
                seen.hunks.extend(file.hunks.into_iter().map(hunk));
            }
        }
        ChangesetPreview::Nothing => {
            seen.blocked = Some("nothing of it is in effect".to_owned());
        }
        ChangesetPreview::Conflict { why } => seen.blocked = Some(why),
    }
    seen
}
