//! Questions to the user of an editor: whether a call may run, whether a proposal is approved, and why not.
//!
//! In: a call or the card of a proposal. Out: the question, and what the id of an option means. An id that is none of those
//! that were offered answers nothing.
//!
//! The protocol has no room for a reason in an answer. Where the editor shows forms, a form asks for it after the option
//! that says so. Elsewhere a denial waits for the next prompt, which is its reason.

use agent_client_protocol_schema::v1::{
    AgentRequest, CreateElicitationRequest, CreateElicitationResponse, ElicitationAction,
    ElicitationContentValue, ElicitationFormMode, ElicitationSchema, ElicitationSessionScope,
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SessionId, StringPropertySchema, ToolCallContent, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::Value;
use signoff_core::clip;
use signoff_core::id::ProposalId;
use signoff_core::stage::review::Verdict;
use signoff_draw::sanitize;
use signoff_llm::message::CallId;
use signoff_llm::session::{Grant, NETWORK};

use super::card::EditorCard;
use super::update::clean_lines;

/// Maximum length of a reason, in bytes: a longer text is a prompt of its own.
pub(super) const MAX_REASON: u16 = 2000;

const RUN_ONCE: &str = "once";
const RUN_ALWAYS: &str = "always";
const REACH_IN_SESSION: &str = "session";
const REFUSE: &str = "refuse";
const REFUSE_WHY: &str = "refuse-why";
const APPROVE: &str = "approve";
const DENY: &str = "deny";
const DENY_WHY: &str = "deny-why";

/// The field of a form that has the reason.
const REASON: &str = "reason";

/// What an answer says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallAnswer {
    Grant(Grant),
    /// It does not run, for a reason that the user is asked for.
    RefuseFor,
}

/// What an answer says of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProposalAnswer {
    Verdict(Verdict),
    /// It is denied, for a reason that the user is asked for.
    DenyFor,
    /// Nothing: the proposal waits on.
    Left,
}

/// Returns the question about a call.
pub(super) fn about_call(
    session: &SessionId,
    call: &CallId,
    (tool, subject): (&str, &str),
    has_forms: bool,
) -> AgentRequest {
    let mut options = if tool == NETWORK {
        vec![
            allow(RUN_ONCE, "Let this command reach it"),
            allow_always(
                REACH_IN_SESSION,
                "Let all commands reach it in this session",
            ),
            allow_always(RUN_ALWAYS, "Always: write it to the configuration"),
            reject(REFUSE, "Refuse it"),
        ]
    } else {
        vec![
            allow(RUN_ONCE, "Run it"),
            allow_always(RUN_ALWAYS, "Run it, and the very same call from now on"),
            reject(REFUSE, "Do not run it"),
        ]
    };
    options.extend(has_forms.then(|| reject(REFUSE_WHY, "Do not run it, and say why")));
    let shown = ToolCallUpdateFields::new()
        .title(sanitize::clean(&format!("{tool}: {subject}")))
        .content(vec![ToolCallContent::from(clean_lines(subject))])
        .status(ToolCallStatus::Pending);
    let call = ToolCallUpdate::new(call.0.clone(), shown);
    permission(session, call, options)
}

/// Returns the question about a proposal.
pub(super) fn about_proposal(
    session: &SessionId,
    proposal: ProposalId,
    card: &EditorCard,
    has_forms: bool,
) -> AgentRequest {
    let why = if has_forms {
        "Deny, and say why"
    } else {
        "Deny, and say why in the next prompt"
    };
    let options = vec![
        allow(APPROVE, "Approve: write it"),
        reject(DENY, "Deny: drop it"),
        reject(DENY_WHY, why),
    ];
    let call = card.call(proposal, ToolCallStatus::Pending);
    permission(session, call.into(), options)
}

fn permission(
    session: &SessionId,
    call: ToolCallUpdate,
    options: Vec<PermissionOption>,
) -> AgentRequest {
    let request = RequestPermissionRequest::new(session.clone(), call, options);
    AgentRequest::RequestPermissionRequest(request)
}

fn allow(id: &'static str, name: &str) -> PermissionOption {
    PermissionOption::new(id, name, PermissionOptionKind::AllowOnce)
}

fn allow_always(id: &'static str, name: &str) -> PermissionOption {
    PermissionOption::new(id, name, PermissionOptionKind::AllowAlways)
}

fn reject(id: &'static str, name: &str) -> PermissionOption {
    PermissionOption::new(id, name, PermissionOptionKind::RejectOnce)
}

/// Returns the form that asks for a reason; `id` is the tool call that it is about.
pub(super) fn about_reason(session: &SessionId, id: &str, message: &str) -> AgentRequest {
    let reason = StringPropertySchema::new()
        .title("Reason")
        .description("What the model should do instead")
        .max_length(u32::from(MAX_REASON));
    let scope = ElicitationSessionScope::new(session.clone()).tool_call_id(id);
    let schema = ElicitationSchema::new().property(REASON, reason, true);
    let form = ElicitationFormMode::new(scope, schema);
    AgentRequest::CreateElicitationRequest(CreateElicitationRequest::new(form, message))
}

/// Returns the id of the option that an answer selects, if it does.
fn selected(answer: &Value) -> Option<String> {
    let answer: RequestPermissionResponse = serde_json::from_value(answer.clone()).ok()?;
    match answer.outcome {
        RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
        _ => None,
    }
}

/// Returns what the user's answer means for a call. Without one it does not run.
pub(super) fn call_answer(answer: &Value) -> CallAnswer {
    match selected(answer).as_deref() {
        Some(RUN_ONCE) => CallAnswer::Grant(Grant::Once),
        Some(REACH_IN_SESSION) => CallAnswer::Grant(Grant::Session),
        Some(RUN_ALWAYS) => CallAnswer::Grant(Grant::Always),
        Some(REFUSE_WHY) => CallAnswer::RefuseFor,
        _ => CallAnswer::Grant(Grant::Refuse { reason: None }),
    }
}

/// Returns what the user's answer means for a proposal.
pub(super) fn proposal_answer(answer: &Value) -> ProposalAnswer {
    match selected(answer).as_deref() {
        Some(APPROVE) => ProposalAnswer::Verdict(Verdict::Approve),
        Some(DENY) => ProposalAnswer::Verdict(Verdict::Deny { reason: None }),
        Some(DENY_WHY) => ProposalAnswer::DenyFor,
        _ => ProposalAnswer::Left,
    }
}

/// Returns the reason that a form was filled in with, cut to [`MAX_REASON`]; none if it is empty or was closed.
pub(super) fn reason(answer: &Value) -> Option<String> {
    let answer: CreateElicitationResponse = serde_json::from_value(answer.clone()).ok()?;
    let ElicitationAction::Accept(accepted) = answer.action else {
        return None;
    };
    let mut content = accepted.content?;
    let Some(ElicitationContentValue::String(text)) = content.remove(REASON) else {
        return None;
    };
    let text = clip::head(text.trim(), usize::from(MAX_REASON));
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_options_that_were_offered_answer() {
        let selected =
            |option: &str| json!({"outcome": {"outcome": "selected", "optionId": option}});
        let refused = CallAnswer::Grant(Grant::Refuse { reason: None });
        let denied = Verdict::Deny { reason: None };
        for (answer, call, proposal) in [
            (selected("once"), CallAnswer::Grant(Grant::Once), None),
            (selected("session"), CallAnswer::Grant(Grant::Session), None),
            (selected("always"), CallAnswer::Grant(Grant::Always), None),
            (selected("refuse-why"), CallAnswer::RefuseFor, None),
            (selected("approve"), refused.clone(), Some(Verdict::Approve)),
            (selected("deny"), refused.clone(), Some(denied)),
            (selected("APPROVE"), refused.clone(), None),
            (selected(""), refused.clone(), None),
            (
                json!({"action": "accept", "content": {"reason": "approve"}}),
                refused.clone(),
                None,
            ),
            (
                json!({"outcome": {"outcome": "selected"}}),
                refused.clone(),
                None,
            ),
            (
                json!({"outcome": {"outcome": "_later"}}),
                refused.clone(),
                None,
            ),
            (
                json!({"outcome": {"outcome": "cancelled"}}),
                refused.clone(),
                None,
            ),
            (Value::Null, refused.clone(), None),
        ] {
            assert_eq!(call_answer(&answer), call, "{answer}");
            let proposal = proposal.map_or(ProposalAnswer::Left, ProposalAnswer::Verdict);
            assert_eq!(proposal_answer(&answer), proposal, "{answer}");
        }
        assert_eq!(
            proposal_answer(&selected("deny-why")),
            ProposalAnswer::DenyFor
        );
    }

    fn accepted(content: &Value) -> Value {
        json!({"action": "accept", "content": content})
    }

    #[test]
    fn a_reason_is_what_a_form_was_filled_in_with() {
        let long = "é".repeat(usize::from(MAX_REASON));
        for (answer, length) in [
            (accepted(&json!({"reason": " too long "})), Some(8)),
            (
                accepted(&json!({"reason": long})),
                Some(usize::from(MAX_REASON)),
            ),
            (accepted(&json!({"reason": " "})), None),
            (accepted(&json!({"reason": 7})), None),
            (accepted(&json!({})), None),
            (json!({"action": "accept"}), None),
            (json!({"action": "decline"}), None),
            (
                json!({"outcome": {"outcome": "selected", "optionId": "deny"}}),
                None,
            ),
            (Value::Null, None),
        ] {
            assert_eq!(reason(&answer).map(|text| text.len()), length, "{answer}");
        }
    }
}
