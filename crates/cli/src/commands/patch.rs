//! Patch of all that waits, in the format of git.
//!
//! In: the net change of each file. Out: a patch that `git apply` takes: bytes as they are, and on a terminal
//! harmless text in colours.
//!
//! ```text
//! diff --git a/notes.md b/notes.md
//! --- a/notes.md
//! +++ b/notes.md
//! @@ -1,3 +1,3 @@
//! ```

use std::io::{self, IsTerminal as _, Write};

use signoff_core::engine::{FileState, NetChange};
use signoff_core::quote;
use signoff_core::stage::review::ModeChange;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::git_patch::{GitMode, PatchHead, PatchSide};
use super::pager::Pages;
use super::{Ending, out};
use crate::configuration;

pub(super) fn run(paths: &Paths) -> anyhow::Result<Ending> {
    let changes = opened::as_it_is(paths)?.net_changes()?;
    if changes.is_empty() {
        out::remark("nothing waits for a verdict");
        return Ok(Ending::Done);
    }
    let mut patch = Vec::new();
    for (path, mode) in changes.iter().filter_map(untold_mode) {
        let path = quote::name(path);
        writeln!(
            patch,
            "# {path}: {mode} (git keeps only whether a file may be run)"
        )?;
    }
    for change in &changes {
        write_file(&mut patch, change)?;
    }
    if io::stdout().is_terminal() {
        let mut pages = Pages::new();
        let text = String::from_utf8_lossy(&patch);
        text.lines().for_each(|line| pages.diff_line(line));
        pages.show(&configuration::user_shell(paths))?;
    } else {
        let mut out = io::stdout().lock();
        out.write_all(&patch)?;
        out.flush()?;
    }
    Ok(Ending::Done)
}

/// Returns a change of permission bits of which git says nothing. It stands before the first file, where git skips it.
fn untold_mode(change: &NetChange) -> Option<(&str, ModeChange)> {
    let after = change.after.as_ref().filter(|after| !after.is_link)?;
    let from = change.before.as_ref().and_then(|before| before.mode);
    let mode = ModeChange {
        from,
        to: after.mode?,
    };
    let is_told = GitMode::of(false, from) != GitMode::of(false, after.mode);
    (from.is_some_and(|from| from != mode.to) && !is_told).then_some((&after.path, mode))
}

fn side(file: &FileState) -> PatchSide<'_> {
    PatchSide {
        path: &file.path,
        mode: GitMode::of(file.is_link, file.mode),
    }
}

fn write_file(out: &mut impl Write, change: &NetChange) -> io::Result<()> {
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let head = PatchHead {
        before: before.map(side),
        after: after.map(side),
    };
    head.write_change(out, bytes(before), bytes(after))
}

fn bytes(file: Option<&FileState>) -> &[u8] {
    file.map_or(&[], |file| &file.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_bits_that_git_does_not_keep_are_remarks() {
        for (before, after, told) in [
            (
                0o600,
                0o666,
                Some("mode 600 → 666: readable and writable by everyone"),
            ),
            (0o600, 0o600, None),
            (0o600, 0o755, None),
        ] {
            let [before, after] = [before, after].map(|mode| {
                Some(FileState {
                    path: "key".to_owned(),
                    bytes: b"k\n".to_vec(),
                    is_link: false,
                    mode: Some(mode),
                })
            });
            let change = NetChange { before, after };
            let mode = untold_mode(&change).map(|(_, mode)| mode.to_string());
            assert_eq!(mode.as_deref(), told);
        }
    }
}
