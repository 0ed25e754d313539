//! Services whose keys have environment variables of their own.
//!
//! In: which of these variables are set, and the model. Out: whom to ask. A key is sent to its
//! own service only.

use secrecy::SecretString;
use signoff_llm::provider::Protocol;

use super::{Address, Environment, Key, ModelArgs, Server, UserFile};

/// A service that is known by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Service {
    /// What messages call it.
    pub name: &'static str,
    /// The variables that may hold its key; the first that is set counts.
    pub variables: &'static [&'static str],
    /// Where it is.
    pub url: &'static str,
    /// How the names of its models begin.
    pub models: &'static [&'static str],
}

/// All of them.
pub(crate) const SERVICES: &[Service] = &[
    Service {
        name: "OpenAI",
        variables: &["OPENAI_API_KEY"],
        url: "https://api.openai.com/v1",
        models: &["gpt-", "o1", "o3", "o4", "codex-"],
    },
    Service {
        name: "Anthropic",
        variables: &["ANTHROPIC_API_KEY"],
        url: "https://api.anthropic.com",
        models: &["claude-"],
    },
    Service {
        name: "Gemini",
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        url: "https://generativelanguage.googleapis.com",
        models: &["gemini-", "gemma-"],
    },
];

impl Service {
    /// Tells whether an address is this service's own, and not one that merely begins like it.
    pub(crate) fn is_at(&self, url: &str) -> bool {
        let host = self.url.trim_end_matches("/v1");
        url.strip_prefix(host)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn has(&self, model: &str) -> bool {
        self.models.iter().any(|start| model.starts_with(start))
    }
}

/// Returns the service that is asked for a model: the one whose models are named like it, else
/// the first that has a key.
pub(super) fn choose<'a>(
    keys: &'a [(&'static Service, SecretString)],
    model: Option<&str>,
) -> Option<&'a (&'static Service, SecretString)> {
    let named =
        |(service, _): &&(&Service, SecretString)| model.is_some_and(|model| service.has(model));
    keys.iter().find(named).or_else(|| keys.first())
}

/// Returns the services whose keys are set, each with its own key and no other.
pub(super) fn with_keys(
    user: &UserFile,
    environment: Environment,
    args: &ModelArgs,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Vec<(&'static Service, Server)>> {
    let keys = environment.service_keys.into_iter();
    let servers = keys.map(|(service, key)| {
        let url = Address(service.url.to_owned());
        let none = Environment::default();
        let server = super::server(url, None, user, none, args, &variable)?;
        let key = Key::Given(key);
        let protocol = Protocol::guess(service.url);
        Ok((
            service,
            Server {
                key,
                protocol,
                ..server
            },
        ))
    });
    servers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_services_own_or_not() {
        let [openai, anthropic, _] = SERVICES else {
            panic!("there are three")
        };
        for (service, url, expected) in [
            (openai, "https://api.openai.com", true),
            (openai, "https://api.openai.com/v1/", true),
            (openai, "https://api.openai.com.evil.example/v1", false),
            (openai, "http://api.openai.com", false),
            (anthropic, "https://api.anthropic.com/v1/messages", true),
            (anthropic, "https://api.anthropic.community", false),
        ] {
            assert_eq!(service.is_at(url), expected, "{url}");
        }
    }
}
