//! Shadow setup: what a shadow of the workspace is made of.
//!
//! In: the folders of this run and what is configured of programs. Out: a setup, tried out for the
//! model's commands.

use std::io;
use std::path::{Path, PathBuf};

use signoff_llm::checks::Bench;
use signoff_verify::process::Supervision;
use signoff_verify::shadow::{self, Backend, Confined, Setup};

use crate::config::Programs;
use crate::paths::Paths;

/// Returns the setup of a shadow of the workspace, without a network.
pub(crate) fn of_workspace(
    paths: &Paths,
    programs: &Programs,
    backend: Backend,
) -> io::Result<Setup> {
    let home = etcetera::home_dir().map_err(io::Error::other)?;
    let mut hidden = shadow::hidden(&home);
    hidden.extend(paths.own());
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut caches = shadow::caches(&home, variable);
    let own = programs
        .caches
        .iter()
        .map(|folder| from_home(&home, folder));
    caches.extend(own.filter_map(|folder| folder.canonicalize().ok()));
    let apart =
        |folder: &PathBuf| !folder.starts_with(&paths.root) && !paths.root.starts_with(folder);
    caches.retain(apart);
    Ok(Setup {
        backend,
        root: paths.root.clone(),
        layers: paths.shadow(),
        folder: paths.root.clone(),
        network: false,
        caches,
        hidden,
    })
}

/// Returns how programs of the project are run.
pub(crate) fn bench(paths: &Paths, programs: &Programs) -> io::Result<Bench> {
    Ok(Bench {
        setup: of_workspace(paths, programs, chosen(paths, programs)?)?,
        hidden: programs.hidden.clone(),
        supervision: Supervision::OwnExecutable,
    })
}

/// Returns the setup for the model's commands, if a shadow can be made here and confines them.
pub(crate) fn of_model(paths: &Paths, programs: &Programs) -> io::Result<Setup> {
    if shadow::probe_confinement() == Confined::No {
        return Err(io::Error::other(
            "this system has no Landlock, so that writes outside succeed",
        ));
    }
    of_workspace(paths, programs, chosen(paths, programs)?)
}

/// Returns the first backend that works here.
pub(crate) fn chosen(paths: &Paths, programs: &Programs) -> io::Result<Backend> {
    let mut failed = None;
    for backend in programs.backends {
        match shadow::probe(&paths.shadow(), *backend) {
            Ok(()) => return Ok(*backend),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or_else(|| io::ErrorKind::Unsupported.into()))
}

fn from_home(home: &Path, folder: &Path) -> PathBuf {
    match folder.strip_prefix("~") {
        Ok(below) => home.join(below),
        Err(_) => folder.to_owned(),
    }
}
