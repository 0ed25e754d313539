//! Values of a server's table with the variables that they name: `${TOKEN}`, or `${TOKEN:-none}` with what stands in for one
//! that is not set.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};

/// Puts variables into a text. One that holds a key of signoff's is not given.
///
/// # Errors
///
/// Fails with the reason if a variable is not set or not given.
pub(super) fn with_variables(
    text: &str,
    hidden: &[String],
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<SecretString, String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        whole += before;
        let Some((name, usual, left)) = named(behind) else {
            // Of a script: `${line#*:}`.
            whole += "${";
            rest = behind;
            continue;
        };
        if hidden.iter().any(|hidden| hidden == name) {
            return Err(format!("it names ${name}, which holds a key for signoff"));
        }
        match variable(name).or_else(|| usual.map(str::to_owned)) {
            Some(value) => whole += &value,
            None => return Err(format!("it needs ${name}, which is not set")),
        }
        rest = left;
    }
    whole += rest;
    Ok(SecretString::from(whole))
}

/// Returns the variable that a text begins with, what stands in for it, and what is behind its brace.
fn named(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let (inside, left) = text.split_once('}')?;
    let (name, usual) = match inside.split_once(":-") {
        Some((name, usual)) => (name, Some(usual)),
        None => (inside, None),
    };
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && name.chars().all(of_name)).then_some((name, usual, left))
}

/// Puts variables into the values of a table.
///
/// # Errors
///
/// Fails with the reason if a variable is not set or not given.
pub(super) fn values(
    written: &BTreeMap<String, SecretString>,
    hidden: &[String],
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, SecretString)>, String> {
    let value = |(name, value): (&String, &SecretString)| {
        let value = with_variables(value.expose_secret(), hidden, variable)?;
        Ok((name.clone(), value))
    };
    written.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_into_values() {
        let variable = |name: &str| (name == "A").then(|| "one".to_owned());
        let hidden = ["KEY".to_owned()];
        for (text, expected) in [
            ("x", Ok("x")),
            ("Bearer ${A}", Ok("Bearer one")),
            ("${A}${A}-$A", Ok("oneone-$A")),
            ("${B:-two} ${A:-two}", Ok("two one")),
            ("${B}", Err("it needs $B, which is not set")),
            (
                "${KEY:-x}",
                Err("it names $KEY, which holds a key for signoff"),
            ),
            ("${A", Ok("${A")),
            ("${A#*:} ${} ${A}", Ok("${A#*:} ${} one")),
        ] {
            let read = with_variables(text, &hidden, &variable);
            let read = read.as_ref().map(|read| read.expose_secret());
            assert_eq!(read.map_err(String::as_str), expected, "{text}");
        }
    }
}
