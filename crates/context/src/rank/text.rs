//! BM25 over chunks, whole files, paths and the names of definitions.
//!
//! In: an index and a query. Out: [`Found`]: a scaled score of each file by each of these.

use super::{Scores, Weights, scale};
use crate::index::{FileId, Hit, Index};
use crate::query::{Query, Term, is_weak_word};
use crate::words::{self, Field, Key};

/// A request of one or two words is about what has them, if they are not everywhere: in no more than
/// this share of the files.
const RARE_SHARE: f32 = 0.25;
/// A word that no more files have is rare, however small the workspace is.
const RARE_FILES: f32 = 3.0;

/// A request of so few words is short: a path or a definition has to have one of them.
const SHORT: usize = 2;

/// What the texts and paths of files have of a query.
pub(super) struct Found {
    /// Of each file, the score of its best chunk.
    pub(super) chunks: Scores,
    /// Of each file, the score of the whole.
    pub(super) files: Scores,
    /// Of each file, the score of its path.
    pub(super) paths: Scores,
    /// Of each file, the score of the names that it defines.
    pub(super) definitions: Scores,
    /// Of each term, the files that have it in their text, and how often.
    pub(super) by_term: Vec<Vec<(FileId, u32)>>,
    /// Of each term, the files that have it in their path.
    by_path: Vec<Vec<FileId>>,
    /// Of each term, how much a mention weighs.
    pub(super) weights: Vec<f32>,
    /// Whether a path has a word of the query, or a definition is called so.
    names_something: bool,
    /// The number of files.
    count: f32,
}

/// Searches the texts and paths of all files.
pub(super) fn search(index: &Index, query: &Query, weights: &Weights) -> Found {
    let (lengths, mean) = index.lengths();
    let chunk_mean = mean * index.file_slots() as f32 / index.chunk_slots().max(1) as f32;
    let count = index.len() as f32;
    let mut chunks = vec![0.0_f32; index.chunk_slots()];
    let mut files = vec![0.0_f32; index.file_slots()];
    let mut owners = vec![FileId(0); index.chunk_slots()];
    let mut found = Found {
        chunks: vec![0.0; index.file_slots()],
        files: Vec::new(),
        paths: vec![0.0; index.file_slots()],
        definitions: vec![0.0; index.file_slots()],
        by_term: Vec::new(),
        by_path: Vec::new(),
        weights: Vec::new(),
        names_something: false,
        count,
    };
    for term in query.terms.iter().chain(&query.pairs) {
        let hits = index.hits(Key::new(Field::Text, &term.stem));
        let by_file = by_file(&hits);
        let usual = 1.0 / (1.0 + weights.usual * index.share_of_messages(&term.stem));
        let weight = term.weight * usual * idf(by_file.len() as f32, count);
        for hit in &hits {
            let length = hit.chunk_terms as f32 / chunk_mean.max(1.0);
            add(
                &mut chunks,
                hit.chunk,
                weight * saturated(f32::from(hit.count), length, weights),
            );
            if let Some(owner) = owners.get_mut(hit.chunk as usize) {
                *owner = hit.file;
            }
        }
        for (file, mentions) in &by_file {
            let length = lengths.get(file.0 as usize).copied().unwrap_or_default() as f32 / mean;
            add(
                &mut files,
                file.0,
                weight * saturated(*mentions as f32, length, weights),
            );
        }
        found.by_term.push(by_file);
        found.weights.push(weight);
        let scope = if query.scope.contains(&term.stem) {
            weights.scope
        } else {
            1.0
        };
        found.search_path(index, term.weight * scope, term, weights);
    }
    for (chunk, owner) in chunks.iter().zip(&owners) {
        if let Some(best) = found.chunks.get_mut(owner.0 as usize) {
            *best = best.max(*chunk);
        }
    }
    found.files = files;
    found.search_definitions(index, query);
    [
        &mut found.chunks,
        &mut found.files,
        &mut found.paths,
        &mut found.definitions,
    ]
    .into_iter()
    .for_each(scale);
    found
}

impl Found {
    /// Adds the files whose paths have a term.
    fn search_path(&mut self, index: &Index, weight: f32, term: &Term, weights: &Weights) {
        let hits = index.hits(Key::new(Field::Path, &term.stem));
        let whole = words::whole(&term.word.replace(' ', ""));
        self.names_something |= !is_weak_word(&term.word)
            && (!hits.is_empty()
                || !index
                    .files_with(Key::new(Field::Definition, &whole))
                    .is_empty());
        let rarity = weight * idf(hits.len() as f32, self.count);
        self.by_path.push(hits.iter().map(|hit| hit.file).collect());
        for hit in hits {
            // A word of the file's name counts more than one of a folder.
            let value = if hit.count > 1 { 1.0 } else { weights.folder };
            add(&mut self.paths, hit.file.0, rarity * value);
        }
        let named = index.files_with(Key::new(Field::Stem, &whole));
        let rarity = weight * idf(named.len() as f32, self.count);
        for file in named {
            add(&mut self.paths, file.0, rarity * weights.stem);
        }
    }

    /// Adds the files that define what the request names as code, or as two words. Plain words name
    /// too many small things to tell anything.
    fn search_definitions(&mut self, index: &Index, query: &Query) {
        let mut names: Vec<String> = query
            .identifiers
            .iter()
            .map(|name| words::whole(name))
            .collect();
        names.extend(query.pairs.iter().map(|pair| pair.stem.clone()));
        names.sort_unstable();
        names.dedup();
        for name in names {
            let files = index.files_with(Key::new(Field::Definition, &name));
            let weight = idf(files.len() as f32, self.count);
            for file in files {
                add(&mut self.definitions, file.0, weight);
            }
        }
    }

    /// Returns whether the workspace has what the request is about: one file holds a good share of its
    /// words, where those that the workspace has not count as the rarest; or, for a request of few words,
    /// one that is rare.
    pub(super) fn is_telling(&self, query: &Query, weights: &Weights) -> bool {
        let unknown = idf(0.0, self.count);
        let known = query.terms.iter().zip(&self.weights).zip(&self.by_term);
        let total: f32 = known
            .map(|((term, weight), files)| {
                if files.is_empty() {
                    term.weight * unknown
                } else {
                    *weight
                }
            })
            .sum();
        let most = self.most_held();
        let rare = (self.count * RARE_SHARE).max(RARE_FILES);
        // Words of change tell nothing alone; neighbouring words that are one word somewhere do.
        let telling = query
            .terms
            .iter()
            .map(|term| !is_weak_word(&term.word))
            .chain(std::iter::repeat(true));
        let has_rare = self
            .by_term
            .iter()
            .zip(telling)
            .any(|(files, tells)| tells && !files.is_empty() && files.len() as f32 <= rare);
        let share = if total > 0.0 { most / total } else { 0.0 };
        let is_named = query.words > SHORT || self.names_something;
        has_rare && is_named && share >= weights.least_share
    }

    /// Returns the most weight of terms that one file holds, in its text or its path.
    fn most_held(&self) -> f32 {
        let mut held = vec![0.0_f32; self.files.len()];
        for ((files, named), weight) in self.by_term.iter().zip(&self.by_path).zip(&self.weights) {
            let in_text = files.iter().map(|(file, _)| *file);
            let in_path = named
                .iter()
                .copied()
                .filter(|file| files.binary_search_by_key(file, |(file, _)| *file).is_err());
            in_text
                .chain(in_path)
                .for_each(|file| add(&mut held, file.0, *weight));
        }
        held.into_iter().fold(0.0, f32::max)
    }
}

/// Returns the weight of a term that `files` of `count` files have.
fn idf(files: f32, count: f32) -> f32 {
    (1.0 + (count - files + 0.5).max(0.0) / (files + 0.5)).ln()
}

/// Returns BM25's value of `mentions` in a text whose length is given as a multiple of the mean.
fn saturated(mentions: f32, length: f32, weights: &Weights) -> f32 {
    let norm = weights.k1 * (1.0 - weights.b + weights.b * length);
    mentions * (weights.k1 + 1.0) / (mentions + norm)
}

/// Returns the files of hits, each with all its mentions.
fn by_file(hits: &[Hit]) -> Vec<(FileId, u32)> {
    let runs = hits.chunk_by(|a, b| a.file == b.file);
    let sums = runs.filter_map(|run| {
        let mentions = run.iter().map(|hit| u32::from(hit.count)).sum();
        Some((run.first()?.file, mentions))
    });
    sums.collect()
}

fn add(scores: &mut [f32], at: u32, value: f32) {
    if let Some(score) = scores.get_mut(at as usize) {
        *score += value;
    }
}
