//! Cases: what is asked of which text, and what is right.
//!
//! In: edits. Out: cases of all classes. A class is a line in [`classes`]: a kind, a name, the
//! formats that it is for and the function that makes a case of an edit, if it can.

use crate::clean;
use crate::drift;
use crate::edit::Edit;
use crate::format::Format;
use crate::noise;
use crate::random::Random;
use crate::traps;

/// How far the text is from what the request was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The request fits the text.
    Clean,
    /// The text has moved on.
    Drift,
    /// The request is mutated as models do.
    Noise,
    /// Nothing must be written.
    Trap,
}

/// What is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// This text.
    Text(String),
    /// An answer that it cannot be done.
    Refusal,
    /// An answer that it is done already.
    Already,
}

/// One request on one text.
pub(crate) struct Case {
    pub(crate) path: String,
    pub(crate) before: String,
    pub(crate) change: serde_json::Value,
    pub(crate) truth: Truth,
}

/// Makes a case of an edit; the second edit is of another file.
pub(crate) type Make = fn(&mut Random, &Edit, &Edit, Format) -> Option<Case>;

/// One way to make cases.
pub(crate) struct Class {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    pub(crate) formats: &'static [Format],
    /// So many times as many cases as of others.
    pub(crate) weight: usize,
    pub(crate) make: Make,
}

/// Returns all classes.
pub(crate) fn classes() -> Vec<Class> {
    let mut all = Vec::new();
    all.extend(clean::classes());
    all.extend(drift::classes());
    all.extend(noise::classes());
    all.extend(traps::classes());
    all
}

impl Kind {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Self; 4] = [Self::Clean, Self::Drift, Self::Noise, Self::Trap];

    /// Returns its name on the command line and in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Drift => "drift",
            Self::Noise => "noise",
            Self::Trap => "trap",
        }
    }
}
