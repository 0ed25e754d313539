//! Tokenization: identifiers, their parts, stems and hashes.
//!
//! In: text. Out: terms. An identifier is split at `_` and at changes of case (`parseHeader`,
//! `parse_header` and `HTTPHeader` share `header`), each part is stemmed lightly, and an identifier of
//! several parts is a term itself, without its `_`.

/// Longer parts are data, as hashes and encoded texts are.
const MAX_PART_BYTES: usize = 40;
/// Longer numbers are data.
const MAX_DIGITS: usize = 6;
/// Words that are shorter have no stem other than themselves.
const MIN_STEM: usize = 3;

/// The field that a term was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The text of a file.
    Text,
    /// The words of a path.
    Path,
    /// The whole name of a definition.
    Definition,
    /// The name of a file without extension and marks of a test, as one word.
    Stem,
    /// The last name of an import.
    Import,
}

/// A term in a field, as the index knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u64);

impl Key {
    /// Returns the key of a term in a field.
    pub fn new(field: Field, term: &str) -> Self {
        // FNV-1a: stable across versions, which keys on disk must be, and fast on short words.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ ((field as u64) << 56);
        for byte in term.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // The high bits choose a bucket of the dictionary; FNV's are weak for short words.
        Self((hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Returns the identifiers of a text, each with its offset.
pub fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_word)?;
        let rest = text.get(start..)?;
        let end = rest
            .find(|c| !is_word(c))
            .map_or(text.len(), |len| start + len);
        at = end;
        Some((start, text.get(start..end)?))
    })
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric())
}

/// Calls `visit` with each term of an identifier: its stemmed parts, and itself where it has
/// several.
pub fn terms(identifier: &str, mut visit: impl FnMut(&str)) {
    let mut buffer = String::new();
    let mut parts = 0;
    for part in parts_of(identifier) {
        parts += 1;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let is_data = part.len() > MAX_PART_BYTES || is_number && part.len() > MAX_DIGITS;
        if part.len() < 2 || is_data {
            continue;
        }
        lower_into(part, &mut buffer);
        visit(stem(&mut buffer));
    }
    if parts > 1 && identifier.len() <= 2 * MAX_PART_BYTES {
        visit(&whole(identifier));
    }
}

/// Returns an identifier as one word: in lower case, without `_`.
pub fn whole(identifier: &str) -> String {
    let letters = identifier.chars().filter(|c| *c != '_');
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns whether an identifier is made of several parts.
pub fn is_compound(identifier: &str) -> bool {
    parts_of(identifier).nth(1).is_some()
}

fn lower_into(part: &str, buffer: &mut String) {
    buffer.clear();
    if part.is_ascii() {
        buffer.push_str(part);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(part.chars().flat_map(char::to_lowercase));
    }
}

/// Returns the parts of an identifier: `HTTPServer_2` has `HTTP`, `Server`, `2`.
fn parts_of(identifier: &str) -> impl Iterator<Item = &str> {
    let mut rest = identifier;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('_');
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(end_of_part(rest));
        rest = after;
        Some(part)
    })
}

fn end_of_part(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        if c == '_' {
            return at;
        }
        let next = chars.peek().map(|(_, next)| *next);
        let starts = match before {
            // `aB`, and the `S` of `HTTPServer`.
            Some(before) if c.is_uppercase() => {
                !before.is_uppercase() || next.is_some_and(char::is_lowercase)
            }
            _ => false,
        };
        if starts {
            return at;
        }
        before = Some(c);
    }
    text.len()
}

/// Takes common endings off an English word in lower case, so that `parses`, `parsing`, `parsed` and
/// `parser` meet. Wrong stems do no harm as long as the index and the query have the same.
fn stem(word: &mut String) -> &str {
    if !word.is_ascii() || word.len() <= MIN_STEM {
        return word;
    }
    if word.ends_with("ies") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.ends_with("sses") {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.pop();
    }
    for end in [
        "ations", "ation", "ator", "ating", "ated", "ate", "ions", "ion", "ing", "ed", "er", "or",
    ] {
        let Some(kept) = word.strip_suffix(end) else {
            continue;
        };
        let has_vowel = kept.bytes().any(|byte| b"aeiouy".contains(&byte));
        if kept.len() >= MIN_STEM && has_vowel {
            word.truncate(kept.len());
            undouble(word);
        }
        break;
    }
    if word.len() > MIN_STEM && word.ends_with('e') {
        word.pop();
    }
    word
}

/// Takes one of two equal consonants off the end: `runn` becomes `run`.
fn undouble(word: &mut String) {
    let mut last = word.bytes().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && !b"aeiouls".contains(&a)
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (_, identifier) in identifiers(text) {
            terms(identifier, |term| found.push(term.to_owned()));
        }
        found
    }

    #[test]
    fn identifiers_are_split_at_underscores_and_changes_of_case() {
        let table: &[(&str, &[&str])] = &[
            ("parse_header", &["pars", "head", "parseheader"]),
            ("parseHeader", &["pars", "head", "parseheader"]),
            ("HTTPServer", &["http", "serv", "httpserver"]),
            ("__init__", &["init"]),
            ("utf8", &["utf8"]),
            ("x + y", &[]),
            ("größeÄndern", &["größe", "ändern", "größeändern"]),
            ("1234567", &[]),
            ("", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(all(text), *expected, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            "parse parses parsing parsed parser parsers",
            "validate validation validates validator",
            "run running runs",
            "query queries",
            "file files",
        ] {
            let found = all(forms);
            assert!(found.iter().all(|stem| *stem == found[0]), "{found:?}");
        }
        assert_ne!(all("status"), all("state"));
    }

    #[test]
    fn fields_have_keys_of_their_own() {
        let fields = [
            Field::Text,
            Field::Path,
            Field::Definition,
            Field::Stem,
            Field::Import,
        ];
        let keys: std::collections::BTreeSet<Key> =
            fields.iter().map(|field| Key::new(*field, "a")).collect();
        assert_eq!(keys.len(), fields.len());
    }
}
