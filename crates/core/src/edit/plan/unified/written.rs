//! Text that a hunk writes.
//!
//! In: a hunk and where it goes. Out: its splices, with the file's indentation and endings; none, if
//! all that it asks for is there.

use super::parse::PatchHunk;
use super::place::Seat;
use crate::budget::Budget;
use crate::edit::plan::Outcome;
use crate::edit::plan::rewrite::{self, RequestContext};
use crate::text::lines::replace_lines;
use crate::text::{Source, Splice};

/// Returns the splices of `hunk`.
pub(super) fn splices(
    budget: &Budget,
    source: &Source,
    hunk: &PatchHunk,
    seat: &Seat,
    beside: &RequestContext,
) -> Result<Vec<Splice>, Outcome> {
    let mut splices = match seat {
        Seat::Lines(found) => {
            let own = rewrite::splices(budget, source, found, beside);
            own.map_err(|unsure| unsure.outcome(source))?
        }
        Seat::Before { line, .. } => {
            let new: Vec<&str> = hunk.after().collect();
            vec![replace_lines(source, *line..*line, &new)]
        }
    };
    final_newline(source, hunk, &mut splices);
    splices.retain(|splice| splice.old != splice.new);
    Ok(splices)
}

/// Adds or drops the newline at the end of the file, if the hunk says so and reaches it.
fn final_newline(source: &Source, hunk: &PatchHunk, splices: &mut [Splice]) {
    let end = source.bytes().len();
    let Some(last) = splices.last_mut().filter(|splice| splice.end() == end) else {
        return;
    };
    match (hunk.old_open, hunk.open_end) {
        (false, true) if source.ends_with_newline() => {
            let bare = last
                .new
                .strip_suffix(b"\n")
                .map(|text| text.strip_suffix(b"\r").unwrap_or(text));
            last.new = bare.map_or_else(|| last.new.clone(), <[u8]>::to_vec);
        }
        (true, false) if !source.ends_with_newline() && !last.new.is_empty() => {
            last.new
                .extend_from_slice(source.ending().as_str().as_bytes());
        }
        _ => {}
    }
}
