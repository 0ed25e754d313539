//! Relay: `signoff mcp` inside of the shadow.
//!
//! In: the socket that `signoff run --agent` serves outside, and this process's own streams. Out: bytes, copied both
//! ways until one side closes. What they say is none of the relay's business.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Context as _;

use super::SOCKET_VARIABLE;

/// Bytes copied at once.
const PIECE: usize = 64 * 1024;

/// Copies bytes until a side closes.
pub(super) fn relay(socket: &Path) -> anyhow::Result<()> {
    let connected = UnixStream::connect(socket).and_then(|down| Ok((down.try_clone()?, down)));
    let (up, mut down) = connected.with_context(|| {
        format!(
            "cannot reach the server of `signoff run --agent` at {}, which the variable {SOCKET_VARIABLE} names; outside of \
             such a run, unset it",
            socket.display()
        )
    })?;
    let is_input_over = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&is_input_over);
    // It may wait for input for ever; it ends with this process.
    thread::spawn(move || {
        let _closed = copy(&mut io::stdin().lock(), &mut &up);
        is_over.store(true, Ordering::Release);
        let _closed = up.shutdown(Shutdown::Write);
    });
    copy(&mut down, &mut io::stdout().lock())?;
    if is_input_over.load(Ordering::Acquire) {
        return Ok(());
    }
    anyhow::bail!(
        "signoff closed the connection: the run is over, or has as many connections as it may, or no message that is one came"
    )
}

/// Copies until one side is at its end, each piece at once. What the standard library has for this hands a socket and a
/// pipe to the system, which holds the pipe while it waits for the socket: whoever reads the pipe hangs until then, and
/// cannot even be killed.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        to.write_all(piece.get(..read).unwrap_or(&[]))?;
        to.flush()?;
    }
}
