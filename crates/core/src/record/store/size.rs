//! Size limit of the store.
//!
//! In: a bound of what history takes. Out: the histories of the files that were not written for the longest time
//! dropped, as many as it takes, and how many were. Room that is free is given back to the system.

use rusqlite::{Connection, params};

use super::StoreError;
use super::dropped_changes::DroppedChanges;
use crate::disk::workspace::WorkspacePath;

/// Bytes that history may have, unless told otherwise, before histories are dropped.
pub const DEFAULT_SIZE: u64 = 256 * 1024 * 1024;

/// Number of free pages kept for the next entries.
const FREE: i64 = 4;

/// What was dropped of history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Entries beyond the number that is kept per file, of the files that have history.
    pub old: u64,
    /// Entries of files whose history was dropped whole, because the store was too large.
    pub whole: u64,
}

/// The room that a store takes.
pub(super) struct StoreSize<'c>(pub(super) &'c Connection);

impl StoreSize<'_> {
    /// Returns what was dropped: of one file, or of all.
    pub(super) fn dropped(&self, path: Option<&WorkspacePath>) -> Result<Dropped, StoreError> {
        let count = "SELECT coalesce(sum(max(first - 1 - coalesce(newest, 0), 0)), 0)
             FROM (SELECT path, min(version) AS first FROM history
                   WHERE (?1 IS NULL OR path = ?1) AND shelf = 0 GROUP BY path)
             LEFT JOIN dropped USING (path)";
        let name = path.map(WorkspacePath::as_str);
        let old: i64 = self.0.query_row(count, [name], |row| row.get(0))?;
        let count = "SELECT coalesce(sum(entries), 0) FROM dropped WHERE ?1 IS NULL OR path = ?1";
        let whole: i64 = self.0.query_row(count, [name], |row| row.get(0))?;
        Ok(Dropped {
            old: old.unsigned_abs(),
            whole: whole.unsigned_abs(),
        })
    }

    /// Drops whole histories, of the files that were not written for the longest time first, until
    /// history has at most `bytes`. The file written last keeps its own. Staged work has no part in it: the
    /// store grows by what is staged and gives that room back.
    pub(super) fn bound(&self, bytes: u64) -> Result<(), StoreError> {
        if self.bytes_in_use()? <= bytes {
            return Ok(());
        }
        let mut left = self.history_bytes(None)?;
        while left > bytes {
            let oldest = "SELECT path, shelf, count(*), max(version) FROM history
                 GROUP BY path, shelf ORDER BY max(time), path LIMIT 1";
            let files = "SELECT count(DISTINCT path) FROM history";
            if self.0.query_row(files, [], |row| row.get::<_, i64>(0))? < 2 {
                return Ok(());
            }
            let (path, shelf, entries, newest): (String, i64, i64, i64) =
                self.0.query_row(oldest, [], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?;
            left = left.saturating_sub(self.history_bytes(Some((&path, shelf)))?);
            DroppedChanges(self.0).drop_up_to(&path, shelf, newest)?;
            let delete = "DELETE FROM committed WHERE path = ? AND shelf = ?";
            self.0.execute(delete, params![path, shelf])?;
            self.0.execute(
                "INSERT INTO dropped (path, entries, newest) VALUES (?1, ?2, ?3)
                 ON CONFLICT (path) DO UPDATE
                 SET entries = entries + ?2, newest = max(newest, ?3)",
                params![path, entries, newest],
            )?;
        }
        Ok(())
    }

    /// Returns how many bytes the histories of all files have, or that of one: differences and last texts.
    fn history_bytes(&self, of: Option<(&str, i64)>) -> Result<u64, StoreError> {
        let (path, shelf) = of.unzip();
        let sums = [
            "SELECT coalesce(sum(length(edits) + length(drift) + length(path) + length(description)
             + coalesce(length(sign_off), 0)), 0)
             FROM history",
            "SELECT coalesce(sum(coalesce(length(text), 0) + length(path)), 0) FROM committed",
        ]
        .map(|sum| {
            let sum = format!("{sum} WHERE ?1 IS NULL OR path = ?1 AND shelf = ?2");
            self.0
                .query_row(&sum, params![path, shelf], |row| row.get::<_, i64>(0))
        });
        let [differences, texts] = sums;
        Ok((differences? + texts?).unsigned_abs())
    }

    fn bytes_in_use(&self) -> Result<u64, StoreError> {
        let [size, all, free] =
            ["page_size", "page_count", "freelist_count"].map(|name| self.pragma(name));
        Ok((size? * (all? - free?)).unsigned_abs())
    }

    /// Gives room that is not used back, but for a little.
    pub(super) fn shrink(&self) -> Result<(), StoreError> {
        let free = self.pragma("freelist_count")? - FREE;
        if free > FREE {
            let vacuum = format!("PRAGMA incremental_vacuum({free})");
            let mut statement = self.0.prepare(&vacuum)?;
            let mut rows = statement.query([])?;
            while rows.next()?.is_some() {}
        }
        Ok(())
    }

    fn pragma(&self, name: &str) -> Result<i64, StoreError> {
        let value = self
            .0
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get(0));
        Ok(value?)
    }
}
