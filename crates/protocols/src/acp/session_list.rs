//! Earlier conversations, as an editor lists them.
//!
//! In: folders. Out: the newest conversations of each, newest first. Which other folders have some is not known: the
//! conversations of a folder are kept under a hash of its path.

use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{ListSessionsResponse, SessionInfo};
use anyhow::bail;
use signoff_draw::sanitize;
use signoff_llm::memory::{Archive, Summary};
use signoff_setup::args::PathArgs;
use signoff_setup::paths::Paths;

/// Returns the conversations of folders, and of the folder that signoff runs in where none is named. All are on one page.
pub(super) fn sessions(
    folders: Vec<PathBuf>,
    cursor: Option<&str>,
) -> anyhow::Result<ListSessionsResponse> {
    if cursor.is_some() {
        bail!("there is no further page: the list has one");
    }
    let folders = if folders.is_empty() {
        vec![std::env::current_dir()?]
    } else {
        folders
    };
    let mut found: Vec<(PathBuf, Summary)> = Vec::new();
    for folder in folders {
        if !folder.is_absolute() {
            bail!("{}: the folder is not absolute", folder.display());
        }
        // Of a folder that is gone there is nothing to list.
        if !folder.is_dir() {
            continue;
        }
        let paths = Paths::find(&PathArgs {
            dir: Some(folder.clone()),
            ..PathArgs::default()
        })?;
        let listed = Archive::new(paths.sessions()).list()?;
        found.extend(listed.into_iter().map(|session| (folder.clone(), session)));
    }
    found.sort_by_key(|(_, session)| std::cmp::Reverse(session.last));
    let sessions = found.iter().map(|(folder, summary)| entry(folder, summary));
    Ok(ListSessionsResponse::new(sessions.collect()))
}

fn entry(folder: &Path, summary: &Summary) -> SessionInfo {
    let last = jiff::Timestamp::from_millisecond(summary.last).ok();
    SessionInfo::new(summary.id.clone(), folder)
        .title(sanitize::clean(&summary.title))
        .updated_at(last.map(|last| last.to_string()))
}
