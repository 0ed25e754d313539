//! Expansion: what the first finds bring.
//!
//! In: the first ranking. Out: [`Expanded`]: the scores with what tests and co-change add, and
//! for each file what brought it.

use std::collections::HashMap;

use super::past::Past;
use super::{Scores, Weights, best, score};
use crate::index::{ByFile, FileId, Index};
use crate::role::{Role, subject};
use crate::words::{Field, Key};

/// The first finds that are expanded.
const SEEDS: usize = 8;
/// Files that share a subject; a subject of more files is no pair.
const MOST_PAIRS: usize = 12;
/// Added to the commits of a file, so that a pair of one commit is no certainty.
const COCHANGE_DOUBT: f32 = 2.0;

/// How one file brought another.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bond {
    /// It is the other's test.
    TestOf(FileId),
    /// The other is its test.
    TestedBy(FileId),
    /// They were changed together in this number of commits.
    ChangedWith(FileId, usize),
}

/// The ranking after the expansion.
pub(super) struct Expanded {
    pub(super) scores: Scores,
    /// Of each file that was brought, the strongest bond.
    pub(super) bonds: ByFile<(f32, Bond)>,
}

/// Adds to the scores what the first finds bring.
pub(super) fn expand(index: &Index, first: &Scores, past: &Past, weights: &Weights) -> Expanded {
    let mut brought = Expanded {
        scores: first.clone(),
        bonds: HashMap::new(),
    };
    let seeds = best(index, first, SEEDS);
    for seed in &seeds {
        let strength = score(first, *seed);
        for (file, closeness) in pairs(index, *seed) {
            let bond = if index.role(file) == Role::Test {
                Bond::TestOf(*seed)
            } else {
                Bond::TestedBy(*seed)
            };
            brought.add(file, weights.pairs * strength * closeness, bond);
        }
    }
    for (seed, together, commits) in changed_with(past, &seeds) {
        let strength = score(first, seed);
        for (file, times) in together {
            let share = times as f32 / (commits as f32 + COCHANGE_DOUBT);
            brought.add(
                file,
                weights.cochange * strength * share,
                Bond::ChangedWith(seed, times),
            );
        }
    }
    // Each file has what its strongest bond adds: several bonds often are one.
    for (file, (value, _)) in &brought.bonds {
        if let Some(score) = brought.scores.get_mut(file.0 as usize) {
            *score += value;
        }
    }
    brought
}

impl Expanded {
    fn add(&mut self, file: FileId, value: f32, bond: Bond) {
        let known = self.bonds.get(&file).map_or(0.0, |(value, _)| *value);
        if value > known {
            self.bonds.insert(file, (value, bond));
        }
    }
}

/// Returns the tests of a source file, or what a test is about, each with how close they are.
fn pairs(index: &Index, seed: FileId) -> Vec<(FileId, f32)> {
    let path = index.path(seed);
    let is_test = index.role(seed) == Role::Test;
    let mut files = index.files_with(Key::new(Field::Stem, &subject(path)));
    files.retain(|file| *file != seed && (index.role(*file) == Role::Test) != is_test);
    files.retain(|file| matches!(index.role(*file), Role::Test | Role::Source));
    if files.len() > MOST_PAIRS {
        return Vec::new();
    }
    let most = files
        .iter()
        .map(|file| shared_folders(index, path, file))
        .max()
        .unwrap_or_default();
    files
        .into_iter()
        .map(|file| {
            (
                file,
                1.0 / (1 + most - shared_folders(index, path, &file)) as f32,
            )
        })
        .collect()
}

fn shared_folders(index: &Index, path: &str, file: &FileId) -> usize {
    common_folders(path, index.path(*file))
}

/// Returns how many names of folders two paths have in common.
fn common_folders(a: &str, b: &str) -> usize {
    let b = folders_of(b);
    folders_of(a)
        .iter()
        .filter(|folder| b.contains(folder))
        .count()
}

fn folders_of(path: &str) -> Vec<String> {
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", ""));
    folders.split('/').map(str::to_owned).collect()
}

/// A file, the files that were changed with it and how often, and the number of its commits.
type Together = (FileId, Vec<(FileId, usize)>, usize);

/// Returns the files that were changed with each of the seeds.
fn changed_with(past: &Past, seeds: &[FileId]) -> Vec<Together> {
    let mut counts: Vec<(HashMap<FileId, usize>, usize)> = vec![(HashMap::new(), 0); seeds.len()];
    for files in &past.commits {
        for (seed, (together, commits)) in seeds.iter().zip(&mut counts) {
            if files.contains(seed) {
                *commits += 1;
                for file in files.iter().filter(|file| *file != seed) {
                    *together.entry(*file).or_default() += 1;
                }
            }
        }
    }
    let rows = seeds.iter().zip(counts);
    rows.map(|(seed, (together, commits))| (*seed, together.into_iter().collect(), commits))
        .collect()
}
