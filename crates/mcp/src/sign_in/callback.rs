//! The end of a sign-in: the browser comes back to this machine.
//!
//! In: a port, and the `state` of the sign-in that is under way. Out: what the authorization server sent along.
//!
//! ```text
//! GET /callback?code=c1&state=s1    the state is s1: taken
//! GET /callback?code=c1&state=s2    another one: refused, the sign-in goes on
//! GET /favicon.ico                  refused, the sign-in goes on
//! ```
//!
//! Every page and every program of this machine can send requests here, so that nothing but the state counts.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The path that the browser comes back to.
const PATH: &str = "/callback";
/// Bytes of a request that are read: any program of this machine can send one without an end.
const MOST_BYTES: usize = 16 * 1024;
/// Connections that are read at a time: any program of this machine can open some and say nothing.
const MOST_OPEN: usize = 8;
/// Requests in one sign-in; a browser makes two.
const MOST_REQUESTS: usize = 1_000;
/// How long one request may take.
const WITHIN: Duration = Duration::from_secs(5);

/// Waits for the browser.
pub(super) struct CallbackListener {
    listener: TcpListener,
    port: u16,
}

/// What the browser brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Callback {
    /// The user agreed.
    Code {
        /// What the tokens are given for.
        code: String,
        /// Who says to have sent it.
        issuer: Option<String>,
    },
    /// The authorization server refused, for this reason of its own.
    Refused(String),
}

/// Why nothing came.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallbackError {
    #[error("more than {MOST_REQUESTS} requests came that are none of the sign-in's")]
    Flood,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CallbackListener {
    /// Begins to listen, on this machine alone.
    pub(super) async fn open(port: Option<u16>) -> io::Result<Self> {
        // The port 0 stands for one that is free.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Returns where the browser is sent back to.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for a request with this state.
    pub(super) async fn wait(&self, state: &str) -> Result<Callback, CallbackError> {
        let mut open = JoinSet::new();
        let mut count = 0;
        loop {
            let has_room = open.len() < MOST_OPEN;
            tokio::select! {
                accepted = self.listener.accept(), if has_room => {
                    count += 1;
                    if count > MOST_REQUESTS {
                        return Err(CallbackError::Flood);
                    }
                    let (stream, _) = accepted?;
                    let state = state.to_owned();
                    open.spawn(async move { timeout(WITHIN, answered(stream, &state)).await });
                }
                Some(done) = open.join_next() => {
                    if let Ok(Ok(Some(callback))) = done {
                        return Ok(callback);
                    }
                }
            }
        }
    }
}

/// Reads a request and answers it. Returns what it brought, if it has the state.
async fn answered(mut stream: TcpStream, state: &str) -> Option<Callback> {
    let mut read = Vec::new();
    let mut buffer = [0; 1024];
    while !read.windows(4).any(|four| four == b"\r\n\r\n") && read.len() < MOST_BYTES {
        let length = stream.read(&mut buffer).await.ok()?;
        if length == 0 {
            break;
        }
        read.extend_from_slice(buffer.get(..length)?);
    }
    let text = String::from_utf8_lossy(&read);
    let callback = text.lines().next().and_then(|line| of_line(line, state));
    let (status, told) = match &callback {
        Some(Callback::Code { .. }) => {
            ("200 OK", "signoff has the answer. Go back to the terminal.")
        }
        Some(Callback::Refused(_)) => (
            "200 OK",
            "The sign-in was refused. Go back to the terminal.",
        ),
        None => (
            "400 Bad Request",
            "This is no answer to a sign-in that is under way.",
        ),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: \
         no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{told}",
        told.len()
    );
    // The browser may have gone; what it brought counts all the same.
    let _sent = stream.write_all(answer.as_bytes()).await;
    let _closed = stream.shutdown().await;
    callback
}

/// Returns what a request brought: `GET /callback?code=...&state=... HTTP/1.1`.
fn of_line(line: &str, state: &str) -> Option<Callback> {
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    let (path, _) = target.split_once('?')?;
    if path != PATH {
        return None;
    }
    let url = Url::parse("http://127.0.0.1/").ok()?.join(target).ok()?;
    // What is named twice could be read in two ways.
    if only_value(&url, "state").ok()?? != state {
        return None;
    }
    match (
        only_value(&url, "code").ok()?,
        only_value(&url, "error").ok()?,
    ) {
        (Some(code), None) => Some(Callback::Code {
            code,
            issuer: only_value(&url, "iss").ok()?,
        }),
        (None, Some(error)) => Some(Callback::Refused(error)),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

fn only_value(url: &Url, name: &str) -> Result<Option<String>, ()> {
    let mut values = url.query_pairs().filter(|(key, _)| key == name);
    let first = values.next().map(|(_, value)| value.into_owned());
    if values.next().is_some() {
        Err(())
    } else {
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_with_the_state_is_taken() {
        for (line, expected) in [
            ("GET /callback?code=c+1&state=w HTTP/1.1", code(None)),
            (
                "GET /callback?state=w&iss=https%3A%2F%2Fa&code=c%201 HTTP/1.1",
                code(Some("https://a")),
            ),
            (
                "GET /callback?error=access_denied&state=w HTTP/1.1",
                Some(Callback::Refused("access_denied".to_owned())),
            ),
            ("GET /callback?code=c&state=v HTTP/1.1", None),
            ("GET /callback?code=c HTTP/1.1", None),
            ("GET /callback?state=w HTTP/1.1", None),
            ("GET /callback?code=c&state=w&state=v HTTP/1.1", None),
            ("GET /callback?code=c&code=d&state=w HTTP/1.1", None),
            ("GET /callback?code=c&error=d&state=w HTTP/1.1", None),
            ("GET //evil/callback?code=c&state=w HTTP/1.1", None),
            ("GET /callback/x?code=c&state=w HTTP/1.1", None),
            ("POST /callback?code=c&state=w HTTP/1.1", None),
            ("GET /callback HTTP/1.1", None),
            ("GET ", None),
            ("\u{fffd}\u{1b}[2J", None),
        ] {
            assert_eq!(of_line(line, "w"), expected, "{line}");
        }
    }

    fn code(issuer: Option<&str>) -> Option<Callback> {
        Some(Callback::Code {
            code: "c 1".to_owned(),
            issuer: issuer.map(str::to_owned),
        })
    }
}
