//! The table of keys.
//!
//! In: nothing. Out: every binding, in the order in which help and status line show them.

use ratatui::crossterm::event::KeyCode;

use super::chord::{alt, bind, ctrl, key, plain, with_alt, with_ctrl, with_shift};
use super::{Action, Binding, Context};
use crate::app::leave::LeaveKey;
use crate::composer::Edit;
use crate::review::ReviewKey;
use crate::review::history::HistoryKey;
use crate::transcript::Scroll;

/// Every key, in the order in which help and status line show them.
pub(crate) static TABLE: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        // Anywhere
        bind(
            C::Anywhere,
            &[ctrl('c')],
            A::Interrupt,
            "Ctrl-C",
            "clear or stop; twice leaves",
        ),
        bind(C::Anywhere, &[key(K::F(1))], A::Help, "F1", "show the keys"),
        bind(
            C::Anywhere,
            &[ctrl('l')],
            A::Redraw,
            "Ctrl-L",
            "draw the screen again",
        ),
        bind(
            C::Anywhere,
            &[ctrl('r')],
            A::Retry,
            "Ctrl-R",
            "ask again: after a silence or a fault",
        ),
        bind(
            C::Anywhere,
            &[ctrl('x')],
            A::CancelCall,
            "Ctrl-X",
            "stop one call; the turn goes on",
        ),
        // Composer with nothing typed
        bind(
            C::EmptyComposer,
            &[plain('?')],
            A::Help,
            "?",
            "show the keys (nothing typed)",
        )
        .hint("help"),
        bind(
            C::EmptyComposer,
            &[ctrl('d')],
            A::Quit,
            "Ctrl-D",
            "leave (nothing typed)",
        )
        .hint("leave"),
        // Composer
        bind(C::Composer, &[key(K::Enter)], A::Send, "Enter", "send").hint("send"),
        bind(
            C::Composer,
            &[with_alt(K::Enter), with_shift(K::Enter), ctrl('j')],
            A::Edit(Edit::Newline),
            "Alt-Enter, Shift-Enter, Ctrl-J",
            "new line",
        ),
        bind(
            C::Composer,
            &[key(K::Tab)],
            A::SwitchFocus,
            "Tab",
            "go to the review",
        ),
        bind(
            C::Composer,
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "stop what runs; close the review",
        ),
        bind(
            C::Composer,
            &[key(K::Up)],
            A::Edit(Edit::Up),
            "Up",
            "row above, then earlier prompts",
        ),
        bind(
            C::Composer,
            &[key(K::Down)],
            A::Edit(Edit::Down),
            "Down",
            "row below, then later prompts",
        ),
        bind(
            C::Composer,
            &[key(K::Left), ctrl('b')],
            A::Edit(Edit::Left),
            "Left, Ctrl-B",
            "back",
        ),
        bind(
            C::Composer,
            &[key(K::Right), ctrl('f')],
            A::Edit(Edit::Right),
            "Right, Ctrl-F",
            "on",
        ),
        bind(
            C::Composer,
            &[with_ctrl(K::Left), with_alt(K::Left), alt('b')],
            A::Edit(Edit::WordLeft),
            "Ctrl-Left, Alt-B",
            "back by a word",
        ),
        bind(
            C::Composer,
            &[with_ctrl(K::Right), with_alt(K::Right), alt('f')],
            A::Edit(Edit::WordRight),
            "Ctrl-Right, Alt-F",
            "on by a word",
        ),
        bind(
            C::Composer,
            &[key(K::Home), ctrl('a')],
            A::Edit(Edit::LineStart),
            "Home, Ctrl-A",
            "start of the line",
        ),
        bind(
            C::Composer,
            &[key(K::End), ctrl('e')],
            A::Edit(Edit::LineEnd),
            "End, Ctrl-E",
            "end of the line",
        ),
        bind(
            C::Composer,
            &[key(K::Backspace), with_shift(K::Backspace), ctrl('h')],
            A::Edit(Edit::Backspace),
            "Backspace",
            "delete back",
        ),
        bind(
            C::Composer,
            &[key(K::Delete), ctrl('d')],
            A::Edit(Edit::Delete),
            "Delete, Ctrl-D",
            "delete on",
        ),
        bind(
            C::Composer,
            &[ctrl('w'), with_alt(K::Backspace), with_ctrl(K::Backspace)],
            A::Edit(Edit::DeleteWordBefore),
            "Ctrl-W",
            "delete the word before",
        ),
        bind(
            C::Composer,
            &[alt('d'), with_ctrl(K::Delete)],
            A::Edit(Edit::DeleteWordAfter),
            "Alt-D",
            "delete the word after",
        ),
        bind(
            C::Composer,
            &[ctrl('u')],
            A::Edit(Edit::DeleteToStart),
            "Ctrl-U",
            "delete to the start",
        ),
        bind(
            C::Composer,
            &[ctrl('k')],
            A::Edit(Edit::DeleteToEnd),
            "Ctrl-K",
            "delete to the end",
        ),
        bind(
            C::Composer,
            &[ctrl('z'), ctrl('_')],
            A::Edit(Edit::Undo),
            "Ctrl-Z",
            "take back typing",
        ),
        bind(
            C::Composer,
            &[key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "scroll back",
        ),
        bind(
            C::Composer,
            &[key(K::PageDown)],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "scroll on",
        ),
        bind(
            C::Composer,
            &[with_ctrl(K::Home)],
            A::Scroll(Scroll::Top),
            "Ctrl-Home",
            "to the start",
        ),
        bind(
            C::Composer,
            &[with_ctrl(K::End)],
            A::Scroll(Scroll::Bottom),
            "Ctrl-End",
            "to the end",
        ),
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
        bind(C::Review, &[plain('?')], A::Help, "?", "show the keys").hint("help"),
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
            A::Review(ReviewKey::Unmark),
            "u",
            "take the mark away",
        ),
        bind(
            C::Review,
            &[key(K::Enter), plain('w')],
            A::Review(ReviewKey::Submit),
            "Enter, w",
            "submit the marks",
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
            &[key(K::PageDown), plain(' ')],
            A::Review(ReviewKey::PageDown),
            "PageDown, Space",
            "a screen on",
        ),
        bind(
            C::Review,
            &[key(K::Home), plain('g')],
            A::Review(ReviewKey::Top),
            "Home, g",
            "start of the file",
        ),
        bind(
            C::Review,
            &[key(K::End), plain('G')],
            A::Review(ReviewKey::Bottom),
            "End, G",
            "end of the file",
        ),
        bind(
            C::Review,
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc, q",
            "close; nothing is decided",
        ),
        // History
        bind(
            C::History,
            &[plain('r')],
            A::History(HistoryKey::Revert),
            "r",
            "go back to before this entry",
        )
        .hint("go back to before this"),
        bind(
            C::History,
            &[plain('o')],
            A::History(HistoryKey::Only),
            "o",
            "take back only this entry",
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
        // Leave for a call
        bind(
            C::Leave,
            &[plain('y'), plain('Y')],
            A::Leave(LeaveKey::Once),
            "y",
            "run it",
        )
        .hint("yes"),
        bind(
            C::Leave,
            &[plain('a')],
            A::Leave(LeaveKey::Always),
            "a",
            "run it, and the very same again without asking",
        )
        .hint("always"),
        bind(
            C::Leave,
            &[plain('n'), plain('N'), key(K::Esc)],
            A::Leave(LeaveKey::Refuse),
            "n",
            "do not run it, and stop",
        )
        .hint("no"),
        bind(
            C::Leave,
            &[plain('i')],
            A::Leave(LeaveKey::Instead),
            "i",
            "do not run it, and say what to do instead",
        )
        .hint("instead"),
        bind(
            C::Leave,
            &[key(K::Tab)],
            A::SwitchFocus,
            "Tab",
            "go on typing, and back",
        ),
        // Questions
        bind(C::Confirm, &[plain('y'), plain('Y')], A::Yes, "y", "do it").hint("yes"),
        bind(
            C::Confirm,
            &[plain('n'), plain('N'), key(K::Esc)],
            A::No,
            "n",
            "leave it",
        )
        .hint("no"),
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
