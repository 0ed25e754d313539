//! Changesets that background agents have handed over, as rows.
//!
//! In: the changeset of a hand-over, in the transaction that stages it. Out: whether it was staged already, so that a
//! hand-over that is tried again after a crash is staged once. The oldest are dropped.

use rusqlite::{Connection, params};

use super::StoreError;
use crate::id::ChangesetId;

/// Changesets that are kept: one is looked for again only by a process that crashed in the middle of its hand-over.
const KEPT: i64 = 1000;

/// The changesets handed over to a store.
pub(super) struct HandedOverTable<'c>(pub(super) &'c Connection);

impl HandedOverTable<'_> {
    /// Returns whether a changeset was handed over.
    pub(super) fn contains(&self, changeset: ChangesetId) -> Result<bool, StoreError> {
        let mut query = self
            .0
            .prepare_cached("SELECT 1 FROM handed_over WHERE changeset = ?")?;
        Ok(query.exists([changeset.to_string()])?)
    }

    /// Records that a changeset was handed over.
    pub(super) fn add(&self, changeset: ChangesetId) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT INTO handed_over (changeset) VALUES (?)",
            params![changeset.to_string()],
        )?;
        self.0.execute(
            "DELETE FROM handed_over WHERE seq <= (SELECT max(seq) FROM handed_over) - ?",
            [KEPT],
        )?;
        Ok(())
    }
}
