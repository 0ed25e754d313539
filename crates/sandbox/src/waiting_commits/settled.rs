//! What became of changes of the repository that waited: a program's conversation is told of it.
//!
//! ```text
//! commits/9c1e04d2.../made.json      made, and not taken back
//!                     settled.json   denied, or taken back: what it was
//!                     taken_back.json  taken back: what made.json was
//! ```

use std::fs;
use std::io;

use serde::{Deserialize, Serialize};

use super::{BEGUN, CHANGE, MADE, MadeChange, WaitingChange, WaitingCommits, make_folder};
use crate::git_view::RepositoryChange;
use crate::private_file::PrivateFile;

/// What is left of a change that is neither waiting nor made.
pub(super) const SETTLED: &str = "settled.json";
/// What a change that was made becomes once it is taken back, to be made again by.
pub(super) const TAKEN_BACK: &str = "taken_back.json";
/// Maximum number of these, the newest.
const MAX_SETTLED: usize = 20;

/// What became of a change that waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledChange {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub state: ChangeState,
    /// What it does, in words; of one that was made what was made.
    pub told: String,
    /// Whether commands alone did it that the user typed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_user: bool,
    /// When the newest entry of history had been written before it was taken back, as history counts; none if an earlier
    /// version took it back, or it was denied. Files that were reverted later than that were reverted with it or since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_written: Option<i64>,
}

/// Where a change stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// It waits for the user's word.
    Waiting,
    /// It is in the repository, as the program made it.
    Made,
    /// It is there in other commits: of the part that was approved, or signed.
    MadeAnew,
    /// The user denied it, or all of its files.
    Denied,
    /// The user took it back.
    Reverted,
}

impl SettledChange {
    fn new(id: &str, change: &RepositoryChange, state: ChangeState) -> Self {
        Self {
            id: id.to_owned(),
            state,
            told: change.lines().join("; "),
            by_user: change.by_user,
            last_written: None,
        }
    }
}

impl WaitingChange {
    /// Returns that the change waits.
    pub fn standing(&self) -> SettledChange {
        SettledChange::new(&self.id, &self.change, ChangeState::Waiting)
    }
}

impl WaitingCommits {
    /// Returns what became of changes that do not wait any more, as far as that is kept.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be read.
    pub fn settled(&self) -> io::Result<Vec<SettledChange>> {
        let gone = self.read::<SettledChange>(SETTLED)?.into_iter();
        let made = self.all_made()?.into_iter().map(|(_, made)| {
            let MadeChange {
                id,
                change,
                is_anew,
                ..
            } = &made;
            let state = if *is_anew {
                ChangeState::MadeAnew
            } else {
                ChangeState::Made
            };
            SettledChange::new(id, change, state)
        });
        let mut settled: Vec<SettledChange> = gone.map(|(_, own)| own).chain(made).collect();
        settled.retain(|own| !self.holds(&own.id));
        Ok(settled)
    }

    /// Drops a change that the user denied.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub fn deny(&self, waiting: &WaitingChange) -> io::Result<()> {
        let WaitingChange { id, change } = waiting;
        self.remove(id)?;
        self.settle(SettledChange::new(id, change, ChangeState::Denied))
    }

    /// Puts on record that a change was taken back. It is kept with the time at which it was made.
    pub(super) fn forget_made(
        &self,
        made: &MadeChange,
        last_written: Option<i64>,
    ) -> io::Result<()> {
        let MadeChange { id, change, .. } = made;
        let folder = self.0.join(id);
        // Before the other: that one is listed with the time of this.
        self.settle(SettledChange {
            last_written,
            ..SettledChange::new(id, change, ChangeState::Reverted)
        })?;
        match fs::rename(folder.join(MADE), folder.join(TAKEN_BACK)) {
            // This was cut short here before.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        match fs::remove_file(folder.join(BEGUN)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Keeps what became of a change of which nothing else is left.
    fn settle(&self, settled: SettledChange) -> io::Result<()> {
        let folder = self.0.join(&settled.id);
        make_folder(&folder)?;
        PrivateFile::new(folder.join(SETTLED)).replace(&serde_json::to_vec(&settled)?)?;
        let all = self.read::<SettledChange>(SETTLED)?;
        let old = all.len().saturating_sub(MAX_SETTLED);
        let mut old = all.iter().take(old).map(|(_, own)| self.0.join(&own.id));
        old.try_for_each(|folder| {
            if folder.join(CHANGE).exists() {
                return fs::remove_file(folder.join(SETTLED));
            }
            fs::remove_dir_all(folder)
        })
    }
}
