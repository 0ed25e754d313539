//! What a program asks its listener for, and how that is answered: HTTP's `CONNECT`, plain HTTP (RFC 9110, 9112) and
//! SOCKS5 without a sign-in (RFC 1928), told apart by their first byte.
//!
//! ```text
//! CONNECT a.example:443 HTTP/1.1         a tunnel
//! GET http://a.example/x HTTP/1.1        GET /x HTTP/1.1, with the Host of the address, for one request
//! GET /x HTTP/1.1                        the same to the host of a key, with the key in the place of its placeholder
//! 05 01 00  05 01 00 03 ...              a tunnel; UDP is refused
//! ```

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr};

use super::held_key::{self, HeldKey};
use super::host::Target;
use super::refusal::Refusal;

/// The longest head of a request, in bytes; servers take 8 to 64 KiB.
const LONGEST_HEAD: usize = 64 << 10;
/// How the text of an answer of the broker's own begins.
pub(super) const SPOKEN: &str = "signoff: ";
/// The end of a head.
const END: &[u8] = b"\r\n\r\n";
/// Headers that are for the listener and not for the host, and those that the host gets anew.
pub(super) const DROPPED: [&str; 7] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "upgrade",
];
/// Version of SOCKS, its command to connect, and its kinds of addresses.
const SOCKS5: u8 = 5;
const CONNECT: u8 = 1;
const NUMBER_V4: u8 = 1;
const NAME: u8 = 3;
const NUMBER_V6: u8 = 4;
/// No sign-in, and none of those offered.
const NO_SIGN_IN: u8 = 0;
const NONE_OFFERED: u8 = 0xff;

/// What a program asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) target: Target,
    pub(super) form: Form,
    /// What the host is sent first.
    pub(super) first: Vec<u8>,
    /// The key in it, if the listener itself was asked.
    pub(super) key: Option<HeldKey>,
}

/// How it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// For a tunnel, by HTTP.
    Connect,
    /// For one answer of plain HTTP.
    Plain,
    /// For a tunnel, by SOCKS.
    Socks,
}

/// Reads a request. One that cannot be understood is answered, and is an error.
pub(super) fn read(stream: &mut (impl Read + Write), keys: &[HeldKey]) -> io::Result<Request> {
    let mut first = [0];
    stream.read_exact(&mut first)?;
    let [first] = first;
    if first == SOCKS5 {
        return read_socks(stream);
    }
    let (head, rest) = read_head(stream, vec![first])?;
    parse_head(&head, rest, keys).or_else(|why| {
        let body = format!("{SPOKEN}{why}\n");
        write_answer(stream, 400, "Bad Request", &body)?;
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    })
}

/// Reads a head to its end. Returns it with what was read behind it.
pub(super) fn read_head(
    stream: &mut impl Read,
    mut bytes: Vec<u8>,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut piece = [0; 4096];
    loop {
        // The end may have begun in the piece before.
        let looked_at = bytes.len().saturating_sub(END.len());
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(piece.get(..read).unwrap_or(&[]));
        let unseen = bytes.get(looked_at..).unwrap_or(&[]);
        let end = unseen.windows(END.len()).position(|four| four == END);
        if let Some(end) = end {
            let rest = bytes.split_off(looked_at + end + END.len());
            return Ok((bytes, rest));
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// Reads the head of a request of HTTP; `rest` is what came behind it.
fn parse_head(head: &[u8], rest: Vec<u8>, keys: &[HeldKey]) -> Result<Request, String> {
    let head = str::from_utf8(head).map_err(|_bytes| "the request is no text".to_owned())?;
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or(head);
    let [method, address, version] = line.split(' ').collect::<Vec<_>>()[..] else {
        return Err("a request begins with a method, an address and a version".to_owned());
    };
    if method == "CONNECT" {
        let target = Target::parse(address, None).map_err(|error| error.to_string())?;
        return Ok(Request {
            target,
            form: Form::Connect,
            first: rest,
            key: None,
        });
    }
    if address.starts_with('/') && !keys.is_empty() {
        let headers: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        return held_key::request(keys, [method, address, version], &headers, &rest);
    }
    let Some(address) = address.strip_prefix("http://") else {
        return Err(
            "this is a proxy: it takes CONNECT, addresses that begin with http://, and SOCKS5"
                .to_owned(),
        );
    };
    let (authority, path) = address
        .find(['/', '?'])
        .map_or((address, ""), |at| address.split_at(at));
    let target = Target::parse(authority, Some(80)).map_err(|error| error.to_string())?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut first = format!(
        "{method} {slash}{path} {version}\r\nHost: {}\r\n",
        host_header(&target)
    );
    for line in lines.take_while(|line| !line.is_empty()) {
        let name = line.split(':').next().unwrap_or(line).trim();
        if !DROPPED
            .iter()
            .any(|dropped| name.eq_ignore_ascii_case(dropped))
        {
            first.push_str(line);
            first.push_str("\r\n");
        }
    }
    // One request a connection: the next one may be for another host.
    first.push_str("Connection: close\r\n\r\n");
    let first = [first.into_bytes(), rest].concat();
    Ok(Request {
        target,
        form: Form::Plain,
        first,
        key: None,
    })
}

fn host_header(target: &Target) -> String {
    let whole = target.to_string();
    let bare = whole.strip_suffix(":80").map(str::to_owned);
    bare.unwrap_or(whole)
}

/// Reads a request of SOCKS behind its first byte.
fn read_socks(stream: &mut (impl Read + Write)) -> io::Result<Request> {
    let methods = read_counted(stream)?;
    let method = if methods.contains(&NO_SIGN_IN) {
        NO_SIGN_IN
    } else {
        NONE_OFFERED
    };
    stream.write_all(&[SOCKS5, method])?;
    if method == NONE_OFFERED {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let [version, command, _reserved, kind] = read_array(stream)?;
    let host = match kind {
        NUMBER_V4 => Ipv4Addr::from(read_array::<4>(stream)?).to_string(),
        NUMBER_V6 => Ipv6Addr::from(read_array::<16>(stream)?).to_string(),
        NAME => String::from_utf8(read_counted(stream)?).map_err(io::Error::other)?,
        _ => return refused_socks(stream, SocksReply::KindUnknown),
    };
    let port = u16::from_be_bytes(read_array(stream)?);
    if (version, command) != (SOCKS5, CONNECT) {
        return refused_socks(stream, SocksReply::CommandUnknown);
    }
    match Target::new(&host, port) {
        Ok(target) => Ok(Request {
            target,
            form: Form::Socks,
            first: Vec::new(),
            key: None,
        }),
        Err(_unreadable) => refused_socks(stream, SocksReply::NotAllowed),
    }
}

fn read_array<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads as many bytes as the first one says.
fn read_counted(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let [count] = read_array(stream)?;
    let mut bytes = vec![0; usize::from(count)];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The answers of SOCKS.
#[derive(Clone, Copy, Debug)]
enum SocksReply {
    Done = 0,
    NotAllowed = 2,
    NotReached = 4,
    CommandUnknown = 7,
    KindUnknown = 8,
}

fn write_socks(stream: &mut impl Write, reply: SocksReply) -> io::Result<()> {
    let [a, b, c, d] = Ipv4Addr::UNSPECIFIED.octets();
    stream.write_all(&[SOCKS5, reply as u8, 0, NUMBER_V4, a, b, c, d, 0, 0])
}

fn refused_socks(stream: &mut impl Write, reply: SocksReply) -> io::Result<Request> {
    write_socks(stream, reply)?;
    Err(io::ErrorKind::InvalidData.into())
}

/// Says that there is a connection; of plain HTTP the host's own answer does.
pub(super) fn accept(stream: &mut impl Write, form: Form) -> io::Result<()> {
    match form {
        Form::Connect => stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n"),
        Form::Plain => Ok(()),
        Form::Socks => write_socks(stream, SocksReply::Done),
    }
}

/// Says that there is none, and why, as far as the protocol has words.
pub(super) fn refuse(
    stream: &mut impl Write,
    (target, form): (&Target, Form),
    refusal: &Refusal,
) -> io::Result<()> {
    let is_failure = refusal.is_failure();
    if form == Form::Socks {
        let reply = if is_failure {
            SocksReply::NotReached
        } else {
            SocksReply::NotAllowed
        };
        return write_socks(stream, reply);
    }
    let (status, reason) = if is_failure {
        (502, "Bad Gateway")
    } else {
        (403, "Forbidden")
    };
    let body = format!("{SPOKEN}{target} is {refusal}\n");
    write_answer(stream, status, reason, &body)
}

fn write_answer(stream: &mut impl Write, status: u16, reason: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes())
}

/// Returns a request of SOCKS, its greeting with it.
#[cfg(test)]
pub(super) fn socks_request(host: &str, port: u16) -> Vec<u8> {
    let mut bytes = vec![SOCKS5, 1, NO_SIGN_IN, SOCKS5, CONNECT, 0];
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(ip)) => {
            bytes.push(NUMBER_V4);
            bytes.extend(ip.octets());
        }
        Ok(std::net::IpAddr::V6(ip)) => {
            bytes.push(NUMBER_V6);
            bytes.extend(ip.octets());
        }
        Err(_name) => {
            bytes.push(NAME);
            bytes.push(u8::try_from(host.len()).unwrap());
            bytes.extend(host.bytes());
        }
    }
    bytes.extend(port.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream with an input, that keeps what is written.
    struct Exchange<'a> {
        input: &'a [u8],
        /// Bytes that are read at once; one, as the worst network has it.
        most: usize,
        output: Vec<u8>,
    }

    impl Read for Exchange<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.most);
            self.input.read(&mut buffer[..most])
        }
    }

    impl Write for Exchange<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.output.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn exchange(input: &[u8]) -> (io::Result<Request>, Vec<u8>) {
        let mut exchange = Exchange {
            input,
            most: 1,
            output: Vec::new(),
        };
        (read(&mut exchange, &[]), exchange.output)
    }

    #[test]
    fn a_request_of_http_names_its_host() {
        for (input, target, form, first) in [
            (
                "CONNECT a.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n",
                "a.example:443",
                Form::Connect,
                "",
            ),
            (
                "GET http://A.example HTTP/1.1\r\nHost: other.example\r\nAccept: */*\r\nProxy-Connection: keep-alive\r\n\r\n",
                "a.example:80",
                Form::Plain,
                "GET / HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nConnection: close\r\n\r\n",
            ),
            (
                "PUT http://a.example:8080/x?y=http://b.example/ HTTP/1.0\r\nProxy-Authorization: Basic eA==\r\n\r\n",
                "a.example:8080",
                Form::Plain,
                "PUT /x?y=http://b.example/ HTTP/1.0\r\nHost: a.example:8080\r\nConnection: close\r\n\r\n",
            ),
            (
                "GET http://[::1]?x HTTP/1.1\r\n\r\n",
                "[::1]:80",
                Form::Plain,
                "GET /?x HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n",
            ),
        ] {
            let (request, output) = exchange(input.as_bytes());
            let request = request.unwrap();
            assert_eq!(
                (request.target.to_string().as_str(), request.form),
                (target, form)
            );
            assert_eq!(String::from_utf8(request.first).unwrap(), first);
            assert!(output.is_empty());
        }
    }

    #[test]
    fn what_came_behind_the_head_is_the_hosts() {
        let input = b"POST http://a.example/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody";
        let mut exchange = Exchange {
            input,
            most: usize::MAX,
            output: Vec::new(),
        };
        let request = read(&mut exchange, &[]).unwrap();
        assert!(request.first.ends_with(b"close\r\n\r\nbody"));
    }

    #[test]
    fn what_is_no_request_is_answered_so() {
        for (input, why) in [
            (
                "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
                "this is a proxy",
            ),
            ("GET https://a.example/ HTTP/1.1\r\n\r\n", "this is a proxy"),
            ("CONNECT a.example HTTP/1.1\r\n\r\n", "the port is a number"),
            (
                "CONNECT 0177.0.0.1:80 HTTP/1.1\r\n\r\n",
                "four decimal numbers",
            ),
            (
                "GET http://u:p@a.example/ HTTP/1.1\r\n\r\n",
                "no name of a host",
            ),
            (
                "GET http://a.example#@b.example/ HTTP/1.1\r\n\r\n",
                "no name of a host",
            ),
            (
                "GET http://a.example\\@b.example/ HTTP/1.1\r\n\r\n",
                "no name of a host",
            ),
            ("GET ftp://a.example/ HTTP/1.1\r\n\r\n", "this is a proxy"),
            ("GET file:///etc/passwd HTTP/1.1\r\n\r\n", "this is a proxy"),
            ("GET //a.example/ HTTP/1.1\r\n\r\n", "this is a proxy"),
            (
                "GET http:///a.example HTTP/1.1\r\n\r\n",
                "no name of a host",
            ),
            (
                "GET http://a.example:80@b.example/ HTTP/1.1\r\n\r\n",
                "no name of a host",
            ),
            ("CONNECT http://a.example:443 HTTP/1.1\r\n\r\n", "the port"),
            (
                "CONNECT a.example:443/x HTTP/1.1\r\n\r\n",
                "no name of a host",
            ),
            ("PRI * HTTP/2.0\r\n\r\n", "this is a proxy"),
            (
                "\x04\x01\x01\u{bb}\x01\x01\x01\x01\0\r\n\r\n",
                "begins with a method",
            ),
            (
                "CONNECT a.example:443 HTTP/1.1 x\r\n\r\n",
                "begins with a method",
            ),
            (
                "CONNECT\ta.example:443\tHTTP/1.1\r\n\r\n",
                "begins with a method",
            ),
        ] {
            let (request, output) = exchange(input.as_bytes());
            let output = String::from_utf8(output).unwrap();
            assert!(
                request.is_err() && output.starts_with("HTTP/1.1 400 "),
                "{input}"
            );
            assert!(output.contains(why), "{input}: {output}");
        }
        let endless = vec![b'x'; LONGEST_HEAD * 2];
        assert!(exchange(&endless).0.is_err());
        assert!(exchange(b"CONNECT a.example:443 HTTP/1.1\r\n").0.is_err());
    }

    #[test]
    fn a_request_of_socks_names_its_host() {
        for (host, expected) in [
            ("a.example", "a.example:443"),
            ("1.1.1.1", "1.1.1.1:443"),
            ("::1", "[::1]:443"),
        ] {
            let (request, output) = exchange(&socks_request(host, 443));
            assert_eq!(request.unwrap().target.to_string(), expected);
            assert_eq!(output, [5, 0]);
        }
        let mut datagrams = socks_request("a.example", 53);
        datagrams[4] = 3;
        let mut listener = socks_request("a.example", 80);
        listener[4] = 2;
        let odd = socks_request("0x7f000001", 80);
        let ended = socks_request("a.example\0.evil", 80);
        for (input, reply) in [(datagrams, 7), (listener, 7), (odd, 2), (ended, 2)] {
            let (request, output) = exchange(&input);
            assert!(request.is_err());
            assert_eq!(output, [5, 0, 5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
        }
        assert_eq!(exchange(&[5, 1, 2]).1, [5, 0xff]);
    }
}
