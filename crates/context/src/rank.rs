//! Ranking: which files a request is about, and why.
//!
//! In: an index and a request. Out: files with scores and reasons, best first; none where the request
//! names nothing that the workspace has.
//!
//! Several signals are computed for every file, each scaled so that its best file has 1: [`text`],
//! BM25 over chunks, whole files and paths; [`naming`], paths and definitions that the request names;
//! [`past`], commits with such messages, and recency. Their weighted sum is the first ranking.
//! What the user works on counts more. [`expand`] adds what the first finds bring: tests, files that change with them.
//!
//! **Invariant:** pure. A request that names nothing that the workspace has gets no files.

use crate::index::{FileId, Index};
use crate::query::Query;
use crate::role::Role;

mod expand;
mod naming;
mod past;
mod reason;
mod text;
mod weights;

pub use weights::Weights;

/// A file that a request is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Where it is, relative to the workspace.
    pub path: String,
    /// How well it fits; 1 is about what the best file by its text alone has.
    pub score: f32,
    /// Why, the best reason first.
    pub reasons: Vec<String>,
}

/// Modified files that count; who has modified more did not do it by hand.
const MOST_MODIFIED: usize = 8;

/// Scores by number of file.
type Scores = Vec<f32>;

/// Returns the files that a request is about, best first, at most `limit`.
pub fn rank(index: &Index, request: &str, weights: &Weights, limit: usize) -> Vec<Ranked> {
    rank_at_work(index, request, &[], weights, limit)
}

/// Returns the files that a request is about, where the user has `modified` files, the last one first. A request that
/// names nothing, as "finish what I began", is about these.
pub fn rank_at_work(
    index: &Index,
    request: &str,
    modified: &[String],
    weights: &Weights,
    limit: usize,
) -> Vec<Ranked> {
    let query = Query::parse(request);
    let modified = modified.iter().filter_map(|path| index.find(path));
    let modified: Vec<FileId> = modified.take(MOST_MODIFIED).collect();
    if query.terms.is_empty() && query.paths.is_empty() {
        return Vec::new();
    }
    let found = text::search(index, &query, weights);
    let named = naming::named(index, &query);
    let past = past::search(index, &query);
    let is_about = !named.is_empty() || found.is_telling(&query, weights);
    if !is_about && modified.is_empty() {
        return Vec::new();
    }
    let mut first = if is_about {
        combined(index, &found, &named, &past, weights)
    } else {
        vec![0.0; index.file_slots()]
    };
    for (nth, file) in modified.iter().enumerate() {
        if let Some(score) = first.get_mut(file.0 as usize) {
            *score += weights.modified / (1.0 + nth as f32).sqrt();
        }
    }
    let expanded = expand::expand(index, &first, &past, weights);
    let order = best(index, &expanded.scores, limit);
    let reasons = reason::Reasons {
        index,
        query: &query,
        found: &found,
        named: &named,
        past: &past,
        expanded: &expanded,
        modified: &modified,
    };
    let ranked = order.into_iter().map(|file| Ranked {
        path: index.path(file).to_owned(),
        score: score(&expanded.scores, file),
        reasons: reasons.of(file),
    });
    ranked.collect()
}

/// Returns the sum of all signals.
fn combined(
    index: &Index,
    found: &text::Found,
    named: &naming::Named,
    past: &past::Past,
    weights: &Weights,
) -> Scores {
    let mut scores = vec![0.0; index.file_slots()];
    let signals = [
        (&found.chunks, weights.chunks),
        (&found.files, weights.files),
        (&found.paths, weights.paths),
        (&found.definitions, weights.definitions),
        (&past.messages, weights.messages),
    ];
    for (signal, weight) in signals {
        for (score, value) in scores.iter_mut().zip(signal) {
            *score += weight * value;
        }
    }
    for (file, strength) in named.files() {
        if let Some(score) = scores.get_mut(file.0 as usize) {
            *score += weights.named * strength;
        }
    }
    for (number, score) in scores.iter_mut().enumerate() {
        if *score > 0.0 {
            let file = FileId(u32::try_from(number).unwrap_or(u32::MAX));
            *score += weights.recency * past.recency.get(number).copied().unwrap_or_default();
            // What is named by its path is meant, whatever it is for.
            if !named.has(file) {
                *score *= weights.role(index.role(file));
            }
        }
    }
    scores
}

/// Returns the files with the highest scores, best first.
fn best(index: &Index, scores: &Scores, limit: usize) -> Vec<FileId> {
    let files = (0_u32..).zip(scores).filter(|(_, score)| **score > 0.0);
    let mut files: Vec<(FileId, f32)> = files.map(|(file, score)| (FileId(file), *score)).collect();
    if files.len() > limit && limit > 0 {
        files.select_nth_unstable_by(limit - 1, |(a_file, a), (b_file, b)| {
            b.total_cmp(a).then(a_file.cmp(b_file))
        });
    }
    files.truncate(limit);
    files.sort_by(|(a_file, a), (b_file, b)| {
        b.total_cmp(a)
            .then_with(|| index.path(*a_file).cmp(index.path(*b_file)))
    });
    files.into_iter().map(|(file, _)| file).collect()
}

fn score(scores: &Scores, file: FileId) -> f32 {
    scores.get(file.0 as usize).copied().unwrap_or_default()
}

/// Scales scores so that the highest is 1.
fn scale(scores: &mut Scores) {
    let most = scores.iter().copied().fold(0.0_f32, f32::max);
    if most > 0.0 {
        scores.iter_mut().for_each(|score| *score /= most);
    }
}

impl Weights {
    /// Returns the factor of a role.
    fn role(&self, role: Role) -> f32 {
        match role {
            Role::Source => 1.0,
            Role::Test => self.test,
            Role::Prose => self.prose,
            Role::Data => self.data,
            Role::Generated => self.generated,
        }
    }
}

#[cfg(test)]
mod tests;
