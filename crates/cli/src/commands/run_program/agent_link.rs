//! Agent link: what ties an agent of others, in the shadow, to signoff outside: a server that it reaches, and the user's
//! verdicts on what it proposed in earlier runs.
//!
//! In: the agent and its command. Out: what the shadow shows beside the workspace, and how the agent is told of it;
//! afterwards, what it proposed over the server.
//!
//! ```text
//! outside                            in the shadow
//! the socket's folder            ->  /run/signoff/link, named by $SIGNOFF_MCP
//! the program that runs this     ->  /run/signoff/bin/signoff, on $PATH
//! ```

mod untold_verdicts;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context as _;
use signoff_core::engine::Engine;
use signoff_core::id::ProposalId;
use signoff_llm::tool::lock;
use signoff_protocols::mcp::{Bridge, RunProposals, SOCKET_VARIABLE};
use signoff_sandbox::shadow::{PlacedPath, Setup};
use signoff_setup::paths::Paths;
use signoff_setup::shadow_setup::{Announcement, ServerInside};
use signoff_tui::error_text::in_words;

use super::super::out;
use super::AgentProposals;
use crate::args::ForeignAgent;
use untold_verdicts::{EarlierVerdicts, UntoldVerdicts};

/// Where a program in the shadow finds the folder with the socket, and signoff itself.
const FOLDER_INSIDE: &str = "/run/signoff/link";
const PROGRAMS_INSIDE: &str = "/run/signoff/bin";

/// The link, while the agent runs.
pub(super) struct AgentLink {
    agent: ForeignAgent,
    untold: UntoldVerdicts,
    earlier: EarlierVerdicts,
    bridge: Bridge,
    /// This program's own file.
    program: PathBuf,
}

impl AgentLink {
    /// Begins to serve an agent; without a server it runs all the same, and it is said.
    pub(super) fn open(paths: &Paths, agent: ForeignAgent, engine: &Mutex<Engine>) -> Option<Self> {
        let opened = Self::try_open(paths, agent, engine);
        opened.inspect_err(say_unreached).ok()
    }

    fn try_open(
        paths: &Paths,
        agent: ForeignAgent,
        engine: &Mutex<Engine>,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        anyhow::ensure!(program.is_file(), "signoff was replaced since it started");
        let untold = UntoldVerdicts::of(paths, agent);
        let earlier = untold.look_up(&mut lock(engine))?;
        let bridge = Bridge::open(paths, earlier.notice.clone())
            .context("no socket can be made in the folder for temporary files")?;
        Ok(Self {
            agent,
            untold,
            earlier,
            bridge,
            program,
        })
    }

    /// Adds the server to what a program finds, and returns the command by which it is told so; the command as it is, and
    /// says why, where that cannot be done.
    pub(super) fn prepare(&self, setup: &mut Setup, command: &[OsString]) -> Vec<OsString> {
        let prepared = self.try_prepare(setup, command);
        let prepared = prepared.inspect_err(say_unreached).ok();
        prepared.unwrap_or_else(|| command.to_owned())
    }

    fn try_prepare(
        &self,
        setup: &mut Setup,
        command: &[OsString],
    ) -> anyhow::Result<Vec<OsString>> {
        let folder = PathBuf::from(FOLDER_INSIDE);
        let program = Path::new(PROGRAMS_INSIDE).join("signoff");
        setup.placed.extend([
            placed(self.bridge.folder(), &folder),
            placed(&self.program, &program),
        ]);
        for (_, path) in setup.environment.iter_mut().filter(|own| own.0 == "PATH") {
            *path += &format!(":{PROGRAMS_INSIDE}");
        }
        let socket = text(Bridge::socket_in(&folder))?;
        let variable = (SOCKET_VARIABLE.to_owned(), socket.clone());
        let server = ServerInside {
            program: text(program)?,
            variables: BTreeMap::from([(SOCKET_VARIABLE, socket)]),
            folder,
            home: setup.home.clone(),
        };
        let announcement = Announcement::to(self.agent, command, &setup.environment, &server);
        setup.environment.push(variable);
        let announcement = match announcement {
            Ok(announcement) => announcement,
            Err(why) => {
                let (agent, program) = (self.agent.word(), &server.program);
                out::remark(&format!(
                    "{agent} is not told of signoff's MCP server, as {why}; `{program} mcp` is the server, once {agent} is \
                     told to start it"
                ));
                return Ok(command.to_owned());
            }
        };
        for (file, text) in &announcement.files {
            self.bridge.put(file, text)?;
        }
        let placed_folders = announcement.placed.iter();
        setup.placed.extend(
            placed_folders.map(|(folder, to)| placed(&self.bridge.folder().join(folder), to)),
        );
        let words = announcement.command(command);
        setup.environment.extend(announcement.variables);
        Ok(words)
    }

    /// Ends the server, and returns what was proposed over it.
    pub(super) fn end(self) -> AgentProposals {
        let proposals = self.bridge.end();
        AgentProposals {
            over_mcp: proposals.made.iter().copied().collect(),
            verdicts: Some(LinkVerdicts {
                untold: self.untold,
                earlier: self.earlier,
                proposals,
            }),
        }
    }
}

/// What an agent knows, and does not know, of the user's verdicts, once it has ended.
pub(super) struct LinkVerdicts {
    untold: UntoldVerdicts,
    earlier: EarlierVerdicts,
    proposals: RunProposals,
}

impl LinkVerdicts {
    /// Has the next run of the agent tell it about these proposals, and about those over the server of which it knows no
    /// verdict.
    pub(super) fn remember(&self, staged: impl Iterator<Item = ProposalId>) {
        let new = self.proposals.untold.iter().copied().chain(staged);
        let told = self.proposals.is_notice_told || self.earlier.notice.is_none();
        let kept = self.untold.update(told.then_some(&self.earlier), new);
        if let Err(error) = kept {
            out::remark(&format!(
                "the agent will not be told what you decide about this run: {}",
                in_words(&error)
            ));
        }
    }
}

fn say_unreached(error: &anyhow::Error) {
    let why = in_words(error);
    out::remark(&format!("the agent does not reach `signoff mcp`: {why}"));
}

fn placed(from: &Path, to: &Path) -> PlacedPath {
    PlacedPath {
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// Returns a path as text, which settings of agents are.
fn text(path: PathBuf) -> anyhow::Result<String> {
    let path = path.into_os_string().into_string();
    path.map_err(|path| anyhow::anyhow!("{} is not UTF-8", path.display()))
}
