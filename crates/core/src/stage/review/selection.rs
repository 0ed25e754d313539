//! Line selection: what a hunk comes to if only some of its lines are taken.
//!
//! In: a hunk, and which of its changed lines are selected. Out: the text to be written in place of its new text. A
//! selected line is carried out; an added line that is not selected stays out, a removed one stays in. Context stays.
//! Selected added lines stand where the selected removed ones were.
//!
//! ```text
//!   selected   hunk             text
//!              fn a() {
//!   yes       -    one();           uno();
//!   no        -    two();           two();
//!   yes       +    uno();
//!   no        +    due();
//!              }
//! ```

use super::HunkView;
use crate::edit::diff::line::{DiffLine, LineKind};

/// What the selected lines of a hunk come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineSelectionOutcome {
    /// The hunk as it is.
    Whole,
    /// The text that the file has already.
    Nothing,
    /// Another text.
    Part {
        /// The text from the first changed line to the last one, see [`HunkView::new_text`].
        text: String,
        /// A line that had no line ending and gets one, since another follows it.
        ended: Option<String>,
    },
}

impl HunkView {
    /// Returns what the hunk comes to if only the changed lines for which `is_selected` returns true are carried out;
    /// it is asked with indexes into [`Self::lines`].
    pub fn select_lines(&self, is_selected: impl Fn(usize) -> bool) -> LineSelectionOutcome {
        let (text, ended) = self.text_of(&self.selected_order(&is_selected));
        if text == self.text_of(&self.selected_order(&|_| true)).0 {
            LineSelectionOutcome::Whole
        } else if text == self.text_of(&self.selected_order(&|_| false)).0 {
            LineSelectionOutcome::Nothing
        } else {
            LineSelectionOutcome::Part { text, ended }
        }
    }

    /// Returns the lines that are there with the selected changes alone, in their order.
    pub(crate) fn selected_order(&self, is_selected: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.lines.len());
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            if line.kind == LineKind::Context {
                order.push(at);
                at += 1;
                continue;
            }
            let removed = at..at + self.run_of(at, LineKind::Removed);
            let added = removed.end..removed.end + self.run_of(removed.end, LineKind::Added);
            at = added.end;
            let block = ChangedBlock {
                removed: removed.map(|line| (line, is_selected(line))).collect(),
                added: added.map(|line| (line, is_selected(line))).collect(),
            };
            order.extend(block.order());
        }
        order
    }

    fn run_of(&self, from: usize, kind: LineKind) -> usize {
        let lines = self.lines.iter().skip(from);
        lines.take_while(|line| line.kind == kind).count()
    }

    /// Returns the text of lines, from the first changed line to the last one, and the line that gets a line ending.
    fn text_of(&self, order: &[usize]) -> (String, Option<String>) {
        let first = self.lines.iter().position(is_change);
        let last = self.lines.iter().rposition(is_change);
        let (mut text, mut ended) = (String::new(), None);
        let Some((first, last)) = first.zip(last) else {
            return (text, ended);
        };
        let mut open: Option<&str> = None;
        let within = order.iter().filter(|index| (first..=last).contains(*index));
        for line in within.filter_map(|index| self.lines.get(*index)) {
            if let Some(before) = open.take() {
                text.push('\n');
                ended = Some(before.to_owned());
            }
            text.push_str(&line.text);
            if line.newline {
                text.push('\n');
            } else {
                open = Some(&line.text);
            }
        }
        (text, ended)
    }
}

/// Removed lines and the added ones in their place, each with whether it is selected.
struct ChangedBlock {
    removed: Vec<(usize, bool)>,
    added: Vec<(usize, bool)>,
}

impl ChangedBlock {
    /// Returns the lines that are there: removed ones that are not selected, and added ones that are.
    ///
    /// ```text
    /// -one  -two  -three  +un  +deux  +trois      selected        there are
    ///                                             -two +deux      one deux three       each in the place of its like
    ///                                             +deux           one two deux three   behind the line that has its place
    /// -a  -b  +new  +A  +B                        all but -b +B   new A b              b where B is
    /// -a  -b  +new  +A  +B                        -a +new +A      new A b              both where a was
    /// ```
    fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut taken = self.places().into_iter().peekable();
        for (place, (line, is_selected)) in self.removed.iter().enumerate() {
            while let Some((_, added)) = taken.next_if(|(own, _)| *own <= place) {
                order.push(added);
            }
            if !is_selected {
                order.push(*line);
            }
        }
        order.extend(taken.map(|(_, added)| added));
        order
    }

    /// Returns the selected added lines, each with how many removed lines stand before it.
    fn places(&self) -> Vec<(usize, usize)> {
        let at = |is_selected: bool| {
            let lines = self.removed.iter().enumerate();
            let own = lines.filter(move |(_, line)| line.1 == is_selected);
            own.map(|(place, _)| place + 1).collect::<Vec<usize>>()
        };
        let (gone, kept) = (at(true), at(false));
        let taken = self.added.iter().filter(|line| line.1).count();
        let are_exchanged = taken == gone.len();
        let are_left = self.added.len() - taken == kept.len();
        let are_level = self.added.len() == self.removed.len();
        let (mut chosen, mut passed) = (0, 0_usize);
        let mut places = Vec::with_capacity(taken);
        for (index, (line, is_selected)) in self.added.iter().enumerate() {
            if !is_selected {
                passed += 1;
                continue;
            }
            let place = if are_exchanged {
                gone.get(chosen).copied()
            } else if are_left {
                Some(
                    passed
                        .checked_sub(1)
                        .and_then(|last| kept.get(last).copied())
                        .unwrap_or(0),
                )
            } else if are_level {
                Some(index + 1)
            } else {
                gone.get(chosen).or(gone.last()).copied()
            };
            chosen += 1;
            places.push((place.unwrap_or(self.removed.len()), *line));
        }
        places
    }
}

fn is_change(line: &DiffLine) -> bool {
    line.kind != LineKind::Context
}

#[cfg(test)]
mod tests {
    use super::ChangedBlock;

    /// Lines are words; those that are selected have a star behind them.
    #[test]
    fn selected_lines_stand_where_those_were_that_they_replace() {
        for (removed, added, expected) in [
            ("one* two* three*", "un* deux* trois*", "un deux trois"),
            ("one two three", "un deux trois", "one two three"),
            ("one two* three", "un deux* trois", "one deux three"),
            ("one* two three*", "un* deux trois*", "un two trois"),
            ("one* two* three", "un* deux trois", "un three"),
            ("one two three", "un deux* trois", "one two deux three"),
            ("one two* three", "un deux trois*", "one trois three"),
            ("def* doc", "def* doc extra*", "def doc extra"),
            ("a* b", "new A* B", "A b"),
            ("a* b", "new* A* B", "new A b"),
            ("a* b c*", "A* B*", "A b B"),
            ("a b* c d", "A* B* C*", "a A B C c d"),
            ("a b", "A* B C", "A a b"),
            ("a b", "", "a b"),
            ("", "a* b c*", "a c"),
        ] {
            let removed: Vec<&str> = removed.split_whitespace().collect();
            let added: Vec<&str> = added.split_whitespace().collect();
            let all = [&removed[..], &added[..]].concat();
            let side = |from: usize, lines: &[&str]| {
                let lines = lines.iter().enumerate();
                lines
                    .map(|(at, line)| (from + at, line.ends_with('*')))
                    .collect()
            };
            let block = ChangedBlock {
                removed: side(0, &removed),
                added: side(removed.len(), &added),
            };
            let order = block.order().into_iter();
            let text: Vec<&str> = order.map(|line| all[line].trim_end_matches('*')).collect();
            assert_eq!(text.join(" "), expected, "{removed:?} {added:?}");
        }
    }
}
