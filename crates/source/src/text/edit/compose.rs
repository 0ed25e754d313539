//! Composition of two edit sets.
//!
//! In: a change and one made for the text after it. Out: their composition. Both are read as
//! runs of kept, removed and inserted bytes, as in operational transformation.

use super::{EditSet, Mismatch, Splice};
use crate::text::Slice;

/// Returns `first` followed by `next`, as one change.
pub(super) fn compose(first: &EditSet, next: &EditSet) -> Result<EditSet, Mismatch> {
    let mut left = Runs::new(&first.splices);
    let mut right = Runs::new(&next.splices);
    let mut out = Output::default();
    loop {
        // Splices that merely touch stay apart, so that one which is undone leaves no trace.
        if left.is_between() && right.is_between() {
            out.flush();
        }
        if let Run::Insert(bytes) = right.head() {
            out.insert(bytes);
            right.skip(bytes.len());
            continue;
        }
        if let Run::Remove(bytes) = left.head() {
            out.remove(bytes);
            left.skip(bytes.len());
            continue;
        }
        let length = left.head().len().min(right.head().len());
        match (left.head(), right.head()) {
            (Run::Rest, Run::Rest) => return Ok(out.finish()),
            (Run::Insert(new), Run::Remove(old)) => {
                if new.get(..length) != old.get(..length) {
                    return Err(Mismatch { at: out.at });
                }
            }
            (Run::Insert(new), _) => out.insert(new.slice(..length)),
            (_, Run::Remove(old)) => out.remove(old.slice(..length)),
            _ => out.keep(length),
        }
        left.skip(length);
        right.skip(length);
    }
}

#[derive(Clone, Copy)]
enum Run<'a> {
    Keep(usize),
    Remove(&'a [u8]),
    Insert(&'a [u8]),
    /// Everything after the last splice.
    Rest,
}

impl Run<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Keep(length) => *length,
            Self::Remove(bytes) | Self::Insert(bytes) => bytes.len(),
            Self::Rest => usize::MAX,
        }
    }
}

struct Runs<'a> {
    /// Each with whether it is the first of its splice.
    runs: Vec<(Run<'a>, bool)>,
    next: usize,
    used: usize,
}

impl<'a> Runs<'a> {
    fn new(splices: &'a [Splice]) -> Self {
        let mut runs = Vec::with_capacity(splices.len() * 3);
        let mut done = 0;
        for splice in splices {
            let kept = Run::Keep(splice.at - done);
            let parts = [Run::Remove(&splice.old), Run::Insert(&splice.new)]
                .into_iter()
                .filter(|run| run.len() > 0);
            runs.extend(
                std::iter::once(kept)
                    .filter(|run| run.len() > 0)
                    .map(|run| (run, true)),
            );
            runs.extend(parts.enumerate().map(|(index, run)| (run, index == 0)));
            done = splice.end();
        }
        Self {
            runs,
            next: 0,
            used: 0,
        }
    }

    fn head(&self) -> Run<'a> {
        match self.runs.get(self.next).map(|(run, _)| run) {
            None => Run::Rest,
            Some(Run::Keep(length)) => Run::Keep(length - self.used),
            Some(Run::Remove(bytes)) => Run::Remove(bytes.slice(self.used..)),
            Some(Run::Insert(bytes)) => Run::Insert(bytes.slice(self.used..)),
            Some(Run::Rest) => Run::Rest,
        }
    }

    /// Returns whether no splice is half read.
    fn is_between(&self) -> bool {
        match self.runs.get(self.next) {
            None | Some((Run::Keep(_) | Run::Rest, _)) => true,
            Some((_, first)) => *first && self.used == 0,
        }
    }

    fn skip(&mut self, length: usize) {
        let Some((run, _)) = self.runs.get(self.next) else {
            return;
        };
        self.used += length;
        if self.used >= run.len() {
            self.next += 1;
            self.used = 0;
        }
    }
}

#[derive(Default)]
struct Output {
    splices: Vec<Splice>,
    at: usize,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Output {
    fn keep(&mut self, length: usize) {
        self.flush();
        self.at += length;
    }

    fn remove(&mut self, bytes: &[u8]) {
        self.old.extend_from_slice(bytes);
    }

    fn insert(&mut self, bytes: &[u8]) {
        self.new.extend_from_slice(bytes);
    }

    fn flush(&mut self) {
        let (old, new) = (std::mem::take(&mut self.old), std::mem::take(&mut self.new));
        let at = self.at;
        self.at += old.len();
        if old == new {
            return;
        }
        match self.splices.last_mut() {
            // Two insertions at one point are one.
            Some(last) if last.at == at && last.old.is_empty() && old.is_empty() => {
                last.new.extend_from_slice(&new);
            }
            // What was taken out and put back at the same point is as it was.
            Some(last)
                if last.at == at && last.old.is_empty() && new.is_empty() && last.new == old =>
            {
                self.splices.pop();
            }
            _ => self.splices.push(Splice { at, old, new }),
        }
    }

    fn finish(mut self) -> EditSet {
        self.flush();
        EditSet {
            splices: self.splices,
        }
    }
}
