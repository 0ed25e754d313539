//! Front matter: the fields in YAML that a Markdown file begins with.
//!
//! ```text
//! ---
//! name: debug
//! tools: [read, grep]
//! ---
//! Find out why ...
//! ```
//!
//! In: a text, untrusted. Out: its fields, and what follows them. Maps within fields say nothing here.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser};
use signoff_core::quote;

/// Characters of a name.
const MOST_NAME: usize = 64;

/// The fields of a front matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter(BTreeMap<String, Field>);

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    Text(String),
    List(Vec<String>),
}

impl FrontMatter {
    /// Returns the fields of a text, none if it has no front matter, and what follows it.
    ///
    /// # Errors
    ///
    /// Fails in one line for the user if the front matter is no YAML.
    pub(crate) fn of(text: &str) -> Result<(Self, &str), String> {
        let (head, body) = parts(text);
        let fields = head.map_or(Ok(Self::default()), Self::read)?;
        Ok((fields, body))
    }

    /// Returns the text of a field that has one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.0.get(key)? {
            Field::Text(text) => Some(text),
            Field::List(_) => None,
        }
    }

    /// Returns the name that a file gives itself, or else what it is `called`.
    ///
    /// # Errors
    ///
    /// Fails in one line for the user if it is none.
    pub(crate) fn name<'a>(&'a self, called: &'a str) -> Result<&'a str, String> {
        let name = self.text("name").unwrap_or(called);
        if is_name(name) {
            return Ok(name);
        }
        Err(format!(
            "the name {} is not made of small letters, digits and hyphens",
            quote::name(name)
        ))
    }

    /// Returns the description, or else the first line of what follows the front matter.
    pub(crate) fn description<'a>(&'a self, body: &'a str) -> &'a str {
        self.text("description")
            .or_else(|| body.lines().map(str::trim).find(|line| !line.is_empty()))
            .unwrap_or("")
    }

    /// Returns the words of a field, which is a list, or a text with commas or blanks between them.
    pub(crate) fn words(&self, key: &str) -> Option<Vec<&str>> {
        match self.0.get(key)? {
            Field::Text(text) => {
                let parts = text.split([',', ' ']).map(str::trim);
                Some(parts.filter(|word| !word.is_empty()).collect())
            }
            Field::List(list) => Some(list.iter().map(String::as_str).collect()),
        }
    }

    fn read(head: &str) -> Result<Self, String> {
        let mut fields = BTreeMap::new();
        let mut depth = 0_usize;
        let mut key: Option<String> = None;
        let mut list: Option<(String, Vec<String>)> = None;
        for event in Parser::new_from_str(head) {
            let (event, _) =
                event.map_err(|error| format!("its front matter is no YAML: {error}"))?;
            match event {
                Event::SequenceStart(..) => {
                    depth += 1;
                    if depth == 2 {
                        list = key.take().map(|key| (key, Vec::new()));
                    }
                }
                Event::MappingStart(..) => {
                    depth += 1;
                    key = None;
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    depth = depth.saturating_sub(1);
                    if depth == 1
                        && let Some((key, words)) = list.take()
                    {
                        fields.insert(key, Field::List(words));
                    }
                }
                Event::Scalar(value, ..) if depth == 1 => match key.take() {
                    None => key = Some(value.into_owned()),
                    Some(key) => {
                        fields.insert(key, Field::Text(value.into_owned()));
                    }
                },
                Event::Scalar(value, ..) if depth == 2 => {
                    if let Some((_, words)) = &mut list {
                        words.push(value.into_owned());
                    }
                }
                Event::Alias(_) if depth == 1 => key = None,
                _ => {}
            }
        }
        Ok(Self(fields))
    }
}

/// Returns whether a word can be a name of a skill or an agent.
pub(crate) fn is_name(word: &str) -> bool {
    (1..=MOST_NAME).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && word
            .chars()
            .all(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
}

/// Returns the front matter of a text, if it has one, and what follows it.
fn parts(text: &str) -> (Option<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---").and_then(after_line_end) else {
        return (None, text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let (head, tail) = rest.split_at(at);
            return (Some(head), tail.get(line.len()..).unwrap_or(""));
        }
        at += line.len();
    }
    (None, text)
}

fn after_line_end(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    text.strip_prefix("\r\n").or(text.strip_prefix('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_texts_or_lists() {
        let text = "---\nname: a\ntools:\n  - read\n  - {x: y}\n  - grep\nmore: [b, c]\nmap:\n  k: v\nflat: x, y z\n---\nBody\n";
        let (fields, body) = FrontMatter::of(text).unwrap();
        assert_eq!(body, "Body\n");
        assert_eq!(fields.text("name"), Some("a"));
        assert_eq!(fields.words("more"), Some(vec!["b", "c"]));
        assert_eq!(fields.words("flat"), Some(vec!["x", "y", "z"]));
        assert_eq!(fields.words("tools"), Some(vec!["read", "grep"]));
        assert_eq!((fields.text("map"), fields.text("k")), (None, None));
        assert_eq!(fields.text("tools"), None);
    }
}
