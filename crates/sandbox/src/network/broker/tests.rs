//! A broker between a program and hosts on loopback, which stand for public ones; nothing outside is asked.

use std::io::{Read as _, Write as _};
use std::net::Ipv4Addr;
use std::sync::atomic::AtomicUsize;

use super::super::request::socks_request;
use super::super::rule::{NetworkTable, RuleSource};
use super::*;

/// Names that lead to loopback, which is public here; every other address has its usual class.
#[derive(Debug, Default)]
pub(super) struct Pretended {
    /// Answers, one look-up after the other; the last one stays.
    answers: HashMap<&'static str, Vec<Vec<&'static str>>>,
    looked_up: Arc<AtomicUsize>,
}

pub(super) const SERVER: &str = "127.0.0.1";

impl Outside for Pretended {
    fn resolve(&self, host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        let number = self.looked_up.fetch_add(1, Ordering::Relaxed);
        let answers = self.answers.get(host);
        let answers = answers.ok_or_else(|| io::Error::other("no such host"))?;
        let answer = answers.get(number).or(answers.last()).expect("an answer");
        // The port that a resolver says is not the one to be asked.
        let numbers = answer.iter().map(|ip| ip.parse().expect("an address"));
        Ok(numbers.map(|ip| SocketAddr::new(ip, 9)).collect())
    }

    fn class(&self, ip: IpAddr) -> AddressClass {
        if ip == IpAddr::V4(Ipv4Addr::LOCALHOST) {
            AddressClass::Public
        } else {
            AddressClass::of(ip)
        }
    }
}

/// Answers each question the same way, and counts them.
#[derive(Debug)]
struct Always(HostAnswer, Arc<AtomicUsize>);

impl HostAsker for Always {
    fn ask(&self, _target: &Target) -> HostAnswer {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.clone()
    }
}

/// Starts a server that answers each connection with `answer` once it has read something. Returns its port.
fn server(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind((SERVER, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut piece = [0; 1024];
                let read = (&stream).read(&mut piece).expect("a request");
                let echoed = [answer, piece.get(..read).expect("bytes")].concat();
                (&stream).write_all(&echoed).expect("a reader");
            });
        }
    });
    port
}

pub(super) struct Tried {
    pub(super) broker: Broker,
    pub(super) listener: SocketAddr,
}

impl Tried {
    fn new(table: &NetworkTable, outside: Pretended, asker: impl HostAsker + 'static) -> Self {
        Self::with_keys(table, outside, asker, Vec::new())
    }

    pub(super) fn with_keys(
        table: &NetworkTable,
        outside: impl Outside + 'static,
        asker: impl HostAsker + 'static,
        keys: Vec<HeldKey>,
    ) -> Self {
        let rules = NetworkRules::of_table(table, RuleSource::User).expect("rules");
        let broker =
            Broker::new(rules, Upstream::default(), outside, asker, keys).expect("a broker");
        let listener = TcpListener::bind((SERVER, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        broker.shared.begin(listener, &broker.stop);
        Self {
            broker,
            listener: address,
        }
    }

    /// Sends bytes, and returns all that comes back.
    pub(super) fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.listener).expect("a listener");
        stream.write_all(bytes).expect("a reader");
        let mut answer = Vec::new();
        // Of a connection that is closed with something unread, what came before.
        let _reset = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn connect(&self, target: &str) -> String {
        self.send(format!("CONNECT {target} HTTP/1.1\r\n\r\nhello").as_bytes())
    }
}

pub(super) fn table(allow: &[String], inside: &[&str], deny: &[&str]) -> NetworkTable {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    NetworkTable {
        allow: allow.to_vec(),
        inside: words(inside),
        deny: words(deny),
    }
}

pub(super) fn leads(names: &[(&'static str, &[&'static str])]) -> Pretended {
    let answers = names.iter().map(|(name, ips)| (*name, vec![ips.to_vec()]));
    Pretended {
        answers: answers.collect(),
        ..Pretended::default()
    }
}

#[test]
fn an_allowed_host_is_reached_in_each_form_and_counted() {
    let port = server(b"HTTP/1.1 200 OK\r\n\r\n");
    let allow = [format!("a.example:{port}")];
    let tried = Tried::new(
        &table(&allow, &[], &[]),
        leads(&[("a.example", &[SERVER])]),
        Unattended,
    );
    let answer = tried.connect(&format!("A.example.:{port}"));
    assert!(
        answer.starts_with("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK"),
        "{answer}"
    );
    assert!(answer.ends_with("hello"), "{answer}");

    let plain = format!("GET http://a.example:{port}/x HTTP/1.1\r\nHost: b.example\r\n\r\n");
    let answer = tried.send(plain.as_bytes());
    let seen = format!("GET /x HTTP/1.1\r\nHost: a.example:{port}\r\nConnection: close\r\n\r\n");
    assert_eq!(answer, format!("HTTP/1.1 200 OK\r\n\r\n{seen}"));

    let socks = [socks_request("a.example", port), b"hello".to_vec()].concat();
    let answer = tried.send(&socks);
    assert!(answer.ends_with("HTTP/1.1 200 OK\r\n\r\nhello"), "{answer}");

    let all = tried.broker.traffic().by_host();
    let [host] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!(
        (host.host.as_str(), host.connections, host.refused),
        ("a.example", 3, 0)
    );
    assert_eq!(host.sent, (5 + seen.len() + 5) as u64);
}

const PRIVATE: &str = "is a private address";
const RESERVED: &str = "is an address that is set aside";

/// Names, and where they lead.
const NAMES: [(&str, &[&str]); 27] = [
    ("rebound.example", &["10.0.0.1"]),
    ("mixed.example", &[SERVER, "192.168.1.1"]),
    ("loop.example", &["127.0.0.2"]),
    ("localhost", &["::1"]),
    ("mapped.example", &["::ffff:10.0.0.1"]),
    ("nat64.example", &["64:ff9b::a00:1"]),
    ("sixtofour.example", &["2002:a00:1::"]),
    ("teredo.example", &["2001::1"]),
    ("link.example", &["fe80::1"]),
    ("shared.example", &["100.64.0.1"]),
    ("any.example", &["0.0.0.0"]),
    ("many.example", &["224.0.0.1"]),
    ("cloud.example", &["169.254.169.254"]),
    ("cloud6.example", &["fd00:ec2::254"]),
    ("cloudmapped.example", &["::ffff:169.254.169.254"]),
    ("azure.example", &["168.63.129.16"]),
    ("pods.example", &["169.254.170.23"]),
    ("unique.example", &["fd12:3456::1"]),
    ("compatible.example", &["::10.0.0.1"]),
    ("translated.example", &["64:ff9b:1::a00:1"]),
    ("multicast6.example", &["ff02::1"]),
    ("late.example", &[SERVER, SERVER, SERVER, "10.0.0.1"]),
    ("nexus.example", &["169.254.169.254"]),
    ("a.example", &[SERVER]),
    ("a.example.evil", &[SERVER]),
    ("aexample", &[SERVER]),
    ("ads.example", &[SERVER]),
];

/// What is asked for, the status of the answer, and what it says: names that rules allow, and that lead where none leads.
const LED_ASTRAY: [(&str, u16, &str); 27] = [
    ("rebound.example:443", 403, PRIVATE),
    ("mixed.example:443", 403, PRIVATE),
    ("loop.example:443", 403, "loopback"),
    ("localhost:80", 403, "loopback"),
    ("LOCALHOST.:80", 403, "loopback"),
    ("mapped.example:443", 403, PRIVATE),
    ("nat64.example:443", 403, PRIVATE),
    ("sixtofour.example:443", 403, PRIVATE),
    ("teredo.example:443", 403, RESERVED),
    ("link.example:443", 403, "link-local"),
    ("shared.example:443", 403, PRIVATE),
    ("any.example:443", 403, RESERVED),
    ("many.example:443", 403, RESERVED),
    ("cloud.example:443", 403, "metadata"),
    ("cloud6.example:443", 403, "metadata"),
    ("cloudmapped.example:443", 403, "metadata"),
    ("azure.example:80", 403, "metadata"),
    ("pods.example:80", 403, "metadata"),
    ("unique.example:443", 403, PRIVATE),
    ("compatible.example:443", 403, PRIVATE),
    ("translated.example:443", 403, RESERVED),
    ("multicast6.example:443", 403, RESERVED),
    ("late.example:443", 403, PRIVATE),
    ("nexus.example:443", 403, "which no rule allows"),
    ("none.example:443", 502, "not found: no such host"),
    ("ads.example:443", 403, "refused by `deny ads.example`"),
    ("ADS.example.:443", 403, "refused by `deny ads.example`"),
];

/// The same of what no rule is about, and of what has no one meaning.
const NEVER_LOOKED_UP: [(&str, u16, &str); 43] = [
    ("a.example.evil:443", 403, "no rule allows it"),
    ("aexample:443", 403, "no rule allows it"),
    ("example:443", 403, "no rule allows it"),
    ("a.example:22", 403, "no rule allows it"),
    ("a.example:25", 403, "no rule allows it"),
    ("1.1.1.1:22", 403, "no rule allows it"),
    ("127.0.0.3:80", 403, "loopback"),
    ("10.0.0.1:80", 403, PRIVATE),
    ("169.254.169.254:80", 403, "which no rule allows"),
    ("[::ffff:169.254.169.254]:80", 403, "which no rule allows"),
    ("[fd00:ec2::254]:80", 403, "which no rule allows"),
    ("[::1]:80", 403, "loopback"),
    ("2852039166:80", 400, "four decimal numbers"),
    ("0xa9fea9fe:80", 400, "four decimal numbers"),
    ("0251.0376.0251.0376:80", 400, "four decimal numbers"),
    ("169.254.43518:80", 400, "four decimal numbers"),
    ("a.example\u{a0}:443", 400, "xn--"),
    ("a.example%00.evil:443", 400, "no name"),
    ("a.example@evil:443", 400, "no name"),
    ("a.example#evil:443", 400, "no name"),
    ("a..example:443", 400, "no name"),
    ("a.example:443:22", 400, "the port"),
    ("a.example:0", 400, "the port"),
    ("a.example:70000", 400, "the port"),
    // A tunnel of names: what is looked up would carry them to whoever serves the zone.
    ("c2VjcmV0.c2VjcmV0.evil.test:443", 403, "no rule allows it"),
    ("a.example.:53", 403, "no rule allows it"),
    ("8.8.8.8:53", 403, "no rule allows it"),
    ("[2001:4860:4860::8888]:53", 403, "no rule allows it"),
    ("168.63.129.16:80", 403, "which no rule allows"),
    ("[64:ff9b::a9fe:a9fe]:80", 403, "which no rule allows"),
    ("[2002:a9fe:a9fe::]:80", 403, "which no rule allows"),
    ("[::169.254.169.254]:80", 403, "which no rule allows"),
    ("[::]:80", 403, RESERVED),
    ("0.0.0.0:80", 403, RESERVED),
    ("255.255.255.255:80", 403, RESERVED),
    ("[fe80::1%25lo]:80", 400, "four decimal numbers"),
    ("127.0.0.4.:80", 403, "loopback"),
    ("xn--a-ecp.test:443", 403, "no rule allows it"),
    ("a.example\u{ff0e}evil:443", 400, "xn--"),
    ("*.example:443", 400, "no name"),
    ("a.example,b.evil:443", 400, "no name"),
    ("a.example b.evil:443", 400, "begins with a method"),
    ("unix:/run/docker.sock:443", 400, "the port"),
];

fn are_refused(tried: &Tried, rows: &[(&str, u16, &str)]) {
    for (target, status, why) in rows {
        let answer = tried.connect(target);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {answer}"
        );
        assert!(answer.contains(why), "{target}: {answer}");
    }
}

/// Nothing of it reaches a server, and what a rule is not about is not even looked up.
#[test]
fn attacks_on_rules_and_addresses_are_refused_with_words() {
    let outside = leads(&NAMES);
    let looked_up = Arc::clone(&outside.looked_up);
    let allow: Vec<String> = ["*.example", "localhost", "1.1.1.1"]
        .map(str::to_owned)
        .into();
    let rules = table(&allow, &["nexus.example"], &["ads.example"]);
    let tried = Tried::new(&rules, outside, Unattended);
    are_refused(&tried, &LED_ASTRAY);
    let looked_up_before = looked_up.load(Ordering::Relaxed);
    are_refused(&tried, &NEVER_LOOKED_UP);
    assert_eq!(looked_up.load(Ordering::Relaxed), looked_up_before);
    let reached = tried.broker.traffic().by_host();
    assert!(
        reached.iter().all(|host| host.connections == 0),
        "{reached:?}"
    );
}

#[test]
fn a_name_is_looked_up_once_for_each_connection() {
    let port = server(b"ok");
    let outside = Pretended {
        // A name that leads elsewhere once it was judged.
        answers: HashMap::from([("a.example", vec![vec![SERVER], vec!["10.0.0.1"]])]),
        ..Pretended::default()
    };
    let looked_up = Arc::clone(&outside.looked_up);
    let allow = [format!("a.example:{port}")];
    let tried = Tried::new(&table(&allow, &[], &[]), outside, Unattended);
    assert!(
        tried
            .connect(&format!("a.example:{port}"))
            .ends_with("okhello")
    );
    assert_eq!(looked_up.load(Ordering::Relaxed), 1);
    let second = tried.connect(&format!("a.example:{port}"));
    assert!(second.contains("10.0.0.1 is a private address"), "{second}");
}

#[test]
fn an_answer_that_leads_to_another_host_is_a_request_of_its_own() {
    let moved = b"HTTP/1.1 302 Found\r\nLocation: http://b.example/\r\n\r\n";
    let port = server(moved);
    let allow = [format!("a.example:{port}")];
    let tried = Tried::new(
        &table(&allow, &[], &[]),
        leads(&[("a.example", &[SERVER])]),
        Unattended,
    );
    let answer = tried.send(format!("GET http://a.example:{port}/ HTTP/1.1\r\n\r\n").as_bytes());
    assert!(answer.contains("302"), "{answer}");
    assert!(
        tried
            .send(b"GET http://b.example/ HTTP/1.1\r\n\r\n")
            .starts_with("HTTP/1.1 403 ")
    );
}

#[test]
fn what_is_smuggled_behind_a_request_goes_to_the_host_of_that_request() {
    let port = server(b"ok");
    let outside = leads(&[("a.example", &[SERVER]), ("b.example", &[SERVER])]);
    let looked_up = Arc::clone(&outside.looked_up);
    let allow = [format!("a.example:{port}")];
    let tried = Tried::new(&table(&allow, &[], &[]), outside, Unattended);
    let behind = [
        b"GET http://b.example/ HTTP/1.1\r\n\r\n".to_vec(),
        b"CONNECT b.example:443 HTTP/1.1\r\n\r\n".to_vec(),
        socks_request("b.example", 443),
    ];
    for behind in &behind {
        for form in ["CONNECT a.example:PORT", "GET http://a.example:PORT/"] {
            let first = form.replace("PORT", &port.to_string()) + " HTTP/1.1\r\n\r\n";
            let answer = tried.send(&[first.as_bytes(), behind].concat());
            assert!(answer.contains("ok"), "{answer}");
        }
    }
    assert_eq!(looked_up.load(Ordering::Relaxed), 6);
    let reached = tried.broker.traffic().by_host();
    let hosts: Vec<&str> = reached.iter().map(|host| host.host.as_str()).collect();
    assert_eq!(hosts, ["a.example"]);
}

#[test]
fn an_unknown_host_is_one_question() {
    let port = server(b"ok");
    for (answer, status) in [
        (HostAnswer::Allowed, "HTTP/1.1 200 "),
        (
            HostAnswer::Refused {
                reason: Some("not now".to_owned()),
            },
            "HTTP/1.1 403 ",
        ),
    ] {
        let asked = Arc::new(AtomicUsize::new(0));
        let asker = Always(answer.clone(), Arc::clone(&asked));
        let outside = leads(&[("a.example", &[SERVER]), ("b.example", &["10.0.0.1"])]);
        let tried = Tried::new(&table(&[], &[], &[]), outside, asker);
        for _ in 0..3 {
            let told = tried.connect(&format!("a.example:{port}"));
            assert!(told.starts_with(status), "{told}");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        // The user's answer is about a host of the public network.
        assert!(tried.connect("b.example:443").starts_with("HTTP/1.1 403 "));
        // What no answer would allow is no question.
        let before = asked.load(Ordering::Relaxed);
        tried.connect("169.254.169.254:80");
        tried.connect("10.0.0.1:80");
        assert_eq!(asked.load(Ordering::Relaxed), before);
    }
}

#[test]
fn a_program_that_makes_names_up_is_not_asked_about_forever() {
    let asked = Arc::new(AtomicUsize::new(0));
    let asker = Always(HostAnswer::Refused { reason: None }, Arc::clone(&asked));
    let tried = Tried::new(&table(&[], &[], &[]), leads(&[]), asker);
    for number in 0..MOST_QUESTIONS + 5 {
        tried.connect(&format!("a{number}.example:443"));
    }
    assert_eq!(asked.load(Ordering::Relaxed), MOST_QUESTIONS);
    let told = tried.connect("one-more.example:443");
    assert!(told.contains("the user was asked about 10 hosts"), "{told}");
    // Where nobody can be asked, that is the reason, however many there are.
    let tried = Tried::new(&table(&[], &[], &[]), leads(&[]), Unattended);
    for number in 0..MOST_QUESTIONS + 5 {
        let told = tried.connect(&format!("a{number}.example:443"));
        assert!(told.contains("no rule allows it"), "{told}");
    }
}

#[test]
fn a_connection_ends_with_its_broker() {
    let listener = TcpListener::bind((SERVER, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let allow = [format!("a.example:{port}")];
    let tried = Tried::new(
        &table(&allow, &[], &[]),
        leads(&[("a.example", &[SERVER])]),
        Unattended,
    );
    let mut program = TcpStream::connect(tried.listener).expect("a listener");
    let request = format!("CONNECT a.example:{port} HTTP/1.1\r\n\r\n");
    program.write_all(request.as_bytes()).expect("a reader");
    let (mut host, _) = listener.accept().expect("a connection");
    let mut status = [0; 12];
    program.read_exact(&mut status).expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 200");
    drop(tried);
    // The host says nothing and closes nothing.
    assert_eq!(host.read(&mut [0]).expect("its end"), 0);
    let mut rest = Vec::new();
    program.read_to_end(&mut rest).expect("its end");
}

#[test]
fn hosts_are_reached_through_the_proxy_of_the_network() {
    let proxy = server(b"HTTP/1.1 200 OK\r\n\r\n");
    let named = format!("http://u:p@127.0.0.1:{proxy}");
    let upstream = Upstream::of_variables(|name| (name == "HTTPS_PROXY").then(|| named.clone()));
    let rules = NetworkRules::of_table(
        &table(&["a.example".to_owned()], &[], &[]),
        RuleSource::User,
    );
    let outside = leads(&[]);
    let looked_up = Arc::clone(&outside.looked_up);
    let broker = Broker::new(
        rules.expect("rules"),
        upstream.expect("a proxy"),
        outside,
        Unattended,
        Vec::new(),
    );
    let broker = broker.expect("a broker");
    let target = |name| Target::new(name, 443).expect("a host");
    let connected = broker
        .shared
        .connect(&target("a.example"), None)
        .expect("a connection");
    // The proxy of this test says what it was asked; it may come a moment later.
    let mut told = connected.early;
    (&connected.host).read_to_end(&mut told).expect("its end");
    let told = String::from_utf8_lossy(&told);
    assert!(
        told.starts_with("CONNECT a.example:443 ") && told.contains("Basic dTpw"),
        "{told}"
    );
    assert!(broker.shared.connect(&target("b.example"), None).is_err());
    assert!(matches!(
        broker
            .shared
            .connect(&Target::new("169.254.169.254", 80).expect("a host"), None),
        Err(Refusal::Never { .. })
    ));
    assert_eq!(looked_up.load(Ordering::Relaxed), 0);
}
