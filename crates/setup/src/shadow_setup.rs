//! Shadow setup: what a shadow of the workspace is made of.
//!
//! In: the folders of this run and what is configured of programs. Out: a setup, tried out for the
//! model's commands.

mod admission;
#[cfg(feature = "mcp")]
mod announcement;
mod foreign_agent;

use std::io;
use std::path::{Path, PathBuf};

use signoff_llm::checks::Bench;
use signoff_llm::commit::HookRunner;
use signoff_sandbox::ignored;
use signoff_sandbox::network::Upstream;
use signoff_sandbox::process::Supervision;
use signoff_sandbox::shadow::{self, ProgramNetwork, Setup, UserFiles, UserPlace};

use crate::args::ForeignAgent;
use crate::config::{Programs, Service, variable};
use crate::paths::Paths;

use self::foreign_agent::AgentAccess;
pub use admission::Admission;
#[cfg(feature = "mcp")]
pub use announcement::{Announcement, ServerInside};

/// Returns the setup of a shadow of the workspace, without a network.
pub fn of_workspace(paths: &Paths, programs: &Programs) -> io::Result<Setup> {
    let home = etcetera::home_dir().map_err(io::Error::other)?;
    let own = paths.own();
    let place = UserPlace {
        home: &home,
        root: &paths.root,
        own: &own,
    };
    let mut files = UserFiles::find(place, variable);
    for folder in &programs.caches {
        // What is not there yet, or would show more than it says, is left out.
        let _unseen = files.cache(place, &from_home(&home, folder));
    }
    for path in &programs.show {
        let _unseen = files.show(place, &from_home(&home, path));
    }
    let UserFiles {
        caches,
        git,
        shown,
        texts,
        replaced,
        mut hidden,
    } = files;
    hidden.extend(ignored::reserved_files(&paths.root, &paths.reserved));
    Ok(Setup {
        parent: None,
        root: paths.root.clone(),
        layers: paths.shadow(),
        commits: paths.commits(),
        under: None,
        folder: paths.root.clone(),
        network: ProgramNetwork::None,
        home,
        caches,
        git,
        shown,
        placed: Vec::new(),
        texts,
        replaced,
        hidden,
        reserved: paths.reserved.clone(),
        environment: shadow::environment(variables(), &programs.named),
    })
}

/// Says that this process runs in the shadow of the workspace, if it does. A program may unset the variable that tells: it is
/// there for honesty.
pub fn seen_inside(root: &Path) -> Option<String> {
    let shown = PathBuf::from(variable(shadow::ROOT_VARIABLE)?);
    let is_same = root.starts_with(&shown) || shown.starts_with(root);
    is_same.then(|| {
        format!(
            "this is the shadow of {}, in which signoff runs programs: what changes here is collected, and waits for a verdict \
             outside. Change the files themselves; what this signoff staged would be gone with the shadow",
            shown.display()
        )
    })
}

/// Lets programs have what an agent needs beside the workspace, and the use of the keys for services. Returns what else they are let
/// have.
///
/// # Errors
///
/// Fails if there is no home folder for an agent, if there is no key for a service, or if a key or the address of its service
/// cannot be used.
pub fn admit(
    programs: &mut Programs,
    agent: Option<ForeignAgent>,
    services: &[&'static Service],
) -> io::Result<Admission> {
    let mut access = match agent {
        Some(agent) => {
            let home = etcetera::home_dir().map_err(io::Error::other)?;
            agent.access(&home, &programs.named, variable)
        }
        None => AgentAccess::default(),
    };
    for service in services {
        if !access.use_service(service, &programs.named, variable) {
            let (word, variables) = (service.word, service.variables.join(" or "));
            return Err(io::Error::other(format!(
                "there is no key for `--key {word}`: set {variables}, and do not name it with `--env`"
            )));
        }
    }
    programs.caches.append(&mut access.folders);
    programs.named.append(&mut access.variables);
    Admission::to(access).map_err(io::Error::other)
}

/// Returns the proxy of the user's own network, through which programs reach hosts.
///
/// # Errors
///
/// Fails if one is named that cannot be gone through.
pub fn upstream() -> io::Result<Upstream> {
    Upstream::of_variables(variable).map_err(io::Error::other)
}

/// Returns the variables of this process that are text.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    let all = std::env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// Returns how programs of the project are run.
pub(crate) fn bench(paths: &Paths, programs: &Programs) -> io::Result<Bench> {
    Ok(Bench {
        setup: of_model(paths, programs)?,
        supervision: Supervision::OwnExecutable,
        policy: programs.rules.clone().within(&paths.root),
    })
}

/// Returns the setup for programs that nobody typed, if a shadow can be made here.
pub(crate) fn of_model(paths: &Paths, programs: &Programs) -> io::Result<Setup> {
    let setup = of_workspace(paths, programs)?;
    shadow::probe(&setup)?;
    Ok(setup)
}

/// Returns what runs git's hooks at a commit, if a shadow can be made here.
pub fn commit_hooks(paths: &Paths, programs: &Programs) -> Option<HookRunner> {
    Some(HookRunner {
        setup: of_model(paths, programs).ok()?,
        supervision: Supervision::OwnExecutable,
    })
}

fn from_home(home: &Path, folder: &Path) -> PathBuf {
    match folder.strip_prefix("~") {
        Ok(below) => home.join(below),
        Err(_) => folder.to_owned(),
    }
}
