//! The loopback interface of a fresh network namespace: tests talk to servers of their own.
//!
//! In: nothing. Out: interface 1 is up. One message of the route protocol of netlink, since the
//! older call needs code that the compiler cannot check.

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, bind, send, socket_with};

/// `RTM_NEWLINK`, to change a link that is there.
const CHANGE_LINK: u16 = 16;
/// `NLM_F_REQUEST`.
const REQUEST: u16 = 1;
/// `IFF_UP`.
const UP: u32 = 1;
/// The number of the loopback interface in every namespace.
const LOOPBACK: i32 = 1;
/// Bytes of the message: its header has 16, the part about the link 16.
const LENGTH: u32 = 32;

/// Brings the interface up.
pub(super) fn bring_up() -> Result<(), Errno> {
    // No protocol is the route protocol: its number is 0.
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    bind(&socket, &SocketAddrNetlink::new(0, 0))?;
    send(&socket, &message(), SendFlags::empty())?;
    Ok(())
}

fn message() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(LENGTH.to_ne_bytes());
    bytes.extend(CHANGE_LINK.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    // Sequence number and port: one message, to the kernel.
    bytes.extend([0; 8]);
    // Address family, padding and device type: any.
    bytes.extend([0; 4]);
    bytes.extend(LOOPBACK.to_ne_bytes());
    bytes.extend(UP.to_ne_bytes());
    bytes.extend(UP.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_as_long_as_it_says() {
        assert_eq!(message().len(), LENGTH as usize);
    }
}
