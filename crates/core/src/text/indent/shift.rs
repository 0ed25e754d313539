//! The shift between the indentation of a request and that of the file.
//!
//! In: how lines of one part of a request are indented, there and in the file. Out: the shift that
//! all of them share, and other lines moved by it. Where a part of a request would also stand in
//! the file when moved as its other parts were, the place where it stands as given may be a copy.

/// How one line is indented in a request and in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lead {
    /// Indentation in the request.
    pub(crate) asked: String,
    /// Indentation in the file.
    pub(crate) file: String,
}

impl Lead {
    /// Returns whether request and file indent the line alike.
    pub(crate) fn is_kept(&self) -> bool {
        self.asked == self.file
    }

    /// Returns whether neither side indents the line, so that it shows nothing.
    pub(crate) fn is_flush(&self) -> bool {
        self.asked.is_empty() && self.file.is_empty()
    }
}

/// Number of different shifts that are compared: each is a search of the file for each part.
const MAX_SHIFTS: usize = 4;

/// White space that every line has more or less of in the file than in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// The file has them before each line.
    In(String),
    /// The request has them before each line.
    Out(String),
}

impl Shift {
    /// Returns the shift that all lines share; `None` if they are indented alike, or differ each in
    /// its own way.
    pub(crate) fn of<'a>(leads: impl IntoIterator<Item = &'a Lead>) -> Option<Self> {
        let mut leads = leads.into_iter();
        let shift = Self::between(leads.next()?)?;
        leads
            .all(|lead| Self::between(lead).as_ref() == Some(&shift))
            .then_some(shift)
    }

    fn between(lead: &Lead) -> Option<Self> {
        let shift = match lead.file.strip_suffix(lead.asked.as_str()) {
            Some(more) => Self::In(more.to_owned()),
            None => Self::Out(lead.asked.strip_suffix(lead.file.as_str())?.to_owned()),
        };
        (!lead.is_kept()).then_some(shift)
    }

    /// Returns a line moved by the shift; `None` if it lacks the white space to take away.
    pub(crate) fn applied(&self, line: &str) -> Option<String> {
        match self {
            Self::In(more) => Some(format!("{more}{line}")),
            Self::Out(more) => line.strip_prefix(more.as_str()).map(str::to_owned),
        }
    }

    /// Returns lines as they would stand in the file; `None` if one lacks the white space to take
    /// away, or if all are blank.
    pub(crate) fn moved(&self, text: &str) -> Option<String> {
        let lines = text.split_inclusive('\n').map(|line| match line.trim() {
            "" => Some(line.to_owned()),
            _ => self.applied(line),
        });
        let moved: String = lines.collect::<Option<_>>()?;
        (!moved.trim().is_empty()).then_some(moved)
    }
}

/// Returns for each part of a request the shifts that other parts show and it does not.
pub(crate) fn of_others(own: &[Option<Shift>]) -> impl Iterator<Item = Vec<&Shift>> {
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
        let lead = |(asked, file): &(&str, &str)| Lead {
            asked: (*asked).to_owned(),
            file: (*file).to_owned(),
        };
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
