//! What a proposal does to names and lines, and which proposals belong to each other by it.
//!
//! In: proposals that are left, and the others. Out: those of the others that would leave half a move behind, or a text
//! at no path, if they were written without the former. A proposal that removes lines stays where most of these lines
//! come only with what is left: they come with nothing that is written. A line that comes with both is kept by either.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::folder_moves::FolderMoves;
use super::{is_most, telling};
use crate::edit::diff::line::LineKind;
use crate::edit::intent::Operation;
use crate::id::{ChangesetId, ProposalId};
use crate::stage::proposal::{HunkRecord, Proposal};
use crate::text::Slice;

/// What a proposal does to names and lines.
pub(super) struct Deed<'a> {
    pub id: ProposalId,
    pub changeset: ChangesetId,
    pub path: &'a str,
    pub to: Option<&'a str>,
    pub operation: Operation,
    /// Lines that the file loses, and those that it gets.
    pub lost: HashSet<&'a [u8]>,
    pub gained: HashSet<&'a [u8]>,
    /// Something that it removes, or that it brings, is no text or is not known line by line.
    pub loses_unseen: bool,
    pub gains_unseen: bool,
}

impl<'a> Deed<'a> {
    pub(super) fn new(proposal: &'a Proposal, to: Option<&'a str>) -> Self {
        Self {
            id: proposal.id,
            changeset: proposal.changeset,
            path: proposal.path.as_str(),
            to,
            operation: proposal.card.operation,
            lost: HashSet::new(),
            gained: HashSet::new(),
            loses_unseen: false,
            gains_unseen: false,
        }
    }

    /// Adds that it replaces one text by another.
    pub(super) fn replace(&mut self, old: &'a [u8], new: &'a [u8]) {
        self.loses_unseen |= is_binary(old);
        self.gains_unseen |= is_binary(new);
        self.lost.extend(telling(old));
        self.gained.extend(telling(new));
    }

    /// Adds a hunk in conflict: what stands aside, or the lines that are shown.
    pub(super) fn replace_shown(&mut self, record: &'a HunkRecord) {
        if let Some(aside) = &record.aside {
            aside
                .replacements()
                .for_each(|(old, new)| self.replace(old, new));
            return;
        }
        // Its lines are permission bits.
        if self.operation == Operation::Permissions {
            return;
        }
        if record.sizes_only {
            self.loses_unseen |= record.removed > 0;
            self.gains_unseen |= record.added > 0;
            return;
        }
        for line in &record.lines {
            let lines = telling(line.text.as_bytes());
            match line.kind {
                LineKind::Removed => self.lost.extend(lines),
                LineKind::Added => self.gained.extend(lines),
                LineKind::Context => {}
            }
        }
    }

    /// Takes out the lines that stay.
    pub(super) fn done(mut self) -> Self {
        let stay: Vec<&[u8]> = self.lost.intersection(&self.gained).copied().collect();
        for line in stay {
            self.lost.remove(line);
            self.gained.remove(line);
        }
        self
    }

    /// Returns whether this would leave half a move behind if it were written and `held` were not.
    fn belongs_to(&self, held: &Deed<'_>, folders: &FolderMoves<'_>) -> bool {
        // A file is as well moved with the permission bits that it has.
        if held.operation == Operation::Permissions {
            return false;
        }
        self.shares_a_name(held)
            || self.may_be_in(held)
            || folders.joins(self, held)
            || self.changeset == held.changeset && self.comes_of(held)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path).chain(self.to)
    }

    /// A move ends where another begins, or where a file is changed.
    fn shares_a_name(&self, other: &Deed<'_>) -> bool {
        let is_move = self.to.is_some() || other.to.is_some();
        is_move
            && self
                .names()
                .any(|name| other.names().any(|own| own == name))
    }

    /// It is a new file with the text that another one loses.
    pub(super) fn comes_of(&self, held: &Deed<'_>) -> bool {
        let found = self.gained.intersection(&held.lost).count();
        self.operation == Operation::Create && is_most(found, self.gained.len())
    }

    /// Returns how many names at the ends of two paths are the same.
    pub(super) fn same_names(&self, other: &Deed<'_>) -> usize {
        let names = self.path.rsplit('/').zip(other.path.rsplit('/'));
        names.take_while(|(own, other)| own == other).count()
    }

    /// What it removes may be in a file of which no lines are known: it removes what is no text, or a whole file. A
    /// later program may have moved what is no text once more.
    fn may_be_in(&self, held: &Deed<'_>) -> bool {
        let may_hold = held.gains_unseen && held.operation != Operation::Delete;
        let removes_file = self.operation == Operation::Delete && !self.lost.is_empty();
        may_hold && (self.loses_unseen || removes_file && self.changeset == held.changeset)
    }
}

fn is_binary(text: &[u8]) -> bool {
    text.contains(&0) || std::str::from_utf8(text).is_err()
}

/// Returns the proposals that stay with those that are held, each with the reason.
pub(super) fn held_with(
    held: Vec<Deed<'_>>,
    mut others: Vec<Deed<'_>>,
) -> BTreeMap<ProposalId, String> {
    let mut together = BTreeMap::new();
    let folders = FolderMoves::of(held.iter().chain(&others));
    let (mut held, mut known) = (held, 0);
    // What stays with a proposal may hold up others in turn.
    while held.len() > known {
        let mut found = keeps_text(&held, &others);
        let newest = held.slice(known..);
        for other in &others {
            let with = newest.iter().find(|held| other.belongs_to(held, &folders));
            if let Some(with) = with {
                found
                    .entry(other.id)
                    .or_insert_with(|| with.path.to_owned());
            }
        }
        known = held.len();
        let (with, rest): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|other| found.contains_key(&other.id));
        held.extend(with);
        others = rest;
        let told = found.into_iter();
        together.extend(told.map(|(id, path)| (id, format!("moved together with {path}"))));
    }
    together
}

/// Returns the proposals whose text comes only with what is denied, each with the path where; and the deletions of what
/// is no text beside what is none.
pub(super) fn keeps_text_of(
    denied: &[Deed<'_>],
    others: Vec<Deed<'_>>,
) -> BTreeMap<ProposalId, String> {
    let mut found = keeps_text(denied, &others);
    for other in others
        .iter()
        .filter(|other| other.operation == Operation::Delete && other.loses_unseen)
    {
        let with = denied.iter().find(|denied| other.may_be_in(denied));
        if let Some(with) = with {
            found
                .entry(other.id)
                .or_insert_with(|| with.path.to_owned());
        }
    }
    found
}

fn keeps_text(held: &[Deed<'_>], others: &[Deed<'_>]) -> BTreeMap<ProposalId, String> {
    let lines = held
        .iter()
        .flat_map(|own| own.gained.iter().map(|line| (*line, own.path)));
    let holders: HashMap<&[u8], &str> = lines.collect();
    let written: HashSet<&[u8]> = others
        .iter()
        .flat_map(|other| other.gained.iter().copied())
        .collect();
    let each = others.iter().filter_map(|other| {
        let lost = other.lost.iter().filter(|line| !written.contains(*line));
        let mut found = lost.filter_map(|line| holders.get(line)).peekable();
        let path = (**found.peek()?).to_owned();
        is_most(found.count(), other.lost.len()).then_some((other.id, path))
    });
    each.collect()
}
