//! Grammar of the requests that the planner understands.
//!
//! In: what the user typed. Out: a [`Request`], or why it is none.

use super::words::{PromptLine, PromptWord};

/// What the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Rename {
        from: String,
        to: String,
        /// A file or a folder; everywhere if there is none.
        place: Option<String>,
    },
    Replace {
        old: String,
        new: String,
        file: String,
    },
    RemoveHeadings {
        file: String,
    },
    AddImport {
        import: String,
        file: String,
    },
    DeleteFunction {
        name: String,
        /// Looked for if there is none.
        file: Option<String>,
    },
    Help,
    /// Something else; with a reason if it begins like a request.
    Unclear(Option<String>),
}

/// Returns what `text` asks for.
pub(super) fn parse(text: &str) -> Request {
    let line = PromptLine::new(text);
    let words = sentence(line.words());
    let Some((verb, rest)) = words.split_first() else {
        return Request::Unclear(None);
    };
    let understood = match verb {
        _ if verb.is(&["help", "?", "/help"]) && rest.len() < 2 => Ok(Request::Help),
        _ if verb.is(&["rename"]) => rename(rest),
        _ if verb.is(&["replace"]) => replace(&line, rest),
        _ if verb.is(&["add", "insert"]) => add_import(&line, rest),
        _ if verb.is(&["delete", "remove", "drop"]) => remove(rest),
        _ => return Request::Unclear(None),
    };
    understood.unwrap_or_else(|why| Request::Unclear(Some(why.to_owned())))
}

type Understood = Result<Request, &'static str>;

const ARTICLES: [&str; 7] = ["the", "a", "an", "all", "every", "each", "any"];
const KINDS: [&str; 19] = [
    "function",
    "fn",
    "def",
    "method",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "const",
    "constant",
    "variable",
    "var",
    "field",
    "component",
    "symbol",
    "identifier",
    "name",
];
const PLACES: [&str; 5] = ["in", "from", "inside", "within", "under"];
const EVERYWHERE: [&str; 5] = ["everywhere", "project", "workspace", "folder", "files"];

fn rename(words: &[PromptWord]) -> Understood {
    const FORM: &str = "I need: rename OLD to NEW [in PATH]";
    let to = position(words, &["to", "into", "as", "->", "=>"]).ok_or(FORM)?;
    let (from, rest) = halves(words, to);
    let [from] = without_kind(from) else {
        return Err(FORM);
    };
    let (to, place) = rest.split_first().ok_or(FORM)?;
    let (from, to) = (name(from), name(to));
    if !is_identifier(&from) || !is_identifier(&to) {
        return Err(
            "a name to rename is one identifier; for other text use: replace \"OLD\" with \"NEW\" in FILE",
        );
    }
    if from == to {
        return Err("both names are the same");
    }
    let place = match place {
        [] => None,
        [word] if word.is(&EVERYWHERE) => None,
        [word, rest @ ..] if word.is(&PLACES) => match without(rest, &ARTICLES) {
            [place] if place.is(&EVERYWHERE) => None,
            [place] => Some(path(place)),
            _ => return Err(FORM),
        },
        _ => return Err(FORM),
    };
    Ok(Request::Rename { from, to, place })
}

fn replace(line: &PromptLine<'_>, words: &[PromptWord]) -> Understood {
    const FORM: &str = "I need: replace \"OLD\" with \"NEW\" in FILE";
    let with = position(words, &["with", "by"]).ok_or(FORM)?;
    let (old, rest) = halves(words, with);
    let place = last_position(rest, &PLACES).ok_or(FORM)?;
    let (new, file) = halves(rest, place);
    let old = match old {
        [all, quoted] if all.is(&ARTICLES) && quoted.quoted => std::slice::from_ref(quoted),
        _ => old,
    };
    let [file] = file else {
        return Err(FORM);
    };
    let (old, new) = (line.said(old).ok_or(FORM)?, line.said(new).ok_or(FORM)?);
    if old.is_empty() {
        return Err("the text to replace is empty");
    }
    if old == new {
        return Err("both texts are the same");
    }
    Ok(Request::Replace {
        old,
        new,
        file: path(file),
    })
}

fn add_import(line: &PromptLine<'_>, words: &[PromptWord]) -> Understood {
    const FORM: &str = "I need: add import WHAT to FILE";
    let words = match without(words, &ARTICLES) {
        [first, rest @ ..] if first.is(&["import", "imports"]) => rest,
        _ => return Err("the only thing I can add is an import: add import WHAT to FILE"),
    };
    let to = last_position(words, &["to", "in", "into"]).ok_or(FORM)?;
    let (import, file) = halves(words, to);
    let [file] = file else {
        return Err(FORM);
    };
    let import = line
        .said(import)
        .filter(|import| !import.trim().is_empty())
        .ok_or(FORM)?;
    Ok(Request::AddImport {
        import: statement(import.trim()),
        file: path(file),
    })
}

/// The word `import` that the user saved belongs to what follows it, where that is a clause.
fn statement(import: &str) -> String {
    let is_clause = import.starts_with(['{', '*']) || import.contains(" from ");
    let first = import.split_whitespace().next().unwrap_or("");
    if is_clause && !["import", "from", "export", "use"].contains(&first) {
        format!("import {import}")
    } else {
        import.to_owned()
    }
}

fn remove(words: &[PromptWord]) -> Understood {
    let words = without(words, &ARTICLES);
    let words = without(words, &["markdown", "of", "the"]);
    match words.split_first() {
        Some((word, rest)) if word.is(&["headings", "heading", "headers", "titles"]) => {
            match rest {
                [place, file] if place.is(&PLACES) => {
                    Ok(Request::RemoveHeadings { file: path(file) })
                }
                _ => Err("I need: remove all headings from FILE"),
            }
        }
        Some((word, rest)) if word.is(&KINDS) => delete(rest),
        _ => Err(
            "I can remove headings from a file, or delete a function: delete function NAME [in FILE]",
        ),
    }
}

fn delete(words: &[PromptWord]) -> Understood {
    const FORM: &str = "I need: delete function NAME [in FILE]";
    let (named, file) = match words {
        [named] => (named, None),
        [named, place, file] if place.is(&PLACES) => (named, Some(path(file))),
        _ => return Err(FORM),
    };
    let name = name(named);
    if !is_identifier(&name) {
        return Err("the function's name is one identifier: delete function NAME [in FILE]");
    }
    Ok(Request::DeleteFunction { name, file })
}

/// Returns the words that count: no courtesies before, no punctuation after.
fn sentence(mut words: &[PromptWord]) -> &[PromptWord] {
    const BEFORE: [&str; 8] = [
        "please", "can", "could", "would", "you", "now", "then", "pls",
    ];
    const AFTER: [&str; 8] = [
        "please", ".", "!", "?", "thanks", "please.", "please!", "thanks!",
    ];
    while let [first, rest @ ..] = words
        && first.is(&BEFORE)
    {
        words = rest;
    }
    while let [rest @ .., last] = words
        && last.is(&AFTER)
        // In "in ." the dot is a folder.
        && rest.last().is_some_and(|before| !before.is(&PLACES))
    {
        words = rest;
    }
    words
}

fn position(words: &[PromptWord], any: &[&str]) -> Option<usize> {
    words.iter().position(|word| word.is(any))
}

fn last_position(words: &[PromptWord], any: &[&str]) -> Option<usize> {
    words.iter().rposition(|word| word.is(any))
}

/// Returns the words before and after the one at `middle`.
fn halves(words: &[PromptWord], middle: usize) -> (&[PromptWord], &[PromptWord]) {
    let (before, rest) = words.split_at_checked(middle).unwrap_or((words, &[]));
    (before, rest.get(1..).unwrap_or_default())
}

fn without<'a>(mut words: &'a [PromptWord], any: &[&str]) -> &'a [PromptWord] {
    while let [first, rest @ ..] = words
        && first.is(any)
    {
        words = rest;
    }
    words
}

/// Drops "the function" before a name, but not a name that happens to be such a word.
fn without_kind(mut words: &[PromptWord]) -> &[PromptWord] {
    while let [first, rest @ ..] = words
        && !rest.is_empty()
        && (first.is(&ARTICLES) || first.is(&KINDS))
    {
        words = rest;
    }
    words
}

/// Returns a name without what a sentence leaves on it.
fn name(word: &PromptWord) -> String {
    if word.quoted {
        word.text.clone()
    } else {
        let text = word.text.trim_end_matches(['.', ',', '?', '!', ';', ':']);
        text.strip_suffix("()").unwrap_or(text).to_owned()
    }
}

/// Returns a path without what a sentence leaves on it.
fn path(word: &PromptWord) -> String {
    let text = word.text.as_str();
    if word.quoted || text.chars().all(|c| c == '.' || c == '/') {
        return text.to_owned();
    }
    let text = text.strip_prefix('@').unwrap_or(text);
    text.trim_end_matches(['.', ',', '?', '!', ';']).to_owned()
}

fn is_identifier(text: &str) -> bool {
    text.chars().all(is_name_part) && text.starts_with(|c: char| is_name_part(c) && !c.is_numeric())
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests;
