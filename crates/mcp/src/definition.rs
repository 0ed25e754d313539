//! Server definitions: how a server is started or reached.
//!
//! In: what a configuration says. Out: [`ServerDefinition`], with variables put in. Secrets are not shown when it is
//! printed.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;
use signoff_providers::trust::{TrustRecord, TrustStanding};

/// The longest name of a server, in bytes.
const MOST_NAME: usize = 32;

/// A server.
#[derive(Clone, Debug)]
pub struct ServerDefinition {
    /// Its name, which begins the names of its tools.
    pub name: ServerName,
    /// How it is spoken to.
    pub endpoint: ServerEndpoint,
    /// The definition in a line, without what may be secret.
    pub shown: String,
    /// Whether the user trusts it: a server of theirs until they refuse it.
    pub trust: TrustRecord,
    /// The values of variables that were put into it.
    pub given: Vec<SecretString>,
    /// How long it may take to start, and for each request.
    pub timeout: Duration,
    /// Why it cannot be asked whatever the user says, if it cannot.
    pub unusable: Option<String>,
    /// What tells this definition from another one of the same name, as it was written.
    pub fingerprint: String,
}

impl ServerDefinition {
    /// Returns what the user thinks of it.
    ///
    /// # Errors
    ///
    /// Says why it cannot be asked whatever the user thinks.
    pub fn standing(&self) -> Result<TrustStanding, &str> {
        match &self.unusable {
            Some(why) => Err(why),
            None => Ok(self.trust.standing()),
        }
    }
}

/// How a server is spoken to.
#[derive(Clone, Debug)]
pub enum ServerEndpoint {
    /// On standard input and output of a program.
    Program(ServerProgram),
    /// By HTTP.
    Http {
        /// The address.
        url: String,
        /// Further headers.
        headers: Vec<(String, SecretString)>,
        /// How the user signs in; not at all where a header says who asks.
        sign_in: Option<Box<SignInSettings>>,
    },
}

/// How the user signs in to a server.
#[derive(Clone, Debug, Default)]
pub struct SignInSettings {
    /// The file that keeps what came of it.
    pub file: PathBuf,
    /// As whom the authorization server knows signoff; registered there without it.
    pub client_id: Option<String>,
    /// The secret of that.
    pub client_secret: Option<SecretString>,
    /// The scopes that are asked for, in the place of those that the server names.
    pub scopes: Vec<String>,
    /// The port that the browser comes back to; one that is free without it.
    pub port: Option<u16>,
    /// Hosts on this machine or in its network that may be asked.
    pub inside: Vec<String>,
}

/// The program of a server.
#[derive(Clone, Debug)]
pub struct ServerProgram {
    /// The program: a name on the path, or where it is.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables that it gets beside those that programs get.
    pub variables: Vec<(String, SecretString)>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// How far it reaches.
    pub confinement: Confinement,
}

/// How far the program of a server reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It sees the workspace as staged and what builds need, and writes nowhere but in layers of its own.
    Confined {
        /// Its network.
        network: ServerNetwork,
        /// Files and folders that it may read beside.
        show: Vec<PathBuf>,
    },
    /// It has the user's rights.
    None,
}

/// The network of a confined server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerNetwork {
    /// None.
    None,
    /// These hosts, and those that the user's rules allow.
    Hosts(Vec<String>),
    /// The user's own.
    Whole,
}

/// The name of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerName(String);

/// Why a name is none of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name of a server has up to 32 letters, digits, hyphens and single underscores, and begins and ends with a \
     letter or digit"
)]
pub struct NoServerName;

impl ServerName {
    /// Reads a name: what comes before `__` in the name of a tool has to be all of it.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be told from the rest of a tool's name, or from other text.
    pub fn parse(text: &str) -> Result<Self, NoServerName> {
        let is_name = text.len() <= MOST_NAME
            && text
                .chars()
                .all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
            && !text.contains("__");
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoServerName)
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_server_cannot_be_mistaken() {
        for name in ["files", "my-files", "a_b", "A1"] {
            assert_eq!(
                ServerName::parse(name).map(|name| name.0),
                Ok(name.to_owned())
            );
        }
        let long = "x".repeat(33);
        for name in [
            "",
            "a__b",
            "_a",
            "a_",
            "-a",
            "a b",
            "a/b",
            "a:b",
            "ä",
            "a\n",
            "a\u{202e}",
            &long,
        ] {
            assert_eq!(ServerName::parse(name), Err(NoServerName), "{name:?}");
        }
    }
}
