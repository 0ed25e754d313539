//! Virtual environments of Python, as their programs are started: by editors, by shells that enter the folder, by name.
//!
//! In: a path and the folders that hold the workspace. Out: whether it is the folder of such programs or in one. Every
//! file in it counts, executable or not: `activate` is read by a shell.
//!
//! | path | why |
//! |---|---|
//! | `.venv/bin/pytest`, `env/BIN/x`, `a/venv/Scripts` | the environment's usual name |
//! | `py/bin/ruff` | `py/pyvenv.cfg` is there |
//! | `py/bin/activate`, `py/bin/python3` | every environment has them |
//! | `.venv` as a link, `tools/ruff` where `.venv/bin` is a link to `tools` | the link |

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Names that editors and shells look for.
const USUAL: [&str; 3] = [".venv", "venv", "env"];
/// Folders of programs in an environment, on Unix and on Windows; file systems may ignore case.
const PROGRAMS: [&str; 2] = ["bin", "Scripts"];
/// How the names of programs begin that every environment has.
const ALWAYS: [&[u8]; 2] = [b"activate", b"python"];

/// Returns whether a path is that of an environment's programs, one of them, or that of an environment that is a link.
/// `sides` are the folders in which its files may be.
pub(super) fn is_programs(path: &Path, sides: &[&Path]) -> bool {
    let name = path.file_name().map(OsStr::as_encoded_bytes);
    let is_usual = name.is_some_and(|name| ALWAYS.iter().any(|own| name.starts_with(own)));
    let in_programs = path
        .parent()
        .is_some_and(|folder| is_named(folder, &PROGRAMS));
    let mut folders = path.ancestors();
    is_usual && in_programs
        || is_named(path, &USUAL) && on_sides(sides, path.to_owned()).any(|own| own.is_symlink())
        || folders.any(|folder| {
            is_named(folder, &PROGRAMS)
                && folder.parent().is_some_and(|folder| {
                    // The settings make a program run themselves and are never moved: they are on disk or in the layer.
                    let mut settings = on_sides(sides, folder.join("pyvenv.cfg"));
                    is_named(folder, &USUAL) || settings.next().is_some()
                })
        })
}

/// Returns what a path is in each of the folders that have it.
fn on_sides(sides: &[&Path], path: PathBuf) -> impl Iterator<Item = Metadata> {
    let found = sides.iter();
    found.filter_map(move |side| fs::symlink_metadata(side.join(&path)).ok())
}

/// Returns the folders to which links lead that are in the place of programs: of `folder`, if that is an environment, or of
/// one in it.
pub(super) fn linked_programs(folder: &Path) -> Vec<PathBuf> {
    let has_settings = fs::symlink_metadata(folder.join("pyvenv.cfg")).is_ok();
    let own = has_settings.then(|| folder.to_owned()).into_iter();
    let environments = own.chain(USUAL.map(|name| folder.join(name)));
    let programs = environments.flat_map(|own| PROGRAMS.map(|name| own.join(name)));
    let linked = programs.filter_map(|programs| {
        let real = fs::canonicalize(&programs).ok()?;
        (real != programs).then_some(real)
    });
    linked.collect()
}

fn is_named(path: &Path, names: &[&str]) -> bool {
    path.file_name()
        .is_some_and(|own| names.iter().any(|name| own.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn programs_of_environments_are_known_by_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for made in ["py", "a/.venv", "tools", "real/bin"] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        fs::write(root.join("py/pyvenv.cfg"), "").unwrap();
        symlink("../../tools", root.join("a/.venv/bin")).unwrap();
        symlink("real", root.join("venv")).unwrap();
        for (path, is) in [
            (".venv/bin", true),
            (".venv/bin/deep/x", true),
            ("a/Env/SCRIPTS/x", true),
            ("py/bin/ruff", true),
            ("other/bin/activate.fish", true),
            ("other/bin/python3.12", true),
            ("venv", true),
            (".venv/lib/a.py", false),
            ("other/bin/ruff", false),
            ("bin/x", false),
            ("env", false),
            ("py/lib/bin", false),
        ] {
            assert_eq!(is_programs(Path::new(path), &[&root]), is, "{path}");
        }
        let linked = |folder: &str| linked_programs(&root.join(folder));
        assert_eq!(linked("a"), [root.join("tools")]);
        assert_eq!(linked(""), [root.join("real/bin")]);
        assert!(linked("py").is_empty() && linked("tools").is_empty());
    }
}
