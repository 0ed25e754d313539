//! Transactions: several files written together, all or none.
//!
//! In: for each file, the text it must have now and the text it shall have. Out: all of them
//! written, or none and the reason. [`prepare`] checks the files and gives a [`Prepared`]; the caller
//! makes its steps durable in a journal; [`Prepared::commit`] writes. What came of it is a
//! [`Committed`], which can still be rolled back. A later process rolls back a [`Record`] that it
//! finds in the journal.
//!
//! **Invariant:** no file is touched before the record of the whole transaction is durable in the store.
//!
//! **Invariant:** `roll_back` can be repeated after any failure. A file that has neither the old nor the new text
//! is left alone and named.

use std::collections::BTreeMap;
use std::fmt;

use crate::disk::workspace::attributes::Attributes;
use crate::disk::workspace::{AccessError, Draft, Swap, Workspace, WorkspacePath};
use crate::text::{EditSet, Encoding, Fingerprint, Mismatch, Source};

/// One file of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStep {
    /// The file.
    pub path: WorkspacePath,
    /// The hash of the text that it has before; none if it is not there.
    pub before: Option<Fingerprint>,
    /// The hash of the text that it has after; none if it goes away.
    pub after: Option<Fingerprint>,
    /// The change, which holds both the removed and the added bytes.
    pub edits: EditSet,
    /// Attributes before; none for a new file.
    pub attributes: Option<Attributes>,
    /// How the text before is written in the file.
    pub encoding: Encoding,
    /// Folders, deepest first: those that have to be made for a file that comes, or those that
    /// a file that goes is to leave no trace of, if they are empty then.
    pub folders: Vec<WorkspacePath>,
}

/// One file of a transaction and what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// What happens to the file.
    pub step: FileStep,
    /// The text; none for a file that goes away.
    pub text: Option<Source>,
    /// Permission bits in place of its own.
    pub mode: Option<u32>,
    /// Whether it is written also where it is read-only.
    pub may_be_read_only: bool,
}

impl FileWrite {
    /// Returns the attributes that the file gets; none for what the system gives new files.
    fn attributes(&self) -> Option<Attributes> {
        let own = self.step.attributes.clone();
        match (own, self.mode) {
            (Some(own), Some(mode)) => Some(Attributes { mode, ..own }),
            (None, Some(mode)) => Some(Attributes::of_mode(mode)),
            (own, None) => own,
        }
    }
}

/// What the journal says of a transaction: enough to undo any part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Tells its drafts from those of other transactions.
    pub tag: String,
    /// The files in the order in which they are written.
    pub steps: Vec<FileStep>,
}

/// A transaction whose files were as they must be. Nothing is written.
#[derive(Debug)]
#[must_use = "nothing is written before it is committed"]
pub struct Prepared {
    tag: String,
    writes: Vec<FileWrite>,
}

/// A transaction whose files are written.
#[derive(Debug)]
#[must_use = "its journal entry has to end"]
pub struct Committed {
    record: Record,
    unkept: Vec<Unkept>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// A file is not as it was when the change was made.
    #[error("{} changed on disk since it was shown", crate::quote::name(.path.as_str()))]
    Changed {
        /// The file.
        path: WorkspacePath,
    },
    /// A step failed; everything before it was undone.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A step failed, and so did undoing what came before it.
    #[error("{cause}; and undoing it failed: {rollback}; the next start tries again")]
    Torn {
        /// What failed first.
        cause: Box<Self>,
        /// What failed then.
        rollback: Box<AccessError>,
    },
}

/// Attributes that a file had and could not be given again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unkept {
    /// The file.
    pub path: WorkspacePath,
    /// The names of the attributes.
    pub names: Vec<String>,
}

impl fmt::Display for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lost its {}", self.path, self.names.join(", "))
    }
}

/// What a roll-back did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// How many commits were undone.
    pub commits: usize,
    /// Files that have their old text again.
    pub restored: Vec<WorkspacePath>,
    /// Files that have neither text: the user changed them since. They are left as they are.
    pub left: Vec<WorkspacePath>,
}

/// Checks that every file is as its step says and may be written. Nothing is touched. `tag` tells the
/// transaction's drafts from those of others.
pub fn prepare(
    workspace: &dyn Workspace,
    tag: String,
    writes: Vec<FileWrite>,
) -> Result<Prepared, CommitError> {
    check(workspace, &writes)?;
    Ok(Prepared { tag, writes })
}

impl Prepared {
    /// Returns what tells the transaction's drafts from those of others.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Returns the steps, for the journal.
    pub fn steps(&self) -> impl Iterator<Item = &FileStep> {
        self.writes.iter().map(|write| &write.step)
    }

    /// Returns true if no file is written.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Takes every step, or undoes those taken and says what failed. The steps must be in the
    /// journal before.
    pub fn commit(self, workspace: &mut dyn Workspace) -> Result<Committed, CommitError> {
        let mut begun = 0;
        let written = write_all(workspace, &self.tag, &self.writes, &mut begun);
        let record = Record {
            tag: self.tag,
            steps: self.writes.into_iter().map(|write| write.step).collect(),
        };
        let cause = match written {
            Ok(unkept) => return Ok(Committed { record, unkept }),
            Err(cause) => cause,
        };
        match roll_back_begun(workspace, &record, begun) {
            Ok(_) => Err(cause),
            Err(rollback) => Err(CommitError::Torn {
                cause: Box::new(cause),
                rollback: Box::new(rollback),
            }),
        }
    }
}

impl Committed {
    /// Returns the tag of the journal entry that is to end.
    pub fn tag(&self) -> &str {
        &self.record.tag
    }

    /// Returns the attributes that files could not be given again.
    pub fn unkept(&self) -> &[Unkept] {
        &self.unkept
    }

    /// Gives every file its old text again.
    pub fn roll_back(self, workspace: &mut dyn Workspace) -> Result<RolledBack, AccessError> {
        self.record.roll_back(workspace)
    }
}

impl Record {
    /// Gives every file that the steps reached its old text again and removes drafts. Safe to repeat
    /// after any failure.
    pub fn roll_back(&self, workspace: &mut dyn Workspace) -> Result<RolledBack, AccessError> {
        roll_back_begun(workspace, self, self.steps.len())
    }
}

fn check(workspace: &dyn Workspace, writes: &[FileWrite]) -> Result<(), CommitError> {
    for write in writes {
        let step = &write.step;
        let now = fingerprint(workspace, &step.path)?;
        if now != step.before {
            return Err(CommitError::Changed {
                path: step.path.clone(),
            });
        }
        match workspace.check_writable(&step.path) {
            Err(AccessError::ReadOnly { .. }) if write.may_be_read_only => {}
            checked => checked?,
        }
    }
    Ok(())
}

/// Undoes the first `begun` steps, and removes the drafts of the others: what looks like the end
/// of a step that was never begun is the user's own doing.
fn roll_back_begun(
    workspace: &mut dyn Workspace,
    record: &Record,
    begun: usize,
) -> Result<RolledBack, AccessError> {
    let mut outcome = RolledBack {
        commits: 1,
        ..RolledBack::default()
    };
    for (at, step) in record.steps.iter().enumerate().rev() {
        if at < begun {
            roll_back_step(workspace, record, step, &mut outcome)?;
            continue;
        }
        workspace.discard(&draft(&record.tag, step))?;
        if step.before.is_none() {
            remove_folders(workspace, step)?;
        }
    }
    Ok(outcome)
}

fn roll_back_step(
    workspace: &mut dyn Workspace,
    record: &Record,
    step: &FileStep,
    outcome: &mut RolledBack,
) -> Result<(), AccessError> {
    let source = workspace.read(&step.path)?.map(|image| image.source);
    let now = source.as_ref().map(Source::fingerprint);
    let reached = now == step.after && now != step.before;
    if given_back(workspace, record, step, source.as_ref())? {
        outcome.left.push(step.path.clone());
        return Ok(());
    }
    let draft = draft(&record.tag, step);
    let aside = workspace.drafted(&draft)?;
    let aside = aside.filter(|aside| !is_begun(aside, source.as_ref(), step.before));
    let aside = aside.map(|aside| aside.fingerprint());
    if reached && aside.is_some() && aside != step.after {
        // Killed in the middle of the exchange: what lies aside is what was there, be it the
        // old text or a save that nobody has seen.
        let undo = undo_draft(record, step);
        workspace.redraft(&draft, &undo)?;
        let swap = workspace.publish(&undo, step.after)?;
        workspace.discard(&undo)?;
        workspace.sync_folder(&step.path)?;
        match swap {
            Swap::Done => outcome.restored.push(step.path.clone()),
            Swap::Changed => outcome.left.push(step.path.clone()),
        }
        return Ok(());
    }
    workspace.discard(&draft)?;
    if now == step.before {
        return match source {
            None => remove_folders(workspace, step),
            Some(text) => {
                give_back_mode(workspace, &undo_draft(record, step), step, &text, outcome)
            }
        };
    }
    let old = reached.then(|| restored(step, source));
    let done = match old {
        Some(Ok(old)) => restore(workspace, &undo_draft(record, step), step, old.as_ref())?,
        Some(Err(Mismatch { .. })) | None => Swap::Changed,
    };
    match done {
        Swap::Done => outcome.restored.push(step.path.clone()),
        Swap::Changed => outcome.left.push(step.path.clone()),
    }
    Ok(())
}

/// Gives a file its permission bits again where the step changed nothing else.
fn give_back_mode(
    workspace: &mut dyn Workspace,
    draft: &Draft,
    step: &FileStep,
    text: &Source,
    outcome: &mut RolledBack,
) -> Result<(), AccessError> {
    let own = workspace
        .attributes(&step.path)?
        .map(|attributes| attributes.mode);
    let before = step.attributes.as_ref().map(|before| before.mode);
    if step.before != step.after || own == before {
        return Ok(());
    }
    match restore(workspace, draft, step, Some(text))? {
        Swap::Done => outcome.restored.push(step.path.clone()),
        Swap::Changed => outcome.left.push(step.path.clone()),
    }
    Ok(())
}

/// Deals with the draft of an earlier roll-back that did not end. Returns whether it held a save
/// that had come in the instant of the exchange: that is in its place again.
fn given_back(
    workspace: &mut dyn Workspace,
    record: &Record,
    step: &FileStep,
    now: Option<&Source>,
) -> Result<bool, AccessError> {
    let draft = undo_draft(record, step);
    let Some(aside) = workspace.drafted(&draft)? else {
        return Ok(false);
    };
    let exchanged = now.map(Source::fingerprint) == step.before;
    let known = Some(aside.fingerprint()) == step.after || is_begun(&aside, now, None);
    let unseen = exchanged && !known;
    if unseen {
        // A save that came once more meanwhile is the one that counts.
        let _swap = workspace.publish(&draft, step.before)?;
        workspace.sync_folder(&step.path)?;
    }
    workspace.discard(&draft)?;
    Ok(unseen)
}

/// Tells whether a draft is no more than the beginning of what a file holds now: its writing was
/// cut off, and it stands for nothing. `other` is a text that it may be for a reason.
fn is_begun(draft: &Source, now: Option<&Source>, other: Option<Fingerprint>) -> bool {
    // A link is made at once.
    let begins = !draft.is_link() && now.is_some_and(|now| now.bytes().starts_with(draft.bytes()));
    begins && Some(draft.fingerprint()) != other
}

/// Takes the steps, and counts in `begun` those that may have changed something.
fn write_all(
    workspace: &mut dyn Workspace,
    tag: &str,
    writes: &[FileWrite],
    begun: &mut usize,
) -> Result<Vec<Unkept>, CommitError> {
    let mut unkept = Vec::new();
    for write in writes {
        let step = &write.step;
        if let Some(text) = &write.text {
            let attributes = write.attributes();
            let names = workspace.draft(&draft(tag, step), text, attributes.as_ref())?;
            let path = step.path.clone();
            unkept.extend((!names.is_empty()).then_some(Unkept { path, names }));
        }
    }
    // Writing the drafts took a while; look again before anything is replaced.
    check(workspace, writes)?;
    for FileWrite { step, text, .. } in writes {
        let draft = draft(tag, step);
        *begun += 1;
        let swap = match (text, step.before) {
            (Some(_), before) => workspace.publish(&draft, before)?,
            (None, Some(before)) => workspace.withdraw(&draft, before)?,
            (None, None) => Swap::Done,
        };
        if swap == Swap::Changed {
            *begun -= 1;
            return Err(CommitError::Changed {
                path: step.path.clone(),
            });
        }
    }
    // Each folder is made durable once, however many of its files were written: it takes the disk as long as a file.
    let mut changed: BTreeMap<WorkspacePath, &WorkspacePath> = BTreeMap::new();
    for FileWrite { step, .. } in writes {
        changed.insert(step.path.parent(), &step.path);
        for folder in &step.folders {
            if step.after.is_none() {
                workspace.remove_folder(folder)?;
            }
            changed.insert(folder.parent(), folder);
        }
    }
    let mut within = changed.into_values();
    within.try_for_each(|path| workspace.sync_folder(path))?;
    Ok(unkept)
}

/// Removes the step's folders as far as they are empty.
fn remove_folders(workspace: &mut dyn Workspace, step: &FileStep) -> Result<(), AccessError> {
    for folder in &step.folders {
        workspace.remove_folder(folder)?;
        workspace.sync_folder(folder)?;
    }
    Ok(())
}

/// Returns the text before the step, worked out from the text after it.
fn restored(step: &FileStep, now: Option<Source>) -> Result<Option<Source>, Mismatch> {
    let Some(before) = step.before else {
        return Ok(None);
    };
    let now = now.unwrap_or_else(|| Source::new(Vec::new()));
    let old = step.edits.invert().apply(now.bytes())?;
    let old = Source::in_encoding(old, step.encoding);
    if old.fingerprint() == before {
        Ok(Some(old))
    } else {
        Err(Mismatch { at: 0 })
    }
}

/// Gives a file its old text, if it still has the one after the step.
fn restore(
    workspace: &mut dyn Workspace,
    draft: &Draft,
    step: &FileStep,
    old: Option<&Source>,
) -> Result<Swap, AccessError> {
    let swap = match (old, step.after) {
        (Some(old), after) => {
            let _unkept = workspace.draft(draft, old, step.attributes.as_ref())?;
            workspace.publish(draft, after)?
        }
        (None, Some(after)) => workspace.withdraw(draft, after)?,
        (None, None) => Swap::Done,
    };
    workspace.discard(draft)?;
    workspace.sync_folder(&step.path)?;
    if old.is_none() {
        remove_folders(workspace, step)?;
    }
    Ok(swap)
}

/// The draft of the step. What it holds beside its own text was in the file until then.
fn draft(tag: &str, step: &FileStep) -> Draft {
    Draft {
        path: step.path.clone(),
        tag: tag.to_owned(),
    }
}

/// The draft with which the step is undone. It has a name of its own: half of it must not be taken
/// for what the step's draft may hold.
fn undo_draft(record: &Record, step: &FileStep) -> Draft {
    Draft {
        path: step.path.clone(),
        tag: format!("{}-undo", record.tag),
    }
}

fn fingerprint(
    workspace: &dyn Workspace,
    path: &WorkspacePath,
) -> Result<Option<Fingerprint>, AccessError> {
    Ok(workspace
        .read(path)?
        .map(|image| image.source.fingerprint()))
}

#[cfg(test)]
mod tests;
