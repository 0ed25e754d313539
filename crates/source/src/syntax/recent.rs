//! A least-recently-used map, bounded by the weight of its values.
//!
//! In: a key, and a value with its weight. Out: the value, when it is asked for again. The weights
//! together stay under a bound, or there is one value alone; what was used longest ago is dropped
//! first.

use std::sync::{Mutex, PoisonError};

/// Entries beyond this many are dropped, however light: a lookup compares with each.
const MAX_ENTRIES: usize = 256;

/// Values by key, bounded by weight.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    room: usize,
    most: usize,
    kept: Mutex<Vec<Entry<K, V>>>,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    weight: usize,
}

impl<K: PartialEq, V: Clone> Recent<K, V> {
    /// Returns an empty map for values that weigh at most `room` together, or one of at most `most`.
    pub(super) const fn new(room: usize, most: usize) -> Self {
        Self {
            room,
            most,
            kept: Mutex::new(Vec::new()),
        }
    }

    /// Returns the value of `key`, which is then the last to go.
    pub(super) fn get(&self, key: &K) -> Option<V> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().rposition(|entry| entry.key == *key)?;
        let entry = kept.remove(at);
        let value = entry.value.clone();
        kept.push(entry);
        Some(value)
    }

    /// Keeps a value, unless it is heavier than one may be.
    pub(super) fn put(&self, key: K, value: V, weight: usize) {
        if weight > self.most {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.key != key);
        // Values are dropped after the lock.
        let _dropped = self.surplus(&mut kept, weight);
        kept.push(Entry { key, value, weight });
        drop(kept);
    }

    /// Lets go of values until there is room for one more.
    pub(super) fn make_room(&self, weight: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let _dropped = self.surplus(&mut kept, weight);
        drop(kept);
    }

    /// Takes out what must go for one more.
    fn surplus(&self, kept: &mut Vec<Entry<K, V>>, weight: usize) -> Vec<Entry<K, V>> {
        let mut taken = weight + kept.iter().map(|entry| entry.weight).sum::<usize>();
        let mut surplus = (kept.len() + 1).saturating_sub(MAX_ENTRIES);
        let mut gone = 0;
        for entry in kept.iter() {
            if taken <= self.room && surplus == 0 {
                break;
            }
            taken -= entry.weight;
            surplus = surplus.saturating_sub(1);
            gone += 1;
        }
        kept.drain(..gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_longest_ago_goes_first() {
        let recent: Recent<u32, &str> = Recent::new(10, 10);
        recent.put(1, "a", 4);
        recent.put(2, "b", 4);
        assert_eq!(recent.get(&1), Some("a"));
        recent.put(3, "c", 4);
        assert_eq!(
            (recent.get(&1), recent.get(&2), recent.get(&3)),
            (Some("a"), None, Some("c"))
        );
        recent.put(4, "too heavy", 11);
        assert_eq!(recent.get(&4), None);
        recent.put(1, "again", 10);
        assert_eq!((recent.get(&1), recent.get(&3)), (Some("again"), None));
    }

    #[test]
    fn one_may_be_heavier_if_it_is_alone() {
        let recent: Recent<u32, &str> = Recent::new(10, 20);
        recent.put(1, "a", 4);
        recent.put(2, "alone", 20);
        assert_eq!((recent.get(&1), recent.get(&2)), (None, Some("alone")));
        recent.put(3, "too heavy", 21);
        assert_eq!((recent.get(&2), recent.get(&3)), (Some("alone"), None));
        recent.put(4, "b", 4);
        assert_eq!((recent.get(&2), recent.get(&4)), (None, Some("b")));
    }

    #[test]
    fn room_is_made_before_a_large_tree_is_parsed() {
        let recent: Recent<u32, &str> = Recent::new(10, 10);
        recent.put(1, "a", 4);
        recent.put(2, "b", 4);
        recent.make_room(5);
        assert_eq!((recent.get(&1), recent.get(&2)), (None, Some("b")));
        recent.make_room(100);
        assert_eq!(recent.get(&2), None);
    }

    #[test]
    fn light_values_are_bounded_by_number() {
        let recent: Recent<usize, usize> = Recent::new(10, 10);
        (0..1000).for_each(|key| recent.put(key, key, 0));
        let left: Vec<usize> = (0..1000).filter_map(|key| recent.get(&key)).collect();
        assert_eq!(left, (1000 - MAX_ENTRIES..1000).collect::<Vec<_>>());
    }
}
