//! Proofs of what a hunk is: a layout of the same code, one name in the place of another, or a block that moved as it was.
//! Such a hunk is told whole in one line.
//!
//! ```text
//! -    f(a,b)                           the parser of the language makes the same of the file with the hunk and
//! +    f(a, b)                          without it: layout only
//!
//! -    let total = price(total);        both sides are the same otherwise, every use of the definition is renamed, and
//! +    let sum = price(sum);            `sum` means nothing in the file yet: `total` -> `sum`
//!
//! a.rs  -fn load() {..}  3 lines       the only three lines that go, and the only three that come: a whole definition,
//! b.rs  +fn load() {..}  3 lines       which means the same there
//! ```
//!
//! In: the review list, with what is held of it, and the texts that its hunks are made for. Out: for each hunk that waits
//! its [`Proof`], if it has one. Each hunk is proved as it would be written alone. What makes a program run, what is held,
//! noted upon, placed by likeness or in conflict has none: somebody is to read it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::intent::Operation;
use crate::edit::plan::{RenamedFile, proved_places};
use crate::engine::overlay::Overlay;
use crate::id::HunkId;
use crate::stage::proposal::groups::words;
use crate::stage::proposal::layer::Layer;
use crate::stage::proposal::layer_kind::LayerKind;
use crate::stage::review::{HunkStatus, HunkView, Proof, ProposalView};
use crate::syntax::moved_code::{MoveEnd, is_same_definition};
use crate::syntax::same_code::{is_same_code, may_be_same_code};
use crate::syntax::{Language, MAX_PARSE_BYTES, SyntaxCache};
use crate::text::Source;

/// Fewer lines may be the same by chance: a closing brace with a blank line.
const FEWEST_MOVED: usize = 3;

/// Most bytes of text that are compared for one list before the rest stays unproved. A formatter over 1,000 Python files of
/// 12 kB took 2 ms a hunk, 1.5 s for 24 MB, before its review was there; now it takes a third of that. Later lists go on
/// where this one stopped.
const MOST_READ: usize = 8 * 1024 * 1024;

/// What was proved, and what was not, of the texts of the last list.
#[derive(Debug, Default)]
pub(in crate::engine) struct KnownProofs {
    /// Answers by the hash of what was asked.
    known: HashMap<[u8; 32], Vec<bool>>,
    /// Those that this list asked for.
    used: HashMap<[u8; 32], Vec<bool>>,
    /// Bytes that may still be read for this list.
    left: usize,
}

impl KnownProofs {
    /// Returns whether each of `count` things is proved: as it was found before, or by `prove`.
    fn ask(
        &mut self,
        parts: &[&[u8]],
        count: usize,
        prove: impl FnOnce() -> Vec<bool>,
    ) -> Vec<bool> {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&part.len().to_le_bytes());
            hasher.update(part);
        }
        let key = *hasher.finalize().as_bytes();
        let known = self.used.get(&key).or_else(|| self.known.get(&key));
        let answer = match known {
            Some(known) => known.clone(),
            None => {
                let size = parts.iter().map(|part| part.len()).sum();
                let Some(left) = self.left.checked_sub(size) else {
                    return vec![false; count];
                };
                self.left = left;
                prove()
            }
        };
        self.used.insert(key, answer.clone());
        answer
    }
}

/// A proposal of which something may be proved, with the text that it is made for and the one that it makes.
struct StagedText<'a> {
    view: &'a ProposalView,
    path: WorkspacePath,
    language: Language,
    layer: &'a Layer,
    before: Source,
    after: Source,
}

/// Tells every hunk that waits its proof, if there is one.
pub(in crate::engine) fn assign(
    views: &mut [ProposalView],
    overlay: &Overlay,
    cache: &SyntaxCache,
    known: &mut KnownProofs,
) {
    known.left = MOST_READ;
    let mut proofs = HashMap::new();
    let candidates = views.iter().filter(|view| {
        let mut open = view.hunks.iter().filter(|hunk| waits(hunk));
        can_be_proved(view) && open.any(may_be_proved)
    });
    let staged: Vec<StagedText<'_>> = candidates
        .filter_map(|view| StagedText::of(view, overlay))
        .collect();
    renamed(&staged, cache, known, &mut proofs);
    moved(&staged, known, &mut proofs);
    for own in &staged {
        for hunk in own.open_hunks() {
            if may_be_layout(hunk) && own.is_layout(hunk, known) {
                proofs.insert(hunk.id, Proof::Layout);
            }
        }
    }
    known.known = std::mem::take(&mut known.used);
    for hunk in views.iter_mut().flat_map(|view| &mut view.hunks) {
        hunk.proof = proofs.remove(&hunk.id);
    }
}

/// Tells whether something may be proved of a proposal: nothing is said of it that somebody is to read.
fn can_be_proved(view: &ProposalView) -> bool {
    is_plain_edit(view) && view.note.is_none()
}

/// Tells whether a proposal changes lines of a file that nothing runs, at a place that is certain.
pub(super) fn is_plain_edit(view: &ProposalView) -> bool {
    let is_edit = match view.operation {
        Operation::Modify | Operation::Rewrite => true,
        Operation::Create
        | Operation::Delete
        | Operation::Move
        | Operation::Link
        | Operation::Permissions => false,
    };
    is_edit && view.to.is_none() && view.runs.is_none() && view.held.is_none() && !view.is_guess
}

pub(in crate::engine) fn waits(hunk: &HunkView) -> bool {
    hunk.status == HunkStatus::Pending
        && hunk.denied_before.is_none()
        && !hunk.is_told_by_sizes()
        && hunk.lines.iter().any(is_change)
}

/// Tells from a hunk's lines whether something may be proved of it.
fn may_be_proved(hunk: &HunkView) -> bool {
    may_be_layout(hunk) || names(hunk).is_some() || block(hunk).is_some()
}

fn is_change(line: &DiffLine) -> bool {
    line.kind != LineKind::Context
}

fn is_blank(line: &DiffLine) -> bool {
    line.text.trim().is_empty()
}

impl<'a> StagedText<'a> {
    fn of(view: &'a ProposalView, overlay: &'a Overlay) -> Option<Self> {
        let path = WorkspacePath::parse(&view.path, &overlay.root).ok()?;
        let language = Language::of(&path)?;
        let stack = overlay.stage.stacks.get(overlay.key_of(view)?)?;
        let is_own = |layer: &&Layer| layer.proposal() == view.id;
        let mut own = stack.layers.iter().filter(is_own);
        let (layer, None) = (own.next()?, own.next()) else {
            return None;
        };
        if !matches!(layer.kind(), LayerKind::Edit { mode: None }) {
            return None;
        }
        let mut before = stack.base.clone();
        for below in stack.layers.iter().take_while(|below| !is_own(below)) {
            before = below.apply(before.as_ref()).ok()?;
        }
        let before = before?;
        let after = layer.apply(Some(&before)).ok()??;
        let both = is_parsable(&before) && is_parsable(&after) && !before.is_link();
        both.then_some(Self {
            view,
            path,
            language,
            layer,
            before,
            after,
        })
    }

    /// Returns one end of a move, of so many lines from a 1-based one on.
    fn end_of_move(&self, first: u32, count: usize) -> Option<MoveEnd> {
        let first = (first as usize).checked_sub(1)?;
        Some(MoveEnd {
            path: self.path.to_string(),
            before: self.before.text().ok()?.to_owned(),
            after: self.after.text().ok()?.to_owned(),
            lines: first..first + count,
        })
    }

    fn open_hunks(&self) -> impl Iterator<Item = &'a HunkView> {
        self.view.hunks.iter().filter(|hunk| waits(hunk))
    }

    /// Returns the text with some of the hunks alone.
    fn with(&self, keep: impl Fn(u32) -> bool) -> Option<String> {
        let numbers = self.layer.numbers();
        let edits = self
            .layer
            .edits()
            .select(|index| numbers.get(index).is_some_and(|number| keep(*number)));
        let bytes = edits.apply(self.before.bytes()).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Proves that the code is the same with a hunk as without it: alone, and with all others where blanks make blocks.
    fn is_layout(&self, hunk: &HunkView, known: &mut KnownProofs) -> bool {
        let number = hunk.id.number;
        let (Ok(before), Ok(after)) = (self.before.text(), self.after.text()) else {
            return false;
        };
        let (Some(alone), Some(rest)) = (
            self.with(|own| own == number),
            self.with(|own| own != number),
        ) else {
            return false;
        };
        if alone == before {
            return false;
        }
        let language = self.language.name().as_bytes();
        let mut is_same = |before: &str, after: &str| {
            let parts = [
                b"layout".as_slice(),
                language,
                before.as_bytes(),
                after.as_bytes(),
            ];
            let answer = known.ask(&parts, 1, || {
                vec![is_same_code(self.language, before, after)]
            });
            answer == [true]
        };
        // Two hunks may make the same blocks together, each other ones alone.
        let is_alone = rest == before || self.language != Language::Python;
        is_same(before, &alone) && (is_alone || is_same(&rest, after))
    }

    /// Returns where a hunk puts one name in the place of another, in bytes of the text before; none if it does more.
    fn places(&self, hunk: &HunkView, (from, to): (&str, &str)) -> Option<BTreeSet<usize>> {
        let alone = self.with(|own| own == hunk.id.number)?;
        let before = self.before.text().ok()?;
        let (old, new) = (before.split_inclusive('\n'), alone.split_inclusive('\n'));
        if old.clone().count() != new.clone().count() {
            return None;
        }
        let mut places = BTreeSet::new();
        let mut start = 0;
        for (old, new) in old.zip(new) {
            if old != new {
                let (left, right) = (words(old), words(new));
                let mut at = start;
                if left.len() != right.len() {
                    return None;
                }
                for (left, right) in left.into_iter().zip(right) {
                    if left != right {
                        (left == from && right == to).then(|| places.insert(at))?;
                    }
                    at += left.len();
                }
            }
            start += old.len();
        }
        (!places.is_empty()).then_some(places)
    }
}

fn is_parsable(text: &Source) -> bool {
    text.text().is_ok_and(|text| text.len() <= MAX_PARSE_BYTES)
}

/// Returns the lines of one kind as a text.
fn side(hunk: &HunkView, kind: LineKind) -> String {
    let lines = hunk.lines.iter().filter(|line| line.kind == kind);
    lines.flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

fn may_be_layout(hunk: &HunkView) -> bool {
    may_be_same_code(&side(hunk, LineKind::Removed), &side(hunk, LineKind::Added))
}

/// Returns the one word that becomes another, if that is all that a hunk does.
fn names(hunk: &HunkView) -> Option<(&str, &str)> {
    let side = |kind| hunk.lines.iter().filter(move |line| line.kind == kind);
    let (old, new) = (side(LineKind::Removed), side(LineKind::Added));
    if old.clone().count() != new.clone().count() {
        return None;
    }
    let mut rename: Option<(&str, &str)> = None;
    for (old, new) in old.zip(new) {
        let (old, new) = (words(&old.text), words(&new.text));
        if old.len() != new.len() {
            return None;
        }
        for pair in old.into_iter().zip(new).filter(|(old, new)| old != new) {
            if *rename.get_or_insert(pair) != pair {
                return None;
            }
        }
    }
    rename
}

/// Proves which hunks rename definitions, each with all files in which it is renamed.
fn renamed(
    staged: &[StagedText<'_>],
    cache: &SyntaxCache,
    known: &mut KnownProofs,
    proofs: &mut HashMap<HunkId, Proof>,
) {
    type Renaming<'a> = Vec<(&'a StagedText<'a>, HunkId, BTreeSet<usize>)>;
    let mut renamings: BTreeMap<(&str, &str), Renaming<'_>> = BTreeMap::new();
    for own in staged {
        for hunk in own.open_hunks() {
            if let Some(pair) = names(hunk)
                && let Some(places) = own.places(hunk, pair)
            {
                renamings
                    .entry(pair)
                    .or_default()
                    .push((own, hunk.id, places));
            }
        }
    }
    for ((from, to), renaming) in renamings {
        // The hunks of a proposal follow each other.
        let mut files: Vec<RenamedFile<'_>> = Vec::new();
        for (own, _, places) in &renaming {
            match files
                .last_mut()
                .filter(|file| std::ptr::eq(file.before, &raw const own.before))
            {
                Some(file) => file.places.extend(places),
                None => files.push(RenamedFile {
                    path: &own.path,
                    before: &own.before,
                    places: places.clone(),
                }),
            }
        }
        let listed: Vec<String> = files
            .iter()
            .map(|file| format!("{} {:?}", file.path, file.places))
            .collect();
        let mut parts = vec![b"rename".as_slice(), from.as_bytes(), to.as_bytes()];
        for (file, listed) in files.iter().zip(&listed) {
            // The text after is parsed too.
            parts.extend([listed.as_bytes(), file.before.bytes(), file.before.bytes()]);
        }
        let answer = known.ask(&parts, renaming.len(), || {
            let proved = proved_places(cache, (from, to), &files);
            let proved: HashMap<&str, &BTreeSet<usize>> = files
                .iter()
                .zip(&proved)
                .map(|(file, proved)| (file.path.as_str(), proved))
                .collect();
            let is_proved = |own: &StagedText<'_>, places: &BTreeSet<usize>| {
                proved
                    .get(own.path.as_str())
                    .is_some_and(|proved| places.is_subset(proved))
            };
            renaming
                .iter()
                .map(|(own, _, places)| is_proved(own, places))
                .collect()
        });
        for ((_, hunk, _), is_proved) in renaming.iter().zip(answer) {
            if is_proved {
                let (from, to) = (from.to_owned(), to.to_owned());
                proofs.entry(*hunk).or_insert(Proof::Renamed { from, to });
            }
        }
    }
}

/// Proves which hunks only take a definition away, or only put it in, where it does the other nowhere else.
fn moved(staged: &[StagedText<'_>], known: &mut KnownProofs, proofs: &mut HashMap<HunkId, Proof>) {
    type Place<'a> = (&'a StagedText<'a>, &'a HunkView);
    let mut gone: HashMap<Vec<&str>, Vec<Place<'_>>> = HashMap::new();
    let mut come: HashMap<Vec<&str>, Vec<Place<'_>>> = HashMap::new();
    for own in staged {
        for hunk in own.open_hunks() {
            if let Some((kind, lines)) = definition_block(hunk) {
                let side = match kind {
                    LineKind::Removed => &mut gone,
                    LineKind::Added | LineKind::Context => &mut come,
                };
                let texts = lines.into_iter().map(|line| line.text.as_str());
                side.entry(texts.collect()).or_default().push((own, hunk));
            }
        }
    }
    for (lines, gone) in gone {
        let ([(from, old)], Some([(to, new)])) =
            (gone.as_slice(), come.get(&lines).map(Vec::as_slice))
        else {
            continue;
        };
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let (Some(old_line), Some(new_line)) = (
            first_line(old, |line| line.old),
            first_line(new, |line| line.new),
        ) else {
            continue;
        };
        if !is_proved_move((from, old_line), (to, new_line), &lines, known) {
            continue;
        }
        let proof = |with: HunkId, path: &str, line: u32| Proof::Moved {
            with,
            path: path.to_owned(),
            line,
            lines: count,
        };
        proofs.insert(old.id, proof(new.id, &to.view.path, new_line));
        proofs.insert(new.id, proof(old.id, &from.view.path, old_line));
    }
}

fn first_line(hunk: &HunkView, number: fn(&DiffLine) -> Option<u32>) -> Option<u32> {
    let (_, lines) = definition_block(hunk)?;
    lines.into_iter().next().and_then(number)
}

fn is_proved_move(
    (from, old): (&StagedText<'_>, u32),
    (to, new): (&StagedText<'_>, u32),
    block: &[&str],
    known: &mut KnownProofs,
) -> bool {
    let (Some(start), Some(target)) = (
        from.end_of_move(old, block.len()),
        to.end_of_move(new, block.len()),
    ) else {
        return false;
    };
    // The numbers of lines are those of the list, which may be for another text.
    if from.language != to.language
        || !stands_at(block, &start.before, &start.lines)
        || !stands_at(block, &target.after, &target.lines)
    {
        return false;
    }
    let place = format!("{} {old} {} {new} {}", from.path, to.path, block.len());
    let parts = [
        "move",
        &place,
        &start.before,
        &start.after,
        &target.before,
        &target.after,
    ];
    let answer = known.ask(&parts.map(str::as_bytes), 1, || {
        vec![is_same_definition(from.language, &start, &target)]
    });
    answer == [true]
}

fn stands_at(block: &[&str], text: &str, lines: &Range<usize>) -> bool {
    let found = text.lines().skip(lines.start).take(lines.len());
    found.eq(block.iter().copied())
}

/// Returns the block that a hunk removes or adds, as whole definitions where it can be read so.
///
/// ```text
///  }             Of a function that goes or comes between others a diff may tell the lines from the end of the one above
/// +              to the line before its own end: the same lines, one place further up. It is read from where a definition
/// +fn b() {      may begin.
/// +    x
/// +}
/// ```
fn definition_block(hunk: &HunkView) -> Option<(LineKind, Vec<&DiffLine>)> {
    let (kind, told) = block(hunk)?;
    let start = hunk.lines.iter().position(is_change)?;
    let end = hunk.lines.iter().rposition(is_change)? + 1;
    let up = (1..=start).take_while(|by| line_text(hunk, start - by) == line_text(hunk, end - by));
    let down = (0..hunk.lines.len() - end)
        .take_while(|by| line_text(hunk, start + by) == line_text(hunk, end + by));
    let mut places = start - up.count()..=start + down.count();
    let read = places.find_map(|first| {
        let lines = hunk.lines.get(first..first + (end - start))?;
        let above = first.checked_sub(1).and_then(|at| line_text(hunk, at));
        let is_apart = above.is_none_or(|above| above.trim().is_empty());
        let begin = lines.iter().position(|line| !is_blank(line))?;
        let last = lines.iter().rposition(|line| !is_blank(line))?;
        let lines: Vec<&DiffLine> = lines.get(begin..=last)?.iter().collect();
        ((is_apart || begin > 0) && is_outermost(&lines)).then_some(lines)
    });
    Some((kind, read.unwrap_or(told)))
}

fn line_text(hunk: &HunkView, at: usize) -> Option<&str> {
    hunk.lines.get(at).map(|line| line.text.as_str())
}

/// Tells whether lines may be whole definitions: the first opens one, and none is indented by less.
fn is_outermost(lines: &[&DiffLine]) -> bool {
    let Some(first) = lines.first() else {
        return false;
    };
    let mut full = lines.iter().filter(|line| !is_blank(line));
    full.all(|line| indent_of(line) >= indent_of(first))
        && first
            .text
            .trim_start()
            .starts_with(|c: char| !"})];".contains(c))
        && lines.len() >= FEWEST_MOVED
}

fn indent_of(line: &DiffLine) -> usize {
    line.text.len() - line.text.trim_start().len()
}

/// Returns the lines of a hunk that only removes or only adds lines in one place, blank ones at its ends aside.
pub(in crate::engine) fn block(hunk: &HunkView) -> Option<(LineKind, Vec<&DiffLine>)> {
    let kind = hunk.lines.iter().find(|line| is_change(line))?.kind;
    let mut runs = hunk
        .lines
        .chunk_by(|a, b| a.kind == b.kind)
        .filter(|run| run.first().is_some_and(is_change));
    let (run, None) = (runs.next()?, runs.next()) else {
        return None;
    };
    if run.iter().any(|line| !line.newline) {
        return None;
    }
    let first = run.iter().position(|line| !is_blank(line))?;
    let last = run.iter().rposition(|line| !is_blank(line))?;
    let lines: Vec<&DiffLine> = run.get(first..=last)?.iter().collect();
    (lines.len() >= FEWEST_MOVED).then_some((kind, lines))
}

#[cfg(test)]
pub(in crate::engine) mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::id::ProposalId;
    use crate::stage::review::{Grouped, Proposer};

    /// Returns a proposal of hunks, each as lines with their signs.
    pub(in crate::engine) fn view(number: u128, path: &str, hunks: &[&str]) -> ProposalView {
        let id = ProposalId(Uuid::from_u128(number));
        let line = |(at, line): (u32, &str)| DiffLine {
            kind: match line.as_bytes()[0] {
                b'-' => LineKind::Removed,
                b'+' => LineKind::Added,
                _ => LineKind::Context,
            },
            old: Some(at),
            new: Some(at),
            text: line[1..].to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        let hunk = |(number, lines): (u32, &&str)| HunkView {
            id: HunkId {
                proposal: id,
                number,
            },
            status: HunkStatus::Pending,
            lines: (1..).zip(lines.lines()).map(line).collect(),
            added: 1,
            removed: 1,
            group: Some(Grouped {
                key: String::new(),
                rewrite: String::new(),
                outlier: false,
            }),
            ..HunkView::default()
        };
        ProposalView {
            id,
            path: path.to_owned(),
            operation: Operation::Modify,
            proposer: Proposer::User,
            hunks: (1..).zip(hunks).map(hunk).collect(),
            ..ProposalView::default()
        }
    }
}
