//! Splits a patch by file.
//!
//! In: a patch and the path of a file. Out: the parts of the patch that are for it; or all its
//! parts, each as a change of its own, where it is for several files.

use super::envelope;
use super::parse::{self, FilePatch};
use crate::edit::plan::Outcome;
use crate::edit::request::{Change, Request};

/// Files that one patch may be for: all of them are planned before the first is staged.
pub(crate) const MAX_FILES: usize = 1000;

/// One change for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The change.
    pub(crate) change: Change,
    /// Its outcome, where that is known without looking at the file.
    pub(crate) known: Option<Outcome>,
}

/// Takes a patch for several files apart, and one that renames from the move; any other change is
/// its own only part.
pub(crate) fn parts(change: Change) -> Vec<Part> {
    let Some(patch) = patch_of(&change) else {
        return vec![whole(change)];
    };
    let text = parse::on_lines(patch);
    let files = match by_file(&text, &change.file) {
        Err(why) => return invalid(&change, why),
        Ok(files) if files.is_empty() && change.file.is_empty() => {
            return invalid(
                &change,
                "neither the change nor the patch names a file".into(),
            );
        }
        Ok(files) => files,
    };
    let requests: Vec<(String, Request)> = files.into_iter().flat_map(FilePart::requests).collect();
    let is_whole = match requests.as_slice() {
        [] => true,
        [(_, request)] => !change.file.is_empty() && matches!(request, Request::Unified(_)),
        _ => false,
    };
    if is_whole {
        return vec![whole(change)];
    }
    if requests.len() > 1 && only_one(&change) {
        return invalid(
            &change,
            format!(
                "the patch makes {} changes to files; `expected`, and other ways to ask for the same, \
             are for patches of one file",
                requests.len()
            ),
        );
    }
    requests
        .into_iter()
        .map(|(file, request)| {
            whole(Change {
                file,
                request,
                ..change.clone()
            })
        })
        .collect()
}

fn invalid(change: &Change, why: String) -> Vec<Part> {
    vec![Part {
        change: change.clone(),
        known: Some(Outcome::Invalid { why }),
    }]
}

/// What a patch has for one file.
struct FilePart {
    path: String,
    /// The patch for it; empty if the file is only renamed.
    patch: String,
    /// The path that it gets.
    to: Option<String>,
}

impl FilePart {
    fn requests(self) -> impl Iterator<Item = (String, Request)> {
        let Self { path, patch, to } = self;
        let edit = (!patch.is_empty()).then(|| (path.clone(), Request::Unified(patch)));
        let moved = to.map(|to| (path, Request::Move { to }));
        edit.into_iter().chain(moved)
    }
}

/// Returns the parts of a patch that are for the file at `path`: those that name it, else those
/// that could, else the one that names none.
pub(super) fn for_file(path: &str, patches: Vec<FilePatch>) -> Result<Vec<FilePatch>, String> {
    if patches.is_empty() {
        return Err("the patch has no hunks; each begins with a line of `@@`".into());
    }
    let own = name_for(path, &patches)?;
    let (mine, others): (Vec<FilePatch>, Vec<FilePatch>) = patches
        .into_iter()
        .partition(|patch| patch.path.is_none() || patch.path == own);
    if !mine.is_empty() {
        return Ok(mine);
    }
    let names: Vec<String> = others.into_iter().filter_map(|patch| patch.path).collect();
    Err(format!(
        "the patch is for {}, not for {path}",
        names.join(", ")
    ))
}

/// Returns the name that the patch has for the file at `path`, if it has one.
fn name_for(path: &str, patches: &[FilePatch]) -> Result<Option<String>, String> {
    if names(patches).any(|name| name == path) {
        return Ok(Some(path.to_owned()));
    }
    let mut found: Vec<&str> = names(patches)
        .filter(|name| Naming::of(path, name).is_some())
        .collect();
    found.dedup();
    match found.as_slice() {
        [] => Ok(None),
        [name] => Ok(Some((*name).to_owned())),
        several => Err(format!(
            "the patch has parts for {}; which is meant for {path} cannot be told",
            several.join(" and ")
        )),
    }
}

fn names(patches: &[FilePatch]) -> impl Iterator<Item = &str> {
    patches.iter().filter_map(|patch| patch.path.as_deref())
}

fn whole(change: Change) -> Part {
    Part {
        change,
        known: None,
    }
}

/// Returns the patch of a change, be it the only way in which it is asked for or not.
fn patch_of(change: &Change) -> Option<&str> {
    let request = match &change.request {
        Request::FirstOf(requests) => requests.iter().find(|request| is_unified(request))?,
        request => request,
    };
    match request {
        Request::Unified(patch) => Some(patch),
        _ => None,
    }
}

fn is_unified(request: &Request) -> bool {
    matches!(request, Request::Unified(_))
}

/// Returns whether a change makes sense for one file only.
fn only_one(change: &Change) -> bool {
    change.expected.is_some() || matches!(change.request, Request::FirstOf(_))
}

/// Returns the files of a patch in their order, each with the text that is for it. `file` is the
/// path of one of them; where the patch names that otherwise, seen from another folder, all of
/// its names are taken so.
fn by_file(text: &str, file: &str) -> Result<Vec<FilePart>, String> {
    let patches = parse::parse(text);
    let named = patches.iter().any(|patch| patch.path.is_some());
    if patches.is_empty() || !named {
        return Ok(Vec::new());
    }
    let naming = if file.is_empty() {
        Naming::Same
    } else {
        let Some(own) = name_for(file, &patches)? else {
            // Which file is meant is a question for the plan, which answers it.
            return Ok(Vec::new());
        };
        Naming::of(file, &own).unwrap_or(Naming::Same)
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut files: Vec<FilePart> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for patch in &patches {
        let path = match &patch.path {
            Some(name) => naming.path(name)?,
            None => file.to_owned(),
        };
        let to = patch.renamed.as_deref().map(|name| naming.path(name));
        let to = to.transpose()?;
        let at = *known.entry(path.clone()).or_insert(files.len());
        if at == files.len() {
            files.push(FilePart {
                path,
                patch: String::new(),
                to: None,
            });
        }
        let end = patch.lines.end.min(lines.len());
        let own = lines.get(patch.lines.start..end).unwrap_or_default();
        if let Some(file) = files.get_mut(at) {
            file.patch.push_str(&patch_text(patch, own));
            file.to = to.or(file.to.take());
        }
    }
    if files.len() > MAX_FILES {
        return Err(format!(
            "the patch is for {} files; at most {MAX_FILES} are taken at once",
            files.len()
        ));
    }
    Ok(files)
}

/// Returns the lines of a part, less those that rename.
fn patch_text(patch: &FilePatch, lines: &[&str]) -> String {
    if patch.renamed.is_none() {
        return joined(&mut lines.iter());
    }
    if patch.hunks.is_empty() {
        return String::new();
    }
    if lines.iter().any(|line| line.starts_with(envelope::MOVE)) {
        return joined(
            &mut lines
                .iter()
                .filter(|line| !line.starts_with(envelope::MOVE)),
        );
    }
    let name = patch.path.as_deref().unwrap_or_default();
    let hunks = joined(&mut lines.iter().skip_while(|line| !line.starts_with("@@")));
    format!("--- a/{name}\n+++ b/{name}\n{hunks}")
}

fn joined(lines: &mut dyn Iterator<Item = &&str>) -> String {
    lines.map(|line| format!("{line}\n")).collect()
}

/// How the names in a patch become paths.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Naming {
    /// They are paths.
    Same,
    /// They are seen from this folder.
    Within(String),
    /// They are seen from above; the workspace is this folder.
    Above(String),
}

impl Naming {
    /// Returns how `name` becomes `path`, if it can.
    fn of(path: &str, name: &str) -> Option<Self> {
        if path == name {
            Some(Self::Same)
        } else {
            folder_before(path, name)
                .map(Self::Within)
                .or_else(|| folder_before(name, path).map(Self::Above))
        }
    }

    fn path(&self, name: &str) -> Result<String, String> {
        match self {
            Self::Same => Ok(name.to_owned()),
            Self::Within(folder) => Ok(format!("{folder}{name}")),
            Self::Above(folder) => name
                .strip_prefix(folder.as_str())
                .map(str::to_owned)
                .ok_or_else(|| {
                    format!("the patch has a part for {name}, which is not below {folder}")
                }),
        }
    }
}

fn folder_before(long: &str, short: &str) -> Option<String> {
    let head = long.strip_suffix(short)?;
    head.ends_with('/').then(|| head.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(file: &str, patch: &str) -> Vec<(String, String)> {
        let change = Change {
            file: file.into(),
            description: None,
            operation: None,
            request: Request::Unified(patch.into()),
            expected: None,
        };
        let text = |part: Part| match (part.known, part.change.request) {
            (Some(Outcome::Invalid { why }), _) => ("invalid".into(), why),
            (_, Request::Unified(patch)) => (part.change.file, patch),
            (_, Request::Move { to }) => (part.change.file, format!("to {to}")),
            (_, other) => panic!("{other:?}"),
        };
        parts(change).into_iter().map(text).collect()
    }

    fn check(file: &str, patch: &str, expected: &[&str]) {
        let files = split(file, patch);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{patch}");
    }

    const GIT: &str = "diff --git a/x/a b/x/a\nindex 1..2 100644\n--- a/x/a\n+++ b/x/a\n@@ -1 +1 @@\n-a\n+A\ndiff --git a/x/b b/x/b\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/x/b\n@@ -0,0 +1 @@\n+b\ndiff --git a/x/c b/x/c\ndeleted file mode 100644\nindex 1..0\n";

    #[test]
    fn each_file_gets_its_own_text() {
        check("x/a", GIT, &["x/a", "x/b", "x/c"]);
        check("", GIT, &["x/a", "x/b", "x/c"]);
        let second = &split("x/a", GIT)[1].1;
        assert!(second.starts_with("diff --git a/x/b"), "{second}");
        assert!(second.ends_with("+b\n"), "{second}");
        let plain = "--- a/a\n+++ b/a\n@@\n-x\n+y\n--- a/b\n+++ b/b\n@@\n-x\n+y\n--- a/a\n+++ b/a\n@@\n-z\n+w\n";
        assert_eq!(
            split("a", plain),
            [
                (
                    "a".into(),
                    "--- a/a\n+++ b/a\n@@\n-x\n+y\n--- a/a\n+++ b/a\n@@\n-z\n+w\n".into()
                ),
                ("b".into(), "--- a/b\n+++ b/b\n@@\n-x\n+y\n".into())
            ]
        );
        let envelope = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+x\n*** Delete File: c\n*** End Patch\n";
        check("b", envelope, &["a", "b", "c"]);
        let escaped = plain.replace('\n', "\\n");
        check("a", &escaped, &["a", "b"]);
    }

    #[test]
    fn a_patch_of_one_file_stays_as_it_is() {
        check("a", "@@\n-x\n+y\n", &["a"]);
        check("b/a", "--- a/a\n+++ b/a\n@@\n-x\n+y\n", &["b/a"]);
        check("other", GIT, &["other"]);
        check("", "--- a/a\n+++ b/a\n@@\n-x\n+y\n", &["a"]);
        check("", "@@\n-x\n+y\n", &["invalid"]);
    }

    #[test]
    fn a_rename_is_a_change_of_its_own() {
        let moved = |name: &str, to: &str| (name.to_owned(), format!("to {to}"));
        let pure = "diff --git a/a b/d/b\nsimilarity index 100%\nrename from a\nrename to d/b\n";
        assert_eq!(split("a", pure), [moved("a", "d/b")]);
        assert_eq!(split("", pure), [moved("a", "d/b")]);
        let edited = format!("{pure}--- a/a\n+++ b/d/b\n@@ -1 +1 @@\n-x\n+y\n");
        let plain = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
        assert_eq!(
            split("a", &edited),
            [("a".into(), plain.into()), moved("a", "d/b")]
        );
        let envelope =
            "*** Begin Patch\n*** Update File: a\n*** Move to: d/b\n@@\n-x\n+y\n*** End Patch\n";
        let plain = "*** Update File: a\n@@\n-x\n+y\n*** End Patch\n";
        assert_eq!(
            split("a", envelope),
            [("a".into(), plain.into()), moved("a", "d/b")]
        );
        check("w/a", &edited, &["w/a", "w/a"]);
        assert_eq!(split("w/a", pure), [moved("w/a", "w/d/b")]);
    }

    #[test]
    fn names_are_seen_from_where_the_named_file_is() {
        check("w/x/b", GIT, &["w/x/a", "w/x/b", "w/x/c"]);
        check("a", GIT, &["a", "b", "c"]);
        let out = GIT.replace("x/c", "y/c");
        check("a", &out, &["invalid"]);
    }
}
