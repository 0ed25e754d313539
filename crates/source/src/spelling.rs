//! Nearest names of a mistyped word.
//!
//! In: a word and names. Out: the names that it may have been meant as: `aprove` is near `approve`, `fix` near nothing.

/// From this length on, two letters may be wrong; below it, one.
const LONG: usize = 5;

/// The beginning of a name counts from this length on.
const SHORTEST_BEGINNING: usize = 3;

/// Returns the names that a word is nearest to, if it is near enough to any.
pub fn nearest<'n, T>(word: &str, names: impl Iterator<Item = (&'n str, T)>) -> Vec<(&'n str, T)> {
    let typed = word.to_lowercase();
    let mut near: Vec<(usize, (&str, T))> = names
        .filter_map(|named| Some((distance(&typed, named.0)?, named)))
        .collect();
    let least = near.iter().map(|(distance, _)| *distance).min();
    near.retain(|(distance, _)| Some(*distance) == least);
    near.into_iter().map(|(_, named)| named).collect()
}

/// Returns the question which word was meant, to stand behind it; nothing if none is near.
pub fn did_you_mean<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> String {
    match nearest(word, names.map(|name| (name, ()))).first() {
        Some((name, ())) => format!(" (did you mean `{name}`?)"),
        None => String::new(),
    }
}

/// Returns how many letters of a word are wrong; nothing if these are too many for a slip.
fn distance(typed: &str, name: &str) -> Option<usize> {
    let wrong = strsim::osa_distance(typed, name);
    let short = typed.chars().count().min(name.len());
    let most = if short < LONG { 1 } else { 2 };
    let begins = short >= SHORTEST_BEGINNING && name.starts_with(typed);
    (wrong <= most || begins).then_some(wrong)
}
