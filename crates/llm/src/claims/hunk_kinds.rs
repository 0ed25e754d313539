//! What a hunk does, told by its lines and tokens.
//!
//! ```text
//! load(3)   read(3)      a rename
//! n < MAX   n <= MAX     another comparison
//! x = 3     x  =  3      layout
//! ```
//!
//! In: a hunk, or the tokens of its sides. Out: what kind of change it is.

use std::collections::BTreeMap;

use signoff_core::stage::review::Proof;

use super::changes::{ChangedHunk, Changes};
use super::tokens::Token;

/// Signs and words that calculate, compare or are values: another one in the place of one changes what code does.
const FIXED: &str =
    "< > <= >= == != && || + - * / % << >> += -= true false True False and or not min max any all";

fn is_fixed(text: &str) -> bool {
    FIXED.split(' ').any(|it| it == text)
}

/// Words that a test begins with, in a line.
const TESTS: &str = "#[test]|#[tokio::test]|#[rstest]|def test_|async def test_|it(|test(|it.each|test.each|func Test|@Test|\
                     @ParameterizedTest|it '|it \"|test '|test \"|TEST(|TEST_F(|void test_|specify |scenario |static void test_";

pub(super) fn trimmed(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| line.trim().to_owned()).collect()
}

/// Words that begin a definition.
pub(super) const DEFINES: [&str; 8] = [
    "def",
    "fn",
    "func",
    "function",
    "class",
    "impl",
    "struct",
    "interface",
];

pub(super) fn is_blank(lines: &[&str]) -> bool {
    lines.iter().all(|line| line.trim().is_empty())
}

pub(super) fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    [
        "import ",
        "from ",
        "use ",
        "#include",
        "require ",
        "require_relative ",
        "pub use ",
    ]
    .iter()
    .any(|word| line.starts_with(word))
        || line.contains("require(")
}

pub(super) fn is_test_line(line: &str) -> bool {
    let line = line.trim_start();
    TESTS.split('|').any(|start| line.starts_with(start))
}

/// Tells whether a line is code whatever stands around it, and no words.
fn is_statement(line: &str) -> bool {
    let line = line.trim();
    let is_short = line.split_whitespace().count() <= 6 && !line.ends_with('.');
    is_import(line) && is_short
        || line.ends_with(';')
        || line.contains(" = ")
        || line.contains("return ")
}

/// Tells whether a hunk is within a text of several lines, as documentation in Python is.
pub(super) fn is_within_text(hunk: &ChangedHunk<'_>) -> bool {
    let mut lines = hunk.lines();
    lines.any(|line| line.contains("\"\"\"") || line.contains("'''"))
}

pub(super) fn is_layout(hunk: &ChangedHunk<'_>) -> bool {
    if hunk.proof == Some(&Proof::Layout) {
        return true;
    }
    // Formatters add commas and brackets, and put imports in order.
    let plain = |lines: &[&str]| -> Vec<char> {
        let all = lines.iter().flat_map(|line| line.chars());
        let mut all: Vec<char> = all
            .filter(|c| !c.is_whitespace() && !matches!(c, ',' | ';' | '"' | '\'' | '(' | ')'))
            .collect();
        all.sort_unstable();
        all
    };
    plain(&hunk.removed) == plain(&hunk.added)
}

/// Returns the names that became others wherever a hunk has the same tokens otherwise.
pub(super) fn renames<'a>(changes: &Changes<'a>) -> BTreeMap<&'a str, &'a str> {
    let mut found: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut note = |from: &'a str, to: &'a str| {
        let known = found.entry(from).or_insert(Some(to));
        if *known != Some(to) {
            *known = None;
        }
    };
    for hunk in changes.code() {
        let (before, after) = hunk.tokens();
        if before.len() != after.len() {
            continue;
        }
        for pair in before.iter().zip(&after) {
            if let (Token::Word(from), Token::Word(to)) = pair
                && from != to
                && !is_fixed(from)
                && !is_fixed(to)
            {
                note(from, to);
            }
        }
    }
    let known = found.into_iter().filter_map(|(from, to)| Some((from, to?)));
    let stays = |name: &str| {
        let mut lines = changes.code().flat_map(|hunk| hunk.of_lines(&hunk.added));
        lines.any(|token| token == Token::Word(name))
    };
    known.filter(|(from, _)| !stays(from)).collect()
}

/// Tells whether a hunk has the same tokens with the names exchanged, in any order of its lines.
pub(super) fn is_rename(hunk: &ChangedHunk<'_>, renames: &BTreeMap<&str, &str>) -> bool {
    if matches!(
        hunk.proof,
        Some(Proof::Renamed { .. } | Proof::Layout | Proof::Moved { .. })
    ) {
        return true;
    }
    let (before, after) = hunk.tokens();
    let exchanged = |token: &Token<'_>| -> String {
        match token {
            Token::Word(word) => renames.get(word).copied().unwrap_or(word).to_owned(),
            Token::Text(text) => renames.iter().fold((*text).to_owned(), |text, (from, to)| {
                text.replace(from, to)
            }),
            Token::Number(text) | Token::Sign(text) => (*text).to_owned(),
        }
    };
    // Where a line becomes too long, a formatter breaks it.
    let is_code = |token: &&Token<'_>| !matches!(token, Token::Sign("," | ";" | "(" | ")"));
    let mut before: Vec<String> = before.iter().filter(is_code).map(exchanged).collect();
    let mut after: Vec<String> = after.iter().filter(is_code).map(exchanged).collect();
    before.sort_unstable();
    after.sort_unstable();
    before == after
}

/// Returns a number, an operator or an opposite that stands where another one stood, with everything else the same but for
/// renames.
///
/// ```text
/// n < MAX      n > MAX        `<`, `>`
/// a < b        b > a          nothing: names changed too
/// x * 2        x << 1         nothing: two things changed
/// 1000         1_000          nothing: the same number
/// ```
pub(super) fn swapped<'a>(
    before: &[Token<'a>],
    after: &[Token<'a>],
    renames: &BTreeMap<&str, &str>,
) -> Option<(Token<'a>, Token<'a>)> {
    if before.len() != after.len() {
        return None;
    }
    let pairs = before.iter().copied().zip(after.iter().copied());
    let is_same = |old: &Token<'_>, new: &Token<'_>| match (old, new) {
        (Token::Word(old), Token::Word(new)) => old == new || renames.get(old) == Some(new),
        (Token::Number(old), Token::Number(new)) => is_same_number(old, new),
        (Token::Text(old), Token::Text(new)) => unquoted(old) == unquoted(new),
        _ => old == new,
    };
    let mut other = pairs.filter(|(old, new)| !is_same(old, new));
    let (old, new) = other.next().filter(|_| other.next().is_none())?;
    let is_other = match (old, new) {
        (Token::Number(_), Token::Number(_)) => true,
        (Token::Text(old), Token::Text(new)) => letters(old) != letters(new),
        (Token::Sign(old), Token::Sign(new)) | (Token::Word(old), Token::Word(new)) => {
            is_fixed(old) && is_fixed(new)
        }
        _ => false,
    };
    is_other.then_some((old, new))
}

/// Tells whether two numbers are the same: `1000` and `1_000`, `0.50` and `.5`; those of other bases and kinds may be.
fn is_same_number(old: &str, new: &str) -> bool {
    let value = |text: &str| text.replace('_', "").parse::<f64>().ok();
    match (value(old), value(new)) {
        (Some(old), Some(new)) => (old - new).abs() <= f64::EPSILON * old.abs(),
        _ => true,
    }
}

/// Returns what a name was compared with or set to before and after, where that differs.
///
/// ```text
/// n < MAX      n <= MAX       `<`, `<=`
/// size = 3     size = 5       `3`, `5`
/// n < MAX      n >= MAX       nothing: a condition was turned round
/// ```
pub(super) fn other_value<'a>(
    before: &[Token<'a>],
    after: &[Token<'a>],
) -> Option<(String, String)> {
    let is_boundary = |old: &str, new: &str| {
        matches!(
            (old, new),
            ("<", "<=") | ("<=", "<") | (">", ">=") | (">=", ">")
        )
    };
    let is_end = |token: &Token<'_>| {
        matches!(
            token,
            Token::Word(_) | Token::Number(_) | Token::Sign("]" | ")")
        )
    };
    let (old, new) = (triples(before), triples(after));
    let gone = old.iter().filter(|triple| !new.contains(triple));
    let come: Vec<&[Token<'a>; 3]> = new.iter().filter(|triple| !old.contains(triple)).collect();
    for [left, sign, right] in gone {
        for [other_left, other_sign, other_right] in &come {
            if left != other_left || !is_end(left) {
                continue;
            }
            match (sign, other_sign) {
                (Token::Sign(sign), Token::Sign(other))
                    if right == other_right && is_boundary(sign, other) =>
                {
                    return Some((format!("`{sign}`"), format!("`{other}`")));
                }
                (Token::Sign("=" | ":" | ":=" | "+" | "-" | "*" | "<" | ">" | "<=" | ">="), _)
                    if sign == other_sign && is_other_number(*right, *other_right) =>
                {
                    return Some((shown(*right), shown(*other_right)));
                }
                _ => {}
            }
        }
    }
    None
}

/// Returns every three tokens that stand side by side, where the last is all of what is on its side.
fn triples<'a>(tokens: &[Token<'a>]) -> Vec<[Token<'a>; 3]> {
    const GOES_ON: [&str; 12] = [
        "+", "-", "*", "/", "%", ".", "(", "[", "::", "<<", "**", "?.",
    ];
    let goes_on =
        |at: usize| matches!(tokens.get(at), Some(Token::Sign(sign)) if GOES_ON.contains(sign));
    let windows = tokens.windows(3).enumerate();
    windows
        .filter(|(at, _)| !goes_on(at + 3))
        .filter_map(|(_, window)| window.try_into().ok())
        .collect()
}

fn is_other_number(old: Token<'_>, new: Token<'_>) -> bool {
    matches!((old, new), (Token::Number(old), Token::Number(new)) if !is_same_number(old, new))
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

pub(super) fn shown(token: Token<'_>) -> String {
    let (Token::Word(text) | Token::Number(text) | Token::Text(text) | Token::Sign(text)) = token;
    format!("`{text}`")
}

/// Returns the name that a line defines a function or type of.
pub(super) fn defined_name(line: &str) -> Option<&str> {
    // A method of Go has its receiver before its name.
    let line = match line.trim_start().strip_prefix("func (") {
        Some(rest) => rest.split_once(')')?.1,
        None => {
            let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let word = words.find(|word| DEFINES.contains(word))?;
            line.split_once(word)?.1
        }
    };
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '?' | '!')));
    words.find(|word| !word.is_empty())
}

/// Tells whether a hunk is of code, whatever stands around it, and no words.
pub(super) fn is_surely_code(hunk: &ChangedHunk<'_>) -> bool {
    let (before, after) = hunk.tokens();
    let signs = before.iter().chain(&after).filter(|token| {
        matches!(
            token,
            Token::Sign("(" | ")" | "{" | "}" | ";" | "=" | "[" | "]" | "=>" | "::" | "<" | ">")
        )
    });
    let mut lines = hunk.removed.iter().chain(&hunk.added);
    lines.any(|line| is_statement(line))
        || signs.count() > 3
        || swapped(&before, &after, &BTreeMap::new()).is_some()
}

/// Returns how many parameters a line that defines a function has.
pub(super) fn parameters(line: &str) -> usize {
    let from = defined_name(line).and_then(|name| line.split_once(name));
    let Some((_, rest)) = from.and_then(|(_, rest)| rest.split_once('(')) else {
        return 0;
    };
    let inner = rest.rsplit_once(')').map_or(rest, |(inner, _)| inner);
    match inner.trim() {
        "" | "self" | "&self" | "&mut self" => 0,
        inner => 1 + inner.matches(',').count(),
    }
}
