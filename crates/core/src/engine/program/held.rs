//! Held: what must not go because its content may be where it cannot be staged.
//!
//! In: what a program left and cannot be staged, and the files that it removed. Out: which of these are to
//! stay, and why. A program that moves a file to where it cannot be staged has removed it as far as the rest is
//! concerned: who approves the rest would lose it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::compare::Since;
use super::steps::Difference;
use crate::text::{Fingerprint, Source};

/// A name under which a program left something that is not staged.
pub(super) struct Holder<'a> {
    pub path: &'a str,
    /// What it holds, where that is known.
    pub text: Option<&'a Source>,
}

/// Names under which a program left something that is not staged.
pub(super) struct Holders<'a> {
    holders: &'a [Holder<'a>],
    /// One of which nothing is known, or that is no text.
    any: Option<&'a str>,
    /// Whose a line is.
    lines: HashMap<&'a [u8], &'a str>,
    names: HashSet<&'a str>,
    /// What exists below a name.
    below: BTreeMap<&'a str, &'a str>,
}

impl<'a> Holders<'a> {
    pub(super) fn of(holders: &'a [Holder<'a>]) -> Self {
        let unread = |own: &&Holder<'_>| own.text.is_none_or(|text| text.text().is_err());
        let texts = holders.iter().filter_map(|own| Some((own.path, own.text?)));
        let lines = texts.flat_map(|(path, text)| telling(text).map(move |line| (line, path)));
        let below = holders
            .iter()
            .flat_map(|own| folders(own.path).map(|folder| (folder, own.path)));
        Self {
            any: holders.iter().find(unread).map(|own| own.path),
            lines: lines.collect(),
            names: holders.iter().map(|own| own.path).collect(),
            below: below.collect(),
            holders,
        }
    }

    /// Returns why a file that a program removed is to stay, if it is.
    pub(super) fn why_kept(&self, path: &str, text: &Source, is_elsewhere: bool) -> Option<String> {
        if let Some(place) = self.in_place(path) {
            return Some(format!(
                "it is deleted: what the program left at {place}, which cannot be staged, takes its place"
            ));
        }
        let holder = self.holder(text).filter(|_| !is_elsewhere)?;
        Some(format!(
            "it is deleted: what the program left at {holder}, which cannot be staged, may hold it"
        ))
    }

    /// Returns what exists in the place of a file, of its folder, or below its name.
    fn in_place(&self, path: &str) -> Option<&'a str> {
        let above = std::iter::once(path).chain(folders(path));
        let above = above.filter_map(|name| self.names.get(name).copied());
        above.chain(self.below.get(path).copied()).next()
    }

    /// Returns what may hold a text.
    fn holder(&self, text: &Source) -> Option<&'a str> {
        if text.bytes().is_empty() {
            return None;
        }
        let first = || self.holders.first().map(|own| own.path);
        if self.any.is_some() {
            return self.any;
        }
        let mut lines = telling(text).peekable();
        if text.text().is_err() || lines.peek().is_none() {
            return first();
        }
        lines.find_map(|line| self.lines.get(line).copied())
    }
}

/// Makes conflicts of files that are removed and whose text is in what clashes: it would be nowhere.
pub(super) fn hold_back(differences: &mut [Difference]) {
    let clashing = differences.iter().filter(|own| match &own.since {
        Since::Nothing => false,
        Since::Merged(merge) => !merge.clashing.is_empty(),
        Since::Clashes { .. } => true,
    });
    let texts =
        clashing.filter_map(|own| Some((own.after.as_ref()?.fingerprint(), own.path.clone())));
    let texts: HashMap<Fingerprint, _> = texts.collect();
    if texts.is_empty() {
        return;
    }
    let elsewhere = staged_texts(differences);
    let gone = differences.iter_mut();
    for own in gone.filter(|own| own.after.is_none() && own.since.is_nothing()) {
        let text = own.before.as_ref().map(Source::fingerprint);
        let text = text.filter(|text| !elsewhere.contains(text));
        if let Some(path) = text.and_then(|text| texts.get(&text)) {
            own.since = Since::clashes(&format!("what it held is in {path}, which is in conflict"));
        }
    }
}

/// Returns the texts that a program left and that are staged.
pub(super) fn staged_texts(differences: &[Difference]) -> HashSet<Fingerprint> {
    let staged = differences.iter().filter(|own| own.since.is_nothing());
    let texts = staged.filter_map(|own| own.after.as_ref());
    texts.map(Source::fingerprint).collect()
}

/// Returns the folders that a path is in, the innermost first.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'))
        .map(|(folder, _)| folder)
}

/// Returns the lines that say something.
fn telling(text: &Source) -> impl Iterator<Item = &[u8]> {
    let lines = (0..text.line_count()).map(|line| text.line(line));
    lines.filter(|line| {
        line.iter()
            .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    })
}
