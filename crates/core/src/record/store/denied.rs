//! Denied hunks, as rows.
//!
//! In: denied hunks, by what they did. Out: the verdicts on a file's hunks, the newest first. The
//! oldest are dropped.

use rusqlite::{Connection, params};

use super::StoreError;
use crate::disk::workspace::WorkspacePath;
use crate::id::Timestamp;
use crate::stage::proposal::denial::Denial;
use crate::stage::review::DeniedBefore;

/// Denied hunks that are kept to know them again: a model proposes a hunk again soon, if at all.
const KEPT: i64 = 2000;

/// The denied hunks of a store.
pub(super) struct DeniedTable<'c>(pub(super) &'c Connection);

impl DeniedTable<'_> {
    /// Returns what was denied in a file, the newest first.
    pub(super) fn denied(
        &self,
        path: &WorkspacePath,
    ) -> Result<Vec<(Denial, DeniedBefore)>, StoreError> {
        let mut statement = self.0.prepare_cached(
            "SELECT lines, reason, time FROM denied WHERE path = ? ORDER BY seq DESC",
        )?;
        let mut rows = statement.query([path.as_str()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (reason, time) = (row.get(1)?, Timestamp(row.get(2)?));
            let bytes: Vec<u8> = row.get(0)?;
            let denial = Denial::from_bytes(&bytes)
                .ok_or_else(|| StoreError::Damaged("a denied hunk".to_owned()))?;
            found.push((denial, DeniedBefore { reason, time }));
        }
        Ok(found)
    }

    /// Keeps that a hunk that did this was denied.
    pub(super) fn deny(
        &self,
        path: &WorkspacePath,
        denial: &Denial,
        denied: &DeniedBefore,
    ) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT OR REPLACE INTO denied (path, lines, reason, time) VALUES (?, ?, ?, ?)",
            params![
                path.as_str(),
                denial.to_bytes(),
                denied.reason,
                denied.time.0
            ],
        )?;
        self.0.execute(
            "DELETE FROM denied WHERE seq <= (SELECT max(seq) FROM denied) - ?",
            [KEPT],
        )?;
        Ok(())
    }
}
