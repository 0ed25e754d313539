//! Proposed commits on the command line: what programs changed of the repository, listed, made, dropped and taken back.
//!
//! In: what waits beside the layers of programs. Out: lines, JSON, and what became of each; cards for the interface
//! (`cards`).

mod cards;
mod reversals;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use signoff_core::engine::NamedChangeset;
use signoff_core::id::{ChangesetId, ProposalId, Timestamp};
use signoff_core::plural::counted;
use signoff_core::stage::review::HunkState;
use signoff_llm::commit::signed_file;
use signoff_sandbox::git_view::{ProposedCommit, RepositoryChange, UndisplayedTexts};
use signoff_sandbox::git_write::{GitWriter, ObjectId, UserVariables};
use signoff_sandbox::waiting_commits::{
    ChangeState, DecidedFiles, FilesBefore, ReversalDeed, SettledChange, SignedFile, SignedFiles,
    SignedOff, UndecidedFile, WaitingChange, WaitingCommits,
};
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::app::{CommitsAnswer, CommitsRequest};
use signoff_tui::error_text::in_words;

pub(super) use self::cards::made;
pub(super) use self::reversals::{Reversal, ReversalOutcome};
use super::pager::Pages;
use super::repository::asker;
use super::{Ending, out, revert, verify};
use crate::args::{LAST, ModelArgs, RevertMode};
use crate::configuration;

/// What may stand after `/commits`.
const USAGE: &str = "/commits lists them; /commits approve ID, /commits deny ID, /commits undo";

/// Those that wait in a workspace.
pub(super) struct Commits<'p> {
    paths: &'p Paths,
    waiting: WaitingCommits,
    all: Vec<WaitingChange>,
}

/// What came of one.
pub(super) struct CommitOutcome {
    id: String,
    /// `made`, `denied`, `reverted`, `refused` or `left`.
    status: &'static str,
    said: String,
    ending: Ending,
}

impl CommitOutcome {
    fn new(id: &str, status: &'static str, said: String) -> Self {
        let ending = match status {
            "refused" | "left" => Ending::NeedsUser,
            _ => Ending::Done,
        };
        let id = id.to_owned();
        Self {
            id,
            status,
            said,
            ending,
        }
    }

    pub(super) fn tell(&self, json: bool) -> anyhow::Result<()> {
        if json {
            out::json(&self.value())
        } else {
            self.print()
        }
    }

    /// Returns it as other programs read it.
    pub(super) fn value(&self) -> Value {
        json!({"commit": self.id, "status": self.status, "told": self.said})
    }

    /// Says it: what was left beside the answer.
    pub(super) fn print(&self) -> anyhow::Result<()> {
        if self.status == "left" {
            out::remark(&self.said);
            return Ok(());
        }
        out::line(&self.said)
    }

    /// Returns how a command ends in which these came of commits.
    pub(super) fn ending(outcomes: &[Self]) -> Ending {
        let mut endings = outcomes.iter().map(|outcome| outcome.ending);
        let other = endings.find(|ending| *ending != Ending::Done);
        other.unwrap_or(Ending::Done)
    }
}

impl<'p> Commits<'p> {
    /// Ends what was cut short, and says so on standard error, before it reads what waits.
    pub(super) fn recovered(paths: &'p Paths) -> anyhow::Result<Self> {
        recover(paths).iter().for_each(|line| out::remark(line));
        Self::of(paths)
    }

    pub(super) fn of(paths: &'p Paths) -> anyhow::Result<Self> {
        let waiting = WaitingCommits::at(&paths.commits());
        let all = waiting.all()?;
        Ok(Self {
            paths,
            waiting,
            all,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns them as other programs read them.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        self.all.iter().map(value)
    }

    pub(super) fn print(&self, pages: &mut Pages) {
        for waiting in &self.all {
            let lines = lines(waiting);
            let mut lines = lines.iter();
            pages.head(lines.next().map_or("", String::as_str));
            lines.for_each(|line| pages.line(line));
            pages.line("");
        }
    }

    /// Parts ids into the changes that they name and the rest, which are those of proposals.
    pub(super) fn named(
        &self,
        ids: &[String],
    ) -> anyhow::Result<(Vec<&WaitingChange>, Vec<String>)> {
        let mut named: Vec<&WaitingChange> = Vec::new();
        let mut others = Vec::new();
        for id in ids {
            let mut meant = self.all.iter().filter(|own| own.is_meant(id));
            match (meant.next(), meant.next()) {
                (Some(one), None) if named.iter().any(|own| own.id == one.id) => {}
                (Some(one), None) => named.push(one),
                (Some(_), Some(_)) => {
                    anyhow::bail!("{id} names several commits; give more of the id")
                }
                (None, _) => others.push(id.clone()),
            }
        }
        Ok((named, others))
    }

    /// Returns their ids.
    pub(super) fn ids(&self) -> BTreeSet<String> {
        self.all.iter().map(|own| own.id.clone()).collect()
    }

    /// Leaves out those with these ids.
    pub(super) fn but(mut self, ids: &BTreeSet<String>) -> Self {
        self.all.retain(|own| !ids.contains(&own.id));
        self
    }

    /// Returns all, but those that have to be named, of which it says so.
    pub(super) fn unheld(&self) -> (Vec<&WaitingChange>, Vec<CommitOutcome>) {
        let mut left = Vec::new();
        let mut others = Vec::new();
        for waiting in &self.all {
            match waiting.change.held() {
                Some(why) => {
                    let id = &waiting.id;
                    let said = format!("left the commit {id}: {why}; look at it and name it");
                    left.push(CommitOutcome::new(id, "left", said));
                }
                None => others.push(waiting),
            }
        }
        (others, left)
    }

    /// Returns all.
    pub(super) fn all(&self) -> Vec<&WaitingChange> {
        self.all.iter().collect()
    }

    /// Makes changes in the repository; `changeset` is what was written just before, with them.
    pub(super) fn approve(
        &self,
        chosen: &[&WaitingChange],
        changeset: Option<String>,
    ) -> anyhow::Result<Vec<CommitOutcome>> {
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let written = WrittenFiles(self.paths);
        let files = decided_files(&written, changeset)?;
        let outcomes = chosen.iter();
        Ok(outcomes
            .map(|waiting| self.decide(waiting, Some(&files)))
            .collect())
    }

    fn make(&self, waiting: &WaitingChange, files: &DecidedFiles<'_>) -> CommitOutcome {
        let before = before_receipts(self.paths);
        let signed = match unsigned_text(self.paths, waiting) {
            Ok(None) => self.waiting.sign_off(&self.paths.root, waiting, files),
            Ok(Some(why)) => Ok(SignedOff::Refused(why)),
            Err(error) => Err(in_words(&error)),
        };
        let what = waiting.change.lines().join("; ");
        let why = match signed {
            Ok(SignedOff::Made {
                lines,
                parts,
                as_signed,
                staged,
            }) => {
                let mut said = format!("made {}", lines.join("; "));
                if !parts.is_empty() {
                    let parts = parts.join(", ");
                    said += &format!(", without what is not approved of {parts}");
                }
                if !as_signed.is_empty() {
                    said += &format!(", with {} as you signed it off", as_signed.join(", "));
                }
                for path in staged {
                    said += &format!("; what you staged of {path} stays staged");
                }
                let left = before.and_then(|before| receipts(self.paths, before));
                if let Err(error) = left {
                    said += &format!("; no receipt could be left: {}", in_words(&error));
                }
                return CommitOutcome::new(&waiting.id, "made", said);
            }
            Ok(SignedOff::Dropped(why)) => {
                let said = format!("dropped {what}: {why}");
                return CommitOutcome::new(&waiting.id, "denied", said);
            }
            Ok(SignedOff::Refused(why)) | Err(why) => why,
        };
        let said = format!("the commit {} is not made, and waits on: {why}", waiting.id);
        CommitOutcome::new(&waiting.id, "refused", said)
    }

    /// Drops changes.
    pub(super) fn deny(&self, chosen: &[&WaitingChange]) -> Vec<CommitOutcome> {
        let chosen = chosen.iter();
        chosen.map(|waiting| self.decide(waiting, None)).collect()
    }

    /// Makes a change with what was decided on files, or drops it without, unless another process decided on it.
    fn decide(&self, waiting: &WaitingChange, files: Option<&DecidedFiles<'_>>) -> CommitOutcome {
        let id = &waiting.id;
        let deciding = self.waiting.deciding();
        let outcome = match (&deciding, files) {
            (Err(error), _) => Err(anyhow::anyhow!("what waits cannot be locked: {error}")),
            (Ok(_), _) if !self.waiting.holds(id) => self.decided_elsewhere(id, files.is_some()),
            (Ok(_), Some(files)) => Ok(self.make(waiting, files)),
            (Ok(_), None) => self.drop_one(waiting),
        };
        outcome.unwrap_or_else(|error| CommitOutcome::new(id, "refused", in_words(&error)))
    }

    /// Says what another process did with a change, which is what was to be done, or not.
    fn decided_elsewhere(&self, id: &str, is_approved: bool) -> anyhow::Result<CommitOutcome> {
        let settled = self.waiting.settled()?;
        let settled = settled.into_iter().find(|own| own.id == id);
        let state = settled.as_ref().map(|own| own.state);
        let told = settled.map_or_else(|| format!("the commit {id}"), |own| own.told);
        let (status, became) = match (state, is_approved) {
            (Some(ChangeState::Made | ChangeState::MadeAnew), true) => ("made", "is made already"),
            (Some(ChangeState::Made | ChangeState::MadeAnew), false) => {
                ("refused", "was made meanwhile; `signoff undo` reverts it")
            }
            (Some(ChangeState::Denied), false) => ("denied", "is denied already"),
            (Some(ChangeState::Denied), true) => ("refused", "was denied meanwhile"),
            (Some(ChangeState::Reverted), _) => ("refused", "was made meanwhile, and reverted"),
            (Some(ChangeState::Waiting) | None, _) => ("refused", "does not wait any more"),
        };
        Ok(CommitOutcome::new(id, status, format!("{told} {became}")))
    }

    fn drop_one(&self, waiting: &WaitingChange) -> anyhow::Result<CommitOutcome> {
        self.waiting.deny(waiting)?;
        let said = format!("denied {}", waiting.change.lines().join("; "));
        Ok(CommitOutcome::new(&waiting.id, "denied", said))
    }
}

/// Returns why a change is not made, if it has texts that want a second signature and that no hunk showed to anybody.
fn unsigned_text(paths: &Paths, waiting: &WaitingChange) -> anyhow::Result<Option<String>> {
    let change = &waiting.change;
    let texts = change.other_texts();
    if texts.is_empty() && !change.is_cut {
        return Ok(None);
    }
    let engine = opened::engine(paths)?;
    if change.is_cut {
        return Ok(engine.text_wants_signature(None));
    }
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let writer = GitWriter::open(asker(paths, &stop), &user).map_err(anyhow::Error::msg)?;
    let own = texts.into_iter().filter_map(|path| writer.below_root(path));
    let mut own = own.map(|path| engine.text_wants_signature(Some(&path)));
    Ok(own.find_map(|why| why))
}

/// Returns the commit that is checked out.
fn head(paths: &Paths) -> anyhow::Result<Option<ObjectId>> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let head = GitWriter::open(asker(paths, &stop), &user).and_then(|writer| writer.head());
    head.map(|head| head.commit).map_err(anyhow::Error::msg)
}

/// Returns what is checked out where the user wants notes, to leave receipts at what comes on top of it.
fn before_receipts(paths: &Paths) -> anyhow::Result<Option<Option<ObjectId>>> {
    let config = configuration::load(paths, &ModelArgs::default())?;
    config.commit.notes.then(|| head(paths)).transpose()
}

/// Leaves receipts at the commits that came on top of what was checked out; none where no notes are wanted.
fn receipts(paths: &Paths, before: Option<Option<ObjectId>>) -> anyhow::Result<()> {
    let Some(before) = before else {
        return Ok(());
    };
    match (before, head(paths)?) {
        (Some(before), Some(after)) if before != after => {
            let range = format!("{}..{}", before.as_str(), after.as_str());
            verify::leave_receipts(paths, &range)
        }
        (None, Some(after)) => verify::leave_receipts(paths, after.as_str()),
        _ => Ok(()),
    }
}

/// Carries out what the interface asks.
pub(crate) fn carry_out(paths: &Paths, request: &CommitsRequest) -> CommitsAnswer {
    let mut told = recover(paths);
    let (said, is_done) = match request {
        CommitsRequest::List => (None, true),
        CommitsRequest::Typed(words) => said(answered(paths, words).map(|said| (said, true))),
        CommitsRequest::Decide {
            verdicts,
            with_files,
        } => said(decided(paths, verdicts, *with_files)),
        CommitsRequest::TakeBack(id) => said(named_reversed(paths, *id, ReversalDeed::TakesBack)),
        CommitsRequest::MakeAgain(id) => said(named_reversed(paths, *id, ReversalDeed::MakesAgain)),
    };
    told.extend(said);
    let settled = match request {
        CommitsRequest::Decide { verdicts, .. } => settled(paths, verdicts),
        CommitsRequest::List
        | CommitsRequest::Typed(_)
        | CommitsRequest::TakeBack(_)
        | CommitsRequest::MakeAgain(_) => Vec::new(),
    };
    CommitsAnswer {
        settled,
        said: (!told.is_empty()).then(|| told.join("\n")),
        is_done,
        now: cards::news(paths).map_err(|error| in_words(&error)),
    }
}

/// Ends what was cut short. Returns what came of it.
pub(super) fn recover(paths: &Paths) -> Vec<String> {
    let in_effect = |changeset: &str| {
        reversals::files_in_effect(paths, changeset).map_err(|error| in_words(&error))
    };
    let recovered = WaitingCommits::at(&paths.commits()).recover(&paths.root, &in_effect);
    recovered.unwrap_or_else(|why| vec![why])
}

/// Returns what became of these.
fn settled(paths: &Paths, verdicts: &[(ProposalId, bool)]) -> Vec<SettledChange> {
    let settled = WaitingCommits::at(&paths.commits()).settled();
    let mut settled = settled.unwrap_or_else(|error| {
        tracing::error!(%error, "what became of commits is not known");
        Vec::new()
    });
    settled.retain(|own| {
        let mut decided = verdicts.iter().map(|(id, _)| cards::change_id(*id));
        decided.any(|id| id == own.id)
    });
    settled
}

fn said(answered: anyhow::Result<(String, bool)>) -> (Option<String>, bool) {
    match answered {
        Ok((said, is_done)) => (Some(said), is_done),
        Err(error) => (Some(in_words(&error)), false),
    }
}

/// Makes the changes that are approved, and drops the others.
fn decided(
    paths: &Paths,
    verdicts: &[(ProposalId, bool)],
    with_files: bool,
) -> anyhow::Result<(String, bool)> {
    let commits = Commits::of(paths)?;
    let last = if with_files {
        last_changeset(paths)?
    } else {
        None
    };
    let changeset = last.map(|(id, _)| id);
    let written = WrittenFiles(paths);
    let files = decided_files(&written, changeset)?;
    let (mut lines, mut is_done) = (Vec::new(), false);
    for (proposal, is_approved) in verdicts {
        let id = cards::change_id(*proposal);
        let Some(waiting) = commits.all.iter().find(|own| own.id == id) else {
            lines.push(format!("the commit {id} does not wait any more"));
            continue;
        };
        let outcome = commits.decide(waiting, is_approved.then_some(&files));
        is_done |= outcome.ending == Ending::Done;
        lines.push(outcome.said);
    }
    Ok((lines.join("\n"), is_done))
}

fn named_reversed(
    paths: &Paths,
    commit: ChangesetId,
    deed: ReversalDeed,
) -> anyhow::Result<(String, bool)> {
    let id = cards::change_id(ProposalId(commit.0));
    let done = match deed {
        ReversalDeed::TakesBack => "reverted already",
        ReversalDeed::MakesAgain => "not reverted any more",
    };
    match Reversal::of_id(paths, &id, deed)? {
        Some(reversal) => reversed(paths, &reversal),
        None => Ok((format!("the commit {id} is {done}"), false)),
    }
}

/// Carries a reversal out; returns what there is to say of it, and whether it is done.
fn reversed(paths: &Paths, reversal: &Reversal) -> anyhow::Result<(String, bool)> {
    Ok(match reversal.carry_out(paths, RevertMode::default())? {
        ReversalOutcome::Refused(commit) => (commit.said, false),
        ReversalOutcome::FilesStay(files) => {
            let why = files.conflict().unwrap_or(&files.nothing);
            (
                format!("{why}; neither the commit nor a file was changed"),
                false,
            )
        }
        ReversalOutcome::Done(commit, None) => (commit.said, true),
        ReversalOutcome::Done(commit, Some(files)) => {
            (format!("{}\n{}", commit.said, revert::said(&files)), true)
        }
    })
}

fn answered(paths: &Paths, words: &str) -> anyhow::Result<String> {
    let commits = Commits::of(paths)?;
    let words: Vec<&str> = words.split_whitespace().collect();
    let (verb, id) = match words.as_slice() {
        [] if commits.is_empty() => return Ok("No commit of a program waits".to_owned()),
        [] => {
            let each: Vec<String> = commits
                .all
                .iter()
                .map(|own| lines(own).join("\n"))
                .collect();
            return Ok(each.join("\n\n"));
        }
        ["undo"] => {
            let made = commits.waiting.last_made()?;
            let Some((_, made)) = made else {
                return Ok("No commit of a program was made, or all are reverted".to_owned());
            };
            return Ok(reversed(paths, &Reversal::of_commit_alone(made))?.0);
        }
        [verb, id] => (*verb, (*id).to_owned()),
        _ => return Ok(USAGE.to_owned()),
    };
    let (named, _) = commits.named(std::slice::from_ref(&id))?;
    let Some(waiting) = named.first() else {
        return Ok(format!("No commit {id} waits; /commits lists them"));
    };
    Ok(match verb {
        "approve" => {
            let written = WrittenFiles(paths);
            let files = decided_files(&written, None)?;
            commits.decide(waiting, Some(&files)).said
        }
        "deny" => commits.decide(waiting, None).said,
        _ => USAGE.to_owned(),
    })
}

/// What sign-offs wrote in a workspace.
struct WrittenFiles<'p>(&'p Paths);

impl SignedFiles for WrittenFiles<'_> {
    fn signed(&self, path: &str, before: &FilesBefore<'_>) -> Result<SignedFile, String> {
        let records =
            opened::engine(self.0).and_then(|mut engine| Ok(engine.file_records(Some(path))?));
        let records = records.map_err(|error| in_words(&error))?;
        let record = records.first().ok_or("its history cannot be found")?;
        if record.path.as_str() != path {
            return Ok(Err(format!("is at {} now", record.path)));
        }
        let names: Vec<String> = record.names().map(ToString::to_string).collect();
        Ok(signed_file(record, &before(&names)?))
    }
}

/// Returns which files are not decided, and what was signed off.
fn decided_files<'d>(
    written: &'d WrittenFiles<'_>,
    changeset: Option<String>,
) -> anyhow::Result<DecidedFiles<'d>> {
    let mut engine = opened::engine(written.0)?;
    let mut undecided = BTreeMap::new();
    for proposal in engine.waiting()? {
        let states = proposal.hunks.iter().map(|hunk| hunk.status.state());
        let why = states.filter_map(|state| match state {
            HunkState::Pending => Some(UndecidedFile::Waits),
            HunkState::Conflict => Some(UndecidedFile::InConflict),
            HunkState::Committed | HunkState::Denied | HunkState::Replaced | HunkState::InFile => {
                None
            }
        });
        let Some(why) = why.min() else { continue };
        for path in [Some(&proposal.path), proposal.to.as_ref()]
            .into_iter()
            .flatten()
        {
            let known = undecided.entry(path.clone()).or_insert(why);
            *known = why.min(*known);
        }
    }
    Ok(DecidedFiles {
        undecided,
        signed: written,
        changeset,
    })
}

fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// Returns the newest changeset in effect, and when it was written.
pub(super) fn last_changeset(paths: &Paths) -> anyhow::Result<Option<(String, Timestamp)>> {
    let mut engine = opened::engine(paths)?;
    let NamedChangeset::One(id) = engine.changeset(LAST)? else {
        return Ok(None);
    };
    let history = engine.history(None)?;
    let own = history.iter().filter(|entry| entry.changeset == Some(id));
    let written = own.map(|entry| entry.time).max();
    Ok(written.map(|written| (id.to_string(), written)))
}

/// Returns the changeset that was written since, if one was; `before` is what was the last one.
pub(super) fn written_since(
    paths: &Paths,
    before: Option<&(String, Timestamp)>,
) -> anyhow::Result<Option<String>> {
    let written = last_changeset(paths)?.filter(|last| Some(last) != before);
    Ok(written.map(|(id, _)| id))
}

/// Returns a change as other programs read it.
fn value(waiting: &WaitingChange) -> Value {
    let change = &waiting.change;
    let moves = change.before.name != change.after.name;
    json!({
        "id": waiting.id,
        "operation": "commit",
        "path": cards::name(change),
        "description": cards::title(change),
        "status": "pending",
        "hunks": [],
        "refs": change.refs,
        "head": moves.then(|| json!({"before": change.before.name, "after": change.after.name})),
        "commits": change.commits,
        "commits_cut": change.is_cut,
        "index": change.index.iter().filter(|own| !own.follows_head).collect::<Vec<_>>(),
        "stash": change.stash,
        "undisplayed": change.undisplayed,
        "held": change.held(),
    })
}

/// Returns a change as people read it: what it does, its id, and its commits.
fn lines(waiting: &WaitingChange) -> Vec<String> {
    let mut lines = waiting.change.lines();
    lines
        .iter_mut()
        .skip(1)
        .for_each(|line| line.insert_str(0, "  "));
    lines.push(format!("  {}", waiting.id));
    let held = waiting.change.held();
    lines.extend(held.map(|why| format!("  `approve --all` leaves it: {why}")));
    lines.extend(commit_lines(&waiting.change));
    lines
}

/// Returns the commits of a change, each with what no diff of files shows of it.
fn commit_lines(change: &RepositoryChange) -> impl Iterator<Item = String> {
    let commits = change.commits.iter().flat_map(|commit| {
        let texts = change.undisplayed.iter().flatten();
        let texts = texts.filter(|own| own.commit == commit.oid);
        head_lines(commit)
            .into_iter()
            .chain(texts.flat_map(text_lines))
    });
    let beside = change.texts_beside_commits();
    let beside = beside.flat_map(|(title, texts)| {
        let title = format!("  {title}");
        std::iter::once(title).chain(text_lines(texts))
    });
    commits.chain(beside)
}

fn text_lines(texts: &UndisplayedTexts) -> impl Iterator<Item = String> {
    let of_user = (texts.of_user)
        .then(|| "    has lines that are on disk already, and in no hunk that waits:".to_owned());
    let left_out = match texts.left_out {
        0 => None,
        count => Some(format!("    ... {}", counted(count, "more line"))),
    };
    let diff = texts.diff.iter().map(|line| format!("    {line}"));
    of_user.into_iter().chain(diff).chain(left_out)
}

fn head_lines(commit: &ProposedCommit) -> Vec<String> {
    let mut lines = vec![format!("  {}", commit.oid)];
    if let [_, merged @ ..] = commit.parents.as_slice()
        && !merged.is_empty()
    {
        lines.push(format!("    merges {}", merged.join(", ")));
    }
    lines.push(format!("    by {}", commit.author));
    let committer = commit.committer.as_ref();
    lines.extend(committer.map(|who| format!("    committed by {who}")));
    let authored = commit.authored.as_ref();
    lines.extend(authored.map(|when| format!("    dated {when}")));
    if !commit.headers.is_empty() {
        let headers = commit.headers.join(", ");
        lines.push(format!(
            "    with headers that git does not write: {headers}"
        ));
    }
    let message = commit.message.lines();
    lines.extend(message.map(|line| format!("    | {line}")));
    let files = commit.files.iter();
    lines.extend(files.map(|(letter, path)| format!("    {letter} {path}")));
    lines
}
