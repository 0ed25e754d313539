//! `signoff acp`: a server of the Agent Client Protocol, by which editors lead conversations.
//!
//! In: requests on standard input, from an editor that the user has configured to start this. Out: answers, updates and
//! questions on standard output. An answer to a question about a proposal is a verdict as any other: the session and the
//! engine refuse it where the proposal is not what was shown.

mod card;
mod connection;
mod conversation;
mod editor_server;
mod editor_session;
mod offered_commands;
mod offered_proposals;
mod prompt;
mod question;
mod serving;
mod session_list;
mod session_options;
mod sign_in;
mod update;

use std::io;
use std::time::Duration;

use serving::EditorServer;
use signoff_setup::args::ModelArgs;
use signoff_setup::config::Config;
use signoff_setup::paths::Paths;

/// How long programs that still run may take to end with the connection.
const AT_THE_END: Duration = Duration::from_secs(5);

/// What the conversations of an editor are led with.
#[derive(Clone, Debug)]
pub struct AcpOptions {
    /// Whom to ask.
    pub model: ModelArgs,
    /// Whether conversations may be about the home folder or one around it.
    pub broad_folder: bool,
    /// Reads what is configured for a workspace.
    pub configure: fn(&Paths, &ModelArgs) -> anyhow::Result<Config>,
}

/// Serves until the editor closes the connection.
pub fn run(options: AcpOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let server = EditorServer::new(options, runtime.handle().clone());
    let served = server.serve(io::stdin().lock());
    // A tool that does not end is not waited for: it can have no effect any more.
    runtime.shutdown_timeout(AT_THE_END);
    served?;
    Ok(())
}
