//! Key table: browsing the transcript.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, ctrl, key, plain, with_ctrl};
use super::super::{Action, Binding, Context};
use crate::transcript::{BrowseKey, Scroll};

/// In the order in which help and status line show them.
pub(super) static BROWSING: &[Binding] = {
    use Action as A;
    use BrowseKey as B;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Composer,
            "open-transcript",
            &[ctrl('t'), with_ctrl(K::Up)],
            A::OpenTranscript,
            "Ctrl-T, Ctrl-Up",
            "browse the transcript: copy, open, find",
        ),
        bind(
            C::Transcript,
            "copy",
            &[plain('y')],
            A::Browse(B::Copy),
            "y",
            "copy the text of the block",
        )
        .hint("copy"),
        bind(
            C::Transcript,
            "toggle",
            &[key(K::Enter), plain(' ')],
            A::Browse(B::Toggle),
            "Enter",
            "open the call, or fold it",
        )
        .hint("open"),
        bind(
            C::Transcript,
            "find",
            &[plain('/')],
            A::Browse(B::Find),
            "/",
            "find in the transcript",
        )
        .hint("find"),
        bind(
            C::Transcript,
            "next-hit",
            &[plain('n')],
            A::Browse(B::NextHit),
            "n",
            "next row with a match",
        ),
        bind(
            C::Transcript,
            "previous-hit",
            &[plain('N')],
            A::Browse(B::PreviousHit),
            "N",
            "previous row with a match",
        ),
        bind(
            C::Transcript,
            "next",
            &[plain('j'), key(K::Down)],
            A::Browse(B::Next),
            "j, Down",
            "on in a long block, then the next",
        ),
        bind(
            C::Transcript,
            "previous",
            &[plain('k'), key(K::Up)],
            A::Browse(B::Previous),
            "k, Up",
            "block before",
        ),
        bind(
            C::Transcript,
            "first",
            &[plain('g'), key(K::Home)],
            A::Browse(B::First),
            "g, Home",
            "first block",
        ),
        bind(
            C::Transcript,
            "last",
            &[plain('G'), key(K::End)],
            A::Browse(B::Last),
            "G, End",
            "last block",
        ),
        bind(
            C::Transcript,
            "page-up",
            &[key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Transcript,
            "page-down",
            &[key(K::PageDown)],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::Transcript,
            "close",
            &[key(K::Esc), plain('q'), ctrl('t')],
            A::Escape,
            "Esc, q",
            "back to the composer",
        )
        .hint("back"),
    ]
};
