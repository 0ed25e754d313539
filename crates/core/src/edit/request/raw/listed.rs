//! Lists that models write as a single value.
//!
//! In: a block of a payload. Out: the same, its list a list: one element may stand without the
//! brackets, or its fields in the block itself, and the whole may be a text that holds the JSON.

use serde_json::{Map, Value, json};

/// Makes a text that holds an object that object.
pub(super) fn unquote(value: &mut Value) {
    let held = value.as_str().map(serde_json::from_str);
    if let Some(Ok(object @ Value::Object(_))) = held {
        *value = object;
    }
}

/// Makes `field` of a block a list of objects; `fields` are those of one.
pub(super) fn settle(block: &mut Map<String, Value>, field: &str, fields: &[&str]) {
    block.retain(|_, value| !value.is_null());
    if let Some(Value::String(text)) = block.get(field)
        && let Ok(value @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text)
    {
        block.insert(field.to_owned(), value);
    }
    match block.get_mut(field) {
        Some(one @ Value::Object(_)) => *one = json!([one.take()]),
        // Each element may be such a text as well.
        Some(Value::Array(list)) => {
            list.iter_mut().for_each(unquote);
        }
        None => {
            let own: Vec<String> = block
                .keys()
                .filter(|key| fields.contains(&key.as_str()))
                .cloned()
                .collect();
            let own = own.into_iter().filter_map(|key| block.remove_entry(&key));
            let own: Map<String, Value> = own.collect();
            if !own.is_empty() {
                block.insert(field.to_owned(), json!([own]));
            }
        }
        _ => {}
    }
}
