//! Arguments of calls: one table for each tool, of which come the schema that the model is told, the names and aliases
//! that are read, and the type.
//!
//! ```text
//! arguments! {
//!     struct Arguments {
//!         path: String = Told::Required(text()),
//!         #[serde(default, deserialize_with = "count")]
//!         end: Option<usize> = Told::Optional(said(integer(), "last line")),
//!     }
//! }
//! ```
//!
//! tells the model of `path` and `end`, of which it has to give `path`; what is wrong with a call is said in serde's words.

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::{Map, Value, json};
use signoff_core::edit::request::in_words;
use signoff_core::quote;
use signoff_core::spelling::did_you_mean;

use super::ToolOutput;

/// Arguments in which models explain a call. Ignoring them changes nothing.
const REMARKS: [&str; 6] = [
    "description",
    "explanation",
    "rationale",
    "reason",
    "reasoning",
    "title",
];

/// Maximum number of unknown arguments that an answer names.
const MOST_NAMED: usize = 3;

/// What the model is told of a field.
pub(crate) enum Told {
    /// It has to give it. A reader may be more lenient.
    Required(Value),
    /// It may give it.
    Optional(Value),
    /// Nothing: the field is read, since models write it.
    Untold,
}

/// Arguments that know the schema which the model is told of them.
pub(crate) trait HasSchema {
    /// Returns the fields in the order in which they are told.
    fn fields() -> Vec<(&'static str, Told)>;

    /// Returns the schema of the arguments.
    fn schema() -> Value {
        Self::schema_without(&[])
    }

    /// Returns the schema of the arguments but these.
    fn schema_without(hidden: &[&str]) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let told = Self::fields().into_iter();
        for (name, told) in told.filter(|(name, _)| !hidden.contains(name)) {
            match told {
                Told::Required(schema) => {
                    properties.insert(name.to_owned(), schema);
                    required.push(name);
                }
                Told::Optional(schema) => {
                    properties.insert(name.to_owned(), schema);
                }
                Told::Untold => {}
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }
}

/// Declares the type of a tool's arguments with what the model is told of each field.
macro_rules! arguments {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $told:expr, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(serde::Deserialize)]
        $vis struct $name {
            $( $(#[$field_meta])* $vis $field: $type, )*
        }

        impl $crate::tool::arguments::HasSchema for $name {
            fn fields() -> Vec<(&'static str, $crate::tool::arguments::Told)> {
                vec![ $( (stringify!($field), $told), )* ]
            }
        }
    };
}
pub(super) use arguments;

arguments! {
    /// Arguments of a tool that looks at a folder, which is the workspace where none is named.
    pub(super) struct InFolder {
        #[serde(default)]
        path: String = Told::Optional(said(text(), "default .")),
    }
}

/// Returns the schema of a text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// Returns the schema of a whole number.
pub(super) fn integer() -> Value {
    json!({ "type": "integer" })
}

/// Returns the schema of yes or no.
pub(super) fn boolean() -> Value {
    json!({ "type": "boolean" })
}

/// Returns the schema of one of these words.
pub(super) fn one_of(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// Returns the schema of a list.
pub(super) fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// Returns a schema with a word on what is meant.
pub(super) fn said(mut schema: Value, description: &str) -> Value {
    schema["description"] = description.into();
    schema
}

/// Returns the values of a call's arguments.
pub(super) fn parse<T: DeserializeOwned>(arguments: &str) -> Result<T, ToolOutput> {
    // An array would be read as the fields in order.
    let read = if arguments.trim_start().starts_with('{') {
        serde_json::from_str(arguments)
    } else {
        Err(serde_json::Error::custom("they are not an object"))
    };
    read.map_err(|error| unfit(&error))
}

/// Returns the answer to arguments that do not fit.
pub(super) fn unfit(error: &serde_json::Error) -> ToolOutput {
    let why = in_words(error);
    ToolOutput::failed(
        format!("error: the arguments do not fit: {why}. Nothing was changed."),
        format!("bad arguments: {why}"),
    )
}

/// Returns the names under which the fields of a type are read, aliases included.
pub(super) fn names_of<T: DeserializeOwned>() -> Vec<&'static str> {
    let mut names: &'static [&'static str] = &[];
    // It ends in an error, as there is nothing to read; what counts is what was asked for.
    drop(T::deserialize(FieldNames(&mut names)));
    names.to_vec()
}

/// A deserializer that notes which fields a struct asks for, and has none.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("there is nothing to read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Returns a line on the arguments of a call that its tool does not know and so did not heed, if there are any. `known` are
/// the names that it reads, `schema` is the schema in the request.
pub(super) fn unheeded(arguments: &str, known: &[&str], schema: &Value) -> Option<String> {
    let given: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let said = given.iter().filter(|(_, value)| !value.is_null());
    let unknown: Vec<&str> = said
        .map(|(name, _)| name.as_str())
        .filter(|name| !known.contains(name) && !REMARKS.contains(name))
        .collect();
    if unknown.is_empty() {
        return None;
    }
    let told = schema["properties"].as_object();
    let told: Vec<&str> = told
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let near: Vec<String> = unknown
        .iter()
        .take(MOST_NAMED)
        .map(|name| did_you_mean(name, told.iter().copied()))
        .collect();
    let named: Vec<String> = unknown
        .iter()
        .zip(&near)
        .map(|(name, near)| format!("{}{near}", quote::name(name)))
        .collect();
    let mut line = format!(
        "note: no effect, as there is no such argument: {}",
        named.join(", ")
    );
    if let Some(more) = unknown
        .len()
        .checked_sub(MOST_NAMED)
        .filter(|more| *more > 0)
    {
        line += &format!(" and {more} more");
    }
    if told.is_empty() {
        line += "; it takes none";
    } else if near.iter().any(String::is_empty) {
        line += &format!("; there are {}", told.join(", "));
    }
    Some(line)
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
