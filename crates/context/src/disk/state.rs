//! The segments on disk, and how they differ from the workspace.
//!
//! In: the folder of the index, and the files of the workspace. Out: [`State`] and [`Changed`].

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::SystemTime;

use super::file::FileBytes;
use super::listing::{Listed, look_at};
use super::{BASE, TAIL, threads};
use crate::codec::{Reader, put_number};
use crate::history::History;
use crate::index::Index;
use crate::segment::Segment;

/// Files whose change changes which files the index has.
const RULES: [&str; 2] = [".gitignore", ".ignore"];
/// Files for which another thread is worth its start.
const WORTH_A_THREAD: usize = 2_000;

/// The segments as they are on disk.
#[derive(Default)]
pub(super) struct State {
    pub(super) base: Option<Segment>,
    pub(super) tail: Option<Segment>,
    /// By file of the base: whether neither the tail has another text of it nor it is gone.
    pub(super) counts: Vec<bool>,
}

/// What differs between the index and the workspace.
pub(super) struct Changed {
    /// New and changed files, by path.
    pub(super) files: Vec<Listed>,
    /// Whether files of the base are changed or gone.
    pub(super) gone: bool,
    /// By file of the tail: whether it is as it was.
    pub(super) tail_counts: Vec<bool>,
}

impl State {
    pub(super) fn load(folder: &Path) -> Self {
        let base = load_segment(folder, BASE);
        let mut counts = vec![true; base.as_ref().map_or(0, Segment::len)];
        let tail = load_segment(folder, TAIL).filter(|tail| {
            base.as_ref()
                .is_some_and(|base| leave_out(tail, base, &mut counts).is_some())
        });
        Self { base, tail, counts }
    }

    pub(super) fn index(self, history: History) -> Index {
        let base = self.base.map(|base| (base, self.counts));
        let tail = self.tail.map(|tail| {
            let counts = vec![true; tail.len()];
            (tail, counts)
        });
        Index::new(base.into_iter().chain(tail).collect(), history)
    }

    /// Returns the ids of base and tail.
    pub(super) fn ids(&self) -> (u64, u64) {
        (segment_id(&self.base), segment_id(&self.tail))
    }

    /// Returns what the tail has beside its index: its base, and the files of the base that do not count.
    pub(super) fn beside(&self) -> Vec<u8> {
        let mut out = self.ids().0.to_le_bytes().to_vec();
        let counts = self.counts.iter().enumerate();
        for (file, _) in counts.filter(|(_, counts)| !**counts) {
            put_number(&mut out, file as u64);
        }
        out
    }

    /// Looks whether the files of the index are as they were; none if one is gone, or if rules changed by
    /// which files are ignored.
    pub(super) fn look(&mut self, root: &Path) -> Option<Changed> {
        let (base, tail) = (self.base.as_ref()?, self.tail.as_ref());
        let in_base =
            (0..base.len()).filter(|file| self.counts.get(*file).copied().unwrap_or_default());
        let in_tail = tail
            .map_or(0..0, |tail| 0..tail.len())
            .filter_map(|file| Some((tail?, file)));
        let all: Vec<(&Segment, usize)> = in_base.map(|file| (base, file)).chain(in_tail).collect();
        let mut files = different(root, &all)?;
        if files.iter().any(|file| is_rule(&file.path)) {
            return None;
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Some(self.without(files))
    }

    /// Looks at these files alone.
    pub(super) fn look_at(&mut self, root: &Path, paths: &[&str]) -> Changed {
        let now = SystemTime::now();
        let mut files: Vec<Listed> = paths
            .iter()
            .filter_map(|path| look_at(root, path, now))
            .collect();
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let mut changed = self.without(files);
        for path in paths {
            self.leave_out(path, &mut changed);
        }
        changed
    }

    /// Lets these files no longer count.
    fn without(&mut self, files: Vec<Listed>) -> Changed {
        let tail = self.tail.as_ref().map_or(0, Segment::len);
        let mut changed = Changed {
            files: Vec::new(),
            gone: false,
            tail_counts: vec![true; tail],
        };
        for file in &files {
            self.leave_out(&file.path, &mut changed);
        }
        changed.files = files;
        changed
    }

    fn leave_out(&mut self, path: &str, changed: &mut Changed) {
        let in_tail = self.tail.as_ref().and_then(|tail| tail.find(path));
        if let Some(counts) = in_tail.and_then(|at| changed.tail_counts.get_mut(at)) {
            *counts = false;
        }
        let in_base = self.base.as_ref().and_then(|base| base.find(path));
        if let Some(counts) = in_base.and_then(|at| self.counts.get_mut(at)) {
            changed.gone |= *counts;
            *counts = false;
        }
    }

    /// Compares the index with the files of the workspace, and lets those of the base that are changed or
    /// gone no longer count.
    pub(super) fn compare(&mut self, listed: &[Listed]) -> Changed {
        let mut tail_counts = vec![false; self.tail.as_ref().map_or(0, Segment::len)];
        let mut base_counts = vec![false; self.counts.len()];
        let mut files = Vec::new();
        for file in listed {
            let in_tail = self
                .tail
                .as_ref()
                .and_then(|tail| Some((tail, tail.find(&file.path)?)));
            let in_base = self
                .base
                .as_ref()
                .and_then(|base| Some((base, base.find(&file.path)?)));
            let is_same = |(segment, at): (&Segment, usize)| {
                segment.stamp(at) == file.stamp && file.stamp != 0
            };
            let base = in_base.filter(|(_, at)| self.counts.get(*at).copied().unwrap_or_default());
            let counts = match (in_tail, base) {
                (Some((tail, at)), _) if is_same((tail, at)) => tail_counts.get_mut(at),
                (None, Some((base, at))) if is_same((base, at)) => base_counts.get_mut(at),
                _ => {
                    files.push(file.clone());
                    None
                }
            };
            counts.into_iter().for_each(|counts| *counts = true);
        }
        let gone = self.counts != base_counts;
        self.counts = base_counts;
        Changed {
            files,
            gone,
            tail_counts,
        }
    }
}

fn load_segment(folder: &Path, name: &str) -> Option<Segment> {
    let bytes = FileBytes::of(File::open(folder.join(name)).ok()?).ok()?;
    Segment::load(Box::new(bytes)).ok()
}

fn segment_id(segment: &Option<Segment>) -> u64 {
    segment.as_ref().map_or(0, Segment::id)
}

/// Returns the files that are not as they were; none if one is gone.
fn different(root: &Path, all: &[(&Segment, usize)]) -> Option<Vec<Listed>> {
    let now = SystemTime::now();
    let threads = threads(all.len().div_ceil(WORTH_A_THREAD));
    let share = all.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = all
            .chunks(share)
            .map(|some| scope.spawn(move || changed_files(root, now, some)))
            .collect();
        let mut different = Vec::new();
        for thread in threads {
            different.extend(thread.join().unwrap_or_default()?);
        }
        Some(different)
    })
}

/// Returns those files that do not stand as they were listed; None if one cannot be looked at.
fn changed_files(root: &Path, now: SystemTime, some: &[(&Segment, usize)]) -> Option<Vec<Listed>> {
    let mut different = Vec::new();
    for (segment, file) in some {
        let found = look_at(root, segment.path(*file), now)?;
        if found.stamp != segment.stamp(*file) || found.stamp == 0 {
            different.push(found);
        }
    }
    Some(different)
}

fn is_rule(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    RULES.contains(&name)
}

/// Reads what [`State::beside`] wrote; none if the tail is another base's.
fn leave_out(tail: &Segment, base: &Segment, counts: &mut [bool]) -> Option<()> {
    let mut reader = Reader(tail.extra());
    if reader.word()? != base.id() {
        return None;
    }
    while !reader.0.is_empty() {
        let file = reader.size()?;
        *counts.get_mut(file)? = false;
    }
    Some(())
}
