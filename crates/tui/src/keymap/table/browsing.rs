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
            &[ctrl('t'), with_ctrl(K::Up)],
            A::OpenTranscript,
            "Ctrl-T, Ctrl-Up",
            "browse the transcript: copy, open, find",
        ),
        bind(
            C::Transcript,
            &[plain('y')],
            A::Browse(B::Copy),
            "y",
            "copy the text of the block",
        )
        .hint("copy"),
        bind(
            C::Transcript,
            &[key(K::Enter), plain(' ')],
            A::Browse(B::Toggle),
            "Enter",
            "open the call, or fold it",
        )
        .hint("open"),
        bind(
            C::Transcript,
            &[plain('/')],
            A::Browse(B::Find),
            "/",
            "find in the transcript",
        )
        .hint("find"),
        bind(
            C::Transcript,
            &[plain('n')],
            A::Browse(B::NextHit),
            "n",
            "next row that has it",
        ),
        bind(
            C::Transcript,
            &[plain('N')],
            A::Browse(B::PreviousHit),
            "N",
            "row before that has it",
        ),
        bind(
            C::Transcript,
            &[plain('j'), key(K::Down)],
            A::Browse(B::Next),
            "j, Down",
            "on in a long block, then the next",
        ),
        bind(
            C::Transcript,
            &[plain('k'), key(K::Up)],
            A::Browse(B::Previous),
            "k, Up",
            "block before",
        ),
        bind(
            C::Transcript,
            &[plain('g'), key(K::Home)],
            A::Browse(B::First),
            "g, Home",
            "first block",
        ),
        bind(
            C::Transcript,
            &[plain('G'), key(K::End)],
            A::Browse(B::Last),
            "G, End",
            "last block",
        ),
        bind(
            C::Transcript,
            &[key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Transcript,
            &[key(K::PageDown)],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::Transcript,
            &[key(K::Esc), plain('q'), ctrl('t')],
            A::Escape,
            "Esc, q",
            "back to the composer",
        )
        .hint("back"),
    ]
};
