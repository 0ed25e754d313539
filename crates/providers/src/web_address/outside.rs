//! Hosts of the public network, and the exceptions that the user named.
//!
//! In: an address, or a name that is looked up. Out: whether it may be asked; of a name only the numbers that may. So a name
//! that leads to one of this machine's services, as some do for this very purpose, leads nowhere. A public address that is
//! this machine's own is none of the public network: what listens there may be meant for this machine alone.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use signoff_source::address::AddressClass;

use super::WebAddress;

/// The hosts of the public network, and some on this machine or in its network.
#[derive(Clone, Debug)]
pub struct OutsideHosts {
    inside: Arc<[String]>,
}

/// Said of a name without a public address.
#[derive(Debug, thiserror::Error)]
#[error("only on this machine or in its network")]
struct InsideOnly;

impl OutsideHosts {
    /// Returns the public ones and these: names or numbers as they are in an address.
    pub fn and(inside: Vec<String>) -> Self {
        Self {
            inside: inside.into(),
        }
    }

    /// Tells whether an address may be asked, as far as that is known before its name is looked up.
    pub fn allow(&self, address: &WebAddress) -> bool {
        self.names(address.host()) || address.ip().is_none_or(is_elsewhere)
    }

    /// Tells whether a request failed because its host has no address that may be asked.
    pub fn refused(error: &reqwest::Error) -> bool {
        causes(error).any(|cause| cause.is::<InsideOnly>())
    }

    fn names(&self, host: &str) -> bool {
        self.inside.iter().any(|inside| inside == host)
    }
}

impl Resolve for OutsideHosts {
    fn resolve(&self, name: Name) -> Resolving {
        let is_inside = self.names(name.as_str());
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let (mut all, mut met) = (Vec::new(), false);
            for address in found {
                met = true;
                if is_inside || is_elsewhere(address.ip()) {
                    all.push(address);
                }
            }
            if met && all.is_empty() {
                return Err(InsideOnly.into());
            }
            let all: Addrs = Box::new(all.into_iter().map(|found| SocketAddr::new(found.ip(), 0)));
            Ok(all)
        })
    }
}

fn is_elsewhere(ip: IpAddr) -> bool {
    class_here(ip) == AddressClass::Public
}

/// Returns the class of an address as seen from this machine, whose own addresses are none of the public network.
pub fn class_here(ip: IpAddr) -> AddressClass {
    match AddressClass::of(ip) {
        AddressClass::Public if is_own(ip) => AddressClass::Own,
        class => class,
    }
}

/// Tells whether an address is one of this machine's interfaces, as they are now: nothing can be bound to any other. Where
/// the system lets programs bind to all, the address that a connection to it would come from tells. Nothing is sent.
fn is_own(ip: IpAddr) -> bool {
    /// Of documentation: no machine has it.
    const NOBODY: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
    if !binds(ip) {
        return false;
    }
    if !binds(NOBODY.into()) {
        return true;
    }
    let any: IpAddr = match ip {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((ip, 9))?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == ip)
}

fn binds(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

/// Returns an error and what caused it, the outermost first.
pub fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    let first: &(dyn std::error::Error + 'static) = error;
    std::iter::successors(Some(first), |error| error.source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_known() {
        for (ip, is) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("192.0.2.7", false),
            ("8.8.8.8", false),
            ("2001:db8::1", false),
        ] {
            assert_eq!(is_own(ip.parse().unwrap()), is, "{ip}");
        }
    }
}
