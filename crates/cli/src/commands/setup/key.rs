//! Where the key of a server comes from.
//!
//! In: a name or a command that the user types. Out: what the file says of it. A key that is typed instead of a name is not
//! taken, not repeated and not written.

use anyhow::bail;
use signoff_setup::config::KeySource;

use super::answers::{choice, text};
use crate::commands::out;

/// Asks where the key comes from.
pub(super) fn pick() -> anyhow::Result<Option<KeySource>> {
    let sources = [
        "no key",
        "an environment variable",
        "a program that prints it, as a password manager",
        "the system's keyring",
    ]
    .map(str::to_owned);
    loop {
        let Some(picked) = choice("Where does its key come from?", &sources, true)? else {
            return Ok(None);
        };
        let question = match picked {
            0 => return Ok(Some(KeySource::Unsaid)),
            1 => "The variable's name, not the key:",
            2 => "The command, with blanks between its words:",
            _ => "The name that the keyring has it under, not the key:",
        };
        let Some(answer) = text(question)? else {
            return Ok(None);
        };
        let read = match picked {
            1 => variable(&answer),
            2 => command(&answer),
            _ => keyring(&answer),
        };
        match read {
            Ok(source) => return Ok(Some(source)),
            Err(error) => out::line(&format!("{error}."))?,
        }
    }
}

/// Takes the name of a variable. A key may look like one, but is not set as one.
pub(super) fn variable(name: &str) -> anyhow::Result<KeySource> {
    if !is_name(name, std::env::var_os(name).is_some()) {
        bail!("that is not the name of a variable; the key itself is never put into the file");
    }
    if std::env::var_os(name).is_none() {
        out::remark(&format!("{name} is not set here"));
    }
    Ok(KeySource::Variable(name.to_owned()))
}

/// Tells whether a text is the name of a variable; of one that is not set, in capitals.
fn is_name(name: &str, is_set: bool) -> bool {
    let mut letters = name.chars();
    is_set
        || (letters.clone().next().is_some_and(|c| !c.is_ascii_digit())
            && letters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
}

/// Takes a command.
pub(super) fn command(line: &str) -> anyhow::Result<KeySource> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        bail!("a command has a program");
    }
    Ok(KeySource::Command(words))
}

/// Takes a name in the keyring.
pub(super) fn keyring(name: &str) -> anyhow::Result<KeySource> {
    if name.is_empty() {
        bail!("the keyring has no entry without a name");
    }
    Ok(KeySource::Keyring(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_no_name_of_a_variable() {
        for (text, is_set, expected) in [
            ("MY_KEY", false, true),
            ("MY_KEY_2", false, true),
            ("my_key", true, true),
            ("sk-proj-Ab12", false, false),
            ("AIzaSyD0123456789", false, false),
            ("2KEY", false, false),
            ("", false, false),
        ] {
            assert_eq!(is_name(text, is_set), expected, "{text}");
        }
        let told = variable("AIzaSyD0123456789").unwrap_err().to_string();
        assert!(!told.contains("AIza"), "{told}");
    }
}
