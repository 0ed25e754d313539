//! Python suites.
//!
//! In: the old suite and the new one. Out: the splice, or that it is already so. A docstring
//! stays unless the new suite has one.

use tree_sitter::Node;

use super::super::symbol::Item;
use super::super::{File, Outcome, invalid};
use super::{Place, body_is_so};
use crate::edit::plan::tree::children;
use crate::text::{Slice, Splice};

impl Place<'_> {
    pub(super) fn suite(
        self,
        item: &Item<'_>,
        old: Node<'_>,
        body: &str,
    ) -> Result<Splice, Outcome> {
        let file = self.file;
        let keeps = docstring(old).filter(|_| !self.begins_with_docstring(body));
        let start = match keeps {
            Some(docstring) => docstring.end_byte(),
            None => header_end(file, old),
        };
        let end = suite_end(file, old).max(start);
        let gap = file.text.slice(start..end);
        let blank = gap.len() - gap.trim_start().len();
        let own_line = gap.get(..blank).and_then(|gap| gap.rfind('\n'));
        let start = own_line.map_or(start, |at| start + at + 1);
        let first = old.named_child(0).unwrap_or(old);
        let base = if behind_colon(old) {
            format!(
                "{}{}",
                file.indent_at(item.node.start_byte()),
                self.unit.levels(1)
            )
        } else {
            file.indent_at(first.start_byte()).to_owned()
        };
        let new = self.lines(body, &base);
        if new.is_empty() && keeps.is_none() {
            return Err(invalid(
                "the body is empty; a suite needs a statement, like `pass`",
            ));
        }
        let kept = file.text.slice(start..end);
        if self.lines(kept, "") == self.lines(body, "") {
            return Err(body_is_so(item));
        }
        let ending = file.ending_at(old.start_byte());
        let break_before = if own_line.is_some() { "" } else { ending };
        Ok(file.splice(start..end, format!("{break_before}{}", new.join(ending))))
    }

    fn begins_with_docstring(self, body: &str) -> bool {
        let plain = self.lines(body, "").join("\n");
        let tree = self.file.cache.parse_once(self.language, &plain);
        tree.is_some_and(|tree| docstring(tree.root()).is_some())
    }
}

/// Returns the docstring that a suite or module begins with.
pub(in super::super) fn docstring(suite: Node<'_>) -> Option<Node<'_>> {
    let first = children(suite).first().copied()?;
    let only = first.named_child(0)?;
    let is_string = matches!(only.kind(), "string" | "concatenated_string");
    (first.kind() == "expression_statement" && is_string).then_some(first)
}

/// Returns where a suite's header ends, a remark behind its colon included.
fn header_end(file: File<'_>, suite: Node<'_>) -> usize {
    let mut colon = suite.start_byte();
    let mut before = suite.prev_sibling();
    while let Some(node) = before {
        if node.kind() == ":" {
            colon = node.end_byte();
            break;
        }
        before = node.prev_sibling();
    }
    let line = file.source.line_of(colon);
    let end = file.source.line_range(line).start + file.source.line(line).len();
    let rest = file.text.slice(colon..end).trim_start();
    if rest.starts_with('#') { end } else { colon }
}

/// Returns whether a suite begins on the line of its colon.
fn behind_colon(suite: Node<'_>) -> bool {
    let colon = suite.prev_sibling();
    colon.is_some_and(|colon| colon.start_position().row == suite.start_position().row)
}

/// Returns where a suite ends, with the comments that follow its last statement at its depth.
pub(in super::super) fn suite_end(file: File<'_>, suite: Node<'_>) -> usize {
    let source = file.source;
    // A comment's node holds the `\r` of its line's ending.
    let text = file.text.slice(..suite.end_byte());
    let mut end = text.trim_end_matches('\r').len();
    let depth = file.indent_at(suite.start_byte()).len();
    if behind_colon(suite) {
        return end;
    }
    let mut line = source.line_of(end.saturating_sub(1)) + 1;
    while line < source.line_count() {
        let text = source.line(line);
        let bare = text.trim_ascii_start();
        let white = text.len() - bare.len();
        let remark = bare.starts_with(b"#") && white >= depth;
        if !remark && !bare.is_empty() {
            break;
        }
        if remark {
            end = source.line_range(line).start + text.len();
        }
        line += 1;
    }
    end
}
