//! Transcript lines about the review agent.
//!
//! In: that it looks, what it says, and how a look came out. Out: rows, and lines where there is no hunk above them.

use signoff_core::plural::counted;
use signoff_core::stage::review::critique::{CriticComment, CritiqueEnd, CritiqueReport};

use crate::theme::Role;
use crate::wrap::Row;

/// Says that the review agent begins to look.
pub(crate) fn began(hunks: usize, left_out: usize) -> Vec<Row> {
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} more are too long for it"),
    };
    let line = format!(
        "review agent: looking at {}{left_out}",
        counted(hunks, "hunk")
    );
    vec![Row::new(Role::Dim, "· ").with(Role::Dim, &line)]
}

/// Says how a look of the review agent came out.
pub(crate) fn ended(report: &CritiqueReport) -> Vec<Row> {
    let role = match (&report.end, report.bugs) {
        (CritiqueEnd::Failed { .. } | CritiqueEnd::Limit, _) => Role::Warn,
        (_, 0) => Role::Text,
        (_, _) => Role::Bad,
    };
    let mut row = Row::new(role, "· ").with(role, &said(report));
    if !report.said.is_empty() && report.comments == 0 {
        row.push(Role::Dim, &format!("  {}", report.said));
    }
    vec![row]
}

/// Says a comment of the review agent in one line, where there is no hunk above it.
pub(crate) fn in_a_line(comment: &CriticComment) -> String {
    let CriticComment {
        path,
        severity,
        text,
        ..
    } = comment;
    match comment.line() {
        Some(line) => format!("{severity} at {path}:{line}: {text}"),
        None => format!("{severity} at {path}: {text}"),
    }
}

/// Says how a look of the review agent came out, in one line.
pub(crate) fn said(report: &CritiqueReport) -> String {
    format!("review agent: {}", report.in_words())
}
