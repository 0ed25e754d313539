//! The conditions of the preprocessor.
//!
//! In: what stands after `#if`, and the values of names. Out: its value. What cannot be read is
//! as unknown as a name that nothing is known of.

use std::collections::HashMap;

use super::token::Kind;

/// The value of a name of which nothing is known but that it is defined: high, as versions are.
pub(super) const MANY: i64 = 1_000_000;

/// Brackets within each other, beyond which a condition is unknown.
const MAX_DEPTH: usize = 30;

/// Returns the names whose values are known everywhere: those of a GNU compiler on Linux.
pub(super) fn known(cpp: bool) -> HashMap<&'static str, i64> {
    let mut values = HashMap::from([
        ("__GNUC__", 12),
        ("__STDC__", 1),
        ("__linux__", 1),
        ("__unix__", 1),
        ("__x86_64__", 1),
        ("__STDC_VERSION__", 201_710),
        ("__cplusplus", 0),
        ("lint", 0),
    ]);
    for name in [
        "_WIN32",
        "WIN32",
        "_WIN64",
        "_MSC_VER",
        "__APPLE__",
        "__clang__",
        "__INTEL_COMPILER",
        "__BORLANDC__",
        "__SUNPRO_C",
        "__SUNPRO_CC",
        "__OBJC__",
        "__ASSEMBLY__",
        "__ASSEMBLER__",
        "__DJGPP__",
        "__VMS",
        "VMS",
        "__MINGW32__",
        "__CYGWIN__",
        "SWIG",
        "Q_MOC_RUN",
        "Q_CLANG_QDOC",
        "DOXYGEN",
        "DOXYGEN_SHOULD_SKIP_THIS",
        "__ARMCC_VERSION",
        "__IBMC__",
        "__xlC__",
        "__HP_cc",
        "__CUDACC__",
        "BOOST_DOXYGEN_INVOKED",
        "RC_INVOKED",
    ] {
        values.insert(name, 0);
    }
    if cpp {
        values.insert("__cplusplus", 201_703);
        values.remove("__STDC_VERSION__");
    }
    values
}

/// Returns a text without blanks and comments at its ends.
pub(super) fn trimmed(rest: &str) -> &str {
    let mut rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
    while let Some(body) = rest.strip_prefix("/*") {
        rest = body
            .split_once("*/")
            .map_or("", |split| split.1)
            .trim_start();
    }
    if rest.starts_with("//") { "" } else { rest }
}

/// Returns the first word of a text.
pub(super) fn first_word(rest: &str) -> &str {
    let rest = trimmed(rest);
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the name that a `#define` defines, and its value.
pub(super) fn defined(rest: &str) -> (&str, i64) {
    let name = first_word(rest);
    let body = trimmed(rest).get(name.len()..).unwrap_or_default();
    if body.starts_with('(') {
        return (name, MANY);
    }
    let value = integer(first_word(body)).unwrap_or(MANY);
    // A name defined as 0 is defined: what asks that is far more frequent.
    (name, if value == 0 { 1 } else { value })
}

/// Returns whether a text is a name, perhaps with brackets after it.
pub(super) fn is_macro(rest: &str) -> bool {
    let name = first_word(rest);
    let after = trimmed(rest.get(name.len()..).unwrap_or_default());
    !name.is_empty() && (after.is_empty() || after.starts_with('('))
}

fn integer(word: &str) -> Option<i64> {
    let word = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    match hex {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// Returns the value of a name, if it is known.
pub(super) fn value_of(values: &HashMap<&str, i64>, name: &str) -> Option<i64> {
    // What documentation is made from is no code.
    let documents = || {
        ["DOXYGEN", "DOCUMENTATION", "DOXY"]
            .iter()
            .any(|word| name.contains(word))
    };
    values
        .get(name)
        .copied()
        .or_else(|| documents().then_some(0))
}

/// Returns the value of a condition, and whether it is none; of the name `absent` it is known that
/// it is not defined.
pub(super) fn value(
    rest: &str,
    values: &HashMap<&str, i64>,
    unknown: i64,
    absent: Option<&str>,
) -> (i64, bool) {
    let mut reader = Reader {
        rest,
        values,
        unknown,
        absent,
        depth: 0,
        broken: false,
    };
    let value = reader.binary(0);
    let left = trimmed(reader.rest);
    let rest = left.starts_with(')');
    let broken = reader.broken || value.is_some() && rest;
    (value.unwrap_or(unknown), broken)
}

struct Reader<'a> {
    rest: &'a str,
    values: &'a HashMap<&'a str, i64>,
    unknown: i64,
    absent: Option<&'a str>,
    depth: usize,
    /// An operand or a bracket is missing.
    broken: bool,
}

/// Signs and how closely they bind, from the loosest; longer ones stand before their beginnings.
const BINARY: &[(&str, u8)] = &[
    ("||", 1),
    ("&&", 2),
    ("==", 4),
    ("!=", 4),
    ("<=", 5),
    (">=", 5),
    ("<<", 6),
    (">>", 6),
    ("|", 3),
    ("&", 3),
    ("^", 3),
    ("<", 5),
    (">", 5),
    ("+", 7),
    ("-", 7),
    ("*", 8),
    ("/", 8),
    ("%", 8),
];

impl Reader<'_> {
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        loop {
            self.rest = trimmed(self.rest);
            let Some((sign, rank)) = BINARY.iter().find(|(sign, _)| self.rest.starts_with(sign))
            else {
                break;
            };
            if *rank <= least {
                break;
            }
            self.rest = self.rest.get(sign.len()..)?;
            let right = self.binary(*rank)?;
            left = apply(sign, left, right)?;
        }
        if least == 0 && self.rest.starts_with('?') {
            self.depth += 1;
            self.rest = self.rest.get(1..)?;
            let yes = self.binary(0)?;
            self.rest = trimmed(self.rest).strip_prefix(':')?;
            let no = self.binary(0)?;
            return Some(if left == 0 { no } else { yes });
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Option<i64> {
        self.rest = trimmed(self.rest);
        self.broken |= self.rest.is_empty() || self.rest.starts_with(')');
        let first = self.rest.chars().next()?;
        let tail = self.rest.get(first.len_utf8()..)?;
        match first {
            '!' => {
                self.rest = tail;
                Some(i64::from(self.unary()? == 0))
            }
            '-' | '+' | '~' => {
                self.rest = tail;
                let value = self.unary()?;
                Some(match first {
                    '-' => value.checked_neg()?,
                    '~' => !value,
                    _ => value,
                })
            }
            '(' => {
                self.rest = tail;
                let value = self.binary(0)?;
                self.close()?;
                Some(value)
            }
            _ if is_word(first) => self.word(),
            _ => None,
        }
    }

    fn value_of(&self, name: &str) -> Option<i64> {
        value_of(self.values, name)
    }

    /// Takes a `)`.
    fn close(&mut self) -> Option<()> {
        self.rest = trimmed(self.rest);
        let rest = self.rest.strip_prefix(')');
        self.broken |= rest.is_none() && (self.rest.is_empty() || self.rest.starts_with(is_word));
        self.rest = rest?;
        Some(())
    }

    fn word(&mut self) -> Option<i64> {
        let word = first_word(self.rest);
        self.rest = trimmed(self.rest.get(word.len()..)?);
        if word == "defined" {
            let inner = self.rest.strip_prefix('(');
            let name = first_word(inner.unwrap_or(self.rest));
            self.rest = trimmed(trimmed(inner.unwrap_or(self.rest)).get(name.len()..)?);
            self.broken |= name.is_empty();
            if inner.is_some() {
                self.broken |= !self.rest.starts_with(')');
                self.close()?;
            }
            if self.absent == Some(name) {
                return Some(0);
            }
            let value = self.value_of(name);
            return Some(i64::from(value.unwrap_or(self.unknown) != 0));
        }
        if let Some(value) = integer(word) {
            return Some(value);
        }
        let value = self.value_of(word).unwrap_or(self.unknown);
        if self.rest.starts_with('(') {
            self.rest = past_brackets(self.rest)?;
        }
        Some(value)
    }
}

fn past_brackets(rest: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return rest.get(at + 1..);
        }
    }
    None
}

fn apply(sign: &str, left: i64, right: i64) -> Option<i64> {
    Some(match sign {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
        ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
        "|" => left | right,
        "&" => left & right,
        "^" => left ^ right,
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        _ => left.checked_rem(right)?,
    })
}

/// Returns what is wrong with what stands after `#define`.
pub(super) fn fault_of_define(rest: &str) -> Option<&'static str> {
    let name = first_word(rest);
    let body = trimmed(rest).get(name.len()..)?;
    if name.is_empty() {
        return None;
    }
    if body.starts_with('(') {
        let list = body.split_once(')').map(|split| split.0).unwrap_or(body);
        let odd = list
            .get(1..)?
            .find(|c: char| !(is_word(c) || c.is_whitespace() || ",.\\/*".contains(c)));
        if odd.is_some() {
            return Some("`)` is missing after the parameters of this macro");
        }
    }
    let body = match body.starts_with('(') {
        true => body.split_once(')').map_or("", |split| split.1),
        false => body,
    };
    let read = super::token::read(body, false);
    if let Some(unclosed) = read.unclosed.first() {
        return Some(unclosed.what);
    }
    if read.tokens.iter().any(|token| token.text == "`") {
        return Some("a character in this macro begins nothing");
    }
    let (mut round, mut square, mut curly) = (0_isize, 0_isize, 0_isize);
    for token in &read.tokens {
        match token.kind {
            Kind::Open(b'(') => round += 1,
            Kind::Close(b')') => round -= 1,
            Kind::Open(b'[') => square += 1,
            Kind::Close(b']') => square -= 1,
            Kind::Open(_) => curly += 1,
            Kind::Close(_) => curly -= 1,
            _ => {}
        }
    }
    ((round != 0 || square != 0 || curly != 0) && read.tokens.len() > 1)
        .then_some("the brackets of this macro do not match")
}
