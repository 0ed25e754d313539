//! Repair of a damaged store.
//!
//! In: its path. Out: the same store if nothing is wrong with it; else a new one with every row
//! that can still be read and understood, and the old file beside it.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::{Store, StoreError, failed};
use crate::stage::proposal::layer::Layer;

/// The tables, each before those whose rows mean nothing without it.
const TABLES: [&str; 10] = [
    "proposal",
    "stack",
    "layer",
    "history",
    "committed",
    "journal",
    "denied",
    "dropped",
    "dropped_change",
    "checked",
];

/// What was done about a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repaired {
    /// Nothing was wrong.
    Sound,
    /// It was made anew.
    Rebuilt {
        /// Rows taken over.
        kept: usize,
        /// Where the old file is.
        old: PathBuf,
        /// What could not be taken over, a line each.
        lost: Vec<String>,
    },
}

impl Store {
    /// Repairs the store at `path`; one of another version is left alone.
    pub fn repair(path: &Path) -> Result<Repaired, StoreError> {
        match Self::open(path).and_then(|store| store.examine()) {
            Ok(()) => return Ok(Repaired::Sound),
            Err(error @ (StoreError::OtherVersion { .. } | StoreError::Io { .. })) => {
                return Err(error);
            }
            Err(_damage) => {}
        }
        let fresh = path.with_extension("db.rebuilt");
        remove(&fresh)?;
        let mut lost = Vec::new();
        let mut store = Self::open(&fresh)?;
        let kept = salvage(path, &mut store, &mut lost)?;
        store.forget_the_unreadable(&mut lost)?;
        // Everything into the one file that is renamed.
        store
            .db
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        drop(store);
        let old = free_name(path);
        rename(path, &old)?;
        for side in ["-wal", "-shm"] {
            remove(&with_suffix(path, side))?;
        }
        rename(&fresh, path)?;
        Ok(Repaired::Rebuilt { kept, old, lost })
    }

    /// Reads everything once.
    fn examine(&self) -> Result<(), StoreError> {
        let check = "PRAGMA integrity_check(1)";
        let found: String = self.db.query_row(check, [], |row| row.get(0))?;
        if found != "ok" {
            return Err(StoreError::Damaged(found));
        }
        self.journal()?;
        for path in self.history_paths()? {
            self.history(&path)?;
            self.committed(&path)?;
        }
        let stage = self.stage()?;
        for stack in stage.stacks.values() {
            stack
                .text()
                .map_err(|misfit| StoreError::Damaged(misfit.to_string()))?;
        }
        Ok(())
    }

    /// Drops what was taken over and does not mean anything.
    fn forget_the_unreadable(&mut self, lost: &mut Vec<String>) -> Result<(), StoreError> {
        let stage = self.stage();
        let fits = stage.is_ok_and(|stage| {
            let known = |layer: &Layer| stage.proposals.iter().any(|p| p.id == layer.proposal());
            let mut stacks = stage.stacks.values();
            stacks.all(|stack| stack.text().is_ok() && stack.layers.iter().all(known))
        });
        if !fits {
            lost.push("staged work did not fit together and is dropped".into());
            self.db.execute_batch(
                "DELETE FROM layer; DELETE FROM stack; UPDATE proposal SET open = 0;",
            )?;
        }
        if self.journal().is_err() {
            lost.push("the record of an interrupted commit cannot be read".into());
            self.db.execute_batch("DELETE FROM journal;")?;
        }
        let mut statement = self.db.prepare("SELECT DISTINCT path FROM history")?;
        let names: Vec<String> = statement
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        drop(statement);
        for name in names {
            let parsed = crate::disk::workspace::WorkspacePath::parse(&name, Path::new("/"));
            let reads = parsed.is_ok_and(|path| self.history(&path).is_ok());
            if !reads {
                lost.push(format!("the history of {name} cannot be read"));
                self.db
                    .execute("DELETE FROM history WHERE path = ?", [&name])?;
                self.db
                    .execute("DELETE FROM committed WHERE path = ?", [&name])?;
            }
        }
        Ok(())
    }
}

/// Takes over every row that can be read; returns how many.
fn salvage(path: &Path, into: &mut Store, lost: &mut Vec<String>) -> Result<usize, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let old = match Connection::open_with_flags(path, flags) {
        Ok(old) => old,
        Err(error) => {
            lost.push(format!("everything: {error}"));
            return Ok(0);
        }
    };
    let mut kept = 0;
    for table in TABLES {
        let query = format!("SELECT * FROM {table}");
        match copy(&old, &query, table, into) {
            Ok((rows, None)) => kept += rows,
            Ok((rows, Some(error))) => {
                kept += rows;
                lost.push(format!("rows of {table} after the first {rows}: {error}"));
            }
            Err(error) => lost.push(format!("{table}: {error}")),
        }
    }
    Ok(kept)
}

/// Copies rows until one cannot be read.
fn copy(
    old: &Connection,
    query: &str,
    table: &str,
    into: &mut Store,
) -> rusqlite::Result<(usize, Option<rusqlite::Error>)> {
    let mut statement = old.prepare(query)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let insert = format!(
        "INSERT OR IGNORE INTO {table} ({}) VALUES ({marks})",
        names.join(", ")
    );
    let transaction = into.db.transaction()?;
    let mut rows = statement.query([])?;
    let (mut kept, mut broken) = (0, None);
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(error) => {
                broken = Some(error);
                break;
            }
        };
        let values: rusqlite::Result<Vec<Value>> = (0..names.len()).map(|at| row.get(at)).collect();
        if let Ok(values) = values {
            kept += transaction.execute(&insert, params_from_iter(values))?;
        }
    }
    transaction.commit()?;
    Ok((kept, broken))
}

fn free_name(path: &Path) -> PathBuf {
    let names = (1_u32..).map(|number| with_suffix(path, &format!(".damaged-{number}")));
    let mut free = names.filter(|name| fs::symlink_metadata(name).is_err());
    free.next().unwrap_or_else(|| with_suffix(path, ".damaged"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(failed("remove", path)(error))
        }
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(failed("move", from))
}
