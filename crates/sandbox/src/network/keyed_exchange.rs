//! The exchange between a program and the host of a [`HeldKey`]: a request with the key, by TLS or without, and the answer
//! without it.
//!
//! In: two connections and what the host is sent first. Out: bytes both ways, counted, until the answer is at its end or the
//! program is gone. One thread polls both: a TLS connection cannot be read and written by two.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

use super::held_key::KeyFilter;
use super::traffic::Bytes;

/// Bytes that are read at once, and that wait for a program that reads slowly: more is not taken from the host meanwhile.
const PIECE: usize = 64 << 10;

/// The host's side: how bytes are sent and received.
pub(super) enum HostSide {
    /// As they are.
    Plain {
        /// What waits to be sent.
        unsent: Vec<u8>,
    },
    /// By TLS, which is agreed on.
    Secured(Box<ClientConnection>),
}

impl fmt::Debug for HostSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain { .. } => "Plain",
            Self::Secured(_) => "Secured",
        })
    }
}

impl HostSide {
    /// Returns the side of a host that is spoken to without TLS.
    pub(super) fn plain() -> Self {
        Self::Plain { unsent: Vec::new() }
    }

    /// Agrees with a host on TLS; `stream` waits for as long as it is told to.
    pub(super) fn secure(
        config: Arc<ClientConfig>,
        host: &str,
        mut stream: &TcpStream,
    ) -> io::Result<Self> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let mut tls = ClientConnection::new(config, name).map_err(io::Error::other)?;
        while tls.is_handshaking() {
            tls.complete_io(&mut stream)?;
        }
        Ok(Self::Secured(Box::new(tls)))
    }

    /// Takes bytes to be sent.
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain { unsent } => unsent.extend_from_slice(bytes),
            Self::Secured(tls) => {
                // A request of megabytes has to wait somewhere; the next piece is taken once this one is sent.
                tls.set_buffer_limit(None);
                tls.writer().write_all(bytes)?;
            }
        }
        Ok(())
    }

    fn has_unsent(&self) -> bool {
        match self {
            Self::Plain { unsent } => !unsent.is_empty(),
            Self::Secured(tls) => tls.wants_write(),
        }
    }

    /// Sends what the host takes now.
    fn send(&mut self, mut host: &TcpStream) -> io::Result<()> {
        match self {
            Self::Plain { unsent } => send_some(host, unsent),
            Self::Secured(tls) => {
                while tls.wants_write() {
                    if now(tls.write_tls(&mut host))?.is_none() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// Receives what is there. Returns whether the host is at its end.
    fn receive(&mut self, mut host: &TcpStream, into: &mut Vec<u8>) -> io::Result<bool> {
        let mut piece = vec![0; PIECE];
        let read = match self {
            Self::Plain { .. } => now(host.read(&mut piece))?,
            Self::Secured(tls) => {
                let Some(read) = now(tls.read_tls(&mut host))? else {
                    return Ok(false);
                };
                let state = tls.process_new_packets().map_err(io::Error::other)?;
                piece.resize(state.plaintext_bytes_to_read(), 0);
                tls.reader().read_exact(&mut piece)?;
                into.append(&mut piece);
                return Ok(read == 0 || state.peer_has_closed());
            }
        };
        let Some(read) = read else {
            return Ok(false);
        };
        into.extend_from_slice(piece.get(..read).unwrap_or(&[]));
        Ok(read == 0)
    }
}

/// Sends `first` and what the program sends, and passes the answer on through a filter. A program that is at its end wants no
/// answer any more: the host is left, and stops working at it.
pub(super) fn exchange(
    (program, host): (&TcpStream, &TcpStream),
    mut side: HostSide,
    first: &[u8],
    mut filter: KeyFilter<'_>,
    bytes: &Bytes,
) -> io::Result<()> {
    program.set_nonblocking(true)?;
    host.set_nonblocking(true)?;
    side.take(first)?;
    side.send(host)?;
    let (mut answer, mut is_over, mut received) = (Vec::new(), false, Vec::new());
    while !(is_over && answer.is_empty()) {
        let mut of_program = PollFlags::empty();
        of_program.set(PollFlags::IN, !side.has_unsent() && !is_over);
        of_program.set(PollFlags::OUT, !answer.is_empty());
        let mut of_host = PollFlags::empty();
        of_host.set(PollFlags::IN, answer.len() < PIECE && !is_over);
        of_host.set(PollFlags::OUT, side.has_unsent() && !is_over);
        let (program_now, host_now) = wait((program, of_program), (host, of_host))?;
        if program_now.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Ok(());
        }
        if program_now.contains(PollFlags::OUT) {
            send_some(program, &mut answer)?;
        }
        if program_now.contains(PollFlags::IN) {
            let mut piece = vec![0; PIECE];
            let mut from = program;
            match now(from.read(&mut piece))? {
                Some(0) => return Ok(()),
                Some(read) => {
                    bytes.sent.fetch_add(read as u64, Ordering::Relaxed);
                    side.take(piece.get(..read).unwrap_or(&[]))?;
                }
                None => {}
            }
        }
        if side.has_unsent() {
            side.send(host)?;
        }
        if host_now.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            is_over = side.receive(host, &mut received)?;
            bytes
                .received
                .fetch_add(received.len() as u64, Ordering::Relaxed);
            filter.pass(&received, &mut answer);
            received.clear();
            if is_over {
                filter.finish(&mut answer);
            }
        }
    }
    Ok(())
}

/// Waits until one of the two can do what is wanted of it. A host of which nothing is wanted is not looked at.
fn wait(
    program: (&TcpStream, PollFlags),
    host: (&TcpStream, PollFlags),
) -> io::Result<(PollFlags, PollFlags)> {
    let mut both = vec![PollFd::from_borrowed_fd(
        std::os::fd::AsFd::as_fd(program.0),
        program.1,
    )];
    if !host.1.is_empty() {
        both.push(PollFd::from_borrowed_fd(
            std::os::fd::AsFd::as_fd(host.0),
            host.1,
        ));
    }
    match poll(&mut both, None) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut found = both.iter().map(PollFd::revents);
    let of_program = found.next().unwrap_or(PollFlags::empty());
    Ok((of_program, found.next().unwrap_or(PollFlags::empty())))
}

fn send_some(mut to: &TcpStream, unsent: &mut Vec<u8>) -> io::Result<()> {
    if let Some(sent) = now(to.write(unsent))? {
        unsent.drain(..sent);
    }
    Ok(())
}

/// Returns nothing of what would have to be waited for.
fn now(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        },
    }
}
