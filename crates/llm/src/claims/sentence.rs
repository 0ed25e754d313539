//! Sentences of a message in Markdown.
//!
//! ```text
//! ## Summary                                     nothing
//! - **Done:** renamed `load` to `read`. It's ok.  "done: renamed <0> to <1>" of load, read; "it is ok"
//! Next steps:                                    what follows is advice
//! - Add tests                                    nothing
//! ```
//!
//! In: the message. Out: its sentences, in order, without code blocks, quotations, tables and what a heading calls advice.

use signoff_core::role::Role;
use signoff_core::text::Slice as _;

/// Beginnings of words in heads of parts that say what is to be done, or was before.
const ADVICE: &str = "\
    next suggest recommend optional could might would can todo how usage remain follow-up followup before \
    previous problem issue cause why plan proposal verify try example if may open question motivation \
    outlook background context caveat limitation leftover reason want";

/// Beginnings of words in heads of parts that are about all that was done.
const GENERAL: &str = "\
    summary chang did done overview result note following here test status short what verif";

/// Extensions of data that are written without code marks too.
const DATA: &str = "toml json yml yaml cfg ini lock";

/// Maximum size of a message and of a sentence that are judged, in bytes. A small model that repeats itself until its limit writes
/// one sentence of 100 KB; the longest of the corpora has 154.
const MAX_MESSAGE: usize = 64 << 10;
const MAX_SENTENCE: usize = 2000;
/// Maximum size of a head that is read again for each item below it, in bytes.
const MAX_HEAD: usize = 200;

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// As it was written, on one line, without the mark of its list.
    pub(super) text: String,
    /// In small letters, without marks, with `<0>` for its first name.
    pub(super) plain: String,
    /// The texts in code marks, and the paths.
    pub(super) names: Vec<String>,
    /// Whether it stands below a head, or an item, that may say of what part of the change it is.
    pub(super) is_of_part: bool,
    /// The head, or the item, that it stands below, in small letters; what it says was done was done to what is listed.
    pub(super) head: String,
    /// Whether it is an item of a list.
    pub(super) is_item: bool,
}

/// A paragraph or an item of a list, on one line.
struct Block {
    text: String,
    /// Whether it is an item, and one below another one.
    is_item: bool,
    is_nested: bool,
}

/// Returns the sentences of a message; none of one that is too long, or has such a sentence: it may name anything there.
pub(super) fn sentences(message: &str) -> Vec<Sentence> {
    if message.len() > MAX_MESSAGE {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut is_advice, mut is_of_part) = (false, false);
    let (mut head, mut item) = (String::new(), String::new());
    let blocks = blocks(message);
    let titles = blocks.iter().filter(|block| {
        head_of(block)
            .is_some_and(|head| !has_beginning(&head, GENERAL) && !has_beginning(&head, ADVICE))
    });
    // One head alone is that of the whole message.
    let has_parts = titles.count() > 1;
    for block in blocks {
        let text = block.text.as_str();
        if let Some(words) = head_of(&block) {
            is_advice = has_beginning(&words, ADVICE);
            is_of_part = words.contains('`') || has_parts && !has_beginning(&words, GENERAL);
            head = words;
            if head.len() > MAX_HEAD {
                head.clear();
            }
            if text.starts_with('#') {
                continue;
            }
        } else if !block.is_item {
            head.clear();
        }
        if block.is_item && !block.is_nested {
            item.clear();
            if text.len() <= MAX_HEAD {
                item = text.to_lowercase();
            }
        }
        let parts = split(text);
        if parts.iter().any(|part| part.len() > MAX_SENTENCE) {
            return Vec::new();
        }
        if !is_advice {
            let above = if block.is_nested { &item } else { &head };
            found.extend(parts.into_iter().filter_map(|text| {
                let sentence = Sentence::of(text)?;
                Some(Sentence {
                    is_of_part: is_of_part || block.is_nested,
                    head: above.clone(),
                    is_item: block.is_item,
                    ..sentence
                })
            }));
        }
    }
    found
}

/// Returns the head that a block is, in small letters.
fn head_of(block: &Block) -> Option<String> {
    let text = block.text.as_str();
    let bare = text.trim_end_matches(['*', '_', ' ']);
    let is_bold = text.starts_with("**")
        && bare.len() < text.len()
        && bare.get(2..).is_some_and(|rest| !rest.contains("**"));
    let is_head = text.starts_with('#') || bare.ends_with(':') || is_bold && !block.is_item;
    is_head.then(|| bare.to_lowercase())
}

/// Tells whether a word of a text begins like this.
fn has_beginning(text: &str, beginnings: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    let mut words = words.filter(|word| !word.is_empty());
    words.any(|word| {
        beginnings
            .split(' ')
            .any(|it| word == it || it.len() > 3 && word.starts_with(it))
    })
}

/// Returns paragraphs and items of lists, each on one line.
fn blocks(message: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut is_code, mut is_open) = (false, false);
    for line in message.lines() {
        let is_indented = line.starts_with(['\t', ' ']);
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            is_open = false;
            continue;
        }
        if is_code || line.is_empty() || line.starts_with('>') || line.starts_with('|') {
            is_open = false;
            continue;
        }
        let (is_item, text) = item(line);
        match blocks
            .last_mut()
            .filter(|_| is_open && !is_item && !line.starts_with('#'))
        {
            Some(block) => {
                block.text.push(' ');
                block.text.push_str(text);
            }
            None => blocks.push(Block {
                text: text.to_owned(),
                is_item,
                is_nested: is_item && is_indented,
            }),
        }
        is_open = !line.starts_with('#');
    }
    blocks
}

/// Returns whether a line is an item of a list, and its text without the mark.
fn item(line: &str) -> (bool, &str) {
    let bullet = ["- ", "* ", "+ ", "• ", "– "];
    if let Some(text) = bullet.iter().find_map(|mark| line.strip_prefix(mark)) {
        let text = text.trim_start();
        let boxed = ["[x] ", "[X] "]
            .iter()
            .find_map(|mark| text.strip_prefix(mark));
        return (true, boxed.unwrap_or(text));
    }
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let behind = line.slice(digits..);
    match behind
        .strip_prefix(". ")
        .or_else(|| behind.strip_prefix(") "))
    {
        Some(text) if digits > 0 => (true, text.trim_start()),
        _ => (false, line),
    }
}

/// Splits a text at the ends of its sentences, which are not in code marks.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_code) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => is_code = !is_code,
            '.' | '!' | '?' if !is_code => {
                let end = at + c.len_utf8();
                let rest = text.slice(end..);
                if ends(text.slice(start..at), rest) {
                    parts.push(text.slice(start..end));
                    start = end;
                }
            }
            _ => {}
        }
    }
    parts.push(text.slice(start..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Tells whether a sign between two texts ends a sentence.
fn ends(before: &str, after: &str) -> bool {
    let after = after.trim_start_matches(['*', '_', ')', '"']);
    let is_short = ["e.g", "i.e", "etc", "vs", "cf"]
        .iter()
        .any(|word| before.ends_with(word));
    let Some(next) = after.strip_prefix(' ') else {
        return after.is_empty();
    };
    !is_short && !next.trim_start().starts_with(|c: char| c.is_lowercase())
}

impl Sentence {
    /// Reads a sentence; none that only asks.
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.ends_with('?') {
            return None;
        }
        let (mut plain, mut names) = (String::new(), Vec::new());
        let marked = text.replace("**", "");
        for (index, part) in marked.split('`').enumerate() {
            if index % 2 == 1 {
                put(part, &mut plain, &mut names);
                continue;
            }
            for (index, word) in part.split(' ').enumerate() {
                if index > 0 {
                    plain.push(' ');
                }
                spell(word, &mut plain, &mut names);
            }
        }
        let plain = contractions(&plain);
        Some(Self {
            text: text.to_owned(),
            plain,
            names,
            is_of_part: false,
            head: String::new(),
            is_item: false,
        })
    }
}

/// Adds a name, and its number to the plain text.
fn put(name: &str, plain: &mut String, names: &mut Vec<String>) {
    *plain += &format!("<{}>", names.len());
    names.push(name.trim().to_owned());
}

/// Writes a word in small letters; a path is a name.
fn spell(word: &str, plain: &mut String, names: &mut Vec<String>) {
    let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '-'));
    let path = word.trim_matches(is_edge);
    let path = path.strip_suffix("'s").unwrap_or(path);
    let path = path.trim_end_matches(['.', '-']);
    match word.find(path).filter(|_| is_bare_path(path)) {
        Some(at) => {
            *plain += word.slice(..at);
            put(path, plain, names);
            *plain += word.slice(at + path.len()..);
        }
        None => match path.to_lowercase().as_str() {
            bare @ ("readme" | "changelog") => {
                put(&bare.to_uppercase(), plain, names);
                if word.ends_with([',', ';', ':', '.']) {
                    plain.extend(word.chars().next_back());
                }
            }
            _ => *plain += &word.to_lowercase(),
        },
    }
}

/// Tells whether a word without code marks is a path: `src/a.rs`, `README.md`; not `and/or`, `Node.js`, `2.5`.
fn is_bare_path(word: &str) -> bool {
    if matches!(word, "README" | "CHANGELOG" | "Makefile" | "Dockerfile") {
        return true;
    }
    let Some((stem, extension)) = word.rsplit_once('.') else {
        return false;
    };
    let is_product =
        extension == "js" && !word.contains('/') && word.starts_with(char::is_uppercase);
    let is_known = matches!(Role::of(word), Role::Source | Role::Test | Role::Prose)
        || DATA.split(' ').any(|it| it == extension);
    is_known && !is_product && !stem.is_empty() && stem.chars().any(char::is_alphabetic)
}

/// Returns a text with `not`, `have` and `is` written out, and one kind of apostrophe.
fn contractions(text: &str) -> String {
    text.replace('\u{2019}', "'")
        .replace("can't", "can not")
        .replace("won't", "will not")
        .replace("n't", " not")
        .replace("cannot", "can not")
        .replace("'ve", " have")
        .replace("'re", " are")
        .replace("it's", "it is")
        .replace("that's", "that is")
        .replace("everything's", "everything is")
        .replace("behavior", "behaviour")
        .replace("->", "→")
        .replace("=>", "→")
        .replace("there's", "there is")
        .replace("they'll", "they will")
        .replace("'ll ", " will ")
        .replace("'d ", " would ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_by_sentences() {
        let message = "## Summary\n- **Done:** renamed `load.x` to `read`. It's ok, e.g. here.\n\
            ```py\nload()\n```\n> quoted.\n\nI touched src/a.rs and\nNode.js. Fine?\n\nNext steps:\n- Add tests\n\n## Result\n1. All good!";
        let read: Vec<(String, Vec<String>)> = sentences(message)
            .into_iter()
            .map(|it| (it.plain, it.names))
            .collect();
        let names = |list: &[&str]| list.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            read,
            [
                (
                    "done: renamed <0> to <1>.".to_owned(),
                    names(&["load.x", "read"])
                ),
                ("it is ok, e.g. here.".to_owned(), names(&[])),
                (
                    "i touched <0> and node.js.".to_owned(),
                    names(&["src/a.rs"])
                ),
                ("all good!".to_owned(), names(&[])),
            ]
        );
    }

    #[test]
    fn what_is_too_long_is_not_read() {
        let sentences_of = |count: usize, unit: &str| sentences(&unit.repeat(count)).len();
        assert_eq!(sentences_of(300, "added "), 1);
        assert_eq!(sentences_of(400, "added "), 0);
        assert_eq!(sentences_of(4000, "It is added. "), 4000);
        assert_eq!(sentences_of(6000, "It is added. "), 0);
        let below = format!("{}:\n- `a`\n", "added ".repeat(40));
        let heads = sentences(&below).into_iter().map(|it| it.head);
        assert!(heads.into_iter().all(|head| head.is_empty()));
    }

    #[test]
    fn a_head_says_of_what_it_is() {
        assert_eq!(sentences("**").len(), 1);
        let message = "## Summary\n- Only comments.\n\n## Parser\nOnly layout.\n\n## Lexer\nOk.\n\nWhat changed:\n- `a.py`\n  - No code.";
        let read = sentences(message).into_iter();
        let parts: Vec<(String, bool)> = read.map(|it| (it.plain, it.is_of_part)).collect();
        let part = |text: &str, is_of_part| (text.to_owned(), is_of_part);
        assert_eq!(
            parts,
            [
                part("only comments.", false),
                part("only layout.", true),
                part("ok.", true),
                part("what changed:", false),
                part("<0>", false),
                part("no code.", true),
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_message_has_sentences(message in "(?s).*") {
            for sentence in sentences(&message) {
                proptest::prop_assert!(!sentence.text.is_empty());
            }
        }
    }
}
