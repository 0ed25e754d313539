//! The network of `signoff run`: which hosts a program reaches, what the user is asked meanwhile, and what it did.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::quote::one_line;
use signoff_core::stage::proposal::DESCRIPTION_CHARS;
use signoff_draw::sanitize;
use signoff_llm::shadow;
use signoff_llm::tool::{HostRuleWriter as _, written_rule};
use signoff_sandbox::network::{
    Broker, HeldKey, HostAnswer, HostAsker, PORT, RuleSource, Target, Traffic, Unattended,
};
use signoff_sandbox::process::command_line;
use signoff_sandbox::shadow::{ProgramNetwork, ProgramTerminal, TerminalAnswer};
use signoff_setup::config::{HostRuleFile, Programs};
use signoff_setup::paths::Paths;
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
    /// What the user is asked about hosts while it runs.
    pub(super) questions: Arc<RunQuestions>,
}

/// Returns what connects a program to the hosts of rules, to those that the user allows while it runs, and to those of its keys,
/// if there are any.
pub(super) fn way(
    (paths, args): (&Paths, &RunArgs),
    programs: &Programs,
    keys: Vec<HeldKey>,
) -> anyhow::Result<ProgramWay> {
    let questions = Arc::new(RunQuestions::new(paths, args));
    let mut way = ProgramWay {
        broker: None,
        port: PORT,
        questions: Arc::clone(&questions),
    };
    let is_here = of_program(args) == ProgramNetwork::Whole;
    if is_here && keys.is_empty() {
        return Ok(way);
    }
    let upstream = match shadow_setup::upstream() {
        Err(error) if args.net.is_none() && keys.is_empty() => {
            out::remark(&format!("the program has no network: {error}"));
            return Ok(way);
        }
        upstream => upstream?,
    };
    let mut rules = programs.network.clone();
    rules.allow(args.net.as_deref().unwrap_or(&[]), RuleSource::Flag)?;
    if is_here {
        // Other users of the machine reach this listener: it is no proxy.
        let broker = shadow::broker(rules.denying(), upstream, Unattended, keys)?;
        way.port = broker.serve_here()?;
        way.broker = Some(broker);
    } else {
        let asker = RunAsker(questions);
        way.broker = Some(shadow::broker(rules, upstream, asker, keys)?);
    }
    Ok(way)
}

/// The questions about hosts during one run.
#[derive(Debug)]
pub(super) struct RunQuestions {
    pub(super) terminal: ProgramTerminal,
    /// The command line, as the question displays it.
    command: String,
    /// Where hosts are written that are allowed for good.
    rules: HostRuleFile,
    came_of: Mutex<QuestionRecord>,
}

/// What came of the questions.
#[derive(Debug, Default)]
struct QuestionRecord {
    /// What was written, or why it could not be, a line each.
    written: Vec<String>,
    /// Hosts that the user could not be asked about, as `--net` takes them.
    unasked: BTreeSet<String>,
}

impl RunQuestions {
    fn new(paths: &Paths, args: &RunArgs) -> Self {
        let command = one_line(&command_line(args.command.iter()), DESCRIPTION_CHARS);
        Self {
            terminal: ProgramTerminal::default(),
            command: sanitize::clean(&command).into_owned(),
            rules: HostRuleFile::new(&paths.config),
            came_of: Mutex::default(),
        }
    }

    fn came_of(&self) -> MutexGuard<'_, QuestionRecord> {
        self.came_of.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, target: &Target) -> HostAnswer {
        let question = format!("signoff: `{}` asks for {target}", self.command);
        match self.terminal.ask(&question) {
            TerminalAnswer::Once => HostAnswer::Allowed,
            TerminalAnswer::Always => {
                let written = self.rules.allow(target);
                let said = written_rule(target, written, "this program ends");
                self.came_of().written.push(said);
                HostAnswer::Allowed
            }
            TerminalAnswer::No => HostAnswer::Refused { reason: None },
            TerminalAnswer::Late => HostAnswer::NotAsked,
            TerminalAnswer::Unavailable => {
                let unasked = &mut self.came_of().unasked;
                if unasked.len() < MOST_NAMED {
                    unasked.insert(target.to_string());
                }
                HostAnswer::NotAsked
            }
        }
    }

    /// Prints which answers were written, and the option that allows the hosts without an answer.
    pub(super) fn remark(&self, args: &RunArgs) {
        let QuestionRecord { written, unasked } = std::mem::take(&mut *self.came_of());
        for line in written {
            out::remark(&format!("network: {line}"));
        }
        if unasked.is_empty() {
            return;
        }
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            out::remark(
                "network: you were not asked: the program reads keys itself, draws on the whole screen, or is in the background",
            );
        }
        let named = args.net.iter().flatten().cloned();
        let words: Vec<String> = named.chain(unasked).collect();
        out::remark(&format!(
            "network: `signoff run --net {}` allows what no rule does",
            words.join(",")
        ));
    }
}

/// Asks the user at the terminal of the program.
#[derive(Debug)]
struct RunAsker(Arc<RunQuestions>);

impl HostAsker for RunAsker {
    fn ask(&self, target: &Target) -> HostAnswer {
        self.0.ask(target)
    }
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
