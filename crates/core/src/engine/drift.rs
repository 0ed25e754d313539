//! Drift: what the user changed in a file since it was last written here.
//!
//! In: the file as it is, and the store, which has it as it was written. Out: the difference, where the file is still
//! the same kind of thing.

use super::EngineError;
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::record::store::Store;
use crate::text::{EditSet, Source};

/// What the user did to a file since it was last written here.
pub(super) enum Drift {
    Edited(EditSet),
    /// That cannot be told, for this reason.
    Unknown(String),
}

/// Returns what the user changed in a file since it was last written here.
pub(super) fn drift(
    store: &Store,
    path: &WorkspacePath,
    now: Option<&Source>,
) -> Result<Drift, EngineError> {
    Ok(match (store.committed(path)?.flatten(), now) {
        (Some(written), Some(now)) if !written.is_alike(now) => Drift::Unknown(format!(
            "{path} became something else since it was written here"
        )),
        (Some(written), Some(now)) => Drift::Edited(difference(&written, now)),
        (None, None) => Drift::Edited(EditSet::default()),
        (Some(_), None) => Drift::Unknown(format!("{path} was deleted since it was written here")),
        (None, Some(_)) => {
            Drift::Unknown(format!("{path} was made again since it was deleted here"))
        }
    })
}

/// Returns the same as a new entry of history has it: nothing if the file was never written here. A file that is not
/// there counts as empty.
pub(super) fn drift_of_entry(
    store: &Store,
    path: &WorkspacePath,
    now: Option<&Source>,
) -> Result<EditSet, EngineError> {
    let empty = Source::new(Vec::new());
    let Some(written) = store.committed(path)? else {
        return Ok(EditSet::default());
    };
    Ok(difference(
        written.as_ref().unwrap_or(&empty),
        now.unwrap_or(&empty),
    ))
}
