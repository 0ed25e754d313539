//! Merging of what several interfaces keep in one file.
//!
//! In: what this process read or wrote last, what it has now, and what the file has. Out: the file with what this process
//! changed, entry by entry; the rest is another's, and stays.
//!
//! ```text
//! read  1: approve               here  1: approve  2: deny       file  1: edited
//! kept  1: edited  2: deny
//! ```

use std::collections::HashMap;
use std::hash::Hash;

/// What is merged: as it was read or written last, as it is here, and as it is in the file.
#[derive(Debug)]
pub(super) struct Versions<'a, T: ?Sized> {
    pub(super) before: &'a T,
    pub(super) now: &'a T,
    pub(super) file: &'a T,
}

impl<'a, T: ?Sized> Versions<'a, T> {
    /// Returns the same part of each.
    pub(super) fn part<U: ?Sized>(&self, part: impl Fn(&'a T) -> &'a U) -> Versions<'a, U> {
        Versions {
            before: part(self.before),
            now: part(self.now),
            file: part(self.file),
        }
    }
}

impl<T: Clone> Versions<'_, [T]> {
    /// Returns the entries of the file, but those of this process for each key whose value it changed.
    pub(super) fn merged<K: Eq + Hash, V: PartialEq>(
        self,
        key: impl Fn(&T) -> K,
        value: impl Fn(&T) -> V,
    ) -> Vec<T> {
        let mut changes: HashMap<K, (Vec<V>, Vec<V>)> = HashMap::new();
        for own in self.before {
            changes.entry(key(own)).or_default().0.push(value(own));
        }
        for own in self.now {
            changes.entry(key(own)).or_default().1.push(value(own));
        }
        changes.retain(|_, (before, now)| before != now);
        let theirs = self.file.iter();
        let theirs = theirs.filter(|own| !changes.contains_key(&key(own)));
        let ours = self.now.iter();
        let ours = ours.filter(|own| changes.contains_key(&key(own)));
        theirs.chain(ours).cloned().collect()
    }
}
