//! The command palette, over everything else: keys that search and select in it, and what is taken from it.
//!
//! In: keys and pastes. Out: the action or command to carry out where the palette was opened.

use ratatui::crossterm::event::KeyEvent;
use signoff_core::id::Timestamp;

use super::Focus;
use crate::app::palette::{Palette, PaletteDeed};
use crate::app::type_ahead::Cause;
use crate::composer::menu::MenuKey;
use crate::composer::{Composer, Edit};
use crate::keymap::{self, Action, Context, KeyMap};
use crate::review::Review;

/// What a key comes to while the command palette is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) enum PaletteOutcome {
    /// The screen shows it.
    Handled,
    /// This is to be said.
    Say(&'static str),
    /// The key came too early to decide.
    TooEarly(Cause),
    /// This was taken, to be carried out in the context in which the palette was opened.
    Take(PaletteDeed, Context),
}

impl Focus {
    /// Returns the command palette.
    pub(crate) fn palette(&self) -> Option<&Palette> {
        self.palette.as_ref()
    }

    /// Returns the same, to be laid out.
    pub(in crate::app) fn palette_mut(&mut self) -> Option<&mut Palette> {
        self.palette.as_mut()
    }

    /// Lists the actions over everything else. What decides waits until the list was on the screen.
    pub(in crate::app) fn open_palette(&mut self, palette: Palette) {
        self.palette = Some(palette);
        self.type_ahead.begin(Cause::Question);
    }

    /// Takes over that what lies below the command palette shows something else.
    pub(super) fn outdate_palette(&mut self) {
        if let Some(palette) = &mut self.palette {
            palette.outdate();
        }
    }

    /// Takes a key while the palette is open; nothing if it is not, or the key is one of everywhere.
    pub(in crate::app) fn palette_key(
        &mut self,
        key: KeyEvent,
        (keys, now): (&KeyMap, Timestamp),
        (composer, review): (&Composer, &Review),
    ) -> Option<PaletteOutcome> {
        self.palette.as_ref()?;
        let action = keys.action(Context::Palette, key);
        if let Some(Action::Redraw | Action::Suspend) = action {
            return None;
        }
        // The pause before an answer is about this key as well.
        self.key(composer, now);
        let edit = match (action, keys.own(Context::Composer, key)) {
            (Some(Action::Menu(key)), _) => return Some(self.palette_menu_key(key, review)),
            (Some(Action::Interrupt), _) => {
                self.palette = None;
                return Some(PaletteOutcome::Handled);
            }
            (_, Some(Action::Edit(edit))) if !matches!(edit, Edit::Newline | Edit::Insert(_)) => {
                Some(edit)
            }
            _ => keymap::typed(key).map(Edit::Insert),
        };
        if let (Some(edit), Some(palette)) = (edit, &mut self.palette) {
            palette.edit(edit);
            // What is selected now was not on the screen before.
            self.type_ahead.begin(Cause::Rows);
        }
        Some(PaletteOutcome::Handled)
    }

    /// Takes over a paste; false if the palette is not open.
    pub(in crate::app) fn palette_paste(&mut self, text: &str) -> bool {
        let Some(palette) = &mut self.palette else {
            return false;
        };
        palette.paste(text);
        self.type_ahead.begin(Cause::Rows);
        true
    }

    fn palette_menu_key(&mut self, key: MenuKey, review: &Review) -> PaletteOutcome {
        if let Some(palette) = &mut self.palette {
            match key {
                MenuKey::Next => palette.menu_mut().next(),
                MenuKey::Previous => palette.menu_mut().previous(),
                MenuKey::Close => self.palette = None,
                MenuKey::Take | MenuKey::Complete => return self.take_from_palette(review),
            }
        }
        PaletteOutcome::Handled
    }

    /// Returns what is selected, unless what it is about is not what it was when the palette opened.
    fn take_from_palette(&mut self, review: &Review) -> PaletteOutcome {
        let Some(palette) = &self.palette else {
            return PaletteOutcome::Handled;
        };
        let Some(deed) = palette.selected().cloned() else {
            return PaletteOutcome::Say("No action matches");
        };
        let context = palette.context();
        if deed.decides() {
            if let Some(cause) = self.type_ahead.waits_for() {
                return PaletteOutcome::TooEarly(cause);
            }
            if !palette.is_about(review.list().selected_hunk().map(|hunk| hunk.id))
                || !self.is_drawn(context, review)
            {
                self.palette = None;
                return PaletteOutcome::Say(
                    "What it is about changed meanwhile: look, then choose again",
                );
            }
        }
        self.palette = None;
        PaletteOutcome::Take(deed, context)
    }
}
