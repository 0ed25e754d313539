//! A server on this machine that misbehaves as told, for tests.
//!
//! Tests of the crates above include this file. In: one [`Reply`] for each connection. Out: an address, and the requests that came.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What one connection is answered.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pieces: Vec<Vec<u8>>,
    end: End,
}

/// What happens after the last piece.
#[derive(Clone, Copy, Debug)]
enum End {
    Close,
    /// The socket stays open until the client closes it.
    Hold,
}

impl Reply {
    /// Answers with a body of a known length.
    pub(crate) fn json(status: &str, body: &str) -> Self {
        Self::with_headers(status, "", body)
    }

    /// Answers with further headers, each ending in a line break.
    pub(crate) fn with_headers(status: &str, headers: &str, body: &str) -> Self {
        Self::page(status, "application/json", headers, body)
    }

    /// Answers with a body of this type, and further headers.
    pub(crate) fn page(status: &str, kind: &str, headers: &str, body: &str) -> Self {
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
             connection: close\r\n{headers}\r\n",
            body.len(),
        );
        Self {
            pieces: vec![head.into_bytes(), body.into()],
            end: End::Close,
        }
    }

    /// Streams events, each in a chunk of its own, and ends as HTTP wants it.
    pub(crate) fn events(events: &[&str]) -> Self {
        let mut reply = Self::cut_after(events);
        reply.pieces.push(b"0\r\n\r\n".to_vec());
        reply
    }

    /// Streams events and breaks off. A connection takes one request, and the client is told so: else it might send the next
    /// one on a connection that is about to be closed, and repeat it after a pause.
    pub(crate) fn cut_after(events: &[&str]) -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                    transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
        let mut pieces = vec![head.into()];
        pieces.extend(events.iter().map(|event| {
            let data = format!("data: {event}\n\n");
            format!("{:x}\r\n{data}\r\n", data.len()).into_bytes()
        }));
        Self {
            pieces,
            end: End::Close,
        }
    }

    /// Streams a recorded body and ends as HTTP wants it.
    pub(crate) fn recorded(body: &str) -> Self {
        let mut reply = Self::cut_after(&[]);
        let chunk = format!("{:x}\r\n{body}\r\n", body.len());
        reply
            .pieces
            .extend([chunk.into_bytes(), b"0\r\n\r\n".to_vec()]);
        reply
    }

    /// Leaves the end of the body out, where HTTP wants one.
    pub(crate) fn unended(mut self) -> Self {
        self.pieces.pop();
        self
    }

    /// Says nothing at all.
    pub(crate) fn silent() -> Self {
        Self {
            pieces: Vec::new(),
            end: End::Hold,
        }
    }

    /// Leaves the socket open after the last piece.
    pub(crate) fn held(self) -> Self {
        Self {
            end: End::Hold,
            ..self
        }
    }
}

/// A server on this machine.
pub(crate) struct Loopback {
    url: String,
    requests: Receiver<String>,
    held: Receiver<()>,
    closed: Receiver<()>,
}

impl Loopback {
    /// Starts a server that answers one connection with each reply and then is gone.
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (request, requests) = channel();
        let (hold, held) = channel();
        let (close, closed) = channel();
        thread::spawn(move || {
            for reply in replies {
                let Ok((socket, _)) = listener.accept() else {
                    return;
                };
                serve(socket, &reply, &request, [&hold, &close]);
            }
        });
        Self {
            url,
            requests,
            held,
            closed,
        }
    }

    /// Returns an address where nothing listens.
    pub(crate) fn nobody() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// Returns the requests that have come, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.try_iter().collect()
    }

    /// Waits until all that a held connection is sent is on its way.
    pub(crate) fn wait_held(&self) {
        self.held.recv().unwrap();
    }

    /// Waits until the client has closed a connection that was held.
    pub(crate) fn wait_closed(&self) {
        self.closed.recv().unwrap();
    }
}

fn serve(
    mut socket: TcpStream,
    reply: &Reply,
    request: &Sender<String>,
    [hold, close]: [&Sender<()>; 2],
) {
    // Nobody may be left to tell: then the test is over.
    let _ = request.send(read_request(&socket));
    for piece in &reply.pieces {
        if socket
            .write_all(piece)
            .and_then(|()| socket.flush())
            .is_err()
        {
            break;
        }
    }
    if let End::Hold = reply.end {
        let _ = hold.send(());
        let _ = socket.read(&mut [0; 1]);
        let _ = close.send(());
    }
}

fn read_request(socket: &TcpStream) -> String {
    let mut reader = BufReader::new(socket);
    let mut head = String::new();
    let mut length = 0;
    while reader.read_line(&mut head).is_ok_and(|read| read > 0) && !head.ends_with("\r\n\r\n") {
        let line = head.lines().last().unwrap_or_default().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}
