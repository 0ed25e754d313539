//! `signoff run`: a program on the staged files.
//!
//! In: a program and its arguments. Out: its own output and exit code, what it changed as proposals, and a
//! line on standard error that says so. The workspace is not written.

#[cfg(feature = "mcp")]
mod agent_link;
#[cfg(not(feature = "mcp"))]
mod no_agent_link;
mod network;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_core::engine::{Engine, ProgramStaged};
use signoff_core::id::{ChangesetId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::quote::one_line;
use signoff_core::stage::proposal::{DESCRIPTION_CHARS, Origin};
use signoff_core::stage::review::Proposer;
use signoff_llm::shadow;
use signoff_llm::shadow::ignored_files::{self, IgnoredRules, MOST_NAMED};
use signoff_llm::tool::lock;
use signoff_sandbox::network::{HostTraffic, Traffic};
use signoff_sandbox::process::command_line;
use signoff_sandbox::shadow::{
    Collected, Keeping, Launch, Origin as Layers, Setup, Shadow, UNMADE,
};

use self::network::ProgramWay;
use super::{Ending, out, review};
use crate::args::RunArgs;
#[cfg(feature = "mcp")]
use agent_link::{AgentLink, LinkVerdicts};
#[cfg(not(feature = "mcp"))]
use no_agent_link::{NoAgentLink as AgentLink, NoLinkVerdicts as LinkVerdicts};
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::shadow_setup::{self, Admission};

/// How a call ends whose program was not run.
const NOT_RUN: Ending = Ending::Program(UNMADE as u8);

pub(super) fn run(paths: &Paths, args: &RunArgs) -> anyhow::Result<Ending> {
    let Begun {
        engine,
        programs,
        admission,
        way,
    } = match begin(paths, args) {
        Ok(begun) => begun,
        Err(error) => {
            out::error(&error);
            return Ok(NOT_RUN);
        }
    };
    let questions = Arc::clone(&way.questions);
    let link = args
        .agent
        .and_then(|agent| AgentLink::open(paths, agent, &engine));
    let launch = ProgramLaunch {
        args,
        admission,
        link: link.as_ref(),
    };
    let (shadow, code) = match run_in(paths, (&programs, way), &launch, &engine) {
        Ok(ran) => ran,
        Err(error) => return Ok(unmade(&error)),
    };
    say_what_signals_do();
    let over_server = link.map_or_else(AgentProposals::default, AgentLink::end);
    if let made @ 1.. = over_server.over_mcp.len() {
        let made = counted(made, "proposal");
        out::remark(&format!(
            "{made} came over MCP while it ran; `signoff review` shows what waits of them"
        ));
    }
    let traffic = shadow.traffic();
    network::remark_traffic(traffic);
    questions.remark(args);
    let typed = command_line(args.command.iter());
    let closed = (code != 0).then(|| shadow.may_be_closed_in_git(&typed));
    closed.flatten().iter().for_each(|line| out::remark(line));
    for path in shadow.unseen(&typed) {
        out::remark(&not_shown(&path));
    }
    if args.discard {
        out::remark("nothing is staged of what the program changed (--discard)");
        over_server.conclude(&[]);
    } else {
        let collected = shadow
            .collect(MAX_FILE_BYTES)
            .context("cannot read what the program changed")?;
        let staged = tell(paths, &engine, (&shadow, collected), args, &over_server)?;
        over_server.conclude(&staged);
    }
    Ok(Ending::Program(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// Says at the first Ctrl-C from now on that what the program did is not lost by it.
fn say_what_signals_do() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) else {
        // The signals do the same unsaid.
        return;
    };
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            out::remark("what the program changed is being staged; once more drops it");
        }
    });
}

/// What is read and opened before a program runs.
struct Begun {
    engine: Mutex<Engine>,
    programs: Programs,
    admission: Admission,
    way: ProgramWay,
}

fn begin(paths: &Paths, args: &RunArgs) -> anyhow::Result<Begun> {
    let engine = Mutex::new(opened::engine(paths)?);
    let mut programs = Programs::load(&paths.config, &paths.root)?;
    programs.named.extend(args.env.iter().cloned());
    let admission = shadow_setup::admit(&mut programs, args.agent, &args.key)?;
    let way = network::way((paths, args), &programs, admission.keys())?;
    Ok(Begun {
        engine,
        programs,
        admission,
        way,
    })
}

/// What became of a program's changes, as other programs read it. The lines of proposals are written as they are: there may
/// be a million.
#[derive(Serialize)]
struct Told<'a> {
    changeset: Option<ChangesetId>,
    proposals: Vec<review::Shown<'a>>,
    over_mcp: &'a [ProposalId],
    refused: Vec<Value>,
    refused_more: usize,
    ignored: Value,
    repository: Value,
    /// Hosts that it asked for, where it has the network by host.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Vec<HostTraffic>>,
}

fn unmade(error: &anyhow::Error) -> Ending {
    out::error(&anyhow::anyhow!(
        "the program was not run, as no shadow of the workspace can be made here: {error:#}; \
         `signoff doctor` says what is missing"
    ));
    NOT_RUN
}

/// A program as it was asked for, what it is let have as an agent, and what ties it to signoff outside.
struct ProgramLaunch<'a> {
    args: &'a RunArgs,
    admission: Admission,
    link: Option<&'a AgentLink>,
}

/// What an agent proposed over the server while it ran, and what it is to be told later.
#[derive(Default)]
struct AgentProposals {
    over_mcp: Vec<ProposalId>,
    verdicts: Option<LinkVerdicts>,
}

impl AgentProposals {
    /// Remembers what was staged, of which the agent's next run is told.
    fn conclude(&self, staged: &[ProposalId]) {
        if let Some(verdicts) = &self.verdicts {
            verdicts.remember(staged.iter().copied());
        }
    }
}

/// Runs the program in the shadow of the workspace, in the current folder, if that is in the workspace. Returns its
/// exit code, or why no shadow can be made.
fn run_in(
    paths: &Paths,
    (programs, way): (&Programs, ProgramWay),
    ProgramLaunch {
        args,
        admission,
        link,
    }: &ProgramLaunch<'_>,
    engine: &Mutex<Engine>,
) -> anyhow::Result<(Shadow, i32)> {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let within = here.ok().filter(|here| here.starts_with(&paths.root));
    let mut setup = Setup {
        folder: within.unwrap_or_else(|| paths.root.clone()),
        network: network::of_program(args),
        ..shadow_setup::of_workspace(paths, programs)?
    };
    admission.apply(&mut setup, way.port);
    let command = admission.command(&args.command, way.port);
    // What rules deny to read no program finds, whoever started it: it may be an agent.
    let mut setup = if programs.rules.denies_reading() {
        let rules = programs.rules.clone().within(&paths.root);
        shadow::hiding(&setup, &rules, engine)?
    } else {
        setup
    };
    let command = match link {
        Some(link) => link.prepare(&mut setup, &command),
        None => command,
    };
    let mut shadow = Shadow::open(setup, Layers::User)?;
    if let Some(broker) = way.broker {
        shadow.ask_at(&way.questions.terminal)?;
        shadow.connect_by(broker)?;
    }
    shadow.stage(lock(engine).for_program()?)?;
    let [name, arguments @ ..] = command.as_slice() else {
        anyhow::bail!("no command is named");
    };
    let code = shadow.run(&Launch {
        name,
        arguments,
        folder: None,
        variables: &[],
    })?;
    Ok((shadow, code))
}

/// Stages what the program left and says what became of it. Returns the proposals.
fn tell(
    paths: &Paths,
    engine: &Mutex<Engine>,
    (shadow, mut collected): (&Shadow, Collected),
    args: &RunArgs,
    over_server: &AgentProposals,
) -> anyhow::Result<Vec<ProposalId>> {
    let (kept, git) = (collected.kept.clone(), collected.git.clone());
    let rules = IgnoredRules {
        root: &paths.root,
        engine,
    };
    let keeping = args.keep_ignored.then(|| shadow.keep(&kept, &rules));
    if let Some(keeping) = &keeping {
        // What is on the disk is not lost with anything.
        collected.unproposed.retain(|(path, _)| {
            let path = Path::new(path);
            !kept.paths.iter().any(|folder| path.starts_with(folder))
                || keeping
                    .refused
                    .iter()
                    .any(|(folder, _)| path.starts_with(folder))
        });
    }
    let command = command_line(args.command.iter());
    let origin = Origin {
        proposer: match args.agent {
            Some(agent) => Proposer::ForeignAgent {
                name: agent.word().to_owned(),
            },
            None => Proposer::Program,
        },
        request: one_line(&command, DESCRIPTION_CHARS),
        ..Origin::default()
    };
    let staged = shadow::stage(
        &mut lock(engine),
        collected,
        (command, Vec::new()),
        origin,
        None,
    )?;
    out::remark(&summary(&staged));
    for (path, why) in staged.refused.iter().take(MOST_NAMED) {
        out::remark(&format!("not staged: {path}: {why}"));
    }
    let more = staged.refused.len().saturating_sub(MOST_NAMED) + staged.refused_more;
    if more > 0 {
        out::remark(&format!("not staged: {more} more"));
    }
    let of_repository: Vec<String> = git.remarks().into_iter().chain(git.command()).collect();
    of_repository.iter().for_each(|line| out::remark(line));
    if let Some(keeping) = &keeping {
        tell_of_keeping(keeping);
    } else if kept.files > 0 {
        let told = kept.line(kept.stays());
        out::remark(&format!("{told}; `signoff keep` writes them"));
    }
    let ids = staged.proposals.iter().map(|own| own.id).collect();
    if !args.json {
        return Ok(ids);
    }
    let refused = staged.refused.iter();
    let refused: Vec<Value> = refused
        .map(|(path, why)| json!({ "path": path, "why": why }))
        .collect();
    out::json(&Told {
        changeset: staged.changeset,
        proposals: staged.proposals.iter().map(review::shown).collect(),
        over_mcp: &over_server.over_mcp,
        refused,
        refused_more: staged.refused_more,
        repository: json!({
            "waits": git.waits.as_ref().map(|own| &own.id),
            "told": of_repository,
        }),
        ignored: json!({ "files": kept.files, "bytes": kept.bytes, "paths": kept.paths }),
        network: shadow.traffic().map(Traffic::by_host),
    })?;
    Ok(ids)
}

/// Says which ignored files are on disk now, and which are not.
fn tell_of_keeping(keeping: &Keeping) {
    if keeping.written.files > 0 {
        out::remark(&keeping.written.line("written"));
    }
    for line in ignored_files::not_written(&keeping.refused) {
        out::remark(&line);
    }
}

/// Says which setting shows programs a path.
fn not_shown(path: &Path) -> String {
    let path = path.display();
    format!(
        "programs do not see {path}; `show = [\"{path}\"]` below `[run]` in your configuration shows it"
    )
}

fn summary(staged: &ProgramStaged) -> String {
    // Permission bits are a proposal beside that of the text.
    let paths = staged.proposals.iter().map(|proposal| &proposal.path);
    let files = paths.collect::<BTreeSet<_>>().len();
    match files {
        // It undid work that was staged, and the files are as on disk.
        0 if staged.changeset.is_some() => {
            "staged work was undone; nothing new is staged".to_owned()
        }
        0 if !staged.refused.is_empty() || staged.refused_more > 0 => {
            "nothing is staged of what changed".to_owned()
        }
        0 => "no file changed".to_owned(),
        _ => format!(
            "{} staged; `signoff review` shows what changed",
            counted(files, "file")
        ),
    }
}
