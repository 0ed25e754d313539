//! Subjects of a call: what rules, prompt and tool read from its arguments.
//!
//! In: a call's arguments, untrusted. Out: a command line or paths, read with the types that the
//! tool itself uses, or the answer to a call that its tool would refuse to read.

use serde::de::DeserializeOwned;
use signoff_core::plan;
use signoff_core::request::Payload;

use super::ToolOutput;
use super::arguments::parse;

/// What a call is used on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subjects {
    /// A command line for `/bin/bash`.
    Command(String),
    /// A command line for `/bin/bash` that is confined: files on disk and the network are out of reach.
    Confined(String),
    /// Paths as the model wrote them; none for a call without a path.
    Paths(Vec<String>),
}

/// Reads the subjects of a call of one tool.
pub type ReadSubjects = fn(&str) -> Result<Subjects, ToolOutput>;

/// Arguments that know their subjects.
pub(super) trait HasSubjects {
    fn subjects(&self) -> Subjects;
}

impl Subjects {
    /// Returns the subjects as the user is shown them.
    pub fn shown(&self) -> String {
        match self {
            Self::Command(line) | Self::Confined(line) => line.clone(),
            Self::Paths(paths) => {
                let mut paths = paths.clone();
                paths.dedup();
                paths.join(", ")
            }
        }
    }

    pub(super) fn path(path: &str) -> Self {
        Self::Paths(vec![path.to_owned()])
    }
}

/// Reads arguments of type `T`, which is the type that the tool reads them with.
pub(super) fn of<T: DeserializeOwned + HasSubjects>(
    arguments: &str,
) -> Result<Subjects, ToolOutput> {
    parse::<T>(arguments).map(|arguments| arguments.subjects())
}

/// Reads every file that a payload names: in its changes, in its patches, as targets of moves.
pub(super) fn of_payload(arguments: &str) -> Result<Subjects, ToolOutput> {
    match Payload::parse(arguments) {
        Ok(payload) => Ok(Subjects::Paths(plan::paths(&payload.changes))),
        Err(invalid) => Err(super::context::refused(&invalid.to_string())),
    }
}
