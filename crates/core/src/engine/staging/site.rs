//! Sites: what each change of a payload is to be planned on.
//!
//! In: a change, and what those before it in its payload make of the files. Out: its file and the text that it is
//! planned on; or what becomes of it without planning.

use super::draft::{PayloadDraft, Site, Unplanned};
use super::folder::without_files;
use super::moving::{Destination, destination};
use super::texts::{Texts, in_the_way, text_in};
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::plan::{Outcome, Part};
use crate::edit::request::{Change, Request};
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;

/// What a change is planned on.
enum SiteOutcome {
    Site(Site),
    /// It needs no planning: this becomes of it.
    Decided(Outcome),
}

/// Returns the next change of a payload that is to be planned, with its text as it is now.
pub(super) fn next_change(
    state: &mut WorkspaceState,
    draft: &mut PayloadDraft,
) -> Result<Option<Unplanned>, EngineError> {
    while let Some(Part { change, known }) = draft.part().cloned() {
        let found = match known {
            Some(outcome) => SiteOutcome::Decided(outcome),
            None => site(state, &change, &draft.texts)?,
        };
        match found {
            SiteOutcome::Site(site) => {
                draft.note(&site);
                let Site {
                    path, to, named, ..
                } = &site;
                for path in [Some(path), to.as_ref(), named.as_ref()]
                    .into_iter()
                    .flatten()
                {
                    draft.rules.read_for(&state.overlay, path)?;
                }
                let PayloadDraft {
                    facts,
                    parts,
                    texts,
                    ..
                } = &*draft;
                let companions = facts.companions(&change, parts, |name| {
                    let path = state.overlay.path(name).ok()?;
                    let text = text_in(state, &path, texts).ok()??;
                    Some((path, text))
                });
                return Ok(Some(Unplanned {
                    change,
                    site,
                    companions,
                }));
            }
            SiteOutcome::Decided(outcome) => draft.known(&change, outcome),
        }
    }
    Ok(None)
}

/// Returns what a change is to be planned on, or why it must not be.
fn site(
    state: &mut WorkspaceState,
    change: &Change,
    texts: &Texts,
) -> Result<SiteOutcome, EngineError> {
    let path = match state.overlay.path(&change.file) {
        Ok(path) => path,
        Err(error) => return refused(error.to_string()),
    };
    if path == WorkspacePath::root() {
        let path = path.shown().to_owned();
        return refused(AccessError::IsFolder { path }.to_string());
    }
    let allowed = path.editable().map_err(AccessError::from);
    let on_disk = state.overlay.stage.key_of(&path).unwrap_or(&path);
    let moves = matches!(change.request, Request::Move { .. });
    match allowed.and_then(|()| state.overlay.workspace.check_writable(on_disk)) {
        Err(AccessError::IsFolder { .. }) if moves => return refused(without_files(&path)),
        Err(error) => return refused(error.to_string()),
        Ok(()) => {}
    }
    let text = match text_in(state, &path, texts) {
        Ok(text) => text,
        Err(EngineError::Access(error)) => return refused(error.to_string()),
        Err(error) => return Err(error),
    };
    if text.is_none()
        && let Some(why) = in_the_way(&state.overlay, &path, texts)
    {
        return refused(why);
    }
    let to = match destination(state, &path, change, texts)? {
        Destination::Unmoved => None,
        Destination::To(to) => Some(to),
        Destination::Decided(outcome) => return Ok(SiteOutcome::Decided(outcome)),
    };
    let gone = texts.get(&path).and_then(|text| text.to.as_ref());
    if let Some(name) = gone.or(state.overlay.stage.vacated(&path)) {
        return refused(format!(
            "{path} is moved to {name} by a change that waits; edit {name}"
        ));
    }
    let named = WorkspacePath::parse(&change.file, &state.overlay.root);
    let named = named.ok().filter(|named| *named != path);
    Ok(SiteOutcome::Site(Site {
        path,
        text,
        to,
        named,
    }))
}

fn refused<E>(why: String) -> Result<SiteOutcome, E> {
    Ok(SiteOutcome::Decided(Outcome::Refused { why }))
}
