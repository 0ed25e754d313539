//! The mark of the part that has the keys: its line and its title stand out, and no other's do.
//!
//! In: rows as the parts draw them, and what keys are pressed in. Out: the same texts, in other roles.
//!
//! Example: with the keys in the review, `── Review  2 hunks wait ───` has its title reversed and its lines coloured, and so is
//! the bar at the selected hunk. Once they are in the composer, the rule above it is coloured, and `›`.

use crate::app::keymap::Context;
use crate::theme::Role;
use crate::wrap::Row;

/// The part whose line is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FocusedPart {
    /// What lies over the panes.
    Overlay,
    /// The review.
    Review,
    /// What stands below the rule: the prompt, a question.
    Input,
}

impl FocusedPart {
    /// Returns the part that keys of a context go to.
    pub(super) fn of(context: Context) -> Self {
        match context {
            Context::Review | Context::Lines => Self::Review,
            Context::History
            | Context::Diff
            | Context::Places
            | Context::Background
            | Context::BackgroundEnd
            | Context::SignOff
            | Context::Written
            | Context::Help => Self::Overlay,
            Context::Anywhere
            | Context::EmptyComposer
            | Context::Composer
            | Context::Menu
            | Context::Reason
            | Context::Question
            | Context::Remark
            | Context::Comment
            | Context::NewText
            | Context::Search
            | Context::Permission
            | Context::HostPermission
            | Context::Confirm
            | Context::Rewind
            | Context::RewindConversation
            | Context::Transcript
            | Context::Palette => Self::Input,
        }
    }
}

/// Returns a line with a title in it as that of the part that has the keys.
pub(super) fn title(row: &Row) -> Row {
    let is_line = row.pieces().next().is_some_and(|(_, text)| is_line(text));
    row.in_roles(|at, role, text| match at {
        1 if is_line => Role::FocusTitle,
        _ => line_role(role, text),
    })
}

/// Returns the rule above the prompt as that of the part that has the keys.
pub(super) fn rule(row: &Row) -> Row {
    row.in_roles(|_, role, text| line_role(role, text))
}

/// Returns a row of the review while another part has the keys.
pub(super) fn resting(row: &Row) -> Row {
    row.in_roles(|_, role, text| {
        let is_bar = role == Role::Selected && text.starts_with('▌');
        if is_bar { Role::Dim } else { role }
    })
}

fn line_role(role: Role, text: &str) -> Role {
    if role == Role::Dim && is_line(text) {
        Role::Focus
    } else {
        role
    }
}

fn is_line(text: &str) -> bool {
    text.contains("──")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(row: &Row) -> Vec<Role> {
        row.pieces().map(|(role, _)| role).collect()
    }

    #[test]
    fn a_title_stands_out_and_a_row_without_a_line_does_not() {
        let line = Row::new(Role::Dim, "── ").with(Role::Strong, "Review");
        let line = line.with(Role::Text, "  2 hunks wait").ruled(40);
        let expected = [Role::Focus, Role::FocusTitle, Role::Text, Role::Focus];
        assert_eq!(roles(&title(&line)), expected);
        let text = Row::new(Role::Dim, "12 ").with(Role::Strong, "text");
        assert_eq!(roles(&title(&text)), [Role::Dim, Role::Strong]);
    }

    #[test]
    fn the_bar_of_the_selected_hunk_rests_with_its_pane() {
        let row = Row::new(Role::Selected, "▌ ").with(Role::Text, "[ ] hunk 1");
        assert_eq!(roles(&resting(&row)), [Role::Dim, Role::Text]);
    }
}
