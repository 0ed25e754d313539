//! Elision: requests that leave lines out with `...`.
//!
//! In: a change with lines that are only `...`, or a comment with it. Out: where the stretches
//! between them are: one below the other, each at the only place where it can be.

use super::forms::Form;
use super::normal::{letters, normal};
use super::view::Block;
use super::{LEVELS, LocateOutcome, LooseMatch, Scope, Views, invisible};
use crate::budget::{Budget, OutOfBudget};
use crate::edit::locate::script::{Alignment, Row, Script};
use crate::edit::locate::{Finding, Rung};

/// Rows between two elisions.
struct ElidedRows<'a> {
    lines: Vec<&'a str>,
    /// True if something changes in or right beside it.
    changes: bool,
}

/// Finds a change with elisions; without any there is nothing to find here.
pub(super) fn find(
    views: &Views<'_>,
    form: &Form,
    scope: Scope,
) -> Result<LocateOutcome, OutOfBudget> {
    let budget = views.budget();
    if scope.all
        || !form
            .asked
            .before()
            .iter()
            .any(|line| is_elision(budget, line))
    {
        return Ok(LocateOutcome::Missing);
    }
    for level in LEVELS {
        let script = form.asked.script(budget, level);
        let Some(stretches) = stretches(budget, &script) else {
            continue;
        };
        if invisible(budget, &form.asked.before(), &form.asked.after(), level) {
            continue;
        }
        let mut places = Vec::new();
        for stretch in &stretches {
            let block = Block {
                lines: &stretch.lines,
                open_start: false,
                open_end: false,
            };
            let spots = views.spots(level, block, scope.from..scope.to, scope.number);
            places.push(spots.iter().map(|spot| spot.line).collect::<Vec<usize>>());
        }
        match chain(&stretches, &places) {
            Chain::One(lines) => {
                let alignment = alignment(budget, &script, &lines);
                let finding = Finding::new(Rung::Loose, "with lines left out");
                let found = LooseMatch {
                    script,
                    alignment,
                    finding,
                    undone: form.undone.clone(),
                    widened: false,
                };
                if super::stands(views, &found.script, &found.alignment) {
                    return Ok(LocateOutcome::Done);
                }
                return Ok(LocateOutcome::At(vec![found]));
            }
            Chain::Many(lines) => {
                return Ok(LocateOutcome::Many(lines, "with lines left out".into()));
            }
            Chain::None => {}
        }
    }
    Ok(LocateOutcome::Missing)
}

/// Returns whether a line only says that lines are left out.
fn is_elision(budget: &Budget, line: &str) -> bool {
    let line = normal(budget, line, super::normal::Level::Squashed);
    let open = ["//", "#", "/*", "{/*", "<!--", "--", "%", ";"];
    let close = ["*/}", "*/", "-->"];
    let bare = open
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(&line);
    let bare = close
        .iter()
        .find_map(|mark| bare.strip_suffix(mark))
        .unwrap_or(bare);
    bare.len() >= 3 && bare.starts_with("...") && bare.trim_matches('.').is_empty()
        || bare.len() < line.len() && bare.starts_with("...") && bare.len() < 60 && says_rest(bare)
}

fn says_rest(text: &str) -> bool {
    let text = text.to_lowercase();
    ["existing", "unchanged", "rest", "same", "omitted"]
        .iter()
        .any(|word| text.contains(word))
}

/// Takes a script apart at its elisions; none if one of them is not between other rows, is
/// itself changed, or leaves a stretch that says nothing.
fn stretches<'a>(budget: &Budget, script: &'a Script) -> Option<Vec<ElidedRows<'a>>> {
    let mut stretches = vec![ElidedRows {
        lines: Vec::new(),
        changes: false,
    }];
    for row in &script.rows {
        if is_elision(budget, row.text()) {
            if !row.is_context() {
                return None;
            }
            stretches.push(ElidedRows {
                lines: Vec::new(),
                changes: false,
            });
            continue;
        }
        let stretch = stretches.last_mut()?;
        stretch.changes |= !row.is_context();
        if row.is_before() {
            stretch.lines.push(row.text());
        }
    }
    (stretches.len() > 1
        && stretches.iter().all(|stretch| {
            stretch
                .lines
                .iter()
                .any(|line| letters(line) > 0 || line.trim().len() == 1)
        }))
    .then_some(stretches)
}

enum Chain {
    One(Vec<usize>),
    Many(Vec<usize>),
    None,
}

/// Puts the stretches one below the other. Where nothing changes, the nearest place will do;
/// those in which something changes must each have one place only.
fn chain(stretches: &[ElidedRows<'_>], places: &[Vec<usize>]) -> Chain {
    let Some(key) = stretches.iter().position(|stretch| stretch.changes) else {
        return Chain::None;
    };
    let starts = places.get(key).map(Vec::as_slice).unwrap_or_default();
    let chains: Vec<Chain> = starts
        .iter()
        .map(|start| around(stretches, places, key, *start))
        .collect();
    let mut found: Vec<Chain> = chains
        .into_iter()
        .filter(|chain| !matches!(chain, Chain::None))
        .collect();
    match found.len() {
        0 => Chain::None,
        1 => found.pop().unwrap_or(Chain::None),
        _ => Chain::Many(starts.to_vec()),
    }
}

/// Puts the stretches above and below the first one that changes, which is at `start`.
fn around(stretches: &[ElidedRows<'_>], places: &[Vec<usize>], key: usize, start: usize) -> Chain {
    let mut lines = vec![start];
    let mut top = start;
    for (stretch, places) in stretches.iter().zip(places).take(key).rev() {
        let Some(line) = places
            .iter()
            .rev()
            .find(|line| **line + stretch.lines.len() <= top)
        else {
            return Chain::None;
        };
        lines.insert(0, *line);
        top = *line;
    }
    let mut from = start + stretches.get(key).map_or(0, |stretch| stretch.lines.len());
    for (stretch, places) in stretches.iter().zip(places).skip(key + 1) {
        let mut rest = places.iter().copied().filter(|line| *line >= from);
        let Some(line) = rest.next() else {
            return Chain::None;
        };
        if stretch.changes && rest.next().is_some() {
            return Chain::Many(places.clone());
        }
        lines.push(line);
        from = line + stretch.lines.len();
    }
    Chain::One(lines)
}

fn alignment(budget: &Budget, script: &Script, starts: &[usize]) -> Alignment {
    let mut lines = Vec::new();
    let (mut stretch, mut offset) = (0, 0);
    for row in script.before() {
        if is_elision(budget, row.text()) && matches!(row, Row::Context(_)) {
            lines.push(None);
            stretch += 1;
            offset = 0;
        } else {
            lines.push(starts.get(stretch).map(|start| start + offset));
            offset += 1;
        }
    }
    Alignment { lines }
}
