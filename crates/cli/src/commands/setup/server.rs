//! The server: one that was found on this machine, a known service whose key is set, or another.
//!
//! In: flags, what the finder of the interface found, the names of variables that are set. Out: a server without a model yet.
//! A server that was found is picked by the same consent that the interface asks for.

use anyhow::bail;
use signoff_core::plural::counted;
use signoff_llm::provider::Protocol;
use signoff_llm::provider::http::{Endpoint, Server};
use signoff_llm::provider::url_credentials::has_credentials;
use signoff_setup::config::{KeySource, ModelChoice, Service, service_variables};
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::model::{LocalServer, WHAT_IT_GETS, find_local};
use tokio::runtime::Runtime;

use super::answers::{choice, text, yes};
use super::key;
use crate::args::SetupArgs;
use crate::commands::out;

/// Returns the server that the flags name, if they name one.
pub(super) fn of_flags(args: &SetupArgs) -> anyhow::Result<Option<ModelChoice>> {
    let Some(url) = &args.url else {
        return Ok(None);
    };
    let protocol = match &args.protocol {
        Some(word) => word.parse()?,
        None => Protocol::guess(url),
    };
    let key = match (
        &args.api_key_env,
        &args.api_key_command,
        &args.api_key_keyring,
    ) {
        (Some(name), ..) => key::variable(name)?,
        (None, Some(line), _) => key::command(line)?,
        (None, None, Some(name)) => key::keyring(name)?,
        (None, None, None) => KeySource::Unsaid,
    };
    at(url, protocol, key).map(Some)
}

/// Returns a server, if its address is one and holds no key.
fn at(url: &str, protocol: Protocol, key: KeySource) -> anyhow::Result<ModelChoice> {
    if has_credentials(url) {
        bail!(
            "a key or a password is in the address, and would be in the file; let the key come from a variable, a program \
             or the keyring"
        );
    }
    Server::new(Endpoint::open(protocol, url.to_owned(), String::new()))?;
    Ok(ModelChoice {
        url: url.to_owned(),
        protocol,
        model: String::new(),
        key,
    })
}

/// A server that may be picked.
enum OfferedServer {
    Local(LocalServer),
    Service(&'static Service),
    Other,
}

/// Asks for a server; none where the user stops.
pub(super) fn pick(paths: &Paths, runtime: &Runtime) -> anyhow::Result<Option<ModelChoice>> {
    loop {
        out::line("")?;
        out::line("Servers:")?;
        let (offered, lines) = offers(paths, runtime)?;
        let Some(picked) = choice("Which one?", &lines, false)? else {
            return Ok(None);
        };
        match offered.get(picked) {
            Some(OfferedServer::Local(server)) => {
                if agreed(server)? {
                    return at(&server.url, server.protocol, KeySource::Unsaid).map(Some);
                }
            }
            Some(OfferedServer::Service(service)) => {
                let protocol = Protocol::guess(service.url);
                return at(service.url, protocol, KeySource::Unsaid).map(Some);
            }
            Some(OfferedServer::Other) | None => return other(),
        }
    }
}

/// Looks for servers, says which are not offered and why, and returns the others with their lines.
fn offers(paths: &Paths, runtime: &Runtime) -> anyhow::Result<(Vec<OfferedServer>, Vec<String>)> {
    let found = runtime.block_on(find_local(paths));
    for line in &found.unused {
        out::line(&format!("  {line}"))?;
    }
    let (mut offered, mut lines) = (Vec::new(), Vec::new());
    for server in found.usable {
        let models = counted(server.models, "model");
        lines.push(format!("{}, with {models}", server.place));
        offered.push(OfferedServer::Local(server));
    }
    let mut unset = Vec::new();
    for (service, variable) in service_variables() {
        match variable {
            Some(variable) => {
                lines.push(format!("{}, with the key in {variable}", service.name));
                offered.push(OfferedServer::Service(service));
            }
            None => unset.extend(service.variables.first().copied()),
        }
    }
    lines.push("another server".to_owned());
    offered.push(OfferedServer::Other);
    if !unset.is_empty() {
        out::line(&format!("  not set: {}", unset.join(", ")))?;
    }
    if std::env::var_os("SIGNOFF_API_KEY").is_some_and(|key| !key.is_empty()) {
        out::line("  SIGNOFF_API_KEY is set: whichever server is asked gets it")?;
    }
    Ok((offered, lines))
}

/// Asks whether a server that was found may be asked, unless that was decided; the answer is kept.
fn agreed(server: &LocalServer) -> anyhow::Result<bool> {
    let trust = &server.trust;
    if trust.is_trusted() {
        return Ok(true);
    }
    for line in trust.question().text.lines() {
        out::line(&format!("  {line}"))?;
    }
    out::line(WHAT_IT_GETS)?;
    let is_allowed = yes("Use it? yes or no:")?;
    if let Err(why) = trust.decide(is_allowed) {
        out::remark(&format!(
            "the answer holds for now, and cannot be kept: {why}"
        ));
    }
    Ok(is_allowed)
}

/// Asks for an address, how the server there is spoken to, and where its key comes from.
fn other() -> anyhow::Result<Option<ModelChoice>> {
    loop {
        let Some(url) = text("Its address, as https://host/v1:")? else {
            return Ok(None);
        };
        if url.is_empty() {
            continue;
        }
        if let Err(error) = at(&url, Protocol::guess(&url), KeySource::Unsaid) {
            out::error(&error);
            continue;
        }
        let mut protocols = Protocol::ALL.to_vec();
        let guessed = Protocol::guess(&url);
        protocols.sort_by_key(|protocol| *protocol != guessed);
        let lines: Vec<String> = protocols.iter().map(|it| described(*it)).collect();
        let Some(picked) = choice("How is it spoken to?", &lines, true)? else {
            return Ok(None);
        };
        let protocol = protocols.get(picked).copied().unwrap_or(guessed);
        let Some(key) = key::pick()? else {
            return Ok(None);
        };
        return at(&url, protocol, key).map(Some);
    }
}

fn described(protocol: Protocol) -> String {
    let what = match protocol {
        Protocol::Openai => "OpenAI Chat Completions, as most servers speak",
        Protocol::Responses => "OpenAI Responses",
        Protocol::Anthropic => "Anthropic Messages",
        Protocol::Gemini => "Gemini",
        Protocol::Ollama => "Ollama's own",
    };
    format!("{protocol}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_key_is_refused_and_not_repeated() {
        for (url, is_taken) in [
            ("http://127.0.0.1:8080/v1", true),
            ("127.0.0.1:8080", true),
            ("https://me:sk-secret@x.example/v1", false),
            ("https://x.example/v1?key=sk-secret", false),
            ("http://", false),
        ] {
            match at(url, Protocol::Openai, KeySource::Unsaid) {
                Ok(server) => assert!(is_taken && server.url == url, "{url}"),
                Err(error) => assert!(
                    !is_taken && !error.to_string().contains("sk-secret"),
                    "{url}: {error}"
                ),
            }
        }
    }
}
