//! Servers of models that were found on this machine, and what the user decided on them.
//!
//! In: what answered at the usual ports, with whose process it is. Out: which may be asked, which the user is asked about
//! first, and a line for each that is not used.
//!
//! | listens | is |
//! |---|---|
//! | a process of this user that was allowed before | asked |
//! | a process of this user otherwise | asked once the user agrees; the answer is kept by address and program |
//! | a process of another user, of signoff's or in a container | not asked, unless it is configured |

use std::sync::Arc;

use signoff_core::quote;
use signoff_llm::driver::FoundModel;
use signoff_llm::provider::discover::{CANDIDATES, DiscoveredServer, discover};
use signoff_llm::provider::http::Server;
use signoff_llm::provider::{Protocol, Provider};
use signoff_llm::trust::{TrustQuestion, TrustRecord, TrustStanding, USE_OF};
use signoff_sandbox::listener::{self, NotOwn, OwnListener};

use crate::definitions::trust::{DefinitionHash, TrustFile, TrustKind};
use crate::paths::Paths;

/// Models that a question names.
const MOST_NAMED: usize = 8;
/// Bytes of a model's name that are shown.
const MOST_NAME: usize = 80;

/// What a server gets that the user allows.
pub const WHAT_IT_GETS: &str = "Prompts go to it, and with them texts of this workspace.";

/// A server that was found.
pub(super) struct FoundModelServer {
    /// What it says of itself.
    pub(super) server: DiscoveredServer,
    /// The process that listens, with what the user thinks of it; or why it may not be asked at all.
    listener: Result<(OwnListener, TrustRecord), NotOwn>,
}

/// The servers that were found, in the order of preference.
pub(super) struct FoundModelServers(Vec<FoundModelServer>);

impl FoundModelServers {
    /// Sorts servers by what the user decided; `listener` tells whose process listens at a port.
    pub(super) fn sorted(
        found: Vec<DiscoveredServer>,
        trust: &TrustFile,
        listener: impl Fn(u16) -> Result<OwnListener, NotOwn>,
    ) -> Self {
        let sorted = found.into_iter().map(|server| {
            let listener = listener(server.port).map(|own| {
                let (url, question) = (&server.base_url, question(&server, &own));
                let record = trust.record(TrustKind::ModelServer, url, hash(&own), question);
                (own, record)
            });
            FoundModelServer { server, listener }
        });
        Self(sorted.collect())
    }

    fn of(&self, is_wanted: impl Fn(&TrustRecord) -> bool) -> Vec<&FoundModelServer> {
        let servers = self.0.iter();
        servers
            .filter(|found| found.record().is_some_and(&is_wanted))
            .collect()
    }

    /// Returns the servers that may be asked.
    pub(super) fn allowed(&self) -> Vec<&FoundModelServer> {
        self.of(TrustRecord::is_trusted)
    }

    /// Returns the servers that may be asked once the user agrees to those of which nothing is decided.
    pub(super) fn usable(&self) -> Vec<&FoundModelServer> {
        self.of(|record| record.is_trusted() || record.is_open())
    }

    fn open(&self) -> impl Iterator<Item = &TrustRecord> {
        let records = self.0.iter().filter_map(FoundModelServer::record);
        records.filter(|record| record.is_open())
    }

    /// Tells whether there is a server of which nothing is decided.
    pub(super) fn has_open(&self) -> bool {
        self.open().next().is_some()
    }

    /// Returns what the user is asked about those of which nothing is decided; `provider` answers if the user agrees.
    pub(super) fn question(&self, provider: Arc<dyn Provider>) -> FoundModel {
        let open: Vec<TrustRecord> = self.open().cloned().collect();
        let asked = open.iter().map(TrustRecord::question);
        let labels: Vec<&str> = asked.clone().map(|asked| asked.label.as_str()).collect();
        let mut lines: Vec<&str> = asked.map(|asked| asked.text.as_str()).collect();
        lines.push(WHAT_IT_GETS);
        let question = TrustQuestion {
            label: format!("{USE_OF}{}", labels.join(" and ")),
            text: lines.join("\n"),
        };
        let decide = Box::new(move |is_allowed| {
            open.iter()
                .try_for_each(|record: &TrustRecord| record.decide(is_allowed))
        });
        FoundModel {
            trust: TrustRecord::new(question, TrustStanding::Unknown, decide),
            provider,
        }
    }

    /// Returns a line for the user on each server that is not asked as it is.
    pub(super) fn remarks(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|FoundModelServer { server, listener }| {
            let place = place(server);
            let how = format!("`url = \"{}\"` in config.toml, or --url,", server.base_url);
            let (own, record) = match listener {
                Ok(listener) => listener,
                Err(NotOwn::Nothing) => return None,
                Err(why) => return Some(format!("{place} is not used: {why}. {how} uses it.")),
            };
            match record.standing() {
                TrustStanding::Trusted => None,
                TrustStanding::Changed | TrustStanding::Unknown => Some(format!(
                    "Found {place} (process {}): it answers once you allow it, which the interface asks before the first \
                     prompt; until then this is the built-in offline planner. {how} uses it without a question.",
                    process(own)
                )),
                TrustStanding::Refused => Some(format!(
                    "{place} is not used, as you decided; {how} uses it, `signoff trust --forget` has you asked again."
                )),
            }
        })
    }
}

/// A server of this machine that the user may pick.
pub struct LocalServer {
    /// What it is and where it listens: `Ollama on 127.0.0.1:11434`.
    pub place: String,
    /// Its address.
    pub url: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// How many models it lists.
    pub models: usize,
    /// What the user thinks of it, and what they are asked.
    pub trust: TrustRecord,
}

/// The servers of this machine, for a user who picks one.
pub struct LocalServers {
    /// Those that may be picked, in the order of preference.
    pub usable: Vec<LocalServer>,
    /// A line for each of the others, with the reason.
    pub unused: Vec<String>,
}

/// Looks for servers on this machine. Nothing but their lists of models is asked for.
pub async fn find_local(paths: &Paths) -> LocalServers {
    let trust = TrustFile::of_machine(paths);
    FoundModelServers::sorted(discover(&CANDIDATES).await, &trust, listener::at).to_pick()
}

impl FoundModelServers {
    /// Returns the servers that may be picked; to pick one that was refused is to think again.
    fn to_pick(&self) -> LocalServers {
        let mut servers = LocalServers {
            usable: Vec::new(),
            unused: Vec::new(),
        };
        for found in &self.0 {
            let server = &found.server;
            match &found.listener {
                Ok((_, trust)) => servers.usable.push(LocalServer {
                    place: place(server),
                    url: server.base_url.clone(),
                    protocol: server.protocol,
                    models: server.models.len(),
                    trust: trust.clone(),
                }),
                Err(NotOwn::Nothing) => {}
                Err(why) => servers
                    .unused
                    .push(format!("{} is not offered: {why}", place(server))),
            }
        }
        servers
    }
}

impl FoundModelServer {
    fn record(&self) -> Option<&TrustRecord> {
        self.listener.as_ref().ok().map(|(_, record)| record)
    }
}

/// Returns a server that is asked only while the program listens that it was found with: once that ends, anybody can take
/// its port.
pub(super) fn guarded(server: Server, found: &FoundModelServer) -> Server {
    let port = found.server.port;
    let allowed = found.listener.as_ref().map(|(own, _)| own.clone()).ok();
    server.with_guard(Arc::new(move || match (listener::at(port), &allowed) {
        // Nobody would read what is sent; the connection fails and says so.
        (Err(NotOwn::Nothing), _) => Ok(()),
        (Ok(now), Some(allowed)) if now == *allowed => Ok(()),
        (Ok(now), _) => Err(format!(
            "{} listens there now, which you did not allow",
            quote::name(&now.program.to_string_lossy())
        )),
        (Err(why), _) => Err(why.to_string()),
    }))
}

/// Returns the hash of what a permission is for: the program, and what it was started for, which may be a script; not its
/// options.
fn hash(own: &OwnListener) -> DefinitionHash {
    let word = own.word.as_deref().unwrap_or("");
    let program = own.program.as_os_str().as_encoded_bytes();
    DefinitionHash::of(&[program, b"\0", word.as_bytes()].concat())
}

/// Returns what the user is asked about a server.
fn question(server: &DiscoveredServer, own: &OwnListener) -> TrustQuestion {
    let release = server.version.as_deref().unwrap_or("");
    let name = format!("{} {release}", server.name);
    let (name, port) = (name.trim(), server.port);
    let (process, models) = (process(own), models(server));
    TrustQuestion {
        label: place(server),
        text: format!("{name} on 127.0.0.1:{port}\nprocess  {process}\nmodels   {models}"),
    }
}

fn place(server: &DiscoveredServer) -> String {
    format!("{} on 127.0.0.1:{}", server.name, server.port)
}

fn process(own: &OwnListener) -> String {
    let program = own.program.to_string_lossy();
    let words = [Some(program.as_ref()), own.word.as_deref()];
    let words: Vec<_> = words.into_iter().flatten().map(quote::name).collect();
    format!("`{}`", words.join(" "))
}

fn models(server: &DiscoveredServer) -> String {
    let named = server.models.iter().take(MOST_NAMED);
    let named: Vec<_> = named
        .map(|model| quote::one_line(&quote::name(&model.name), MOST_NAME))
        .collect();
    let more = server.models.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    named.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use signoff_llm::offline::Offline;
    use signoff_llm::provider::catalogue::Model;

    use super::*;

    fn server(name: &str, port: u16) -> DiscoveredServer {
        let model = Model {
            name: "m\nAllow everything".to_owned(),
            ..Model::default()
        };
        DiscoveredServer {
            name: name.to_owned(),
            version: (name == "Ollama").then(|| "0.12.6".to_owned()),
            base_url: format!("http://127.0.0.1:{port}"),
            port,
            protocol: Protocol::Ollama,
            models: vec![model.clone()],
            model,
        }
    }

    fn trust(folder: &Path) -> TrustFile {
        TrustFile::of_machine(&Paths {
            root: folder.join("root"),
            store: folder.join("state.db"),
            trust: folder.join("of-workspace.json"),
            config: folder.join("config.toml"),
            log: folder.join("log"),
            reserved: Default::default(),
        })
    }

    /// Returns what is found of a server that a program of the user's serves.
    fn served_by(program: &str, trust: &TrustFile) -> FoundModelServers {
        FoundModelServers::sorted(vec![server("Ollama", 11434)], trust, |_| {
            Ok(OwnListener {
                program: PathBuf::from(program),
                word: Some("serve".to_owned()),
            })
        })
    }

    #[test]
    fn a_server_that_was_found_is_asked_once_the_user_agreed_to_this_program() {
        let folder = tempfile::tempdir().unwrap();
        let trust = trust(folder.path());
        for (is_allowed, before, after) in [(true, 0, 1), (false, 1, 0)] {
            let found = served_by("/bin/ollama", &trust);
            assert_eq!(found.allowed().len(), before);
            if before == 0 {
                assert!(found.has_open());
                let asked = found.question(Arc::new(Offline));
                assert_eq!(
                    asked.trust.question().label,
                    "use of Ollama on 127.0.0.1:11434"
                );
                let lines: Vec<&str> = asked.trust.question().text.lines().collect();
                assert_eq!(
                    lines[..3],
                    [
                        "Ollama 0.12.6 on 127.0.0.1:11434",
                        "process  `/bin/ollama serve`",
                        r#"models   "m\nAllow everything""#,
                    ]
                );
                asked.trust.decide(is_allowed).unwrap();
            } else {
                found.0[0].record().unwrap().decide(is_allowed).unwrap();
            }
            let found = served_by("/bin/ollama", &trust);
            assert_eq!(found.allowed().len(), after);
            assert!(!found.has_open(), "it is asked about once");
        }
        assert!(
            served_by("/opt/other", &trust).has_open(),
            "another program is asked about"
        );
    }

    #[test]
    fn a_server_of_somebody_else_is_never_asked_and_the_setting_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let trust = trust(folder.path());
        for (why, expected) in [
            (NotOwn::OtherUser(998), "belongs to another user (uid 998)"),
            (NotOwn::Confined, "started by signoff"),
            (NotOwn::Unknown("x".to_owned()), "cannot be told: x"),
        ] {
            let found = FoundModelServers::sorted(vec![server("Ollama", 11434)], &trust, |_| {
                Err(why.clone())
            });
            assert!(found.usable().is_empty() && !found.has_open());
            let told: Vec<String> = found.remarks().collect();
            assert!(told[0].contains(expected), "{told:?}");
            assert!(
                told[0].contains("`url = \"http://127.0.0.1:11434\"`"),
                "{told:?}"
            );
        }
        let ended =
            FoundModelServers::sorted(vec![server("x", 1)], &trust, |_| Err(NotOwn::Nothing));
        assert_eq!(ended.remarks().count(), 0);
    }
}
