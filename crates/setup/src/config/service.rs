//! Services whose keys have environment variables of their own.
//!
//! In: which of these variables are set, and the model. Out: whom to ask, and what programs are told that use a key without having
//! it. A key is sent to its own service only.

use secrecy::SecretString;
use signoff_llm::provider::Protocol;

use super::{Address, Environment, Key, ModelArgs, Server, UserFile};

/// A service that is known by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Service {
    /// What messages call it.
    pub name: &'static str,
    /// What `--key` of `signoff run` calls it.
    pub word: &'static str,
    /// The variables that may hold its key; the first that is set counts.
    pub variables: &'static [&'static str],
    /// Where it is.
    pub url: &'static str,
    /// The variable by which programs are told another address.
    pub address: &'static str,
    /// How the names of its models begin.
    pub models: &'static [&'static str],
}

/// All of them.
pub(crate) const SERVICES: &[Service] = &[OPENAI, ANTHROPIC, GEMINI];

pub(crate) const OPENAI: Service = Service {
    name: "OpenAI",
    word: "openai",
    variables: &["OPENAI_API_KEY"],
    url: "https://api.openai.com/v1",
    address: "OPENAI_BASE_URL",
    models: &["gpt-", "o1", "o3", "o4", "codex-"],
};

pub(crate) const ANTHROPIC: Service = Service {
    name: "Anthropic",
    word: "anthropic",
    variables: &["ANTHROPIC_API_KEY"],
    url: "https://api.anthropic.com",
    address: "ANTHROPIC_BASE_URL",
    models: &["claude-"],
};

pub(crate) const GEMINI: Service = Service {
    name: "Gemini",
    word: "gemini",
    variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    url: "https://generativelanguage.googleapis.com",
    address: "GOOGLE_GEMINI_BASE_URL",
    models: &["gemini-", "gemma-"],
};

impl Service {
    /// Returns the service of a word.
    ///
    /// # Errors
    ///
    /// Says which words there are.
    pub fn of_word(word: &str) -> Result<&'static Self, String> {
        let found = SERVICES.iter().find(|service| service.word == word);
        found.ok_or_else(|| {
            let words: Vec<&str> = SERVICES.iter().map(|service| service.word).collect();
            format!("services are {}", words.join(", "))
        })
    }

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
    fn the_page_has_a_row_for_each_service() {
        let page = include_str!("../../../../docs/programs.md");
        for service in SERVICES {
            let Service {
                word, url, address, ..
            } = service;
            let variables = service.variables.join("`, `");
            let row = format!("| `{word}` | `{variables}` | `{address}`, else `{url}` |\n");
            assert!(page.contains(&row), "docs/programs.md wants the row {row}");
            assert_eq!(Service::of_word(word), Ok(service));
        }
        let error = Service::of_word("mistral").unwrap_err();
        assert_eq!(error, "services are openai, anthropic, gemini");
    }

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
