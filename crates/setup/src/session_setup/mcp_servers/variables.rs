//! Values of a server's table with the variables that they name: `${TOKEN}`, or `${TOKEN:-none}` with what stands in for one
//! that is not given.
//!
//! ```text
//! of the user's file:    any variable but those with a key of signoff's
//! of a workspace's file: those that `env` below [run] names in the user's file, and no other: a clone that asks for
//!                        ${AWS_SECRET_ACCESS_KEY} in an address would be sent it
//! ```

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};

/// The variables that a definition may name.
pub(super) struct VariableAccess<'a> {
    /// Those with a key of signoff's, which nobody gets.
    pub(super) hidden: &'a [String],
    /// Those that a workspace's file may name; none if the file is the user's, which may name any.
    pub(super) named: Option<&'a [String]>,
    /// Returns the value of one that is set.
    pub(super) value: &'a dyn Fn(&str) -> Option<String>,
}

impl VariableAccess<'_> {
    /// Puts variables into a text.
    ///
    /// # Errors
    ///
    /// Fails with the reason if a variable is not set or not given, and nothing stands in for it.
    pub(super) fn text(&self, text: &str) -> Result<SecretString, String> {
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
            whole += &self.variable(name, usual)?;
            rest = left;
        }
        whole += rest;
        Ok(SecretString::from(whole))
    }

    fn variable(&self, name: &str, usual: Option<&str>) -> Result<String, String> {
        let usual = usual.map(str::to_owned);
        if !self.may_name(name) {
            return usual.ok_or_else(|| {
                format!(
                    "it asks for ${name}, and a server of the workspace gets no variable that you did not name: \
                     `env = [\"{name}\"]` below [run] of config.toml gives it to programs and servers of workspaces"
                )
            });
        }
        if self.hidden.iter().any(|hidden| hidden == name) {
            return Err(format!("it names ${name}, which holds a key for signoff"));
        }
        let value = (self.value)(name).or(usual);
        value.ok_or_else(|| format!("it needs ${name}, which is not set"))
    }

    fn may_name(&self, name: &str) -> bool {
        let named = self.named;
        named.is_none_or(|named| named.iter().any(|given| given == name))
    }

    /// Puts variables into the values of a table.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::text`] does.
    pub(super) fn values(
        &self,
        written: &BTreeMap<String, SecretString>,
    ) -> Result<Vec<(String, SecretString)>, String> {
        let value = |(name, value): (&String, &SecretString)| {
            Ok((name.clone(), self.text(value.expose_secret())?))
        };
        written.iter().map(value).collect()
    }

    /// Returns which variables of this process texts get, each once, with their values.
    pub(super) fn given<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
    ) -> BTreeMap<String, SecretString> {
        let names = texts.flat_map(|text| text.split("${").skip(1).filter_map(named));
        let given = names.filter(|(name, ..)| self.may_name(name));
        given
            .filter_map(|(name, ..)| Some((name.to_owned(), (self.value)(name)?.into())))
            .collect()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(named: Option<&[String]>, text: &str, expected: Result<&str, &str>) {
        let value = |name: &str| ["A", "KEY", "C"].contains(&name).then(|| "one".to_owned());
        let access = VariableAccess {
            hidden: &["KEY".to_owned()],
            named,
            value: &value,
        };
        let read = access.text(text);
        let read = read.as_ref().map(|read| read.expose_secret());
        match expected {
            Ok(_) => assert_eq!(read.map_err(String::as_str), expected, "{text}"),
            Err(why) => assert!(read.unwrap_err().starts_with(why), "{text}"),
        }
    }

    #[test]
    fn variables_are_put_into_values_of_the_users_file() {
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
            check(None, text, expected);
        }
    }

    #[test]
    fn a_workspaces_file_gets_only_variables_that_the_user_named() {
        let named = ["C".to_owned(), "D".to_owned(), "KEY".to_owned()];
        for (text, expected) in [
            ("x $A", Ok("x $A")),
            ("${C}", Ok("one")),
            ("${C:-two}", Ok("one")),
            ("${A:-two}", Ok("two")),
            ("${A:-}", Ok("")),
            ("https://x/?k=${A}", Err("it asks for $A, and")),
            // Whether it is set is not told either.
            ("${B}", Err("it asks for $B, and")),
            ("${C}${A}", Err("it asks for $A, and")),
            ("${D}", Err("it needs $D, which is not set")),
            ("${KEY}", Err("it names $KEY, which holds a key")),
        ] {
            check(Some(&named), text, expected);
        }
        check(Some(&[]), "${A:-two}", Ok("two"));
    }

    #[test]
    fn what_is_given_is_named_once() {
        let access = VariableAccess {
            hidden: &[],
            named: Some(&["C".to_owned(), "D".to_owned()]),
            value: &|name| ["A", "C"].contains(&name).then(String::new),
        };
        let texts = ["${A} ${C}", "x", "${C:-1}${D:-2}"];
        let given = access.given(texts.into_iter());
        assert_eq!(given.into_keys().collect::<Vec<_>>(), ["C"]);
    }
}
