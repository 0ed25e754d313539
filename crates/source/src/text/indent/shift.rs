//! The shift between the indentation of a request and that of the file, where all lines share one.
//!
//! ```text
//! request    file
//! a {        ....a {        shifted by 4 blanks
//! ....b      ........b      shifted by 4 blanks
//! ....c                     a new line: goes to ........c
//! ```

/// How one line is indented in a request and in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lead {
    /// Indentation in the request.
    pub asked: String,
    /// Indentation in the file.
    pub file: String,
}

impl Lead {
    /// Returns whether request and file indent the line alike.
    pub fn is_kept(&self) -> bool {
        self.asked == self.file
    }

    /// Returns whether neither side indents the line, so that it shows nothing.
    pub fn is_flush(&self) -> bool {
        self.asked.is_empty() && self.file.is_empty()
    }
}

/// White space that every line has more or less of in the file than in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The file has this before each line.
    In(String),
    /// The request has this before each line.
    Out(String),
}

impl Shift {
    /// Returns the shift that all lines share; `None` if they are indented alike, or differ each in
    /// its own way.
    pub fn of<'a>(leads: impl IntoIterator<Item = &'a Lead>) -> Option<Self> {
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

    /// Returns indentation moved by the shift; `None` if it lacks the white space to take away.
    pub fn applied(&self, lead: &str) -> Option<String> {
        match self {
            Self::In(more) => Some(format!("{more}{lead}")),
            Self::Out(more) => lead.strip_prefix(more.as_str()).map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_moves_as_all_others_did() {
        let check = |leads: &[(&str, &str)], lead: &str, expected: Option<&str>| {
            let of = |(asked, file): &(&str, &str)| Lead {
                asked: (*asked).to_owned(),
                file: (*file).to_owned(),
            };
            let leads: Vec<Lead> = leads.iter().map(of).collect();
            let moved = Shift::of(&leads).and_then(|shift| shift.applied(lead));
            assert_eq!(moved.as_deref(), expected, "{leads:?}");
        };
        check(&[("", "    "), ("  ", "      ")], "    ", Some("        "));
        check(&[("\t", "\t\t")], "  ", Some("\t  "));
        check(&[("  ", "")], "    ", Some("  "));
        check(&[("   ", "")], "  ", None);
        check(&[("  ", "  ")], "  ", None);
        check(&[("  ", "    "), ("    ", "        ")], "  ", None);
        check(&[("  ", "\t")], "  ", None);
        check(&[], "  ", None);
    }
}
