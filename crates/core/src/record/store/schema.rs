//! The tables of the store.
//!
//! In: a connection. Out: the same, with the schema of this version.

use rusqlite::Connection;

use super::StoreError;

/// The version of the schema, kept in `user_version`. A change of it needs a new version and a migration; older stores than
/// [`SCHEMA`] are of versions that were not released, and refused.
pub(super) const VERSION: i64 = 18;

/// The tables of version 13.
const SCHEMA: &str = "
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
    moved_to TEXT,
    PRIMARY KEY (path, position)
) STRICT;
CREATE TABLE history (
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
    attributes TEXT,
    encoding TEXT NOT NULL,
    moved_from TEXT,
    moved_to TEXT,
    folders TEXT NOT NULL,
    PRIMARY KEY (path, shelf, version)
) STRICT;
CREATE INDEX history_moved ON history (moved_from) WHERE moved_from IS NOT NULL;
CREATE TABLE committed (
    path TEXT NOT NULL,
    shelf INTEGER NOT NULL,
    text BLOB,
    PRIMARY KEY (path, shelf)
) STRICT;
CREATE TABLE dropped (
    path TEXT PRIMARY KEY,
    entries INTEGER NOT NULL,
    newest INTEGER NOT NULL
) STRICT;
CREATE TABLE journal (
    tag TEXT NOT NULL,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    before BLOB,
    after BLOB,
    edits BLOB NOT NULL,
    attributes TEXT,
    folders TEXT NOT NULL,
    encoding TEXT NOT NULL,
    PRIMARY KEY (tag, position)
) STRICT;
CREATE TABLE denied (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    lines BLOB NOT NULL,
    reason TEXT,
    time INTEGER NOT NULL,
    UNIQUE (path, lines)
) STRICT;
CREATE TABLE handed_over (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    changeset TEXT NOT NULL UNIQUE
) STRICT;
";

/// Makes version 14 of 13. Of hunks that were denied before, the lines are not known.
const TO_14: &str = "
ALTER TABLE denied ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE denied ADD COLUMN added INTEGER NOT NULL DEFAULT 0;
ALTER TABLE denied ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE denied ADD COLUMN shown BLOB;
";

/// Makes version 15 of 14. How entries were signed off before is not known.
const TO_15: &str = "
ALTER TABLE history ADD COLUMN sign_off TEXT;
CREATE TABLE checked (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    files TEXT NOT NULL,
    runs TEXT NOT NULL
) STRICT;
";

/// Makes version 16 of 15.
const TO_16: &str = "CREATE INDEX history_time ON history (time) WHERE shelf = 0;";

/// Makes version 17 of 16. What was staged over files before they changed is not known.
const TO_17: &str = "
CREATE TABLE former_stack (
    path TEXT PRIMARY KEY,
    base BLOB,
    notes TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE former_layer (
    path TEXT NOT NULL,
    position INTEGER NOT NULL,
    proposal TEXT NOT NULL,
    presence TEXT NOT NULL,
    edits BLOB NOT NULL,
    numbers TEXT NOT NULL,
    moved_to TEXT,
    PRIMARY KEY (path, position)
) STRICT;
";

/// Makes version 18 of 17: the files that had an entry of a changeset that is not kept any more, while others of the changeset
/// are. What was dropped before is not known.
const TO_18: &str = "
CREATE TABLE dropped_change (
    changeset TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (changeset, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_changeset ON history (
    CASE WHEN json_valid(kind) THEN
        coalesce(kind ->> '$.applied.changeset', kind ->> '$.ran.changeset')
    END
);
";

/// What makes the next version of each.
const STEPS: [(i64, &str); 5] = [
    (13, TO_14),
    (14, TO_15),
    (15, TO_16),
    (16, TO_17),
    (17, TO_18),
];

/// Creates the tables in a new store, and those that one of version 13 or later lacks. Refuses a store of any other version.
pub(super) fn create(db: &mut Connection) -> Result<(), StoreError> {
    // Another process may be creating the same store.
    let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match found {
        VERSION => return Ok(()),
        0 => transaction.execute_batch(SCHEMA)?,
        13..VERSION => {}
        _ => {
            return Err(StoreError::OtherVersion {
                found,
                known: VERSION,
            });
        }
    }
    for (_, step) in STEPS.iter().filter(|(version, _)| *version >= found) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}
