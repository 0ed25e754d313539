//! Cards: commits of programs as the interface shows them, those that wait in the review and those that were made in the
//! history.
//!
//! In: changes of the repository. Out: a proposal with one hunk for each that waits, an entry for each that was made. Its id is
//! that of the change, which says what the change does: a verdict is on what was displayed.
//!
//! ```text
//!  + branch main from 1f0c to c23c
//!  + commit c23c935a...
//!  +   A <a@b>
//!  +   | mine
//!  +   M a.txt
//! ```

use std::collections::BTreeSet;
use std::time::SystemTime;

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::{ChangesetId, HunkId, ProposalId, Timestamp, Uuid};
use signoff_core::stage::review::{
    EntryStatus, HistoryView, HunkStatus, HunkView, ProposalView, Proposer,
};
use signoff_review::review::commits::{CardFile, CommitCard};
use signoff_review::review::history::MadeCommit;
use signoff_sandbox::git_view::RepositoryChange;
use signoff_sandbox::waiting_commits::{
    MadeChange, TakenBackChange, WaitingChange, WaitingCommits,
};
use signoff_setup::paths::Paths;
use signoff_tui::app::CommitsNews;

use super::{commit_lines, timestamp};

/// Returns what waits and what was made.
pub(super) fn news(paths: &Paths) -> anyhow::Result<CommitsNews> {
    let waiting = WaitingCommits::at(&paths.commits());
    let cards = waiting.all()?;
    let made = made(paths)?;
    Ok(CommitsNews {
        cards: cards
            .iter()
            .filter_map(|own| card(paths, &waiting, own))
            .collect(),
        made,
    })
}

/// Returns what was made, also what was taken back since, the oldest first.
pub(in crate::commands) fn made(paths: &Paths) -> anyhow::Result<Vec<MadeCommit>> {
    let waiting = WaitingCommits::at(&paths.commits());
    let made = waiting.all_made()?.into_iter();
    let made = made.map(|(time, own)| made_commit(time, own));
    let taken_back = waiting.all_taken_back()?.into_iter();
    let taken_back = taken_back.map(taken_back_commit);
    let mut made: Vec<MadeCommit> = made.chain(taken_back).flatten().collect();
    made.sort_by_key(|own| own.entry.time);
    Ok(made)
}

/// Returns the id of the change that a card is about.
pub(super) fn change_id(proposal: ProposalId) -> String {
    proposal.0.simple().to_string()
}

fn card(paths: &Paths, commits: &WaitingCommits, waiting: &WaitingChange) -> Option<CommitCard> {
    let change = &waiting.change;
    let id = ProposalId(Uuid::parse_str(&waiting.id).ok()?);
    // Where that cannot be said, it is said once the commit is to be made.
    let standing = commits.standing(&paths.root, waiting);
    let (as_left, is_signed) = standing.unwrap_or((BTreeSet::new(), false));
    let files = change.files.iter().map(|file| CardFile {
        path: file.path.clone(),
        is_on_disk: as_left.contains(&file.path),
    });
    let lines: Vec<DiffLine> = lines(change)
        .zip(1..)
        .map(|((kind, text), number)| DiffLine {
            kind,
            old: (kind == LineKind::Removed).then_some(number),
            new: (kind == LineKind::Added).then_some(number),
            text,
            emphasis: Vec::new(),
            newline: true,
        })
        .collect();
    let count = |kind| lines.iter().filter(|line| line.kind == kind).count();
    let count = |kind| u32::try_from(count(kind)).unwrap_or(u32::MAX);
    let hunk = HunkView {
        id: HunkId {
            proposal: id,
            number: 1,
        },
        header: change.lines().join("; "),
        status: HunkStatus::Pending,
        added: count(LineKind::Added),
        removed: count(LineKind::Removed),
        lines,
        ..HunkView::default()
    };
    Some(CommitCard {
        view: ProposalView {
            id,
            changeset: ChangesetId(id.0),
            path: name(change),
            operation: Operation::Create,
            description: title(change),
            note: change.unmakeable().or_else(|| change.unrun_hooks()),
            held: change.held(),
            proposer: if change.by_user {
                Proposer::User
            } else {
                Proposer::Program
            },
            hunks: vec![hunk],
            ..ProposalView::default()
        },
        parts: match (change.lines(), change.commits.len()) {
            (lines, 0 | 1) if lines.len() < 2 => Vec::new(),
            (lines, _) => lines,
        },
        files: files.collect(),
        is_divisible: change.is_divisible(),
        is_signed,
    })
}

/// Returns a change that was made and taken back.
fn taken_back_commit(own: TakenBackChange) -> Option<MadeCommit> {
    let mut commit = made_commit(own.made_at, own.made)?;
    commit.entry.turned = Some(timestamp(own.taken_back_at));
    commit.entry.status = EntryStatus::Reverted;
    commit.last_written = own.last_written.map(Timestamp);
    Some(commit)
}

/// Returns a change that was made at a time.
fn made_commit(time: SystemTime, made: MadeChange) -> Option<MadeCommit> {
    let id = Uuid::parse_str(&made.id).ok()?;
    let with = made.changeset.as_deref();
    Some(MadeCommit {
        entry: HistoryView {
            time: timestamp(time),
            path: name(&made.change),
            description: title(&made.change),
            changeset: Some(ChangesetId(id)),
            status: EntryStatus::Applied,
            ..HistoryView::default()
        },
        with: with.and_then(|with| Uuid::parse_str(with).ok().map(ChangesetId)),
        last_written: None,
    })
}

/// Returns what a change is called in the place of a path: its newest commit, or the branches and tags.
pub(super) fn name(change: &RepositoryChange) -> String {
    match change.commits.first() {
        Some(commit) => format!("commit {}", commit.short()),
        None if change.is_staging() => "git's index".to_owned(),
        None => "branches and tags".to_owned(),
    }
}

/// Returns the subject of its newest commit; without one what becomes of branches and tags.
pub(super) fn title(change: &RepositoryChange) -> String {
    let subject = change.commits.first().map(|commit| commit.subject());
    subject.unwrap_or_else(|| change.lines().join("; "))
}

/// Returns the lines displayed for a change: a branch that loses commits as removed ones.
fn lines(change: &RepositoryChange) -> impl Iterator<Item = (LineKind, String)> {
    let refs = change.refs.iter().map(|own| {
        let loses = own.loses > 0 || own.after.is_none();
        let kind = if loses {
            LineKind::Removed
        } else {
            LineKind::Added
        };
        (kind, own.to_string())
    });
    let moves = change.before.name != change.after.name;
    let head = moves.then(|| format!("HEAD: {} to {}", change.before.name, change.after.name));
    let cut = change
        .is_cut
        .then(|| "more commits than are listed".to_owned());
    let others = change
        .other_refs
        .iter()
        .map(|name| format!("{name} stays in the shadow"));
    let commits = commit_lines(change);
    let commits = commits.map(|line| line.strip_prefix("  ").unwrap_or(&line).to_owned());
    let staging = change.staging_lines().into_iter().map(|(goes, line)| {
        let kind = if goes {
            LineKind::Removed
        } else {
            LineKind::Added
        };
        (kind, line)
    });
    let rest = head.into_iter().chain(commits).chain(cut).chain(others);
    refs.chain(staging)
        .chain(rest.map(|line| (LineKind::Added, line)))
}
