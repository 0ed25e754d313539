//! Planning: turns a request into edits, one file for each strategy.
//!
//! In: a text (or none) and a [`Change`]. Out: an [`Outcome`]: a [`Plan`], or one of the
//! answers that are not errors: already applied, ambiguous, not found, refused, invalid.
//!
//! Every strategy begins with `plan`, which calls its three steps. They follow in this order:
//! `parse`, what the request says beyond its JSON; `locate`, where that is in the text; `splice`,
//! what is written there. A step that cannot go on ends the planning with its answer.
//!
//! | `strategy` | file | finds the place by |
//! |---|---|---|
//! | `section` | `section.rs` | old text |
//! | `lines` | `lines.rs` | line numbers |
//! | `diff`, kind `unified` | `unified.rs` | the context of hunks |
//! | `diff`, kind `dmp` | `dmp.rs` | the characters around a change |
//! | `ast` | `query.rs` | a tree-sitter query |
//! | `struct` | `structural.rs` | a pattern with holes |
//! | `recipe` | `recipe.rs`, and a file for each below it | names |
//! | `whole` | `whole.rs` | - |
//! | `move`, `delete` | `moving.rs`, `delete.rs` | - |
//!
//! Two files are not named as their strategy, since `struct` is a keyword and `ast` would say what
//! recipes use as well.
//!
//! # Examples
//!
//! ```
//! use std::path::Path;
//!
//! use signoff_core::edit::plan::{Outcome, plan};
//! use signoff_core::text::Source;
//! use signoff_core::disk::workspace::WorkspacePath;
//!
//! /// Checks what a change makes of a text.
//! fn check(path: &str, before: &str, change: &str, after: &str) {
//!     let path = WorkspacePath::parse(path, Path::new("/")).unwrap();
//!     let source = Source::new(before);
//!     let Outcome::Planned(plan) = plan(&path, Some(&source), &change.parse().unwrap()) else {
//!         panic!("it cannot be done")
//!     };
//!     let made = plan.edits.apply(source.bytes()).unwrap();
//!     assert_eq!(String::from_utf8(made).unwrap(), after);
//! }
//!
//! check("a.rs", "let total = 1;\n", r#"{"file":"a.rs",
//!     "section":{"edits":[{"old_text":"total = 1","new_text":"total = 2"}]}}"#,
//!     "let total = 2;\n");
//!
//! check("a.txt", "one\ntwo\n", r#"{"file":"a.txt",
//!     "lines":{"operations":[{"op":"insert","afterLine":1,"content":["and"]}]}}"#,
//!     "one\nand\ntwo\n");
//!
//! check("a.txt", "one\ntwo\n", r#"{"file":"a.txt",
//!     "diff":{"kind":"unified","patch":"@@\n one\n-two\n+2\n"}}"#,
//!     "one\n2\n");
//!
//! check("a.txt", "the quick fox\n", r#"{"file":"a.txt",
//!     "diff":{"kind":"dmp","patch":"@@ -1,13 +1,12 @@\n the \n-quick\n+slow\n  fox\n"}}"#,
//!     "the slow fox\n");
//!
//! check("a.py", "def f():\n    pass\n", r#"{"file":"a.py",
//!     "ast":{"query":"(function_definition name: (identifier) @name)","template":"g"}}"#,
//!     "def g():\n    pass\n");
//!
//! check("a.go", "foo(1, g(2, 3))\n", r#"{"file":"a.go",
//!     "struct":{"pattern":"foo(:[a], :[b])","replacement":"bar(:[b], :[a])"}}"#,
//!     "bar(g(2, 3), 1)\n");
//!
//! check("a.ts", "import { a } from './m';\n", r#"{"file":"a.ts",
//!     "recipe":{"name":"ensure_import","import":"import { b } from './m';"}}"#,
//!     "import { a, b } from './m';\n");
//!
//! check("a.txt", "old\n", r#"{"file":"a.txt","whole":{"content":"new\n"}}"#, "new\n");
//!
//! check("a.txt", "text\n", r#"{"file":"a.txt","move":{"to":"b.txt"}}"#, "text\n");
//!
//! check("a.txt", "text\n", r#"{"file":"a.txt","strategy":"delete"}"#, "");
//! ```
//!
//! One file a strategy: `section`, `lines`, `unified` with the patch envelope and `dmp` (the strategy `diff`),
//! `query` (the strategy `ast`), `structural` (the strategy `struct`, which is a keyword), `recipe` with a file for
//! each, `whole`, `moving` (`move`, a keyword too) and `delete`. From a text and a change to an `Outcome`. Each
//! begins with `plan` and its steps, in the order `parse`, `locate`, `splice`. Behind them: `outcome` holds plans
//! and answers; `rewrite` makes splices of an aligned script, with the file's indentation, quotes and endings;
//! `template` makes splices of matches and captures; `attempts` goes through several ways to ask for the same;
//! `mark` keeps the byte order mark out of all of them; `body` tells what holds the statements or members of an
//! item, and `insertion` how new text stands at its place, with its lines, blank lines, commas and line endings,
//! for all that put something there. `unified/parts` takes a patch for several files apart, before any file is
//! read.
//!
//! **Invariant:** pure. No strategy sees the disk, the stage or the store.
//!
//! **Invariant:** old and new text are compared first. Context is the file's and is never written.

mod attempts;
mod body;
mod delete;
mod dmp;
mod insertion;
mod lines;
mod mark;
mod moving;
mod outcome;
mod query;
mod recipe;
mod rewrite;
mod section;
mod structural;
mod template;
mod tongue;
mod tree;
mod unified;
mod whole;

pub use attempts::{Attempt, Attempted};
pub use outcome::{Evidence, Outcome, Plan, Presence};
pub(crate) use recipe::{Companions, PayloadFacts, RenamedFile, proved_places};
pub use unified::file_named;
pub(crate) use unified::parts::{Part, parts};

use outcome::{OrAnswer, absent, invalid, refused};

pub use crate::edit::request::Strategy;

/// Returns every path that changes name, as written: their files, the files of their patches, and
/// the targets of moves.
pub fn paths(changes: &[Change]) -> Vec<String> {
    fn of(request: &Request, paths: &mut Vec<String>) {
        match request {
            Request::Move { to } => paths.push(to.clone()),
            Request::FirstOf(ways) => ways.iter().for_each(|way| of(way, paths)),
            _ => {}
        }
    }
    let mut paths = Vec::new();
    for change in changes {
        paths.extend(Some(change.file.clone()).filter(|file| !file.is_empty()));
        of(&change.request, &mut paths);
        for part in parts(change.clone()) {
            paths.extend(Some(part.change.file).filter(|file| !file.is_empty()));
            of(&part.change.request, &mut paths);
        }
    }
    let mut seen = std::collections::HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}
use crate::budget::Budget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::request::{Change, Request};
use crate::syntax::SyntaxCache;
use crate::text::Source;

/// Maximum number of candidates listed in an answer.
pub const MAX_CANDIDATES: usize = 10;

/// What the steps of planning share: the trees of recent texts, and the budget of the work.
#[derive(Clone, Debug)]
pub struct PlanContext {
    syntax: SyntaxCache,
    budget: Budget,
}

impl PlanContext {
    /// Makes it of a cache, which parses within the budget here.
    pub fn new(syntax: &SyntaxCache, budget: &Budget) -> Self {
        Self {
            syntax: syntax.within(budget),
            budget: budget.clone(),
        }
    }

    /// Returns the cache, which parses within the budget.
    pub fn syntax(&self) -> &SyntaxCache {
        &self.syntax
    }

    /// Returns the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

/// Plans `change` for the file at `path`, whose text is `source`, or which does not exist. Nothing is
/// kept for a later call.
pub fn plan(path: &WorkspacePath, source: Option<&Source>, change: &Change) -> Outcome {
    let context = PlanContext::new(&SyntaxCache::default(), &Budget::default());
    attempt(&context, path, source, change).outcome
}

/// Plans `change` as [`plan`] does, and says which strategy did it and what others said.
pub fn attempt(
    context: &PlanContext,
    path: &WorkspacePath,
    source: Option<&Source>,
    change: &Change,
) -> Attempted {
    let mut attempted = match &change.request {
        Request::FirstOf(requests) => {
            attempts::first_of(context, path, source, requests, change.expected)
        }
        request => Attempted {
            outcome: by_strategy(context, path, source, request).counted(change.expected, source),
            strategy: request.strategy(),
            others: Vec::new(),
        },
    };
    // A part of the work that was cut short may have come to another answer.
    if context.budget().is_over() {
        attempted.outcome = Outcome::OutOfBudget;
    }
    attempted
}

fn by_strategy(
    context: &PlanContext,
    path: &WorkspacePath,
    source: Option<&Source>,
    request: &Request,
) -> Outcome {
    if let Some(Err(not_text)) = source.map(Source::text) {
        return refused(format!("{path}: {not_text}; it is not edited"));
    }
    let behind = source.and_then(|source| Some((source, mark::behind(source, request)?)));
    let planned = match behind {
        Some((source, rest)) => {
            on_text(context, path, Some(&rest), request).and_then(|plan| mark::moved(plan, source))
        }
        None => on_text(context, path, source, request),
    };
    planned.map_or_else(|answer| answer, Outcome::Planned)
}

fn on_text(
    context: &PlanContext,
    path: &WorkspacePath,
    source: Option<&Source>,
    request: &Request,
) -> OrAnswer<Plan> {
    let budget = context.budget();
    let there = || source.ok_or_else(|| absent(path));
    match request {
        Request::Section(request) => section::plan(budget, path, source, request),
        Request::Lines(operations) => lines::plan(there()?, operations),
        Request::Unified(patch) => unified::plan(budget, path, source, patch),
        Request::Dmp(patch) => dmp::plan(budget, path, source, patch),
        Request::Ast(request) => query::plan(context, path, there()?, request),
        Request::Struct(request) => structural::plan(context.syntax(), path, there()?, request),
        Request::Recipe(recipe) => recipe::plan(context.syntax(), path, there()?, recipe),
        Request::Whole(request) => whole::plan(path, source, request),
        Request::Move { to } => moving::plan(path, source, to),
        Request::Delete => delete::plan(path, source),
        Request::FirstOf(_) => Err(invalid("ways within ways")),
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;
