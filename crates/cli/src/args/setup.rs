//! Arguments of `setup`.
//!
//! In: the command line. Out: what is chosen already; the rest is asked at a terminal.

use clap::Args as Group;

/// `setup`
#[derive(Clone, Debug, Default, Group)]
pub struct SetupArgs {
    /// The address of the server.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// How the server is spoken to, where its address does not tell: `openai`, `responses`,
    /// `anthropic`, `gemini` or `ollama`.
    #[arg(long, value_name = "WORD", requires = "url")]
    pub protocol: Option<String>,
    /// The model's name, as its server knows it.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The environment variable that holds the key.
    #[arg(long, value_name = "NAME", group = "key", requires = "url")]
    pub api_key_env: Option<String>,
    /// The program that prints the key, and its arguments, with blanks between them.
    #[arg(long, value_name = "COMMAND", group = "key", requires = "url")]
    pub api_key_command: Option<String>,
    /// The key's name in the system's keyring.
    #[arg(long, value_name = "NAME", group = "key", requires = "url")]
    pub api_key_keyring: Option<String>,
    /// Replace settings that are in the file without asking.
    #[arg(long)]
    pub replace: bool,
    /// Send the model no request: write what was chosen as it is.
    #[arg(long)]
    pub untried: bool,
}
