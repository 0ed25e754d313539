//! Questions to the user of an editor: whether a call may run, and whether a proposal is approved.
//!
//! In: a call or the card of a proposal. Out: the parameters of `session/request_permission`, and what the id of an option
//! means. An id that is none of them answers nothing.

use serde_json::{Value, json};
use signoff_core::stage::review::Verdict;
use signoff_llm::message::CallId;
use signoff_llm::session::Grant;

use super::card::EditorCard;
use super::message::PermissionChoice;
use super::update::{clean_lines, text_content};
use crate::sanitize;

/// Returns the question about a call.
pub(super) fn about_call(call: &CallId, tool: &str, subject: &str) -> Value {
    json!({
        "toolCall": {
            "toolCallId": call.0,
            "title": sanitize::clean(&format!("{tool}: {subject}")),
            "status": "pending",
            "content": [text_content(&clean_lines(subject))],
        },
        "options": [
            {"optionId": "once", "name": "Run it", "kind": "allow_once"},
            {"optionId": "always", "name": "Run it, and the very same call from now on", "kind": "allow_always"},
            {"optionId": "refuse", "name": "Do not run it", "kind": "reject_once"},
        ],
    })
}

/// Returns what the user's answer means for a call. Without one it does not run.
pub(super) fn grant(choice: &PermissionChoice) -> Grant {
    match choice {
        PermissionChoice::Selected(option) if option == "once" => Grant::Once,
        PermissionChoice::Selected(option) if option == "always" => Grant::Always,
        PermissionChoice::Selected(_) | PermissionChoice::Cancelled => {
            Grant::Refuse { reason: None }
        }
    }
}

/// Returns the question about a proposal.
pub(super) fn about_proposal(id: &str, card: &EditorCard) -> Value {
    json!({
        "toolCall": card.tool_call(id, "pending"),
        "options": [
            {"optionId": "approve", "name": "Approve: write it", "kind": "allow_once"},
            {"optionId": "deny", "name": "Deny: drop it", "kind": "reject_once"},
        ],
    })
}

/// Returns the verdict that the user's answer is; none where it is none, and the proposal waits on.
pub(super) fn verdict(choice: &PermissionChoice) -> Option<Verdict> {
    match choice {
        PermissionChoice::Selected(option) if option == "approve" => Some(Verdict::Approve),
        PermissionChoice::Selected(option) if option == "deny" => {
            Some(Verdict::Deny { reason: None })
        }
        PermissionChoice::Selected(_) | PermissionChoice::Cancelled => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_options_that_were_offered_answer() {
        let selected = |option: &str| PermissionChoice::Selected(option.to_owned());
        for (choice, granted, decided) in [
            (selected("once"), Grant::Once, None),
            (selected("always"), Grant::Always, None),
            (
                selected("approve"),
                Grant::Refuse { reason: None },
                Some(Verdict::Approve),
            ),
            (
                selected("deny"),
                Grant::Refuse { reason: None },
                Some(Verdict::Deny { reason: None }),
            ),
            (selected("APPROVE"), Grant::Refuse { reason: None }, None),
            (selected(""), Grant::Refuse { reason: None }, None),
            (
                PermissionChoice::Cancelled,
                Grant::Refuse { reason: None },
                None,
            ),
        ] {
            assert_eq!(grant(&choice), granted, "{choice:?}");
            assert_eq!(verdict(&choice), decided, "{choice:?}");
        }
    }
}
