//! A program that uses a key which it does not have, and the key's host on loopback.

use std::io::{Read as _, Write as _};
use std::sync::mpsc::{Receiver, channel};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig, ServerConnection};

use super::super::held_key::ServiceAddress;
use super::tests::{Pretended, SERVER, Tried, leads, table};
use super::*;

const KEY: &str = "sk-ant-0123456789abcdef";
const PLACEHOLDER: &str = "signoff-fedcba9876543210";
/// A certificate of `a.example` until 2126, and its key.
const CERTIFICATE: &str = "\
    MIIBkjCCATigAwIBAgIURkz7UEDYtIUQ9138pbyQ5y3DJrowCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJYS5leGFt\
    cGxlMCAXDTI2MTEyOTE3MzYyM1oYDzIxMjYxMTA1MTczNjIzWjAUMRIwEAYDVQQDDAlhLmV4YW1wbGUwWTATBgcq\
    hkjOPQIBBggqhkjOPQMBBwNCAATwesJudd7+A9SHXmXlW/fgP5LTLSU9XiInIzsL5Dq/dH15lJHRYlbyrn7AIqgO\
    0UKYL9xYg2ExPpR1Qm3ETbiQo2YwZDAdBgNVHQ4EFgQUyMoeR/tzh3jcZgSS+7kYkSVGdiUwHwYDVR0jBBgwFoAU\
    yMoeR/tzh3jcZgSS+7kYkSVGdiUwFAYDVR0RBA0wC4IJYS5leGFtcGxlMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0E\
    AwIDSAAwRQIhAKLM5/8/Fs79JSgSzBNfeCTSbwK62rln0Mfp2Kr7ta/VAiAtDkCAXbaeaRpHNhHMw5fKwAc5qEmA\
    5BOpBMG0bq+7Bw==";
const CERTIFICATE_KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguX09OxNqGp0X/BUfqPCJvPO0176isKLJsWm87x++\
    GHShRANCAATwesJudd7+A9SHXmXlW/fgP5LTLSU9XiInIzsL5Dq/dH15lJHRYlbyrn7AIqgO0UKYL9xYg2ExPpR1\
    Qm3ETbiQ";

/// Names as they are pretended, and the one certificate.
#[derive(Debug)]
struct Certified(Pretended);

impl Outside for Certified {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        self.0.resolve(host, port)
    }

    fn class(&self, ip: IpAddr) -> AddressClass {
        self.0.class(ip)
    }

    fn trust(&self) -> Result<ClientConfig, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(certificate())?;
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions();
        Ok(config?.with_root_certificates(roots).with_no_client_auth())
    }
}

fn certificate() -> CertificateDer<'static> {
    BASE64_STANDARD
        .decode(CERTIFICATE)
        .expect("a certificate")
        .into()
}

/// Starts a host that answers a request with a redirect, with the head that it was sent as a header and as text. By TLS it is
/// `a.example`. Returns its port, and what it was sent.
fn host(is_secured: bool) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind((SERVER, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (sent, received) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if is_secured {
                let mut stream = rustls::StreamOwned::new(certified(), stream);
                answer(&mut stream, &sent);
                stream.conn.send_close_notify();
                // A client that does not trust the certificate is gone.
                let _gone = stream.flush();
            } else {
                answer(&mut &stream, &sent);
            }
        }
    });
    (port, received)
}

fn certified() -> ServerConnection {
    let key = BASE64_STANDARD.decode(CERTIFICATE_KEY).expect("a key");
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(ring).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_no_client_auth();
    let config = config.with_single_cert(vec![certificate()], PrivatePkcs8KeyDer::from(key).into());
    ServerConnection::new(Arc::new(config.expect("a certificate"))).expect("a connection")
}

fn answer(stream: &mut (impl io::Read + io::Write), sent: &std::sync::mpsc::Sender<String>) {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.ends_with(b"end") {
        match stream.read(&mut piece) {
            Ok(read @ 1..) => head.extend_from_slice(piece.get(..read).expect("bytes")),
            _ => return,
        }
    }
    let head = String::from_utf8(head).expect("text");
    let echo = head.replace("\r\n", " ");
    let answer = format!(
        "HTTP/1.1 302 Found\r\nLocation: http://b.example/\r\nX-Echo: {echo}\r\n\r\n{head}"
    );
    stream.write_all(answer.as_bytes()).expect("a reader");
    sent.send(head).expect("a test");
}

fn held(address: String) -> Vec<HeldKey> {
    let service = ServiceAddress::Named {
        by: "$BASE".to_owned(),
        address,
    };
    let key = HeldKey::new("$KEY".to_owned(), KEY, &service, PLACEHOLDER.to_owned());
    vec![key.expect("a key")]
}

const REQUEST: &str =
    "POST /v1 HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: signoff-fedcba9876543210\r\n\r\nend";

#[test]
fn a_key_goes_to_its_host_alone_and_comes_back_in_no_answer() {
    for is_secured in [false, true] {
        let (port, received) = host(is_secured);
        let scheme = if is_secured { "https" } else { "http" };
        let keys = held(format!("{scheme}://a.example:{port}"));
        let outside = Certified(leads(&[("a.example", &[SERVER]), ("b.example", &[SERVER])]));
        let tried = Tried::with_keys(&table(&[], &[], &[]), outside, Unattended, keys);
        let told = tried.send(REQUEST.as_bytes());
        assert!(
            told.starts_with("HTTP/1.1 302 Found\r\nLocation: http://b.example/"),
            "{told}"
        );
        assert!(
            !told.contains(KEY) && told.matches(&"*".repeat(KEY.len())).count() == 2,
            "{told}"
        );
        let head = received.recv().expect("a request");
        let expected =
            format!("POST /v1 HTTP/1.1\r\nHost: a.example:{port}\r\nx-api-key: {KEY}\r\n");
        assert!(head.starts_with(&expected), "{head}");
        // What has no placeholder, names another host or asks for a tunnel is none of the key's.
        for (request, status) in [
            (REQUEST.replace("signoff-", "other-"), 400),
            (
                REQUEST.replace(" /v1", &format!(" http://a.example:{port}/")),
                403,
            ),
            (REQUEST.replace(" /v1", " http://b.example/"), 403),
            (REQUEST.replace(" /v1", " https://a.example/"), 400),
            (format!("CONNECT a.example:{port} HTTP/1.1\r\n\r\n"), 403),
        ] {
            let told = tried.send(request.as_bytes());
            assert!(
                told.starts_with(&format!("HTTP/1.1 {status} ")),
                "{request}: {told}"
            );
        }
        assert!(received.try_recv().is_err());
        let traffic = tried.broker.traffic().by_host();
        let own = traffic
            .iter()
            .find(|host| host.connections > 0)
            .expect("traffic");
        assert_eq!(
            (own.host.as_str(), own.port, own.connections),
            ("a.example", port, 1)
        );
    }
}

#[test]
fn the_host_of_a_key_is_judged_by_rules_addresses_and_certificate() {
    let (port, received) = host(true);
    for (address, deny, status, why) in [
        (
            format!("https://a.example:{port}"),
            "a.example:*",
            403,
            "refused by `deny a.example:*`",
        ),
        (
            format!("https://b.example:{port}"),
            "c.example",
            502,
            "not reached: invalid peer certificate",
        ),
        (
            "http://metadata.example".to_owned(),
            "c.example",
            403,
            "which no rule allows",
        ),
        (
            "https://none.example".to_owned(),
            "c.example",
            502,
            "not found",
        ),
    ] {
        let outside = Certified(leads(&[
            ("a.example", &[SERVER]),
            ("b.example", &[SERVER]),
            ("metadata.example", &["169.254.169.254"]),
        ]));
        let keys = held(address.clone());
        let tried = Tried::with_keys(&table(&[], &[], &[deny]), outside, Unattended, keys);
        let told = tried.send(REQUEST.as_bytes());
        assert!(
            told.starts_with(&format!("HTTP/1.1 {status} ")),
            "{address}: {told}"
        );
        assert!(told.contains(why), "{address}: {told}");
    }
    assert!(received.try_recv().is_err());
    // A service's own address is public, and a named one may be inside.
    let service = ServiceAddress::Public("http://inside.example");
    let own = HeldKey::new(String::new(), KEY, &service, PLACEHOLDER.to_owned()).expect("a key");
    let outside = leads(&[("inside.example", &["10.0.0.1"])]);
    let tried = Tried::with_keys(&table(&[], &[], &[]), outside, Unattended, vec![own]);
    let told = tried.send(REQUEST.as_bytes());
    assert!(told.contains("10.0.0.1 is a private address"), "{told}");
}

#[test]
fn an_answer_is_passed_on_as_it_comes_and_left_with_its_program() {
    let listener = TcpListener::bind((SERVER, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let keys = held(format!("http://a.example:{port}"));
    let outside = leads(&[("a.example", &[SERVER])]);
    let tried = Tried::with_keys(&table(&[], &[], &[]), outside, Unattended, keys);
    let mut program = TcpStream::connect(tried.listener).expect("a listener");
    program.write_all(REQUEST.as_bytes()).expect("a reader");
    let (mut host, _) = listener.accept().expect("a connection");
    let mut piece = [0; 4096];
    for event in [
        &b"HTTP/1.1 200 OK\r\n\r\n"[..],
        b"data: 1\n\n",
        b"data: 2\n\n",
    ] {
        host.write_all(event).expect("a reader");
        let read = program.read(&mut piece).expect("an event");
        assert_eq!(piece.get(..read), Some(event));
    }
    // More than is kept for a program that does not read.
    let long = vec![b'x'; 8 << 20];
    let sent = thread::spawn(move || host.write_all(&long).map(|()| host));
    let mut taken = vec![0; 8 << 20];
    program.read_exact(&mut taken).expect("all of it");
    let mut host = sent.join().expect("a thread").expect("a reader");
    drop(program);
    let mut rest = Vec::new();
    host.read_to_end(&mut rest).expect("the end");
}
