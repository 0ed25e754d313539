//! Styles by role, never by colour.
//!
//! In: a role. Out: a style made of the terminal's own sixteen colours, so that it suits
//! light and dark backgrounds alike; or of a theme that the user chose (`inks`), on its own background; without colours,
//! modifiers alone carry it.

mod inks;

use ratatui::style::{Color, Modifier, Style};
use signoff_source::syntax::tokens::TokenKind;
use signoff_source::text::LineKind;

use self::inks::Inks;
pub use self::inks::ThemeName;

/// What a piece of text is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Ordinary text.
    Text,
    /// Text of less weight.
    Dim,
    /// Text of more weight.
    Strong,
    /// The header of the transcript.
    Header,
    /// What the user said.
    User,
    /// A heading in the model's text.
    Heading,
    /// Code in the model's text.
    Code,
    /// Text that the model emphasises.
    Emphasis,
    /// Text that the model strikes through.
    Struck,
    /// The text of a link.
    Link,
    /// What is about to be done.
    Intent,
    /// Something that worked.
    Good,
    /// Something that did not work.
    Bad,
    /// Something to look at before deciding.
    Warn,
    /// An added line.
    Added,
    /// The part of an added line that differs.
    AddedWord,
    /// A removed line.
    Removed,
    /// The part of a removed line that differs.
    RemovedWord,
    /// A piece of code on a line of this side.
    Token(TokenKind, LineKind),
    /// The head of a hunk.
    Hunk,
    /// The item that keys act on.
    Selected,
    /// A key's name.
    Key,
    /// What a search found.
    Match,
}

/// Maps roles to styles.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    palette: Palette,
}

#[derive(Clone, Copy, Debug)]
enum Palette {
    /// The terminal's own sixteen.
    Ansi,
    /// None.
    Plain,
    /// Its own, on a background of its own.
    Own(&'static Inks, ColourDepth),
}

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourDepth {
    /// The 256 of xterm.
    #[default]
    Indexed,
    /// 24 bits.
    True,
}

impl Theme {
    /// Returns the theme that uses the terminal's colours.
    pub fn coloured() -> Self {
        Self {
            palette: Palette::Ansi,
        }
    }

    /// Returns the theme without any colour.
    pub fn plain() -> Self {
        Self {
            palette: Palette::Plain,
        }
    }

    /// Returns the theme of a name on a terminal with so many colours. Where none are wanted it is the plain one.
    pub fn named(self, name: ThemeName, depth: ColourDepth) -> Self {
        let palette = match (self.palette, name.inks()) {
            (Palette::Plain, _) => Palette::Plain,
            (_, None) => Palette::Ansi,
            (_, Some(inks)) => Palette::Own(inks, depth),
        };
        Self { palette }
    }

    /// Returns the style of what has no text, if that is not the terminal's own.
    pub fn ground(self) -> Option<Style> {
        match self.palette {
            Palette::Ansi | Palette::Plain => None,
            Palette::Own(inks, depth) => {
                let style = Style::new().fg(inks.text.colour(depth));
                Some(style.bg(inks.ground.colour(depth)))
            }
        }
    }

    /// Returns the style of the rest of a row that ends with this role, where a changed line is tinted up to the edge.
    pub fn behind(self, last: Role) -> Option<Style> {
        let line = match last {
            Role::Added | Role::AddedWord | Role::Token(_, LineKind::Added) => Role::Added,
            Role::Removed | Role::RemovedWord | Role::Token(_, LineKind::Removed) => Role::Removed,
            _ => return None,
        };
        let style = self.style(line);
        style.bg.map(|_| style)
    }

    /// Returns the style of a role.
    pub fn style(self, role: Role) -> Style {
        let (colour, modifier) = look(role);
        match (self.palette, colour) {
            (Palette::Ansi, Some(colour)) => Style::new().fg(colour).add_modifier(modifier),
            (Palette::Ansi | Palette::Plain, _) => Style::new().add_modifier(modifier),
            (Palette::Own(inks, depth), _) => {
                let (text, ground) = inks.of(role);
                // Weight and reversed sides are colours here.
                let modifier = modifier.difference(Modifier::DIM.union(Modifier::REVERSED));
                let style = Style::new().fg(text.colour(depth)).bg(ground.colour(depth));
                style.add_modifier(modifier)
            }
        }
    }
}

fn look(role: Role) -> (Option<Color>, Modifier) {
    const NONE: Modifier = Modifier::empty();
    match role {
        Role::Text => (None, NONE),
        Role::Dim => (None, Modifier::DIM),
        Role::Strong | Role::Selected => (None, Modifier::BOLD),
        Role::Header => (Some(Color::Blue), NONE),
        Role::User => (Some(Color::Cyan), NONE),
        Role::Heading => (Some(Color::Magenta), Modifier::BOLD),
        Role::Code => (Some(Color::Cyan), NONE),
        Role::Emphasis => (None, Modifier::ITALIC),
        Role::Struck => (None, Modifier::CROSSED_OUT),
        Role::Link => (None, Modifier::UNDERLINED),
        Role::Intent => (Some(Color::Blue), Modifier::BOLD),
        Role::Good | Role::Added => (Some(Color::Green), NONE),
        Role::Bad | Role::Removed => (Some(Color::Red), NONE),
        Role::Warn => (Some(Color::Yellow), Modifier::BOLD),
        Role::AddedWord => (Some(Color::Green), Modifier::REVERSED),
        Role::RemovedWord => (Some(Color::Red), Modifier::REVERSED),
        Role::Token(kind, side) => token(kind, side),
        Role::Hunk => (Some(Color::Cyan), NONE),
        Role::Key => (None, Modifier::BOLD),
        Role::Match => (
            Some(Color::Yellow),
            Modifier::REVERSED.union(Modifier::UNDERLINED),
        ),
    }
}

/// Returns the look of a piece of code. Green and red tell the sides apart, so that no token has them; without colours
/// words of the language are bold and comments dim.
fn token(kind: TokenKind, side: LineKind) -> (Option<Color>, Modifier) {
    let on_side = match side {
        LineKind::Context => None,
        LineKind::Added => Some(Color::Green),
        LineKind::Removed => Some(Color::Red),
    };
    match kind {
        TokenKind::Comment => (on_side, Modifier::DIM.union(Modifier::ITALIC)),
        TokenKind::Keyword => (Some(Color::Magenta), Modifier::BOLD),
        TokenKind::String => (Some(Color::Yellow), Modifier::empty()),
        TokenKind::Constant | TokenKind::Type => (Some(Color::Cyan), Modifier::empty()),
        TokenKind::Function | TokenKind::Tag => (Some(Color::Blue), Modifier::empty()),
        TokenKind::Property => (on_side, Modifier::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_theme_has_no_colour_and_still_tells_roles_apart() {
        let plain = Theme::plain();
        assert_eq!(plain.style(Role::Header).fg, None);
        assert_ne!(plain.style(Role::AddedWord), plain.style(Role::Added));
        assert_eq!(Theme::coloured().style(Role::Header).fg, Some(Color::Blue));
    }

    #[test]
    fn changed_lines_are_tinted_up_to_the_edge_where_they_are_tinted() {
        let dark = Theme::coloured().named(ThemeName::Dark, ColourDepth::True);
        let token = Role::Token(TokenKind::String, LineKind::Removed);
        assert_eq!(dark.behind(Role::AddedWord), Some(dark.style(Role::Added)));
        assert_eq!(dark.behind(token), Some(dark.style(Role::Removed)));
        assert_eq!(dark.behind(Role::Good), None);
        assert_eq!(Theme::coloured().behind(Role::Added), None);
        assert_eq!(Theme::plain().behind(Role::Added), None);
    }
}
