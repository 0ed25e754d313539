//! What was denied, so that it is recognised when it comes again.
//!
//! In: denied hunks, as the lines that they remove and add. Out: the newest verdict on the same
//! lines of the same file. The oldest are dropped.

use std::collections::HashMap;

use rusqlite::params;

use super::{Store, StoreError, Writer};
use crate::id::Timestamp;
use crate::review::DeniedBefore;
use crate::text::Fingerprint;
use crate::workspace::WorkspacePath;

/// Denied hunks that are kept.
const KEPT: i64 = 2000;

impl Store {
    /// Returns what was denied in a file, by the lines removed and added.
    pub fn denied(
        &self,
        path: &WorkspacePath,
    ) -> Result<HashMap<Fingerprint, DeniedBefore>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT lines, reason, time FROM denied WHERE path = ?")?;
        let mut rows = statement.query([path.as_str()])?;
        let mut found = HashMap::new();
        while let Some(row) = rows.next()? {
            let (reason, time) = (row.get(1)?, Timestamp(row.get(2)?));
            found.insert(Fingerprint(row.get(0)?), DeniedBefore { reason, time });
        }
        Ok(found)
    }
}

impl Writer<'_> {
    /// Keeps that a hunk with these lines was denied.
    pub fn deny(
        &mut self,
        path: &WorkspacePath,
        lines: Fingerprint,
        denied: &DeniedBefore,
    ) -> Result<(), StoreError> {
        self.db.execute(
            "INSERT OR REPLACE INTO denied (path, lines, reason, time) VALUES (?, ?, ?, ?)",
            params![path.as_str(), lines.0, denied.reason, denied.time.0],
        )?;
        self.db.execute(
            "DELETE FROM denied WHERE seq <= (SELECT max(seq) FROM denied) - ?",
            [KEPT],
        )?;
        Ok(())
    }
}
