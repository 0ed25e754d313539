//! Credentials in URLs: user information, and keys in queries.
//!
//! In: any text. Out: the same text without the credentials of the URLs in it. A password that
//! breaks the URL that it is in, as one with a `/`, is found as well.

use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a secret.
pub(crate) const MARK: &str = "[secret]";

/// A user name without a password is a token if it has as many characters; `git@` is none.
const MIN_TOKEN: usize = 16;

/// No longer user name and password are looked for, in bytes.
const MAX_URL: usize = 8 << 10;

/// Query parameters whose values are secrets.
const NAMES: [&str; 7] = ["auth", "code", "key", "pass", "pw", "pwd", "sig"];
/// Beginnings, middles and ends of the names of further ones.
const NAME_PARTS: [&str; 10] = [
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "credential",
    "passw",
    "secret",
    "signature",
    "token",
];

/// Returns `text` with `[secret]` in the place of the credentials of URLs in it.
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut found = users(text);
    found.extend(parameters(text));
    replaced(text, found)
}

/// Tells whether a URL in `text` holds credentials.
pub fn has_credentials(text: &str) -> bool {
    !users(text).is_empty() || !parameters(text).is_empty()
}

/// Tells whether the value of a query parameter, a header or a variable is a secret, by its name.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || NAME_PARTS.iter().any(|part| name.contains(part))
}

/// Replaces ranges of a text, which may overlap, by [`MARK`].
pub(crate) fn replaced(text: &str, mut found: Vec<Range<usize>>) -> Cow<'_, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|range| range.start);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for range in found {
        if range.start >= done {
            out.push_str(text.get(done..range.start).unwrap_or_default());
            out.push_str(MARK);
        }
        done = done.max(range.end);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns where the user information of URLs is that holds a secret.
fn users(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, scheme) in text.match_indices("://") {
        let start = at + scheme.len();
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        if let Some(user) = user(beginning(text, start)) {
            found.push(start..start + user.len());
        }
    }
    found
}

/// Returns the user information of what follows `://`, if it holds a secret.
fn user(text: &str) -> Option<&str> {
    let authority = text
        .split(|c| ends_url(c) || matches!(c, '/' | '\\' | '?' | '#'))
        .next()
        .unwrap_or_default();
    let port = authority.rsplit_once(':').map(|(_, port)| port);
    let is_host =
        authority.starts_with('[') || port.is_none_or(|p| p.bytes().all(|b| b.is_ascii_digit()));
    let (user, _) = match authority.rsplit_once('@') {
        None if !is_host => text
            .split(ends_url)
            .next()
            .unwrap_or_default()
            .rsplit_once('@'),
        split => split,
    }?;
    let is_secret = match user.split_once(':') {
        Some((name, password)) => !password.is_empty() || name.len() >= MIN_TOKEN,
        None => user.len() >= MIN_TOKEN,
    };
    is_secret.then_some(user)
}

/// Returns where the values of query parameters are that are secrets.
fn parameters(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, sign) in text.match_indices(['?', '&', ';', '#']) {
        let start = at + sign.len();
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let is_name =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let Some(value) = rest.strip_prefix('=') else {
            continue;
        };
        if !is_secret_name(name) {
            continue;
        }
        let value = value
            .split(|c| ends_url(c) || matches!(c, '&' | ';' | '#'))
            .next()
            .unwrap_or_default();
        if !value.is_empty() {
            let start = start + end + 1;
            found.push(start..start + value.len());
        }
    }
    found
}

/// Returns as much of a text from a place on as is looked at.
fn beginning(text: &str, start: usize) -> &str {
    let end = text.floor_char_boundary(start.saturating_add(MAX_URL));
    text.get(start..end).unwrap_or_default()
}

fn ends_url(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out_and_the_rest_stays() {
        for (text, expected) in [
            ("http://me:pw@a.com/x", "http://[secret]@a.com/x"),
            ("at 'HTTPS://me:pw@a.com'.", "at 'HTTPS://[secret]@a.com'."),
            ("http://:pw@a.com", "http://[secret]@a.com"),
            ("http://me:p@ss@a.com", "http://[secret]@a.com"),
            ("http://me:p/s?s#x@a.com/y", "http://[secret]@a.com/y"),
            ("socks5h://me:pw@[::1]:80", "socks5h://[secret]@[::1]:80"),
            (
                "https://ghp_0123456789abcdef@a.com",
                "https://[secret]@a.com",
            ),
            (
                "https://sk_live_0123456789:@a.com",
                "https://[secret]@a.com",
            ),
            (
                "https://u:p@a,direct https://u:q@b",
                "https://[secret]@a,direct https://[secret]@b",
            ),
            (
                "https://a.com/v1?key=K&x=1",
                "https://a.com/v1?key=[secret]&x=1",
            ),
            (
                "/login?next=/&api_key=K#t",
                "/login?next=/&api_key=[secret]#t",
            ),
            ("a?X-Amz-Signature=K", "a?X-Amz-Signature=[secret]"),
            ("a#access_token=K;b", "a#access_token=[secret];b"),
            (
                "jdbc:x://h/d?user=u&password=K",
                "jdbc:x://h/d?user=u&password=[secret]",
            ),
        ] {
            assert_eq!(without_credentials(text), expected);
            assert!(has_credentials(text), "{text}");
        }
    }

    #[test]
    fn other_urls_stay_as_they_are() {
        for text in [
            "http://localhost:8080/v1",
            "http://[::1]/a@b",
            "http://a.com:80/@types/node",
            "ssh://git@a.com/x",
            "https://a.com?api-version=2",
            "keyboard=1&monkey=2",
            "key=value",
            "a ? b : c @ d",
            "://",
            "x://@",
            "?key=",
            "",
        ] {
            assert_eq!(without_credentials(text), text);
            assert!(!has_credentials(text), "{text}");
        }
    }
}
