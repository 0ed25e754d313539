//! Request URLs, from any form of a configured address.
//!
//! In: a base URL with or without scheme, version, trailing slash or the full path. Out:
//! the addresses of its two entry points, and one that may be shown.

use std::net::IpAddr;

use reqwest::Url;

use crate::provider::Protocol;

/// The addresses of one server.
#[derive(Clone)]
pub(super) struct Addresses {
    /// Where chats are sent.
    pub(super) chat: Url,
    /// Where models are listed.
    pub(super) models: Url,
    /// Where a model is described, if anywhere.
    pub(super) show: Option<Url>,
    /// The base as it may be shown: without credentials and query.
    pub(super) shown: String,
    /// True if it cannot leave this machine.
    pub(super) is_loopback: bool,
}

impl Addresses {
    /// Returns the addresses under `base`, or what is wrong with it.
    pub(super) fn of(base: &str, protocol: Protocol, model: &str) -> Result<Self, String> {
        let url = parse(base.trim())?;
        let path = url.path().trim_end_matches('/');
        let root = root(path, protocol);
        let at = |path: &str| {
            let mut url = url.clone();
            url.set_path(path);
            url
        };
        let model = model.strip_prefix("models/").unwrap_or(model);
        let (chat, models) = match protocol {
            Protocol::Openai => (format!("{root}/chat/completions"), format!("{root}/models")),
            Protocol::Responses => (format!("{root}/responses"), format!("{root}/models")),
            Protocol::Anthropic => (format!("{root}/messages"), format!("{root}/models")),
            Protocol::Gemini => (
                format!("{root}/models/{model}:streamGenerateContent"),
                format!("{root}/models"),
            ),
            Protocol::Ollama => (format!("{root}/chat"), format!("{root}/tags")),
        };
        let mut chat = at(&chat);
        if protocol == Protocol::Gemini {
            chat.query_pairs_mut().append_pair("alt", "sse");
        }
        let show = (protocol == Protocol::Ollama).then(|| at(&format!("{root}/show")));
        Ok(Self {
            models: at(&models),
            show,
            shown: shown(at(&root)),
            is_loopback: is_loopback(&chat),
            chat,
        })
    }
}

/// Returns the path below which everything is.
fn root(path: &str, protocol: Protocol) -> String {
    let full = match protocol {
        Protocol::Openai => "/chat/completions",
        Protocol::Responses => "/responses",
        Protocol::Anthropic => "/messages",
        Protocol::Ollama => "/chat",
        Protocol::Gemini => "/models",
    };
    if let Some(root) = path.strip_suffix(full) {
        return root.to_owned();
    }
    if protocol == Protocol::Gemini
        && let Some((root, _)) = path.split_once("/models/")
    {
        return root.to_owned();
    }
    let is_root = match protocol {
        Protocol::Ollama => path.ends_with("/api"),
        _ => path.split('/').any(is_version),
    };
    let version = match protocol {
        Protocol::Gemini => "v1beta",
        Protocol::Ollama => "api",
        Protocol::Openai | Protocol::Responses | Protocol::Anthropic => "v1",
    };
    // An address for the other protocol of the same server names its version.
    let path = match protocol {
        Protocol::Ollama => path.strip_suffix("/v1").unwrap_or(path),
        _ => path,
    };
    if is_root {
        path.to_owned()
    } else {
        format!("{path}/{version}")
    }
}

/// Returns an address as it may be shown: without credentials and query, and of one that
/// cannot be parsed nothing but what may be its host and path.
pub fn shown_of(base: &str) -> String {
    match parse(base.trim()) {
        Ok(url) => shown(url),
        Err(_) => {
            let rest = base.rsplit('@').next().unwrap_or_default();
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            // Behind a colon may be a password whose host was forgotten.
            let authority = rest.split_once("://").map_or(rest, |(_, rest)| rest);
            let secret = authority
                .find(':')
                .map(|at| authority.get(at..).unwrap_or_default());
            rest.strip_suffix(secret.unwrap_or_default())
                .unwrap_or(rest)
                .to_owned()
        }
    }
}

fn parse(base: &str) -> Result<Url, String> {
    let url = match base.split_once("://") {
        Some(_) => Url::parse(base),
        None => Url::parse(&format!("http://{base}")).and_then(|url| {
            // Nobody means to send a key in the clear over a network.
            if is_loopback(&url) {
                Ok(url)
            } else {
                Url::parse(&format!("https://{base}"))
            }
        }),
    };
    let url = url.map_err(|error| error.to_string())?;
    match (url.scheme(), url.host_str()) {
        ("http" | "https", Some(_)) => Ok(url),
        (scheme, _) => Err(format!("{scheme} is no address of a web server")),
    }
}

fn shown(mut url: Url) -> String {
    // These fail only for addresses without a host, which `parse` refuses.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    if url.path().contains('@') {
        // Too few or too many slashes before them make a user and a password part of the path.
        url.set_path("");
    }
    url.to_string()
}

/// Tells whether a part of a path is a version, as `v1` or `v1beta`.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(base: &str) -> Result<Addresses, String> {
        Addresses::of(base, Protocol::Openai, "m")
    }

    #[test]
    fn every_protocol_has_its_entry_points() {
        let cases = [
            (
                Protocol::Responses,
                "https://a.com",
                "https://a.com/v1/responses",
            ),
            (
                Protocol::Responses,
                "https://a.com/v1/responses",
                "https://a.com/v1/responses",
            ),
            (
                Protocol::Anthropic,
                "https://a.com",
                "https://a.com/v1/messages",
            ),
            (
                Protocol::Anthropic,
                "https://a.com/anthropic",
                "https://a.com/anthropic/v1/messages",
            ),
            (
                Protocol::Gemini,
                "https://a.com",
                "https://a.com/v1beta/models/m:streamGenerateContent?alt=sse",
            ),
            (
                Protocol::Gemini,
                "https://a.com/v1/models/x:generateContent",
                "https://a.com/v1/models/m:streamGenerateContent?alt=sse",
            ),
            (
                Protocol::Ollama,
                "localhost:11434",
                "http://localhost:11434/api/chat",
            ),
            (
                Protocol::Ollama,
                "localhost:11434/v1",
                "http://localhost:11434/api/chat",
            ),
            (
                Protocol::Ollama,
                "localhost:11434/api/chat",
                "http://localhost:11434/api/chat",
            ),
        ];
        for (protocol, base, expected) in cases {
            let addresses = Addresses::of(base, protocol, "models/m").unwrap();
            assert_eq!(addresses.chat.as_str(), expected, "{base}");
        }
        let tags = Addresses::of("localhost:1/api", Protocol::Ollama, "m").unwrap();
        assert_eq!(tags.models.as_str(), "http://localhost:1/api/tags");
        let list = Addresses::of("https://a.com", Protocol::Gemini, "m").unwrap();
        assert_eq!(list.models.as_str(), "https://a.com/v1beta/models");
    }

    #[test]
    fn addresses_of_all_forms() {
        let cases = [
            (
                "http://localhost:8080",
                "http://localhost:8080/v1/chat/completions",
            ),
            (
                "http://localhost:8080/",
                "http://localhost:8080/v1/chat/completions",
            ),
            (
                "http://localhost:8080/v1",
                "http://localhost:8080/v1/chat/completions",
            ),
            (
                "http://localhost:8080/v1/",
                "http://localhost:8080/v1/chat/completions",
            ),
            (
                " localhost:8080 ",
                "http://localhost:8080/v1/chat/completions",
            ),
            (
                "127.0.0.1:1234/v1",
                "http://127.0.0.1:1234/v1/chat/completions",
            ),
            ("[::1]:1234", "http://[::1]:1234/v1/chat/completions"),
            (
                "api.example.com",
                "https://api.example.com/v1/chat/completions",
            ),
            (
                "https://a.com/api/v1/chat/completions",
                "https://a.com/api/v1/chat/completions",
            ),
            (
                "https://a.com/v1/chat/completions/",
                "https://a.com/v1/chat/completions",
            ),
            (
                "https://a.com/chat/completions",
                "https://a.com/chat/completions",
            ),
            (
                "https://a.com/v1beta/openai/",
                "https://a.com/v1beta/openai/chat/completions",
            ),
            (
                "https://a.com/gateway",
                "https://a.com/gateway/v1/chat/completions",
            ),
            (
                "https://a.com/v1?api-version=2",
                "https://a.com/v1/chat/completions?api-version=2",
            ),
        ];
        for (base, expected) in cases {
            assert_eq!(of(base).unwrap().chat.as_str(), expected, "{base}");
        }
    }

    #[test]
    fn models_are_beside_chats() {
        let models = |base| of(base).unwrap().models.to_string();
        assert_eq!(
            models("http://localhost:1/v1"),
            "http://localhost:1/v1/models"
        );
        assert_eq!(
            models("https://a.com/chat/completions"),
            "https://a.com/models"
        );
    }

    #[test]
    fn what_is_shown_holds_no_credentials() {
        for (base, expected) in [
            (
                "https://me:secret@a.com/v1?key=secret#secret",
                "https://a.com/v1",
            ),
            ("me:secret@a.com/v1", "https://a.com/v1"),
            ("https:/me:secret@a.com/v1", "https://https/"),
            ("https:me:secret@a.com/v1", "https://a.com/v1"),
            ("https:\\\\me:secret@a.com", "https://https/"),
            ("ftp://me:secret@a.com?secret", "a.com"),
            ("http://me:secret", "http://me"),
            ("http://me:sec/ret@a.com/x", "a.com/x"),
            ("http://a b?key=secret", "http://a b"),
        ] {
            let shown = of(base).map(|addresses| addresses.shown);
            assert_eq!(shown_of(base), expected, "{base}");
            assert_eq!(shown.unwrap_or(expected.to_owned()), expected, "{base}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (base, expected) in [
            ("localhost:1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:8", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example.com", false),
        ] {
            assert_eq!(of(base).unwrap().is_loopback, expected, "{base}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for base in [
            "",
            "  ",
            "ftp://a.com",
            "file:///etc",
            "http://",
            "http://a b/",
        ] {
            assert!(of(base).is_err(), "{base}");
        }
    }
}
