//! Held together: what must not be written while a proposal that it belongs to waits.
//!
//! In: proposals, and which of them wait for a look, or are in conflict. Out: those that would leave half a move behind
//! if they were written without them. Of `mv a.txt run.sh`, where `run.sh` is a program:
//!
//! | proposal | alone |
//! |---|---|
//! | modify `run.sh` | waits for a look |
//! | delete `a.txt` | would leave its text at no path: waits as well |
//!
//! A move is known by its names, and by its text where another file was at its target, since it is staged as a file
//! that loses its text and one that gets it.

use std::collections::{BTreeMap, HashSet};

use crate::id::ProposalId;
use crate::intent::Operation;
use crate::review::{LineKind, ProposalView};

/// What a proposal does to names and lines.
struct Deed<'a> {
    view: &'a ProposalView,
    /// Lines that the file loses, and those that it has afterwards as far as its hunks show.
    lost: HashSet<&'a str>,
    gained: HashSet<&'a str>,
    /// True if its hunks show no lines, as of a large or binary file, or of a mode alone.
    is_unseen: bool,
}

/// Returns the proposals that wait with those in `held`, each with the path of the one that it waits with.
pub fn held_together(
    proposals: &[ProposalView],
    held: &HashSet<ProposalId>,
) -> BTreeMap<ProposalId, String> {
    let mut together = BTreeMap::new();
    let (mut newest, mut others): (Vec<Deed<'_>>, Vec<Deed<'_>>) = proposals
        .iter()
        .map(Deed::of)
        .partition(|deed| held.contains(&deed.view.id));
    // What waits with a proposal may hold up others in turn.
    while let Some(first) = newest.pop() {
        let (with, rest) = others.into_iter().partition(|deed| deed.belongs_to(&first));
        others = rest;
        let with: Vec<Deed<'_>> = with;
        let path = first.view.path.clone();
        together.extend(with.iter().map(|deed| (deed.view.id, path.clone())));
        newest.extend(with);
    }
    together
}

impl<'a> Deed<'a> {
    fn of(view: &'a ProposalView) -> Self {
        let hunks = || view.hunks.iter().filter(|hunk| hunk.status.is_open());
        let lines = || hunks().flat_map(|hunk| &hunk.lines);
        let of = |kinds: &[LineKind]| -> HashSet<&'a str> {
            let own = lines().filter(|line| kinds.contains(&line.kind));
            let own = own.map(|line| line.text.trim());
            own.filter(|text| !text.is_empty()).collect()
        };
        Self {
            view,
            lost: of(&[LineKind::Removed]),
            gained: of(&[LineKind::Added, LineKind::Context]),
            is_unseen: lines().next().is_none(),
        }
    }

    /// Returns whether this would leave half a move behind if it were written and `held` were not.
    fn belongs_to(&self, held: &Deed<'_>) -> bool {
        self.shares_a_name(held)
            || self.view.changeset == held.view.changeset
                && (self.moves_folder_of(held) || self.passes_text(held))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.view.path.as_str()).chain(self.view.to.as_deref())
    }

    /// A move ends where another begins, or where a file is changed.
    fn shares_a_name(&self, other: &Deed<'_>) -> bool {
        let is_move = self.view.to.is_some() || other.view.to.is_some();
        is_move
            && self
                .names()
                .any(|name| other.names().any(|own| own == name))
    }

    /// Both are parts of the move of a folder.
    fn moves_folder_of(&self, other: &Deed<'_>) -> bool {
        let Some((from, to)) = folders(self.view) else {
            return false;
        };
        let is_below = |folder: &str| {
            let below = |name: &str| {
                let rest = name.strip_prefix(folder);
                rest.is_some_and(|rest| rest.starts_with('/'))
            };
            !folder.is_empty() && other.names().any(below)
        };
        other.view.operation != Operation::Modify && (is_below(from) || is_below(to))
    }

    /// The text of one of the two is in the other afterwards.
    fn passes_text(&self, held: &Deed<'_>) -> bool {
        let share = |own: &HashSet<&str>, other: &HashSet<&str>| {
            let found = own.intersection(other).count();
            (found, own.len())
        };
        match self.view.operation {
            // Half is enough: a hunk shows few of the lines that were there before.
            Operation::Delete => {
                let (found, all) = share(&self.lost, &held.gained);
                let is_moved = found * 2 >= all && found > 0;
                is_moved || held.is_unseen && held.view.operation != Operation::Delete
            }
            Operation::Create => {
                let (found, all) = share(&self.gained, &held.lost);
                found * 2 >= all && found > 0
            }
            _ => {
                let (found, all) = share(&self.lost, &held.gained);
                found == all && found > 0
            }
        }
    }
}

/// Returns the folders that a move goes from and to, if the file keeps its name: of `a/x/f` to `b/x/f`, `a` and `b`.
fn folders(view: &ProposalView) -> Option<(&str, &str)> {
    let (mut from, mut to) = (view.path.as_str(), view.to.as_deref()?);
    let mut names = 0;
    loop {
        let (above, name) = from.rsplit_once('/').unwrap_or(("", from));
        let (other, own) = to.rsplit_once('/').unwrap_or(("", to));
        if name != own || name.is_empty() {
            return (names > 0).then_some((from, to));
        }
        names += 1;
        (from, to) = (above, other);
    }
}

#[cfg(test)]
mod tests;
