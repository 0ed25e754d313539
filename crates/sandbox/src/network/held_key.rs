//! Keys that programs use and do not have: a request to the listener itself goes to the key's host, with the key.
//!
//! In: the head of a request, with a placeholder where the key would be. Out: the head as the host gets it.
//!
//! ```text
//! POST /v1/messages HTTP/1.1          POST /v1/messages HTTP/1.1
//! Host: 127.0.0.1:1000                Host: api.anthropic.com
//! x-api-key: signoff-0198...     ->   x-api-key: sk-ant-...
//! Cookie: a=b                         Accept-Encoding: identity
//! Accept-Encoding: gzip               Connection: close
//! ```
//!
//! **Invariant:** a key is written to connections with its own host alone, into one head of each; what a program sends
//! behind that head goes out as it is.

use std::fmt;

use super::host::{HostError, Target};
use super::request::{DROPPED, Form, Request};

/// Headers in which services take a key. With their placeholder, the key stands in the same place.
const OF_KEYS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];
/// Headers that say who asks. The key's host gets none of the program's own.
const OF_SIGN_INS: [&str; 5] = [
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "cookie",
];
/// An answer that is compressed could not be searched for the key.
const ENCODINGS: &str = "accept-encoding";
/// How a header says that a token follows.
const BEARER: &str = "bearer ";
/// The shortest text that is taken out of answers, in bytes: keys of services have 32 and more, and gateways of one's own take
/// words as `dummy`, which models say as well.
const SHORTEST_SECRET: usize = 16;

/// A key, its host, and what programs have in its place.
#[derive(Clone, PartialEq, Eq)]
pub struct HeldKey {
    /// Where it is from, in words.
    name: String,
    key: String,
    placeholder: String,
    target: Target,
    is_secured: bool,
    is_named: bool,
    path: String,
}

impl fmt::Debug for HeldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeldKey({} for {})", self.name, self.target)
    }
}

/// Why a key cannot be held.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeldKeyError {
    /// It has characters that no header has.
    #[error("{0} cannot be sent: it has blanks, or characters beyond ASCII")]
    Key(String),
    /// Its address is none of HTTP.
    #[error("the address in {0} begins with neither https:// nor http://")]
    Scheme(String),
    /// Its address names no host.
    #[error("the address in {name} names no host: {error}")]
    Host {
        /// What holds the address.
        name: String,
        /// Why.
        error: HostError,
    },
}

/// The address below which a service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceAddress {
    /// The service's own.
    Public(&'static str),
    /// One that the user named: its host may be on this machine or in its network.
    Named {
        /// What holds it, in words.
        by: String,
        /// `https://gateway.example/anthropic`
        address: String,
    },
}

impl HeldKey {
    /// Returns a key for a service. `name` says where the key is from.
    ///
    /// # Errors
    ///
    /// Fails if the key cannot be in a header, or the address names no host. Neither is repeated.
    pub fn new(
        name: String,
        key: &str,
        service: &ServiceAddress,
        placeholder: String,
    ) -> Result<Self, HeldKeyError> {
        let key = key.trim().to_owned();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(HeldKeyError::Key(name));
        }
        let (by, address) = match service {
            ServiceAddress::Public(address) => ("the table of services", *address),
            ServiceAddress::Named { by, address } => (by.as_str(), address.trim()),
        };
        let (is_secured, rest) = match address.split_once("://") {
            Some(("https", rest)) => (true, rest),
            Some(("http", rest)) => (false, rest),
            _ => return Err(HeldKeyError::Scheme(by.to_owned())),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let port = if is_secured { 443 } else { 80 };
        let target = Target::parse(authority, Some(port)).map_err(|error| HeldKeyError::Host {
            name: by.to_owned(),
            error,
        })?;
        Ok(Self {
            name,
            key,
            placeholder,
            target,
            is_secured,
            is_named: matches!(service, ServiceAddress::Named { .. }),
            path: path.trim_end_matches('/').to_owned(),
        })
    }

    /// Returns what programs have in its place.
    pub fn placeholder(&self) -> &str {
        &self.placeholder
    }

    /// Returns the address of the service as programs have it, by the port of their listener.
    pub fn address(&self, port: u16) -> String {
        format!("http://127.0.0.1:{port}{}", self.path)
    }

    /// Returns a text of the user's as programs find it: with the placeholder for the key, and its end for the key's end, by
    /// which Claude Code knows a key again.
    pub fn hide_in(&self, text: &str) -> String {
        /// Characters of a key's end that are kept there.
        const END: usize = 20;
        let end = |text: &str| {
            text.get(text.len().saturating_sub(END)..)
                .map(str::to_owned)
        };
        let whole = text.replace(&self.key, &self.placeholder);
        match (end(&self.key), end(&self.placeholder)) {
            (Some(own), Some(theirs)) if self.is_secret() => whole.replace(&own, &theirs),
            _ => whole,
        }
    }

    /// Returns where it is from, in words.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the host and port that it is for.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Returns whether its host is spoken to by TLS.
    pub(super) fn is_secured(&self) -> bool {
        self.is_secured
    }

    /// Returns whether the user named its host, which may be on this machine then.
    pub(super) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns what is taken out of answers, if anything is.
    pub(super) fn secret(&self) -> Option<&[u8]> {
        self.is_secret().then_some(self.key.as_bytes())
    }

    fn is_secret(&self) -> bool {
        self.key.len() >= SHORTEST_SECRET
    }

    fn host_header(&self) -> String {
        let whole = self.target.to_string();
        let usual = if self.is_secured { ":443" } else { ":80" };
        whole.strip_suffix(usual).unwrap_or(&whole).to_owned()
    }

    /// Returns a value of a header with the key, if it is the placeholder.
    fn fill(&self, value: &str) -> Option<String> {
        let has_scheme = value
            .get(..BEARER.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(BEARER));
        let token = if has_scheme {
            value.split_at(BEARER.len()).1
        } else {
            value
        };
        let scheme = if has_scheme { "Bearer " } else { "" };
        (token.trim() == self.placeholder).then(|| format!("{scheme}{}", self.key))
    }
}

/// Reads the head of a request to the listener itself; `rest` is what came behind it. Its first line is `line`.
pub(super) fn request(
    keys: &[HeldKey],
    line: [&str; 3],
    headers: &[&str],
    rest: &[u8],
) -> Result<Request, String> {
    let [method, path, version] = line;
    if !version.starts_with("HTTP/1.") || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("a request begins with a method, an address and a version".to_owned());
    }
    // Its answer repeats the request.
    if method == "TRACE" {
        return Err("TRACE is not passed on".to_owned());
    }
    let headers = headers.iter().map(|line| header(line));
    let headers: Vec<(&str, &str)> = headers.collect::<Result<_, _>>()?;
    let of_keys = headers.iter().filter(|(name, _)| is_one_of(name, &OF_KEYS));
    let filled = of_keys.clone().find_map(|(name, value)| {
        let mut keys = keys.iter();
        keys.find_map(|key| Some((key, *name, key.fill(value)?)))
    });
    let Some((key, filled, value)) = filled else {
        return Err(
            "this address is for programs that have a placeholder in place of a key, and the request has none of this run"
                .to_owned(),
        );
    };
    let upgrade = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("upgrade"));
    // One head a connection: the key is in no other. A WebSocket has one anyway.
    let ending = upgrade.map_or_else(
        || "Connection: close".to_owned(),
        |(_, protocol)| format!("Connection: Upgrade\r\nUpgrade: {protocol}"),
    );
    let host = key.host_header();
    let mut first = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in &headers {
        let is_dropped = is_one_of(name, &DROPPED) || is_one_of(name, &OF_SIGN_INS);
        if !is_dropped && !name.eq_ignore_ascii_case(ENCODINGS) {
            first.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    first.push_str(&format!(
        "{filled}: {value}\r\nAccept-Encoding: identity\r\n{ending}\r\n\r\n"
    ));
    Ok(Request {
        target: key.target.clone(),
        form: Form::Plain,
        first: [first.as_bytes(), rest].concat(),
        key: Some(key.clone()),
    })
}

/// Reads a line of a head. Hosts read odd ones differently, as those with a blank before the colon.
fn header(line: &str) -> Result<(&str, &str), String> {
    let (name, value) = line.split_once(':').unwrap_or((line, "\0"));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_value = |byte: u8| byte == b'\t' || !byte.is_ascii_control();
    if name.is_empty() || !name.bytes().all(is_name) || !value.bytes().all(is_value) {
        return Err("a header is a name, a colon and a value".to_owned());
    }
    Ok((name, value.trim()))
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Takes a key out of an answer while it passes: each of its bytes becomes a star, so that lengths stay true.
#[derive(Debug)]
pub(super) struct KeyFilter<'a> {
    secret: Option<&'a [u8]>,
    /// The end of what came, as far as it may be the beginning of the key.
    held: Vec<u8>,
}

impl<'a> KeyFilter<'a> {
    /// Returns a filter for the answers of a key's host.
    pub(super) fn new(key: &'a HeldKey) -> Self {
        Self {
            secret: key.secret(),
            held: Vec::new(),
        }
    }

    /// Passes a piece on, but for an end that may be the beginning of the key.
    pub(super) fn pass(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let Some(secret) = self.secret else {
            out.extend_from_slice(piece);
            return;
        };
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let mut from = 0;
        while let Some(at) = find(bytes.get(from..).unwrap_or(&[]), secret) {
            let end = from + at + secret.len();
            let own = bytes.get_mut(from + at..end);
            own.into_iter().flatten().for_each(|byte| *byte = b'*');
            from = end;
        }
        let longest = bytes.len().min(secret.len() - 1);
        let held = (1..=longest).rev().find(|length| {
            let end = bytes.get(bytes.len() - length..);
            end == secret.get(..*length)
        });
        self.held = bytes.split_off(bytes.len() - held.unwrap_or(0));
        out.append(&mut bytes);
    }

    /// Passes on what is left at the end.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.held);
    }
}

fn find(bytes: &[u8], secret: &[u8]) -> Option<usize> {
    bytes.windows(secret.len()).position(|own| own == secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-ant-0123456789abcdef";
    const PLACEHOLDER: &str = "signoff-fedcba9876543210fedcba9876543210";

    fn held(address: &str) -> Result<HeldKey, HeldKeyError> {
        let service = ServiceAddress::Named {
            by: "$BASE".to_owned(),
            address: address.to_owned(),
        };
        HeldKey::new("$KEY".to_owned(), KEY, &service, PLACEHOLDER.to_owned())
    }

    fn read(line: &str, headers: &[&str]) -> Result<String, String> {
        let line = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let keys = [held("https://a.example").unwrap()];
        let request = request(&keys, line, headers, b"rest")?;
        Ok(String::from_utf8(request.first).unwrap())
    }

    #[test]
    fn an_address_is_the_users_or_an_error_without_it() {
        for (address, inside) in [
            ("https://a.example", "http://127.0.0.1:1000"),
            ("https://a.example/v1/", "http://127.0.0.1:1000/v1"),
            ("http://127.0.0.1:4000/x/y", "http://127.0.0.1:1000/x/y"),
        ] {
            assert_eq!(held(address).unwrap().address(1000), inside);
        }
        for address in [
            "a.example",
            "ftp://a.example",
            "https://",
            "https://u:p@a.example",
        ] {
            let error = held(address).unwrap_err().to_string();
            assert!(error.contains("$BASE") && !error.contains("u:p"), "{error}");
        }
        for key in ["", "a b", "a\r\nb: c", "ü"] {
            let service = ServiceAddress::Public("https://a.example");
            assert!(HeldKey::new(String::new(), key, &service, String::new()).is_err());
        }
        assert!(!format!("{:?}", held("https://a.example")).contains(KEY));
    }

    #[test]
    fn the_key_stands_where_its_placeholder_was_and_nothing_else_says_who_asks() {
        let end = "Accept-Encoding: identity\r\nConnection: close\r\n\r\nrest";
        for (headers, expected) in [
            (
                vec![
                    format!("x-api-key: {PLACEHOLDER}"),
                    "Upgrade: websocket".to_owned(),
                ],
                format!("x-api-key: {KEY}\r\n"),
            ),
            (
                vec![format!("x-api-key: {PLACEHOLDER}")],
                format!("x-api-key: {KEY}\r\n"),
            ),
            (
                vec![format!("Authorization:bearer {PLACEHOLDER} ")],
                format!("Authorization: Bearer {KEY}\r\n"),
            ),
            (
                vec![
                    "Host: b.example".to_owned(),
                    "Cookie: a=b".to_owned(),
                    "Authorization: Basic x".to_owned(),
                    "X-Api-Key: other".to_owned(),
                    "Connection: keep-alive, x-goog-api-key".to_owned(),
                    "Accept-Encoding: gzip".to_owned(),
                    "Content-Length: 4".to_owned(),
                    format!("x-goog-api-key: {PLACEHOLDER}"),
                    format!("x-api-key: {PLACEHOLDER}"),
                ],
                format!("Content-Length: 4\r\nx-goog-api-key: {KEY}\r\n"),
            ),
        ] {
            let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
            let upgraded = end.replace("close", "Upgrade\r\nUpgrade: websocket");
            let is_upgraded = headers.contains(&"Upgrade: websocket");
            let end = if is_upgraded { &upgraded } else { end };
            let expected = format!("POST /v1 HTTP/1.1\r\nHost: a.example\r\n{expected}{end}");
            assert_eq!(read("POST /v1 HTTP/1.1", &headers).unwrap(), expected);
        }
    }

    #[test]
    fn what_has_no_placeholder_or_is_read_in_two_ways_is_refused() {
        let own = format!("x-api-key: {PLACEHOLDER}");
        for (line, headers) in [
            ("POST / HTTP/1.1", vec![]),
            ("POST / HTTP/1.1", vec!["x-api-key: other"]),
            (
                "POST / HTTP/1.1",
                vec!["x-api-key: sk-ant-0123456789abcdef"],
            ),
            ("TRACE / HTTP/1.1", vec![own.as_str()]),
            ("GET / HTTP/2", vec![&own]),
            ("GET /\u{e9} HTTP/1.1", vec![&own]),
            ("GET / HTTP/1.1", vec![&own, "a\nHost: b.example"]),
            ("GET / HTTP/1.1", vec![&own, "a: b\nHost: b.example"]),
            ("GET / HTTP/1.1", vec![&own, "a: b\rc: d"]),
            ("GET / HTTP/1.1", vec![&own, " folded: x"]),
            ("GET / HTTP/1.1", vec![&own, "Host : b.example"]),
            ("GET / HTTP/1.1", vec![&own, "no header"]),
        ] {
            assert!(read(line, &headers).is_err(), "{line} {headers:?}");
        }
    }

    #[test]
    fn a_key_that_an_answer_repeats_is_taken_out_wherever_pieces_end() {
        let key = held("https://a.example").unwrap();
        let stars = "*".repeat(KEY.len());
        let answer = format!("x: {KEY}\r\n\r\nsk-ant-012{KEY}{KEY}sk-ant-");
        let expected = format!("x: {stars}\r\n\r\nsk-ant-012{stars}{stars}sk-ant-");
        for size in 1..answer.len() {
            let (mut filter, mut out) = (KeyFilter::new(&key), Vec::new());
            for piece in answer.as_bytes().chunks(size) {
                filter.pass(piece, &mut out);
            }
            filter.finish(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{size}");
        }
        // What cannot be the beginning of the key is not held back: streams are read as they come.
        let (mut filter, mut out) = (KeyFilter::new(&key), Vec::new());
        filter.pass(b"data: {}\n\n", &mut out);
        assert_eq!(out, b"data: {}\n\n");
        let word = ServiceAddress::Public("https://a.example");
        let word = HeldKey::new(String::new(), "dummy", &word, String::new()).unwrap();
        assert_eq!(word.secret(), None);
    }

    #[test]
    fn a_text_of_the_users_has_the_placeholder() {
        let key = held("https://a.example").unwrap();
        let text = format!("{{\"approved\": [\"{}\"], \"key\": \"{KEY}\"}}", &KEY[3..]);
        let expected = format!(
            "{{\"approved\": [\"{}\"], \"key\": \"{PLACEHOLDER}\"}}",
            &PLACEHOLDER[PLACEHOLDER.len() - 20..]
        );
        assert_eq!(key.hide_in(&text), expected);
    }
}
