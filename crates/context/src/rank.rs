//! Ranking: which files a request is about, and why.
//!
//! In: an index and a request. Out: files with scores and reasons, best first; none where the request
//! names nothing that the workspace has.
//!
//! Several signals are computed for every file, each scaled so that its best file has 1: [`text`],
//! BM25 over chunks, whole files and paths; [`naming`], paths and definitions that the request names;
//! [`past`], commits with such messages, and recency. Their weighted sum is the first ranking.
//! What the user works on counts more, and lends its [`changes`] to a request that names nothing. [`expand`] adds what the first finds
//! bring: tests, files that change with them.
//!
//! **Invariant:** pure. A request that names nothing that the workspace has gets no files.

use crate::index::{FileId, Index};
use crate::query::Query;
use crate::role::Role;

mod changes;
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

/// A request of no more words, stop words apart, is read with the lines that the user changed. Case: `finish` and `began` are in some
/// file of most workspaces.
const FEW_WORDS: usize = 3;

/// What a query was read from where the user's changes were read too.
const CHANGES: &str = "what was changed";

/// Scores by number of file.
type Scores = Vec<f32>;

/// What the user works on.
pub struct Work<'w> {
    /// Files that are modified, the last one first; of a new folder its path with a slash, as git has it.
    pub modified: &'w [String],
    /// Returns what was changed in them, as a diff, if that is known. Only a request that names little asks for it.
    pub diff: &'w dyn Fn() -> Option<String>,
}

/// The files that a request is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The files, best first.
    pub files: Vec<Ranked>,
    /// Lines that the user changed, where the request names nothing and is about these.
    pub changed_lines: Option<String>,
}

/// The signals of all files for a query.
struct Signals {
    query: Query,
    /// What the query was read from, in words.
    asked: &'static str,
    found: text::Found,
    named: naming::Named,
    past: past::Past,
}

impl Signals {
    fn of(index: &Index, (query, asked): (Query, &'static str), weights: &Weights) -> Self {
        Self {
            asked,
            found: text::search(index, &query, weights),
            named: naming::named(index, &query),
            past: past::search(index, &query),
            query,
        }
    }

    /// Returns whether the query has few words, and names no file and nothing as code: they may be in the workspace by chance.
    fn names_little(&self) -> bool {
        let Query {
            words, identifiers, ..
        } = &self.query;
        *words <= FEW_WORDS && identifiers.is_empty() && self.named.is_empty()
    }

    /// Returns whether the workspace has what the query names.
    fn is_about(&self, weights: &Weights) -> bool {
        !self.named.is_empty() || self.found.is_telling(&self.query, weights)
    }
}

/// Returns the files that a request is about, best first, at most `limit`.
pub fn rank(index: &Index, request: &str, weights: &Weights, limit: usize) -> Vec<Ranked> {
    let nothing = Work {
        modified: &[],
        diff: &|| None,
    };
    rank_at_work(index, request, &nothing, weights, limit).files
}

/// Returns the files that a request is about. One that names nothing, as "finish what I began", is about what the user
/// modified, and is read with the lines that they changed.
pub fn rank_at_work(
    index: &Index,
    request: &str,
    work: &Work<'_>,
    weights: &Weights,
    limit: usize,
) -> Ranking {
    let query = Query::parse(request);
    let modified = work.modified.iter().flat_map(|path| index.named_by(path));
    let modified: Vec<FileId> = modified.take(MOST_MODIFIED).collect();
    if query.terms.is_empty() && query.paths.is_empty() {
        return Ranking::default();
    }
    let own = Signals::of(index, (query, "the request"), weights);
    let is_about = own.is_about(weights);
    if !is_about && modified.is_empty() {
        return Ranking::default();
    }
    let reads_changes = !modified.is_empty() && (!is_about || own.names_little());
    let diff = if reads_changes { (work.diff)() } else { None };
    let lines = diff.map(|diff| changes::changed_lines(&diff));
    let lines = lines.filter(|lines| !lines.is_empty());
    let (signals, first) = match &lines {
        Some(lines) => {
            let query = Query::parse(&format!("{request}\n{lines}"));
            let signals = Signals::of(index, (query, CHANGES), weights);
            let mut first = combined(index, &signals, weights);
            if is_about {
                let own = combined(index, &own, weights);
                first
                    .iter_mut()
                    .zip(own)
                    .for_each(|(score, own)| *score += own);
            }
            (signals, first)
        }
        None if is_about => {
            let first = combined(index, &own, weights);
            (own, first)
        }
        None => (own, vec![0.0; index.file_slots()]),
    };
    Ranking {
        files: ranked(index, &signals, (first, &modified), weights, limit),
        changed_lines: lines,
    }
}

/// Returns the best files by a first ranking, by what the user modified, and by what the first finds bring.
fn ranked(
    index: &Index,
    signals: &Signals,
    (mut first, modified): (Scores, &[FileId]),
    weights: &Weights,
    limit: usize,
) -> Vec<Ranked> {
    for (nth, file) in modified.iter().enumerate() {
        if let Some(score) = first.get_mut(file.0 as usize) {
            *score += weights.modified / (1.0 + nth as f32).sqrt();
        }
    }
    let mut expanded = expand::expand(index, &first, &signals.past, weights);
    if signals.asked == CHANGES {
        // What was begun comes first, whatever shares words with it.
        let most = expanded.scores.iter().copied().fold(0.0, f32::max);
        for file in modified {
            if let Some(score) = expanded.scores.get_mut(file.0 as usize) {
                *score += most;
            }
        }
    }
    let order = best(index, &expanded.scores, limit);
    let reasons = reason::Reasons {
        index,
        query: &signals.query,
        asked: signals.asked,
        found: &signals.found,
        named: &signals.named,
        past: &signals.past,
        expanded: &expanded,
        modified,
    };
    let ranked = order.into_iter().map(|file| Ranked {
        path: index.path(file).to_owned(),
        score: score(&expanded.scores, file),
        reasons: reasons.of(file),
    });
    ranked.collect()
}

/// Returns the sum of all signals.
fn combined(index: &Index, signals: &Signals, weights: &Weights) -> Scores {
    let Signals {
        found, named, past, ..
    } = signals;
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
