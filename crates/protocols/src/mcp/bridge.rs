//! Bridge: the server for a program in the shadow.
//!
//! In: the folders of a run, and what its agent is to be told. Out: a socket in a folder of this user's alone, which the
//! shadow shows to the program; each connection is a server of its own, as `signoff mcp` is. The other side is a
//! program that nobody trusts: connections, messages, requests and proposals are bounded, and none of them outlives
//! the run.
//!
//! ```text
//! agent ─pipes─ `signoff mcp` ─┐ shadow │ ┌─ server ─ store
//!                              └─ socket ─┘
//! ```

use std::fs;
use std::io;
use std::os::unix::net::UnixListener as Listener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use signoff_sandbox::scratch::{ScratchFolder, ScratchUse};
use signoff_setup::paths::Paths;
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use super::in_flight::InFlight;
use super::limits::{LONGEST_LINE, MOST_AT_WORK, MOST_CONNECTIONS};
use super::run_record::{RunProposals, RunRecord};
use super::server::EditServer;

/// The socket's name in its folder. The path of a socket has 107 bytes at most.
const SOCKET: &str = "mcp";
/// How long work that is under way may take once the program is over. What changes the store is one transaction, which
/// is done or not; checks are told to end.
const AT_END: Duration = Duration::from_secs(5);
/// How long nothing is accepted after that failed, as where no descriptor is left.
const AFTER_FAILURE: Duration = Duration::from_millis(200);

/// A server that runs until [`Self::end`], or until this is dropped.
pub struct Bridge {
    folder: ScratchFolder,
    record: Arc<RunRecord>,
    is_over: watch::Sender<bool>,
    server: Option<JoinHandle<()>>,
}

impl Bridge {
    /// Begins to serve. `notice` is what the agent is told of the user's decisions about its earlier work.
    pub fn open(paths: &Paths, notice: Option<String>) -> io::Result<Self> {
        // Nobody else reaches what is in it.
        let folder = ScratchFolder::new(ScratchUse::Run)?;
        let listener = Listener::bind(folder.path().join(SOCKET))?;
        listener.set_nonblocking(true)?;
        let record = Arc::new(RunRecord::new(notice));
        let (is_over, over) = watch::channel(false);
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(MOST_CONNECTIONS + MOST_AT_WORK)
            .enable_all()
            .build()?;
        let door = Door {
            paths: paths.clone(),
            record: Arc::clone(&record),
        };
        let server = thread::spawn(move || door.serve(runtime, listener, over));
        Ok(Self {
            folder,
            record,
            is_over,
            server: Some(server),
        })
    }

    /// Returns the folder with the socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of the socket, where its folder is found at `folder`.
    pub fn socket_in(folder: &Path) -> PathBuf {
        folder.join(SOCKET)
    }

    /// Writes a file beside the socket, or in a folder there.
    pub fn put(&self, name: &Path, text: &str) -> io::Result<()> {
        let file = self.folder().join(name);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)
    }

    /// Ends all connections, and returns what was proposed on them.
    pub fn end(mut self) -> RunProposals {
        self.finish();
        self.record.proposals()
    }

    fn finish(&mut self) {
        self.is_over.send_replace(true);
        if let Some(server) = self.server.take() {
            // One that panicked serves nothing any more.
            let _over = server.join();
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.finish();
    }
}

/// What accepts connections.
#[derive(Clone)]
struct Door {
    paths: Paths,
    record: Arc<RunRecord>,
}

impl Door {
    /// Serves until the run is over. Whatever is under way then ends at its next pause.
    fn serve(self, runtime: Runtime, listener: Listener, mut over: watch::Receiver<bool>) {
        runtime.spawn(self.accept(listener));
        // An error is a sender that is gone, and the run with it.
        let _over = runtime.block_on(over.wait_for(|over| *over));
        runtime.shutdown_timeout(AT_END);
    }

    async fn accept(self, listener: Listener) {
        let listener = match UnixListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::error!(%error, "cannot serve the program in the shadow");
                return;
            }
        };
        let seats = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    // One too many is closed; the other side reads that.
                    if let Ok(seat) = Arc::clone(&seats).try_acquire_owned() {
                        let door = self.clone();
                        tokio::spawn(async move {
                            if let Err(error) = door.connection(stream).await {
                                // What the program says is its own affair; that it says nonsense is, too.
                                tracing::debug!(%error, "a connection of the program in the shadow ended");
                            }
                            drop(seat);
                        });
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection of the program in the shadow was not accepted");
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
            }
        }
    }

    /// Serves one connection until it closes.
    async fn connection(self, stream: UnixStream) -> anyhow::Result<()> {
        let (paths, record) = (self.paths, self.record);
        let server = spawn_blocking(move || EditServer::open(&paths, Some(record))).await??;
        let (input, output) = stream.into_split();
        let transport = AsyncRwTransport::new_server(input, output);
        let transport = InFlight::new(transport.with_max_line_length(LONGEST_LINE));
        server.serve(transport).await?.waiting().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::net::UnixStream as Stream;

    use serde_json::{Value, json};

    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::*;
    use crate::mcp::limits::MOST_REQUESTS;

    /// A workspace with a store beside it, and a bridge to it.
    struct Place {
        bridge: Bridge,
        _folder: TempDir,
    }

    impl Place {
        fn new(notice: Option<&str>) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("ws");
            fs::create_dir(&root).unwrap();
            fs::write(root.join("a.txt"), "one\n").unwrap();
            let own = folder.path().join("own");
            let paths = Paths {
                root,
                store: own.join("state.db"),
                trust: own.join("trust.json"),
                config: own.join("config.toml"),
                log: own.join("signoff.log"),
                reserved: Default::default(),
            };
            Self {
                bridge: Bridge::open(&paths, notice.map(str::to_owned)).unwrap(),
                _folder: folder,
            }
        }

        fn connect(&self) -> Agent {
            let stream = Stream::connect(Bridge::socket_in(self.bridge.folder())).unwrap();
            Agent {
                lines: BufReader::new(stream.try_clone().unwrap()),
                stream,
            }
        }
    }

    /// The program on the other side.
    struct Agent {
        stream: Stream,
        lines: BufReader<Stream>,
    }

    impl Agent {
        fn say(&mut self, message: &Value) {
            // Where it is closed, the answer says so.
            let _closed = writeln!(self.stream, "{message}");
        }

        /// Returns the next answer; null where the connection is closed.
        fn answer(&mut self) -> Value {
            let mut line = String::new();
            match self.lines.read_line(&mut line) {
                Ok(1..) => serde_json::from_str(&line).unwrap(),
                Ok(0) | Err(_) => Value::Null,
            }
        }

        fn hello(&mut self) -> Value {
            let client = json!({"name": "agent", "version": "1"});
            let own =
                json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
            self.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": own}));
            let answer = self.answer();
            self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
            answer
        }

        fn ask(&mut self, id: usize, method: &str, parameters: &Value) {
            self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        }
    }

    #[test]
    fn several_connections_propose_beside_each_other_and_end_with_the_run() {
        let place = Place::new(Some("one denied"));
        let permissions = fs::metadata(place.bridge.folder()).unwrap().permissions();
        assert_eq!(permissions.mode() & 0o777, 0o700);
        let mut agents: Vec<Agent> = (0..3).map(|_| place.connect()).collect();
        for agent in &mut agents {
            let told = agent.hello()["result"]["instructions"].to_string();
            assert!(
                told.contains("one denied") && told.contains("shadow"),
                "{told}"
            );
        }
        assert!(!place.bridge.record.proposals().is_notice_told);
        for (number, agent) in agents.iter_mut().enumerate() {
            let change = json!({"file": format!("{number}.txt"), "whole": {"content": "x\n"}});
            let call = json!({"name": "propose_edits", "arguments": {"changes": [change]}});
            agent.ask(1, "tools/call", &call);
            let answer = agent.answer();
            assert_ne!(answer["result"]["isError"], true, "{answer}");
        }
        agents[0].ask(2, "tools/list", &json!({}));
        agents[0].answer();
        let folder = place.bridge.folder().to_owned();
        let proposals = place.bridge.end();
        assert_eq!((proposals.made.len(), proposals.untold.len()), (3, 3));
        assert!(proposals.is_notice_told && !folder.exists());
        for mut agent in agents {
            assert_eq!(agent.answer(), Value::Null);
        }
    }

    #[test]
    fn a_connection_too_many_is_closed_and_one_that_ends_makes_room() {
        let place = Place::new(None);
        let mut agents: Vec<Agent> = (0..MOST_CONNECTIONS).map(|_| place.connect()).collect();
        agents.iter_mut().for_each(|agent| drop(agent.hello()));
        for _ in 0..1_000 {
            assert_eq!(place.connect().answer(), Value::Null);
        }
        drop(agents.pop());
        // It is free once the server has read that.
        let mut next = place.connect();
        while next.hello() == Value::Null {
            next = place.connect();
        }
    }

    #[test]
    fn a_flood_is_neither_kept_nor_does_it_hang_the_end() {
        let place = Place::new(None);
        let mut long = place.connect();
        long.hello();
        // It is passed over, and the connection stays.
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..=LONGEST_LINE >> 20 {
            long.stream.write_all(&chunk).unwrap();
        }
        long.say(&json!(""));
        long.ask(1, "ping", &json!({}));
        assert_eq!(long.answer()["id"], 1);
        // Requests that wait, and answers that nobody reads: no more is taken in than may be open.
        let mut full = place.connect();
        full.hello();
        full.ask(0, "tools/call", &json!({"name": "propose_edits", "arguments": {"changes": [{"file": "b.txt", "whole": {"content": "x\n"}}]}}));
        full.answer();
        for id in 1..=MOST_REQUESTS {
            let call = json!({"name": "proposal_status", "arguments": {"wait_seconds": 300}});
            full.ask(id, "tools/call", &call);
        }
        full.stream.set_nonblocking(true).unwrap();
        let mut taken = 0;
        let more =
            json!({"jsonrpc": "2.0", "id": 99, "method": "ping", "padding": "x".repeat(1 << 16)});
        while taken < 1 << 30 {
            match full.stream.write(format!("{more}\n").as_bytes()) {
                Ok(bytes) => taken += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(taken < 64 << 20, "{taken} bytes");
        assert_eq!(place.bridge.end().made.len(), 1);
    }
}
