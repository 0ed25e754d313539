//! Rename detection: which file a recorded file became, by its text.
//!
//! Example: `a.rs` was written here, then moved without signoff and edited. In: its text as it was written, and the files that
//! history does not know.
//!
//! ```text
//! a.rs as written     lib/a.rs            old/a.rs
//! fn one() {          fn one() {          fn one() {
//!     run();              run();          }
//! }                   }
//! fn two() {          fn two() {
//! }                       more();
//!                     }
//! shared bytes        33 of 45            13 of 33
//! ```
//!
//! Out: `lib/a.rs`. Lines are counted wherever they stand, as git does, and the shared ones are compared with the larger of the two
//! texts. Where another file has about as much of the text, neither is certain: one may be a copy.

use std::collections::HashMap;

use crate::disk::workspace::WorkspacePath;
use crate::text::Source;

/// Minimum similarity, in percent, of what a file became: what git asks for.
const MIN_SIMILARITY: usize = 50;

/// Minimum lead over the second best file, in percent. Of 324 files that commits of six repositories moved, 1 is found elsewhere than by
/// git; with a lead of 20 it is 7, as tests of two versions of a library are alike.
const MIN_LEAD: usize = 30;

/// Minimum similarity, in percent, of a file that makes another one uncertain. Of texts whose sizes differ more it is less.
pub const MIN_COMPARED: usize = MIN_SIMILARITY - MIN_LEAD;

/// Minimum size of a text that is looked for, in bytes. Case: `VERSION` in two folders has the same line.
pub const MIN_BYTES: usize = 64;

/// What became of a recorded file that is not at its path any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameOutcome {
    /// No file has its text.
    Gone,
    /// It is this file.
    At(WorkspacePath),
    /// It could be any of these.
    Ambiguous(Vec<WorkspacePath>),
}

/// A file that may be what became of another.
#[derive(Clone, Debug)]
pub struct RenameCandidate {
    /// Where it is.
    pub path: WorkspacePath,
    /// Its text.
    pub text: Source,
}

/// How often a text has each line.
struct LineCounts<'t> {
    counts: HashMap<&'t [u8], usize>,
    bytes: usize,
}

impl<'t> LineCounts<'t> {
    fn of(text: &'t Source) -> Self {
        let mut counts = HashMap::new();
        for line in 0..text.line_count() {
            *counts.entry(text.line_with_ending(line)).or_default() += 1;
        }
        Self {
            counts,
            bytes: text.bytes().len(),
        }
    }

    /// Returns how much of the larger text both have, in percent; 100 only for the same lines.
    fn similarity(&self, other: &Self) -> usize {
        let shared = self.counts.iter().map(|(line, count)| {
            let others = other.counts.get(line).copied().unwrap_or(0);
            line.len() * others.min(*count)
        });
        let shared: usize = shared.sum();
        shared * 100 / self.bytes.max(other.bytes).max(1)
    }
}

/// Finds for each recorded text which of the candidates it became.
pub fn renames(written: &[Source], candidates: &[RenameCandidate]) -> Vec<RenameOutcome> {
    let counted: Vec<LineCounts<'_>> = candidates
        .iter()
        .map(|candidate| LineCounts::of(&candidate.text))
        .collect();
    let mut rivals: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut likely = Vec::with_capacity(written.len());
    for text in written {
        let scored = scored(text, candidates, &counted);
        for (score, at) in &scored {
            rivals.entry(*at).or_default().push(*score);
        }
        likely.push(leading(scored));
    }
    let outcomes = likely.into_iter().map(|likely| {
        let is_contested = |(score, at): &(usize, usize)| {
            let rivals = rivals.get(at).into_iter().flatten();
            rivals.filter(|rival| **rival + MIN_LEAD > *score).count() > 1
        };
        let paths = likely.iter().filter_map(|(_, at)| candidates.get(*at));
        let paths: Vec<WorkspacePath> = paths.map(|own| own.path.clone()).collect();
        match paths.as_slice() {
            [] => RenameOutcome::Gone,
            [only] if !likely.iter().any(is_contested) => RenameOutcome::At(only.clone()),
            _ => RenameOutcome::Ambiguous(paths),
        }
    });
    outcomes.collect()
}

/// Returns the candidates that have something of a text, each with its similarity.
fn scored(
    written: &Source,
    candidates: &[RenameCandidate],
    counted: &[LineCounts<'_>],
) -> Vec<(usize, usize)> {
    let own = LineCounts::of(written);
    let alike = candidates.iter().zip(counted).enumerate();
    let alike = alike.filter(|(_, (candidate, _))| written.is_alike(&candidate.text));
    let scored = alike.map(|(at, (_, counts))| (own.similarity(counts), at));
    scored.filter(|(score, _)| *score > MIN_COMPARED).collect()
}

/// Returns the best candidate, if it is good enough, and all that it does not lead.
fn leading(mut scored: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
    scored.retain(|(score, _)| best >= MIN_SIMILARITY && *score + MIN_LEAD > best);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const TEXT: &str = "fn one() {\n    run();\n}\n\nfn two() {\n    walk();\n}\n\nfn three() {\n    stand();\n}\n";

    fn candidates(texts: &[(&str, &str)]) -> Vec<RenameCandidate> {
        let parsed = texts.iter().map(|(path, text)| RenameCandidate {
            path: WorkspacePath::parse(path, Path::new("/w")).unwrap(),
            text: Source::new(*text),
        });
        parsed.collect()
    }

    fn told(written: &[&str], texts: &[(&str, &str)]) -> Vec<String> {
        let written: Vec<Source> = written.iter().map(|text| Source::new(*text)).collect();
        let outcomes = renames(&written, &candidates(texts)).into_iter();
        let told = outcomes.map(|outcome| match outcome {
            RenameOutcome::Gone => "gone".to_owned(),
            RenameOutcome::At(path) => path.to_string(),
            RenameOutcome::Ambiguous(paths) => {
                let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
                format!("maybe {}", paths.join(" or "))
            }
        });
        told.collect()
    }

    #[test]
    fn a_file_is_followed_where_one_file_alone_has_its_text() {
        let edited = TEXT.replace("walk", "dance");
        let half = &TEXT[..TEXT.len() / 2 - 8];
        let other = "struct A;\nstruct B;\nstruct C;\nstruct D;\nstruct E;\nstruct F;\nstruct G;\n";
        for (texts, expected) in [
            (vec![("b", TEXT)], "b"),
            (vec![("b", &edited)], "b"),
            (vec![("b", other)], "gone"),
            (vec![("b", half)], "gone"),
            (vec![], "gone"),
            (vec![("b", TEXT), ("c", &edited)], "maybe b or c"),
            (vec![("b", TEXT), ("c", half)], "b"),
            (vec![("b", TEXT), ("c", TEXT)], "maybe b or c"),
            (
                vec![("b", &edited), ("c", &edited), ("d", other)],
                "maybe b or c",
            ),
        ] {
            assert_eq!(told(&[TEXT], &texts), [expected], "{texts:?}");
        }
    }

    #[test]
    fn one_file_is_not_what_became_of_two() {
        let edited = TEXT.replace("walk", "dance");
        assert_eq!(told(&[TEXT, TEXT], &[("b", TEXT)]), ["maybe b", "maybe b"]);
        assert_eq!(
            told(&[TEXT, &edited], &[("b", TEXT)]),
            ["maybe b", "maybe b"]
        );
        let half = &TEXT[..TEXT.len() / 2 - 8];
        assert_eq!(told(&[TEXT, half], &[("b", TEXT)]), ["b", "gone"]);
    }
}
