//! `signoff mcp`: a server of the Model Context Protocol, by which other agents propose edits.
//!
//! In: requests on standard input, from a program that the user has configured to start this. Out: answers on
//! standard output. Everything that is proposed waits for the user, who decides in signoff; nothing here approves.
//!
//! | started | does |
//! |---|---|
//! | by an agent outside of the shadow | [`run`]: serves its standard streams |
//! | by `signoff run --agent`, as part of it | [`Bridge`]: serves a socket that the program in the shadow finds |
//! | by the program in the shadow | [`run`] again: copies bytes between its standard streams and that socket |

mod answer;
mod bridge;
mod in_flight;
mod limits;
mod offered;
mod relay;
mod run_record;
mod server;
mod workspace;

use std::path::Path;

use anyhow::Context as _;
use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio;

pub use bridge::Bridge;
use in_flight::InFlight;
pub use run_record::RunProposals;
use server::EditServer;
use signoff_setup::paths::Paths;

/// Names the socket of the server to a program in the shadow.
pub const SOCKET_VARIABLE: &str = "SIGNOFF_MCP";

/// Returns whether this runs in the shadow of `signoff run --agent`, whose server it speaks to.
pub fn is_inside() -> bool {
    std::env::var_os(SOCKET_VARIABLE).is_some_and(|named| !named.is_empty())
}

/// Serves until the other side closes.
pub fn run(paths: &Paths) -> anyhow::Result<()> {
    if let Some(socket) = std::env::var_os(SOCKET_VARIABLE).filter(|named| !named.is_empty()) {
        return relay::relay(Path::new(&socket));
    }
    let server = EditServer::open(paths, None)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let (input, output) = stdio();
        let transport = InFlight::new(AsyncRwTransport::new_server(input, output));
        let running = match server.serve(transport).await {
            Ok(running) => running,
            // Whoever started this ended it before a word was said.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {
                return Ok(());
            }
            Err(error) => return Err(error).context("the other side does not speak the protocol"),
        };
        running.waiting().await.context("the server ended early")?;
        Ok(())
    })
}
