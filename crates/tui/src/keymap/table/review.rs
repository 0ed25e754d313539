//! Key table: further keys of the review, and of what is typed about it.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context};
use crate::review::{ReviewKey, ReviewTool};

const fn tool(tool: ReviewTool) -> Action {
    Action::Review(ReviewKey::Tool(tool))
}

/// In the order in which help and status line show them.
pub(super) static REVIEW: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Review,
            "toggle",
            &[plain(' ')],
            tool(ReviewTool::Toggle),
            "Space",
            "approve the hunk, or take its mark away",
        ),
        bind(
            C::Review,
            "next-unmarked",
            &[plain('n')],
            tool(ReviewTool::Next),
            "n",
            "next hunk without a mark; while searching, next match",
        ),
        bind(
            C::Review,
            "previous-unmarked",
            &[plain('N')],
            tool(ReviewTool::Previous),
            "N",
            "the one before",
        ),
        bind(
            C::Review,
            "search",
            &[plain('/')],
            tool(ReviewTool::Search),
            "/",
            "search in all files; Esc ends the search",
        ),
        bind(
            C::Review,
            "filter",
            &[plain('f')],
            tool(ReviewTool::Filter),
            "f",
            "next filter: without a mark, denied, warned, ...",
        ),
        bind(
            C::Review,
            "copy",
            &[plain('y')],
            tool(ReviewTool::Yank),
            "y",
            "copy the hunk's new text (OSC 52)",
        ),
        bind(
            C::Review,
            "open-file",
            &[plain('o')],
            tool(ReviewTool::Open),
            "o",
            "open the file on disk in $EDITOR, at the hunk",
        ),
        bind(
            C::Review,
            "comment",
            &[plain('m')],
            tool(ReviewTool::Comment),
            "m",
            "comment on the hunk, for the model",
        ),
        bind(
            C::Review,
            "deny-with-comments",
            &[plain('M')],
            tool(ReviewTool::DenyWithComments),
            "M",
            "deny the hunk with the review agent's comments, to be edited",
        ),
        bind(
            C::Review,
            "edit-in-place",
            &[plain('i')],
            tool(ReviewTool::EditInPlace),
            "i",
            "edit the new text here; the hunk is approved with it",
        ),
        bind(
            C::Review,
            "select-lines",
            &[plain('v')],
            tool(ReviewTool::Lines),
            "v",
            "select lines of the hunk, to approve or deny them alone",
        ),
        // A question to the model
        bind(
            C::Question,
            "send",
            &[key(K::Enter)],
            A::Send,
            "Enter",
            "ask; the answer stands below the hunk",
        )
        .hint("ask"),
        bind(
            C::Question,
            "close",
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "go back; what is typed is kept",
        )
        .hint("go back"),
        // A search
        bind(
            C::Search,
            "send",
            &[key(K::Enter)],
            A::Send,
            "Enter",
            "keep the search, and go from match to match",
        )
        .hint("keep"),
        bind(
            C::Search,
            "close",
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "end the search",
        )
        .hint("end"),
        // A comment
        bind(
            C::Comment,
            "send",
            &[key(K::Enter)],
            A::Send,
            "Enter",
            "keep it; an empty one is removed",
        )
        .hint("keep"),
        bind(
            C::Comment,
            "close",
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "go back; it is kept",
        )
        .hint("go back"),
    ]
};
