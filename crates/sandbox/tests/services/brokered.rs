//! A program whose network is a broker: it reaches hosts that rules allow, and nothing past them.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;
use std::thread;

use signoff_sandbox::network::{
    Broker, NetworkRules, Outside, RuleSource, Unattended, Upstream, Verdict,
};
use signoff_sandbox::process::Limits;
use signoff_sandbox::shadow::{Launch, Origin, Shadow, run_fed};
use signoff_source::address::AddressClass;

use crate::place::{LONG, Place};

/// Every name leads to this machine, which is public here.
#[derive(Debug)]
struct Pretended;

impl Outside for Pretended {
    fn resolve(&self, _host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))])
    }

    fn class(&self, _ip: IpAddr) -> AddressClass {
        AddressClass::Public
    }
}

/// What is tried, as lines of bash that print a word each; `PORT` is that of a server outside.
const TRIED: [(&str, &str); 25] = [
    ("ask a.example:PORT hello", "200 hello"),
    ("ask A.EXAMPLE.:PORT hello", "200 hello"),
    ("ask a.example:22 hello", "403"),
    ("ask b.example:PORT hello", "403"),
    ("ask a.example.evil:PORT hello", "403"),
    ("ask 127.0.0.1:PORT hello", "403"),
    // The server itself, on the loopback of the machine.
    ("reach 127.0.0.1 PORT", "no"),
    // Nothing else leads out; there is not even an address to send from.
    ("reach 192.0.2.1 80", "no"),
    ("reach ::1 PORT", "no"),
    ("reach 2001:db8::1 80", "no"),
    ("reach 169.254.169.254 80", "no"),
    ("reach 10.0.2.2 80", "no"),
    ("reach fe80::1 80", "no"),
    // Names lead nowhere, and there is nobody to carry them.
    ("reach a.example 80", "no"),
    ("reach 127.0.0.1 53", "no"),
    ("reach 127.0.0.53 53", "no"),
    ("send 8.8.8.8 53", "no"),
    ("send 255.255.255.255 9", "no"),
    ("send 224.0.0.251 5353", "no"),
    // Another namespace is not entered, and what is bound below it is not the listener.
    ("nsenter -t 1 -n true 2>/dev/null; echo $?", "1"),
    ("ip link add up type dummy 2>/dev/null || echo no", "no"),
    (
        "echo $(ls /run/docker.sock /run/dbus /run/user 2>/dev/null | wc -l)",
        "0",
    ),
    // What the program inherits.
    ("echo $(ls /proc/self/fd | wc -l)", "4"),
    (
        "echo $HTTPS_PROXY $NO_PROXY",
        "http://127.0.0.1:1000 localhost,127.0.0.1,::1",
    ),
    // Abstract sockets of others, as those of X servers and buses.
    ("echo $(grep -c @ /proc/net/unix)", "0"),
];

const SCRIPT: &str = r"
ask() {
  exec 3<>/dev/tcp/127.0.0.1/1000
  printf 'CONNECT %s HTTP/1.1\r\n\r\n' $1 >&3
  read -r _ status _ <&3
  if [ $status = 200 ]; then
    read -r _ <&3
    echo $2 >&3
    read -r said <&3
  fi
  exec 3>&-
  echo $status $said
  said=
}
send() {
  if (exec 4<>/dev/udp/$1/$2; echo name >&4) 2>/dev/null; then echo yes; else echo no; fi
}
reach() {
  if (exec 4<>/dev/tcp/$1/$2) 2>/dev/null; then echo yes; else echo no; fi
}
";

pub(crate) fn reaches_only_the_hosts_of_its_rules(place: &Place) {
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = server.local_addr().expect("an address").port().to_string();
    thread::spawn(move || {
        for mut stream in server.incoming().flatten() {
            let mut line = [0; 6];
            stream.read_exact(&mut line).expect("a line");
            stream.write_all(&line).expect("a reader");
        }
    });
    let mut rules = NetworkRules::default();
    rules
        .allow(&[format!("a.example:{port}")], RuleSource::Flag)
        .expect("a rule");
    let broker = Broker::new(
        rules,
        Upstream::default(),
        Pretended,
        Unattended,
        Vec::new(),
    )
    .expect("a broker");
    let mut shadow = Shadow::open(place.setup.clone(), Origin::Hooks).expect("a slot");
    shadow.connect_by(broker).expect("a socket");
    shadow.stage(Vec::new()).expect("room");
    let lines = TRIED
        .map(|(line, _)| line.replace("PORT", &port))
        .join("\n");
    let arguments: [OsString; 2] = ["-c".into(), format!("{SCRIPT}{lines}").into()];
    let launch = Launch {
        name: OsStr::new("/bin/bash"),
        arguments: &arguments,
        folder: None,
        variables: &[],
    };
    let limits = Limits {
        timeout: LONG,
        most_bytes: 10_000,
    };
    let ran = run_fed(shadow, &launch, Vec::new(), limits, &AtomicBool::new(false));
    let (report, shadow) = ran.expect("it runs");
    let out = report.out.text();
    let said: Vec<&str> = out.lines().map(str::trim).collect();
    let expected = TRIED.map(|(_, expected)| expected);
    assert_eq!(said, expected, "{}", report.err.text());
    let hosts = shadow.traffic().expect("a broker").by_host();
    let reached = hosts.iter().filter(|host| host.connections > 0);
    let reached: Vec<(&str, usize, u64)> = reached
        .map(|host| (host.host.as_str(), host.connections, host.sent))
        .collect();
    assert_eq!(reached, [("a.example", 2, 12)]);
    let refused = hosts
        .iter()
        .filter(|host| matches!(host.verdict, Verdict::Refused { .. }));
    assert_eq!(refused.count(), 4, "{hosts:?}");
}
