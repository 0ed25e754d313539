//! Address classes: which network an IP address is part of, by the registries of special addresses (IANA, RFC 6890).
//!
//! ```text
//! 1.1.1.1  2606:4700::1111                 public
//! 10.0.0.1  fd00::1                        private
//! ::ffff:127.0.0.1  64:ff9b::7f00:1        loopback: the address of the fourth version that is in it counts
//! 169.254.169.254                          metadata
//! ```

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network that an address is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressClass {
    /// The public network.
    #[error("a public address")]
    Public,
    /// This machine, whatever its network.
    #[error("this machine's loopback")]
    Loopback,
    /// An address of one of this machine's interfaces.
    #[error("an address of this machine")]
    Own,
    /// A network that is not routed in public, those that providers share included (RFC 1918, 4193, 6598).
    #[error("a private address")]
    Private,
    /// The link that the machine is on.
    #[error("a link-local address")]
    LinkLocal,
    /// What a cloud tells its machines of themselves, keys included.
    #[error("the metadata service of a cloud")]
    Metadata,
    /// Set aside for documentation, tests, multicast, tunnels or the future.
    #[error("an address that is set aside")]
    Reserved,
}

/// Addresses of metadata services: of most clouds; of containers and of pods at Amazon; of Azure, whose number looks public and
/// hands out the secrets of extensions; of Alibaba; of Amazon and its pods by IPv6.
const METADATA: [IpAddr; 7] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
];

impl AddressClass {
    /// Returns the class of an address by its number alone: [`Self::Own`] is known only to the machine.
    pub fn of(ip: IpAddr) -> Self {
        if METADATA.contains(&ip) {
            return Self::Metadata;
        }
        match ip {
            IpAddr::V4(ip) => of_v4(ip),
            IpAddr::V6(ip) => of_v6(ip),
        }
    }
}

fn of_v4(ip: Ipv4Addr) -> AddressClass {
    match ip.octets() {
        [127, ..] => AddressClass::Loopback,
        [169, 254, ..] => AddressClass::LinkLocal,
        [100, 64..=127, ..] => AddressClass::Private,
        _ if ip.is_private() => AddressClass::Private,
        // This network, protocol assignments, relays of 6to4, measurements; multicast and what is above it.
        [0 | 224.., ..] | [192, 0, 0, _] | [192, 88, 99, _] | [198, 18 | 19, ..] => {
            AddressClass::Reserved
        }
        _ if ip.is_documentation() => AddressClass::Reserved,
        _ => AddressClass::Public,
    }
}

fn of_v6(ip: Ipv6Addr) -> AddressClass {
    if ip.is_loopback() {
        return AddressClass::Loopback;
    }
    // Numbers that stand for one of the fourth version: mapped, compatible, translated, 6to4.
    if let [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
    | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
    | [0x2002, high, low, ..] = ip.segments()
    {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        return AddressClass::of(Ipv4Addr::new(a, b, c, d).into());
    }
    match ip.segments() {
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        [0xfc00..=0xfdff, ..] => AddressClass::Private,
        // Protocol assignments, Teredo among them; documentation.
        [0x2001, 0..0x200 | 0xdb8, ..] | [0x3fff, 0..0x1000, ..] => AddressClass::Reserved,
        // Nothing else is given to anybody.
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        _ => AddressClass::Reserved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_class() {
        use AddressClass::{LinkLocal, Loopback, Metadata, Private, Public, Reserved};
        for (number, expected) in [
            ("1.1.1.1", Public),
            ("127.0.0.1", Loopback),
            ("127.9.9.9", Loopback),
            ("10.0.0.1", Private),
            ("172.16.0.1", Private),
            ("172.32.0.1", Public),
            ("192.168.1.1", Private),
            ("169.254.1.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("169.254.170.2", Metadata),
            ("169.254.170.23", Metadata),
            ("168.63.129.16", Metadata),
            ("168.63.129.17", Public),
            ("fd00:ec2::23", Metadata),
            ("::ffff:168.63.129.16", Metadata),
            ("100.100.100.200", Metadata),
            ("100.64.0.1", Private),
            ("192.0.0.1", Reserved),
            ("192.0.2.1", Reserved),
            ("192.88.99.1", Reserved),
            ("198.18.0.1", Reserved),
            ("0.0.0.0", Reserved),
            ("224.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("2606:4700::1111", Public),
            ("::1", Loopback),
            ("::", Reserved),
            ("fe80::1", LinkLocal),
            ("fd00::1", Private),
            ("fd00:ec2::254", Metadata),
            ("ff02::1", Reserved),
            ("2001:db8::1", Reserved),
            ("3fff::1", Reserved),
            ("2001::1", Reserved),
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:169.254.169.254", Metadata),
            ("::ffff:1.1.1.1", Public),
            ("::ffff:0:127.0.0.1", Reserved),
            ("64:ff9b::7f00:1", Loopback),
            ("64:ff9b::a9fe:a9fe", Metadata),
            ("64:ff9b:1::7f00:1", Reserved),
            ("2002:7f00:1::", Loopback),
            ("2002:a00:1::1", Private),
        ] {
            assert_eq!(
                AddressClass::of(number.parse().unwrap()),
                expected,
                "{number}"
            );
        }
    }
}
