//! Commits of programs in the review: cards that wait behind the files, and what signing them off comes to.
//!
//! In: what waits of the repository, as cards; the files that wait, and the marks. Out: rows for the sign-off page, and what a
//! key that changes text is answered on a card.
//!
//! For example commit `c23c935` has `a` and `b`, and a hunk of `b` is denied: the page says that a new commit is made, without
//! what is denied of `b`. While a hunk of `b` has no mark the page says that the commit waits for it.

use signoff_core::id::ProposalId;
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView, Verdict};

use super::list::ReviewList;
use super::marks::Marks;
use super::scene::Scene;
use super::sign_off::is_approved;
use crate::theme::Role;
use crate::wrap::Row;

/// The most files that a row of the page names.
const MOST_NAMED: usize = 3;

/// What waits of the repository, as one thing to decide on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitCard {
    /// What is displayed of it: a proposal with one hunk, about no file.
    pub view: ProposalView,
    /// What it does to each branch and tag, where that is more than one commit on one branch.
    pub parts: Vec<String>,
    /// The files that its commits change.
    pub files: Vec<CardFile>,
    /// Whether it can be made of a part of its files.
    pub is_divisible: bool,
    /// Whether other commits come of it in any case, as the user's settings have them signed.
    pub is_signed: bool,
}

/// A file that commits of a card change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFile {
    /// Its path.
    pub path: String,
    /// Whether it is on disk as the program left it.
    pub is_on_disk: bool,
}

/// What signing a card off comes to.
#[derive(Debug, PartialEq, Eq)]
enum CardOutcome<'a> {
    /// The same objects.
    Whole,
    /// Other commits, as something of these files is not approved.
    Part(Vec<&'a str>),
    /// Nothing yet: something of this file has no verdict.
    Waits(&'a str),
}

impl CommitCard {
    /// Returns what signing it off together with the marks comes to.
    fn outcome<'c>(&'c self, list: &'c ReviewList, marks: &Marks) -> CardOutcome<'c> {
        let mut parts = Vec::new();
        for file in &self.files {
            let own: Vec<&HunkView> = hunks_of(list, &file.path).collect();
            if own.iter().any(|hunk| has_no_verdict(hunk, marks)) {
                return CardOutcome::Waits(&file.path);
            }
            let is_as_left = match own.as_slice() {
                [] => file.is_on_disk,
                own => own.iter().all(|hunk| is_whole(hunk, marks)),
            };
            if !is_as_left {
                parts.push(file.path.as_str());
            }
        }
        if parts.is_empty() {
            CardOutcome::Whole
        } else {
            CardOutcome::Part(parts)
        }
    }

    /// Says on the sign-off page what comes of it.
    fn rows(&self, scene: Scene<'_>) -> Vec<Row> {
        let mut rows = vec![
            Row::new(Role::Good, "  ✓ ")
                .with(Role::Text, &self.view.path)
                .with(Role::Dim, "  ")
                .with(Role::Text, &self.view.description),
        ];
        let parts = self.parts.iter();
        rows.extend(parts.map(|part| Row::new(Role::Text, "      ").with(Role::Text, part)));
        let warned = |text: &str| Row::new(Role::Warn, "      ! ").with(Role::Warn, text);
        let held = self.view.held.as_deref();
        // What cannot be made is held as well.
        let note = self.view.note.as_deref();
        let note = note.filter(|note| held.is_none_or(|held| !held.contains(note)));
        rows.extend(held.into_iter().chain(note).map(warned));
        match self.outcome(scene.list(), scene.marks()) {
            CardOutcome::Waits(path) => rows.push(warned(&format!(
                "not made yet: something of {path} has no verdict"
            ))),
            CardOutcome::Part(paths) if self.is_divisible => rows.push(warned(&format!(
                "what is denied of {} is left out of it",
                named(&paths)
            ))),
            CardOutcome::Part(paths) => rows.push(warned(&format!(
                "it is not made if it has what is denied of {}, as it is no plain row of commits",
                named(&paths)
            ))),
            CardOutcome::Whole if self.is_signed => rows.push(Row::new(
                Role::Text,
                "      as a new commit, which is signed as your settings ask for",
            )),
            CardOutcome::Whole => {}
        }
        rows
    }
}

/// Returns the hunks of a file that is listed.
fn hunks_of<'l>(list: &'l ReviewList, path: &'l str) -> impl Iterator<Item = &'l HunkView> {
    let of_it = move |own: &ProposalView| own.path == path || own.to.as_deref() == Some(path);
    let entries = list.entries().filter(move |(own, _)| of_it(own));
    entries.map(|(_, hunk)| hunk)
}

fn has_no_verdict(hunk: &HunkView, marks: &Marks) -> bool {
    hunk.status.is_open() && marks.get(hunk.id).is_none() && !marks.is_sent(hunk.id)
}

/// Returns whether a hunk is on disk as it was proposed once the marks are carried out.
fn is_whole(hunk: &HunkView, marks: &Marks) -> bool {
    match hunk.status {
        HunkStatus::Pending => marks.get(hunk.id) == Some(&Verdict::Approve),
        HunkStatus::Conflict { .. } | HunkStatus::Denied { .. } | HunkStatus::Edited { .. } => {
            false
        }
        HunkStatus::Committed
        | HunkStatus::Replaced { .. }
        | HunkStatus::Rewritten { .. }
        | HunkStatus::InFile => true,
    }
}

fn named(paths: &[&str]) -> String {
    let first = paths.iter().take(MOST_NAMED).copied();
    let first = first.collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Returns the rows of the sign-off page about commits that are approved.
pub(super) fn to_be_made(scene: Scene<'_>) -> Vec<Row> {
    let cards = scene.subject.commits.iter();
    let is_marked = |card: &&CommitCard| {
        let mut hunks = card.view.hunks.iter();
        hunks.any(|hunk| is_approved(scene.marks(), hunk))
    };
    let rows: Vec<Row> = cards
        .filter(is_marked)
        .flat_map(|card| card.rows(scene))
        .collect();
    let head = (!rows.is_empty()).then(|| Row::new(Role::Strong, "To be made in the repository:"));
    head.into_iter().chain(rows).collect()
}

/// Returns whether a proposal is a card.
pub(super) fn is_card(cards: &[CommitCard], proposal: ProposalId) -> bool {
    cards.iter().any(|card| card.view.id == proposal)
}

#[cfg(test)]
mod tests {
    use signoff_core::id::{HunkId, Uuid};

    use super::*;
    use crate::review::kit;
    use crate::review::review_file::files;

    #[test]
    fn what_comes_of_a_commit_is_said_before() {
        let deny = Verdict::Deny { reason: None };
        for (verdict, status, is_on_disk, expected) in [
            (Some(Verdict::Approve), HunkStatus::Pending, false, "whole"),
            (Some(deny), HunkStatus::Pending, false, "part"),
            (
                Some(Verdict::edited("x".to_owned())),
                HunkStatus::Pending,
                false,
                "part",
            ),
            (None, HunkStatus::Pending, false, "waits"),
            (None, HunkStatus::Denied { reason: None }, false, "part"),
            (None, HunkStatus::Committed, false, "whole"),
        ] {
            let mut file = kit::file("a");
            file.hunks[0].status = status;
            let mut marks = Marks::default();
            if let Some(verdict) = verdict {
                marks.set_alone(&file.hunks[0], verdict);
            }
            let card = card(is_on_disk);
            let mut list = ReviewList::default();
            list.set(files(vec![file]));
            let outcome = match card.outcome(&list, &marks) {
                CardOutcome::Whole => "whole",
                CardOutcome::Part(_) => "part",
                CardOutcome::Waits(_) => "waits",
            };
            assert_eq!(outcome, expected);
        }
        // Without its file in the list, the disk says it.
        for is_on_disk in [true, false] {
            let (card, list) = (card(is_on_disk), ReviewList::default());
            let outcome = card.outcome(&list, &Marks::default());
            assert_eq!(outcome == CardOutcome::Whole, is_on_disk);
        }
    }

    fn card(is_on_disk: bool) -> CommitCard {
        let mut view = kit::file("");
        view.id = ProposalId(Uuid::from_u128(9));
        view.hunks[0].id = HunkId {
            proposal: view.id,
            number: 1,
        };
        CommitCard {
            view,
            parts: Vec::new(),
            files: vec![CardFile {
                path: "a.txt".to_owned(),
                is_on_disk,
            }],
            is_divisible: true,
            is_signed: false,
        }
    }
}
