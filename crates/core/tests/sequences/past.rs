//! The model's history: who wrote what, and what taking it back comes to.
//!
//! In: entries. Out: per path the entries of the file that is there, with those of earlier files
//! of that name below, and the outcome of a revert.

use std::collections::{BTreeMap, BTreeSet};

use signoff_core::id::ChangesetId;
use signoff_core::stage::review::EntryStatus;

use crate::body::{Body, Change, Name};
use crate::step::To;

/// One entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) version: u64,
    pub(crate) time: u64,
    pub(crate) kind: Kind,
    pub(crate) before: Option<Body>,
    pub(crate) after: Option<Body>,
    pub(crate) moved: Option<(Name, Name)>,
    /// What the user did between the entry before and this one.
    pub(crate) drift: Change,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Applied(ChangesetId),
    Revert(Vec<u64>),
}

/// The entries of each path, the newest file of that name last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past(BTreeMap<Name, Vec<Vec<Entry>>>);

/// What taking entries back comes to.
#[derive(Debug)]
pub(crate) enum Reversal {
    Done {
        after: Option<Body>,
        to: Option<Name>,
        versions: Vec<u64>,
    },
    Nothing,
    Conflict,
}

impl Entry {
    /// How often the file came more than it went.
    fn came(&self) -> i32 {
        i32::from(self.after.is_some()) - i32::from(self.before.is_some())
    }

    fn change(&self) -> Change {
        Change::between(self.before.as_ref(), self.after.as_ref())
    }
}

impl Past {
    pub(crate) fn of(&self, name: Name) -> &[Entry] {
        let top = self.0.get(name).and_then(|shelves| shelves.last());
        top.map_or(&[], Vec::as_slice)
    }

    /// Returns what the file had when it was last written, unless it never was.
    pub(crate) fn written(&self, name: Name) -> Option<Option<&Body>> {
        self.of(name).last().map(|entry| entry.after.as_ref())
    }

    pub(crate) fn names(&self) -> Vec<Name> {
        let with = self.0.iter();
        with.filter(|(_, shelves)| !shelves.is_empty())
            .map(|(name, _)| *name)
            .collect()
    }

    pub(crate) fn next(&self, name: Name) -> u64 {
        self.of(name).last().map_or(1, |entry| entry.version + 1)
    }

    pub(crate) fn push(&mut self, name: Name, entry: Entry) {
        let shelves = self.0.entry(name).or_default();
        match shelves.last_mut() {
            Some(top) => top.push(entry),
            None => shelves.push(vec![entry]),
        }
    }

    pub(crate) fn follow(&mut self, from: Name, to: Name) {
        let own = self.0.entry(from).or_default().pop().unwrap_or_default();
        self.0.entry(to).or_default().push(own);
    }

    /// Returns the path of the file that was last moved away from this one.
    pub(crate) fn moved_from(&self, name: Name) -> Option<Name> {
        let each = self.names().into_iter();
        let entries = each.flat_map(|at| self.of(at).iter().map(move |entry| (at, entry)));
        let gone = entries.filter(|(_, entry)| entry.moved.is_some_and(|(from, _)| from == name));
        let newest = gone.max_by_key(|(_, entry)| (entry.time, entry.version));
        newest.map(|(at, _)| at)
    }

    pub(crate) fn in_effect(&self, name: Name) -> BTreeSet<u64> {
        let entries = self.of(name);
        let mut effective: BTreeSet<u64> = entries.iter().map(|entry| entry.version).collect();
        for entry in entries.iter().rev() {
            if let (Kind::Revert(taken), true) = (&entry.kind, effective.contains(&entry.version)) {
                effective.retain(|version| !taken.contains(version));
            }
        }
        effective
    }

    /// Returns the versions and how they stand, oldest first.
    pub(crate) fn statuses(&self, name: Name) -> Vec<(u64, EntryStatus)> {
        let effective = self.in_effect(name);
        let word = |entry: &Entry| match (&entry.kind, effective.contains(&entry.version)) {
            (_, false) => EntryStatus::Reverted,
            (Kind::Applied(_), true) => EntryStatus::Applied,
            (Kind::Revert(_), true) => EntryStatus::Revert,
        };
        let each = self.of(name).iter();
        each.map(|entry| (entry.version, word(entry))).collect()
    }

    /// Returns the versions of a changeset that are in effect.
    pub(crate) fn of_set(&self, name: Name, set: ChangesetId) -> Vec<u64> {
        let effective = self.in_effect(name);
        let of_it = |entry: &&Entry| {
            matches!(entry.kind, Kind::Applied(own) if own == set)
                && effective.contains(&entry.version)
        };
        let entries = self.of(name).iter().filter(of_it);
        entries.map(|entry| entry.version).collect()
    }

    /// Returns the versions that are meant, or none.
    pub(crate) fn meant(&self, name: Name, to: To) -> Vec<u64> {
        let (entries, effective) = (self.of(name), self.in_effect(name));
        let newest = |fits: &dyn Fn(&Entry) -> bool| -> Vec<u64> {
            let found = entries
                .iter()
                .rfind(|entry| effective.contains(&entry.version) && fits(entry));
            found.into_iter().map(|entry| entry.version).collect()
        };
        let is_revert = |version: &u64| {
            let own = entries.iter().find(|entry| entry.version == *version);
            own.is_some_and(|entry| matches!(entry.kind, Kind::Revert(_)))
        };
        match to {
            To::Last => newest(&|entry| matches!(entry.kind, Kind::Applied(_))),
            To::Redo => newest(&|entry| match &entry.kind {
                Kind::Revert(taken) => !taken.iter().all(is_revert),
                Kind::Applied(_) => false,
            }),
            To::Only(version) => newest(&|entry| entry.version == version),
            To::Version(version) => {
                let known = entries.last().is_some_and(|last| version <= last.version);
                let later = entries
                    .iter()
                    .filter(|entry| known && entry.version > version);
                later.map(|entry| entry.version).collect()
            }
        }
    }

    /// Works out what taking these versions back comes to; `now` is the file on disk.
    pub(crate) fn reversal(&self, name: Name, versions: &[u64], now: Option<&Body>) -> Reversal {
        let entries = self.of(name);
        if self
            .written(name)
            .is_some_and(|last| last.is_some() != now.is_some())
        {
            return Reversal::Conflict;
        }
        let is_taken = |entry: &Entry| versions.contains(&entry.version);
        let Some(first) = entries.iter().position(is_taken) else {
            return Reversal::Nothing;
        };
        let (mut taken, mut kept) = (Change::default(), Change::default());
        let (mut came, mut pinned): (Vec<i32>, i32) = (Vec::new(), 0);
        let mut moved = false;
        let passes = |taken: &Change, kept: &Change, came: &[i32], pinned: i32, moved: bool| {
            let still = kept.places().is_empty() && pinned == 0;
            (still || came.is_empty())
                && (pinned == 0 || !moved)
                && taken.places().is_disjoint(&kept.places())
        };
        for (at, entry) in entries.iter().enumerate().skip(first) {
            if at > first {
                kept.then(&entry.drift);
            }
            if is_taken(entry) {
                if !passes(&taken, &std::mem::take(&mut kept), &came, pinned, moved) {
                    return Reversal::Conflict;
                }
                taken.then(&entry.change());
                moved |= entry.moved.is_some();
                came.extend(Some(entry.came()).filter(|came| *came != 0));
            } else {
                kept.then(&entry.change());
                pinned += entry.came();
            }
        }
        let last = self.written(name).flatten();
        kept.then(&Change::between(last, now));
        if !passes(&taken, &kept, &came, pinned, moved) {
            return Reversal::Conflict;
        }
        let Some(to) = self.way_back(name, versions) else {
            return Reversal::Conflict;
        };
        let newest_first = entries.iter().rev().filter(|entry| is_taken(entry));
        let versions: Vec<u64> = newest_first.map(|entry| entry.version).collect();
        let comes_or_goes = came.first() == came.last() && !came.is_empty();
        let after = taken.undo(now);
        let same = taken.places().is_empty() && !comes_or_goes && to.is_none();
        if same || (now.is_none() && after.is_none()) {
            return Reversal::Nothing;
        }
        Reversal::Done {
            after,
            to,
            versions,
        }
    }

    /// Returns where the file goes when these versions are taken back; the outer none is for a
    /// later move in the way.
    fn way_back(&self, name: Name, versions: &[u64]) -> Option<Option<Name>> {
        let mut at = name;
        let newest_first = self.of(name).iter().rev();
        for entry in newest_first.filter(|entry| versions.contains(&entry.version)) {
            if let Some((from, to)) = entry.moved {
                if to != at {
                    return None;
                }
                at = from;
            }
        }
        Some(Some(at).filter(|at| *at != name))
    }
}
