//! Framing: messages in a stream of bytes, each behind a header with its length.
//!
//! `Content-Length: 2\r\n\r\n{}` is the message `{}`.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::ServerFault;

/// Bytes of the largest message that is read: a server that announces more would have it all held in memory.
pub(super) const MAX_MESSAGE: usize = 32 << 20;
/// Bytes of the longest header; a program that is no server may never print an empty line.
const MAX_HEADER: u64 = 4096;

/// Returns a message with its header.
pub(super) fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads the next message; none at the end of the stream.
pub(super) fn read(stream: &mut impl BufRead) -> Result<Option<Value>, ServerFault> {
    let mut header = stream.take(MAX_HEADER);
    let mut length = None;
    let mut is_empty = true;
    loop {
        let mut line = Vec::new();
        header.read_until(b'\n', &mut line)?;
        if line.is_empty() && is_empty {
            return Ok(None);
        }
        is_empty = false;
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(ServerFault::Unreadable("a header without an end"));
        };
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let Some(length) = length else {
        return Err(ServerFault::Unreadable("a header without a length"));
    };
    if length > MAX_MESSAGE {
        return Err(ServerFault::Unreadable("a message of more than 32 MiB"));
    }
    let mut body = Vec::new();
    // Memory is taken as bytes come, not as a header promises them.
    let read = stream.take(length as u64).read_to_end(&mut body)?;
    if read < length {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    match serde_json::from_slice(&body) {
        Ok(message) => Ok(Some(message)),
        Err(_) => Err(ServerFault::Unreadable("a message that is not JSON")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_read_as_they_are_written() {
        let mut bytes = framed(&json!({"a": "ü"}));
        bytes.extend(framed(&json!([])));
        let mut stream = bytes.as_slice();
        assert_eq!(read(&mut stream).unwrap(), Some(json!({"a": "ü"})));
        assert_eq!(read(&mut stream).unwrap(), Some(json!([])));
        assert_eq!(read(&mut stream).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for (bytes, why) in [
            ("Content-Length: 2\r\n\r\n{", "unexpected end"),
            ("Content-Length: 2", "without an end"),
            ("Content-Type: x\r\n\r\n{}", "without a length"),
            ("Content-Length: -2\r\n\r\n{}", "without a length"),
            ("Content-Length: 99999999999\r\n\r\n{}", "32 MiB"),
            ("Content-Length: 2\r\n\r\n{]", "not JSON"),
            (&"x".repeat(5000), "without an end"),
        ] {
            let error = read(&mut bytes.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why), "{bytes:.30}: {error}");
        }
    }
}
