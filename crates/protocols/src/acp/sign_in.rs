//! Signing in from an editor: there are no accounts, and what is missing is a model.
//!
//! In: what the editor can do, and what is configured. Out: the way to connect a model, `signoff setup` in a terminal, and
//! whether one is connected. An editor that cannot run a terminal is offered nothing and is refused nothing.
//!
//! ```text
//! {"clientCapabilities": {"auth": {"terminal": true}}}
//!     -> {"authMethods": [{"type": "terminal", "id": "setup", "args": ["setup"], ...}]}
//! session/new without a model
//!     -> {"error": {"code": -32000, ...}}
//! ```

use std::env;

use agent_client_protocol_schema::v1::{
    AuthMethod, AuthMethodId, AuthMethodTerminal, ClientCapabilities, Meta,
};
use serde_json::{Value, json};
use signoff_setup::args::PathArgs;
use signoff_setup::config::{Config, Source};
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::model::{self, Chosen};

use super::AcpOptions;

/// The id of the one way.
const SETUP: &str = "setup";

/// By this name editors said, and the registry of agents says, that they run terminals for a sign-in, before the protocol had a
/// field for it. Such an editor reads the command below the same name.
const EARLIER_NAME: &str = "terminal-auth";

/// Why a conversation is not opened.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no model is connected: `signoff setup` in a terminal picks one")]
pub(super) struct NoModel;

/// What an editor can do to have the user connect a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SignIn {
    #[default]
    Nothing,
    /// It runs the agent's own command, with further arguments, in a terminal.
    Terminal,
    /// The same, by the name that it had earlier: it wants all of the command.
    EarlierTerminal,
}

impl SignIn {
    /// Returns what an editor says that it can do.
    pub(super) fn of(capabilities: &ClientCapabilities) -> Self {
        let meta = capabilities.meta.as_ref();
        let is_earlier = meta.and_then(|meta| meta.get(EARLIER_NAME)) == Some(&Value::Bool(true));
        match (capabilities.auth.terminal, is_earlier) {
            (_, true) => Self::EarlierTerminal,
            (true, false) => Self::Terminal,
            (false, false) => Self::Nothing,
        }
    }

    pub(super) fn is_offered(self) -> bool {
        self != Self::Nothing
    }

    /// Tells whether a way to sign in is one that is offered.
    pub(super) fn has(self, method: &AuthMethodId) -> bool {
        self.is_offered() && &*method.0 == SETUP
    }

    /// Returns the ways to sign in. Editors put the argument behind the command that they start, `signoff acp`, or in the
    /// place of `acp`; `signoff acp setup` and `signoff setup` are the same.
    pub(super) fn methods(self) -> Vec<AuthMethod> {
        let args = vec![SETUP.to_owned()];
        let setup = AuthMethodTerminal::new(AuthMethodId::new(SETUP), "Connect a model")
            .description("Pick a server and a model in a terminal, and try them".to_owned())
            .args(args.clone());
        match self {
            Self::Nothing => Vec::new(),
            Self::Terminal => vec![AuthMethod::Terminal(setup)],
            Self::EarlierTerminal => {
                let command = env::current_exe().ok();
                let command =
                    command.map_or_else(|| "signoff".into(), |path| path.display().to_string());
                let whole =
                    json!({"label": "signoff setup", "command": command, "args": args, "env": {}});
                let meta = Meta::from_iter([(EARLIER_NAME.to_owned(), whole)]);
                vec![AuthMethod::Terminal(setup.meta(meta))]
            }
        }
    }
}

/// Tells whether whoever was chosen is a model, or was asked for, or models can be picked in the conversation.
pub(super) fn is_model(config: &Config, chosen: &Chosen) -> bool {
    let is_asked_for = !matches!(config.source, Source::Look { .. });
    is_asked_for
        || chosen.is_to_be_picked
        || chosen.found.is_some()
        || chosen.provider.about().provider != "offline"
}

/// Tells whether a model is connected, for a conversation about the folder that this runs in.
pub(super) async fn is_connected(options: &AcpOptions) -> anyhow::Result<bool> {
    let paths = Paths::find(&PathArgs::default())?;
    let config = (options.configure)(&paths, &options.model)?;
    let chosen = model::choose(&config, &paths).await?;
    Ok(is_model(&config, &chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(capabilities: Value) -> (SignIn, Value) {
        let capabilities = serde_json::from_value(capabilities).unwrap();
        let sign_in = SignIn::of(&capabilities);
        (sign_in, serde_json::to_value(sign_in.methods()).unwrap())
    }

    #[test]
    fn a_terminal_is_offered_to_editors_that_run_one() {
        for capabilities in [
            json!({}),
            json!({"terminal": true}),
            json!({"auth": {"terminal": false}}),
            json!({"auth": 7, "_meta": {"terminal-auth": "yes"}}),
        ] {
            assert_eq!(told(capabilities), (SignIn::Nothing, json!([])));
        }
        let (sign_in, methods) = told(json!({"auth": {"terminal": true}}));
        assert_eq!(sign_in, SignIn::Terminal);
        assert_eq!(methods[0]["type"], "terminal");
        assert_eq!(methods[0]["args"], json!(["setup"]));
        assert_eq!(methods[0]["_meta"], Value::Null);
        assert!(sign_in.has(&AuthMethodId::new("setup")));
        assert!(!sign_in.has(&AuthMethodId::new("other")));
        assert!(!SignIn::Nothing.has(&AuthMethodId::new("setup")));
    }

    #[test]
    fn an_editor_with_the_earlier_name_is_told_all_of_the_command() {
        let (_, methods) = told(json!({"terminal": true, "_meta": {"terminal-auth": true}}));
        assert_eq!(methods[0]["type"], "terminal");
        let whole = &methods[0]["_meta"]["terminal-auth"];
        assert_eq!(whole["args"], json!(["setup"]));
        assert!(whole["command"].as_str().unwrap().starts_with('/'));
    }
}
