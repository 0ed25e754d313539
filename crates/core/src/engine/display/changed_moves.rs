//! Changed moves: finds blocks that moved with few words changed, and marks these words on both sides.
//!
//! ```text
//! a.rs  -fn load(path: &str) {     b.rs  +fn load(path: &Path) {     3 lines moved, 1 word changed:
//!       -    read(path)                  +    read(path)             `str` and `Path` are emphasised
//!       -}                               +}
//! ```
//!
//! In: the review list. Out: for each hunk that is one side of such a block its [`ChangedMove`]. Nothing is proved by
//! it: it says where a reader finds the other side, and what to look at.

use std::collections::HashMap;

use crate::edit::diff::line::{DiffLine, LineKind};
use crate::id::HunkId;
use crate::stage::review::{ChangedMove, HunkView, ProposalView};

use super::proved::{block, is_plain_edit, waits};
use crate::stage::proposal::groups::words;

/// Lines that more blocks than this share, such as a closing brace, do not tell which blocks belong together.
const MOST_SHARING: usize = 8;

/// One side of a block.
struct BlockSide<'a> {
    hunk: HunkId,
    path: &'a str,
    line: u32,
    lines: Vec<&'a DiffLine>,
}

/// Gives every waiting hunk the other side of its block, if that moved with changes.
pub(super) fn assign(views: &mut [ProposalView]) {
    let mut moves = changed_moves(views);
    for hunk in views.iter_mut().flat_map(|view| &mut view.hunks) {
        let Some((moved, changed)) = moves.remove(&hunk.id) else {
            continue;
        };
        let own = hunk.lines.iter_mut();
        let of_block =
            own.filter(|line| line.kind != LineKind::Context && !line.text.trim().is_empty());
        of_block
            .zip(changed)
            .for_each(|(line, changed)| line.emphasis = changed);
        hunk.moved = Some(moved);
    }
}

/// The words of each line that changed, as byte ranges.
type ChangedWords = Vec<Vec<(usize, usize)>>;

fn changed_moves(views: &[ProposalView]) -> HashMap<HunkId, (ChangedMove, ChangedWords)> {
    let (gone, come): (Vec<_>, Vec<_>) =
        sides(views).partition(|(kind, _)| *kind == LineKind::Removed);
    let mut by_line: HashMap<(usize, usize, &str), Vec<usize>> = HashMap::new();
    for (at, (_, side)) in come.iter().enumerate() {
        for key in keys(side) {
            by_line.entry(key).or_default().push(at);
        }
    }
    // For each side the fewest words that differ, and whether another block differs in as many.
    let mut best_of_gone = vec![Best::default(); gone.len()];
    let mut best_of_come = vec![Best::default(); come.len()];
    for (from, (_, side)) in gone.iter().enumerate() {
        let shared = keys(side).filter_map(|key| by_line.get(&key));
        let mut candidates: Vec<usize> = shared
            .filter(|sharing| sharing.len() <= MOST_SHARING)
            .flatten()
            .copied()
            .collect();
        // A block shares many lines with another, and is compared with it once.
        candidates.sort_unstable();
        candidates.dedup();
        for to in candidates {
            let words = come
                .get(to)
                .and_then(|(_, other)| words_changed(side, other));
            if let Some(words) = words {
                best_of_gone
                    .get_mut(from)
                    .into_iter()
                    .for_each(|best| best.offer(to, words));
                best_of_come
                    .get_mut(to)
                    .into_iter()
                    .for_each(|best| best.offer(from, words));
            }
        }
    }
    let mut moves = HashMap::new();
    for (from, (_, old)) in gone.iter().enumerate() {
        let to = best_of_gone.get(from).and_then(Best::only);
        let back = to.and_then(|to| best_of_come.get(to)?.only());
        let new = to
            .filter(|_| back == Some(from))
            .and_then(|to| come.get(to));
        if let Some((_, new)) = new {
            moves.extend(both(old, new).into_iter().flatten());
        }
    }
    moves
}

/// The block that differs in the fewest words.
#[derive(Clone, Copy, Default)]
struct Best {
    found: Option<(usize, usize)>,
    is_ambiguous: bool,
}

impl Best {
    fn offer(&mut self, block: usize, words: usize) {
        match self.found {
            Some((_, fewest)) if words > fewest => {}
            Some((_, fewest)) if words == fewest => self.is_ambiguous = true,
            _ => {
                self.found = Some((block, words));
                self.is_ambiguous = false;
            }
        }
    }

    fn only(&self) -> Option<usize> {
        let (block, _) = self.found?;
        (!self.is_ambiguous).then_some(block)
    }
}

/// Returns the blocks that only go, or only come, of hunks of which nothing is proved.
fn sides(views: &[ProposalView]) -> impl Iterator<Item = (LineKind, BlockSide<'_>)> {
    let views = views.iter().filter(|view| is_plain_edit(view));
    let hunks = views.flat_map(|view| view.hunks.iter().map(move |hunk| (view, hunk)));
    let open = hunks.filter(|(_, hunk)| waits(hunk) && hunk.proof.is_none());
    open.filter_map(|(view, hunk)| side(view, hunk))
}

fn side<'a>(view: &'a ProposalView, hunk: &'a HunkView) -> Option<(LineKind, BlockSide<'a>)> {
    let (kind, lines) = block(hunk)?;
    let first = lines.first()?;
    let line = match kind {
        LineKind::Removed => first.old,
        LineKind::Added | LineKind::Context => first.new,
    };
    let side = BlockSide {
        hunk: hunk.id,
        path: &view.path,
        line: line?,
        // Blank lines may be more on one side: a formatter's business.
        lines: lines
            .into_iter()
            .filter(|line| !line.text.trim().is_empty())
            .collect(),
    };
    Some((kind, side))
}

/// Returns what blocks with a line in common share: how many lines they have, and which one reads how.
fn keys<'a>(side: &BlockSide<'a>) -> impl Iterator<Item = (usize, usize, &'a str)> {
    let count = side.lines.len();
    let lines = side.lines.iter().enumerate();
    lines.map(move |(at, line)| (count, at, line.text.trim()))
}

/// Returns how many words differ between two blocks; none if they are not one block with few changes. They are fewer
/// than the lines, so that one line at least is the same, by which the blocks find each other.
fn words_changed(old: &BlockSide<'_>, new: &BlockSide<'_>) -> Option<usize> {
    if old.lines.len() != new.lines.len() {
        return None;
    }
    let mut changed = 0;
    for (old_line, new_line) in old.lines.iter().zip(&new.lines) {
        changed += differing(&old_line.text, &new_line.text)?.len();
        if changed >= old.lines.len() {
            return None;
        }
    }
    Some(changed)
}

/// Where a word is in its line, in bytes.
type WordRange = (usize, usize);

/// Returns the words in which two lines differ, in the old one and in the new one; none if more than words differ.
/// The indentation is left out.
fn differing(old: &str, new: &str) -> Option<Vec<(WordRange, WordRange)>> {
    let (old, new) = (words_at(old), words_at(new));
    if old.len() != new.len() {
        return None;
    }
    let pairs = old.into_iter().zip(new);
    let differ = pairs.filter(|((_, old), (_, new))| old != new);
    let ranges = differ.map(|(old, new)| (range(old), range(new)));
    Some(ranges.collect())
}

fn range((start, word): (usize, &str)) -> WordRange {
    (start, start + word.len())
}

/// Returns the words of a line without its indentation, each with where it begins.
fn words_at(line: &str) -> Vec<(usize, &str)> {
    let text = line.trim();
    let mut at = line.len() - line.trim_start().len();
    let mut placed = Vec::new();
    for word in words(text) {
        placed.push((at, word));
        at += word.len();
    }
    placed
}

/// Returns the move of each side, with the words that changed; none if more than words differ.
fn both(
    old: &BlockSide<'_>,
    new: &BlockSide<'_>,
) -> Option<[(HunkId, (ChangedMove, ChangedWords)); 2]> {
    let (mut of_old, mut of_new): (ChangedWords, ChangedWords) = (Vec::new(), Vec::new());
    for (old, new) in old.lines.iter().zip(&new.lines) {
        let (old, new) = differing(&old.text, &new.text)?.into_iter().unzip();
        of_old.push(old);
        of_new.push(new);
    }
    let words: usize = of_old.iter().map(Vec::len).sum();
    Some([
        (old.hunk, (move_to(words, new), of_old)),
        (new.hunk, (move_to(words, old), of_new)),
    ])
}

fn move_to(words: usize, other: &BlockSide<'_>) -> ChangedMove {
    ChangedMove {
        with: other.hunk,
        path: other.path.to_owned(),
        line: other.line,
        lines: other.lines.len(),
        words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::display::proved::tests::view;

    const GONE: &str = " top\n-fn load(path: &str) {\n-    read(path)\n-}\n-\n below";

    /// Returns the move of each hunk as text, with the emphasised words of its lines.
    fn moves(mut views: Vec<ProposalView>) -> Vec<Option<String>> {
        assign(&mut views);
        let hunks = views.into_iter().flat_map(|view| view.hunks);
        let in_words = |hunk: HunkView| {
            let ChangedMove {
                path,
                line,
                lines,
                words,
                ..
            } = hunk.moved?;
            let emphasised = hunk.lines.iter().flat_map(|line| {
                line.emphasis
                    .iter()
                    .map(|&(start, end)| &line.text[start..end])
            });
            let emphasised: Vec<_> = emphasised.collect();
            Some(format!(
                "{lines} lines, {words} words, {path}:{line} {}",
                emphasised.join(" ")
            ))
        };
        hunks.map(in_words).collect()
    }

    #[test]
    fn a_block_that_moved_with_few_words_changed_tells_where_and_which() {
        let check = |come: &str, expected: Option<[&str; 2]>| {
            let views = vec![view(1, "a.rs", &[GONE]), view(2, "b.rs", &[come])];
            let expected = expected.map(|both| both.map(str::to_owned));
            let expected = match expected {
                Some([old, new]) => [Some(old), Some(new)],
                None => [None, None],
            };
            assert_eq!(moves(views), expected, "{come}");
        };
        check(
            "+\n+fn load(path: &Path) {\n+    read(path)\n+}\n x",
            Some([
                "3 lines, 1 words, b.rs:2 str",
                "3 lines, 1 words, a.rs:2 Path",
            ]),
        );
        check(
            "+fn load(path: &Path) {\n+    open(path)\n+}",
            Some([
                "3 lines, 2 words, b.rs:1 str read",
                "3 lines, 2 words, a.rs:2 Path open",
            ]),
        );
        // In another block the lines are indented by more.
        check(
            "+    fn load(path: &str) {\n+        read(path)\n+    }",
            Some(["3 lines, 0 words, b.rs:1 ", "3 lines, 0 words, a.rs:2 "]),
        );
        for other in [
            // As many words as lines, a line more, a word more, another block.
            "+fn load(name: &Path) {\n+    open(path)\n+}",
            "+fn load(path: &Path) {\n+    read(path)\n+    done()\n+}",
            "+fn load(path: &mut Path) {\n+    read(path)\n+}",
            "+struct Load {\n+    path: String,\n+}",
            "+fn load(path: &Path) {\n-old\n+    read(path)\n+}",
        ] {
            check(other, None);
        }
    }

    #[test]
    fn of_two_blocks_that_fit_as_well_none_is_meant() {
        let come = "+fn load(path: &Path) {\n+    read(path)\n+}";
        let twice = vec![view(1, "a.rs", &[GONE]), view(2, "b.rs", &[come, come])];
        assert_eq!(moves(twice), [None, None, None]);
        let better = "+fn load(path: &str) {\n+    load(path)\n+}\n x";
        let worse = "+fn load(path: &Path) {\n+    load(path)\n+}\n y";
        let views = vec![view(1, "a.rs", &[GONE]), view(2, "b.rs", &[worse, better])];
        assert!(matches!(moves(views).as_slice(), [Some(_), None, Some(_)]));
    }
}
