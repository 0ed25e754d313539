//! How a proposal's place was found, in a user's words.
//!
//! In: a card. Out: one line, or nothing where there is nothing to know: the text was there as the model quoted it, or
//! the whole file is meant. All that a user reads of it comes from here; the words of the rungs and strategies are for
//! programs. Example: `exact; 4 lines below the line number given` is "placed 4 lines below the line number given".

use super::Card;
use crate::edit::locate::Rung;
use crate::edit::plan::Strategy;

/// What the evidence is where a patch makes a file, fills an empty one, or takes one away.
const NEW: &str = "new file";
const EMPTY: &str = "empty file";
const WHOLE: &str = "whole file";
/// What the evidence begins with where the text is there as quoted.
const EXACT: &str = "exact";

impl Card {
    /// Returns how the place was found, if a user should know.
    pub fn placed(&self) -> Option<String> {
        let how = self.evidence.as_str();
        let rung = self.matched.as_ref().map_or(Rung::Exact, |own| own.rung);
        match (rung, self.strategy) {
            (Rung::Loose | Rung::Fuzzy, _) => Some(format!("placed by similarity: {how}")),
            (_, Strategy::Whole | Strategy::Delete | Strategy::Move | Strategy::Program) => None,
            // What was looked for, and what of it stays as it is.
            (_, Strategy::Recipe | Strategy::Ast | Strategy::Struct) => {
                (!how.is_empty()).then(|| how.to_owned())
            }
            (Rung::Numbers | Rung::Syntax | Rung::Pattern, _) => placed_by(how),
            (Rung::Exact | Rung::Endings, Strategy::Section | Strategy::Lines | Strategy::Diff) => {
                match how.strip_prefix(EXACT) {
                    Some(rest) => {
                        let rest = rest.trim_start_matches(';').trim_start();
                        (!rest.is_empty()).then(|| format!("placed {rest}"))
                    }
                    None if how == NEW || how == EMPTY || how == WHOLE => None,
                    None => placed_by(how),
                }
            }
        }
    }
}

fn placed_by(how: &str) -> Option<String> {
    (!how.is_empty()).then(|| format!("found by {how}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::intent::Operation;
    use crate::edit::plan::Evidence;
    use crate::id::Timestamp;
    use crate::stage::proposal::Origin;

    #[test]
    fn a_user_reads_how_a_place_was_found_where_it_is_not_as_quoted() {
        let similar = "placed by similarity: with other white space";
        let near = "the nearest of several matches, 2 lines below the line number given";
        for (strategy, rung, how, told) in [
            (Strategy::Section, Rung::Exact, "exact", None),
            (Strategy::Diff, Rung::Exact, "new file", None),
            (Strategy::Diff, Rung::Exact, "whole file", None),
            (Strategy::Diff, Rung::Endings, "exact", None),
            (
                Strategy::Diff,
                Rung::Exact,
                "exact; 4 lines below the line number given",
                Some("placed 4 lines below the line number given"),
            ),
            (
                Strategy::Diff,
                Rung::Exact,
                &format!("exact; {near}"),
                Some(&*format!("placed {near}")),
            ),
            (
                Strategy::Lines,
                Rung::Exact,
                "line numbers",
                Some("found by line numbers"),
            ),
            (
                Strategy::Whole,
                Rung::Exact,
                "whole text, compared line by line",
                None,
            ),
            (
                Strategy::Program,
                Rung::Exact,
                "as the program left it",
                None,
            ),
            (
                Strategy::Recipe,
                Rung::Exact,
                "2 references to the top-level name",
                Some("2 references to the top-level name"),
            ),
            (
                Strategy::Section,
                Rung::Loose,
                "with other white space",
                Some(similar),
            ),
            (
                Strategy::Diff,
                Rung::Fuzzy,
                "with other white space",
                Some(similar),
            ),
        ] {
            let card = Card {
                operation: Operation::Modify,
                description: String::new(),
                strategy,
                evidence: how.to_owned(),
                matched: Some(Evidence::new(rung, how)).filter(Evidence::is_told),
                note: None,
                held: None,
                created: Timestamp(0),
                origin: Origin::default(),
            };
            assert_eq!(
                card.placed().as_deref(),
                told,
                "{strategy:?} {rung:?} {how}"
            );
        }
    }
}
