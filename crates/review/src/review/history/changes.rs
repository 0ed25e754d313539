//! History by change: the entries of one changeset together, and those of one revert.
//!
//! In: entries, newest first. Out: changes, newest first, each with its entries; and the lines of a list in which some
//! changes are opened into their files.

use std::collections::{HashMap, HashSet};

use signoff_core::id::{ChangesetId, Timestamp};
use signoff_core::stage::review::{EntryStatus, HistoryView};

/// What tells a change from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ChangeKey {
    /// All that was written with a changeset.
    Changeset(ChangesetId),
    /// What was taken back at once.
    Revert(Timestamp),
    /// An entry of which no more is known.
    Alone(String, u64),
}

/// One change: entries that belong together.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) key: ChangeKey,
    /// The indexes of its entries, newest first.
    pub(super) entries: Vec<usize>,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HistoryLine {
    /// A change.
    Change(usize),
    /// A file of the change above: the index of its entry.
    Entry { change: usize, entry: usize },
    /// A hunk that was denied.
    Denied(usize),
}

/// Whether a change is in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeState {
    InEffect,
    Redone,
    PartlyTakenBack,
    TakenBack,
    /// A revert of what is not kept any more.
    Revert,
}

impl ChangeState {
    /// Returns the state in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::InEffect => "",
            Self::Redone => "redone",
            Self::PartlyTakenBack => "partly reverted",
            Self::TakenBack => "reverted",
            Self::Revert => "revert",
        }
    }
}

fn key(entry: &HistoryView) -> ChangeKey {
    match (entry.changeset, entry.status) {
        (Some(changeset), _) => ChangeKey::Changeset(changeset),
        // One that is taken back itself is known by having no changeset and no proposal.
        (None, EntryStatus::Revert | EntryStatus::Reverted) => ChangeKey::Revert(entry.time),
        (None, EntryStatus::Applied | EntryStatus::Ran | EntryStatus::Moved) => {
            ChangeKey::Alone(entry.path.clone(), entry.version)
        }
    }
}

/// Groups entries into changes, in the order of their newest entries; a revert is no change where those that it is about
/// tell of it.
pub(super) fn changes(entries: &[HistoryView]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut known: HashMap<ChangeKey, usize> = HashMap::new();
    let told = entries.iter().enumerate();
    for (index, entry) in told.filter(|(_, entry)| !entry.is_folded) {
        let key = key(entry);
        let at = *known.entry(key.clone()).or_insert_with(|| {
            changes.push(Change {
                key,
                entries: Vec::new(),
            });
            changes.len() - 1
        });
        if let Some(change) = changes.get_mut(at) {
            change.entries.push(index);
        }
    }
    changes
}

/// Returns the lines of the list; changes in `open` are opened.
pub(super) fn lines(changes: &[Change], open: &HashSet<ChangeKey>) -> Vec<HistoryLine> {
    let mut lines = Vec::with_capacity(changes.len());
    for (change, own) in changes.iter().enumerate() {
        lines.push(HistoryLine::Change(change));
        if open.contains(&own.key) {
            let entries = own.entries.iter();
            lines.extend(entries.map(|entry| HistoryLine::Entry {
                change,
                entry: *entry,
            }));
        }
    }
    lines
}

impl Change {
    /// Returns its entries, newest first.
    pub(super) fn of<'e>(
        &self,
        entries: &'e [HistoryView],
    ) -> impl Iterator<Item = &'e HistoryView> {
        self.entries.iter().filter_map(|index| entries.get(*index))
    }

    /// Returns its files, each once, in order.
    pub(super) fn paths<'e>(&self, entries: &'e [HistoryView]) -> Vec<&'e str> {
        let mut paths: Vec<&str> = self.of(entries).map(|entry| entry.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns what it was for: what the user asked for, else the words of its oldest entry that has any.
    pub(super) fn title<'e>(&self, entries: &'e [HistoryView]) -> &'e str {
        let asked = self.of(entries).find_map(|entry| entry.request.as_deref());
        let words = self.of(entries).map(|entry| entry.description.trim());
        let described = words.filter(|words| !words.is_empty()).last();
        asked.or(described).unwrap_or("no description")
    }

    /// Returns whether it is in effect.
    pub(super) fn state(&self, entries: &[HistoryView]) -> ChangeState {
        let mut states = self.of(entries).map(|entry| entry.status);
        let is_back = |status: EntryStatus| status == EntryStatus::Reverted;
        let mut count = (0, 0);
        let is_turned = self.of(entries).any(|entry| entry.turned.is_some());
        for status in states.by_ref() {
            if status == EntryStatus::Revert {
                return ChangeState::Revert;
            }
            count.0 += usize::from(is_back(status));
            count.1 += 1;
        }
        match count {
            (0, _) if is_turned => ChangeState::Redone,
            (0, _) => ChangeState::InEffect,
            (back, all) if back == all => ChangeState::TakenBack,
            _ => ChangeState::PartlyTakenBack,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::review::history) fn entry(
        path: &str,
        changeset: Option<u128>,
        status: EntryStatus,
    ) -> HistoryView {
        HistoryView {
            version: 1,
            time: Timestamp(7),
            path: path.to_owned(),
            description: format!("about {path}"),
            changeset: changeset.map(|id| ChangesetId(uuid::Uuid::from_u128(id))),
            status,
            added: 1,
            ..HistoryView::default()
        }
    }

    #[test]
    fn entries_of_a_changeset_are_one_change_and_so_are_those_of_a_revert() {
        use EntryStatus::{Applied, Revert, Reverted};
        let entries = [
            entry("a", None, Revert),
            entry("b", None, Revert),
            entry("c", Some(2), Applied),
            entry("a", Some(1), Reverted),
            entry("c", Some(1), Applied),
            entry("b", Some(1), Reverted),
        ];
        let changes = changes(&entries);
        let told: Vec<_> = changes
            .iter()
            .map(|change| (change.paths(&entries), change.state(&entries)))
            .collect();
        let expected = [
            (vec!["a", "b"], ChangeState::Revert),
            (vec!["c"], ChangeState::InEffect),
            (vec!["a", "b", "c"], ChangeState::PartlyTakenBack),
        ];
        assert_eq!(told, expected);
        assert_eq!(changes[2].title(&entries), "about b");
        let open = HashSet::from([changes[1].key.clone()]);
        let file = HistoryLine::Entry {
            change: 1,
            entry: 2,
        };
        let change = HistoryLine::Change;
        assert_eq!(
            lines(&changes, &open),
            [change(0), change(1), file, change(2)]
        );
    }
}
