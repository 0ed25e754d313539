//! What is said of arguments while they stream agrees with what they are.
//!
//! In: arguments and the size of the pieces that they arrive in. Out: nothing, unless reading
//! panics, pieces make a difference, or it and a JSON parser disagree.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use signoff_llm::partial_json::ArgumentStream;

fuzz_target!(|input: (u8, &str)| {
    let (piece, text) = input;
    let whole = read(text, text.len().max(1));
    let cut = read(text, usize::from(piece) + 1);
    assert_eq!(told(&cut), told(&whole));
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        assert!(whole.is_complete() && !whole.is_malformed());
        let only = |key: &str| text.matches(key).count() == 1;
        if let Some(Value::String(path)) = object.get("path")
            && only("path")
            && !text.contains("\\u")
            && !text.contains("file")
            && path.len() <= 4096
        {
            assert_eq!(whole.first().path.as_deref(), Some(path.as_str()));
        }
    }
});

fn told(stream: &ArgumentStream) -> String {
    format!(
        "{:?} {:?} {} {} {}",
        stream.first(),
        stream.more(),
        stream.lines(),
        stream.is_complete(),
        stream.is_malformed(),
    )
}

fn read(text: &str, piece: usize) -> ArgumentStream {
    let mut stream = ArgumentStream::new();
    let mut rest = text;
    while !rest.is_empty() {
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (head, tail) = rest.split_at(rest.floor_char_boundary(piece).max(first));
        stream.push(head);
        rest = tail;
    }
    stream
}
