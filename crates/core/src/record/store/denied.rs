//! Denied hunks, as rows.
//!
//! In: denied hunks, by what they did and as they were shown. Out: the verdicts on a file's hunks, the newest first, and
//! their lines, to be read again. The oldest are dropped.

use rusqlite::{Connection, Row, params};

use super::StoreError;
use super::compressed::{compress_hunk, decompress_hunk};
use crate::disk::workspace::WorkspacePath;
use crate::id::Timestamp;
use crate::stage::proposal::denial::Denial;
use crate::stage::review::{DeniedBefore, DeniedEdit, DiffHunk};

/// Denied hunks that are kept to know them again: a model proposes a hunk again soon, if at all.
const KEPT: i64 = 2000;

const COLUMNS: &str = "seq, path, description, reason, time, added, removed";

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

    /// Returns the hunks that were denied and of which the lines are kept, in one file or in all, the newest first.
    pub(super) fn hunks(
        &self,
        path: Option<&WorkspacePath>,
    ) -> Result<Vec<DeniedEdit>, StoreError> {
        let select = format!(
            "SELECT {COLUMNS} FROM denied
             WHERE shown IS NOT NULL AND (?1 IS NULL OR path = ?1) ORDER BY seq DESC"
        );
        let mut statement = self.0.prepare_cached(&select)?;
        let rows = statement.query_map([path.map(WorkspacePath::as_str)], denied_hunk)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns a denied hunk with its lines; none if it is not kept any more.
    pub(super) fn shown(&self, number: u64) -> Result<Option<(DeniedEdit, DiffHunk)>, StoreError> {
        let select =
            format!("SELECT {COLUMNS}, shown FROM denied WHERE seq = ? AND shown IS NOT NULL");
        let mut statement = self.0.prepare_cached(&select)?;
        let mut rows = statement.query([number.cast_signed()])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let shown: Vec<u8> = row.get("shown")?;
        Ok(Some((denied_hunk(row)?, decompress_hunk(&shown)?)))
    }

    /// Keeps that a hunk that did this was denied, and how it was shown.
    pub(super) fn deny(
        &self,
        (path, denial): (&WorkspacePath, &Denial),
        denied: &DeniedBefore,
        (description, shown): (&str, &DiffHunk),
    ) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT OR REPLACE INTO denied
             (path, lines, reason, time, description, added, removed, shown)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                path.as_str(),
                denial.to_bytes(),
                denied.reason,
                denied.time.0,
                description,
                shown.added,
                shown.removed,
                compress_hunk(shown)?,
            ],
        )?;
        self.0.execute(
            "DELETE FROM denied WHERE seq <= (SELECT max(seq) FROM denied) - ?",
            [KEPT],
        )?;
        Ok(())
    }
}

fn denied_hunk(row: &Row<'_>) -> rusqlite::Result<DeniedEdit> {
    Ok(DeniedEdit {
        number: row.get::<_, i64>("seq")?.cast_unsigned(),
        path: row.get("path")?,
        description: row.get("description")?,
        denied: DeniedBefore {
            reason: row.get("reason")?,
            time: Timestamp(row.get("time")?),
        },
        added: row.get("added")?,
        removed: row.get("removed")?,
    })
}
