//! Triage of a call before any tool runs.
//!
//! In: a call as the model wrote it, and the phase of its request. Out: run it, or the
//! answer that it gets instead.

use super::Phase;
use crate::gate::{self, Ruling};
use crate::message::ToolCall;
use crate::mode::Mode;
use crate::tool::{PreparedCall, Reach, Registry, ToolOutput, ToolSpec};

/// The tools that exist.
#[derive(Debug)]
pub(super) struct Toolbox {
    tools: Registry,
}

/// What is to be done with a call.
#[derive(Debug, PartialEq)]
pub(super) enum Triage {
    /// Its tool runs, if the rules and the user let it.
    Run(PreparedCall),
    /// It is answered at once: there is no such tool, or not now.
    Answer(ToolOutput),
    /// Its tool cannot read its arguments, so no rule can be applied to it.
    Unreadable(ToolOutput),
}

impl Toolbox {
    /// Returns a toolbox of these tools.
    pub(super) fn new(tools: Registry) -> Self {
        Self { tools }
    }

    /// Returns the specs, for a request.
    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        self.tools.specs()
    }

    /// Returns how far a tool reaches, if it exists.
    pub(super) fn reach(&self, name: &str) -> Option<Reach> {
        self.tools.reach(name)
    }

    /// Tells whether calls of this tool say what they are going to do to a file.
    pub(super) fn announces(&self, name: &str) -> bool {
        self.tools.find(name).is_some_and(|tool| {
            let spec = tool.spec();
            spec.reach == Reach::Stage || takes_description(spec)
        })
    }

    /// Returns what is to be done with a call in the answer to a request made in `phase`, in a mode.
    pub(super) fn triage(&self, phase: Phase, mode: Mode, call: &ToolCall) -> Triage {
        let Some(tool) = self.tools.find(&call.name) else {
            return Triage::Answer(self.unknown(&call.name));
        };
        let reach = tool.spec().reach;
        if let Ruling::Refuse(text) = gate::judge(phase, reach) {
            return Triage::Answer(ToolOutput::failed(text, "refused: edits wait for review"));
        }
        if let Some(text) = mode.refusal(reach) {
            return Triage::Answer(ToolOutput::failed(text, "refused: plan mode"));
        }
        match tool.prepare(call) {
            Ok(prepared) => Triage::Run(prepared),
            Err(output) => Triage::Unreadable(output),
        }
    }

    fn unknown(&self, name: &str) -> ToolOutput {
        const SHOWN: usize = 64;
        let name: String = name.chars().take(SHOWN).collect();
        let tools = self.tools.tools().iter();
        let names: Vec<_> = tools.map(|tool| tool.spec().name).collect();
        ToolOutput::failed(
            format!(
                "error: there is no tool {name:?}; the tools are: {}",
                names.join(", ")
            ),
            "no such tool",
        )
    }
}

fn takes_description(spec: &ToolSpec) -> bool {
    spec.parameters.pointer("/properties/description").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::CallId;
    use crate::session::test_kit;

    fn triage(phase: Phase, name: &str, arguments: &str) -> String {
        let call = ToolCall {
            id: CallId("a".to_owned()),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        match test_kit::toolbox().triage(phase, Mode::Step, &call) {
            Triage::Run(prepared) => format!("{:?}", prepared.reach()),
            Triage::Answer(output) | Triage::Unreadable(output) => {
                assert!(!output.ok && output.staged.is_empty());
                output.content
            }
        }
    }

    #[test]
    fn known_calls_run() {
        assert_eq!(triage(Phase::Asking, "read", "{}"), "Observe");
        assert_eq!(triage(Phase::Asking, "edit_section", "{}"), "Stage");
    }

    #[test]
    fn an_unknown_tool_is_answered_with_the_names() {
        insta::assert_snapshot!(
            triage(Phase::Asking, "shell\u{1b}[2J", "{}"),
            @r#"error: there is no tool "shell\u{1b}[2J"; the tools are: declare_edit_intent, edit_section, read, bash"#
        );
    }

    #[test]
    fn malformed_arguments_are_answered_with_the_place() {
        insta::assert_snapshot!(
            triage(Phase::Asking, "read", "{\"path\": \"a\",\n \"start\" 3}"),
            @"error: the arguments are not valid JSON: expected `:` at line 2 column 10. Nothing was changed. Send the whole call again."
        );
        insta::assert_snapshot!(
            triage(Phase::Asking, "read", "{\"path\": \"a"),
            @"error: the arguments are not valid JSON: EOF while parsing a string at line 1 column 11. Nothing was changed. They end too early: send the whole call again, and less in one call."
        );
    }

    #[test]
    fn in_closing_all_are_refused() {
        for name in ["read", "edit_section"] {
            assert!(triage(Phase::Closing, name, "{}").starts_with("refused: "));
        }
    }

    #[test]
    fn tools_with_a_description_announce() {
        let tools = test_kit::toolbox();
        assert!(tools.announces("declare_edit_intent") && tools.announces("edit_section"));
        assert!(!tools.announces("read") && !tools.announces("nothing"));
    }
}
