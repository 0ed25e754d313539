//! Files of agents: the user's, in the configuration and home folders, and the workspace's.
//!
//! In: the folders of this run and the engine. Out: the agents, signoff's own among them, and a line for the user for each
//! file that is none. Those of the workspace are read as staged, by paths that cannot lead out of it.

use std::path::Path;
use std::sync::Mutex;

use signoff_core::disk::workspace::DirEntryKind;
use signoff_core::engine::Engine;
use signoff_core::quote;
use signoff_llm::agent::{Agent, AgentOwner, Agents};
use signoff_llm::tool::lock;
use signoff_sandbox::regular;

use super::skills::{listed, name_of, names, text};
use crate::paths::Paths;

/// Folder of agents, in the workspace and in the home folder.
const FOLDER: &str = ".agents/agents";

/// Maximum size of an agent's file, in bytes; a prompt over 16 KiB is cut.
const MOST_FILE: u64 = 1024 * 1024;

/// Finds all agents.
pub(crate) fn find(paths: &Paths, engine: &Mutex<Engine>) -> (Agents, Vec<String>) {
    let mut agents = Agents::default();
    let mut told = Vec::new();
    let mut users = of_user(&paths.config.with_file_name("agents"), &mut told);
    if let Ok(home) = etcetera::home_dir() {
        users.extend(of_user(&home.join(FOLDER), &mut told));
    }
    let workspaces = of_workspace(engine, &mut told);
    for own in [users, Agents::built_in().collect(), workspaces] {
        told.extend(agents.take(own));
    }
    (agents, told)
}

/// Returns the agents in a folder of the user's.
fn of_user(folder: &Path, told: &mut Vec<String>) -> Vec<Agent> {
    let files = listed(folder).into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "md"));
    let read = files.filter_map(|file| {
        let place = file.display().to_string();
        let called = name_of(&file.with_extension(""));
        let text = regular::text(&file, MOST_FILE).map_err(|error| error.to_string());
        let agent = text.and_then(|text| Agent::read(&called, &text, &place, AgentOwner::User));
        or_told(agent, &place, told)
    });
    read.collect()
}

/// Returns the agents of the workspace, as staged.
fn of_workspace(engine: &Mutex<Engine>, told: &mut Vec<String>) -> Vec<Agent> {
    let mut engine = lock(engine);
    let files = names(&mut engine, FOLDER, DirEntryKind::File).into_iter();
    let read = files.filter_map(|file| {
        let place = format!("{FOLDER}/{file}");
        let called = file.strip_suffix(".md")?;
        let text = text(&mut engine, &place)?;
        let agent = Agent::read(called, &text, &place, AgentOwner::Workspace);
        or_told(agent, &place, told)
    });
    read.collect()
}

fn or_told(agent: Result<Agent, String>, place: &str, told: &mut Vec<String>) -> Option<Agent> {
    agent
        .map_err(|why| {
            let place = quote::name(place);
            told.push(format!("the agent in {place} is passed over: {why}"));
        })
        .ok()
}
