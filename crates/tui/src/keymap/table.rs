//! Key table.
//!
//! In: nothing. Out: every binding, in the order in which help and status line show them.

mod arranging;
mod changes;
mod places;
mod browsing;
mod in_place;
mod lines;
mod menu;
mod review;
mod rewind;
mod typing;

use ratatui::crossterm::event::KeyCode;

use signoff_llm::mode::AfterApproval;

use super::chord::{bind, key, plain};
use super::{Action, Binding, Context, PermissionKey};
use crate::review::history::HistoryKey;
use crate::review::{ReviewKey, ReviewTool};
use crate::transcript::Scroll;
use arranging::ARRANGING;
use browsing::BROWSING;
use changes::{CHANGES, OPENING};
use in_place::IN_PLACE;
use lines::LINES;
use menu::MENU;
use places::PLACES;
use review::REVIEW;
use rewind::REWIND;
use typing::TYPING;

/// Returns every key, in the order in which help and status line show them.
pub(crate) fn table() -> impl Iterator<Item = &'static Binding> + Clone {
    let review = ARRANGING.iter().chain(REVIEW).chain(LINES).chain(IN_PLACE);
    let review = review.chain(CHANGES).chain(PLACES);
    let others = OPENING.iter().chain(OTHERS).chain(review);
    let others = others.chain(REWIND).chain(BROWSING);
    TYPING.iter().chain(MENU).chain(others)
}

/// The keys of everything but the composer.
static OTHERS: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        // Review
        bind(
            C::Review,
            &[plain('a')],
            A::Review(ReviewKey::Approve),
            "a",
            "approve the hunk",
        )
        .hint("approve"),
        bind(
            C::Review,
            &[plain('d')],
            A::Review(ReviewKey::Deny),
            "d",
            "deny the hunk, with a reason",
        )
        .hint("deny"),
        bind(
            C::Review,
            &[plain('e')],
            A::Review(ReviewKey::Edit),
            "e",
            "edit the new text in $EDITOR, and approve it so",
        ),
        bind(
            C::Review,
            &[plain('s')],
            A::Review(ReviewKey::ApproveSame),
            "s",
            "approve all that make the same rewrite",
        ),
        bind(
            C::Review,
            &[plain('A')],
            A::Review(ReviewKey::ApproveAll),
            "A",
            "approve all that wait",
        )
        .hint("all"),
        bind(
            C::Review,
            &[plain('?')],
            A::Review(ReviewKey::Tool(ReviewTool::Ask)),
            "?",
            "ask the model about the hunk",
        )
        .hint("ask"),
        bind(C::Review, &[key(K::F(1))], A::Help, "F1", "show the keys").hint("help"),
        bind(
            C::Review,
            &[plain('F')],
            A::Review(ReviewKey::ApproveProved),
            "F",
            "approve all that is folded: one line tells what it is proved to be",
        ),
        bind(
            C::Review,
            &[plain('z')],
            A::Review(ReviewKey::Fold),
            "z",
            "open the fold, or close it",
        ),
        bind(
            C::Review,
            &[plain('Z')],
            A::Review(ReviewKey::FoldAll),
            "Z",
            "open all folds, or close them",
        ),
        bind(
            C::Review,
            &[plain('c')],
            A::ApproveAnd(AfterApproval::GoOn),
            "c",
            "approve all that wait; the model continues",
        ),
        bind(
            C::Review,
            &[plain('S')],
            A::ApproveAnd(AfterApproval::Stop),
            "S",
            "approve all that wait; the model stops",
        ),
        bind(
            C::Review,
            &[plain('D')],
            A::Review(ReviewKey::DenyAll),
            "D",
            "deny all that wait, with a reason",
        ),
        bind(
            C::Review,
            &[plain('j'), key(K::Down)],
            A::Review(ReviewKey::Next),
            "j, Down",
            "on: rest of the hunk, then the next",
        ),
        bind(
            C::Review,
            &[plain('k'), key(K::Up)],
            A::Review(ReviewKey::Previous),
            "k, Up",
            "back",
        ),
        bind(
            C::Review,
            &[plain('J'), plain(']'), key(K::Right)],
            A::Review(ReviewKey::NextFile),
            "J, ]",
            "next file",
        ),
        bind(
            C::Review,
            &[plain('K'), plain('['), key(K::Left)],
            A::Review(ReviewKey::PreviousFile),
            "K, [",
            "file before",
        ),
        bind(
            C::Review,
            &[plain('u')],
            A::Review(ReviewKey::Tool(ReviewTool::TakeBack)),
            "u",
            "take the mark away, or the last marks given",
        ),
        bind(
            C::Review,
            &[key(K::Enter), plain('w')],
            A::Review(ReviewKey::Submit),
            "Enter, w",
            "sign off: says what will be written; Enter there writes",
        ),
        bind(
            C::Review,
            &[plain('r')],
            A::RevertLast,
            "r",
            "take back the last change",
        )
        .hint("revert"),
        bind(
            C::Review,
            &[plain('U')],
            A::Undo,
            "U",
            "take back all of the last changeset",
        ),
        bind(
            C::History,
            &[plain('U')],
            A::Undo,
            "U",
            "take back all of the last changeset",
        ),
        bind(
            C::Review,
            &[plain('h')],
            A::OpenHistory,
            "h",
            "show the history",
        )
        .hint("history"),
        bind(
            C::Review,
            &[key(K::Tab)],
            A::SwitchFocus,
            "Tab",
            "go to the composer",
        )
        .hint("type"),
        bind(
            C::Review,
            &[key(K::PageUp)],
            A::Review(ReviewKey::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Review,
            &[key(K::PageDown)],
            A::Review(ReviewKey::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::Review,
            &[key(K::Home), plain('g')],
            A::Review(ReviewKey::Top),
            "Home, g",
            "start of the scroll",
        ),
        bind(
            C::Review,
            &[key(K::End), plain('G')],
            A::Review(ReviewKey::Bottom),
            "End, G",
            "end of the scroll",
        ),
        bind(
            C::Review,
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc, q",
            "close; nothing is decided",
        ),
        // Sign-off
        bind(
            C::SignOff,
            &[key(K::Enter)],
            A::Write(None),
            "Enter",
            "write what the page says",
        )
        .hint("writes"),
        bind(
            C::SignOff,
            &[plain('c')],
            A::Write(Some(AfterApproval::GoOn)),
            "c",
            "write it; the model continues",
        )
        .hint("writes, model goes on"),
        bind(
            C::SignOff,
            &[plain('S')],
            A::Write(Some(AfterApproval::Stop)),
            "S",
            "write it; the model stops",
        ),
        bind(
            C::SignOff,
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc, q",
            "go back; nothing is written",
        )
        .hint("back"),
        bind(
            C::SignOff,
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "j, PageDown",
            "on in the page",
        ),
        bind(
            C::SignOff,
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "k, PageUp",
            "back in it",
        ),
        bind(
            C::Written,
            &[plain('U')],
            A::Undo,
            "U",
            "take back the last changeset that was written",
        )
        .hint("undo"),
        bind(
            C::Written,
            &[key(K::Esc), key(K::Enter)],
            A::Escape,
            "Esc, Enter",
            "close; what else is typed goes into the composer",
        )
        .hint("close"),
        // History
        bind(
            C::History,
            &[plain('r')],
            A::History(HistoryKey::Revert),
            "r",
            "go back to before this change, or this version of a file",
        )
        .hint("back to before"),
        bind(
            C::History,
            &[plain('o')],
            A::History(HistoryKey::Only),
            "o",
            "take back only this change, or this version of a file",
        )
        .hint("only this"),
        bind(
            C::History,
            &[plain('R')],
            A::History(HistoryKey::Redo),
            "R",
            "redo what was last taken back of the file",
        )
        .hint("redo"),
        bind(
            C::History,
            &[plain('j'), key(K::Down)],
            A::History(HistoryKey::Next),
            "j, Down",
            "older",
        ),
        bind(
            C::History,
            &[plain('k'), key(K::Up)],
            A::History(HistoryKey::Previous),
            "k, Up",
            "newer",
        ),
        bind(
            C::History,
            &[key(K::PageUp)],
            A::History(HistoryKey::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::History,
            &[key(K::PageDown), plain(' ')],
            A::History(HistoryKey::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::History,
            &[key(K::Esc), plain('q'), plain('h')],
            A::Escape,
            "Esc",
            "close",
        )
        .hint("close"),
        // Why denied
        bind(
            C::Reason,
            &[key(K::Enter)],
            A::Send,
            "Enter",
            "deny; empty gives no reason",
        )
        .hint("deny"),
        bind(C::Reason, &[key(K::Esc)], A::Escape, "Esc", "do not deny").hint("go back"),
        // Permission for a call
        bind(
            C::Permission,
            &[plain('y'), plain('Y')],
            A::Permission(PermissionKey::Once),
            "y",
            "run it; what is out of sight is shown first",
        )
        .hint("yes"),
        bind(
            C::Permission,
            &[plain('a')],
            A::Permission(PermissionKey::Always),
            "a",
            "run it, and the very same again without asking",
        )
        .hint("always"),
        bind(
            C::Permission,
            &[plain('n'), plain('N'), key(K::Esc)],
            A::Permission(PermissionKey::Refuse),
            "n",
            "do not run it, and stop",
        )
        .hint("no"),
        bind(
            C::Permission,
            &[plain('i')],
            A::Permission(PermissionKey::Instead),
            "i",
            "do not run it, and say what to do instead",
        )
        .hint("instead"),
        bind(
            C::Permission,
            &[key(K::Tab)],
            A::SwitchFocus,
            "Tab",
            "go on typing, and back",
        ),
        bind(
            C::Permission,
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Permission(PermissionKey::Next),
            "j, PageDown",
            "on in what would run",
        ),
        bind(
            C::Permission,
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Permission(PermissionKey::Previous),
            "k, PageUp",
            "back in it",
        ),
        // Questions
        bind(C::Confirm, &[plain('y'), plain('Y')], A::Yes, "y", "do it").hint("yes"),
        bind(
            C::Confirm,
            &[plain('a')],
            A::Whole,
            "a",
            "ask about all files of the changeset",
        ),
        bind(
            C::Confirm,
            &[plain('n'), plain('N'), key(K::Esc)],
            A::No,
            "n",
            "leave it",
        )
        .hint("no"),
        bind(
            C::Confirm,
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "on in what would change",
        ),
        bind(
            C::Confirm,
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "back in it",
        ),
        // Help
        bind(
            C::Help,
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "on",
        )
        .hint("on"),
        bind(
            C::Help,
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "back",
        )
        .hint("back"),
        bind(
            C::Help,
            &[key(K::Esc), plain('q'), plain('?'), key(K::F(1))],
            A::Escape,
            "Esc",
            "close",
        )
        .hint("close"),
    ]
};
