//! Questions to the user of an editor: whether a call may run, whether a proposal is approved, and why not.
//!
//! In: a call or the card of a proposal. Out: a [`PermissionQuestion`] or the parameters of a form, and what the id of an
//! option means. An id that is none of those that were offered answers nothing.
//!
//! The protocol has no room for a reason in an answer. Where the editor shows forms, a form asks for it after the option
//! that says so. Elsewhere a denial waits for the next prompt, which is its reason.

use serde_json::{Value, json};
use signoff_core::stage::review::Verdict;
use signoff_llm::message::CallId;
use signoff_llm::session::Grant;

use super::card::EditorCard;
use super::message::EditorAnswer;
use super::update::{CallContent, CallStatus, CallUpdate, clean_lines};
use crate::sanitize;

/// Maximum length of a reason, in bytes: a longer text is a prompt of its own.
pub(super) const MAX_REASON: usize = 2000;

/// A question with options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PermissionQuestion {
    /// What is asked, in a line.
    pub(super) title: String,
    pub(super) call: CallUpdate,
    pub(super) options: Vec<PermissionOption>,
}

/// An option of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PermissionOption {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// How editors show it.
    pub(super) kind: &'static str,
}

const fn option(id: &'static str, name: &'static str, kind: &'static str) -> PermissionOption {
    PermissionOption { id, name, kind }
}

const RUN_ONCE: PermissionOption = option("once", "Run it", "allow_once");
const RUN_ALWAYS: PermissionOption = option(
    "always",
    "Run it, and the very same call from now on",
    "allow_always",
);
const REFUSE: PermissionOption = option("refuse", "Do not run it", "reject_once");
const REFUSE_WHY: PermissionOption =
    option("refuse-why", "Do not run it, and say why", "reject_once");
const APPROVE: PermissionOption = option("approve", "Approve: write it", "allow_once");
const DENY: PermissionOption = option("deny", "Deny: drop it", "reject_once");
const DENY_WHY: PermissionOption = option("deny-why", "Deny, and say why", "reject_once");
const DENY_WHY_NEXT: PermissionOption = option(
    "deny-why",
    "Deny, and say why in the next prompt",
    "reject_once",
);

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
    call: &CallId,
    tool: &str,
    subject: &str,
    has_forms: bool,
) -> PermissionQuestion {
    let title = sanitize::clean(&format!("{tool}: {subject}")).into_owned();
    let mut options = vec![RUN_ONCE, RUN_ALWAYS, REFUSE];
    options.extend(has_forms.then_some(REFUSE_WHY));
    PermissionQuestion {
        title: title.clone(),
        call: CallUpdate {
            title: Some(title),
            content: Some(vec![CallContent::Text(clean_lines(subject))]),
            ..CallUpdate::new(call.0.clone(), CallStatus::Pending)
        },
        options,
    }
}

/// Returns the question about a proposal.
pub(super) fn about_proposal(id: String, card: &EditorCard, has_forms: bool) -> PermissionQuestion {
    let why = if has_forms { DENY_WHY } else { DENY_WHY_NEXT };
    PermissionQuestion {
        title: card.title().to_owned(),
        call: card.call(id, CallStatus::Pending),
        options: vec![APPROVE, DENY, why],
    }
}

/// Returns the form that asks for a reason, without its session; `id` is the tool call that it is about.
pub(super) fn about_reason(id: &str, message: &str) -> Value {
    json!({
        "mode": "form",
        "toolCallId": id,
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "reason": {
                    "type": "string",
                    "title": "Reason",
                    "description": "What the model should do instead",
                    "maxLength": MAX_REASON,
                },
            },
            "required": ["reason"],
        },
    })
}

/// Returns what the user's answer means for a call. Without one it does not run.
pub(super) fn call_answer(answer: &EditorAnswer) -> CallAnswer {
    let EditorAnswer::Selected(id) = answer else {
        return CallAnswer::Grant(Grant::Refuse { reason: None });
    };
    match id.as_str() {
        id if id == RUN_ONCE.id => CallAnswer::Grant(Grant::Once),
        id if id == RUN_ALWAYS.id => CallAnswer::Grant(Grant::Always),
        id if id == REFUSE_WHY.id => CallAnswer::RefuseFor,
        _ => CallAnswer::Grant(Grant::Refuse { reason: None }),
    }
}

/// Returns what the user's answer means for a proposal.
pub(super) fn proposal_answer(answer: &EditorAnswer) -> ProposalAnswer {
    let EditorAnswer::Selected(id) = answer else {
        return ProposalAnswer::Left;
    };
    match id.as_str() {
        id if id == APPROVE.id => ProposalAnswer::Verdict(Verdict::Approve),
        id if id == DENY.id => ProposalAnswer::Verdict(Verdict::Deny { reason: None }),
        id if id == DENY_WHY.id => ProposalAnswer::DenyFor,
        _ => ProposalAnswer::Left,
    }
}

/// Returns the reason that a form was filled in with, cut to [`MAX_REASON`]; none if it is empty or was closed.
pub(super) fn reason(answer: &EditorAnswer) -> Option<String> {
    let EditorAnswer::Reason(text) = answer else {
        return None;
    };
    let text = text.trim();
    let end = text.floor_char_boundary(MAX_REASON);
    let text = text.get(..end)?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_options_that_were_offered_answer() {
        let selected = |option: &str| EditorAnswer::Selected(option.to_owned());
        let refused = CallAnswer::Grant(Grant::Refuse { reason: None });
        let denied = Verdict::Deny { reason: None };
        for (answer, call, proposal) in [
            (selected("once"), CallAnswer::Grant(Grant::Once), None),
            (selected("always"), CallAnswer::Grant(Grant::Always), None),
            (selected("refuse-why"), CallAnswer::RefuseFor, None),
            (selected("approve"), refused.clone(), Some(Verdict::Approve)),
            (selected("deny"), refused.clone(), Some(denied)),
            (selected("APPROVE"), refused.clone(), None),
            (selected(""), refused.clone(), None),
            (
                EditorAnswer::Reason("approve".to_owned()),
                refused.clone(),
                None,
            ),
            (EditorAnswer::Cancelled, refused.clone(), None),
        ] {
            assert_eq!(call_answer(&answer), call, "{answer:?}");
            let proposal = proposal.map_or(ProposalAnswer::Left, ProposalAnswer::Verdict);
            assert_eq!(proposal_answer(&answer), proposal, "{answer:?}");
        }
        assert_eq!(
            proposal_answer(&selected("deny-why")),
            ProposalAnswer::DenyFor
        );
    }

    #[test]
    fn a_reason_is_what_a_form_was_filled_in_with() {
        let long = "é".repeat(MAX_REASON);
        for (answer, length) in [
            (EditorAnswer::Reason(" too long ".to_owned()), Some(8)),
            (EditorAnswer::Reason(long), Some(MAX_REASON)),
            (EditorAnswer::Reason(" ".to_owned()), None),
            (EditorAnswer::Selected("deny".to_owned()), None),
            (EditorAnswer::Cancelled, None),
        ] {
            assert_eq!(reason(&answer).map(|text| text.len()), length);
        }
    }
}
