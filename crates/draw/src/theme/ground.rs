//! What is behind the text of a terminal, as it says itself.
//!
//! In: `COLORFGBG`, or a colour as terminals answer (OSC 11). Out: a background. Luminance and contrast are those of WCAG 2.2.
//!
//! Example: `15;0` is dark, and so is `rgb:1e1e/1e1e/1e1e`.

/// What is behind a terminal's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A dark colour.
    Dark,
    /// A light colour.
    Light,
    /// This colour.
    Rgb([u8; 3]),
}

impl Ground {
    /// Reads what rxvt, Konsole and others say in `COLORFGBG`: numbers of the terminal's sixteen colours, that of the background
    /// last. Silver and the bright colours are light, but for dark grey.
    pub fn from_colorfgbg(said: &str) -> Option<Self> {
        let (_, ground) = said.rsplit_once(';')?;
        match ground.parse().ok()? {
            0..=6 | 8 => Some(Self::Dark),
            7 | 9..=15 => Some(Self::Light),
            16_u8.. => None,
        }
    }

    /// Reads a colour as X names it: `rgb:` or `rgba:`, and one to four hexadecimal digits a part.
    pub fn from_x_name(name: &str) -> Option<Self> {
        let (scheme, parts) = name.split_once(':')?;
        let count = match scheme {
            "rgb" => 3,
            "rgba" => 4,
            _ => return None,
        };
        let parts: Option<Vec<u8>> = parts.split('/').map(part).collect();
        let parts = parts.filter(|parts| parts.len() == count)?;
        Some(Self::Rgb([*parts.first()?, *parts.get(1)?, *parts.get(2)?]))
    }

    /// Tells whether black is more readable on it than white.
    pub(super) fn is_light(self) -> bool {
        match self {
            Self::Dark => false,
            Self::Light => true,
            Self::Rgb(parts) => contrast(parts, [0; 3]) > contrast(parts, [u8::MAX; 3]),
        }
    }
}

/// Returns a part of a colour, of which the most digits are as many as there are.
fn part(digits: &str) -> Option<u8> {
    if !(1..=4).contains(&digits.len()) {
        return None;
    }
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let most = 16_u32.pow(digits.len().try_into().ok()?) - 1;
    u8::try_from(value * u32::from(u8::MAX) / most).ok()
}

/// Returns the contrast of two colours: 1 of a colour with itself, 21 of black and white.
pub(super) fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(parts: [u8; 3]) -> f64 {
    let [red, green, blue] = parts.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_is_read_from_the_environment() {
        for (said, expected) in [
            ("15;0", Some(Ground::Dark)),
            ("0;15", Some(Ground::Light)),
            ("0;default;7", Some(Ground::Light)),
            ("15;default;8", Some(Ground::Dark)),
            ("15;default", None),
            ("0;231", None),
            ("15;-1", None),
            ("", None),
        ] {
            assert_eq!(Ground::from_colorfgbg(said), expected, "{said}");
        }
    }

    #[test]
    fn a_background_is_read_from_an_answer() {
        for (name, expected) in [
            ("rgb:1e1e/1f1f/ffff", Some([0x1e, 0x1f, 0xff])),
            ("rgb:ff/80/00", Some([255, 128, 0])),
            ("rgb:f/0/8", Some([255, 0, 136])),
            ("rgba:0000/0000/0000/ffff", Some([0; 3])),
            ("rgb:0000/0000", None),
            ("rgb:0000/0000/0000/0000", None),
            ("rgb:00000/0/0", None),
            ("rgb:+f/0/0", None),
            ("rgb://", None),
            ("#ffffff", None),
        ] {
            let expected = expected.map(Ground::Rgb);
            assert_eq!(Ground::from_x_name(name), expected, "{name}");
        }
    }

    #[test]
    fn black_and_white_have_the_most_contrast() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 0.01);
        assert!((contrast([9; 3], [9; 3]) - 1.0).abs() < f64::EPSILON);
    }
}
