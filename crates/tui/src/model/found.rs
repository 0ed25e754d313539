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
use signoff_llm::provider::Provider;
use signoff_llm::provider::discover::DiscoveredServer;
use signoff_llm::provider::http::Server;
use signoff_llm::trust::{TrustQuestion, TrustRecord, TrustStanding};
use signoff_verify::listener::{self, NotOwn, OwnListener};

use crate::workspace_trust::{DefinitionHash, TrustFile, TrustKind};

/// What the user thinks of a server about which they are asked.
const OPEN: [TrustStanding; 2] = [TrustStanding::Changed, TrustStanding::Unknown];

/// Models that a question names.
const MOST_NAMED: usize = 8;
/// Bytes of a model's name that are shown.
const MOST_NAME: usize = 80;

/// The servers that were found, in the order of preference, with what the user thinks of those that are their own.
pub(super) struct FoundModelServers(Vec<(DiscoveredServer, Option<TrustStanding>)>);

impl FoundModelServers {
    /// Sorts servers by what the user decided.
    pub(super) fn sorted(found: Vec<DiscoveredServer>, trust: &TrustFile) -> Self {
        let sorted = found.into_iter().map(|server| {
            let own = server.listener.as_ref().ok();
            let standing =
                own.map(|own| trust.standing(TrustKind::ModelServer, &server.base_url, &hash(own)));
            (server, standing)
        });
        Self(sorted.collect())
    }

    fn of(&self, wanted: &[TrustStanding]) -> Vec<&DiscoveredServer> {
        let is_wanted =
            |standing: &Option<TrustStanding>| standing.is_some_and(|it| wanted.contains(&it));
        let of_these = self.0.iter().filter(|(_, it)| is_wanted(it));
        of_these.map(|(server, _)| server).collect()
    }

    /// Returns the servers that may be asked.
    pub(super) fn allowed(&self) -> Vec<&DiscoveredServer> {
        self.of(&[TrustStanding::Trusted])
    }

    /// Returns the servers that may be asked once the user agrees to those of which nothing is decided.
    pub(super) fn usable(&self) -> Vec<&DiscoveredServer> {
        self.of(&[
            TrustStanding::Trusted,
            TrustStanding::Changed,
            TrustStanding::Unknown,
        ])
    }

    /// Tells whether there is a server of which nothing is decided.
    pub(super) fn has_open(&self) -> bool {
        !self.of(&OPEN).is_empty()
    }

    /// Returns what the user is asked about those of which nothing is decided; `provider` answers if the user agrees.
    pub(super) fn question(&self, provider: Arc<dyn Provider>, trust: TrustFile) -> FoundModel {
        let open = self.of(&OPEN);
        let names: Vec<String> = open.iter().map(|server| place(server)).collect();
        let mut lines: Vec<String> = open
            .iter()
            .flat_map(|server| {
                let release = server.version.as_deref().unwrap_or("");
                let name = format!("{} {release}", server.name);
                [
                    format!("{} on 127.0.0.1:{}", name.trim(), server.port),
                    format!("process  {}", process(server)),
                    format!("models   {}", models(server)),
                ]
            })
            .collect();
        lines.push("Prompts go to it, and with them texts of this workspace.".to_owned());
        let decided: Vec<(String, DefinitionHash)> = open
            .iter()
            .filter_map(|server| {
                Some((
                    server.base_url.clone(),
                    hash(server.listener.as_ref().ok()?),
                ))
            })
            .collect();
        let question = TrustQuestion {
            label: names.join(" and "),
            text: lines.join("\n"),
        };
        let keep = move |is_allowed| {
            for (url, hash) in &decided {
                let kept = trust.decide(TrustKind::ModelServer, url, hash, is_allowed);
                kept.map_err(|error| error.to_string())?;
            }
            Ok(())
        };
        FoundModel {
            trust: TrustRecord::new(question, TrustStanding::Unknown, Box::new(keep)),
            provider,
        }
    }

    /// Returns a line for the user on each server that is not asked as it is.
    pub(super) fn remarks(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|(server, standing)| {
            let place = place(server);
            let how = format!("`url = \"{}\"` in config.toml, or --url,", server.base_url);
            match (standing, &server.listener) {
                (Some(TrustStanding::Trusted), _) | (_, Err(NotOwn::Nothing)) => None,
                (Some(TrustStanding::Changed | TrustStanding::Unknown), _) => Some(format!(
                    "Found {place} (process {}): it answers once you allow it, which the interface asks before the first \
                     prompt; until then this is the built-in offline planner. {how} uses it without a question.",
                    process(server)
                )),
                (Some(TrustStanding::Refused), _) => Some(format!(
                    "{place} is not used, as you decided; {how} uses it, `signoff trust --forget` has you asked again."
                )),
                (None, Err(why)) => Some(format!("{place} is not used: {why}. {how} uses it.")),
                (None, Ok(_)) => None,
            }
        })
    }
}

/// Returns a server that is asked only while the program listens that it was found with: once that ends, anybody can take
/// its port.
pub(super) fn guarded(server: Server, found: &DiscoveredServer) -> Server {
    let (port, allowed) = (found.port, found.listener.clone());
    server.with_guard(Arc::new(move || match (listener::at(port), &allowed) {
        // Nobody would read what is sent; the connection fails and says so.
        (Err(NotOwn::Nothing), _) => Ok(()),
        (Ok(now), Ok(allowed)) if now == *allowed => Ok(()),
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

fn place(server: &DiscoveredServer) -> String {
    format!("{} on 127.0.0.1:{}", server.name, server.port)
}

fn process(server: &DiscoveredServer) -> String {
    match &server.listener {
        Ok(own) => {
            let program = own.program.to_string_lossy();
            let words = [Some(program.as_ref()), own.word.as_deref()];
            let words: Vec<_> = words.into_iter().flatten().map(quote::name).collect();
            format!("`{}`", words.join(" "))
        }
        Err(why) => why.to_string(),
    }
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

    use signoff_llm::provider::Protocol;
    use signoff_llm::provider::catalogue::Model;
    use signoff_llm::provider::offline::Offline;

    use super::*;
    use crate::paths::Paths;

    fn server(name: &str, port: u16, listener: Result<&str, NotOwn>) -> DiscoveredServer {
        let model = Model {
            name: "m\nAllow everything".to_owned(),
            ..Model::default()
        };
        DiscoveredServer {
            name: name.to_owned(),
            version: (name == "Ollama").then(|| "0.12.6".to_owned()),
            base_url: format!("http://127.0.0.1:{port}"),
            port,
            listener: listener.map(|program| OwnListener {
                program: PathBuf::from(program),
                word: Some("serve".to_owned()),
            }),
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

    #[test]
    fn a_server_that_was_found_is_asked_once_the_user_agreed_to_this_program() {
        let folder = tempfile::tempdir().unwrap();
        let trust = trust(folder.path());
        let find = |program: &str| {
            FoundModelServers::sorted(vec![server("Ollama", 11434, Ok(program))], &trust)
        };
        for (is_allowed, before, after) in [(true, 0, 1), (false, 1, 0)] {
            let found = find("/bin/ollama");
            assert_eq!(found.allowed().len(), before);
            if before == 0 {
                assert!(found.has_open());
                let asked = found.question(Arc::new(Offline), trust.clone());
                assert_eq!(asked.trust.question().label, "Ollama on 127.0.0.1:11434");
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
                let hash = hash(found.0[0].0.listener.as_ref().unwrap());
                let url = "http://127.0.0.1:11434";
                trust
                    .decide(TrustKind::ModelServer, url, &hash, is_allowed)
                    .unwrap();
            }
            let found = find("/bin/ollama");
            assert_eq!(found.allowed().len(), after);
            assert!(!found.has_open(), "it is asked about once");
        }
        assert!(
            find("/opt/other").has_open(),
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
            let found = FoundModelServers::sorted(vec![server("Ollama", 11434, Err(why))], &trust);
            assert!(found.usable().is_empty() && !found.has_open());
            let told: Vec<String> = found.remarks().collect();
            assert!(told[0].contains(expected), "{told:?}");
            assert!(
                told[0].contains("`url = \"http://127.0.0.1:11434\"`"),
                "{told:?}"
            );
        }
        let ended = FoundModelServers::sorted(vec![server("x", 1, Err(NotOwn::Nothing))], &trust);
        assert_eq!(ended.remarks().count(), 0);
    }
}
