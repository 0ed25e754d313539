//! Names of keys: as the configuration has them, and as the screen shows them.
//!
//! In: `ctrl-x`, `A`, `shift-tab`, `pageup`. Out: a chord, or what is wrong with the name; and `Ctrl-X` for a chord.
//! Every name that is shown is understood, too.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use signoff_core::spelling::did_you_mean;

use super::Chord;

/// Keys that type nothing: their names in the configuration, and on the screen.
const NAMED: &[(&str, &str, KeyCode)] = &[
    ("enter", "Enter", KeyCode::Enter),
    ("tab", "Tab", KeyCode::Tab),
    ("esc", "Esc", KeyCode::Esc),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Delete", KeyCode::Delete),
    ("insert", "Insert", KeyCode::Insert),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pageup", "PageUp", KeyCode::PageUp),
    ("pagedown", "PageDown", KeyCode::PageDown),
    ("up", "Up", KeyCode::Up),
    ("down", "Down", KeyCode::Down),
    ("left", "Left", KeyCode::Left),
    ("right", "Right", KeyCode::Right),
    ("space", "Space", KeyCode::Char(' ')),
];

/// The highest function key that terminals send.
const LAST_FUNCTION_KEY: u8 = 24;

/// What the configuration can name, for those who wrote something else.
const ALLOWED: &str = "a key is one character, `space`, `enter`, `tab`, `backspace`, `delete`, `insert`, `home`, `end`, \
    `pageup`, `pagedown`, an arrow (`up`, `down`, `left`, `right`) or `f1` to `f24`, behind `ctrl-`, `alt-` or `shift-`";

/// Returns the key that a name is for.
pub(super) fn parse(name: &str) -> Result<Chord, String> {
    let mut rest = name;
    let mut modifiers = KeyModifiers::NONE;
    while let Some((word, behind)) = rest.split_once('-')
        && !word.is_empty()
        && !behind.is_empty()
    {
        modifiers |= modifier(word).ok_or_else(|| {
            let near = did_you_mean(word, ["ctrl", "alt", "shift"].into_iter());
            format!(
                "`{word}` in `{name}` is not a modifier{near}: there are `ctrl`, `alt` and `shift`"
            )
        })?;
        rest = behind;
    }
    let code = code(rest).ok_or_else(|| {
        let near = did_you_mean(rest, NAMED.iter().map(|(word, ..)| *word));
        match rest {
            "" => format!("an empty text is not a key: {ALLOWED}"),
            _ => format!("`{rest}` is not a key{near}: {ALLOWED}"),
        }
    })?;
    match code {
        KeyCode::Char(' ') => Ok((code, modifiers - KeyModifiers::SHIFT)),
        KeyCode::Char(c) => with_character(name, c, modifiers),
        KeyCode::Tab if modifiers == KeyModifiers::SHIFT => {
            Ok((KeyCode::BackTab, KeyModifiers::NONE))
        }
        code => Ok((code, modifiers)),
    }
}

/// Returns a character with modifiers, if terminals send it as a key of its own.
fn with_character(name: &str, c: char, modifiers: KeyModifiers) -> Result<Chord, String> {
    let is_shifted = modifiers.contains(KeyModifiers::SHIFT);
    let others = modifiers - KeyModifiers::SHIFT;
    if is_shifted && !others.is_empty() {
        return Err(format!(
            "`{name}`: terminals do not tell Shift with Ctrl or Alt from the same key without Shift"
        ));
    }
    if others.is_empty() {
        return match (is_shifted, c.is_alphabetic()) {
            (false, _) => Ok((KeyCode::Char(c), others)),
            (true, true) => {
                let mut upper = c.to_uppercase();
                let c = upper.next().unwrap_or(c);
                Ok((KeyCode::Char(c), others))
            }
            (true, false) => Err(format!(
                "`{name}`: name the character that Shift types, as `?`"
            )),
        };
    }
    let c = c.to_ascii_lowercase();
    let instead = match c {
        'i' => Some("`tab`"),
        'm' => Some("`enter`"),
        '[' => Some("Esc"),
        _ => None,
    };
    if let (Some(instead), true) = (instead, others == KeyModifiers::CONTROL) {
        return Err(format!("`{name}`: terminals send the same for {instead}"));
    }
    let key = ratatui::crossterm::event::KeyEvent::new(KeyCode::Char(c), others);
    Ok(super::normal(key))
}

fn modifier(word: &str) -> Option<KeyModifiers> {
    match word.to_ascii_lowercase().as_str() {
        "ctrl" | "control" => Some(KeyModifiers::CONTROL),
        "alt" => Some(KeyModifiers::ALT),
        "shift" => Some(KeyModifiers::SHIFT),
        _ => None,
    }
}

fn code(word: &str) -> Option<KeyCode> {
    let mut characters = word.chars();
    if let (Some(c), None) = (characters.next(), characters.next()) {
        return (!c.is_control()).then_some(KeyCode::Char(c));
    }
    let lower = word.to_ascii_lowercase();
    let named = NAMED.iter().find(|(word, ..)| *word == lower);
    let function = || {
        let number: u8 = lower.strip_prefix('f')?.parse().ok()?;
        let is_one = (1..=LAST_FUNCTION_KEY).contains(&number);
        is_one.then_some(KeyCode::F(number))
    };
    named.map(|(.., code)| *code).or_else(function)
}

/// Returns the name of a key as the screen shows it.
pub(super) fn shown((code, modifiers): Chord) -> String {
    let mut name = String::new();
    for (modifier, word) in [
        (KeyModifiers::CONTROL, "Ctrl-"),
        (KeyModifiers::ALT, "Alt-"),
        (KeyModifiers::SHIFT, "Shift-"),
    ] {
        if modifiers.contains(modifier) {
            name.push_str(word);
        }
    }
    match code {
        KeyCode::Char(c) if c != ' ' => match c {
            // What is written on the key whose byte is read as Ctrl-7.
            '7' if modifiers == KeyModifiers::CONTROL => name.push('_'),
            c if modifiers.is_empty() => name.push(c),
            c => name.push(c.to_ascii_uppercase()),
        },
        KeyCode::BackTab => name.push_str("Shift-Tab"),
        KeyCode::F(number) => name.push_str(&format!("F{number}")),
        code => {
            let named = NAMED.iter().find(|(.., named)| *named == code);
            debug_assert!(named.is_some(), "{code:?} is in no table");
            name.push_str(named.map_or("?", |(_, shown, _)| shown));
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::super::TABLES;
    use super::*;

    #[test]
    fn names_of_keys() {
        let (none, ctrl, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        for (name, expected) in [
            ("a", (KeyCode::Char('a'), none)),
            ("A", (KeyCode::Char('A'), none)),
            ("shift-a", (KeyCode::Char('A'), none)),
            ("-", (KeyCode::Char('-'), none)),
            ("ctrl--", (KeyCode::Char('-'), ctrl)),
            ("ä", (KeyCode::Char('ä'), none)),
            ("?", (KeyCode::Char('?'), none)),
            ("space", (KeyCode::Char(' '), none)),
            (" ", (KeyCode::Char(' '), none)),
            ("Ctrl-Space", (KeyCode::Char(' '), ctrl)),
            ("ctrl-x", (KeyCode::Char('x'), ctrl)),
            ("Ctrl-X", (KeyCode::Char('x'), ctrl)),
            ("ctrl-_", (KeyCode::Char('7'), ctrl)),
            ("alt-b", (KeyCode::Char('b'), alt)),
            ("ctrl-alt-x", (KeyCode::Char('x'), ctrl | alt)),
            ("enter", (KeyCode::Enter, none)),
            ("shift-tab", (KeyCode::BackTab, none)),
            ("PageUp", (KeyCode::PageUp, none)),
            ("f5", (KeyCode::F(5), none)),
            ("ctrl-f12", (KeyCode::F(12), ctrl)),
        ] {
            assert_eq!(parse(name), Ok(expected), "{name}");
        }
    }

    #[test]
    fn what_names_no_key_is_said() {
        for (name, expected) in [
            ("", "an empty text is not a key"),
            ("f25", "`f25` is not a key: "),
            ("f0", "`f0` is not a key"),
            (
                "pgaeup",
                "`pgaeup` is not a key (did you mean `pageup`?): a key is one",
            ),
            (
                "cntrl-x",
                "`cntrl` in `cntrl-x` is not a modifier (did you mean `ctrl`?)",
            ),
            (
                "super-x",
                "`super` in `super-x` is not a modifier: there are `ctrl`",
            ),
            ("ctrl-", "`ctrl-` is not a key"),
            ("gg", "`gg` is not a key"),
            ("ctrl-i", "`ctrl-i`: terminals send the same for `tab`"),
            ("ctrl-m", "`ctrl-m`: terminals send the same for `enter`"),
            ("ctrl-[", "`ctrl-[`: terminals send the same for Esc"),
            ("ctrl-shift-x", "`ctrl-shift-x`: terminals do not tell"),
            ("shift-1", "`shift-1`: name the character that Shift types"),
            ("\u{1b}", "`\u{1b}` is not a key"),
        ] {
            let error = parse(name).unwrap_err();
            assert!(error.starts_with(expected), "{name}: {error}");
        }
    }

    #[test]
    fn names_that_are_shown_are_understood() {
        for binding in TABLES.iter().flat_map(|table| table.bindings) {
            for chord in binding.chords() {
                assert_eq!(parse(&shown(chord)), Ok(chord), "{}", shown(chord));
            }
        }
    }
}
