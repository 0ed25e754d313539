//! Where a server's requests go, whatever form of its address was configured.
//!
//! In: a base URL with or without scheme, version, trailing slash or the full path. Out:
//! the addresses of its two entry points, and one that may be shown.

use std::net::IpAddr;

use reqwest::Url;

/// The addresses of one server.
#[derive(Clone)]
pub(super) struct Addresses {
    /// Where chats are sent.
    pub(super) chat: Url,
    /// Where models are listed.
    pub(super) models: Url,
    /// The base as it may be shown: without credentials and query.
    pub(super) shown: String,
    /// True if it cannot leave this machine.
    pub(super) is_loopback: bool,
}

impl Addresses {
    /// Returns the addresses under `base`, or what is wrong with it.
    pub(super) fn of(base: &str) -> Result<Self, String> {
        let url = parse(base.trim())?;
        let path = url.path().trim_end_matches('/');
        let root = match path.strip_suffix("/chat/completions") {
            Some(root) => root.to_owned(),
            None if path.split('/').any(is_version) => path.to_owned(),
            None => format!("{path}/v1"),
        };
        let at = |path: &str| {
            let mut url = url.clone();
            url.set_path(path);
            url
        };
        let chat = at(&format!("{root}/chat/completions"));
        Ok(Self {
            models: at(&format!("{root}/models")),
            shown: shown(at(&root)),
            is_loopback: is_loopback(&chat),
            chat,
        })
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
            assert_eq!(
                Addresses::of(base).unwrap().chat.as_str(),
                expected,
                "{base}"
            );
        }
    }

    #[test]
    fn models_are_beside_chats() {
        let models = |base| Addresses::of(base).unwrap().models.to_string();
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
        let addresses = Addresses::of("https://me:secret@a.com/v1?key=secret#secret").unwrap();
        assert_eq!(addresses.shown, "https://a.com/v1");
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
            assert_eq!(Addresses::of(base).unwrap().is_loopback, expected, "{base}");
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
            assert!(Addresses::of(base).is_err(), "{base}");
        }
    }
}
