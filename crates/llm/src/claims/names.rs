//! Names in messages: paths, symbols, and texts of code.
//!
//! ```text
//! src/a.rs          a path
//! Type.load(path)   a symbol, load
//! npm run build     neither
//! ```

use signoff_core::role::{self, Role};

/// Tells whether a name can be one of code: no path, no command line, no text.
pub(super) fn is_symbol(name: &str) -> bool {
    let symbol = symbol_of(name);
    let bare = symbol.strip_suffix(['?', '!']).unwrap_or(&symbol);
    !is_path(name)
        && !name.contains(' ')
        && !bare.is_empty()
        && bare
            .chars()
            .all(|c| c == '_' || c == '$' || c.is_alphanumeric())
        && !bare.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns a name without what is around it: `Type.load(path)` is `load`.
pub(super) fn symbol_of(name: &str) -> String {
    let head = name
        .split('(')
        .next()
        .unwrap_or(name)
        .trim_end_matches("[]");
    let last = head.rsplit(['.', ':', '#']).next().unwrap_or(head);
    last.trim_matches(|c: char| c == '&' || c == '*' || c == '!')
        .to_owned()
}

/// Tells whether a name is a path.
pub(super) fn is_path(name: &str) -> bool {
    const DATA: [&str; 10] = [
        ".toml", ".json", ".yml", ".yaml", ".cfg", ".ini", ".lock", ".env", ".xml", ".txt",
    ];
    const NAMES: [&str; 9] = [
        "README",
        "CHANGELOG",
        "LICENSE",
        "Makefile",
        "Dockerfile",
        "go.mod",
        "Gemfile",
        "Rakefile",
        ".gitignore",
    ];
    let name = name.trim_start_matches("./");
    let is_plain = !name.contains([' ', '(', '"', '\'', '=', '<', '{', '*', ':', '#']);
    let last = name.rsplit('/').next().unwrap_or(name);
    let extension = last.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_extension = !extension.is_empty()
        && extension.len() <= 5
        && extension.chars().all(char::is_alphanumeric)
        && extension.starts_with(char::is_alphabetic);
    let is_known = matches!(
        Role::of(name),
        Role::Source | Role::Test | Role::Prose | Role::Generated
    ) && has_extension
        || DATA.iter().any(|end| name.ends_with(end));
    let is_folder = name.contains('/') && (has_extension || name.ends_with('/'));
    is_plain && (is_known || is_folder && !name.starts_with('/') || NAMES.contains(&name))
}

/// Tells whether a path is the one that a message means: all of it, its end, or a folder above it.
pub(super) fn is_same_path(path: &str, said: &str) -> bool {
    if matches!(said, "README" | "CHANGELOG" | "LICENSE") {
        return role::stem(path).eq_ignore_ascii_case(said);
    }
    let said = said.trim_start_matches("./");
    let said = said.split_once(':').map_or(said, |(path, _)| path);
    path == said
        || path.ends_with(said)
            && path
                .get(..path.len() - said.len())
                .is_some_and(|head| head.ends_with('/'))
        || said.ends_with('/') && (path.starts_with(said) || path.contains(&format!("/{said}")))
}
