//! Removal of secrets from a server's text.
//!
//! In: an [`Endpoint`], or what else a server is told that nobody else may read, and a server's words. Out: the words without
//! the key, the values of headers and passwords, also where they are escaped, percent-encoded, in base64, broken over lines
//! or cut. Everything that came from a secret passes through a [`Secrets`]: models' servers and those of the Model Context
//! Protocol.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use signoff_source::text::Slice as _;

use super::Endpoint;
use crate::provider::openai::{flat, one_line};
use crate::provider::url_credentials::{is_secret_name, replaced, without_credentials};

/// A shorter secret is a word that anybody may use, as `x` or `key`.
const MIN_SECRET: usize = 4;
/// The beginning of a secret that counts wherever it is: servers cut what they repeat.
const MIN_BEGINNING: usize = 10;
/// The beginning of a secret that counts at the end of a text, where that may have been cut.
const MIN_AT_END: usize = 4;
/// Secrets as long are found also where blanks are between their characters, as in a folded line.
const MIN_BROKEN: usize = 8;
/// The most blanks between two characters of a secret.
const MAX_BLANKS: usize = 4;
/// How often a character is escaped at most, as in JSON within JSON.
const MAX_ESCAPES: usize = 8;
/// The first of several words of a header is a secret if it is as long; `Bearer` is none.
const MIN_WORD: usize = 8;

/// The secrets of one server, in all forms that are looked for.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    forms: Vec<SecretString>,
}

impl Secrets {
    /// Returns what is secret of an endpoint.
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let mut plain = Vec::new();
        let key = endpoint.key.as_ref();
        plain.extend(key.map(|key| key.expose_secret().trim().to_owned()));
        for (_, value) in &endpoint.headers {
            plain.extend(of_header(value.expose_secret().trim()));
        }
        plain.extend(of_url(&endpoint.base_url));
        if let Some(proxy) = &endpoint.proxy {
            plain.extend(of_url(proxy.expose_secret()));
        }
        Self::of_texts(plain)
    }

    /// Returns these secrets.
    pub fn of_texts(mut plain: Vec<String>) -> Self {
        plain.retain(|secret| secret.len() >= MIN_SECRET);
        let in_base64 = plain
            .iter()
            .flat_map(|secret| base64_forms(secret.as_bytes()));
        let mut forms: Vec<String> = in_base64.collect();
        forms.extend(plain);
        // The longest first: one may be the beginning of another.
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self {
            forms: forms.into_iter().map(SecretString::from).collect(),
        }
    }

    /// Returns a text as it may be shown: without secrets and without credentials in URLs, and then
    /// cut to one bounded line.
    pub(super) fn shown(&self, text: &str) -> String {
        one_line(&without_credentials(&self.taken_out(&flat(text))))
    }

    /// Returns a text without secrets.
    pub fn taken_out<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found = Vec::new();
        for form in &self.forms {
            let secret = form.expose_secret().as_bytes();
            let first = secret.first().copied();
            // Where a secret can begin, as it is or escaped: an answer of 16 MB is looked through for each form.
            let mut at = 0;
            while at < text.len() {
                let rest = text.as_bytes().slice(at..);
                let Some(skipped) = rest
                    .iter()
                    .position(|byte| first == Some(*byte) || matches!(byte, b'\\' | b'%' | b'&'))
                else {
                    break;
                };
                at += skipped;
                let end = end_of(text.as_bytes(), at, secret);
                let end = end.map(|end| text.ceil_char_boundary(end));
                if let Some(end) = end.filter(|_| text.is_char_boundary(at)) {
                    found.push(at..end);
                    at = end;
                } else {
                    at += 1;
                }
            }
        }
        replaced(text, found)
    }
}

/// Returns what is secret of a header's value: its words, but for a scheme such as `Bearer`, and the
/// password of `Basic`.
pub fn of_header(value: &str) -> Vec<String> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let scheme = words
        .first()
        .filter(|word| words.len() > 1 && word.len() < MIN_WORD);
    let words = words.iter().skip(usize::from(scheme.is_some()));
    let mut found: Vec<String> = words.map(|word| (*word).to_owned()).collect();
    let basic = value.split_once(' ');
    let basic = basic.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"));
    let user = basic.and_then(|(_, user)| STANDARD.decode(user.trim()).ok());
    let user = user.and_then(|user| String::from_utf8(user).ok());
    if let Some((_, password)) = user.as_deref().and_then(|user| user.split_once(':')) {
        found.push(password.to_owned());
    }
    found
}

/// Returns what is secret of a URL: the password, a name without one, and keys in its query.
pub fn of_url(text: &str) -> Vec<String> {
    let text = text.trim();
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        Url::parse(&format!("http://{text}"))
    };
    let Ok(url) = url else {
        return Vec::new();
    };
    let user = url.password().unwrap_or(url.username());
    let keys = url.query_pairs().filter(|(name, _)| is_secret_name(name));
    let mut found: Vec<String> = keys.map(|(_, value)| value.into_owned()).collect();
    found.push(percent_decoded(user));
    found
}

fn percent_decoded(text: &str) -> String {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, others)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| hex(others, 2)).flatten();
        let byte = escaped.and_then(|value| u8::try_from(value).ok());
        out.push(byte.unwrap_or(*first));
        rest = others
            .get(if byte.is_some() { 2 } else { 0 }..)
            .unwrap_or_default();
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Returns the characters of base64 that tell a secret's bytes, for each place that it can have in
/// three bytes: before it there may be a name and a colon.
fn base64_forms(secret: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for (before, shared) in [(0, 0), (1, 2), (2, 3)] {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret);
        // The last character may also tell of what comes after.
        let whole = bytes.len() * 8 / 6;
        for text in [
            STANDARD_NO_PAD.encode(&bytes),
            URL_SAFE_NO_PAD.encode(&bytes),
        ] {
            found.extend(text.get(shared..whole).map(str::to_owned));
        }
    }
    found
}

/// Returns where a secret that begins at `at` ends; nothing if none does. A part of it that is too
/// short to tell is none.
fn end_of(text: &[u8], at: usize, secret: &[u8]) -> Option<usize> {
    let (mut end, mut matched) = (at, 0);
    for byte in secret {
        let next = character(text, end, *byte).or_else(|| {
            let may_skip = matched > 0 && secret.len() >= MIN_BROKEN;
            character(text, may_skip.then(|| after_blanks(text, end))?, *byte)
        });
        let Some(next) = next else { break };
        (end, matched) = (next, matched + 1);
    }
    let is_whole = matched == secret.len();
    let counts = is_whole
        || matched >= MIN_BEGINNING
        || (matched >= MIN_AT_END && text.get(end..).unwrap_or_default().trim_ascii().is_empty());
    counts.then_some(end)
}

fn after_blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take(MAX_BLANKS)
        .take_while(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
        .count()
}

/// Returns the place after a byte of a secret, however it is escaped; nothing if another is there.
fn character(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    let rest = text.get(at..)?;
    let (first, others) = rest.split_first()?;
    if *first == byte {
        return Some(at + 1);
    }
    let value = u32::from(byte);
    let left = match first {
        b'\\' => {
            let inner = without_all(others, b"\\");
            match inner.split_first()? {
                (b'u', digits) if hex(digits, 4) == Some(value) => digits.get(4..),
                (b'x', digits) if hex(digits, 2) == Some(value) => digits.get(2..),
                (sign, left) if *sign == byte && !byte.is_ascii_alphanumeric() => Some(left),
                _ => None,
            }
        }
        b'%' => {
            let digits = without_all(others, b"25");
            (hex(digits, 2) == Some(value)).then(|| digits.get(2..))?
        }
        b'&' => entity(others, value),
        _ => None,
    }?;
    Some(text.len() - left.len())
}

/// Returns what follows a character reference of HTML without its `&`, if it stands for `value`.
fn entity(text: &[u8], value: u32) -> Option<&[u8]> {
    let end = text.iter().take(8).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(text.get(..end)?).ok()?;
    let stands_for = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        },
        None => u32::from(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => return None,
        }),
    };
    (stands_for == value).then(|| text.get(end + 1..))?
}

/// Reads this number of hexadecimal digits.
fn hex(text: &[u8], digits: usize) -> Option<u32> {
    let digits = std::str::from_utf8(text.get(..digits)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

/// Takes a beginning away as often as it is there, up to [`MAX_ESCAPES`] times.
fn without_all<'a>(text: &'a [u8], beginning: &[u8]) -> &'a [u8] {
    (0..MAX_ESCAPES).fold(text, |text, _| text.strip_prefix(beginning).unwrap_or(text))
}

#[cfg(test)]
mod tests;
