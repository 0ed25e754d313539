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
mod update;

use std::io;
use std::time::Duration;

use super::Ending;
use crate::args::AcpArgs;
use serving::EditorServer;

/// How long programs that still run may take to end with the connection.
const AT_THE_END: Duration = Duration::from_secs(5);

/// Serves until the editor closes the connection.
pub(super) fn run(args: &AcpArgs) -> anyhow::Result<Ending> {
    let runtime = tokio::runtime::Runtime::new()?;
    let server = EditorServer::new(args.clone(), runtime.handle().clone());
    let served = server.serve(io::stdin().lock());
    // A tool that does not end is not waited for: it can have no effect any more.
    runtime.shutdown_timeout(AT_THE_END);
    served?;
    Ok(Ending::Done)
}
