//! Triage of a call before any tool runs.
//!
//! In: a call as the model wrote it, and the phase of its request. Out: run it, or the
//! answer that it gets instead.

use super::turn::permission_prompt::consent_for;
use super::turn::reply::Whole;
use super::turn::round::{Asking, Round};
use super::{Config, Phase, regenerating};
use crate::compaction;
use crate::gate::{self, Ruling};
use crate::message::ToolCall;
use crate::mode::Mode;
use crate::tool::{CALL, PreparedCall, Reach, Registry, ToolOutput, ToolSpec};

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

/// A call that is answered without being run.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The call.
    pub(super) call: ToolCall,
    /// The files that it is about.
    pub(super) files: Vec<String>,
    /// Its answer.
    pub(super) output: ToolOutput,
    /// True if its arguments could not be read.
    pub(super) is_unreadable: bool,
}

/// The calls of an answer.
#[derive(Debug, Default)]
pub(super) struct TriagedCalls {
    /// Those that run, if the user lets them.
    pub(super) round: Round,
    /// Those that are answered at once.
    pub(super) refused: Vec<Refusal>,
    /// Those that the user has stopped.
    pub(super) stopped: Vec<ToolCall>,
}

impl TriagedCalls {
    /// Returns the calls of the answer to a request made in `phase`, in a mode; `is_limited` where the turn writes hunks
    /// again and changes nothing else.
    pub(super) fn of(
        whole: Whole,
        config: &Config,
        (phase, is_limited): (Phase, bool),
        mode: Mode,
    ) -> Self {
        let mut triaged = Self::default();
        for call in whole.calls {
            if whole.stopped.contains(&call.id) {
                triaged.stopped.push(call);
                continue;
            }
            let (output, is_unreadable) = match triage(&config.tools, phase, mode, &call) {
                Triage::Run(prepared) => {
                    let limited = regenerating::refusal(prepared.reach()).filter(|_| is_limited);
                    let consent = limited.map_or_else(|| consent_for(config, &prepared), Err);
                    let consent = consent.and_then(|consent| {
                        match mode.refusal(prepared.reach()) {
                            // What a server does is none of the workspace's files, so a rule may allow it.
                            Some(text) if consent != Asking::Granted => {
                                Err(ToolOutput::failed(text, "refused: plan mode"))
                            }
                            _ => Ok(consent),
                        }
                    });
                    match consent {
                        Ok(consent) => triaged.round.add(prepared, consent),
                        Err(output) => triaged.refused.push(Refusal {
                            call,
                            files: prepared.files().to_vec(),
                            output,
                            is_unreadable: false,
                        }),
                    }
                    continue;
                }
                Triage::Answer(output) => (output, false),
                Triage::Unreadable(output) => (output, true),
            };
            triaged.refused.push(Refusal {
                files: compaction::paths(&call.arguments),
                call,
                output,
                is_unreadable,
            });
        }
        triaged
    }
}

/// Tells whether calls of a tool say what they are going to do to a file.
pub(super) fn announces(tools: &Registry, name: &str) -> bool {
    tools.find(name).is_some_and(|tool| {
        let spec = tool.spec();
        spec.reach == Reach::Stage || takes_description(spec)
    })
}

/// Returns what is to be done with a call in the answer to a request made in `phase`, in a mode.
pub(super) fn triage(tools: &Registry, phase: Phase, mode: Mode, call: &ToolCall) -> Triage {
    let meant = tools.meant(call);
    let call = meant.as_ref().unwrap_or(call);
    let Some(tool) = tools.find(&call.name) else {
        return Triage::Answer(unknown(tools, &call.name));
    };
    let reach = tool.spec().reach;
    if let Ruling::Refuse(text) = gate::judge(phase, reach) {
        return Triage::Answer(ToolOutput::failed(text, "refused: edits wait for review"));
    }
    let refusal = mode.refusal(reach).filter(|_| call.name != CALL);
    if let Some(text) = refusal {
        return Triage::Answer(ToolOutput::failed(text, "refused: plan mode"));
    }
    match tool.prepare(call) {
        Ok(prepared) => Triage::Run(prepared),
        Err(output) => Triage::Unreadable(output),
    }
}

fn unknown(tools: &Registry, name: &str) -> ToolOutput {
    const SHOWN: usize = 64;
    let name: String = name.chars().take(SHOWN).collect();
    let names: Vec<_> = tools.tools().iter().map(|tool| tool.spec().name).collect();
    ToolOutput::failed(
        format!(
            "error: there is no tool {name:?}; the tools are: {}",
            names.join(", ")
        ),
        "no such tool",
    )
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
        match super::triage(&test_kit::specs(), phase, Mode::Step, &call) {
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
        let tools = test_kit::specs();
        assert!(announces(&tools, "declare_edit_intent") && announces(&tools, "edit_section"));
        assert!(!announces(&tools, "read") && !announces(&tools, "nothing"));
    }
}
