//! The network of `signoff run`: what `--net` gives a program, and what it did with it.

use signoff_llm::shadow;
use signoff_sandbox::network::{Broker, HeldKey, PORT, RuleSource, Traffic, Unattended};
use signoff_sandbox::shadow::ProgramNetwork;
use signoff_setup::config::Programs;
use signoff_setup::shadow_setup;

use super::super::out;
use super::MOST_NAMED;
use crate::args::RunArgs;

/// Returns the network that a program begins with: agents of others have all of it, unless hosts are named.
pub(super) fn of_program(args: &RunArgs) -> ProgramNetwork {
    match args.net.as_deref() {
        Some([]) => ProgramNetwork::Whole,
        None if args.agent.is_some() => ProgramNetwork::Whole,
        None | Some(_) => ProgramNetwork::None,
    }
}

/// How a program reaches hosts.
pub(super) struct ProgramWay {
    /// What connects it, if anything has to.
    pub(super) broker: Option<Broker>,
    /// The port at which it finds that, on its loopback.
    pub(super) port: u16,
}

/// Returns what connects a program to the hosts that are named, and to those of its keys, if there are any. The program has the
/// terminal, so that nobody is asked about others.
pub(super) fn way(
    args: &RunArgs,
    programs: &Programs,
    keys: Vec<HeldKey>,
) -> anyhow::Result<ProgramWay> {
    let words = args.net.as_deref().unwrap_or(&[]);
    let mut way = ProgramWay {
        broker: None,
        port: PORT,
    };
    if words.is_empty() && keys.is_empty() {
        return Ok(way);
    }
    let is_here = of_program(args) == ProgramNetwork::Whole;
    let mut rules = programs.network.clone();
    rules.allow(words, RuleSource::Flag)?;
    if is_here {
        // Other users of the machine reach this listener: it is no proxy.
        rules = rules.denying();
    }
    let broker = shadow::broker(rules, shadow_setup::upstream()?, Unattended, keys)?;
    if is_here {
        way.port = broker.serve_here()?;
    }
    way.broker = Some(broker);
    Ok(way)
}

/// Says which hosts a program asked for.
///
/// ```text
/// signoff: network: a.example:443: 3 connections, 1.2 MB received, 3.4 kB sent, by --net a.example
/// signoff: network: b.example:443: refused, as no rule allows it; ...
/// ```
pub(super) fn remark_traffic(traffic: Option<&Traffic>) {
    let Some(traffic) = traffic else {
        return;
    };
    let hosts = traffic.by_host();
    for host in hosts.iter().take(MOST_NAMED) {
        out::remark(&format!("network: {host}"));
    }
    let more = hosts.len().saturating_sub(MOST_NAMED) as u64 + traffic.others();
    if more > 0 {
        out::remark(&format!("network: {more} more"));
    }
}
