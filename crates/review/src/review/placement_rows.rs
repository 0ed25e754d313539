//! Placement of a proposal as rows: what the model quoted, and what the file has there.
//!
//! ```text
//! placed by similarity: one context line differs from what the model quoted
//!      2 quoted: let sum = begin();
//!       in file: let sum = start();
//!      3         sum += 1;
//! ```

use signoff_core::edit::locate::QuotedLine;
use signoff_core::engine::Placement;
use signoff_core::plural::amount;

use super::pairs::differing;
use crate::theme::Role;
use crate::wrap::Row;

/// Returns how a proposal was placed as rows.
pub(super) fn rows(placement: &Placement) -> Vec<Row> {
    let mut rows = vec![Row::new(Role::Strong, &placement.path)];
    let role = if placement.is_guess {
        Role::Warn
    } else {
        Role::Text
    };
    rows.push(Row::new(role, &in_words(placement)));
    if placement.is_guess && !placement.evidence.is_empty() {
        let details = format!("details: {}", placement.evidence);
        rows.push(Row::new(Role::Dim, &details));
    }
    if !placement.quoted.is_empty() {
        rows.push(Row::default());
    }
    rows.extend(placement.quoted.iter().flat_map(line_rows));
    rows
}

/// Returns in a user's words how a place was found.
pub(super) fn in_words(placement: &Placement) -> String {
    if !placement.is_guess {
        let placed = placement.placed.as_deref();
        return placed.unwrap_or("matched exactly").to_owned();
    }
    let count = |stays: bool| {
        let lines = placement.quoted.iter();
        lines
            .filter(|line| line.differs() && line.stays == stays)
            .count()
    };
    let lines = |count: usize, what: &str| {
        let words = amount(
            count,
            format!("{what} line differs"),
            format!("{what} lines differ"),
        );
        (count > 0).then_some(words)
    };
    let parts = [
        lines(count(true), "context"),
        lines(count(false), "changed"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "placed by similarity: not letter by letter as the model quoted it".to_owned();
    }
    let parts = parts.join(", ");
    format!("placed by similarity: {parts} from what the model quoted")
}

/// Returns a line once if both texts have it, else one below the other.
fn line_rows(line: &QuotedLine) -> Vec<Row> {
    let number = line.line.map_or_else(String::new, |line| line.to_string());
    let number = format!("{number:>6} ");
    let side = |number: &str, name: &str| Row::new(Role::Dim, &format!("{number}{name:>9}"));
    if !line.differs() {
        let mut row = side(&number, "");
        row.push_counted(Role::Dim, &line.quoted);
        return vec![row];
    }
    let there = line.there.as_deref();
    let words = there.and_then(|there| differing(&line.quoted, there));
    let whole = |text: &str| (0, text.len());
    let mut quoted = side(&number, "quoted: ");
    let own = words.map_or_else(|| whole(&line.quoted), |words| words[0]);
    emphasised(&mut quoted, &line.quoted, own, Role::RemovedWord);
    let mut file = side(&" ".repeat(number.len()), "in file: ");
    match there {
        Some(there) => {
            let own = words.map_or_else(|| whole(there), |words| words[1]);
            emphasised(&mut file, there, own, Role::AddedWord);
        }
        None => file.push(Role::Dim, "(no such line)"),
    }
    vec![quoted, file]
}

/// Returns a text with its blanks as marks if it has nothing else: as what differs they would not be seen.
fn visible(text: &str) -> String {
    if text.trim().is_empty() {
        text.replace(' ', "·").replace('\t', "→")
    } else {
        text.to_owned()
    }
}

/// Appends a text, a range of which has a role of its own.
fn emphasised(row: &mut Row, text: &str, (start, end): (usize, usize), role: Role) {
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    row.push_counted(Role::Text, part(0..start));
    row.push_counted(role, &visible(part(start..end)));
    row.push_counted(Role::Text, part(end..text.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    #[test]
    fn blanks_that_differ_are_seen() {
        let line = QuotedLine {
            line: Some(2),
            quoted: "    sum = start()".to_owned(),
            there: Some("    sum = start()  ".to_owned()),
            stays: true,
        };
        let rows = text_of(&line_rows(&line));
        assert_eq!(rows[0], "     2  quoted:     sum = start()");
        assert_eq!(rows[1], "       in file:     sum = start()··");
    }
}
