//! A server that speaks Chat Completions, played by the test.
//!
//! In: requests, each handed to the test as it comes. Out: what the test answers, piece by
//! piece, when it wants. Every request is checked for what all of them must hold.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::world::DEADLINE;

/// A server on this machine.
pub(crate) struct Server {
    address: String,
    asked: Receiver<Asked>,
}

/// A request that waits for its answer.
pub(crate) struct Asked {
    /// Request line and headers.
    pub(crate) head: String,
    /// The body; null where there is none.
    pub(crate) body: Value,
    socket: TcpStream,
}

/// An answer that is being streamed.
pub(crate) struct Answer {
    socket: TcpStream,
}

impl Server {
    /// Starts a server to which nobody has spoken yet.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, asked) = channel();
        thread::spawn(move || {
            while let Ok((socket, _)) = listener.accept() {
                let Some(request) = Asked::read(socket) else {
                    continue;
                };
                if sender.send(request).is_err() {
                    return;
                }
            }
        });
        Self { address, asked }
    }

    /// Returns the address of a server that is not there.
    pub(crate) fn nowhere() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    }

    /// Returns its base URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Waits for the next request.
    pub(crate) fn next(&self) -> Asked {
        match self.asked.recv_timeout(DEADLINE) {
            Ok(asked) => {
                check_calls(&asked.body);
                asked
            }
            Err(_) => panic!("no request came"),
        }
    }

    /// Tells whether a request has come that nobody took.
    pub(crate) fn was_asked(&self) -> bool {
        self.asked.try_recv().is_ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Wakes the thread up, which then finds that nobody takes requests any more.
        if let Ok(mut socket) = TcpStream::connect(&self.address) {
            let _ = socket.write_all(b"GET / HTTP/1.1\r\n\r\n");
        }
    }
}

impl Asked {
    fn read(socket: TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(socket.try_clone().ok()?);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let lower = head.to_lowercase();
        let length = lower
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"));
        let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
        reader.read_exact(&mut body).ok()?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Some(Self { head, body, socket })
    }

    /// Returns what the request says about tools.
    pub(crate) fn tool_choice(&self) -> &str {
        self.body["tool_choice"].as_str().unwrap_or("absent")
    }

    /// Returns the texts of the messages with this role, in order.
    pub(crate) fn said_by(&self, role: &str) -> Vec<&str> {
        let messages = self.body["messages"].as_array().unwrap().iter();
        let by = messages.filter(|message| message["role"] == role);
        by.filter_map(|message| message["content"].as_str())
            .collect()
    }

    /// Answers with a status and a body; `headers` each end in a line break.
    pub(crate) fn refuse(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\n{headers}\r\n{body}"
        );
        self.socket.write_all(answer.as_bytes()).unwrap();
    }

    /// Begins a streamed answer.
    pub(crate) fn stream(mut self) -> Answer {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                    transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
        self.socket.write_all(head.as_bytes()).unwrap();
        Answer {
            socket: self.socket,
        }
    }

    /// Answers with text and nothing else.
    pub(crate) fn say(self, text: &str) {
        let mut answer = self.stream();
        answer.text(text);
        answer.end("stop");
    }

    /// Answers with one call.
    pub(crate) fn call(self, id: &str, name: &str, arguments: &Value) {
        let mut answer = self.stream();
        answer.call(0, id, name);
        answer.arguments(0, &arguments.to_string());
        answer.end("tool_calls");
    }
}

impl Answer {
    /// Sends more text.
    pub(crate) fn text(&mut self, text: &str) {
        self.delta(json!({ "content": text }));
    }

    /// Begins a call.
    pub(crate) fn call(&mut self, index: usize, id: &str, name: &str) {
        let function = json!({ "name": name, "arguments": "" });
        self.delta(json!({ "tool_calls": [
            { "index": index, "id": id, "type": "function", "function": function },
        ] }));
    }

    /// Sends more of a call's arguments.
    pub(crate) fn arguments(&mut self, index: usize, fragment: &str) {
        let function = json!({ "arguments": fragment });
        self.delta(json!({ "tool_calls": [{ "index": index, "function": function }] }));
    }

    /// Sends the data of an event as it is.
    pub(crate) fn data(&mut self, data: &str) {
        let event = format!("data: {data}\n\n");
        let chunk = format!("{:x}\r\n{event}\r\n", event.len());
        // The client may have gone, as when it is told to stop.
        let _sent = self.socket.write_all(chunk.as_bytes());
    }

    /// Sends bytes as they are.
    pub(crate) fn bytes(&mut self, text: &str) {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        let _sent = self.socket.write_all(chunk.as_bytes());
    }

    /// Ends the body; what it says of the end is not looked at.
    pub(crate) fn close(mut self) {
        let _sent = self.socket.write_all(b"0\r\n\r\n");
    }

    /// Ends the answer as it should be.
    pub(crate) fn end(mut self, reason: &str) {
        self.chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]));
        self.data("[DONE]");
        let _sent = self.socket.write_all(b"0\r\n\r\n");
    }

    /// Breaks off.
    pub(crate) fn cut(self) {}

    /// Waits until the client has gone.
    pub(crate) fn wait_closed(mut self) {
        self.socket.set_read_timeout(Some(DEADLINE)).unwrap();
        let left = self.socket.read(&mut [0; 1]);
        // A client that is killed before it has read everything leaves with a reset.
        let is_gone = match &left {
            Ok(read) => *read == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        };
        assert!(is_gone, "the client is still there: {left:?}");
    }

    fn delta(&mut self, delta: Value) {
        self.chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]));
    }

    fn chunk(&mut self, choices: Value) {
        let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "choices": choices });
        self.data(&chunk.to_string());
    }
}

/// Every call is answered exactly once, right after the message that made it.
fn check_calls(body: &Value) {
    let mut open: HashSet<&str> = HashSet::new();
    let mut known: HashSet<&str> = HashSet::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            assert!(
                open.remove(id),
                "{id} is answered twice or was never made: {body:#}"
            );
            continue;
        }
        assert!(open.is_empty(), "{open:?} got no answer: {body:#}");
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap();
            assert!(known.insert(id), "the id {id} is given twice: {body:#}");
            open.insert(id);
        }
    }
    assert!(open.is_empty(), "{open:?} got no answer: {body:#}");
}
