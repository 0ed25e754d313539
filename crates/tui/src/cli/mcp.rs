//! `signoff mcp`: a server of the Model Context Protocol, by which other agents propose edits.
//!
//! In: requests on standard input, from a program that the user has configured to start this. Out: answers on
//! standard output. Everything that is proposed waits for the user, who decides in signoff; nothing here approves.

mod answer;
mod limits;
mod offered;
mod server;
mod waiting;

use anyhow::Context as _;
use rmcp::ServiceExt as _;
use rmcp::transport::stdio;

use super::Ending;
use crate::paths::Paths;
use server::EditServer;

/// Serves until the other side closes.
pub(super) fn run(paths: &Paths) -> anyhow::Result<Ending> {
    let server = EditServer::open(paths)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let running = match server.serve(stdio()).await {
            Ok(running) => running,
            // Whoever started this ended it before a word was said.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {
                return Ok(Ending::Done);
            }
            Err(error) => return Err(error).context("the other side does not speak the protocol"),
        };
        running.waiting().await.context("the server ended early")?;
        Ok(Ending::Done)
    })
}
