//! The command palette, over everything else: keys that search and select in it, and what is taken from it.
//!
//! In: keys and pastes. Out: the action or command, carried out where the palette was opened.

use ratatui::crossterm::event::KeyEvent;

use super::Focus;
use crate::app::App;
use crate::app::palette::{Palette, PaletteDeed};
use crate::app::type_ahead::Cause;
use crate::composer::Edit;
use crate::composer::menu::MenuKey;
use crate::keymap::{self, Action, Context};

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

    /// Takes over a paste; false if the palette is not open.
    pub(in crate::app) fn palette_paste(&mut self, text: &str) -> bool {
        let Some(palette) = &mut self.palette else {
            return false;
        };
        palette.paste(text);
        self.type_ahead.begin(Cause::Rows);
        true
    }
}

impl App {
    /// Takes a key while the palette is open; false if the key is one of everywhere.
    pub(in crate::app) fn palette_key(&mut self, key: KeyEvent) -> bool {
        let action = self.keys.action(Context::Palette, key);
        if let Some(Action::Redraw | Action::Suspend) = action {
            return false;
        }
        // The pause before an answer is about this key as well.
        self.focus.key(self.conversation.composer(), self.now);
        let edit = match (action, self.keys.own(Context::Composer, key)) {
            (Some(Action::Menu(key)), _) => {
                self.palette_menu_key(key);
                None
            }
            (Some(Action::Interrupt), _) => {
                self.focus.palette = None;
                None
            }
            (_, Some(Action::Edit(edit))) if !matches!(edit, Edit::Newline | Edit::Insert(_)) => {
                Some(edit)
            }
            _ => keymap::typed(key).map(Edit::Insert),
        };
        if let (Some(edit), Some(palette)) = (edit, &mut self.focus.palette) {
            palette.edit(edit);
            // What is selected now was not on the screen before.
            self.focus.guard(Cause::Rows);
        }
        true
    }

    fn palette_menu_key(&mut self, key: MenuKey) {
        if let Some(palette) = &mut self.focus.palette {
            match key {
                MenuKey::Next => palette.menu_mut().next(),
                MenuKey::Previous => palette.menu_mut().previous(),
                MenuKey::Close => self.focus.palette = None,
                MenuKey::Take | MenuKey::Complete => self.take_from_palette(),
            }
        }
    }

    /// Does what is selected, unless what it is about is not what it was when the palette opened.
    fn take_from_palette(&mut self) {
        let Some(palette) = &self.focus.palette else {
            return;
        };
        let Some(deed) = palette.selected().cloned() else {
            return self.status.say("No action matches");
        };
        let context = palette.context();
        let hunk = self.review.list().selected_hunk().map(|hunk| hunk.id);
        let is_shown = palette.is_about(hunk) && self.focus.is_drawn(context, &self.review);
        if deed.decides()
            && let Some(cause) = self.focus.type_ahead.waits_for()
        {
            return self.say_too_early(cause);
        }
        self.focus.palette = None;
        if deed.decides() && !is_shown {
            self.status
                .say("What it is about changed meanwhile: look, then choose again");
        } else if self.context() != context {
            self.status
                .say("Another part of the screen was opened meanwhile: nothing was done");
        } else {
            self.do_deed(deed, context);
        }
    }

    fn do_deed(&mut self, deed: PaletteDeed, context: Context) {
        match deed {
            PaletteDeed::Act(action) => {
                self.review.key_pressed();
                self.act(action);
                if self.context() == Context::SignOff && context != Context::SignOff {
                    // The next Enter may have been meant for the palette.
                    self.focus.guard(Cause::Opened);
                }
            }
            PaletteDeed::Slash(command) => self.slash(command),
            PaletteDeed::Pick(picker) => {
                self.go_to_composer();
                self.open_picker(picker);
            }
            PaletteDeed::Begin(text) => self.begin_typing(&text),
        }
    }
}
