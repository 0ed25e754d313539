//! What stands where links lead: links on disk and staged ones, as any of them may be approved or denied.
//!
//! In: the stage and the disk. Out: for a staged link, what has to be known of it before it is made. It is found out
//! whenever the review list is made and when a link is approved, as what is staged later may lead it elsewhere.

use std::collections::HashMap;

use super::is_link;
use crate::disk::workspace::link_walk::{LinkEnds, Standing, link_ends};
use crate::disk::workspace::{Workspace, WorkspacePath};
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Stage;
use crate::text::Source;

/// The links of a workspace, on disk and staged.
pub struct LinkPlaces<'a> {
    workspace: &'a dyn Workspace,
    /// The targets that links have at a path with some of what is staged.
    staged: HashMap<WorkspacePath, Vec<Vec<u8>>>,
}

impl<'a> LinkPlaces<'a> {
    pub(in crate::engine) fn of(workspace: &'a dyn Workspace, stage: &Stage) -> Self {
        let linked = stage.stacks.iter().filter(|(_, stack)| is_link(stack));
        let mut staged: HashMap<WorkspacePath, Vec<Vec<u8>>> = HashMap::new();
        for (path, target) in linked.flat_map(|(key, stack)| made(key, stack)) {
            let targets = staged.entry(path).or_default();
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        Self { workspace, staged }
    }

    /// Returns where a link would lead. `beside` says which links stand at a path besides those staged and on disk.
    pub fn ends(
        &self,
        link: &WorkspacePath,
        target: &[u8],
        beside: &dyn Fn(&WorkspacePath) -> Option<Vec<u8>>,
    ) -> LinkEnds {
        link_ends(link, target, &self.workspace.root(), &|path| {
            self.standing(beside, path)
        })
    }

    fn standing(
        &self,
        beside: &dyn Fn(&WorkspacePath) -> Option<Vec<u8>>,
        path: &WorkspacePath,
    ) -> Vec<Standing> {
        let on_disk = match self.workspace.link_target(path) {
            Ok(Some(target)) => Standing::Link(target),
            Ok(None) => Standing::NoLink,
            Err(_unreadable) => Standing::Unknown,
        };
        let staged = self.staged.get(path).into_iter().flatten().cloned();
        let others = staged.chain(beside(path)).map(Standing::Link);
        let mut all = vec![on_disk];
        for other in others {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        all
    }

    /// Returns where the links lead that the staged work on a file makes.
    pub(super) fn staged_ends(&self, key: &WorkspacePath, stack: &PathStack) -> Vec<LinkEnds> {
        if !is_link(stack) {
            return Vec::new();
        }
        let made = made(key, stack).into_iter();
        made.map(|(path, target)| self.ends(&path, &target, &|_| None))
            .collect()
    }
}

/// Returns the links that a file becomes with one layer after another, and where.
fn made(key: &WorkspacePath, stack: &PathStack) -> Vec<(WorkspacePath, Vec<u8>)> {
    let mut text = stack.base.clone();
    let mut name = key;
    let mut made = Vec::new();
    for layer in &stack.layers {
        // A damaged store is found out where its texts are used.
        let Ok(next) = layer.apply(text.as_ref()) else {
            return made;
        };
        text = next;
        name = layer.to().unwrap_or(name);
        let link = text.as_ref().filter(|text| text.is_link());
        made.extend(link.map(|link: &Source| (name.clone(), link.bytes().to_vec())));
    }
    made
}

#[cfg(test)]
mod tests {
    use super::super::tests::{left, run, workspace};
    use crate::engine::Decision;
    use crate::stage::review::{Ruling, Verdict};

    const OUT: &str = "the link leads out of the workspace";
    const GIT: &str = "the link leads into git's folder";
    const CLIMBS: &str = "the link goes up";

    /// Links on disk, links that programs leave one after another, and what is said of which link.
    type Case = (
        &'static [(&'static str, &'static str)],
        &'static [(&'static str, &'static str)],
        &'static [(&'static str, Option<&'static str>)],
    );

    const CASES: &[Case] = &[
        (
            &[],
            &[
                ("dot", "."),
                ("d1", "dot/.."),
                ("d4", "dot/../home/.bashrc"),
            ],
            &[("dot", None), ("d1", Some(OUT)), ("d4", Some(OUT))],
        ),
        // Staged before what it leads over.
        (
            &[],
            &[("d4", "dot/../home"), ("dot", ".")],
            &[("d4", Some(OUT)), ("dot", None)],
        ),
        (&[], &[("d4", "dot/../home")], &[("d4", Some(CLIMBS))]),
        // Over a link of the user's.
        (
            &[("deep/er/link", "../../top")],
            &[("x", "deep/er/link/../.."), ("y", "deep/er/link/a")],
            &[("x", Some(OUT)), ("y", None)],
        ),
        (&[("dot", ".")], &[("x", "dot/dot/..")], &[("x", Some(OUT))]),
        (&[("own", "/etc")], &[("x", "own/a")], &[("x", Some(OUT))]),
        // A link of the user's that goes is no concern, nor what takes its place.
        (&[("own", "/etc")], &[("own", "a")], &[("own", None)]),
        // Git's folder, and what runs.
        (
            &[],
            &[("gl", ".git"), ("h", "gl/hooks"), ("dh", "dot/.git/hooks")],
            &[("gl", Some(GIT)), ("h", Some(GIT)), ("dh", Some(GIT))],
        ),
        (
            &[],
            &[("v", ".vscode"), ("e", "v/tasks.json"), ("s", "src")],
            &[
                ("v", Some("an editor runs")),
                ("e", Some("an editor runs")),
                ("s", None),
            ],
        ),
        (
            &[],
            &[("a", "b"), ("b", "a")],
            &[("a", Some("the link leads in a circle"))],
        ),
    ];

    #[test]
    fn links_are_judged_by_all_that_is_staged_and_on_disk() {
        for (on_disk, leaves, said) in CASES {
            let folder = tempfile::tempdir().unwrap();
            let linked = |target: &str| format!("-> {target}");
            let there: Vec<_> = on_disk.iter().map(|(at, to)| (*at, linked(to))).collect();
            let there: Vec<_> = there.iter().map(|(at, to)| (*at, to.as_str(), 0)).collect();
            let mut engine = workspace(&folder.path().join("ws"), &there);
            for (at, to) in *leaves {
                run(&mut engine, vec![left(at, &linked(to), 0)]);
            }
            let views = engine.review().unwrap();
            for (at, by) in *said {
                let mut own = views.iter().filter(|view| view.path == *at);
                let runs = own.find_map(|view| view.runs.as_deref());
                assert_eq!(runs.is_some(), by.is_some(), "{at} of {leaves:?}: {runs:?}");
                let fits = runs.unwrap_or_default().contains(by.unwrap_or_default());
                assert!(fits, "{at} of {leaves:?}: {runs:?}");
            }
        }
    }

    #[test]
    fn a_link_that_comes_to_lead_elsewhere_after_its_card_was_shown_is_shown_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = workspace(&folder.path().join("ws"), &[]);
        run(&mut engine, vec![left("x", "-> y/hooks", 0)]);
        let view = engine.review().unwrap().remove(0);
        assert_eq!(view.runs, None);
        std::os::unix::fs::symlink(".git", folder.path().join("ws/y")).unwrap();
        let ruling = Ruling::new(&view.hunks[0], Verdict::Approve);
        let decision = engine.decide(&[ruling]).unwrap();
        assert!(matches!(decision, Decision::Changed { .. }), "{decision:?}");
        let unseen = engine.approve_unseen(&[view]).unwrap();
        assert!(matches!(unseen, Decision::Refused { .. }), "{unseen:?}");
    }
}
