//! A tunnel: bytes between a program and a host, both ways, until both are done.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::traffic::Bytes;

/// Bytes that are copied at once: as many as a socket holds on a fast link, and 32 MiB with 256 tunnels of two ways.
const PIECE: usize = 64 << 10;

/// Copies until both sides are done, or one is gone.
pub(super) fn copy(program: &TcpStream, host: &TcpStream, bytes: &Bytes) {
    thread::scope(|scope| {
        scope.spawn(|| one_way(program, host, &bytes.sent));
        one_way(host, program, &bytes.received);
    });
}

/// Copies one way. The end of what is read is passed on; an error ends both ways, as nobody reads any more.
fn one_way(from: &TcpStream, to: &TcpStream, count: &AtomicU64) {
    let ended = copy_all(from, to, count).and_then(|()| to.shutdown(Shutdown::Write));
    if ended.is_err() {
        // They may be gone already.
        let _gone = from.shutdown(Shutdown::Both);
        let _gone = to.shutdown(Shutdown::Both);
    }
}

fn copy_all(mut from: &TcpStream, mut to: &TcpStream, count: &AtomicU64) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                let read = piece.get(..read).unwrap_or(&[]);
                // Before they are answered.
                count.fetch_add(read.len() as u64, Ordering::Relaxed);
                to.write_all(read)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
