//! One case, to be read.

use std::io::{self, Write};

use crate::case::{Case, Class, Truth};
use crate::edit::Edit;
use crate::format::Format;
use crate::judge::{Judged, status};
use crate::text;

/// Writes a case and what became of it.
pub(crate) fn show(
    out: &mut impl Write,
    class: &Class,
    format: Format,
    edit: &Edit,
    case: &Case,
    judged: &Judged,
) -> io::Result<()> {
    let (kind, name, format) = (class.kind.name(), class.name, format.name());
    let (verdict, status) = (judged.verdict, status(judged.status));
    writeln!(out, "==== {kind}, {name}, {format}: {verdict:?} ({status})")?;
    writeln!(out, "file: {} {}", edit.package, case.path)?;
    writeln!(
        out,
        "reason: {}; evidence: {}",
        judged.reason, judged.evidence
    )?;
    writeln!(out, "---- asked\n{}", asked(&case.change))?;
    match &case.truth {
        Truth::Text(truth) => write_difference(out, "should be", &case.before, truth)?,
        other => writeln!(out, "---- should be: {other:?}")?,
    }
    if let Some(after) = &judged.after {
        write_difference(out, "was made", &case.before, after)?;
    }
    writeln!(out)
}

/// Returns the texts in a change, unescaped as far as they are readable.
fn asked(change: &serde_json::Value) -> String {
    let text = |pointer: &str| change.pointer(pointer).and_then(|value| value.as_str());
    if let Some(patch) = text("/diff/patch") {
        return visible(patch);
    }
    let Some(pairs) = change
        .pointer("/section/edits")
        .and_then(|edits| edits.as_array())
    else {
        return change.to_string().chars().take(2000).collect();
    };
    let side = |pair: &serde_json::Value, name: &str| {
        visible(
            pair.get(name)
                .and_then(|text| text.as_str())
                .unwrap_or_default(),
        )
    };
    let pairs = pairs.iter().map(|pair| {
        format!(
            "<<<< old\n{}\n==== new\n{}\n>>>>",
            side(pair, "old_text"),
            side(pair, "new_text")
        )
    });
    pairs.collect::<Vec<_>>().join("\n")
}

fn visible(text: &str) -> String {
    text.replace('\r', "\\r")
        .replace('\t', "\\t")
        .replace('\u{a0}', "\\u{a0}")
}

fn write_difference(out: &mut impl Write, name: &str, old: &str, new: &str) -> io::Result<()> {
    let lines = |text: &str| text.split('\n').map(visible).collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    writeln!(out, "---- {name}")?;
    for change in text::changes(&old, &new).iter().take(8) {
        writeln!(out, "@@ line {}", change.old.start + 1)?;
        for line in old
            .get(change.old.clone())
            .unwrap_or_default()
            .iter()
            .take(20)
        {
            writeln!(out, "-{line}")?;
        }
        for line in change.new.iter().take(20) {
            writeln!(out, "+{line}")?;
        }
    }
    Ok(())
}
