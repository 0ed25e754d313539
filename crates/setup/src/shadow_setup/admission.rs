//! Admission: what an agent of others is let have of the user's, for one run.
//!
//! In: what it needs, and the port at which signoff serves it. Out: what its shadow finds, and its command: where its keys would
//! be are placeholders, and the addresses of its services are those of signoff's listener.
//!
//! ```text
//! ANTHROPIC_API_KEY=signoff-0198...   ANTHROPIC_BASE_URL=http://127.0.0.1:1000
//! codex exec hi   ->   codex -c openai_base_url="http://127.0.0.1:1000/v1" exec hi
//! ```

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use signoff_sandbox::network::{HeldKey, HeldKeyError};
use signoff_sandbox::shadow::{ProgramNetwork, Setup};
use uuid::Uuid;

use super::foreign_agent::{AgentAccess, AgentKey};

/// Variables that name hosts which are reached without a proxy: the listener is one where the program has the whole network.
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// The setting of Codex for the address of its service, which it takes from no variable.
const CODEX_ADDRESS: (&str, &str) = ("OPENAI_BASE_URL", "openai_base_url");

/// What an agent is let have.
#[derive(Debug, Default)]
pub struct Admission {
    copies: Vec<(PathBuf, String)>,
    key_files: Vec<(PathBuf, String)>,
    keys: Vec<AdmittedKey>,
}

/// A key, and the variables by which its agent is told of the placeholder and the address.
#[derive(Debug)]
struct AdmittedKey {
    held: HeldKey,
    variable: Option<String>,
    address: &'static str,
}

impl Admission {
    /// Returns an admission to what an agent needs.
    ///
    /// # Errors
    ///
    /// Fails if a key is none, or the address of a service names no host.
    pub(super) fn to(access: AgentAccess) -> Result<Self, HeldKeyError> {
        let keys = access.keys.into_iter();
        let keys: Result<Vec<_>, _> = keys.map(AdmittedKey::of).collect();
        Ok(Self {
            copies: access.copies,
            key_files: access.key_files,
            keys: keys?,
        })
    }

    /// Returns the keys that it uses and does not have.
    pub fn keys(&self) -> Vec<HeldKey> {
        self.keys.iter().map(|own| own.held.clone()).collect()
    }

    /// Adds to a setup what the agent finds, and tells it by variables of its keys; `port` is that of signoff's listener.
    pub fn apply(&self, setup: &mut Setup, port: u16) {
        let copies = self.copies.iter();
        setup
            .texts
            .extend(copies.map(|(path, text)| (path.clone(), self.hide_in(text))));
        let files = self.key_files.iter();
        setup
            .replaced
            .extend(files.map(|(path, text)| (path.clone(), self.hide_in(text))));
        for own in &self.keys {
            if let Some(variable) = &own.variable {
                set(setup, variable, own.held.placeholder().to_owned());
            }
            set(setup, own.address, own.held.address(port));
        }
        if self.keys.is_empty() || setup.network != ProgramNetwork::Whole {
            return;
        }
        for name in DIRECT {
            let own = setup.environment.iter().find(|(own, _)| own == name);
            let before = own.map_or_else(String::new, |(_, value)| format!("{value},"));
            set(setup, name, format!("{before}127.0.0.1"));
        }
    }

    /// Returns the agent's command, with arguments for what it takes from no variable.
    pub fn command(&self, command: &[OsString], port: u16) -> Vec<OsString> {
        let (variable, setting) = CODEX_ADDRESS;
        let is_codex =
            |program: &OsString| Path::new(program).file_name() == Some(OsStr::new("codex"));
        let address = self.keys.iter().find(|own| own.address == variable);
        match (command.split_first(), address) {
            (Some((program, rest)), Some(own)) if is_codex(program) => {
                let address = format!("{setting}=\"{}\"", own.held.address(port));
                let told = [program.clone(), "-c".into(), address.into()];
                [&told, rest].concat()
            }
            _ => command.to_owned(),
        }
    }

    fn hide_in(&self, text: &str) -> String {
        let keys = self.keys.iter();
        keys.fold(text.to_owned(), |text, own| own.held.hide_in(&text))
    }
}

impl AdmittedKey {
    fn of(own: AgentKey) -> Result<Self, HeldKeyError> {
        // Nobody guesses it, who may be another user of the machine.
        let placeholder = format!(
            "signoff-{}{}",
            Uuid::now_v7().simple(),
            Uuid::now_v7().simple()
        );
        let is_variable = !own.from.contains(std::path::MAIN_SEPARATOR);
        let name = format!("the key in {}", own.from);
        Ok(Self {
            held: HeldKey::new(name, &own.key, &own.service, placeholder)?,
            variable: is_variable.then_some(own.from),
            address: own.address,
        })
    }
}

fn set(setup: &mut Setup, name: &str, value: String) {
    setup.environment.retain(|(own, _)| own != name);
    setup.environment.push((name.to_owned(), value));
}
