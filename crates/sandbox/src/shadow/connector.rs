//! The connector: signoff run anew by a program in the shadow, to connect its input and output to a host by [`PORT`].
//!
//! `ssh` has no variable for a proxy, only a command that is one.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::thread;

use super::setup::{PlacedPath, Setup};
use super::{Stage, defaults};
use crate::network::{self, PORT, Target};

/// Where programs find signoff, to connect themselves.
const INSIDE: &str = "/run/signoff/bin/signoff";

/// Tells a program by its variables how hosts are reached. What the user named for it stays as it is.
pub(super) fn tell(setup: &mut Setup) {
    setup
        .environment
        .retain(|(name, _)| !defaults::is_proxy(name));
    let connector = format!("{INSIDE} {}", Stage::Connect.word());
    let told = network::variables(&connector).into_iter();
    let told: Vec<_> = told
        .filter(|(name, _)| !setup.environment.iter().any(|(own, _)| own == name))
        .collect();
    setup.environment.extend(told);
    // Without its file, as where it was replaced while it runs, only `ssh` has no network.
    if let Ok(from) = std::env::current_exe()
        && from.is_file()
    {
        let to = INSIDE.into();
        setup.placed.push(PlacedPath { from, to });
    }
}

/// Connects this process's input and output to the host and port in its arguments. Returns the exit code.
pub(super) fn connect(words: &[OsString]) -> i32 {
    match try_connect(words) {
        Ok(()) => 0,
        Err(error) => {
            let _unread = writeln!(io::stderr(), "signoff: {error}");
            1
        }
    }
}

fn try_connect(words: &[OsString]) -> io::Result<()> {
    let [host, port] = words else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let port = super::first::number(port)?;
    let target = Target::new(&host.to_string_lossy(), port).map_err(io::Error::other)?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, PORT))?;
    let early = network::ask(&mut stream, &target)?;
    let mut out = io::stdout().lock();
    out.write_all(&early)?;
    let mut input = stream.try_clone()?;
    thread::spawn(move || {
        // The host sees the end of the input; if it is gone, so is the other way.
        let _gone = io::copy(&mut io::stdin(), &mut input);
        let _gone = input.shutdown(Shutdown::Write);
    });
    // Not `io::copy` to the lock: what came is written before more is waited for.
    let mut piece = [0; 16 << 10];
    loop {
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Ok(());
        }
        out.write_all(piece.get(..read).unwrap_or(&[]))?;
        out.flush()?;
    }
}
