//! Resolution of symbolic links, component by component, as the kernel does it (`path_resolution(7)`): `..` behind a
//! link is the parent of what the link leads to.
//!
//! In: a link, and what may stand at each path. Out: every place to which it may lead. With `dot -> .`:
//!
//! | link | by its text alone | leads to |
//! |---|---|---|
//! | `x -> dot/../home` | `home` | `../home`, out of the workspace |
//! | `x -> dot/.git/hooks` | `dot/.git/hooks` | git's folder |
//!
//! Several things may stand at a path: what is on disk, and what is staged and may be approved or denied. The walk goes
//! through all of them, so its answer holds in whatever order links are approved.
//!
//! A text as `a/../b` leads elsewhere as soon as `a` becomes a link, which may be long after. Where no link has `..`
//! behind a name, none comes to lead out through another: each goes up only from the folder that it is in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::WorkspacePath;
use super::executed::runs_behind;
use super::git_folder::is_in_git_folder;

/// Maximum number of links on the way to one place; the kernel fails with `ELOOP` beyond (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

/// Maximum number of components looked at for one link, over all that may stand on its way: 40 links of 12 components.
const MAX_STEPS: usize = 480;

/// What has to be known of a link before it is made; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkDanger {
    /// It leads to git's folder or into it, in the workspace or below.
    Git,
    /// Something on its way cannot be looked at, or there are too many ways.
    Unknown,
    /// There are more than [`MAX_LINKS`] links on a way.
    Circle,
    /// A text on its way has `..` behind a name.
    Climbs,
}

impl LinkDanger {
    /// Returns what a person is told.
    pub fn told(self) -> &'static str {
        match self {
            Self::Git => "the link leads into git's folder",
            Self::Unknown => "where the link leads cannot be told",
            Self::Circle => "the link leads in a circle",
            Self::Climbs => {
                "the link goes up (`..`) behind a name, and leads elsewhere if a link takes that name"
            }
        }
    }
}

/// What is told of a link that leads out of the workspace.
const OUT: &str = "the link leads out of the workspace";

/// What may stand at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A symbolic link with this target.
    Link(Vec<u8>),
    /// A folder, a file, or nothing.
    NoLink,
    /// Something that cannot be looked at.
    Unknown,
}

/// Where a symbolic link may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkEnds {
    /// Paths in the workspace at which a walk ends; links that it ends at are in it, and what they lead to.
    inside: BTreeSet<WorkspacePath>,
    /// Absolute paths outside, as the kernel would be asked for them.
    outside: BTreeSet<PathBuf>,
    dangers: BTreeSet<LinkDanger>,
}

impl LinkEnds {
    /// Returns what has to be known of the link before it is made, if anything has.
    pub fn danger(&self) -> Option<&'static str> {
        let out = (!self.outside.is_empty()).then_some(OUT);
        out.or(self.danger_inside())
    }

    /// Returns the same without regard to whether the link leads out.
    pub fn danger_inside(&self) -> Option<&'static str> {
        self.dangers.first().map(|danger| danger.told())
    }

    /// Returns what runs or obeys a file that the link leads to, or one behind it.
    pub fn runs(&self) -> Option<&'static str> {
        self.inside.iter().find_map(runs_behind)
    }

    /// Returns the paths in the workspace to which the link may lead, links on the way included that a walk ends at.
    pub fn inside(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.inside.iter()
    }

    /// Returns the absolute paths outside of the workspace to which the link may lead.
    pub fn outside(&self) -> impl Iterator<Item = &Path> {
        self.outside.iter().map(PathBuf::as_path)
    }
}

/// A place on the way and what is left of it.
struct Step {
    at: WorkspacePath,
    /// The components that are left, the next one last.
    left: Vec<String>,
    /// How many links were passed.
    links: usize,
}

/// Returns where a link with this target leads. `root` is the workspace; `standing` says what may stand at a path.
pub fn link_ends(
    link: &WorkspacePath,
    target: &[u8],
    root: &Path,
    standing: &dyn Fn(&WorkspacePath) -> Vec<Standing>,
) -> LinkEnds {
    let mut walk = LinkWalk {
        root,
        ends: LinkEnds::default(),
        steps: Vec::new(),
    };
    walk.enter(target, &link.parent(), &[], 1);
    let mut budget = MAX_STEPS;
    while let Some(step) = walk.steps.pop() {
        let Some(left) = budget.checked_sub(1) else {
            walk.ends.dangers.insert(LinkDanger::Unknown);
            break;
        };
        budget = left;
        walk.step(step, standing);
    }
    walk.ends
}

struct LinkWalk<'a> {
    root: &'a Path,
    ends: LinkEnds,
    steps: Vec<Step>,
}

impl LinkWalk<'_> {
    /// Goes on at the target of a link in `folder`, with what is `left` behind it.
    fn enter(&mut self, target: &[u8], folder: &WorkspacePath, left: &[String], links: usize) {
        if links > MAX_LINKS {
            self.note(LinkDanger::Circle);
            return;
        }
        let Ok(text) = str::from_utf8(target) else {
            self.note(LinkDanger::Unknown);
            return;
        };
        let (at, text) = if text.starts_with('/') {
            match Path::new(text).strip_prefix(self.root).map(Path::to_str) {
                Ok(Some(below)) => (WorkspacePath::root(), below),
                Ok(None) => {
                    self.note(LinkDanger::Unknown);
                    return;
                }
                Err(_outside) => {
                    self.leave(Path::new(text), left);
                    return;
                }
            }
        } else {
            (folder.clone(), text)
        };
        let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<&str> = parts.collect();
        let first_name = parts.iter().position(|part| *part != "..");
        let behind = first_name.and_then(|first| parts.get(first..));
        if behind.is_some_and(|behind| behind.contains(&"..")) {
            self.note(LinkDanger::Climbs);
        }
        let mut all = left.to_vec();
        all.extend(parts.into_iter().rev().map(str::to_owned));
        self.steps.push(Step {
            at,
            left: all,
            links,
        });
    }

    fn note(&mut self, danger: LinkDanger) {
        self.ends.dangers.insert(danger);
    }

    /// Notes that a way goes on outside.
    fn leave(&mut self, to: &Path, left: &[String]) {
        let to = left
            .iter()
            .rev()
            .fold(to.to_owned(), |at, part| at.join(part));
        self.ends.outside.insert(to);
    }

    fn step(&mut self, step: Step, standing: &dyn Fn(&WorkspacePath) -> Vec<Standing>) {
        let Step {
            at,
            mut left,
            links,
        } = step;
        let Some(part) = left.pop() else {
            self.ends.inside.insert(at);
            return;
        };
        if part == ".." {
            if at.as_str().is_empty() {
                self.leave(self.root.parent().unwrap_or(self.root), &left);
            } else {
                let at = at.parent();
                self.steps.push(Step { at, left, links });
            }
            return;
        }
        if is_in_git_folder(&part) {
            self.note(LinkDanger::Git);
        }
        let Ok(here) = WorkspacePath::parse(&format!("./{at}/{part}"), self.root) else {
            self.note(LinkDanger::Unknown);
            return;
        };
        if left.is_empty() {
            self.ends.inside.insert(here.clone());
        }
        for found in standing(&here) {
            match found {
                Standing::Link(target) => self.enter(&target, &at, &left, links + 1),
                Standing::NoLink => self.steps.push(Step {
                    at: here.clone(),
                    left: left.clone(),
                    links,
                }),
                Standing::Unknown => self.note(LinkDanger::Unknown),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/w/u/ws";
    const GIT: &str = "the link leads into git's folder";
    const UNKNOWN: &str = "where the link leads cannot be told";
    const CIRCLE: &str = "the link leads in a circle";
    const CLIMBS: &str =
        "the link goes up (`..`) behind a name, and leads elsewhere if a link takes that name";

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text, Path::new(ROOT)).unwrap()
    }

    /// Returns where a link leads among links that stand there, or may.
    fn ends(link: &str, target: &str, others: &[(&str, &str)]) -> LinkEnds {
        let standing = |at: &WorkspacePath| {
            let own = others.iter().filter(|(name, _)| *name == at.as_str());
            let links: Vec<Standing> = own
                .map(|(_, target)| match *target {
                    "" => Standing::NoLink,
                    "?" => Standing::Unknown,
                    target => Standing::Link(target.into()),
                })
                .collect();
            if links.is_empty() {
                vec![Standing::NoLink]
            } else {
                links
            }
        };
        link_ends(&path(link), target.as_bytes(), Path::new(ROOT), &standing)
    }

    /// A link and its target, other links, and what is said of it.
    type Case = (
        (&'static str, &'static str),
        &'static [(&'static str, &'static str)],
        Option<&'static str>,
    );

    const CASES: &[Case] = &[
        (("x", "a"), &[], None),
        (("x", "."), &[], None),
        (("s/x", "../a"), &[], None),
        (("s/t/x", "../../a//./b/"), &[], None),
        (("x", "/w/u/ws/a"), &[], None),
        (("x", "/w/u/ws"), &[], None),
        (("x", ".."), &[], Some(OUT)),
        (("s/x", "../../a"), &[], Some(OUT)),
        (("x", "/w/u/ws2"), &[], Some(OUT)),
        (("x", "/w/u"), &[], Some(OUT)),
        (("x", "/etc/passwd"), &[], Some(OUT)),
        (("x", "/w/u/ws/../a"), &[], Some(OUT)),
        // `..` behind a link is the parent of what it leads to.
        (("x", "dot/.."), &[("dot", ".")], Some(OUT)),
        (("x", "dot/../home/.bashrc"), &[("dot", ".")], Some(OUT)),
        (("x", "dot/a"), &[("dot", ".")], None),
        (("x", "d/e/l/../.."), &[("d/e/l", "../../top")], Some(OUT)),
        (("x", "d/e/l/a"), &[("d/e/l", "../../top")], None),
        (("x", "y"), &[("y", "z"), ("z", "..")], Some(OUT)),
        (("x", "y/a"), &[("y", "/home")], Some(OUT)),
        (("x", "up/home"), &[("up", "..")], Some(OUT)),
        // Behind a name it may come to be so.
        (("x", "dot/../home"), &[], Some(CLIMBS)),
        (("s/x", "../a/../b"), &[], Some(CLIMBS)),
        (("x", "y"), &[("y", "a/../b")], Some(CLIMBS)),
        // All that may stand there counts.
        (("x", "y/../../a"), &[("y", ""), ("y", "d/e")], Some(OUT)),
        (("x", "y/a"), &[("y", ""), ("y", ".git")], Some(GIT)),
        (("x", "y"), &[("y", "?")], Some(UNKNOWN)),
        // Circles.
        (("x", "x"), &[("x", "x")], Some(CIRCLE)),
        (("x", "y/a"), &[("y", "z"), ("z", "y")], Some(CIRCLE)),
        (("x", "dot/dot/dot/a"), &[("dot", ".")], None),
        // Git's folder.
        (("x", ".git"), &[], Some(GIT)),
        (("s/x", "../.GIT/hooks"), &[], Some(GIT)),
        (("x", "dot/.git/config"), &[("dot", ".")], Some(GIT)),
        (("x", "g/hooks"), &[("g", ".git")], Some(GIT)),
        (("x", "sub/.git"), &[], Some(GIT)),
    ];

    #[test]
    fn links_lead_where_the_kernel_would_go() {
        for ((link, target), others, danger) in CASES {
            let found = ends(link, target, others);
            assert_eq!(found.danger(), *danger, "{link} -> {target}: {found:?}");
        }
    }

    #[test]
    fn forty_links_are_followed_and_no_more() {
        for (count, danger) in [(39, None), (40, Some(CIRCLE))] {
            let names: Vec<String> = (0..=count).map(|at| format!("l{at}")).collect();
            let pairs = names.iter().zip(names.iter().skip(1));
            let others: Vec<(&str, &str)> = pairs.map(|(a, b)| (&**a, &**b)).collect();
            assert_eq!(ends("x", "l0", &others).danger(), danger, "{count}");
        }
        // Each name doubles the ways.
        let many = ["a", "b"].map(|name| [(name, "."), (name, "")]).concat();
        let found = ends("x", &"a/b/".repeat(20), &many);
        assert_eq!(found.danger(), Some(UNKNOWN));
        assert_eq!(
            link_ends(&path("x"), b"\xff", Path::new(ROOT), &|_| vec![]).danger(),
            Some(UNKNOWN)
        );
    }

    #[test]
    fn what_runs_is_known_behind_links() {
        for (target, others, runs) in [
            (".vscode", &[][..], true),
            (".vscode/tasks.json", &[], true),
            ("e", &[("e", ".envrc")], true),
            (".envrc", &[(".envrc", "own.sh")], true),
            ("dot/.github", &[("dot", ".")], true),
            ("src", &[], false),
            (".", &[], false),
            ("e", &[("e", "src/main.rs")], false),
        ] {
            let found = ends("x", target, others);
            assert_eq!(found.runs().is_some(), runs, "{target}: {found:?}");
        }
    }

    #[test]
    fn what_is_left_of_a_way_out_is_kept_as_it_is() {
        for (target, others, outside) in [
            ("/usr/../x", &[][..], "/usr/../x"),
            ("u/../x", &[("u", "/usr")], "/usr/../x"),
            ("../ws/.git", &[], "/w/u/ws/.git"),
        ] {
            let ends = ends("x", target, others);
            let found: Vec<&Path> = ends.outside().collect();
            assert_eq!(found, [Path::new(outside)], "{target}");
        }
    }
}
