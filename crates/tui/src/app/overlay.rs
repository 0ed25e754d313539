//! Overlays: pages over the panes, until they are closed.
//!
//! In: keys that scroll. Out: what a page is to be told, and what is said of a key.

use super::Query;
use super::help::HelpPage;
use crate::app::background_page::BackgroundPage;
use crate::app::keymap::Context;
use crate::review::diff_page::DiffPage;
use crate::review::note_page::NotePage;
use crate::review::places_page::PlacesPage;
use crate::review::sign_off::SignOffPage;
use crate::row_window::Scroll;

/// What lies over the panes.
#[derive(Debug)]
pub(crate) enum Overlay {
    /// The keys.
    Help(HelpPage),
    /// The history.
    History,
    /// The transcript, block by block.
    Transcript,
    /// What the marks of the review come to.
    SignOff(Box<SignOffPage>),
    /// What changes come to.
    Diff(Box<DiffPage>),
    /// The places of an edit that fits several.
    Places(Box<PlacesPage>),
    /// What is known of a hunk.
    Note(Box<NotePage>),
    /// The agents that work beside the conversation.
    Background(Box<BackgroundPage>),
}

impl Overlay {
    /// Moves by a screen, or to an end; false if it has no rows of its own to move through.
    pub(super) fn scroll(&mut self, scroll: Scroll) -> bool {
        match self {
            Self::Help(page) => page.scroll(scroll),
            Self::SignOff(page) => page.scroll(scroll),
            Self::Note(page) => page.scroll(scroll),
            Self::Places(page) => page.scroll(scroll),
            Self::Background(page) => page.scroll(scroll),
            Self::History | Self::Diff(_) | Self::Transcript => return false,
        }
        true
    }

    /// Returns the sign-off page, if it is that.
    pub(super) fn sign_off_mut(&mut self) -> Option<&mut SignOffPage> {
        let Self::SignOff(page) = self else {
            return None;
        };
        Some(page)
    }

    /// Returns the places that it shows, if it does.
    pub(super) fn places(&self) -> Option<&PlacesPage> {
        let Self::Places(page) = self else {
            return None;
        };
        Some(page)
    }

    /// Returns the background agents that it shows, if it does.
    pub(super) fn background_mut(&mut self) -> Option<&mut BackgroundPage> {
        let Self::Background(page) = self else {
            return None;
        };
        Some(page)
    }

    /// Goes back from a page to the list that it was opened from; false where the overlay has no such page.
    pub(super) fn back(&mut self) -> bool {
        self.background_mut().is_some_and(BackgroundPage::back)
    }

    /// Returns the diffs that it shows, if it does.
    pub(super) fn diff_mut(&mut self) -> Option<&mut DiffPage> {
        let Self::Diff(page) = self else {
            return None;
        };
        Some(page)
    }

    /// Returns what is shown once this one is closed.
    pub(super) fn below(&self) -> Option<Self> {
        match self {
            Self::Diff(page) if page.is_over_history => Some(Self::History),
            Self::Help(page) if page.is_over(Context::History) => Some(Self::History),
            Self::Help(page) if page.is_over(Context::Transcript) => Some(Self::Transcript),
            Self::Help(_)
            | Self::History
            | Self::Transcript
            | Self::SignOff(_)
            | Self::Diff(_)
            | Self::Places(_)
            | Self::Note(_)
            | Self::Background(_) => None,
        }
    }

    /// Takes over that files or staged work changed.
    pub(super) fn outdate(&mut self) {
        if let Some(page) = self.diff_mut() {
            page.outdate();
        }
    }

    /// Returns what is to be asked for this page, if anything is.
    pub(super) fn wanted(&mut self) -> Option<Query> {
        match self {
            Self::Diff(page) => page.wanted().map(Query::Diff),
            Self::SignOff(page) => page.wanted().map(Query::OwnText),
            Self::Help(_)
            | Self::History
            | Self::Transcript
            | Self::Places(_)
            | Self::Note(_)
            | Self::Background(_) => None,
        }
    }
}
