//! Styles by role, never by colour.
//!
//! In: a role, the theme that the user chose, and what is known of the terminal's colours. Out: a style. Unless the user
//! chose otherwise it stands on the terminal's own background: where that is known to be dark or light, in inks that are
//! readable on it; where it is not, in the terminal's own sixteen colours. Changed lines have a tint behind them, and inks
//! that are readable on the tint, whatever the background is. A terminal with sixteen colours has no tints, and without
//! colours modifiers alone tell roles apart.

mod ground;
mod inks;

use ratatui::style::{Color, Modifier, Style};
use signoff_source::syntax::tokens::TokenKind;
use signoff_source::text::LineKind;

pub use self::ground::Ground;
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
    /// The lines of the part that has the keys.
    Focus,
    /// Its title.
    FocusTitle,
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
    /// The terminal's own sixteen, but for changed lines, which are tinted: what is behind its text is not known.
    Tinted(&'static Inks, ColourDepth),
    /// A theme's, on the terminal's background, which is like the theme's.
    Matched(&'static Inks, ColourDepth),
    /// A theme's, on a background of its own.
    Own(&'static Inks, ColourDepth),
}

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourDepth {
    /// Sixteen, which are the user's own.
    #[default]
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    /// 24 bits.
    True,
}

impl ColourDepth {
    /// Returns how many colours a terminal says that it shows, in `COLORTERM` and in the name in `TERM`.
    pub fn said_by(colorterm: Option<&str>, term: Option<&str>) -> Self {
        // Terminals whose own names in terminfo do not tell how many colours they show: 256 at least.
        const CAPABLE: [&str; 7] = [
            "alacritty",
            "contour",
            "foot",
            "ghostty",
            "kitty",
            "rio",
            "wezterm",
        ];
        match term {
            _ if matches!(colorterm, Some("truecolor" | "24bit")) => Self::True,
            Some(term) if term.ends_with("-direct") => Self::True,
            Some(term) if term.contains("256color") => Self::Indexed,
            Some(term) if CAPABLE.iter().any(|name| term.contains(name)) => Self::Indexed,
            _ => Self::Sixteen,
        }
    }
}

/// What is known of the colours of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalColours {
    /// How many there are.
    pub depth: ColourDepth,
    /// What is behind its text, once that is known.
    pub ground: Option<Ground>,
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

    /// Returns false for the plain theme.
    pub fn has_colours(self) -> bool {
        !matches!(self.palette, Palette::Plain)
    }

    /// Returns the theme of a name on a terminal with these colours. Where none are wanted it is the plain one.
    pub fn named(self, name: ThemeName, terminal: TerminalColours) -> Self {
        let palette = match (self.palette, name.inks()) {
            (Palette::Plain, _) => Palette::Plain,
            (_, Some(inks)) => Palette::Own(inks, terminal.depth),
            (_, None) if name == ThemeName::Auto => Palette::on(terminal),
            (_, None) => Palette::Ansi,
        };
        Self { palette }
    }

    /// Returns the style of what has no text, if that is not the terminal's own.
    pub fn ground(self) -> Option<Style> {
        match self.palette {
            Palette::Ansi | Palette::Plain | Palette::Tinted(..) | Palette::Matched(..) => None,
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
        let (inks, depth, is_own) = match self.palette {
            Palette::Plain => return Style::new().add_modifier(modifier),
            Palette::Tinted(inks, depth) if inks.is_tinted(role) => (inks, depth, false),
            Palette::Ansi | Palette::Tinted(..) => {
                let style = Style::new().add_modifier(modifier);
                return colour.map_or(style, |colour| style.fg(colour));
            }
            Palette::Matched(inks, depth) => (inks, depth, false),
            Palette::Own(inks, depth) => (inks, depth, true),
        };
        let (text, ground) = inks.of(role);
        // Weight and reversed sides are colours here.
        let modifier = modifier.difference(Modifier::DIM.union(Modifier::REVERSED));
        let mut style = Style::new().add_modifier(modifier);
        if is_own || inks.is_tinted(role) {
            style = style.bg(ground.colour(depth));
        }
        // Ordinary text is the terminal's own where its background is.
        if style.bg.is_some() || text != inks.text {
            style = style.fg(text.colour(depth));
        }
        style
    }
}

impl Palette {
    /// Returns the colours that suit a terminal's own background.
    fn on(terminal: TerminalColours) -> Self {
        let TerminalColours { depth, ground } = terminal;
        match (depth, ground) {
            (ColourDepth::Sixteen, _) => Self::Ansi,
            (_, None) => Self::Tinted(inks::of_side(Ground::Dark), depth),
            (_, Some(ground)) => Self::Matched(inks::readable_on(ground, depth), depth),
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
        Role::Focus => (Some(Color::Cyan), Modifier::BOLD),
        Role::FocusTitle => (Some(Color::Cyan), Modifier::REVERSED.union(Modifier::BOLD)),
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
        let terminal = TerminalColours {
            depth: ColourDepth::True,
            ground: None,
        };
        for name in [ThemeName::Auto, ThemeName::Dark] {
            let theme = Theme::coloured().named(name, terminal);
            let token = Role::Token(TokenKind::String, LineKind::Removed);
            assert_eq!(
                theme.behind(Role::AddedWord),
                Some(theme.style(Role::Added))
            );
            assert_eq!(theme.behind(token), Some(theme.style(Role::Removed)));
            assert_eq!(theme.behind(Role::Good), None);
        }
        let sixteen = Theme::coloured().named(ThemeName::Auto, TerminalColours::default());
        for theme in [sixteen, Theme::coloured(), Theme::plain()] {
            assert_eq!(theme.behind(Role::Added), None);
        }
    }

    /// What a terminal says of itself, and what is behind ordinary text, behind an added line, and the colour of a header.
    #[test]
    fn the_theme_that_is_chosen_by_itself_suits_the_terminal() {
        let check = |depth, ground, added: Option<Color>, header: Color| {
            let terminal = TerminalColours { depth, ground };
            let theme = Theme::coloured().named(ThemeName::Auto, terminal);
            assert_eq!(theme.ground(), None, "the terminal keeps its background");
            assert_eq!(theme.style(Role::Text), Style::new(), "and its text");
            let found = (theme.style(Role::Added).bg, theme.style(Role::Header).fg);
            assert_eq!(found, (added, Some(header)), "{terminal:?}");
        };
        let rgb = |colour: u32| {
            let [_, red, green, blue] = colour.to_be_bytes();
            Color::Rgb(red, green, blue)
        };
        let (dark, light) = (Some(rgb(0x14_2b_1c)), Some(rgb(0xe2_f5_e4)));
        let (blue, deep) = (rgb(0x82_b1_ff), rgb(0x0b_4f_b3));
        use ColourDepth::{Indexed, Sixteen, True};
        check(Sixteen, None, None, Color::Blue);
        check(Sixteen, Some(Ground::Light), None, Color::Blue);
        check(True, None, dark, Color::Blue);
        check(True, Some(Ground::Dark), dark, blue);
        check(True, Some(Ground::Light), light, deep);
        check(
            Indexed,
            Some(Ground::Light),
            Some(Color::Indexed(194)),
            Color::Indexed(25),
        );
        // Greys have deeper inks.
        let (pale, navy) = (Some(rgb(0xe4_ff_e4)), rgb(0x00_00_87));
        check(True, Some(Ground::Rgb([0xdd; 3])), pale, navy);
    }

    #[test]
    fn how_many_colours_there_are_is_told_by_the_terminal() {
        let check = |colorterm, term, expected| {
            assert_eq!(ColourDepth::said_by(colorterm, Some(term)), expected);
        };
        check(Some("truecolor"), "screen", ColourDepth::True);
        check(Some("24bit"), "xterm", ColourDepth::True);
        check(Some(""), "xterm-256color", ColourDepth::Indexed);
        check(None, "xterm-kitty", ColourDepth::Indexed);
        check(None, "xterm-direct", ColourDepth::True);
        check(None, "xterm", ColourDepth::Sixteen);
        check(None, "linux", ColourDepth::Sixteen);
        assert_eq!(ColourDepth::said_by(None, None), ColourDepth::Sixteen);
    }
}
