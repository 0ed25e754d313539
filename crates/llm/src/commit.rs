//! Commits of git: what was signed off and the last commit lacks.
//!
//! In: files with their histories, which changes are meant, and a writer for the repository. Out: what each file of the commit
//! becomes and what is in the way ([`CommitPlan`]); of a plan and a message, the commit ([`CommitPlan::commit`]), with who wrote
//! it as trailers and as a note; a message that the model proposes (`wording`).
//!
//! A file of the commit is that of the last commit with the changes applied that are meant, whatever the work tree has
//! besides (`signoff_core::record::history::cherry_pick`, `docs/decisions/0063`).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use serde::Deserialize;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::record::history::cherry_pick::{
    FileRecord, PickChoice, PickOutcome, Picked, PickedFile,
};
use signoff_core::stage::review::{HistoryView, Proposer};
use signoff_core::text::Source;
use signoff_sandbox::git_view::IndexedKind;
use signoff_sandbox::git_write::{
    Blob, BlobChanges, CommitRefusal, Committed, GitWriter, Head, Identities, LineEndRule,
    ObjectId, PathRules, WriteResult,
};
use signoff_sandbox::process::Limits;
use signoff_sandbox::waiting_commits::WaitingCommits;

mod authorship;
mod by_history;
mod commit_file;
mod elsewhere;
#[cfg(target_os = "linux")]
mod hooks;
mod line_ends;
mod receipt;
pub(crate) mod wording;

use authorship::{AuthoredFile, authorship_log};
pub use by_history::signed_by_history;
pub use commit_file::CommitFile;
use commit_file::authored;
pub use elsewhere::{OtherReceipt, other_receipts};
#[cfg(target_os = "linux")]
pub use hooks::HookRunner;
use receipt::Receipt;
pub use receipt::{
    CheckedCommit, CheckedFile, ProposedChange, ProposedLines, RECEIPTS, SignedFile, UnseenParts,
    Voucher, write_receipt,
};

/// How far each git may go; one that signs waits for a password meanwhile.
pub const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(120),
    most_bytes: 64 * 1024,
};

/// Which lines name who helped.
const TRAILER: &str = "Assisted-by";

/// The notes in which other tools look for who wrote what.
const NOTES: &str = "ai";

/// Bytes of a name in a trailer; the longest names of models have 80.
const MAX_NAME: usize = 120;

/// What a commit has beside its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommitSettings {
    /// `false`: no line `Assisted-by: AGENT:MODEL` at the end of the message for each agent or model that wrote something
    /// in it.
    pub trailer: bool,
    /// `true`: a note in `refs/notes/ai` says which lines an agent wrote, and which you rewrote in the review; one in
    /// `refs/notes/signoff` is the receipt that `signoff verify` reads, signed if you sign commits.
    pub notes: bool,
}

impl Default for CommitSettings {
    fn default() -> Self {
        Self {
            trailer: true,
            notes: false,
        }
    }
}

/// Which files and changes are meant, and what becomes of the user's own lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitChoice {
    /// Which changes.
    pub changes: PickChoice,
    /// Whether files in which a change builds on lines of the user's are committed as they are on disk.
    pub own_lines: bool,
}

/// A commit that could be made.
#[derive(Clone, Debug)]
pub struct CommitPlan {
    /// What it comes after.
    pub head: Head,
    /// What it changes, in the order of paths.
    pub files: Vec<CommitFile>,
    /// Files of which something is meant and cannot be committed.
    pub blocked: Vec<PassedFile>,
    /// Files that are no part of the repository.
    pub left_out: Vec<PassedFile>,
}

/// What runs the hooks that git would run at a commit.
pub trait CommitHooks: Send + Sync {
    /// Runs them on a tree; a refusal is what one of them said.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be run.
    fn run(
        &self,
        tree: &ObjectId,
        message: &str,
        identities: &Identities,
    ) -> WriteResult<HookedCommit>;
}

/// What hooks made of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookedCommit {
    /// The message as they left it.
    pub message: String,
    /// The hooks that ran.
    pub ran: Vec<String>,
}

/// A file that is not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedFile {
    /// Where it is.
    pub path: String,
    /// Why it is not.
    pub why: String,
}

/// A commit that was made, and what was not done.
#[derive(Clone, Debug)]
pub struct CommitReport {
    /// The commit.
    pub committed: Committed,
    /// Hooks of the repository that did not run.
    pub hooks: Vec<&'static str>,
    /// Why it has no note, where it was to have one.
    pub unnoted: Option<String>,
}

impl CommitPlan {
    /// Works out a commit on top of what is checked out.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn of(
        writer: &GitWriter<'_>,
        mut records: Vec<FileRecord>,
        choice: &CommitChoice,
    ) -> Result<Self, String> {
        let mut plan = Self {
            head: writer.head()?,
            files: Vec::new(),
            blocked: Vec::new(),
            left_out: Vec::new(),
        };
        let names = records.iter().flat_map(FileRecord::names);
        let names: BTreeSet<String> = names.map(|name| name.as_str().to_owned()).collect();
        let names: Vec<String> = names.into_iter().collect();
        let committed = match &plan.head.commit {
            Some(commit) => writer.blobs(commit, &names)?,
            None => BTreeMap::new(),
        };
        // Those that moved say first where the last commit has them: another file may be there by now.
        records.sort_by_key(|record| record.names().nth(1).is_none());
        let mut moved_away = HashSet::new();
        let paths = records.iter().map(|record| record.path.to_string());
        let rules = writer.path_rules(&paths.collect::<Vec<_>>())?;
        for record in &records {
            let base = base(&committed, record, &moved_away);
            if let Some((name, _)) = base.as_ref().filter(|(name, _)| *name != record.path) {
                moved_away.insert(name.clone());
            }
            let rule = rules.normalized.get(record.path.as_str());
            plan.add(record, base, rule, choice);
        }
        plan.follow_rules(&rules);
        plan.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(plan)
    }

    fn add(
        &mut self,
        record: &FileRecord,
        base: Option<(WorkspacePath, PickedFile)>,
        rule: Option<&LineEndRule>,
        choice: &CommitChoice,
    ) {
        let checked_out = base.clone().map(|base| as_checked_out(base, record, rule));
        let named = checked_out.as_ref().map(|(name, file)| (name, file));
        let picked = match record.cherry_pick(named, &choice.changes) {
            Ok(PickOutcome::Nothing) => return,
            Ok(PickOutcome::Picked(picked)) => picked,
            Ok(PickOutcome::Untracked) => {
                let why = "it is not in the last commit, and no change that is meant made it";
                return self.left_out.push(passed(record, why));
            }
            Ok(PickOutcome::Conflict { version, .. }) if choice.own_lines => {
                as_on_disk(record, named, version)
            }
            Ok(PickOutcome::Conflict { version, why }) => {
                let why = format!("version {version} does not apply to the last commit: {why}");
                return self.blocked.push(passed(record, &why));
            }
            Err(mismatch) => {
                let why = format!("its history does not lead to its text: {mismatch}");
                return self.blocked.push(passed(record, &why));
            }
        };
        self.files.push(CommitFile::of(record, base, picked));
    }

    /// Has files as git would store them, and takes out those of which signoff does not know that, and new ones that are ignored.
    fn follow_rules(&mut self, rules: &PathRules) {
        for mut file in std::mem::take(&mut self.files) {
            let path = file.path.clone();
            let normalized = rules.normalized.get(&path);
            let normalized = normalized.filter(|rule| !file.store_line_ends(rule));
            if let Some(rule) = normalized {
                let why = format!(
                    "git would store its line ends as LF ({rule}), which signoff does for plain texts alone"
                );
                self.blocked.push(PassedFile { path, why });
            } else if let Some(rule) = rules.converted.get(&path) {
                let why = format!("git converts it ({rule}), which signoff does not do");
                self.blocked.push(PassedFile { path, why });
            } else if file.before.is_none() && rules.ignored.contains(&path) {
                let why = "git ignores it".to_owned();
                self.left_out.push(PassedFile { path, why });
            } else {
                self.files.push(file);
            }
        }
    }

    /// Returns a message made of what the changes were for: the first of them, and below it the others.
    pub fn message(&self) -> String {
        match self.descriptions().as_slice() {
            [] => String::new(),
            [only] => format!("{only}\n"),
            [first, others @ ..] => {
                let others: String = others.iter().map(|text| format!("- {text}\n")).collect();
                format!("{first}\n\n{others}")
            }
        }
    }

    /// Returns what the changes were for, oldest first.
    fn descriptions(&self) -> Vec<&str> {
        let mut entries: Vec<&HistoryView> = self.entries().collect();
        entries.sort_by_key(|entry| entry.time);
        let mut seen = HashSet::new();
        let descriptions = entries.iter().map(|entry| entry.description.trim());
        let descriptions = descriptions.filter(|text| !text.is_empty() && seen.insert(*text));
        descriptions.collect()
    }

    /// Returns the conversations that wrote what is in it.
    pub(crate) fn sessions(&self) -> HashSet<&str> {
        self.entries()
            .filter_map(|entry| entry.session.as_deref())
            .collect()
    }

    /// Says why nothing is committed where something is in the way, a line a file, and what to do.
    pub fn obstacles(&self) -> Vec<String> {
        let blocked = self.blocked.iter();
        let lines = blocked.map(|PassedFile { path, why }| format!("{path}: {why}"));
        let hint = "nothing was committed; commit your own lines first, or use `signoff commit`: it takes paths and changesets, \
                    and with --own-lines commits such a file as it is on disk";
        lines.chain([hint.to_owned()]).collect()
    }

    /// Returns where the commit goes: `branch main`.
    pub fn place(&self) -> String {
        let branch = self.head.branch();
        branch.map_or_else(|| "no branch".to_owned(), |name| format!("branch {name}"))
    }

    fn entries(&self) -> impl Iterator<Item = &HistoryView> {
        self.files.iter().flat_map(|file| &file.entries)
    }

    /// Returns who helped, as `signoff:MODEL`, or the name of another agent.
    fn assistants(&self) -> BTreeSet<String> {
        let proposers = self.entries().filter_map(|entry| entry.proposer.as_ref());
        proposers
            .filter_map(assistant)
            .map(|(agent, model)| match model {
                Some(model) => format!("{agent}:{model}"),
                None => agent,
            })
            .collect()
    }

    fn changes(&self) -> Result<BlobChanges, String> {
        let mut changes = BlobChanges::new();
        let gone = self.files.iter().filter_map(|file| file.from.clone());
        changes.extend(gone.map(|path| (path, None)));
        for file in &self.files {
            let blob = file
                .after
                .as_ref()
                .map(|after| blob(after).ok_or_else(|| format!("{} cannot be encoded", file.path)));
            changes.insert(file.path.clone(), blob.transpose()?);
        }
        Ok(changes)
    }

    /// Makes the commit; the repository's hooks run before, if there is one to run them. `journal` says what was cut short.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commit(
        &self,
        writer: &GitWriter<'_>,
        message: &str,
        settings: CommitSettings,
        runner: Option<&dyn CommitHooks>,
        journal: &WaitingCommits,
    ) -> WriteResult<CommitReport> {
        if self.files.is_empty() {
            return Ok(Err(CommitRefusal::Nothing));
        }
        let assistants = self.assistants().into_iter().filter(|_| settings.trailer);
        let trailers: Vec<_> = assistants.map(|who| (TRAILER.to_owned(), who)).collect();
        let (tree, identities) = match writer.prepare(&self.head, &self.changes()?)? {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut hooks = writer.hooks();
        let mut message = message.to_owned();
        if let Some(runner) = runner.filter(|_| !hooks.is_empty() && writer.is_whole_work_tree()) {
            match runner.run(&tree, &message, &identities)? {
                Ok(hooked) => {
                    hooks.retain(|name| !hooked.ran.iter().any(|own| own == name));
                    message = hooked.message;
                }
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        let prepared = (&tree, &identities);
        let made = journal.commit_prepared(writer, &self.head, prepared, &message, &trailers)?;
        let committed = match made {
            Ok(committed) => committed,
            Err(refusal) => return Ok(Err(refusal)),
        };
        // The commit is made: what fails from here on is said beside it.
        let unnoted = (settings.notes).then(|| self.note(writer, &committed));
        Ok(Ok(CommitReport {
            hooks,
            unnoted: unnoted.and_then(Result::err),
            committed,
        }))
    }

    fn note(&self, writer: &GitWriter<'_>, committed: &Committed) -> Result<(), String> {
        let identities = writer.identities().ok_or("it is not known who commits")?;
        let files: Vec<AuthoredFile<'_>> = self.files.iter().filter_map(authored).collect();
        let (commit, committer) = (&committed.commit, &identities.committer);
        if let Some(log) = authorship_log(&files, commit, &identities.author) {
            writer.note(commit, NOTES, &log, committer)?;
        }
        let mut known = BTreeMap::new();
        for file in &self.files {
            for path in file.from.iter().chain([&file.path]) {
                known.insert(writer.below_top(path)?, file);
            }
        }
        let listed = writer.commits_of(&format!("{}^!", commit.as_str()))?;
        let listed = listed.first().ok_or("git does not list the commit")?;
        Receipt::of(&writer.blob_changes(listed)?, &known).write(writer, commit)
    }
}

impl CommitReport {
    /// Says in a line what was committed.
    pub fn line(&self, plan: &CommitPlan) -> String {
        let (count, place) = (counted(plan.files.len(), "file"), plan.place());
        format!(
            "committed {} on {place}, {count}",
            self.committed.commit.short()
        )
    }

    /// Says what stays as it is and what was not done, a line each.
    pub fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let staged = &self.committed.staged;
        if !staged.is_empty() {
            lines.push(format!(
                "what you have staged of {} stays staged",
                staged.join(", ")
            ));
        }
        if !self.hooks.is_empty() {
            lines.push(format!(
                "hooks of git did not run: {}",
                self.hooks.join(", ")
            ));
        }
        let unnoted = self.unnoted.as_ref();
        lines.extend(unnoted.map(|why| format!("no note could be made: {why}")));
        lines
    }
}

/// Returns a file as the last commit has it, under the newest of its names that is there.
fn base(
    committed: &BTreeMap<String, Blob>,
    record: &FileRecord,
    moved_away: &HashSet<WorkspacePath>,
) -> Option<(WorkspacePath, PickedFile)> {
    let mut names = record.names().filter(|name| !moved_away.contains(*name));
    names.find_map(|name| {
        let Blob { bytes, kind } = committed.get(name.as_str())?;
        let (text, executable) = match kind {
            IndexedKind::Link => (Source::link(bytes.clone()), false),
            IndexedKind::File { executable } => (Source::decode(bytes.clone()), *executable),
        };
        Some((name.clone(), PickedFile { text, executable }))
    })
}

/// Returns a file as a commit has it; none if it cannot be encoded.
fn blob(file: &PickedFile) -> Option<Blob> {
    let bytes = file.text.encoded()?;
    let kind = if file.text.is_link() {
        IndexedKind::Link
    } else {
        let executable = file.executable;
        IndexedKind::File { executable }
    };
    Some(Blob { bytes, kind })
}

/// Returns what a commit is to have at the path of a file by all that was signed off of it; `committed` is what the commit
/// before has. Where nothing was, it stays as it is.
///
/// # Errors
///
/// Fails with a reason that follows the path where that cannot be told.
pub fn signed_file(
    record: &FileRecord,
    committed: &BTreeMap<String, Blob>,
) -> Result<Option<Blob>, String> {
    let before = base(committed, record, &HashSet::new());
    let named = before.as_ref().map(|(name, file)| (name, file));
    match record.cherry_pick(named, &PickChoice::All) {
        Ok(PickOutcome::Nothing | PickOutcome::Untracked) => {
            Ok(committed.get(record.path.as_str()).cloned())
        }
        Ok(PickOutcome::Picked(picked)) if picked.path != record.path => {
            Err(format!("was moved from {}", picked.path))
        }
        Ok(PickOutcome::Picked(picked)) => {
            let after = picked.after.as_ref();
            let after = after.map(|file| blob(file).ok_or("cannot be encoded".to_owned()));
            after.transpose()
        }
        Ok(PickOutcome::Conflict { version, why }) => Err(format!(
            "cannot be told from what came later: version {version} does not apply, {why}"
        )),
        Err(mismatch) => Err(format!(
            "has a history that does not lead to its text: {mismatch}"
        )),
    }
}

/// Returns a file of the last commit as git checks it out where it has its lines end with CRLF on disk: changes are to it.
fn as_checked_out(
    (name, file): (WorkspacePath, PickedFile),
    record: &FileRecord,
    rule: Option<&LineEndRule>,
) -> (WorkspacePath, PickedFile) {
    let now = record.now.as_ref().and_then(Source::encoded);
    let Some((committed, now)) = file.text.encoded().zip(now) else {
        return (name, file);
    };
    let has_crlf = rule.is_some_and(|rule| rule.changes(Some(&committed), &now))
        && now
            .split_inclusive(|byte| *byte == b'\n')
            .all(|line| line.ends_with(b"\r\n") || !line.ends_with(b"\n"));
    if !has_crlf || !line_ends::is_plain(&committed) {
        return (name, file);
    }
    let text = Source::decode(line_ends::with_crlf(&committed));
    (name, PickedFile { text, ..file })
}

fn passed(record: &FileRecord, why: &str) -> PassedFile {
    PassedFile {
        path: record.path.to_string(),
        why: why.to_owned(),
    }
}

/// Returns a file with all that the user has in it, and the entries from a version on.
fn as_on_disk(
    record: &FileRecord,
    base: Option<(&WorkspacePath, &PickedFile)>,
    version: u64,
) -> Picked {
    let in_effect = record.history.in_effect();
    let entries = record.history.entries.iter().map(|entry| entry.version);
    let versions = entries.filter(|own| *own >= version && in_effect.contains(own));
    let from = base
        .map(|(name, _)| name)
        .filter(|name| **name != record.path);
    Picked {
        from: from.cloned(),
        path: record.path.clone(),
        after: record.now.clone().map(|text| PickedFile {
            text,
            executable: record.executable,
        }),
        versions: versions.collect(),
    }
}

/// Returns the agent and the model that a proposer is, if it is one.
fn assistant(proposer: &Proposer) -> Option<(String, Option<String>)> {
    let (agent, model) = match proposer {
        Proposer::User | Proposer::Program | Proposer::Person { .. } => return None,
        Proposer::Model { name } | Proposer::Agent { model: name, .. } => {
            ("signoff", name.as_str())
        }
        Proposer::ForeignAgent { name } | Proposer::Mcp { client: name } => (name.as_str(), ""),
    };
    let model = quote::one_line(model, MAX_NAME);
    Some((
        quote::one_line(agent, MAX_NAME),
        Some(model).filter(|model| !model.is_empty()),
    ))
}

#[cfg(test)]
mod tests;
