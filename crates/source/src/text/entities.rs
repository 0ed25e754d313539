//! HTML entities.

/// What is written for a character in markup, and the character; `&` comes last, for it begins the others.
pub const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&amp;", "&"),
];
