//! Parsing of a call's arguments.
//!
//! In: text, untrusted. Out: the values, or the answer that says what is wrong with it.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

use super::ToolOutput;
use super::subjects::{HasSubjects, Subjects};

/// Arguments of a tool that looks at a folder, which is the workspace where none is named.
#[derive(Deserialize)]
pub(super) struct InFolder {
    #[serde(default)]
    pub(super) path: String,
}

impl HasSubjects for InFolder {
    fn subjects(&self) -> Subjects {
        Subjects::path(&self.path)
    }
}

/// Returns the values of a call's arguments.
pub(super) fn parse<T: DeserializeOwned>(arguments: &str) -> Result<T, ToolOutput> {
    // An array would be read as the fields in order.
    let read = if arguments.trim_start().starts_with('{') {
        serde_json::from_str(arguments)
    } else {
        Err(serde_json::Error::custom("they are not an object"))
    };
    read.map_err(|error| {
        ToolOutput::failed(
            format!("error: the arguments do not fit: {error}. Nothing was changed."),
            format!("bad arguments: {error}"),
        )
    })
}

/// Reads a count, which small models often write as a string.
pub(super) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Nothing(()),
        Number(usize),
        Text(String),
    }
    match Written::deserialize(from) {
        Ok(Written::Nothing(())) => Ok(None),
        Ok(Written::Number(number)) => Ok(Some(number)),
        Ok(Written::Text(text)) if text.trim().is_empty() => Ok(None),
        Ok(Written::Text(text)) => match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(D::Error::custom(format!("{text:?} is not a count"))),
        },
        Err(_) => Err(D::Error::custom(
            "a count must be a whole number, 0 or more",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Sample {
        path: String,
        #[serde(default, deserialize_with = "count")]
        max: Option<usize>,
    }

    fn check(arguments: &str, expected: Option<Option<usize>>) {
        let max = parse::<Sample>(arguments).ok().map(|sample| sample.max);
        assert_eq!(max, expected, "{arguments}");
    }

    #[test]
    fn counts_come_as_numbers_and_as_text() {
        check(r#"{"path":"a"}"#, Some(None));
        check(r#"{"path":"a","max":null}"#, Some(None));
        check(r#"{"path":"a","max":""}"#, Some(None));
        check(r#"{"path":"a","max":3}"#, Some(Some(3)));
        check(r#"{"path":"a","max":" 3 "}"#, Some(Some(3)));
        check(r#"{"path":"a","max":-1}"#, None);
        check(r#"{"path":"a","max":"x"}"#, None);
        check(r#"{"path":"a","max":1.5}"#, None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let missing = parse::<Sample>("{}").expect_err("no path");
        insta::assert_snapshot!(missing.content, @"error: the arguments do not fit: missing field `path` at line 1 column 2. Nothing was changed.");
    }
}
