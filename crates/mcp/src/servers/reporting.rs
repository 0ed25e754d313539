//! What the user is told of servers, and decides about them.
//!
//! In: what the user asks. Out: a line for each server, and the prompts and resources of those that run.

use signoff_providers::trust::{TrustQuestion, TrustStanding};

use super::{Server, ServerRequest, Servers, ServersReport, Stop};
use crate::catalogue::Catalogue;
use crate::foreign_text::line;

/// Names of tools in a line about a server.
const MOST_NAMES: usize = 60;

impl Servers {
    pub(super) fn report_on(&self, request: &ServerRequest, stop: &Stop) -> ServersReport {
        let mut report = ServersReport::default();
        match request {
            ServerRequest::List => {
                let servers = self.servers.iter();
                report.lines.extend(servers.map(Server::told));
            }
            ServerRequest::Connect(name) => report.lines.extend(self.connect(name, stop)),
            ServerRequest::Allow(name) => report.lines.push(self.not_asked_about(name)),
            ServerRequest::Refuse(name) => report.lines.push(self.decide(name, false)),
        }
        self.with_offers(report)
    }

    /// Returns what the user is shown before a server of the workspace is allowed.
    pub(super) fn question_about(&self, name: &str) -> Option<TrustQuestion> {
        let definition = &self.server(name)?.definition;
        let standing = definition.standing();
        let is_open = standing.is_ok_and(|standing| standing != TrustStanding::Trusted);
        is_open.then(|| definition.trust.question().clone())
    }

    /// Takes the answer to that.
    pub(super) fn answered(&self, name: &str, is_allowed: bool) -> ServersReport {
        let line = if is_allowed {
            self.decide(name, true)
        } else {
            format!("{name} is not allowed; /mcp refuse {name} keeps that")
        };
        self.with_offers(ServersReport {
            lines: vec![line],
            ..ServersReport::default()
        })
    }

    /// Says why the user was not asked whether a server is allowed.
    fn not_asked_about(&self, name: &str) -> String {
        let Some(server) = self.server(name) else {
            return self.unknown(name);
        };
        match server.definition.standing() {
            Ok(TrustStanding::Trusted) => format!("{name} is allowed already"),
            Err(why) => format!("{name} cannot be used: {why}"),
            Ok(TrustStanding::Changed | TrustStanding::Unknown | TrustStanding::Refused) => {
                format!(
                    "{name} is not allowed: all of it has to be shown first; /mcp allow {name} asks once nothing runs \
                     and no other question is open"
                )
            }
        }
    }

    /// Adds what the servers that run offer.
    fn with_offers(&self, mut report: ServersReport) -> ServersReport {
        for server in &self.servers {
            server.offered(|listed| {
                for prompt in &listed.prompts {
                    let name = format!("{}:{}", server.name(), prompt.name);
                    report.prompts.push((name, prompt.description.clone()));
                }
                for resource in &listed.resources {
                    let address = format!("{}:{}", server.name(), resource.address);
                    let described = (address, resource.description.clone());
                    report.resources.push(described);
                }
            });
        }
        report
    }

    /// Starts a server, and says what it offers.
    fn connect(&self, name: &str, stop: &Stop) -> Vec<String> {
        let Some(server) = self.server(name) else {
            return vec![self.unknown(name)];
        };
        server.forget_starts();
        let started = self.wait(stop, server.connected(&self.launcher));
        if let Err(why) = started.and_then(|started| started.map(drop)) {
            return vec![format!("{name}: {}", line(&why, 600))];
        }
        let mut lines = vec![server.told()];
        lines.extend(
            server
                .offered(|listed| offers(name, listed))
                .into_iter()
                .flatten(),
        );
        lines
    }

    /// Writes down what the user says of a server that the workspace names.
    fn decide(&self, name: &str, is_allowed: bool) -> String {
        let Some(server) = self.server(name) else {
            return self.unknown(name);
        };
        match server.definition.standing() {
            Ok(TrustStanding::Changed | TrustStanding::Unknown | TrustStanding::Refused) => {}
            Ok(TrustStanding::Trusted) if !is_allowed => {}
            Ok(TrustStanding::Trusted) => return format!("{name} is allowed already"),
            Err(why) => return format!("{name} cannot be used: {why}"),
        }
        if let Err(error) = server.definition.trust.decide(is_allowed) {
            return format!("{name}: this cannot be written down: {error}");
        }
        if is_allowed {
            format!("{name} is allowed; its calls still ask. /mcp {name} starts it")
        } else {
            server.close();
            format!("{name} is refused")
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.servers.iter().map(Server::name).collect();
        format!(
            "there is no server {}; there are: {}",
            line(name, 100),
            names.join(", ")
        )
    }
}

impl Server {
    /// Returns how it stands, in one line.
    fn told(&self) -> String {
        let name = self.name();
        match self.definition.standing() {
            Ok(TrustStanding::Changed | TrustStanding::Unknown) => format!(
                "{name}: the workspace names it ({}); /mcp allow {name} shows all of it and asks, /mcp refuse {name} does \
                 not let it run",
                self.definition.shown
            ),
            Ok(TrustStanding::Refused) => format!("{name}: refused; /mcp allow {name} asks again"),
            Err(why) => format!("{name}: cannot be used: {}", line(why, 300)),
            Ok(TrustStanding::Trusted) => {
                let state = line(&self.state(), 600);
                match self.offered(counted) {
                    Some(counts) => format!("{name}: {state}; {counts}"),
                    None => format!("{name}: {state} ({})", self.definition.shown),
                }
            }
        }
    }
}

/// Says how much a server offers.
fn counted(listed: &Catalogue) -> String {
    let counts = format!(
        "{} tools, {} resources, {} prompts",
        listed.tools.len(),
        listed.resources.len(),
        listed.prompts.len()
    );
    match listed.left_out {
        0 => counts,
        some => {
            let names = listed.named_out.join(", ");
            let more = match some - listed.named_out.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{counts}; left out for their names, definitions or number: {names}{more}")
        }
    }
}

/// Says what a server offers, a line for each kind; tools also where there are none.
fn offers(server: &str, listed: &Catalogue) -> Vec<String> {
    let tools = listed.tools.keys().take(MOST_NAMES);
    let tools: Vec<String> = tools.map(|tool| format!("{server}__{tool}")).collect();
    let more = match listed.tools.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let prompts = listed.prompts.iter().take(MOST_NAMES);
    let prompts: Vec<String> = prompts
        .map(|prompt| format!("/{server}:{}", prompt.name))
        .collect();
    let resources = listed.resources.iter().take(MOST_NAMES);
    let resources: Vec<String> = resources
        .map(|resource| format!("@{server}:{}", resource.address))
        .collect();
    let mut lines = vec![format!("tools: {}{more}", tools.join(", "))];
    for (kind, names) in [("prompts", prompts), ("resources", resources)] {
        if !names.is_empty() {
            lines.push(format!("{kind}: {}", names.join(", ")));
        }
    }
    lines
}
