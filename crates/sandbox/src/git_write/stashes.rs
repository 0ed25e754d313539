//! The stash, as a program left it.
//!
//! In: the entries before and after. Out: the same entries in the repository's stash. What is new is pushed before anything
//! else moves and what goes is dropped last, so that whatever ends this in between, each entry is in the stash or its text in
//! the work tree.
//!
//! ```text
//! before    b, a           the user's
//! after     c, a           c is pushed, and stash@{1}, which is b by then, dropped
//! ```

use super::take_over::LOGGED;
use super::{CommitRefusal, Ended, GitWriter, Identity, ObjectId, failed, printed};
use crate::git_view::{StashChange, StashEntry};

/// The ref that the stash is under, and its log.
pub(crate) const STASH: &str = "refs/stash";

impl GitWriter<'_> {
    /// Pushes what is new, moves references by `move_references`, and drops what goes; or, if these are refused, nothing.
    pub(super) fn with_stash(
        &self,
        change: &StashChange,
        committer: &Identity,
        move_references: impl FnOnce() -> Result<Option<CommitRefusal>, String>,
    ) -> Result<Option<CommitRefusal>, String> {
        if let Some(refusal) = self.stash_refusal(change)? {
            return Ok(Some(refusal));
        }
        let steps = change.steps();
        let (new, gone) = steps.ok_or("the entries of the stash are in another order")?;
        let variables = committer.variables("COMMITTER").to_vec();
        for entry in new.iter().rev() {
            let store = [
                "stash",
                "store",
                "--quiet",
                "-m",
                &entry.message,
                &entry.oid,
            ];
            printed(self.moving(&store, variables.clone())?)?;
        }
        let refusal = move_references()?;
        let dropped: Vec<usize> = match refusal {
            Some(_) => vec![0; new.len()],
            None => gone.iter().rev().map(|own| own + new.len()).collect(),
        };
        self.drop_stashes(&dropped, committer)?;
        Ok(refusal)
    }

    /// Returns that the stash is another one than a change is about, if it is.
    pub(super) fn stash_refusal(
        &self,
        change: &StashChange,
    ) -> Result<Option<CommitRefusal>, String> {
        self.check_logs(STASH)?;
        let found = self.stash_names()?;
        let names = change.before.iter().map(|own| own.oid.as_str());
        if names.eq(found.iter().map(String::as_str)) {
            return Ok(None);
        }
        let object = |name: Option<&str>| name.and_then(ObjectId::parse);
        let from = object(change.before.first().map(|own| own.oid.as_str()));
        let to = object(found.first().map(String::as_str));
        let moved = CommitRefusal::moved(STASH, from.as_ref(), to.as_ref());
        Ok(Some(moved))
    }

    /// Drops entries by their numbers at that time.
    fn drop_stashes(&self, gone: &[usize], committer: &Identity) -> Result<(), String> {
        let variables = committer.variables("COMMITTER").to_vec();
        for number in gone {
            let entry = format!("{STASH}@{{{number}}}");
            let delete = ["reflog", "delete", "--updateref", "--rewrite", &entry];
            printed(self.moving(&delete, variables.clone())?)?;
        }
        if !gone.is_empty() && self.stash_names()?.is_empty() {
            let remove = ["update-ref", "-m", LOGGED, "-d", STASH];
            printed(self.moving(&remove, variables)?)?;
        }
        Ok(())
    }

    /// Returns what is left to be done of a change that was cut short; none if it is done.
    pub(super) fn rest_of_stash(
        &self,
        change: &StashChange,
    ) -> Result<Option<StashChange>, String> {
        let known = |name: &String| {
            let mut all = change.before.iter().chain(&change.after);
            all.find(|own| own.oid == *name).cloned()
        };
        self.check_logs(STASH)?;
        let found = self.stash_names()?;
        let before: Option<Vec<StashEntry>> = found.iter().map(known).collect();
        let before = before.ok_or("something else was put into the stash")?;
        let after = change.after.clone();
        Ok((before != after).then_some(StashChange { before, after }))
    }

    /// Returns the names of the entries, the newest first.
    fn stash_names(&self) -> Result<Vec<String>, String> {
        if self.object_at(STASH)?.is_none() {
            return Ok(Vec::new());
        }
        let found = self.report(&["reflog", "show", "--format=%H", STASH], Vec::new())?;
        match found.ended {
            Ended::Exit(0) => Ok(found.out.text().lines().map(str::to_owned).collect()),
            _ => Err(failed(&found)),
        }
    }
}
