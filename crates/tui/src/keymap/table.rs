//! Key table.
//!
//! In: nothing. Out: every binding, in the order in which help and status line show them.

mod arranging;
mod background;
mod changes;
mod places;
mod browsing;
mod in_place;
mod lines;
mod menu;
mod questions;
mod review;
mod rewind;
mod sign_off;
mod typing;

use ratatui::crossterm::event::KeyCode;

use signoff_llm::mode::AfterApproval;

use super::chord::{bind, key, plain};
use super::{Action, Binding, Context};
use crate::review::history::HistoryKey;
use crate::review::{ReviewKey, ReviewTool};
use arranging::ARRANGING;
use background::BACKGROUND;
use browsing::BROWSING;
use changes::{CHANGES, OPENING};
use in_place::IN_PLACE;
use lines::LINES;
use menu::MENU;
use places::PLACES;
use questions::QUESTIONS;
use review::REVIEW;
use rewind::REWIND;
use sign_off::SIGN_OFF;
use typing::TYPING;

/// Returns every key, in the order in which help and status line show them.
pub(super) fn table() -> impl Iterator<Item = &'static Binding> + Clone {
    let review = ARRANGING.iter().chain(REVIEW).chain(LINES).chain(IN_PLACE);
    let review = review.chain(CHANGES).chain(PLACES).chain(BACKGROUND);
    let pages = SIGN_OFF.iter().chain(QUESTIONS);
    let others = OPENING.iter().chain(OTHERS).chain(pages).chain(review);
    let others = others.chain(REWIND).chain(BROWSING);
    TYPING.iter().chain(MENU).chain(others)
}

/// The keys of the review that decide and move, and those of the history.
static OTHERS: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        // Review
        bind(
            C::Review,
            "approve",
            &[plain('a')],
            A::Review(ReviewKey::Approve),
            "a",
            "approve the hunk",
        )
        .hint("approve"),
        bind(
            C::Review,
            "deny",
            &[plain('d')],
            A::Review(ReviewKey::Deny),
            "d",
            "deny the hunk, with a reason",
        )
        .hint("deny"),
        bind(
            C::Review,
            "edit",
            &[plain('e')],
            A::Review(ReviewKey::Edit),
            "e",
            "edit the new text in $EDITOR; the hunk is approved with it",
        ),
        bind(
            C::Review,
            "approve-same",
            &[plain('s')],
            A::Review(ReviewKey::ApproveSame),
            "s",
            "approve all hunks that make the same rewrite",
        ),
        bind(
            C::Review,
            "approve-all",
            &[plain('A')],
            A::Review(ReviewKey::ApproveAll),
            "A",
            "approve all waiting hunks",
        )
        .hint("all"),
        bind(
            C::Review,
            "ask",
            &[plain('?')],
            A::Review(ReviewKey::Tool(ReviewTool::Ask)),
            "?",
            "ask the model about the hunk",
        )
        .hint("ask"),
        bind(
            C::Review,
            "help",
            &[key(K::F(1))],
            A::Help,
            "F1",
            "show the keys",
        )
        .hint("help"),
        bind(
            C::Review,
            "approve-folded",
            &[plain('F')],
            A::Review(ReviewKey::ApproveProved),
            "F",
            "approve all folded hunks: each is proved to be what its line says",
        ),
        bind(
            C::Review,
            "fold",
            &[plain('z')],
            A::Review(ReviewKey::Fold),
            "z",
            "open the fold, or close it",
        ),
        bind(
            C::Review,
            "fold-all",
            &[plain('Z')],
            A::Review(ReviewKey::FoldAll),
            "Z",
            "open all folds, or close them",
        ),
        bind(
            C::Review,
            "approve-and-continue",
            &[plain('c')],
            A::ApproveAnd(AfterApproval::GoOn),
            "c",
            "approve all waiting hunks; the model continues",
        ),
        bind(
            C::Review,
            "approve-and-stop",
            &[plain('S')],
            A::ApproveAnd(AfterApproval::Stop),
            "S",
            "approve all waiting hunks; the model stops",
        ),
        bind(
            C::Review,
            "deny-all",
            &[plain('D')],
            A::Review(ReviewKey::DenyAll),
            "D",
            "deny all waiting hunks, with a reason",
        ),
        bind(
            C::Review,
            "next",
            &[plain('j'), key(K::Down)],
            A::Review(ReviewKey::Next),
            "j, Down",
            "forward: rest of the hunk, then the next hunk",
        ),
        bind(
            C::Review,
            "previous",
            &[plain('k'), key(K::Up)],
            A::Review(ReviewKey::Previous),
            "k, Up",
            "back",
        ),
        bind(
            C::Review,
            "next-file",
            &[plain('J'), plain(']'), key(K::Right)],
            A::Review(ReviewKey::NextFile),
            "J, ]",
            "next file",
        ),
        bind(
            C::Review,
            "previous-file",
            &[plain('K'), plain('['), key(K::Left)],
            A::Review(ReviewKey::PreviousFile),
            "K, [",
            "file before",
        ),
        bind(
            C::Review,
            "take-back",
            &[plain('u')],
            A::Review(ReviewKey::Tool(ReviewTool::TakeBack)),
            "u",
            "take the mark away, or the last marks given",
        ),
        bind(
            C::Review,
            "sign-off",
            &[key(K::Enter), plain('w')],
            A::Review(ReviewKey::Submit),
            "Enter, w",
            "sign off: a page shows what will be written",
        ),
        bind(
            C::Review,
            "revert-last",
            &[plain('r')],
            A::RevertLast,
            "r",
            "take back the last change",
        )
        .hint("revert"),
        bind(
            C::Review,
            "undo",
            &[plain('U')],
            A::Undo,
            "U",
            "take back all of the last changeset",
        ),
        bind(
            C::History,
            "undo",
            &[plain('U')],
            A::Undo,
            "U",
            "take back all of the last changeset",
        ),
        bind(
            C::Review,
            "history",
            &[plain('h')],
            A::OpenHistory,
            "h",
            "show the history",
        )
        .hint("history"),
        bind(
            C::Review,
            "switch-focus",
            &[key(K::Tab)],
            A::SwitchFocus,
            "Tab",
            "go to the composer",
        )
        .hint("type"),
        bind(
            C::Review,
            "page-up",
            &[key(K::PageUp)],
            A::Review(ReviewKey::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Review,
            "page-down",
            &[key(K::PageDown)],
            A::Review(ReviewKey::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::Review,
            "top",
            &[key(K::Home), plain('g')],
            A::Review(ReviewKey::Top),
            "Home, g",
            "start of the scroll",
        ),
        bind(
            C::Review,
            "bottom",
            &[key(K::End), plain('G')],
            A::Review(ReviewKey::Bottom),
            "End, G",
            "end of the scroll",
        ),
        bind(
            C::Review,
            "close",
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc, q",
            "close; nothing is decided",
        ),
        // History
        bind(
            C::History,
            "revert",
            &[plain('r')],
            A::History(HistoryKey::Revert),
            "r",
            "go back to before this change, or this version of a file",
        )
        .hint("back to before"),
        bind(
            C::History,
            "only",
            &[plain('o')],
            A::History(HistoryKey::Only),
            "o",
            "take back only this change, or this version of a file",
        )
        .hint("only this"),
        bind(
            C::History,
            "redo",
            &[plain('R')],
            A::History(HistoryKey::Redo),
            "R",
            "redo what was last taken back of the file",
        )
        .hint("redo"),
        bind(
            C::History,
            "next",
            &[plain('j'), key(K::Down)],
            A::History(HistoryKey::Next),
            "j, Down",
            "older",
        ),
        bind(
            C::History,
            "previous",
            &[plain('k'), key(K::Up)],
            A::History(HistoryKey::Previous),
            "k, Up",
            "newer",
        ),
        bind(
            C::History,
            "page-up",
            &[key(K::PageUp)],
            A::History(HistoryKey::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::History,
            "page-down",
            &[key(K::PageDown), plain(' ')],
            A::History(HistoryKey::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::History,
            "close",
            &[key(K::Esc), plain('q'), plain('h')],
            A::Escape,
            "Esc",
            "close",
        )
        .hint("close"),
    ]
};
