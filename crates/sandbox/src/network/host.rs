//! Hosts as programs name them, and patterns of hosts.
//!
//! ```text
//! Crates.IO.     crates.io, a name
//! 127.1          refused: a number in a form that programs and the system read differently
//! *.example.com  a.example.com and a.b.example.com; neither example.com nor aexample.com nor example.com.evil
//! ```

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The longest name that the Domain Name System has, in bytes, and the longest part of one.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// A host and a port, as a program asked for them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    host: Host,
    port: u16,
}

/// A name in small letters without a dot at its end, or a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Host {
    Name(String),
    Number(IpAddr),
}

/// Why a text names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// It is empty, too long, or has characters that no name has.
    #[error("it is no name of a host")]
    Name,
    /// It has letters beyond ASCII.
    #[error("a name beyond ASCII is written as `xn--...`")]
    Unicode,
    /// It is a number in an odd form, as `0177.0.0.1` or `2130706433`.
    #[error("an address is written as four decimal numbers, or in brackets")]
    OddNumber,
    /// The port is none.
    #[error("the port is a number from 1 to 65535")]
    Port,
}

impl Target {
    /// Reads a host, and its port.
    ///
    /// # Errors
    ///
    /// Says why it is none.
    pub fn new(host: &str, port: u16) -> Result<Self, HostError> {
        if port == 0 {
            return Err(HostError::Port);
        }
        let host = Host::parse(host)?;
        Ok(Self { host, port })
    }

    /// Reads `host:port`; without a port it is `default`, if there is one.
    ///
    /// # Errors
    ///
    /// Says why it is none.
    pub fn parse(text: &str, default: Option<u16>) -> Result<Self, HostError> {
        let (host, port) = split_port(text);
        let port = match port {
            Some(port) => parse_port(port)?,
            None => default.ok_or(HostError::Port)?,
        };
        Self::new(host, port)
    }

    /// Returns a target by its address.
    pub fn number(ip: IpAddr, port: u16) -> Result<Self, HostError> {
        Self::new(&ip.to_string(), port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the name or the number, as the system looks it up.
    pub fn host(&self) -> String {
        self.host.to_string()
    }

    /// Returns the number, where that is what was asked for.
    pub fn ip(&self) -> Option<IpAddr> {
        match self.host {
            Host::Name(_) => None,
            Host::Number(ip) => Some(ip),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        match host {
            Host::Number(IpAddr::V6(ip)) => write!(f, "[{ip}]:{port}"),
            _ => write!(f, "{host}:{port}"),
        }
    }
}

impl Host {
    fn parse(text: &str) -> Result<Self, HostError> {
        let bracketed = text.strip_prefix('[').and_then(|ip| ip.strip_suffix(']'));
        if let Some(ip) = bracketed.or_else(|| text.contains(':').then_some(text)) {
            let ip: Ipv6Addr = ip.parse().map_err(|_address| HostError::OddNumber)?;
            return Ok(Self::Number(ip.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        if !name.is_ascii() {
            return Err(HostError::Unicode);
        }
        let is_label = |label: &str| {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            (1..=LONGEST_LABEL).contains(&label.len()) && label.bytes().all(is_letter)
        };
        if name.len() > LONGEST_NAME || !name.split('.').all(is_label) {
            return Err(HostError::Name);
        }
        if !ends_in_number(&name) {
            return Ok(Self::Name(name));
        }
        let ip = name.parse().map_err(|_address| HostError::OddNumber)?;
        Ok(Self::Number(IpAddr::V4(ip)))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Number(ip) => ip.fmt(f),
        }
    }
}

/// Returns whether a system may read a name as an address: its last part is a number, as the URL standard has it.
fn ends_in_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let digits = last.strip_prefix("0x");
    last.bytes().all(|byte| byte.is_ascii_digit())
        || digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns a host and the text of its port. An address of the sixth version has its colons in brackets, or no port.
fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((host, port)) if host.ends_with(']') || !host.contains(':') => (host, Some(port)),
        _ => (text, None),
    }
}

fn parse_port(text: &str) -> Result<u16, HostError> {
    // As of `http://a.example` and `user:password@a.example`.
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(HostError::Name);
    }
    let port = text.parse().ok().filter(|port| *port != 0);
    port.ok_or(HostError::Port)
}

/// The hosts and ports that a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    hosts: Hosts,
    ports: Ports,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    /// Every name, and no number.
    AnyName,
    /// All names below a name.
    Below(String),
    /// This one.
    One(Host),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ports {
    /// Those of the web: 80 and 443. A host that is allowed is no way to its other services.
    Web,
    /// Every one.
    Any,
    /// This one.
    One(u16),
}

impl HostPattern {
    /// Reads a pattern: `host`, `*.host` or `*`, with `:port` or `:*` behind it for other ports than those of the web.
    ///
    /// # Errors
    ///
    /// Says why it is none.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let (host, port) = split_port(text);
        let ports = match port {
            None => Ports::Web,
            Some("*") => Ports::Any,
            Some(port) => Ports::One(parse_port(port)?),
        };
        let hosts = match (host, host.strip_prefix("*.")) {
            ("*", _) => Hosts::AnyName,
            (_, Some(above)) => match Host::parse(above)? {
                Host::Name(name) => Hosts::Below(name),
                Host::Number(_) => return Err(HostError::Name),
            },
            (host, None) => Hosts::One(Host::parse(host)?),
        };
        Ok(Self { hosts, ports })
    }

    /// Returns the pattern for one host and port alone.
    pub fn only(target: &Target) -> Self {
        Self {
            hosts: Hosts::One(target.host.clone()),
            ports: Ports::One(target.port),
        }
    }

    /// Returns whether a target is among them.
    pub fn matches(&self, target: &Target) -> bool {
        let is_port = match self.ports {
            Ports::Web => matches!(target.port, 80 | 443),
            Ports::Any => true,
            Ports::One(port) => port == target.port,
        };
        is_port && self.names(&target.host)
    }

    fn names(&self, host: &Host) -> bool {
        match (&self.hosts, host) {
            (Hosts::AnyName, host) => matches!(host, Host::Name(_)),
            (Hosts::Below(above), Host::Name(name)) => {
                let below = name.strip_suffix(above.as_str());
                below.is_some_and(|below| below.ends_with('.'))
            }
            (Hosts::Below(_), Host::Number(_)) => false,
            (Hosts::One(one), host) => one == host,
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hosts {
            Hosts::AnyName => f.write_str("*")?,
            Hosts::Below(name) => write!(f, "*.{name}")?,
            Hosts::One(Host::Number(IpAddr::V6(ip))) => write!(f, "[{ip}]")?,
            Hosts::One(host) => host.fmt(f)?,
        }
        match self.ports {
            Ports::Web => Ok(()),
            Ports::Any => f.write_str(":*"),
            Ports::One(port) => write!(f, ":{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        let long = format!("{}.example", "a".repeat(64));
        for (text, expected) in [
            ("crates.io:443", Ok("crates.io:443")),
            ("Crates.IO.:443", Ok("crates.io:443")),
            ("crates.io..:443", Err(HostError::Name)),
            (".crates.io:443", Err(HostError::Name)),
            ("a_b.example:8443", Ok("a_b.example:8443")),
            ("xn--bcher-kva.example:443", Ok("xn--bcher-kva.example:443")),
            ("bücher.example:443", Err(HostError::Unicode)),
            ("crates.io\u{200b}:443", Err(HostError::Unicode)),
            ("crates.io\0.evil.example:443", Err(HostError::Name)),
            ("crates.io%2eevil.example:443", Err(HostError::Name)),
            ("crates.io@evil.example:443", Err(HostError::Name)),
            ("crates.io/x:443", Err(HostError::Name)),
            ("crates.io evil.example:443", Err(HostError::Name)),
            ("crates.io", Err(HostError::Port)),
            ("crates.io:0", Err(HostError::Port)),
            ("crates.io:65536", Err(HostError::Port)),
            ("crates.io:+443", Err(HostError::Name)),
            ("crates.io:", Err(HostError::Name)),
            ("", Err(HostError::Port)),
            (":443", Err(HostError::Name)),
            ("1.1.1.1:443", Ok("1.1.1.1:443")),
            ("1.1.1.1.:443", Ok("1.1.1.1:443")),
            ("127.1:80", Err(HostError::OddNumber)),
            ("0177.0.0.1:80", Err(HostError::OddNumber)),
            ("2130706433:80", Err(HostError::OddNumber)),
            ("0x7f000001:80", Err(HostError::OddNumber)),
            ("0x7f.0.0.0x1:80", Err(HostError::OddNumber)),
            ("a.example.1:80", Err(HostError::OddNumber)),
            ("1.1.1.1.1:80", Err(HostError::OddNumber)),
            ("[::1]:80", Ok("[::1]:80")),
            ("[0:0::1]:80", Ok("[::1]:80")),
            ("[fe80::1%eth0]:80", Err(HostError::OddNumber)),
            ("[::1:80", Err(HostError::Port)),
            (&format!("{long}:443"), Err(HostError::Name)),
        ] {
            let read = Target::parse(text, None).map(|target| target.to_string());
            assert_eq!(read, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn patterns_end_at_the_dots_of_names() {
        for (pattern, target, expected) in [
            ("example.com", "example.com:443", true),
            ("example.com", "EXAMPLE.com.:80", true),
            ("example.com", "example.com:22", false),
            ("example.com:22", "example.com:22", true),
            ("example.com:22", "example.com:443", false),
            ("example.com:*", "example.com:6667", true),
            ("example.com", "www.example.com:443", false),
            ("example.com", "example.com.evil:443", false),
            ("*.example.com", "a.example.com:443", true),
            ("*.example.com", "a.b.example.com:443", true),
            ("*.example.com", "example.com:443", false),
            ("*.example.com", "aexample.com:443", false),
            ("*.example.com", "a.example.com.evil:443", false),
            ("*", "a.example:443", true),
            ("*", "a.example:22", false),
            ("*", "1.1.1.1:443", false),
            ("*:*", "[::1]:443", false),
            ("1.1.1.1", "1.1.1.1:443", true),
            ("[::1]:80", "[0::1]:80", true),
        ] {
            let read = HostPattern::parse(pattern).unwrap();
            let target = Target::parse(target, None).unwrap();
            assert_eq!(read.matches(&target), expected, "{pattern} {target}");
            assert_eq!(read.to_string(), pattern);
        }
        for text in [
            "",
            "*.",
            "a.*.example",
            "*example.com",
            "*.1.1.1.1",
            "a:b",
            "a:0",
            "**",
            "http://a.example",
        ] {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }
}
