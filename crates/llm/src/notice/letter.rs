//! Bounded quotes, in which untrusted text cannot imitate a line of the system.
//!
//! In: a head, lines and a tail; counts; names and reasons. Out: text.

use signoff_core::quote::{self, one_line};

use super::LONGEST;

/// The most characters of a path.
pub(super) const PATH: usize = 160;

/// Puts a list between two sentences and leaves out what would make it too long.
pub(super) fn letter(
    head: &str,
    lines: impl ExactSizeIterator<Item = String>,
    tail: &str,
) -> String {
    // Room for the line that counts what is left out.
    const AND_MORE: usize = 40;
    let mut text = head.to_owned();
    let mut left = lines.len();
    for line in lines {
        if text.len() + line.len() + tail.len() + AND_MORE > LONGEST {
            break;
        }
        text.push('\n');
        text += &line;
        left -= 1;
    }
    if left > 0 {
        text += &format!("\n- and {left} more");
    }
    text.push('\n');
    text + tail
}

pub(super) fn bullet(path: &str) -> String {
    format!("- {}", name(path))
}

/// Returns numbers as `1-3, 5`.
pub(super) fn ranges(numbers: &[u32]) -> String {
    numbers
        .chunk_by(|a, b| a.checked_add(1) == Some(*b))
        .filter_map(|run| {
            let (first, last) = (run.first()?, run.last()?);
            Some(if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            })
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the name of a file on one line, in quotes where it could pass for something else.
pub(crate) fn name(path: &str) -> String {
    one_line(&quote::name(path), PATH)
}
