//! Addresses of the web, and which of them are elsewhere.
//!
//! In: text that a model wrote, or where a server says that a page went. Out: an address in one spelling, which rules are
//! matched with. `outside` tells which hosts may be asked: for pages, and for the sign-ins of `crates/mcp`.
//!
//! **Invariant:** only public addresses are asked, whatever a name leads to, but those of hosts that the user names.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use signoff_source::quote::one_line;

mod outside;

pub use outside::{OutsideHosts, causes, class_here};

/// The longest address, in bytes: an address carries data away as well.
const LONGEST: usize = 2048;

/// The address of a page: http or https, with a host, without a user, a password or a fragment.
#[derive(Clone, PartialEq, Eq)]
pub struct WebAddress {
    url: Url,
    host: String,
}

/// Why a text is no address of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is none at all.
    #[error("{0} is no address of a page; one begins with https://")]
    None(String),
    /// It names a user or holds a password.
    #[error("an address with a user or a password in it is not asked for")]
    Password,
    /// It is too long.
    #[error("an address has at most {LONGEST} bytes")]
    Long,
}

impl WebAddress {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > LONGEST {
            return Err(AddressError::Long);
        }
        let none = || AddressError::None(one_line(text, 100));
        Self::checked(Url::parse(text.trim()).map_err(|_unreadable| none())?, none)
    }

    /// Returns the address that `text` is, seen from this one.
    pub fn joined(&self, text: &str) -> Result<Self, AddressError> {
        if text.len() > LONGEST {
            return Err(AddressError::Long);
        }
        let none = || AddressError::None(one_line(text, 100));
        Self::checked(self.url.join(text).map_err(|_unreadable| none())?, none)
    }

    fn checked(mut url: Url, none: impl Fn() -> AddressError) -> Result<Self, AddressError> {
        let host = url.host_str().map(str::to_owned).ok_or_else(&none)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(none());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Password);
        }
        url.set_fragment(None);
        Ok(Self { url, host })
    }

    /// Returns the host's name, or its number.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns what has to be the same for two addresses to be on one server: how it is spoken to, its host and its port.
    pub fn origin(&self) -> (&str, &str, Option<u16>) {
        (
            self.url.scheme(),
            self.host(),
            self.url.port_or_known_default(),
        )
    }

    /// Returns the host's number, where the address has that for a name.
    fn ip(&self) -> Option<IpAddr> {
        let host = self.host();
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        bare.unwrap_or(host).parse().ok()
    }

    /// Returns the address as a request takes it.
    pub fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.as_str().fmt(f)
    }
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_spelling() {
        for (text, expected) in [
            ("https://docs.rs", "https://docs.rs/"),
            (" HTTPS://Docs.RS/a/../b#c ", "https://docs.rs/b"),
            ("http://127.1/x", "http://127.0.0.1/x"),
            ("http://0x7f000001/", "http://127.0.0.1/"),
            ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ] {
            assert_eq!(
                WebAddress::parse(text).unwrap().to_string(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for text in [
            "",
            "docs.rs",
            "file:///etc/passwd",
            "ftp://a/",
            "data:text/plain,a",
            "https://",
            "javascript:1",
        ] {
            let refused = WebAddress::parse(text);
            assert!(
                matches!(refused, Err(AddressError::None(_))),
                "{text}: {refused:?}"
            );
        }
        assert_eq!(
            WebAddress::parse("https://docs.rs@evil.example/"),
            Err(AddressError::Password)
        );
        assert_eq!(
            WebAddress::parse("https://:pw@docs.rs/"),
            Err(AddressError::Password)
        );
        let long = format!("https://a.example/?{}", "x".repeat(LONGEST));
        assert_eq!(WebAddress::parse(&long), Err(AddressError::Long));
    }

    #[test]
    fn a_page_that_moves_is_read_from_where_it_was() {
        let at = WebAddress::parse("https://a.example/x/y").unwrap();
        let joined = |text: &str| at.joined(text).map(|to| to.to_string());
        assert_eq!(joined("z"), Ok("https://a.example/x/z".to_owned()));
        assert_eq!(joined("//b.example"), Ok("https://b.example/".to_owned()));
        assert!(joined("file:///etc/passwd").is_err());
    }
}
