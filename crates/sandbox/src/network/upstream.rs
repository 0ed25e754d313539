//! The proxy of the user's own network, if there is one: connections to hosts go through it.
//!
//! In: the variables that name it. Out: a connection to a host by `CONNECT`. The proxy looks names up, so that nothing is
//! known of a host's addresses here: rules judge its name alone.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use signoff_source::percent;

use super::host::Target;
use super::request::{SPOKEN, read_head};

/// The port of a proxy that is named without one, as curl has it.
const USUAL_PORT: u16 = 1080;

/// Proxies by what they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upstream {
    proxy: Option<Proxy>,
    /// Hosts that are reached without it: names, and what is below them. `*` is all.
    direct: Vec<String>,
}

#[derive(Clone, PartialEq, Eq)]
struct Proxy {
    address: Target,
    /// User and password, as they are sent.
    sign_in: Option<String>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({})", self.address)
    }
}

/// A proxy that cannot be gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the proxy that {0} names is none of HTTP: `http://host:port` is; without it hosts cannot be reached"
)]
pub struct UpstreamError(&'static str);

impl Upstream {
    /// Reads the variables that name a proxy.
    ///
    /// # Errors
    ///
    /// Fails if one is named that cannot be gone through: nothing goes past it.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, UpstreamError> {
        let either = |small: &'static str, large: &'static str| {
            let found = variable(small).map(|value| (small, value));
            let found = found.or_else(|| variable(large).map(|value| (large, value)));
            found.filter(|(_, value)| !value.trim().is_empty())
        };
        let named =
            either("https_proxy", "HTTPS_PROXY").or_else(|| either("all_proxy", "ALL_PROXY"));
        let proxy = named
            .map(|(name, value)| Proxy::parse(value.trim()).ok_or(UpstreamError(name)))
            .transpose()?;
        let direct = either("no_proxy", "NO_PROXY").map(|(_, value)| value);
        let direct = direct.iter().flat_map(|value| value.split(','));
        let direct = direct.map(|host| host.trim().trim_start_matches('.').to_ascii_lowercase());
        Ok(Self {
            proxy,
            direct: direct.filter(|host| !host.is_empty()).collect(),
        })
    }

    /// Returns a connection to a target through the proxy, with what the host said so far; none where the target is reached
    /// without it.
    ///
    /// # Errors
    ///
    /// Fails if the proxy is not reached or refuses.
    pub(super) fn connect(
        &self,
        target: &Target,
        patience: Duration,
    ) -> Option<io::Result<(TcpStream, Vec<u8>)>> {
        let proxy = self.proxy.as_ref()?;
        let host = target.host();
        let is_direct = self.direct.iter().any(|direct| {
            let below = host.strip_suffix(direct.as_str());
            direct == "*" || below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
        });
        (!is_direct).then(|| proxy.connect(target, patience))
    }
}

impl Proxy {
    /// Reads `http://user:password@host:port`; scheme, user and port may be missing.
    fn parse(text: &str) -> Option<Self> {
        let rest = match text.split_once("://") {
            Some((scheme, rest)) => scheme.eq_ignore_ascii_case("http").then_some(rest)?,
            None => text,
        };
        let rest = rest.trim_end_matches('/');
        let (user, host) = match rest.rsplit_once('@') {
            Some((user, host)) => (Some(percent::decoded(user)?), host),
            None => (None, rest),
        };
        Some(Self {
            address: Target::parse(host, Some(USUAL_PORT)).ok()?,
            sign_in: user.map(|user| BASE64_STANDARD.encode(user)),
        })
    }

    fn connect(&self, target: &Target, patience: Duration) -> io::Result<(TcpStream, Vec<u8>)> {
        let addresses = (self.address.host(), self.address.port()).to_socket_addrs()?;
        let addresses: Vec<_> = addresses.collect();
        let mut stream = super::broker::connect_to_first(&addresses, patience)?;
        stream.set_read_timeout(Some(patience))?;
        let early = ask_as(&mut stream, target, self.sign_in.as_deref())?;
        stream.set_read_timeout(None)?;
        Ok((stream, early))
    }
}

/// Asks a proxy for a connection to a target. Returns what the host said so far: some speak first, as those of SSH.
pub(crate) fn ask(stream: &mut (impl Read + Write), target: &Target) -> io::Result<Vec<u8>> {
    ask_as(stream, target, None)
}

fn ask_as(
    stream: &mut (impl Read + Write),
    target: &Target,
    sign_in: Option<&str>,
) -> io::Result<Vec<u8>> {
    let sign_in = sign_in.map(|user| format!("Proxy-Authorization: Basic {user}\r\n"));
    let sign_in = sign_in.as_deref().unwrap_or("");
    // In one piece: each piece of a format is a packet of its own, and a proxy that answers the first may be gone by the last.
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{sign_in}\r\n");
    stream.write_all(request.as_bytes())?;
    let (head, early) = read_head(stream, Vec::new())?;
    let status = head.split(|byte| *byte == b' ').nth(1).unwrap_or(&[]);
    let status = str::from_utf8(status)
        .ok()
        .and_then(|status| status.parse::<u16>().ok());
    match status {
        Some(200..=299) => Ok(early),
        Some(status) => {
            // What a broker says of it is in words.
            let why = str::from_utf8(&early).ok();
            let why = why.and_then(|text| text.trim_end().strip_prefix(SPOKEN));
            Err(io::Error::other(match why {
                Some(why) => why.to_owned(),
                None => format!("the proxy has no connection to {target}: it answered {status}"),
            }))
        }
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Upstream, UpstreamError> {
        Upstream::of_variables(|name| {
            let found = pairs.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_proxy_is_one_of_http_or_an_error() {
        assert_eq!(read(&[("HTTPS_PROXY", "")]), Ok(Upstream::default()));
        let read_one = |value: &str| read(&[("HTTPS_PROXY", value)]).map(|found| found.proxy);
        for (value, address) in [
            ("http://proxy.example:3128", "proxy.example:3128"),
            ("http://proxy.example:3128/", "proxy.example:3128"),
            ("proxy.example:8080", "proxy.example:8080"),
            ("HTTP://10.0.0.1", "10.0.0.1:1080"),
            ("http://u:p%40@proxy.example:3128", "proxy.example:3128"),
        ] {
            let proxy = read_one(value).unwrap().unwrap();
            assert_eq!(proxy.address.to_string(), address);
            assert!(!format!("{proxy:?}").contains("dTpw"), "{proxy:?}");
        }
        for value in ["socks5://proxy.example", "https://proxy.example", "http://"] {
            assert!(read_one(value).is_err(), "{value}");
        }
    }

    #[test]
    fn some_hosts_are_reached_without_it() {
        // Nobody listens at port 1: whether the proxy is asked is seen by the error.
        let named = [
            ("ALL_PROXY", "127.0.0.1:1"),
            ("NO_PROXY", "localhost, .corp.example"),
        ];
        let upstream = read(&named).unwrap();
        for (host, is_direct) in [
            ("corp.example", true),
            ("a.corp.example", true),
            ("acorp.example", false),
            ("localhost", true),
        ] {
            let target = Target::new(host, 443).unwrap();
            let connected = upstream.connect(&target, Duration::from_secs(1));
            assert_eq!(connected.is_none(), is_direct, "{host}");
        }
    }
}
