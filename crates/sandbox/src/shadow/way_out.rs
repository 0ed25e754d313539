//! The way out of a program's network namespace: a listener on its loopback, which a broker outside serves.
//!
//! The maker opens the listener in the namespace and hands it over through a socket in the layers' folder, where no program
//! finds it. Nothing of the maker stays in between, and the program has no descriptor of it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::beneath::Tree;
use crate::descriptor;
use crate::network::PORT;

/// The socket, in the layers' folder.
pub(super) const HANDOVER: &str = "way-out";

/// Opens the socket to which a listener will be handed over.
pub(super) fn await_listener(layers: &Tree) -> io::Result<UnixListener> {
    // Of an earlier program.
    let _absent = layers.remove_file(Path::new(HANDOVER));
    UnixListener::bind(place(layers))
}

/// Opens the listener in this process's network namespace, and hands it over.
pub(super) fn hand_over(layers: &Tree) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT))?;
    descriptor::send(&UnixStream::connect(place(layers))?, listener)
}

/// The path of a socket has room for 108 bytes: that of the folder by its descriptor is short.
fn place(layers: &Tree) -> PathBuf {
    layers.handle().join(HANDOVER)
}
