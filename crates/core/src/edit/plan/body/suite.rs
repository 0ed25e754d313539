//! Suites: Python's bodies, which their indentation delimits.
//!
//! ```text
//! def f():  # remark        the header ends behind the remark
//!     '''Doc.'''            the docstring
//!     a()
//!     # of the suite        the suite ends here: the comment is as deep as its statements
//! # of what follows
//! ```

use tree_sitter::Node;

use crate::edit::plan::tree::children;
use crate::text::indent::leading_at;
use crate::text::{Slice, Source};

/// Returns the docstring that a suite or module begins with.
pub(in super::super) fn docstring(suite: Node<'_>) -> Option<Node<'_>> {
    let first = children(suite).first().copied()?;
    let only = first.named_child(0)?;
    let is_string = matches!(only.kind(), "string" | "concatenated_string");
    (first.kind() == "expression_statement" && is_string).then_some(first)
}

/// Returns where a suite's header ends, a remark behind its colon included.
pub(in super::super) fn header_end(source: &Source, text: &str, suite: Node<'_>) -> usize {
    let mut colon = suite.start_byte();
    let mut before = suite.prev_sibling();
    while let Some(node) = before {
        if node.kind() == ":" {
            colon = node.end_byte();
            break;
        }
        before = node.prev_sibling();
    }
    let line = source.line_of(colon);
    let end = source.line_range(line).start + source.line(line).len();
    let rest = text.slice(colon..end).trim_start();
    if rest.starts_with('#') { end } else { colon }
}

/// Returns whether a suite begins on the line of its colon.
fn behind_colon(suite: Node<'_>) -> bool {
    let colon = suite.prev_sibling();
    colon.is_some_and(|colon| colon.start_position().row == suite.start_position().row)
}

/// Returns where a suite ends, with the comments that follow its last statement at its depth.
pub(in super::super) fn suite_end(source: &Source, text: &str, suite: Node<'_>) -> usize {
    // A comment's node holds the `\r` of its line's ending.
    let own = text.slice(..suite.end_byte());
    let mut end = own.trim_end_matches('\r').len();
    let depth = leading_at(text, suite.start_byte()).len();
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
