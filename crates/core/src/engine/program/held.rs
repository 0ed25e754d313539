//! Held: what is not written without a look, because what it removes may be where nothing is staged.
//!
//! In: what a program left and is not staged, and the files that it changed. Out: which of these are refused or held,
//! and why. After `mv a.txt k.o; echo more >> k.o`, where `k.o` is ignored, `a.txt` is only a deletion as far as the
//! rest is concerned: who approves all of that would find its text in no file.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::steps::Difference;
use crate::engine::held_together::{is_most, telling};
use crate::text::{Fingerprint, Source};

/// A name under which a program left something that is not staged.
pub(super) struct Unstaged {
    pub path: String,
    /// What it holds, where that is known.
    pub text: Option<Source>,
    /// Programs write there all the time, as in a build: it holds nothing that is not seen in it.
    pub is_ignored: bool,
}

impl Unstaged {
    /// Returns whether it may hold a file that is gone, as its lines or those of the file are not known.
    fn may_hold(&self, own: &Loser<'_>) -> bool {
        let is_text = self.text.as_ref().is_some_and(|text| text.text().is_ok());
        !self.is_ignored && own.is_gone && (!is_text || own.has_no_lines())
    }
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
        let above = std::iter::once(path).chain(folders(path));
        let mut above = above.filter_map(|name| self.names.get(name).copied());
        let place = above.next().or(self.below.get(path).copied())?;
        Some(format!(
            "it is deleted: what the program left at {place}, which cannot be staged, takes its place"
        ))
    }
}

/// A file that loses its text: it is removed, or is another text by more than half of its lines.
struct Loser<'a> {
    index: usize,
    before: &'a Source,
    is_gone: bool,
    /// The lines that it loses.
    lines: HashSet<&'a [u8]>,
}

impl<'a> Loser<'a> {
    fn of((index, own): (usize, &'a Difference)) -> Option<Self> {
        let before = own
            .before
            .as_ref()
            .filter(|before| !before.bytes().is_empty())?;
        let (mut lines, after) = (lines(before), own.after.as_ref().map(lines));
        let all = lines.len();
        lines.retain(|line| after.as_ref().is_none_or(|after| !after.contains(line)));
        let is_gone = own.after.is_none();
        (is_gone || own.before != own.after && is_most(lines.len(), all)).then_some(Self {
            index,
            before,
            is_gone,
            lines,
        })
    }

    fn has_no_lines(&self) -> bool {
        self.lines.is_empty() || self.before.text().is_err()
    }
}

/// Notes on files that lose their text that it may be in something that is not staged.
pub(super) fn hold(differences: &mut [Difference], unstaged: &[Unstaged]) {
    if unstaged.is_empty() {
        return;
    }
    let losers = differences.iter().enumerate().filter_map(Loser::of);
    let losers: Vec<Loser<'_>> = losers.collect();
    let staged = differences.iter().filter(|own| own.since.is_nothing());
    let staged: Vec<&Source> = staged.filter_map(|own| own.after.as_ref()).collect();
    let texts: HashSet<Fingerprint> = staged.iter().map(|text| text.fingerprint()).collect();
    let staged: HashSet<&[u8]> = staged.iter().flat_map(|text| lines(text)).collect();
    let found = by_lines(&losers, &staged, unstaged);
    let mut held: Vec<(usize, String)> = Vec::new();
    for own in losers {
        let is_elsewhere = texts.contains(&own.before.fingerprint());
        let is_same =
            |other: &&Unstaged| own.has_no_lines() && other.text.as_ref() == Some(own.before);
        let holder = unstaged.iter().find(is_same);
        let holder = holder.map(|holder| holder.path.as_str());
        let holder = holder.or(found.get(&own.index).copied());
        let unseen = unstaged.iter().find(|other| other.may_hold(&own));
        let why = match (holder, unseen) {
            _ if is_elsewhere => continue,
            (Some(path), _) => format!("what it removes is in {path}, which is not staged"),
            (None, Some(Unstaged { path, .. })) => {
                format!("what it removes may be in {path}, which is not staged")
            }
            (None, None) => continue,
        };
        held.push((own.index, why));
    }
    for (index, why) in held {
        if let Some(own) = differences.get_mut(index) {
            own.held = Some(why);
        }
    }
}

/// Returns for files, by index, what is not staged and has most of the lines that they lose, as far as those are not
/// staged elsewhere.
fn by_lines<'a>(
    losers: &[Loser<'_>],
    staged: &HashSet<&[u8]>,
    unstaged: &'a [Unstaged],
) -> BTreeMap<usize, &'a str> {
    let mut wanted: HashMap<&[u8], Vec<&Loser<'_>>> = HashMap::new();
    for own in losers {
        for line in own.lines.iter().filter(|line| !staged.contains(*line)) {
            wanted.entry(line).or_default().push(own);
        }
    }
    let mut found = BTreeMap::new();
    for own in unstaged {
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for line in own.text.iter().flat_map(lines) {
            for loser in wanted.get(line).into_iter().flatten() {
                counts
                    .entry(loser.index)
                    .or_insert((0, loser.lines.len()))
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
