//! The broker: connects one program to the hosts that rules and the user allow.
//!
//! In: listeners in the program's network namespace, which the program reaches by [`super::PORT`]. Out: connections, and
//! [`Traffic`]. It runs on threads of signoff's own process, outside of the namespace, until it is dropped.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;
use signoff_source::address::AddressClass;

use super::held_key::{HeldKey, KeyFilter};
use super::host::Target;
use super::keyed_exchange::{self, HostSide};
use super::refusal::Refusal;
use super::request::{self, Request};
use super::rule::{Judgement, NetworkRules};
use super::traffic::{Traffic, Verdict};
use super::tunnel;
use super::upstream::Upstream;

/// How long a program may take for its request, and a host or a proxy to be connected to.
const PATIENCE: Duration = Duration::from_secs(20);
/// Connections at once. A package manager has up to 64; each has two threads here, and the rest is closed at once.
const MOST_CONNECTIONS: usize = 256;
/// Hosts that the user is asked about during one command. One that makes names up would keep them answering.
const MOST_QUESTIONS: usize = 10;

/// What is outside: names, and what their addresses are.
pub trait Outside: fmt::Debug + Send + Sync {
    /// Looks a name up.
    ///
    /// # Errors
    ///
    /// Fails if it is not found.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;

    /// Returns the class of an address as seen from this machine.
    fn class(&self, ip: IpAddr) -> AddressClass;

    /// Returns how a host that signoff itself speaks to proves who it is: by a certificate that the system trusts.
    ///
    /// # Errors
    ///
    /// Fails if the system has no certificates.
    fn trust(&self) -> Result<ClientConfig, rustls::Error> {
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions()?;
        Ok(config.with_platform_verifier()?.with_no_client_auth())
    }
}

/// The network as this machine has it: the system's resolver, and a function that knows the machine's own addresses.
#[derive(Clone, Copy, Debug)]
pub struct Internet {
    /// Returns the class of an address as seen from this machine.
    pub class: fn(IpAddr) -> AddressClass,
}

impl Outside for Internet {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }

    fn class(&self, ip: IpAddr) -> AddressClass {
        (self.class)(ip)
    }
}

/// The user's word on a host that no rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAnswer {
    /// This command may reach it.
    Allowed,
    /// It may not.
    Refused {
        /// In the user's words.
        reason: Option<String>,
    },
    /// Nobody can be asked.
    NotAsked,
}

/// Whoever asks the user.
pub trait HostAsker: fmt::Debug + Send + Sync {
    /// Asks about a host, and waits for the answer.
    fn ask(&self, target: &Target) -> HostAnswer;
}

/// Nobody is there to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Unattended;

impl HostAsker for Unattended {
    fn ask(&self, _target: &Target) -> HostAnswer {
        HostAnswer::NotAsked
    }
}

/// The broker of one program.
#[derive(Debug)]
pub struct Broker {
    shared: Arc<Shared>,
    /// Closed when this is dropped, which every thread sees that waits for a connection.
    _running: io::PipeWriter,
    stop: Arc<io::PipeReader>,
}

#[derive(Debug)]
struct Shared {
    rules: NetworkRules,
    outside: Box<dyn Outside>,
    asker: Box<dyn HostAsker>,
    upstream: Upstream,
    /// Keys that the program uses and does not have.
    keys: Vec<HeldKey>,
    /// Made with the first connection that needs it: certificates are read.
    trust: OnceLock<Arc<ClientConfig>>,
    traffic: Traffic,
    /// What the user answered about hosts during this command. Locked while a question is open: there is one at a time.
    answers: Mutex<HashMap<Target, HostAnswer>>,
    /// Both ends of each connection, to be closed with the program.
    open: Mutex<HashMap<u64, Vec<TcpStream>>>,
    next: AtomicU64,
}

/// A connection to a host.
#[derive(Debug)]
struct Connected {
    host: TcpStream,
    /// What it said already.
    early: Vec<u8>,
    /// The rule that allows it.
    by: String,
    /// How it is spoken to, where signoff itself speaks.
    side: HostSide,
}

impl Broker {
    /// Returns a broker that serves nobody yet. Requests to its listener itself go to the hosts of `keys`, with the key.
    ///
    /// # Errors
    ///
    /// Fails if the system has no descriptor left.
    pub fn new(
        rules: NetworkRules,
        upstream: Upstream,
        outside: impl Outside + 'static,
        asker: impl HostAsker + 'static,
        keys: Vec<HeldKey>,
    ) -> io::Result<Self> {
        let (stop, running) = io::pipe()?;
        Ok(Self {
            shared: Arc::new(Shared {
                rules,
                outside: Box::new(outside),
                asker: Box::new(asker),
                upstream,
                keys,
                trust: OnceLock::new(),
                traffic: Traffic::default(),
                answers: Mutex::default(),
                open: Mutex::default(),
                next: AtomicU64::new(0),
            }),
            _running: running,
            stop: Arc::new(stop),
        })
    }

    /// Returns the traffic so far.
    pub fn traffic(&self) -> &Traffic {
        &self.shared.traffic
    }

    /// Serves a listener on this machine's own loopback, for a program that has no network of its own, and returns its port.
    /// Who does not know a placeholder is refused there as every program is.
    ///
    /// # Errors
    ///
    /// Fails if there is no port or no descriptor left.
    pub fn serve_here(&self) -> io::Result<u16> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        self.shared.begin(listener, &self.stop);
        Ok(port)
    }

    /// Serves each listener that is handed over through a socket, until this is dropped.
    #[cfg(target_os = "linux")]
    pub(crate) fn serve(&self, handover: std::os::unix::net::UnixListener) {
        let (shared, stop) = (Arc::clone(&self.shared), Arc::clone(&self.stop));
        thread::spawn(move || {
            while wait(&handover, &stop) {
                let handed = handover
                    .accept()
                    .and_then(|(socket, _)| crate::descriptor::receive(&socket));
                // Who hands over no listener has no network.
                if let Ok(listener) = handed {
                    shared.begin(listener.into(), &stop);
                }
            }
        });
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        for stream in self.shared.open().drain().flat_map(|(_, both)| both) {
            let _gone = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Waits for something to take; false once the broker is gone.
fn wait(source: &impl std::os::fd::AsFd, stop: &io::PipeReader) -> bool {
    loop {
        let mut both = [
            PollFd::new(source, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        match poll(&mut both, None) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return both.last().is_some_and(|stop| stop.revents().is_empty()),
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Vec<TcpStream>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a listener on a thread.
    fn begin(self: &Arc<Self>, listener: TcpListener, stop: &Arc<io::PipeReader>) {
        let (shared, stop) = (Arc::clone(self), Arc::clone(stop));
        thread::spawn(move || shared.listen(&listener, &stop));
    }

    fn listen(self: &Arc<Self>, listener: &TcpListener, stop: &io::PipeReader) {
        while wait(listener, stop) {
            let Ok((stream, _)) = listener.accept() else {
                continue;
            };
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            // One more is closed here: the program sees no answer.
            if !self.keep(number, &stream) {
                continue;
            }
            let shared = Arc::clone(self);
            thread::spawn(move || {
                // The program was answered, or is gone.
                let _answered = shared.serve(number, stream);
                shared.open().remove(&number);
            });
        }
    }

    /// Keeps an end of a connection, to be closed later; false if there are too many.
    fn keep(&self, number: u64, stream: &TcpStream) -> bool {
        let Ok(stream) = stream.try_clone() else {
            return false;
        };
        let mut open = self.open();
        let has_room = open.len() < MOST_CONNECTIONS || open.contains_key(&number);
        if has_room {
            open.entry(number).or_default().push(stream);
        }
        has_room
    }

    /// Serves one connection of the program.
    fn serve(&self, number: u64, mut program: TcpStream) -> io::Result<()> {
        program.set_nodelay(true)?;
        program.set_read_timeout(Some(PATIENCE))?;
        let Request {
            target,
            form,
            first,
            key,
        } = request::read(&mut program, &self.keys)?;
        program.set_read_timeout(None)?;
        let connected = self.connect(&target, key.as_ref());
        let Connected {
            host,
            early,
            by,
            side,
        } = match connected {
            Ok(connected) => connected,
            Err(refusal) => {
                let why = refusal.to_string();
                self.traffic.count(&target, Verdict::Refused { why });
                return request::refuse(&mut program, (&target, form), &refusal);
            }
        };
        let bytes = self.traffic.count(&target, Verdict::Allowed { by });
        self.keep(number, &host);
        host.set_nodelay(true)?;
        request::accept(&mut program, form)?;
        bytes
            .received
            .fetch_add(early.len() as u64, Ordering::Relaxed);
        bytes.sent.fetch_add(first.len() as u64, Ordering::Relaxed);
        if let Some(key) = &key {
            let filter = KeyFilter::new(key);
            let exchanged =
                keyed_exchange::exchange((&program, &host), side, &first, filter, &bytes);
            // A program that is gone is not worked for any more, and one whose answer breaks off is to see its end.
            let _gone = host.shutdown(Shutdown::Both);
            let _gone = program.shutdown(Shutdown::Both);
            return exchanged;
        }
        io::Write::write_all(&mut &program, &early)?;
        io::Write::write_all(&mut &host, &first)?;
        tunnel::copy(&program, &host, &bytes);
        Ok(())
    }

    /// Connects to a target, if it may be reached; to that of a key to speak with it.
    fn connect(&self, target: &Target, key: Option<&HeldKey>) -> Result<Connected, Refusal> {
        let (is_inside, by) = match key {
            Some(key) => self.permit_key(key)?,
            None => self.permit(target)?,
        };
        let (host, early) = self.reach(target, is_inside)?;
        let side = match key.filter(|key| key.is_secured()) {
            None => HostSide::plain(),
            Some(_) => {
                let side = self.secure(target, &host);
                side.map_err(|error| Refusal::NotReached(error.to_string()))?
            }
        };
        Ok(Connected {
            host,
            early,
            by,
            side,
        })
    }

    /// Connects to a target at addresses that may be reached. Returns what it said already as well.
    fn reach(&self, target: &Target, is_inside: bool) -> Result<(TcpStream, Vec<u8>), Refusal> {
        if let Some(connected) = self.upstream.connect(target, PATIENCE) {
            return connected.map_err(|error| Refusal::NotReached(error.to_string()));
        }
        let addresses = match target.ip() {
            Some(ip) => vec![SocketAddr::new(ip, target.port())],
            None => {
                let found = self.outside.resolve(&target.host(), target.port());
                found.map_err(|error| Refusal::NotFound(error.to_string()))?
            }
        };
        for address in &addresses {
            self.judge_address(address.ip(), is_inside)?;
        }
        // A resolver may say anything of the port.
        let addresses = addresses.iter();
        let addresses: Vec<SocketAddr> = addresses
            .map(|found| SocketAddr::new(found.ip(), target.port()))
            .collect();
        let host = connect_to_first(&addresses, PATIENCE);
        let host = host.map_err(|error| Refusal::NotReached(error.to_string()))?;
        Ok((host, Vec::new()))
    }

    /// Agrees with a host on TLS.
    fn secure(&self, target: &Target, host: &TcpStream) -> io::Result<HostSide> {
        let trust = match self.trust.get() {
            Some(trust) => trust,
            None => {
                let made = self.outside.trust().map_err(io::Error::other)?;
                self.trust.get_or_init(|| Arc::new(made))
            }
        };
        host.set_read_timeout(Some(PATIENCE))?;
        HostSide::secure(Arc::clone(trust), &target.host(), host)
    }

    /// Returns whether the host of a key may be reached at addresses inside, and why it may be reached: the user gave the key to
    /// the program. What denies goes before that.
    fn permit_key(&self, key: &HeldKey) -> Result<(bool, String), Refusal> {
        match self.rules.judge(key.target()) {
            Judgement::Denied { by } => Err(Refusal::Denied { by }),
            Judgement::Allowed { inside, .. } => {
                Ok((inside || key.is_named(), key.name().to_owned()))
            }
            Judgement::Unlisted => Ok((key.is_named(), key.name().to_owned())),
        }
    }

    /// Returns whether a target may be reached at addresses inside, and which rule says so.
    fn permit(&self, target: &Target) -> Result<(bool, String), Refusal> {
        match self.rules.judge(target) {
            Judgement::Allowed { inside, by } => Ok((inside, by)),
            Judgement::Denied { by } => Err(Refusal::Denied { by }),
            Judgement::Unlisted => {
                // The user is not asked for what no answer would allow.
                if let Some(ip) = target.ip() {
                    self.judge_address(ip, false)?;
                }
                self.ask(target)
            }
        }
    }

    fn ask(&self, target: &Target) -> Result<(bool, String), Refusal> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = answers.len();
        let answer = match answers.get(target) {
            Some(answer) => answer.clone(),
            None if answered >= MOST_QUESTIONS => return Err(Refusal::TooManyQuestions(answered)),
            None => {
                let answer = self.asker.ask(target);
                if answer != HostAnswer::NotAsked {
                    answers.insert(target.clone(), answer.clone());
                }
                answer
            }
        };
        match answer {
            HostAnswer::Allowed => Ok((false, "the user's answer".to_owned())),
            HostAnswer::Refused { reason } => Err(Refusal::ByUser { reason }),
            HostAnswer::NotAsked => Err(Refusal::Unlisted),
        }
    }

    /// Says whether an address may be connected to.
    fn judge_address(&self, ip: IpAddr, is_inside: bool) -> Result<(), Refusal> {
        let class = self.outside.class(ip);
        match class {
            AddressClass::Public => Ok(()),
            AddressClass::Metadata => Err(Refusal::Never { ip, class }),
            _ if is_inside => Ok(()),
            _ => Err(Refusal::Special { ip, class }),
        }
    }
}

/// Connects to the first of some addresses that answers; each has its part of the time, as one of them may lead nowhere.
pub(super) fn connect_to_first(
    addresses: &[SocketAddr],
    patience: Duration,
) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it has no address");
    let each = patience / u32::try_from(addresses.len().max(1)).unwrap_or(u32::MAX);
    for address in addresses {
        match TcpStream::connect_timeout(address, each) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod keyed_tests;
#[cfg(test)]
mod tests;
