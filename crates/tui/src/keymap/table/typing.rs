//! Key table: global keys and the composer.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{alt, bind, ctrl, key, plain, with_alt, with_ctrl, with_shift};
use super::super::{Action, Binding, Context};
use crate::composer::Edit;
use crate::transcript::Scroll;

/// In the order in which help and status line show them.
pub(super) static TYPING: &[Binding] = {
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
            "clear or stop; twice quits",
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
            &[key(K::BackTab), with_shift(K::BackTab)],
            A::NextMode,
            "Shift-Tab",
            "the next mode: step, turn, plan",
        ),
        bind(
            C::Anywhere,
            &[ctrl('y')],
            A::Retry,
            "Ctrl-Y",
            "ask again: after a silence or a fault",
        ),
        bind(
            C::Anywhere,
            &[ctrl('x')],
            A::CancelCall,
            "Ctrl-X",
            "stop one call; the turn goes on",
        ),
        bind(
            C::Anywhere,
            &[ctrl('o')],
            A::OpenOutputs,
            "Ctrl-O",
            "open long commands, outputs and pastes, and close them",
        ),
        bind(
            C::Anywhere,
            &[ctrl('z')],
            A::Suspend,
            "Ctrl-Z",
            "stop signoff; `fg` in the shell continues it",
        ),
        // Composer with nothing typed
        bind(
            C::EmptyComposer,
            &[key(K::Delete)],
            A::Unqueue,
            "Delete",
            "remove the last queued prompt (nothing typed)",
        ),
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
            "quit (nothing typed)",
        )
        .hint("quit"),
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
            "stop what runs; close the review; twice: back to a prompt",
        ),
        bind(
            C::Composer,
            &[key(K::Up)],
            A::Edit(Edit::Up),
            "Up",
            "row above, then queued and earlier prompts",
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
            &[ctrl('r')],
            A::SearchPrompts,
            "Ctrl-R",
            "search earlier prompts",
        ),
        bind(
            C::Composer,
            &[ctrl('g')],
            A::EditPrompt,
            "Ctrl-G",
            "edit the prompt in $EDITOR",
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
            // Terminals send one byte for all three, which is read as Ctrl-7.
            &[ctrl('_'), ctrl('/'), ctrl('7')],
            A::Edit(Edit::Undo),
            "Ctrl-_",
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
    ]
};
