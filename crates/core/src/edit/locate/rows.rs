//! Exact search for rows.
//!
//! In: a change in lines. Out: where its lines stand letter by letter; or that it is made already; or
//! several places. A number decides between places, and speaks against the only one where the lines
//! at the number nearly match.

use std::ops::Range;

use super::context::{ChosenLine, How, choose};
use super::loose::normal::{Level, letters};
use super::loose::view::Block;
use super::loose::{
    LocateOutcome, LooseMatch, Scope, Views, is_telling, is_telling_at, made_at_number, stands,
};
use super::script::{Alignment, Row, Script};
use super::{Finding, Rung, fuzzy};

/// Finds rows letter by letter.
pub(crate) fn find(views: &Views<'_>, script: &Script, scope: Scope) -> LocateOutcome {
    let source = views.source();
    let before: Vec<&str> = script.before().map(Row::text).collect();
    let after: Vec<&str> = script.after().collect();
    let telling = is_telling(script) && after.iter().any(|line| letters(line) > 0);
    match choose(lines_with(views, &scope, &before), scope.number) {
        ChosenLine::One { line, .. }
            if telling
                && made_at_number(line, scope.number, |line| {
                    let mut own = after.iter().zip(line..);
                    line + after.len() <= scope.to
                        && own.all(|(text, line)| source.line(line) == text.as_bytes())
                }) =>
        {
            LocateOutcome::Done
        }
        ChosenLine::One { line, how } => at(views, script, scope, line, how),
        ChosenLine::Many(lines) => LocateOutcome::Many(lines, String::new()),
        ChosenLine::Missing if after.iter().any(|line| letters(line) > 0) => {
            let made: Vec<Range<usize>> = lines_with(views, &scope, &after)
                .into_iter()
                .map(|line| line..line + after.len())
                .filter(|place| is_telling_at(script, place, source.line_count()))
                .collect();
            if made.is_empty() {
                LocateOutcome::Missing
            } else {
                LocateOutcome::There(made)
            }
        }
        ChosenLine::Missing => LocateOutcome::Missing,
    }
}

fn lines_with(views: &Views<'_>, scope: &Scope, wanted: &[&str]) -> Vec<usize> {
    places(views, wanted, scope.from..scope.to, scope.number)
}

fn at(views: &Views<'_>, script: &Script, scope: Scope, line: usize, how: How) -> LocateOutcome {
    let alignment = Alignment::solid(line, script.before().count());
    if stands(views, script, &alignment) {
        return LocateOutcome::Done;
    }
    let rival = match how {
        How::Unique { off: Some(_) } => fuzzy::rival(views, script, scope, &alignment),
        _ => None,
    };
    if let Some(rival) = rival {
        return LocateOutcome::Many(
            vec![line.min(rival), line.max(rival)],
            "one of them nearly, but at the number".into(),
        );
    }
    let mut finding = Finding::new(Rung::Exact, "exact");
    finding.number(how);
    LocateOutcome::At(vec![LooseMatch {
        script: script.clone(),
        alignment,
        finding,
        undone: Vec::new(),
        widened: false,
    }])
}

/// Returns where whole lines stand letter by letter.
pub(crate) fn places(
    views: &Views<'_>,
    lines: &[&str],
    within: Range<usize>,
    number: Option<usize>,
) -> Vec<usize> {
    let block = Block {
        lines,
        open_start: false,
        open_end: false,
    };
    let spots = views.spots(Level::Exact, block, within, number);
    spots.into_iter().map(|spot| spot.line).collect()
}
