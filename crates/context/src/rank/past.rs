//! What past commits say: files that such messages touched, files that were changed lately, files
//! that change together.
//!
//! In: history and a query. Out: [`Past`].

use std::collections::HashMap;

use super::{Scores, scale};
use crate::index::{FileId, Index};
use crate::query::Query;
use crate::words::{Field, Key};

/// The commits that fit best, of which the files are taken.
const NEIGHBOURS: usize = 40;
/// Commits until recency has fallen to a third.
const RECENT_COMMITS: f32 = 100.0;
/// BM25's share of length for messages, which are short.
const MESSAGE_B: f32 = 0.5;

/// What past commits say of files.
pub(super) struct Past {
    /// Of each file, how well the messages fit that touched it.
    pub(super) messages: Scores,
    /// Of each file, how lately and often it was changed.
    pub(super) recency: Scores,
    /// Of each file, its best commit by message.
    pub(super) best: HashMap<FileId, usize>,
    /// Of each commit, the newest first, the files that are still there.
    pub(super) commits: Vec<Vec<FileId>>,
}

/// Looks for commits with messages like the request.
pub(super) fn search(index: &Index, query: &Query) -> Past {
    let commits = index.commits();
    let mut messages = vec![0.0; index.file_slots()];
    let mut recency = vec![0.0; index.file_slots()];
    let mut best = HashMap::new();
    for (age, files) in commits.iter().enumerate() {
        let value = (-(age as f32) / RECENT_COMMITS).exp();
        files
            .iter()
            .for_each(|file| add(&mut recency, *file, value));
    }
    recency.iter_mut().for_each(|score| *score = score.ln_1p());
    scale(&mut recency);
    for (similarity, at) in similar(index, query) {
        let files = commits.get(at).map_or(&[][..], Vec::as_slice);
        let share = similarity / (files.len().max(1) as f32).sqrt();
        for file in files {
            best.entry(*file).or_insert(at);
            add(&mut messages, *file, share);
        }
    }
    scale(&mut messages);
    Past {
        messages,
        recency,
        best,
        commits,
    }
}

fn add(scores: &mut Scores, file: FileId, value: f32) {
    if let Some(score) = scores.get_mut(file.0 as usize) {
        *score += value;
    }
}

/// Returns the commits whose messages fit best, the best first.
fn similar(index: &Index, query: &Query) -> Vec<(f32, usize)> {
    let commits = &index.history().commits;
    let count = commits.len() as f32;
    let mut scores = vec![0.0_f32; commits.len()];
    let terms: HashMap<Key, usize> = query
        .terms
        .iter()
        .enumerate()
        .map(|(nth, term)| (Key::new(Field::Text, &term.stem), nth))
        .collect();
    let mut having: Vec<Vec<usize>> = vec![Vec::new(); query.terms.len()];
    for (at, commit) in commits.iter().enumerate() {
        for nth in commit.terms.iter().filter_map(|term| terms.get(term)) {
            having
                .get_mut(*nth)
                .into_iter()
                .for_each(|list| list.push(at));
        }
    }
    let total: usize = commits.iter().map(|commit| commit.terms.len()).sum();
    let mean = (total as f32 / count.max(1.0)).max(1.0);
    for (list, term) in having.iter().zip(&query.terms) {
        let df = list.len() as f32;
        let weight = term.weight * (1.0 + (count - df + 0.5) / (df + 0.5)).ln();
        for at in list {
            let length = commits
                .get(*at)
                .map_or(0.0, |commit| commit.terms.len() as f32)
                / mean;
            if let Some(score) = scores.get_mut(*at) {
                *score += weight / (1.0 - MESSAGE_B + MESSAGE_B * length).max(0.3);
            }
        }
    }
    let mut best: Vec<(f32, usize)> = scores
        .into_iter()
        .enumerate()
        .map(|(at, score)| (score, at))
        .collect();
    best.retain(|(score, _)| *score > 0.0);
    best.sort_by(|(a, a_at), (b, b_at)| b.total_cmp(a).then(a_at.cmp(b_at)));
    best.truncate(NEIGHBOURS);
    best
}
