//! Held: what is not written without a look, because what it removes may be where nothing is staged.
//!
//! In: what a program left and is not staged, and the files that it changed. Out: which of these are refused or held,
//! and why. After `mv a.txt k.o; echo more >> k.o`, where `k.o` is ignored, `a.txt` is only a deletion as far as the
//! rest is concerned: who approves all of that would find its text in no file.

pub(super) mod origins;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::merge::Difference;
use crate::disk::workspace::WorkspacePath;
use crate::engine::committing::held_together::{is_most, telling};
use crate::text::{Fingerprint, Source};
use origins::{StagedFile, origins};

/// A name under which a program left something that is not staged.
pub(super) struct Unstaged {
    pub path: String,
    /// What it holds, where that is known.
    pub text: Option<Source>,
    /// Programs write there all the time, as in a build: it holds nothing that is not seen in it.
    pub is_ignored: bool,
}

/// The names of what a program left and is not staged.
pub(super) struct Places<'a> {
    names: HashSet<&'a str>,
    /// What exists below a name.
    below: BTreeMap<&'a str, &'a str>,
}

impl<'a> Places<'a> {
    pub(super) fn of(unstaged: &'a [Unstaged]) -> Self {
        let names = || unstaged.iter().map(|own| own.path.as_str());
        let below = names().flat_map(|name| folders(name).map(move |folder| (folder, name)));
        Self {
            names: names().collect(),
            below: below.collect(),
        }
    }

    /// Returns why a file that a program removed is refused, if it is: something that is not staged is in the place of
    /// it, of its folder, or below its name.
    pub(super) fn why_refused(&self, own: &Difference) -> Option<String> {
        if own.before.is_none() || own.after.is_some() {
            return None;
        }
        let path = own.path.as_str();
        let mut above = std::iter::once(path)
            .chain(folders(path))
            .filter_map(|name| self.names.get(name).copied());
        let place = above.next().or(self.below.get(path).copied())?;
        Some(format!(
            "it is deleted: what the program left at {place}, which cannot be staged, takes its place"
        ))
    }
}

/// A text that a file loses: the file is removed, or is another text by more than half of its lines.
struct LostText<'a> {
    before: &'a Source,
    /// The lines that it loses.
    lines: HashSet<&'a [u8]>,
}

impl<'a> LostText<'a> {
    fn of(before: &'a Source, after: Option<&'a Source>) -> Option<Self> {
        if before.bytes().is_empty() || after == Some(before) {
            return None;
        }
        let mut lines = lines(before);
        let all = lines.len();
        let kept = after.map(self::lines).unwrap_or_default();
        lines.retain(|line| !kept.contains(line));
        let own = Self { before, lines };
        let is_lost = after.is_none_or(|after| {
            let is_other = !own.is_text() && !own.is_in(after.bytes());
            is_other || is_most(own.lines.len(), all)
        });
        is_lost.then_some(own)
    }

    /// Returns whether its lines tell where it is.
    fn is_text(&self) -> bool {
        !self.lines.is_empty() && self.before.text().is_ok()
    }

    /// Returns whether bytes begin or end with it. Of what is no text, half of it at both ends is enough, as after
    /// `mv c.png k.o; echo more >> k.o`.
    fn is_in(&self, bytes: &[u8]) -> bool {
        let own = self.before.bytes();
        if self.is_text() {
            return bytes.starts_with(own) || bytes.ends_with(own);
        }
        let same = |(own, other): &(&u8, &u8)| own == other;
        let first = own.iter().zip(bytes).take_while(same).count();
        let last = own.iter().rev().zip(bytes.iter().rev());
        is_most(first + last.take_while(same).count(), own.len())
    }
}

/// A difference that loses a text.
struct Loser<'a> {
    index: usize,
    text: LostText<'a>,
}

impl<'a> Loser<'a> {
    fn of((index, own): (usize, &'a Difference)) -> Option<Self> {
        let text = LostText::of(own.before.as_ref()?, own.after.as_ref())?;
        Some(Self { index, text })
    }

    /// Returns whether most of it is in nothing that the program left to be staged.
    fn is_unstaged(&self, staged: &HashSet<&[u8]>, texts: &HashSet<Fingerprint>) -> bool {
        let own = &self.text;
        let lost = own.lines.iter().filter(|line| !staged.contains(*line));
        let is_staged = !own.lines.is_empty() && !is_most(lost.count(), own.lines.len());
        !is_staged && !texts.contains(&own.before.fingerprint())
    }

    /// Returns why it is held, if it is. `found` is what has most of its lines.
    fn why_held(&self, found: Option<&str>, unstaged: &[Unstaged]) -> Option<String> {
        let holder = unstaged
            .iter()
            .find(|other| {
                let text = other.text.as_ref();
                text.is_some_and(|text| self.text.is_in(text.bytes()))
            })
            .map(|own| own.path.as_str());
        if let Some(path) = found.or(holder) {
            return Some(format!("what it removes is in {path}, which is not staged"));
        }
        // Lines tell nothing if those of either are not known.
        let path = &unstaged
            .iter()
            .find(|other| {
                let is_text = other.text.as_ref().is_some_and(|text| text.text().is_ok());
                !(other.is_ignored || is_text && self.text.is_text())
            })?
            .path;
        Some(format!(
            "what it removes may be in {path}, which is not staged"
        ))
    }
}

/// Notes on files that lose their text that it may be in something that is not staged. Returns which of the files with
/// staged work are held as well, by their paths on disk, and why.
///
/// After `mv b.txt n.txt`, of which nothing is written yet, and then `mv n.txt k.o`, the text of `n.txt` is that of
/// `b.txt` on disk, and the deletion of `b.txt` is held.
pub(super) fn hold(
    differences: &mut [Difference],
    unstaged: &[Unstaged],
    files: &[StagedFile],
) -> BTreeMap<WorkspacePath, String> {
    if unstaged.is_empty() {
        return BTreeMap::new();
    }
    let losers = differences.iter().enumerate().filter_map(Loser::of);
    let mut losers: Vec<Loser<'_>> = losers.collect();
    let staged: Vec<&Source> = differences
        .iter()
        .filter(|difference| difference.since.is_nothing())
        .filter_map(|own| own.after.as_ref())
        .collect();
    let texts: HashSet<Fingerprint> = staged.iter().map(|text| text.fingerprint()).collect();
    let staged: HashSet<&[u8]> = staged.iter().flat_map(|text| lines(text)).collect();
    losers.retain(|loser| loser.is_unstaged(&staged, &texts));
    let found = by_lines(&losers, &staged, unstaged);
    let held = losers.into_iter().filter_map(|loser| {
        let why = loser.why_held(found.get(&loser.index).copied(), unstaged)?;
        Some((loser, why))
    });
    let held: Vec<(Loser<'_>, String)> = held.collect();
    let came_from = origins(&held, &staged, differences, files);
    let held = held.into_iter().map(|(own, why)| (own.index, why));
    for (index, why) in held.collect::<Vec<_>>() {
        if let Some(own) = differences.get_mut(index) {
            own.held = Some(why);
        }
    }
    came_from
}

/// Returns for files, by index, what is not staged and has most of the lines that they lose, as far as those are not
/// staged elsewhere.
fn by_lines<'a>(
    losers: &[Loser<'_>],
    staged: &HashSet<&[u8]>,
    unstaged: &'a [Unstaged],
) -> BTreeMap<usize, &'a str> {
    let mut wanted: HashMap<&[u8], Vec<&Loser<'_>>> = HashMap::new();
    for loser in losers {
        let lines = loser.text.lines.iter();
        for line in lines.filter(|line| !staged.contains(*line)) {
            wanted.entry(line).or_default().push(loser);
        }
    }
    let mut found = BTreeMap::new();
    for own in unstaged {
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for line in own.text.iter().flat_map(lines) {
            for loser in wanted.get(line).into_iter().flatten() {
                counts
                    .entry(loser.index)
                    .or_insert((0, loser.text.lines.len()))
                    .0 += 1;
            }
        }
        let most = counts
            .into_iter()
            .filter(|(_, (count, all))| is_most(*count, *all));
        for (index, _) in most {
            found.entry(index).or_insert(own.path.as_str());
        }
    }
    found
}

/// Returns the folders that a path is in, the innermost first.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'))
        .map(|(folder, _)| folder)
}

/// Returns the lines of a text that say something.
fn lines(text: &Source) -> HashSet<&[u8]> {
    telling(text.bytes()).collect()
}
