//! Starting the user's editor.
//!
//! In: a text and a name that tells its language. Out: the text as the user left it. The editor
//! is `$VISUAL`, `$EDITOR` or `vi`, and has the terminal while it runs.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use signoff_sandbox::scratch::{ScratchFolder, ScratchUse};

use super::UserShell;

/// Lets the user edit a text and returns it; an error if the editor failed or was not found.
pub fn edit(shell: &UserShell, text: &str, name: &str) -> anyhow::Result<String> {
    let file = Scratch::new(text, name)?;
    let editor = chosen();
    // As git does it: the variable may hold arguments.
    let line = format!("{} \"$@\"", editor.to_string_lossy());
    let status = shell.command(&line).arg("sh").arg(&file.file).status();
    let shown = editor.to_string_lossy();
    let status = status.with_context(|| format!("cannot start the editor {shown}"))?;
    if !status.success() {
        bail!("the editor {shown} ended with {status}; nothing was changed");
    }
    let bytes = fs::read(&file.file).context("cannot read what the editor left")?;
    String::from_utf8(bytes).context("what the editor left is not UTF-8")
}

/// Opens a file of the workspace at a line; an error if it is not there, or if the editor failed or was not found.
pub(crate) fn open(shell: &UserShell, file: &Path, line: u32) -> anyhow::Result<()> {
    if !file.exists() {
        bail!("{} is not on disk yet", file.display());
    }
    let editor = chosen();
    let shown = editor.to_string_lossy();
    let arguments = at_line(&shown, file, line);
    let command = format!("{shown} \"$@\"");
    let status = shell.command(&command).arg("sh").args(arguments).status();
    let status = status.with_context(|| format!("cannot start the editor {shown}"))?;
    if !status.success() {
        bail!("the editor {shown} ended with {status}");
    }
    Ok(())
}

/// Returns the arguments that have an editor open a file at a line.
fn at_line(editor: &str, file: &Path, line: u32) -> Vec<OsString> {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = Path::new(program).file_name().unwrap_or_default();
    let joined = || {
        let mut joined = OsString::from(file);
        joined.push(format!(":{line}"));
        joined
    };
    match name.to_str().unwrap_or_default() {
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
            vec!["--goto".into(), joined()]
        }
        "zed" | "zeditor" | "subl" | "hx" | "helix" => vec![joined()],
        // vi, vim, nvim, nano, emacs, emacsclient, kak, micro, joe
        _ => vec![format!("+{line}").into(), file.into()],
    }
}

/// Returns the user's editor, with arguments if it was given any.
pub fn chosen() -> OsString {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("VISUAL")
        .or_else(|| set("EDITOR"))
        .unwrap_or_else(|| "vi".into())
}

/// A file that nobody else reads, gone with its owner.
struct Scratch {
    file: PathBuf,
    _folder: ScratchFolder,
}

impl Scratch {
    fn new(text: &str, name: &str) -> anyhow::Result<Self> {
        let name = Path::new(name).file_name().unwrap_or("text".as_ref());
        let folder =
            ScratchFolder::new(ScratchUse::Edit).context("cannot make a folder for the editor")?;
        let path = folder.path().join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(&path);
        let mut file = file.with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(text.as_bytes())
            .context("cannot write the text for the editor")?;
        Ok(Self {
            file: path,
            _folder: folder,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_told_the_line_in_their_own_way() {
        for (editor, expected) in [
            ("vi", "+7 /w/a b.rs"),
            ("/usr/bin/nvim -p", "+7 /w/a b.rs"),
            ("code --wait", "--goto /w/a b.rs:7"),
            ("cursor", "--goto /w/a b.rs:7"),
            ("zed --wait", "/w/a b.rs:7"),
            ("hx", "/w/a b.rs:7"),
            ("", "+7 /w/a b.rs"),
        ] {
            let arguments = at_line(editor, Path::new("/w/a b.rs"), 7);
            let arguments: Vec<_> = arguments.iter().map(|own| own.to_string_lossy()).collect();
            assert_eq!(arguments.join(" "), expected, "{editor}");
        }
    }
}
