//! The fields that objects of a payload have.
//!
//! In: an object as it stands in JSON. Out: the same without what says nothing (null values, empty
//! names, a field under two names with one value), or the field that is not known, with the ones
//! that there are. A field that is not read would be a wish that is not heard.

use crate::word::is_listed;
use serde_json::{Map, Value};

mod table;

use table::{
    AST, AST_EDIT, CHANGE, DIFF, Field, Fields, LINES, MOVE, OPERATION, PAIR, PAYLOAD, RECIPE,
    REPLACE_ALL, SECTION, STRUCT, WHOLE,
};
pub(in crate::edit::request) use table::{is_label, schema};

use super::listed;
use crate::edit::request::Invalid;

/// What is said beside and changes nothing.
const REMARKS: &[&str] =
    &["comment description explanation id note notes rationale reason reasoning summary title"];

/// A block, what it has, and the field without which it asks for nothing.
const BLOCKS: &[(&str, &Fields, &str)] = &[
    ("section", &SECTION, "edits"),
    ("lines", &LINES, "operations"),
    ("diff", &DIFF, "patch"),
    ("whole", &WHOLE, "content"),
    ("recipe", &RECIPE, "name"),
    ("ast", &AST, "query"),
    ("struct", &STRUCT, "pattern"),
    ("move", &MOVE, "to"),
];
/// Objects within a block: the block, the field, and what each has.
const INNER: &[(&str, &str, &Fields)] = &[
    ("section", "edits", &PAIR),
    ("lines", "operations", &OPERATION),
    ("ast", "edit", &AST_EDIT),
];

/// Settles a change and all that is in it.
pub(super) fn settle(change: &mut Value) -> Result<(), Invalid> {
    let Some(change) = change.as_object_mut() else {
        return Ok(());
    };
    tidy(change, &CHANGE)?;
    for (block, field, fields) in INNER.iter().filter(|(block, ..)| *block != "ast") {
        if let Some(inner) = change.get_mut(*block).and_then(Value::as_object_mut) {
            listed::settle(inner, field, &fields.own());
        }
    }
    drop_hollow(change);
    let own: Map<String, Value> = change
        .iter()
        .filter(|(key, _)| CHANGE.has(key) && !BLOCKS.iter().any(|(block, ..)| block == key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (block, fields, _) in BLOCKS {
        let Some(inner) = change.get_mut(*block).and_then(Value::as_object_mut) else {
            continue;
        };
        if *block == "recipe" {
            repeated(inner, &own, &["name"]);
            continue;
        }
        tidy(inner, fields)?;
        repeated(inner, &own, &[]);
        fields.knows_all(inner)?;
        for (_, field, fields) in INNER.iter().filter(|(name, ..)| name == block) {
            for inner in elements(inner, field) {
                tidy(inner, fields)?;
                fields.knows_all(inner)?;
            }
        }
    }
    beside(change)?;
    rename(change);
    Ok(())
}

/// Puts the first name of each field in the place of its others, in a change and all that is in it.
fn rename(change: &mut Map<String, Value>) {
    CHANGE.rename(change);
    for (block, fields, _) in BLOCKS {
        let Some(inner) = change.get_mut(*block).and_then(Value::as_object_mut) else {
            continue;
        };
        fields.rename(inner);
        for (_, field, fields) in INNER.iter().filter(|(name, ..)| name == block) {
            for inner in elements(inner, field) {
                fields.rename(inner);
            }
        }
    }
}

/// Returns the objects in a field that holds one or a list of them.
fn elements<'a>(
    block: &'a mut Map<String, Value>,
    field: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let elements = match block.get_mut(field) {
        Some(Value::Array(all)) => all.iter_mut().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    elements.into_iter().filter_map(Value::as_object_mut)
}

/// Settles a payload without its changes.
pub(super) fn settle_payload(payload: &mut Value) -> Result<(), Invalid> {
    let Some(payload) = payload.as_object_mut() else {
        return Ok(());
    };
    tidy(payload, &PAYLOAD)?;
    PAYLOAD.spelt_well(payload)
}

/// Settles the object of a recipe, which has `fields` beside its name; those of `names` are left
/// out if they are empty.
pub(in crate::edit::request) fn settle_recipe(
    recipe: &mut Value,
    fields: &'static [&'static str],
    names: &'static [&'static str],
) -> Result<(), Invalid> {
    let Some(recipe) = recipe.as_object_mut() else {
        return Ok(());
    };
    drop_empty(recipe, names);
    let Some(key) = unknown(recipe, |key| {
        fields.contains(&key) || key == "name" || key == "language"
    })
    .next() else {
        return Ok(());
    };
    let name = recipe.get("name").and_then(Value::as_str);
    let object = format!("recipe `{}`", name.unwrap_or_default().trim());
    Err(unknown_field(&object, key, fields))
}

impl Fields {
    fn has(&self, key: &str) -> bool {
        let mut names = self.fields.iter().flat_map(Field::names);
        names.any(|name| name == key)
    }

    /// Puts the first name of each field in the place of its others.
    fn rename(&self, object: &mut Map<String, Value>) {
        let aliased = self.fields.iter().filter(|field| !field.aliases.is_empty());
        for field in aliased {
            let given = field
                .aliases
                .iter()
                .find(|alias| object.contains_key(**alias));
            if let Some(value) = given.and_then(|alias| object.remove(*alias)) {
                object.insert(field.name.to_owned(), value);
            }
        }
    }

    fn known(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name).collect()
    }

    /// Returns all names of the fields, but that which its list has as well.
    fn own(&self) -> Vec<&'static str> {
        let fields = self.fields.iter().filter(|field| field.name != REPLACE_ALL);
        fields.flat_map(Field::names).collect()
    }

    /// Refuses a field that the object has not.
    fn knows_all(&self, object: &Map<String, Value>) -> Result<(), Invalid> {
        match unknown(object, |key| self.has(key)).next() {
            None => Ok(()),
            Some(key) => Err(unknown_field(self.name, key, &self.known())),
        }
    }

    /// Refuses a field that is nearly one that the object may have and has not.
    fn spelt_well(&self, object: &Map<String, Value>) -> Result<(), Invalid> {
        let is_meant = |key: &&str| {
            let mut open = self
                .fields
                .iter()
                .filter(|field| !object.contains_key(field.name));
            open.any(|field| is_nearly(field.name, key))
        };
        match unknown(object, |key| self.has(key)).find(is_meant) {
            None => Ok(()),
            Some(key) => Err(unknown_field(self.name, key, &self.known())),
        }
    }
}

/// Returns the fields of an object that say something, are not known and no remarks.
fn unknown(
    object: &Map<String, Value>,
    known: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &str> {
    let fields = object
        .iter()
        .filter(|(key, value)| !is_listed(key.as_str(), REMARKS) && !is_hollow(value))
        .map(|(key, _)| key.as_str());
    fields.filter(move |key| !known(key))
}

fn unknown_field(object: &str, key: &str, known: &[&str]) -> Invalid {
    let key: String = key.chars().take(40).collect();
    if CHANGE.has(&key) {
        return Invalid(format!(
            "{object}: there is no field `{key}`; it belongs beside the block"
        ));
    }
    let nearest = known.iter().find(|name| is_nearly(name, &key));
    let hint = nearest.map_or_else(String::new, |name| format!(", perhaps `{name}` is meant"));
    let known = match known {
        [] => "it has none".to_owned(),
        known => format!("there are {}", known.join(", ")),
    };
    Invalid(format!(
        "{object}: there is no field `{key}`{hint}; {known}"
    ))
}

/// Takes out null values and empty names, and of a field under several names all but one.
fn tidy(object: &mut Map<String, Value>, fields: &Fields) -> Result<(), Invalid> {
    drop_empty(object, fields.blank);
    for field in fields.fields {
        let mut given = field.names().filter(|name| object.contains_key(*name));
        let (Some(first), Some(second)) = (given.next(), given.next()) else {
            continue;
        };
        if object.get(first) != object.get(second) {
            return Err(Invalid(format!(
                "{}: `{first}` and `{second}` are one field and differ",
                fields.name
            )));
        }
        object.remove(second);
        return tidy(object, fields);
    }
    Ok(())
}

/// Takes out null values, and empty texts of the fields `names`.
fn drop_empty(object: &mut Map<String, Value>, names: &[&str]) {
    object.retain(|key, value| {
        let empty = names.contains(&key.as_str()) && value.as_str().is_some_and(is_blank);
        !(value.is_null() || empty)
    });
}

/// Takes out blocks that ask for nothing, where another one is asked for.
fn drop_hollow(change: &mut Map<String, Value>) {
    let named = change.get("strategy").and_then(Value::as_str);
    let named = named.map(str::to_owned);
    let any = BLOCKS
        .iter()
        .any(|(block, _, essential)| is_full(change, block, essential));
    for (block, _, essential) in BLOCKS {
        // An empty text may be meant.
        let any = any && *block != "whole";
        let other = named.as_deref().map_or(any, |named| named != *block);
        if other && !is_full(change, block, essential) {
            change.remove(*block);
        }
    }
}

fn is_full(change: &Map<String, Value>, block: &str, essential: &str) -> bool {
    change
        .get(block)
        .is_some_and(|block| block.get(essential).is_some_and(|value| !is_hollow(value)))
}

/// Takes out of a block what the change says as well.
fn repeated(block: &mut Map<String, Value>, own: &Map<String, Value>, keep: &[&str]) {
    block.retain(|key, value| keep.contains(&key.as_str()) || own.get(key) != Some(value));
}

/// Refuses fields beside the blocks that belong in one, or that are nearly fields of the change.
fn beside(change: &Map<String, Value>) -> Result<(), Invalid> {
    for (block, fields, _) in BLOCKS {
        let Some(inner) = change.get(*block) else {
            continue;
        };
        let mut beside = unknown(change, |key| CHANGE.has(key));
        let misplaced = beside.find(|key| fields.has(key) && inner.get(*key) != change.get(*key));
        if let Some(key) = misplaced {
            return Err(Invalid(format!("the field `{key}` belongs in `{block}`")));
        }
    }
    CHANGE.spelt_well(change)
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns whether a value says nothing.
fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.iter().all(is_hollow),
        Value::Object(all) => all.values().all(is_hollow),
    }
}

/// Returns whether one name is the other, but for case, `_`, a letter or two, or what goes on.
fn is_nearly(name: &str, key: &str) -> bool {
    let (name, key) = (lowercase_letters(name), lowercase_letters(key));
    let short = name.chars().count().min(key.chars().count());
    if short < 2 {
        return false;
    }
    let begins = short >= 4 && (name.starts_with(&key) || key.starts_with(&name));
    begins || strsim::levenshtein(&name, &key) <= if short >= 5 { 2 } else { 1 }
}

fn lowercase_letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).take(40).collect()
}

#[cfg(test)]
mod tests;
