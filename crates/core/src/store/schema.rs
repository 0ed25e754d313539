//! The tables, and the way to them from every earlier version.
//!
//! In: a connection. Out: the same, with the newest schema. A migration is never changed once
//! it was released; the next one goes at the end.

use rusqlite::Connection;

use super::StoreError;

/// The `n`-th element leads from version `n` to version `n + 1`.
pub(super) const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE proposal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    changeset TEXT NOT NULL,
    path TEXT NOT NULL,
    card TEXT NOT NULL,
    hunks TEXT NOT NULL,
    open INTEGER NOT NULL
) STRICT;
CREATE INDEX proposal_open ON proposal (open, seq);
CREATE TABLE stack (
    path TEXT PRIMARY KEY,
    base BLOB
) STRICT;
CREATE TABLE layer (
    path TEXT NOT NULL,
    position INTEGER NOT NULL,
    proposal TEXT NOT NULL,
    presence TEXT NOT NULL,
    edits BLOB NOT NULL,
    numbers TEXT NOT NULL,
    PRIMARY KEY (path, position)
) STRICT;
CREATE TABLE history (
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    time INTEGER NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    presence TEXT NOT NULL,
    drift BLOB NOT NULL,
    edits BLOB NOT NULL,
    added INTEGER NOT NULL,
        removed INTEGER NOT NULL,
    mode INTEGER,
    PRIMARY KEY (path, version)
) STRICT;
CREATE TABLE committed (
    path TEXT PRIMARY KEY,
    text BLOB
) STRICT;
CREATE TABLE journal (
    tag TEXT NOT NULL,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    before BLOB,
    after BLOB,
    edits BLOB NOT NULL,
    mode INTEGER,
    PRIMARY KEY (tag, position)
) STRICT;
",
    "
ALTER TABLE layer ADD COLUMN moved_to TEXT;
ALTER TABLE journal ADD COLUMN folders TEXT NOT NULL DEFAULT '[]';
ALTER TABLE journal ADD COLUMN encoding TEXT NOT NULL DEFAULT '\"utf8\"';
CREATE TABLE entry (
    path TEXT NOT NULL,
    shelf INTEGER NOT NULL,
    version INTEGER NOT NULL,
    time INTEGER NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    presence TEXT NOT NULL,
    drift BLOB NOT NULL,
    edits BLOB NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    mode INTEGER,
    encoding TEXT NOT NULL,
    moved_from TEXT,
    moved_to TEXT,
    folders TEXT NOT NULL,
    PRIMARY KEY (path, shelf, version)
) STRICT;
INSERT INTO entry SELECT path, 0, version, time, description, kind, presence, drift, edits,
    added, removed, mode, '\"utf8\"', NULL, NULL, '[]' FROM history;
DROP TABLE history;
ALTER TABLE entry RENAME TO history;
CREATE INDEX history_moved ON history (moved_from) WHERE moved_from IS NOT NULL;
CREATE TABLE written (
    path TEXT NOT NULL,
    shelf INTEGER NOT NULL,
    text BLOB,
    PRIMARY KEY (path, shelf)
) STRICT;
INSERT INTO written SELECT path, 0, text FROM committed;
DROP TABLE committed;
ALTER TABLE written RENAME TO committed;
CREATE TABLE denied (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    lines BLOB NOT NULL,
    reason TEXT,
    time INTEGER NOT NULL,
    UNIQUE (path, lines)
) STRICT;
",
    "
ALTER TABLE stack ADD COLUMN packed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE committed ADD COLUMN packed INTEGER NOT NULL DEFAULT 0;
",
    // From here on, `packed` may be 2.
    "
CREATE TABLE dropped (
    path TEXT PRIMARY KEY,
    entries INTEGER NOT NULL
) STRICT;
",
    // From here on, `packed` may be 3.
    "
ALTER TABLE dropped ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
UPDATE dropped SET newest = entries;
",
    // From here on, `mode` is also in `attributes`.
    "
ALTER TABLE history ADD COLUMN attributes TEXT;
ALTER TABLE journal ADD COLUMN attributes TEXT;
",
];

/// Brings the schema up to date.
pub(super) fn migrate(db: &mut Connection) -> Result<(), StoreError> {
    let known = MIGRATIONS.len() as i64;
    let found: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found == known {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for migration in MIGRATIONS
        .iter()
        .skip(usize::try_from(found).unwrap_or_default())
    {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    let vacuum: i64 = db.query_row("PRAGMA auto_vacuum", [], |row| row.get(0))?;
    if vacuum == 0 && db.path().is_some_and(|path| !path.is_empty()) {
        // Made before the store gave room back; while another process reads, it stays as it is.
        let _vacuumed = db.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;");
    }
    Ok(())
}
