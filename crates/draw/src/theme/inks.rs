//! Colours of the themes.
//!
//! In: a role. Out: the colours of its text and of what is behind it. A test holds each pair to the contrast that makes it
//! readable (WCAG 2.2): 4.5, with high contrast 7, of which what is dim has 4.5.

use std::str::FromStr;

use ratatui::style::Color;
use serde::Deserialize;
use signoff_source::syntax::tokens::TokenKind;
use signoff_source::text::LineKind;

use super::ground::contrast;
use super::{ColourDepth, Ground, Role};

/// The contrast that makes text readable: level AA of WCAG 2.2.
const READABLE: f64 = 4.5;

/// The themes that can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeName {
    /// What suits the terminal's own background.
    #[default]
    Auto,
    /// The terminal's own colours, on its own background.
    Terminal,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
    /// White on black.
    HighContrastDark,
    /// Black on white.
    HighContrastLight,
}

impl ThemeName {
    /// Every theme.
    pub const ALL: [Self; 6] = [
        Self::Auto,
        Self::Terminal,
        Self::Dark,
        Self::Light,
        Self::HighContrastDark,
        Self::HighContrastLight,
    ];

    /// Returns its name, as in the config file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Terminal => "terminal",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrastDark => "high-contrast-dark",
            Self::HighContrastLight => "high-contrast-light",
        }
    }

    pub(super) fn inks(self) -> Option<&'static Inks> {
        match self {
            Self::Auto | Self::Terminal => None,
            Self::Dark => Some(&DARK),
            Self::Light => Some(&LIGHT),
            Self::HighContrastDark => Some(&HIGH_DARK),
            Self::HighContrastLight => Some(&HIGH_LIGHT),
        }
    }
}

impl FromStr for ThemeName {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let mut all = Self::ALL.into_iter();
        all.find(|theme| theme.word() == name).ok_or(())
    }
}

/// A colour, and the one of xterm's 256 in its place: the nearest, which is found when the program is compiled, as every
/// piece of text asks for one; or another, where the nearest is a grey, or cannot be read on what is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ink {
    parts: [u8; 3],
    index: u8,
}

impl Ink {
    /// Returns the colour `0xRRGGBB`.
    const fn new(colour: u32) -> Self {
        let [_, red, green, blue] = colour.to_be_bytes();
        let parts = [red, green, blue];
        Self {
            parts,
            index: nearest(parts),
        }
    }

    /// Returns the colour `0xRRGGBB`, and what is in its place where there are 256.
    const fn indexed(colour: u32, index: u8) -> Self {
        Self {
            index,
            ..Self::new(colour)
        }
    }

    /// Returns the colour, or the one of 256 in its place.
    pub(super) fn colour(self, depth: ColourDepth) -> Color {
        let [red, green, blue] = self.parts;
        match depth {
            ColourDepth::True => Color::Rgb(red, green, blue),
            // A theme that was asked for is shown as near as the terminal can.
            ColourDepth::Indexed | ColourDepth::Sixteen => Color::Indexed(self.index),
        }
    }
}

/// Steps of xterm's cube of colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Returns the parts of a colour of xterm's cube or of its greys.
const fn indexed(index: u8) -> [u8; 3] {
    const CUBE: u8 = 16;
    const GREYS: u8 = 232;
    if index >= GREYS {
        return [8 + (index - GREYS) * 10; 3];
    }
    let at = index.saturating_sub(CUBE) as usize;
    [STEPS[at / 36], STEPS[at / 6 % 6], STEPS[at % 6]]
}

const fn nearest(parts: [u8; 3]) -> u8 {
    let (mut best, mut fewest) = (0, u32::MAX);
    let mut index = 16;
    loop {
        let other = indexed(index);
        let red = other[0].abs_diff(parts[0]) as u32;
        let green = other[1].abs_diff(parts[1]) as u32;
        let blue = other[2].abs_diff(parts[2]) as u32;
        let distance = red * red + green * green + blue * blue;
        if distance < fewest {
            (best, fewest) = (index, distance);
        }
        if index == u8::MAX {
            return best;
        }
        index += 1;
    }
}

/// The colours of a theme.
#[derive(Debug)]
pub(super) struct Inks {
    pub(super) ground: Ink,
    pub(super) text: Ink,
    dim: Ink,
    /// Comments in code, which stand on tinted lines too.
    comment: Ink,
    blue: Ink,
    cyan: Ink,
    magenta: Ink,
    green: Ink,
    red: Ink,
    yellow: Ink,
    /// What differs in a changed line.
    word: Ink,
    /// Behind added and removed lines, and behind what differs in them.
    added: Ink,
    added_word: Ink,
    removed: Ink,
    removed_word: Ink,
}

/// With 256 colours there is one green as dark as a tint, 22; what stands on it is lighter there than its nearest.
static DARK: Inks = Inks {
    ground: Ink::new(0x16_18_1d),
    text: Ink::new(0xd8_db_e2),
    dim: Ink::new(0x9b_a2_b0),
    comment: Ink::indexed(0x9b_a2_b0, 252),
    blue: Ink::indexed(0x82_b1_ff, 153),
    cyan: Ink::new(0x7f_d8_e0),
    magenta: Ink::indexed(0xd8_a6_f0, 219),
    green: Ink::new(0x8f_d6_8f),
    red: Ink::new(0xff_9a_93),
    yellow: Ink::new(0xf2_cc_6b),
    word: Ink::indexed(0xd8_db_e2, 231),
    added: Ink::indexed(0x14_2b_1c, 22),
    added_word: Ink::indexed(0x10_5a_20, 28),
    removed: Ink::indexed(0x34_19_1b, 52),
    removed_word: Ink::indexed(0x64_18_1e, 88),
};

static LIGHT: Inks = Inks {
    ground: Ink::new(0xfb_fb_f9),
    text: Ink::new(0x1f_23_2b),
    dim: Ink::new(0x5f_65_70),
    comment: Ink::new(0x5f_65_70),
    blue: Ink::new(0x0b_4f_b3),
    cyan: Ink::new(0x00_5f_6b),
    magenta: Ink::new(0x7a_1f_a2),
    green: Ink::new(0x0f_5f_20),
    red: Ink::new(0xa1_15_15),
    yellow: Ink::new(0x6f_4b_00),
    word: Ink::new(0x1f_23_2b),
    added: Ink::indexed(0xe2_f5_e4, 194),
    added_word: Ink::indexed(0xb9_e8_c0, 157),
    removed: Ink::indexed(0xfd_e9_e8, 224),
    removed_word: Ink::indexed(0xf8_c9_c7, 217),
};

static HIGH_DARK: Inks = HIGH_ON_DARK;

/// With 256 colours changed lines are hardly tinted: on the darkest green no other colour has a contrast of 7.
const HIGH_ON_DARK: Inks = Inks {
    ground: Ink::new(0x00_00_00),
    text: Ink::new(0xff_ff_ff),
    dim: Ink::new(0xc6_c6_c6),
    comment: Ink::new(0xc6_c6_c6),
    blue: Ink::new(0xaf_d7_ff),
    cyan: Ink::new(0xaf_ff_ff),
    magenta: Ink::new(0xff_d7_ff),
    green: Ink::new(0xaf_ff_af),
    red: Ink::new(0xff_d7_d7),
    yellow: Ink::new(0xff_ff_87),
    word: Ink::new(0xff_ff_ff),
    added: Ink::new(0x00_1f_00),
    added_word: Ink::new(0x00_44_00),
    removed: Ink::new(0x2f_00_00),
    removed_word: Ink::new(0x5a_00_00),
};

static HIGH_LIGHT: Inks = HIGH_ON_LIGHT;

const HIGH_ON_LIGHT: Inks = Inks {
    ground: Ink::new(0xff_ff_ff),
    text: Ink::new(0x00_00_00),
    dim: Ink::new(0x3a_3a_3a),
    comment: Ink::new(0x3a_3a_3a),
    blue: Ink::new(0x00_00_87),
    cyan: Ink::new(0x00_2f_3f),
    magenta: Ink::new(0x5f_00_5f),
    green: Ink::new(0x00_3f_00),
    red: Ink::new(0x6f_00_00),
    yellow: Ink::new(0x42_2c_00),
    word: Ink::new(0x00_00_00),
    added: Ink::indexed(0xe4_ff_e4, 194),
    added_word: Ink::indexed(0xc4_f5_c4, 157),
    removed: Ink::indexed(0xff_ec_ec, 224),
    removed_word: Ink::indexed(0xff_d7_d7, 217),
};

/// White and black alone: on a grey in the middle nothing else is readable.
static WHITE: Inks = HIGH_ON_DARK.in_one();
static BLACK: Inks = HIGH_ON_LIGHT.in_one();

/// Returns the colours for a background of this side.
pub(super) fn of_side(ground: Ground) -> &'static Inks {
    if ground.is_light() { &LIGHT } else { &DARK }
}

/// Returns the colours that are readable on a background: the greyer it is, the less of a colour they have.
pub(super) fn readable_on(ground: Ground, depth: ColourDepth) -> &'static Inks {
    let (most, high, least) = if ground.is_light() {
        (&LIGHT, &HIGH_LIGHT, &BLACK)
    } else {
        (&DARK, &HIGH_DARK, &WHITE)
    };
    let mut fit = [most, high].into_iter();
    (fit.find(|inks| inks.can_be_read_on(ground, depth))).unwrap_or(least)
}

impl Inks {
    /// Returns the same with its text in one colour.
    const fn in_one(self) -> Self {
        let text = self.text;
        Self {
            dim: text,
            comment: text,
            blue: text,
            cyan: text,
            magenta: text,
            green: text,
            red: text,
            yellow: text,
            ..self
        }
    }

    /// Returns the colours of a role: of its text, and behind it.
    pub(super) fn of(&self, role: Role) -> (Ink, Ink) {
        let text = match role {
            Role::Text | Role::Strong | Role::Emphasis | Role::Selected | Role::Key => self.text,
            Role::Struck => self.dim,
            Role::Link => self.blue,
            Role::Match => return (self.ground, self.yellow),
            Role::Focus => self.cyan,
            Role::FocusTitle => return (self.ground, self.cyan),
            Role::Dim => self.dim,
            Role::Header | Role::Intent => self.blue,
            Role::User | Role::Code | Role::Hunk => self.cyan,
            Role::Heading => self.magenta,
            Role::Good => self.green,
            Role::Bad => self.red,
            Role::Warn => self.yellow,
            Role::Added => return (self.green, self.added),
            Role::AddedWord => return (self.word, self.added_word),
            Role::Removed => return (self.red, self.removed),
            Role::RemovedWord => return (self.word, self.removed_word),
            Role::Token(kind, side) => return (self.token(kind), self.side(side)),
        };
        (text, self.ground)
    }

    /// Returns true if something else than the background is behind a role.
    pub(super) fn is_tinted(&self, role: Role) -> bool {
        self.of(role).1 != self.ground
    }

    /// Returns true if everything that is not tinted is readable on a background.
    pub(super) fn can_be_read_on(&self, ground: Ground, depth: ColourDepth) -> bool {
        // What a terminal calls dark or light without a colour is taken to be like the theme's own.
        let Ground::Rgb(ground) = ground else {
            return true;
        };
        let inks = [
            self.dim,
            self.comment,
            self.blue,
            self.cyan,
            self.magenta,
            self.green,
            self.red,
            self.yellow,
        ];
        let shown = inks.map(|ink| match depth {
            ColourDepth::True => ink.parts,
            ColourDepth::Indexed | ColourDepth::Sixteen => indexed(ink.index),
        });
        shown
            .into_iter()
            .all(|ink| contrast(ink, ground) >= READABLE)
    }

    fn side(&self, side: LineKind) -> Ink {
        match side {
            LineKind::Context => self.ground,
            LineKind::Added => self.added,
            LineKind::Removed => self.removed,
        }
    }

    fn token(&self, kind: TokenKind) -> Ink {
        match kind {
            TokenKind::Comment => self.comment,
            TokenKind::Keyword => self.magenta,
            TokenKind::String => self.yellow,
            TokenKind::Constant | TokenKind::Type => self.cyan,
            TokenKind::Function | TokenKind::Tag => self.blue,
            TokenKind::Property => self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn roles() -> Vec<Role> {
        use Role::*;
        let mut roles = vec![
            Text,
            Dim,
            Strong,
            Header,
            User,
            Heading,
            Code,
            Intent,
            Good,
            Bad,
            Warn,
            Added,
            AddedWord,
            Removed,
            RemovedWord,
            Hunk,
            Selected,
            Key,
            Emphasis,
            Struck,
            Link,
            Match,
            Focus,
            FocusTitle,
        ];
        for side in [LineKind::Context, LineKind::Added, LineKind::Removed] {
            for kind in [
                TokenKind::Comment,
                TokenKind::Keyword,
                TokenKind::String,
                TokenKind::Constant,
                TokenKind::Type,
                TokenKind::Function,
                TokenKind::Tag,
                TokenKind::Property,
            ] {
                roles.push(Token(kind, side));
            }
        }
        roles
    }

    #[test]
    fn every_role_can_be_read_on_what_is_behind_it() {
        for name in ThemeName::ALL {
            let Some(inks) = name.inks() else { continue };
            let is_high = matches!(
                name,
                ThemeName::HighContrastDark | ThemeName::HighContrastLight
            );
            for role in roles() {
                let is_dim = matches!(
                    role,
                    Role::Dim | Role::Struck | Role::Token(TokenKind::Comment, _)
                );
                let least = if is_high && !is_dim { 7.0 } else { READABLE };
                let (text, ground) = inks.of(role);
                let shown = [
                    [text, ground].map(|ink| ink.parts),
                    [text, ground].map(|ink| indexed(ink.index)),
                ];
                for [text, ground] in shown {
                    let found = contrast(text, ground);
                    assert!(
                        found >= least,
                        "{} {role:?}: {found:.2} of {least}",
                        name.word()
                    );
                }
            }
            // The sides of a change are told apart, and from what did not change.
            let words = [inks.ground, inks.added_word, inks.removed_word];
            let all = [words.as_slice(), &[inks.added, inks.removed]].concat();
            let is_tinted = name != ThemeName::HighContrastDark;
            let indexed = if is_tinted { all.as_slice() } else { &words };
            for (inks, depth) in [
                (all.as_slice(), ColourDepth::True),
                (indexed, ColourDepth::Indexed),
            ] {
                let colours: Vec<_> = inks.iter().map(|ink| ink.colour(depth)).collect();
                let different: HashSet<_> = colours.iter().collect();
                assert_eq!(
                    different.len(),
                    colours.len(),
                    "{} {colours:?}",
                    name.word()
                );
            }
        }
    }

    /// The backgrounds of well known themes of terminals: on each of them all text is readable, in 24 bits.
    #[test]
    fn backgrounds_of_well_known_themes_suit() {
        for (name, ground, expected) in [
            ("black", 0x00_00_00, &DARK),
            ("GNOME", 0x1e_1e_1e, &DARK),
            ("Solarized dark", 0x00_2b_36, &DARK),
            ("Gruvbox dark", 0x28_28_28, &DARK),
            ("One dark", 0x28_2c_34, &DARK),
            ("Dracula", 0x28_2a_36, &DARK),
            ("Nord", 0x2e_34_40, &DARK),
            ("Ubuntu", 0x30_0a_24, &DARK),
            ("white", 0xff_ff_ff, &LIGHT),
            ("Solarized light", 0xfd_f6_e3, &LIGHT),
            ("Gruvbox light", 0xfb_f1_c7, &LIGHT),
            ("Catppuccin latte", 0xef_f1_f5, &LIGHT),
        ] {
            let ground = Ground::Rgb(Ink::new(ground).parts);
            let inks = of_side(ground);
            assert_eq!(inks.ground, expected.ground, "{name}");
            for depth in [ColourDepth::True, ColourDepth::Indexed] {
                assert!(inks.can_be_read_on(ground, depth), "{name} {depth:?}");
            }
        }
    }

    #[test]
    fn a_grey_in_the_middle_has_colours_that_are_readable_on_it() {
        for grey in 0..=u8::MAX {
            let ground = Ground::Rgb([grey; 3]);
            for depth in [ColourDepth::True, ColourDepth::Indexed] {
                let inks = readable_on(ground, depth);
                assert!(inks.can_be_read_on(ground, depth), "{grey:02x} {depth:?}");
            }
        }
    }

    #[test]
    fn changed_lines_are_green_and_red_with_256_colours_too() {
        for inks in [&DARK, &LIGHT, &HIGH_LIGHT] {
            for ink in [inks.added, inks.added_word] {
                let [red, green, blue] = indexed(ink.index);
                assert!(green > red && green > blue, "{ink:?}");
            }
            for ink in [inks.removed, inks.removed_word] {
                let [red, green, blue] = indexed(ink.index);
                assert!(red > green && red > blue, "{ink:?}");
            }
        }
    }

    #[test]
    fn the_nearest_of_256_colours_is_found() {
        assert_eq!(nearest([255, 255, 255]), 231);
        assert_eq!(nearest([0, 0, 0]), 16);
        assert_eq!(nearest([96, 134, 176]), 67);
        assert_eq!(nearest([128, 128, 128]), 244);
        assert_eq!(indexed(67), [95, 135, 175]);
    }

    #[test]
    fn names_are_read_back() {
        for name in ThemeName::ALL {
            assert_eq!(name.word().parse(), Ok(name));
        }
        assert_eq!("solarized".parse::<ThemeName>(), Err(()));
    }
}
