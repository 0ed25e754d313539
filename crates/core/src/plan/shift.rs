//! Indentation shift between a request and the file.
//!
//! In: how lines of one part of a request are indented, there and in the file. Out: the one shift that all
//! of them show, and other parts of the request as they would stand with it: where that is in the file as
//! well, a part that stands as given may have been found in a copy of what is meant.

use super::rewrite::Lead;

/// Maximum number of different shifts of indentation that are counted.
const MAX_SHIFTS: usize = 4;

/// Blanks that every line of a part has more or fewer in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// The file has them before each line.
    In(String),
    /// The request has them before each line.
    Out(String),
}

impl Shift {
    /// Returns the shift that all these lines show; none if they stand as given, or each in its own way.
    pub(super) fn of(leads: &[Lead]) -> Option<Self> {
        let shift = Self::between(leads.first()?)?;
        let same = |lead: &Lead| Self::between(lead).as_ref() == Some(&shift);
        leads.iter().all(same).then_some(shift)
    }

    fn between((own, theirs): &Lead) -> Option<Self> {
        let shift = match theirs.strip_suffix(own.as_str()) {
            Some(more) => Self::In(more.to_owned()),
            None => Self::Out(own.strip_suffix(theirs.as_str())?.to_owned()),
        };
        (shift != Self::In(String::new())).then_some(shift)
    }

    /// Returns lines as they stand in the file; none if they have not the blanks that are too many, or
    /// nothing is on them.
    pub(super) fn moved(&self, text: &str) -> Option<String> {
        let lines = text.split_inclusive('\n').map(|line| match self {
            _ if line.trim().is_empty() => Some(line.to_owned()),
            Self::In(more) => Some(format!("{more}{line}")),
            Self::Out(more) => line.strip_prefix(more.as_str()).map(str::to_owned),
        });
        let moved: String = lines.collect::<Option<_>>()?;
        (!moved.trim().is_empty()).then_some(moved)
    }
}

/// Returns for each part of a request the shifts that other parts show and it does not.
pub(super) fn of_others(own: &[Option<Shift>]) -> impl Iterator<Item = Vec<&Shift>> {
    let mut shown: Vec<&Shift> = Vec::new();
    for shift in own.iter().flatten() {
        if shown.len() < MAX_SHIFTS && !shown.contains(&shift) {
            shown.push(shift);
        }
    }
    own.iter().map(move |own| {
        let others = shown.iter().copied();
        others
            .filter(|shift| own.as_ref() != Some(*shift))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(leads: &[(&str, &str)], text: &str, expected: Option<&str>) {
        let lead = |(own, theirs): &(&str, &str)| ((*own).to_owned(), (*theirs).to_owned());
        let leads: Vec<Lead> = leads.iter().map(lead).collect();
        let moved = Shift::of(&leads).and_then(|shift| shift.moved(text));
        assert_eq!(moved.as_deref(), expected, "{leads:?}");
    }

    #[test]
    fn lines_move_as_others_did() {
        let text = "  a\n\n    b";
        check(
            &[("", "    "), ("  ", "      ")],
            text,
            Some("      a\n\n        b"),
        );
        check(&[("\t", "\t\t")], text, Some("\t  a\n\n\t    b"));
        check(&[("  ", "")], text, Some("a\n\n  b"));
        check(&[("   ", "")], text, None);
        check(&[("  ", "  ")], text, None);
        check(&[("  ", "    "), ("    ", "        ")], text, None);
        check(&[("  ", "\t")], text, None);
        check(&[("", "  ")], " \n", None);
        check(&[], text, None);
    }
}
