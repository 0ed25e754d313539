//! The command palette, over everything else: keys that search and select in it, and what is taken from it.
//!
//! In: keys and pastes. Out: the action or command, carried out where the palette was opened.

use ratatui::crossterm::event::KeyEvent;

use super::Focus;
use crate::app::App;
use crate::app::keymap::{self, Context, KeyMark};
use crate::app::palette::{Palette, PaletteDeed};
use crate::app::slash::{self, Typed};
use crate::app::type_ahead::Cause;
use crate::composer::Edit;
use crate::composer::menu::Menu;

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

    /// Moves in the list.
    pub(in crate::app) fn move_in_palette(&mut self, go: impl FnOnce(&mut Menu)) {
        if let Some(palette) = &mut self.palette {
            go(palette.menu_mut());
        }
    }

    /// Edits what is typed to find an action; false if the palette is not open.
    pub(in crate::app) fn edit_palette(&mut self, edit: Edit) -> bool {
        self.search_palette(|palette| palette.edit(edit))
    }

    /// Takes over a paste; false if the palette is not open.
    pub(in crate::app) fn palette_paste(&mut self, text: &str) -> bool {
        self.search_palette(|palette| palette.paste(text))
    }

    fn search_palette(&mut self, search: impl FnOnce(&mut Palette)) -> bool {
        let Some(palette) = &mut self.palette else {
            return false;
        };
        search(palette);
        // What is selected now was not on the screen before.
        self.type_ahead.begin(Cause::Rows);
        true
    }

    pub(in crate::app) fn close_palette(&mut self) {
        self.palette = None;
    }
}

impl App {
    /// Takes a key while the palette is open; false if the key is one of everywhere.
    pub(in crate::app) fn palette_key(&mut self, key: KeyEvent) -> bool {
        let binding = self.keys.binding(Context::Palette, key);
        let row = binding.map(|binding| (binding.context, binding.id));
        if let Some((Context::Anywhere, "redraw" | "suspend")) = row {
            return false;
        }
        // The pause before an answer is about this key as well.
        (self.focus).key(self.conversation.composer(), (Some(key), self.now));
        let edits = self.keys.own(Context::Composer, key);
        let edits = edits.filter(|binding| binding.is(KeyMark::Edits));
        match (
            row,
            binding
                .filter(|it| it.context == Context::Palette)
                .or(edits),
        ) {
            (Some((Context::Anywhere, "interrupt")), _) => self.focus.close_palette(),
            (_, Some(binding)) => (binding.run)(self),
            (_, None) => {
                if let Some(c) = keymap::typed(key) {
                    self.edit(Edit::Insert(c));
                }
            }
        }
        true
    }

    /// Does what is selected, unless what it is about is not what it was when the palette opened.
    pub(in crate::app) fn take_from_palette(&mut self) {
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
            PaletteDeed::Press(binding) => {
                self.review.key_pressed();
                (binding.run)(self);
                if self.context() == Context::SignOff && context != Context::SignOff {
                    // The next Enter may have been meant for the palette.
                    self.focus.guard(Cause::Opened);
                }
            }
            PaletteDeed::Slash { line, .. } => match slash::read(&line) {
                Typed::Slash(command) => self.carry_out(command),
                typed => debug_assert!(false, "{line} is no command: {typed:?}"),
            },
            PaletteDeed::Pick(picker) => {
                self.go_to_composer();
                self.open_picker(picker);
            }
            PaletteDeed::Begin(text) => self.begin_typing(&text),
        }
    }
}
