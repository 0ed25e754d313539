//! Discovery of local model servers.
//!
//! In: addresses where servers usually listen. Out: those that list a model to talk to, and what they tell of the first one.
//! Nothing but their lists is asked for: anybody on the machine can listen there, and whose process each is, the caller asks.

use std::borrow::Cow;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::Protocol;
use super::catalogue::Model;
use super::http::{Endpoint, Server};

/// How long all candidates together may take.
const WITHIN: Duration = Duration::from_millis(300);

/// The usual servers at their usual ports, in the order of preference.
pub const CANDIDATES: [ServerCandidate; 5] = [
    // Only in its own protocol can it be told how much to read.
    ServerCandidate::usual("Ollama", "http://127.0.0.1:11434", 11434, Protocol::Ollama),
    ServerCandidate::usual(
        "llama.cpp",
        "http://127.0.0.1:9931/v1",
        9931,
        Protocol::Openai,
    ),
    // Its port until October 2026.
    ServerCandidate::usual(
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        8080,
        Protocol::Openai,
    ),
    ServerCandidate::usual(
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        1234,
        Protocol::Openai,
    ),
    ServerCandidate::usual("vLLM", "http://127.0.0.1:8000/v1", 8000, Protocol::Openai),
];

/// Where a server may listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCandidate {
    /// What usually listens there.
    pub name: Cow<'static, str>,
    /// Its base URL.
    pub base_url: Cow<'static, str>,
    /// Its port, of 127.0.0.1.
    pub port: u16,
    /// How it is spoken to.
    pub protocol: Protocol,
}

/// A server that listens, and a model that it has.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscoveredServer {
    /// The candidate's name.
    pub name: String,
    /// What it says of its release, if it does.
    pub version: Option<String>,
    /// The candidate's base URL.
    pub base_url: String,
    /// The candidate's port.
    pub port: u16,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The first model listed that can talk, with what the server tells of it.
    pub model: Model,
    /// All models listed that can talk.
    pub models: Vec<Model>,
}

impl ServerCandidate {
    const fn usual(
        name: &'static str,
        base_url: &'static str,
        port: u16,
        protocol: Protocol,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            base_url: Cow::Borrowed(base_url),
            port,
            protocol,
        }
    }
}

/// Asks all candidates at once, and returns those that have a model, in their order.
pub async fn discover(candidates: &[ServerCandidate]) -> Vec<DiscoveredServer> {
    let asked = candidates
        .iter()
        .map(|candidate| timeout(WITHIN, ask(candidate)));
    join_all(asked)
        .await
        .into_iter()
        .filter_map(|found| found.ok().flatten())
        .collect()
}

async fn ask(candidate: &ServerCandidate) -> Option<DiscoveredServer> {
    let base_url = candidate.base_url.clone().into_owned();
    let protocol = candidate.protocol;
    let server = Server::new(Endpoint::open(protocol, base_url, String::new())).ok()?;
    let mut models = server.models().await.ok()?;
    models.retain(|model| can_talk(&model.name));
    let first = models.first()?.clone();
    let told = server.describe(&first.name).await;
    Some(DiscoveredServer {
        name: candidate.name.clone().into_owned(),
        version: server.version().await,
        port: candidate.port,
        base_url: candidate.base_url.clone().into_owned(),
        protocol,
        model: told.unwrap_or(first),
        models,
    })
}

/// Returns whether a model talks, told by its name: servers list models for search beside
/// those that do, sometimes first.
pub fn can_talk(model: &str) -> bool {
    let model = model.to_lowercase();
    !["embed", "rerank", "whisper"]
        .iter()
        .any(|word| model.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::loopback::{Loopback, Reply};

    fn candidate(name: &'static str, base_url: &str) -> ServerCandidate {
        ServerCandidate {
            name: name.into(),
            base_url: base_url.to_owned().into(),
            port: 1,
            protocol: Protocol::Openai,
        }
    }

    fn list(body: &str) -> Loopback {
        Loopback::start(vec![Reply::json("200 OK", body)])
    }

    #[tokio::test]
    async fn candidates_with_a_model_are_found() {
        let nobody = Loopback::nobody();
        let page = list("<html>");
        let empty = list(r#"{"data":[]}"#);
        let search = list(r#"{"data":[{"id":"nomic-embed-text"}]}"#);
        let good =
            list(r#"{"object":"list","data":[{"id":"text-embedding-3"},{"id":"qwen3:8b"}]}"#);
        let later = list(r#"{"data":[{"id":"other"}]}"#);
        let found = discover(&[
            candidate("nobody", &nobody),
            candidate("page", &page.url()),
            candidate("empty", &empty.url()),
            candidate("search", &search.url()),
            candidate("good", &good.url()),
            candidate("later", &later.url()),
        ])
        .await;
        let names: Vec<_> = found
            .iter()
            .map(|found| {
                (
                    found.name.as_str(),
                    found.model.name.as_str(),
                    found.models.len(),
                )
            })
            .collect();
        assert_eq!(names, [("good", "qwen3:8b", 1), ("later", "other", 1)]);
        assert_eq!(found[0].base_url, good.url());
        assert!(good.requests()[0].starts_with("GET /v1/models HTTP/1.1\r\n"));
    }

    #[tokio::test]
    async fn ollama_is_asked_in_its_own_protocol_what_its_model_can_do() {
        let tags = r#"{"models":[{"name":"llama3.2:latest","size":5}]}"#;
        let show = r#"{"capabilities":["completion"],"model_info":{"llama.context_length":8192}}"#;
        let version = r#"{"version":"0.12.6"}"#;
        let replies = [tags, show, version].map(|body| Reply::json("200 OK", body));
        let ollama = Loopback::start(replies.to_vec());
        let candidate = ServerCandidate {
            protocol: Protocol::Ollama,
            ..candidate("Ollama", ollama.url().trim_end_matches("/v1"))
        };
        let [found] = discover(&[candidate]).await.try_into().unwrap();
        assert_eq!(found.protocol, Protocol::Ollama);
        assert_eq!(
            (found.model.context, found.model.tools),
            (Some(8192), Some(false))
        );
        assert_eq!(found.version.as_deref(), Some("0.12.6"));
        let requests = ollama.requests();
        assert!(requests[0].starts_with("GET /api/tags "), "{requests:?}");
        assert!(requests[1].starts_with("POST /api/show ") && requests[1].contains("llama3.2"));
    }

    #[tokio::test]
    async fn nothing_is_found_where_nothing_listens() {
        assert_eq!(
            discover(&[candidate("nobody", &Loopback::nobody())]).await,
            []
        );
        assert_eq!(discover(&[]).await, []);
    }

    #[test]
    fn the_usual_candidates_are_on_this_machine() {
        for candidate in CANDIDATES {
            assert!(
                candidate.base_url.starts_with("http://127.0.0.1:"),
                "{}",
                candidate.name
            );
            let port = format!(":{}", candidate.port);
            let url = candidate.base_url.trim_end_matches("/v1");
            assert!(url.ends_with(&port), "{url}");
        }
    }
}
