//! Lines that are not there, or not as they were.

use std::rc::Rc;

use super::{class, trap};
use crate::ask::{Hunk, Row};
use crate::case::{Case, Class, Truth};
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Change, Compare, Index, Lines};

const LOCATED: [Format; 5] = [
    Format::Section,
    Format::Unified,
    Format::Bare,
    Format::Envelope,
    Format::Dmp,
];
const PATCHES: [Format; 3] = [Format::Unified, Format::Bare, Format::Envelope];

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("absent", &LOCATED, absent),
        class("stale", &LOCATED, stale),
        class("all that is shown is gone", &LOCATED, gone),
        class("other file in the header", &PATCHES, other_file),
        class("one bad hunk", &LOCATED, bad_hunk),
        class("line numbers past the end", &[Format::Lines], past_end),
    ]
}

/// An edit of another file.
fn absent(_: &mut Random, edit: &Edit, other: &Edit, format: Format) -> Option<Case> {
    let mut ask = other.ask(3);
    ask.path.clone_from(&edit.path);
    ask.hunks
        .iter()
        .any(|hunk| is_strange(&edit.base, hunk))
        .then_some(())?;
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

/// What the edit removes was changed meanwhile.
fn stale(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = edit.ask(3);
    let [hunk] = ask.hunks.as_slice() else {
        return None;
    };
    let [mine] = edit.hunks.first()?.as_slice() else {
        return None;
    };
    let other = random.pick(&edit.others)?;
    let index = Index::new(other);
    let removed = edit.base.get(mine.old.clone())?;
    let drift = text::changes(&edit.base, other);
    let rewritten = drift
        .iter()
        .any(|theirs| rewrites(&edit.base, theirs, mine));
    let open = index.places(&hunk.after(), Compare::Trimmed).is_empty();
    let gone = index.places(removed, Compare::Trimmed).is_empty();
    let new_is_there =
        !mine.new.is_empty() && !index.places(&mine.new, Compare::Trimmed).is_empty();
    (rewritten && open && gone && !new_is_there).then_some(())?;
    let before = text::join(other);
    format.is_stale(&ask, &before).then_some(())?;
    Some(trap(edit, before, &ask, format, Truth::Refusal))
}

/// The lines that the request shows went meanwhile, all of them, and the rest of the file is
/// there, with all that looks like them.
fn gone(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let ask = edit.ask(3);
    let mut lines = edit.base.to_vec();
    for hunk in ask.hunks.iter().rev() {
        lines.drain(hunk.start..hunk.start + hunk.before().len());
    }
    let index = Index::new(&lines);
    let stands = |block: &[&str]| !index.places(block, Compare::Trimmed).is_empty();
    let mut hunks = ask.hunks.iter().zip(&edit.hunks);
    let open = hunks.all(|(hunk, changes)| {
        // Where the changed lines with their neighbours stand elsewhere, that may be meant.
        let core = edit.hunk(changes, 1, 1);
        !stands(&hunk.before()) && !stands(&core.before()) && !stands(&hunk.after())
    });
    let before = text::join(&lines);
    (open && lines.len() > 20 && format.is_gone(&ask, &before)).then_some(())?;
    Some(trap(edit, before, &ask, format, Truth::Refusal))
}

/// Returns whether `theirs` puts something else in the place of telling lines of `mine`.
fn rewrites(base: &Lines, theirs: &Change, mine: &Change) -> bool {
    let start = theirs.old.start.max(mine.old.start);
    let end = theirs.old.end.min(mine.old.end);
    let lost = base.get(start..end).unwrap_or_default();
    // White space alone is no other text: what is asked for is there.
    let same = |a: &str, b: &str| {
        a.split_whitespace()
            .flat_map(str::chars)
            .eq(b.split_whitespace().flat_map(str::chars))
    };
    let kept = |line: &String| theirs.new.iter().any(|new| same(new, line));
    lost.iter().any(|line| text::telling(line) && !kept(line))
}

/// The lines are there, but the patch says that it is for another file.
fn other_file(_: &mut Random, edit: &Edit, other: &Edit, format: Format) -> Option<Case> {
    let own = edit.path.rsplit('/').next()?;
    (!other.path.ends_with(own)).then_some(())?;
    let mut ask = edit.ask(3);
    ask.style.header = Some(other.path.clone());
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

/// One hunk of several is for another text.
fn bad_hunk(random: &mut Random, edit: &Edit, other: &Edit, format: Format) -> Option<Case> {
    let mut ask = edit.ask(3);
    let strange = other
        .ask(3)
        .hunks
        .into_iter()
        .find(|hunk| is_strange(&edit.base, hunk))?;
    (ask.hunks.len() >= 2).then_some(())?;
    let at = random.below(ask.hunks.len());
    let hunk = ask.hunks.get_mut(at)?;
    hunk.rows = strange.rows;
    if format == Format::Dmp {
        // Its patch is made of texts, so the strange lines go into the text that it is made of.
        let lines = |hunk: &Hunk, keep: fn(&Row) -> bool| -> Vec<String> {
            let rows = hunk.rows.iter().filter(|row| keep(row));
            rows.map(|row| row.text().to_owned()).collect()
        };
        let old = lines(hunk, Row::is_before);
        let new = lines(hunk, |row| !matches!(row, Row::Removed(_)));
        let with = |text: &Lines, block: Lines| Rc::new([text.as_slice(), &block].concat());
        ask = edit.ask(3);
        ask.before = with(&ask.before, old);
        ask.after = with(&ask.after, new);
    }
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

fn past_end(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mut ask = edit.ask(0);
    let off = edit.base.len() + random.below(5) + 1;
    ask.style.numbers_off = off as isize;
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

/// Returns whether a text has nearly nothing of what a hunk shows of it, and not what it makes of that
/// either: then it would be there already.
fn is_strange(base: &Lines, hunk: &Hunk) -> bool {
    let index = Index::new(base);
    if !index.places(&hunk.after(), Compare::Trimmed).is_empty() {
        return false;
    }
    let block = hunk.before();
    let told = block.iter().filter(|line| text::telling(line)).count();
    let unknown = block
        .iter()
        .filter(|line| text::telling(line) && !index.knows(line))
        .count();
    let removed = hunk
        .rows
        .iter()
        .filter(|row| matches!(row, Row::Removed(_)));
    let removes_unknown = removed.into_iter().all(|row| !index.knows(row.text()));
    unknown >= 2 && unknown * 3 >= told * 2 && removes_unknown
}
