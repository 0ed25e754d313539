//! `signoff sign-in`: signing in to servers of the Model Context Protocol.
//!
//! In: the name of a server. Out: an address, which the user opens in a browser, and once the authorization server has sent the
//! browser back, tokens in a file that nobody but the user reads. Nothing is opened here.

use anyhow::{Context as _, bail};
use signoff_core::plural::counted;
use signoff_mcp::definition::{ServerDefinition, ServerEndpoint};
use signoff_mcp::{SignInInvitation, forget_sign_in, is_signed_in, sign_in};
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::mcp_servers;

use super::{Ending, out};
use crate::args::{ModelArgs, SignInArgs};
use crate::configuration;

pub(super) fn run(paths: &Paths, args: &SignInArgs) -> anyhow::Result<Ending> {
    let model = ModelArgs::default();
    let config = configuration::load(paths, &model)?;
    let found = mcp_servers::find(&config, paths, true);
    let Some(name) = &args.name else {
        found.remarks().for_each(|remark| out::remark(remark));
        return list(&found.definitions);
    };
    let mut definitions = found.definitions.iter();
    let Some(definition) = definitions.find(|it| it.name.as_str() == name) else {
        // Why one was passed over is the reason that it is not there.
        found.remarks().for_each(|remark| out::remark(remark));
        bail!("there is no MCP server {name:?}; `signoff sign-in` lists them");
    };
    if args.forget {
        let was_there = forget_sign_in(definition)?;
        out::line(if was_there {
            "forgotten here; the tokens are not revoked: the server takes them until they expire"
        } else {
            "nobody is signed in to it"
        })?;
        return Ok(Ending::Done);
    }
    let mut printed = Ok(());
    let signed_in = sign_in(definition, &args.scope, &mut |invitation| {
        printed = show(name, invitation);
    });
    printed?;
    signed_in.with_context(|| format!("cannot sign in to {name}"))?;
    out::line(&format!(
        "signed in to {name}; `signoff sign-in {name} --forget` forgets it"
    ))?;
    Ok(Ending::Done)
}

/// Shows what the user is to open, and whom that tells what.
fn show(name: &str, invitation: &SignInInvitation) -> anyhow::Result<()> {
    let SignInInvitation {
        address,
        host,
        token_host,
        resource,
        scopes,
        within,
    } = invitation;
    out::line(&format!("The server {name} has you sign in at {host}."))?;
    out::line(&format!("It asks for tokens for {resource}"))?;
    if token_host != host {
        out::line(&format!(
            "The tokens come from another host, {token_host}: go on only if the two belong together."
        ))?;
    }
    if !scopes.is_empty() {
        out::line(&format!("with the scopes {}", scopes.join(" ")))?;
    }
    let minutes = counted(usize::try_from(within.as_secs() / 60)?, "minute");
    out::line(&format!(
        "Open this address in a browser on this machine, within {minutes}:"
    ))?;
    out::text(&format!("\n{address}\n\n"))
}

fn list(definitions: &[ServerDefinition]) -> anyhow::Result<Ending> {
    if definitions.is_empty() {
        out::line("there are no MCP servers; [mcp.NAME] of config.toml names them")?;
    }
    for definition in definitions {
        let how = match (&definition.endpoint, is_signed_in(definition)) {
            (ServerEndpoint::Program(_), _) => "a program, without a sign-in".to_owned(),
            (ServerEndpoint::Http { .. }, None) => "by the header that is configured".to_owned(),
            (ServerEndpoint::Http { .. }, Some(Ok(true))) => "signed in".to_owned(),
            (ServerEndpoint::Http { .. }, Some(Ok(false))) => "not signed in".to_owned(),
            (ServerEndpoint::Http { .. }, Some(Err(error))) => {
                format!("what is kept of its sign-in cannot be read: {error}")
            }
        };
        let name = definition.name.as_str();
        out::line(&format!("{name}: {how} ({})", definition.shown))?;
    }
    Ok(Ending::Done)
}
