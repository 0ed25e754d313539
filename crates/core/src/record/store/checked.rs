//! The state of the staged files that checks ran on last, as a row.
//!
//! In: files as they were with everything staged in them, and what checks said of that. Out: the same, in the process that
//! carries verdicts out. Only the last state is kept: whoever approves looks at what is staged now.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::StoreError;
use crate::stage::review::CheckRun;

/// Staged files by their paths, as the fingerprints of their texts; none for a file that goes.
pub type StagedFiles = BTreeMap<String, Option<String>>;

/// What checks said of a state of the staged files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedState {
    /// The state.
    pub files: StagedFiles,
    /// What ran on it.
    pub runs: Vec<CheckRun>,
}

/// What checks ran on last.
pub(super) struct CheckedTable<'c>(pub(super) &'c Connection);

impl CheckedTable<'_> {
    pub(super) fn checked(&self) -> Result<Option<CheckedState>, StoreError> {
        let mut query = self.0.prepare_cached("SELECT files, runs FROM checked")?;
        let row = query.query_row([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        });
        let Some((files, runs)) = row.optional()? else {
            return Ok(None);
        };
        Ok(Some(CheckedState {
            files: serde_json::from_str(&files)?,
            runs: serde_json::from_str(&runs)?,
        }))
    }

    pub(super) fn set(&self, checked: &CheckedState) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT INTO checked (one, files, runs) VALUES (1, ?1, ?2)
             ON CONFLICT (one) DO UPDATE SET files = ?1, runs = ?2",
            params![
                serde_json::to_string(&checked.files)?,
                serde_json::to_string(&checked.runs)?
            ],
        )?;
        Ok(())
    }
}
