//! Subjects of a call: what rules, prompt and tool read from its arguments.
//!
//! In: a call's arguments, untrusted. Out: a command line or paths, read with the types that the
//! tool itself uses, or the answer to a call that its tool would refuse to read.

use serde::de::DeserializeOwned;
use signoff_core::plan;
use signoff_core::request::Payload;

use super::arguments::parse;
pub(super) use crate::tool_spec::Subjects;
use crate::tool_spec::ToolOutput;

/// Arguments that know their subjects.
pub(super) trait HasSubjects {
    fn subjects(&self) -> Subjects;
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
