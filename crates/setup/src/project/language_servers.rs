//! Language servers on the path: which there are, and which of them are of use in this workspace.
//!
//! In: what is configured, `PATH`, the names of the workspace's files. Out: the commands of the servers. None is started.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use signoff_checks::check::{Check, Kind, Touched, found};
use signoff_checks::language_server::LanguageServer;
use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_llm::checks::ServerCheck;
use signoff_llm::language_servers::ServerCommand;
use signoff_sandbox::ignored;
use signoff_sandbox::process::{command_line, installed};

use crate::config::{Programs, ServerFile};

/// Names that are looked at for the languages of a workspace.
const MAX_LOOKED_AT: usize = 5000;

/// Returns the servers that are on the path, or configured, and that no rule forbids to start.
pub fn commands(programs: &Programs) -> BTreeMap<LanguageServer, ServerCommand> {
    let Some(own) = &programs.language_servers else {
        return BTreeMap::new();
    };
    let each = LanguageServer::ALL.into_iter();
    let each = each.filter_map(|server| {
        let command = match own.get(&server) {
            Some(ServerFile::On(false)) => return None,
            Some(ServerFile::Command(words)) => {
                let (program, arguments) = words.split_first()?;
                ServerCommand {
                    program: program.clone(),
                    arguments: arguments.to_vec(),
                }
            }
            Some(ServerFile::On(true)) | None => on_path(server)?,
        };
        let line = command_line(std::iter::once(&command.program).chain(&command.arguments));
        let forbidden = programs.rules.forbids("bash", &line);
        forbidden.is_none().then_some((server, command))
    });
    each.collect()
}

fn on_path(server: LanguageServer) -> Option<ServerCommand> {
    let mut programs = server.programs().iter();
    let (program, arguments) = programs.find(|(program, _)| installed(program))?;
    Some(ServerCommand {
        program: (*program).to_owned(),
        arguments: arguments.iter().map(|own| (*own).to_owned()).collect(),
    })
}

/// Returns the servers for languages of which the workspace has a file.
pub(crate) fn of_workspace(
    root: &Path,
    reserved: &ReservedFolders,
    programs: &Programs,
) -> BTreeMap<LanguageServer, ServerCommand> {
    let mut commands = commands(programs);
    if commands.is_empty() {
        return commands;
    }
    let mut there = BTreeSet::new();
    let walk = ignored::walk(root, reserved).build();
    for entry in walk.take(MAX_LOOKED_AT).flatten() {
        let name = entry.file_name().to_str();
        there.extend(name.and_then(LanguageServer::of));
        if there.len() == LanguageServer::ALL.len() {
            break;
        }
    }
    commands.retain(|server, _| there.contains(server));
    commands
}

/// Returns the servers that are asked about touched files which no compiler among the checks looks at.
pub(crate) fn checks(
    root: &Path,
    programs: &Programs,
    touched: &Touched,
    known: &dyn Fn(&Touched) -> Vec<Check>,
) -> Vec<ServerCheck> {
    let mut files: BTreeMap<LanguageServer, BTreeSet<String>> = BTreeMap::new();
    for path in touched
        .paths
        .iter()
        .filter(|path| !touched.gone.contains(*path))
    {
        if let Some(server) = LanguageServer::of(path) {
            files.entry(server).or_default().insert(path.clone());
        }
    }
    if files.is_empty() {
        return Vec::new();
    }
    let commands = commands(programs);
    let each = files.into_iter().filter_map(|(server, paths)| {
        let command = commands.get(&server)?.clone();
        let own = Touched {
            paths: paths.iter().cloned().collect(),
            gone: touched.gone.clone(),
        };
        let mut all = found(root, &own, &installed);
        all.extend(known(&own));
        let is_compiled = all.iter().any(|check| check.kind == Kind::Types);
        (!is_compiled).then_some(ServerCheck {
            server,
            command,
            paths,
        })
    });
    each.collect()
}
