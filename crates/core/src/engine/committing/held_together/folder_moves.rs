//! Moves of folders that proposals are parts of.
//!
//! In: what proposals do to names and lines. Out: which of them move the same folder, and so are written together or not
//! at all. Of `cp -a d e && rm -r d && echo more >>e/a.txt`, where the text of `a.txt` is not the same any more:
//!
//! | proposal | part of the move of `d` to `e`, as |
//! |---|---|
//! | move `d/b.txt` to `e/b.txt` | a move of a file that keeps its name |
//! | delete `d/a.txt`, create `e/a.txt` | a file that goes and one of the same name that has most of its lines |
//! | delete `d/c.txt` | something below `d` |

use std::collections::{HashMap, HashSet};

use super::deed::Deed;
use super::is_most;
use crate::edit::intent::Operation;
use crate::id::{ChangesetId, ProposalId};

/// For each part of the move of a folder, by which moves it is one.
pub(super) struct FolderMoves<'a> {
    parts: HashMap<ProposalId, HashSet<(&'a str, &'a str)>>,
}

impl<'a> FolderMoves<'a> {
    /// Returns the moves of folders that these proposals make.
    pub(super) fn of<'d>(deeds: impl Iterator<Item = &'d Deed<'a>> + Clone) -> Self
    where
        'a: 'd,
    {
        let mut moved: HashSet<(ChangesetId, &'a str, &'a str)> = HashSet::new();
        let mut created: HashMap<(ChangesetId, &'a str), Vec<&Deed<'a>>> = HashMap::new();
        for own in deeds.clone() {
            if let Some((from, to)) = own.to.and_then(|to| folders(own.path, to)) {
                moved.insert((own.changeset, from, to));
            }
            if own.operation == Operation::Create {
                let key = (own.changeset, name(own.path));
                created.entry(key).or_default().push(own);
            }
        }
        for own in deeds
            .clone()
            .filter(|own| own.operation == Operation::Delete)
        {
            let others = created.get(&(own.changeset, name(own.path)));
            let likeliest = others
                .into_iter()
                .flatten()
                .max_by_key(|other| own.same_names(other));
            let to = likeliest.filter(|other| is_moved(own, other));
            if let Some((from, to)) = to.and_then(|other| folders(own.path, other.path)) {
                moved.insert((own.changeset, from, to));
            }
        }
        let mut by_folder: HashMap<(ChangesetId, &str), Vec<(&'a str, &'a str)>> = HashMap::new();
        for (changeset, from, to) in moved {
            for folder in [from, to].into_iter().filter(|folder| !folder.is_empty()) {
                by_folder
                    .entry((changeset, folder))
                    .or_default()
                    .push((from, to));
            }
        }
        // What changes a file that stays where it is can be decided on alone.
        let parts = deeds
            .filter(|deed| deed.operation != Operation::Modify)
            .map(|part| {
                let moves = |name: &'a str| {
                    let moves =
                        above(name).filter_map(|folder| by_folder.get(&(part.changeset, folder)));
                    moves.flatten().copied()
                };
                let moves = match part.to {
                    // A file that goes elsewhere, or comes from there, is no part of it.
                    Some(to) => moves(part.path)
                        .filter(|(from, into)| is_below(part.path, from) && is_below(to, into))
                        .chain(folders(part.path, to))
                        .collect(),
                    None => moves(part.path).collect(),
                };
                (part.id, moves)
            });
        Self {
            parts: parts.collect(),
        }
    }

    /// Returns whether two proposals are parts of the same move.
    pub(super) fn joins(&self, own: &Deed<'_>, other: &Deed<'_>) -> bool {
        let [own_moves, other_moves] = [own, other].map(|deed| self.parts.get(&deed.id));
        own.changeset == other.changeset
            && own_moves
                .zip(other_moves)
                .is_some_and(|(own, other)| !own.is_disjoint(other))
    }
}

/// Returns whether a file that goes is one that comes under the same name: most of its lines are there, or it has none.
fn is_moved(gone: &Deed<'_>, come: &Deed<'_>) -> bool {
    let found = gone.lost.intersection(&come.gained).count();
    gone.lost.is_empty() || is_most(found, gone.lost.len())
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the folders that a path is in, the innermost first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rfind('/'), move |end| path.get(..*end)?.rfind('/'))
        .filter_map(|end| path.get(..end))
}

/// Returns the folders that a move goes from and to, if the file keeps its name: of `a/x/f` to `b/x/f`, `a` and `b`.
fn folders<'a>(from: &'a str, to: &'a str) -> Option<(&'a str, &'a str)> {
    let (mut from, mut to) = (from, to);
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
