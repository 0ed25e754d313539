//! Blocks delimited by indentation.
//!
//! `if :[a]:\n    :[body]` in Python:
//!
//! ```text
//! if ready:
//!     one()      `body` ends here by the rules of holes, which stay on their line
//!     two()      and here once it is widened: `two()` would be left over after a rewrite
//! three()
//! ```
//!
//! Only patterns whose last line is one hole, further in than their first, are widened.

use crate::edit::plan::template::TemplateMatch;
use crate::text::indent::leading_at;
use crate::word::is_word;

/// Widens the matches of a pattern, and their last capture, to the ends of their blocks.
pub(super) fn widen(text: &str, pattern: &str, matches: &mut [TemplateMatch]) {
    let pattern = pattern.trim();
    let Some((_, last)) = pattern.rsplit_once('\n') else {
        return;
    };
    let hole = last.trim_start();
    let name = hole
        .strip_prefix(":[")
        .and_then(|rest| rest.strip_suffix(']'));
    let alone = name.is_some_and(|name| name.chars().all(is_word));
    if hole.len() == last.len() || !(alone || hole == "...") {
        return;
    }
    for one in matches {
        let end = block_end(text, one.range.end);
        for capture in &mut one.captures {
            if capture.range.end == one.range.end {
                capture.range.end = end;
            }
        }
        one.range.end = end;
    }
}

/// Returns where the block ends whose first line ends at `at`.
fn block_end(text: &str, at: usize) -> usize {
    let margin = leading_at(text, at).len();
    let mut end = at;
    let rest = text.get(at..).unwrap_or_default();
    // What is left of the line itself ends the search.
    let Some(first) = rest.find('\n').filter(|first| {
        rest.get(..*first)
            .is_some_and(|tail| tail.trim().is_empty())
    }) else {
        return at;
    };
    let mut next = at + first + 1;
    for line in text.get(next..).unwrap_or_default().split_inclusive('\n') {
        let bare = line.trim_end();
        let own = bare.len() - bare.trim_start().len();
        if !bare.is_empty() && own < margin {
            break;
        }
        if !bare.is_empty() {
            end = next + bare.len();
        }
        next += line.len();
    }
    end
}
