//! Groups: hunks with the same rewrite.
//!
//! In: the review list. Out: for each hunk that waits and makes a rewrite which others make as
//! well, the group, named after its first hunk; hunks that do more than that are its outliers. Files that go from one folder to
//! another under the same names are a group as well.

use std::collections::{BTreeSet, HashMap};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::edit::diff::line::LineKind;
use crate::id::HunkId;
use crate::stage::review::{Grouped, HunkStatus, HunkView, ProposalView};
use crate::word::is_word;

/// Hunks with more words than this belong to no group.
const MOST_WORDS: usize = 2000;
/// Number of hunks with the same rewrite that make a group.
const FEWEST: usize = 2;
/// Maximum number of characters of a rewrite shown on each side.
const SHOWN: usize = 40;

/// What becomes of what.
type Rewrite = (String, String);

/// Tells every hunk that waits its group.
pub(super) fn assign(views: &mut [ProposalView]) {
    let found = rewrites_of(views);
    let ids = views
        .iter()
        .flat_map(|view| &view.hunks)
        .map(|hunk| hunk.id);
    // How many hunks make a rewrite and nothing else, and the first of them, after which the group is named.
    let mut alone: HashMap<&Rewrite, (usize, HunkId)> = HashMap::new();
    for (set, id) in found.iter().zip(ids).filter(|(set, _)| set.len() == 1) {
        for rewrite in set {
            alone.entry(rewrite).or_insert((0, id)).0 += 1;
        }
    }
    alone.retain(|_, (count, _)| *count >= FEWEST);
    let hunks = views.iter_mut().flat_map(|view| &mut view.hunks);
    for (hunk, set) in hunks.zip(&found) {
        let common = set
            .iter()
            .filter_map(|rewrite| Some((rewrite, alone.get(rewrite)?)));
        let most = common.max_by_key(|(_, (count, _))| *count);
        hunk.group = most.map(|(rewrite, (_, first))| Grouped {
            key: first.to_string(),
            rewrite: shown(rewrite),
            outlier: set.len() > 1,
        });
    }
}

fn rewrites_of(views: &[ProposalView]) -> Vec<BTreeSet<Rewrite>> {
    let hunks = views.iter().flat_map(|view| {
        let hunks = view.hunks.iter();
        hunks.map(|hunk| match &view.to {
            Some(to) => moved(&view.path, to, hunk),
            None => rewrites(hunk),
        })
    });
    hunks.collect()
}

/// Returns which folder becomes which, for a file that keeps its name.
fn moved(from: &str, to: &str, hunk: &HunkView) -> BTreeSet<Rewrite> {
    let names = from.rsplit('/').zip(to.rsplit('/'));
    let same = names.take_while(|(from, to)| from == to);
    let length: usize = same.map(|(name, _)| name.len() + 1).sum();
    if length > 0 && hunk.status == HunkStatus::Pending {
        BTreeSet::from([(folder_of(length, from), folder_of(length, to))])
    } else {
        BTreeSet::new()
    }
}

fn folder_of(length: usize, path: &str) -> String {
    let end = (path.len() + 1).saturating_sub(length);
    let folder = path.get(..end).unwrap_or_default().trim_end_matches('/');
    if folder.is_empty() { "." } else { folder }.to_owned()
}

/// Returns the rewrites that a hunk is made of.
fn rewrites(hunk: &HunkView) -> BTreeSet<Rewrite> {
    if hunk.status != HunkStatus::Pending || hunk.is_told_by_sizes() {
        return BTreeSet::new();
    }
    // A line has a word, or is one: its end.
    if line_count(hunk, LineKind::Removed) + line_count(hunk, LineKind::Added) > MOST_WORDS {
        return BTreeSet::new();
    }
    let (old, new) = (
        text_of(hunk, LineKind::Removed),
        text_of(hunk, LineKind::Added),
    );
    let (old, new) = (words(&old), words(&new));
    // A hunk that only adds or only removes says nothing that could be the same elsewhere by
    // rule rather than by chance.
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MOST_WORDS {
        return BTreeSet::new();
    }
    capture_diff_slices(Algorithm::Myers, &old, &new)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old, new) = (old.get(op.old_range()), new.get(op.new_range()));
            (concat(old), concat(new))
        })
        .collect()
}

fn line_count(hunk: &HunkView, kind: LineKind) -> usize {
    hunk.lines.iter().filter(|line| line.kind == kind).count()
}

fn concat(words: Option<&[&str]>) -> String {
    words.unwrap_or_default().concat()
}

/// Returns the lines of one kind as a text.
fn text_of(hunk: &HunkView, kind: LineKind) -> String {
    let lines = hunk.lines.iter().filter(|line| line.kind == kind);
    lines.map(|line| line.text.clone() + "\n").collect()
}

/// Splits text into words, runs of blanks, and single other characters.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let own = char_class(first);
        let end = match own {
            2 => first.len_utf8(),
            _ => rest.find(|c| char_class(c) != own).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

fn char_class(c: char) -> u8 {
    match c {
        c if is_word(c) => 0,
        ' ' | '\t' => 1,
        _ => 2,
    }
}

fn shown((old, new): &Rewrite) -> String {
    format!("`{}` → `{}`", shortened(old), shortened(new))
}

fn shortened(text: &str) -> String {
    let line = text.replace('\n', "\u{21b5}");
    if line.chars().count() > SHOWN {
        line.chars().take(SHOWN - 1).chain(['…']).collect()
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::edit::diff::line::DiffLine;
    use crate::edit::intent::Operation;
    use crate::id::ProposalId;

    fn view(hunks: &[(&str, &str)]) -> ProposalView {
        let id = ProposalId(Uuid::nil());
        let line = |kind, text: &str| DiffLine {
            kind,
            old: Some(1),
            new: Some(1),
            text: text.to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        let hunk = |(number, (old, new)): (u32, &(&str, &str))| HunkView {
            id: HunkId {
                proposal: id,
                number,
            },
            status: HunkStatus::Pending,
            lines: vec![line(LineKind::Removed, old), line(LineKind::Added, new)],
            added: 1,
            removed: 1,
            ..HunkView::default()
        };
        ProposalView {
            id,
            path: "a".into(),
            operation: Operation::Modify,
            proposer: crate::stage::review::Proposer::User,
            hunks: (1..).zip(hunks).map(hunk).collect(),
            ..ProposalView::default()
        }
    }

    #[test]
    fn the_same_rewrite_is_one_group_and_what_does_more_is_its_outlier() {
        let mut views = [
            view(&[
                ("let a = old(1);", "let a = new(1);"),
                ("old(x) + old(y)", "new(x) + new(y)"),
                ("something", "else"),
            ]),
            view(&[("if old() {", "if new() && ready {")]),
        ];
        assign(&mut views);
        let groups: Vec<Option<(String, bool)>> = views
            .iter()
            .flat_map(|view| &view.hunks)
            .map(|hunk| {
                hunk.group
                    .clone()
                    .map(|group| (group.rewrite, group.outlier))
            })
            .collect();
        let first = views[0].hunks[0].id.to_string();
        let keys: Vec<_> = views
            .iter()
            .flat_map(|view| &view.hunks)
            .filter_map(|hunk| Some(hunk.group.clone()?.key))
            .collect();
        assert_eq!(keys, [first.clone(), first.clone(), first]);
        let of = |outlier| Some(("`old` → `new`".to_owned(), outlier));
        assert_eq!(groups, [of(false), of(false), None, of(true)]);
    }
}
