//! Guards: changes that must not be staged, or not without a warning.
//!
//! In: the texts before and after a planned change, and its edits. Out: [`Alarm`]s with their
//! places. An alarm that refuses keeps the change from being staged; one that warns goes with
//! it to the review card and into the answer. Only what the change brings in is looked at.
//!
//! What must not be staged, or not unseen: new syntax errors, placeholders for code, conflict markers, prefixes of
//! diffs and listings, large deletions and lost definitions, names that nothing binds any more, a text that becomes
//! empty. One file a guard; `scene` is a change as all of them look at it.
//!
//! **Invariant:** only what a change brings in is looked at. A broken file stays editable.
//!
//! **Invariant:** guards see a file as all changes of a payload leave it, since one may break what a later one
//! mends.

mod conflict;
mod deletion;
mod empty;
mod escape;
mod placeholder;
mod prefix;
mod scene;
mod syntax;
mod undefined;

use std::fmt;

use serde::Serialize;

use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::{Outcome, Plan, Presence, Strategy};
use crate::edit::request::Change;
use crate::edit::rule;
use crate::syntax::SyntaxCache;
use crate::text::{EditSet, Source};
use scene::Scene;

/// Maximum number of alarms raised by one guard.
const MAX_ALARMS: usize = 10;

/// Something in a change that is probably not meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alarm {
    /// Who raised it.
    pub guard: Guard,
    /// What follows from it.
    pub severity: Severity,
    /// 1-based line of the text after; of the text before, for what is gone.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// The line.
    pub excerpt: String,
    /// What is wrong, in one line.
    pub message: String,
}

/// What looks at a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// New syntax errors; none where there are fewer than before. Refuses; warns where the language's parser is not
    /// sure.
    Syntax,
    /// Words for text that was left out, such as `// ... rest of the code`, and a bare `...` where the language has
    /// none. Refuses; warns of a comment of nothing but dots.
    Placeholder,
    /// Markers of a merge, or of a search and replace block. Refuses.
    Conflict,
    /// What a diff or a listing puts before lines. Refuses; warns in files without a grammar, and where it is not
    /// sure.
    Prefix,
    /// Much text that goes away, or a definition that is public or that the rest of the file uses; with `whole`, most
    /// of the file. Warns; refuses a `whole` that has a placeholder in place of most of the file.
    Deletion,
    /// Nothing in the place of a text. Refuses; warns of an empty `whole` whose `description` says so (`Empty the
    /// log`), or whose `operation` is `delete`.
    Empty,
    /// `&lt;`, `&gt;` or `&amp;` among the signs of a program. Refuses; warns where it may be a name.
    Escape,
    /// In Python, a name that the change uses and nothing in the file binds, or whose import, parameter or assignment
    /// it took away. Warns.
    Undefined,
    /// What a rule of the instructions forbids. Refuses; warns of what the user proposes.
    Rule,
}

/// What follows from an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The change is not staged.
    Refuse,
    /// The change is staged with a note.
    Warn,
}

/// Whether guards look at a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Guards {
    /// They do.
    #[default]
    On,
    /// They do not: for texts that are no whole programs.
    Off,
}

/// Looks at a change. `edits` lead from `before` to `after`, each of which is absent where
/// there is no file.
pub fn inspect(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    before: Option<&Source>,
    after: Option<&Source>,
    edits: &EditSet,
    strategy: Strategy,
) -> Vec<Alarm> {
    let Some(scene) = Scene::new(cache, path, before, after, edits, strategy) else {
        return Vec::new();
    };
    if let Some(alarm) = empty::inspect(&scene) {
        return vec![alarm];
    }
    let mut alarms = syntax::inspect(&scene);
    let broken = !alarms.is_empty();
    alarms.extend(conflict::inspect(&scene));
    alarms.extend(prefix::inspect(&scene));
    alarms.extend(escape::inspect(&scene));
    let placeholders = placeholder::inspect(&scene);
    let findings = deletion::Findings {
        elided: !placeholders.is_empty(),
        broken,
    };
    alarms.extend(deletion::inspect(&scene, &findings));
    alarms.extend(placeholders);
    alarms.extend(syntax::unparsed(&scene));
    if !alarms.iter().any(Alarm::refuses) {
        alarms.extend(undefined::inspect(&scene));
    }
    alarms
}

/// Looks at an outcome: a plan that must not be staged becomes a refusal. Returns it with the
/// alarms.
pub fn screen(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    before: Option<&Source>,
    outcome: Outcome,
    strategy: Strategy,
    change: &Change,
) -> (Outcome, Vec<Alarm>) {
    let Outcome::Planned(plan) = outcome else {
        return (outcome, Vec::new());
    };
    let mut alarms = inspect_plan(cache, path, before, &plan, strategy);
    if asks_for_empty(change) {
        accept_empty(&mut alarms);
    }
    match refusal(&alarms) {
        Some(why) => (Outcome::Refused { why }, alarms),
        None => (Outcome::Planned(plan), alarms),
    }
}

/// Returns whether a change says that its file is to be empty.
pub fn asks_for_empty(change: &Change) -> bool {
    empty::is_asked(change)
}

/// Lets a file become empty, with a warning.
pub fn accept_empty(alarms: &mut [Alarm]) {
    for alarm in alarms
        .iter_mut()
        .filter(|alarm| alarm.guard == Guard::Empty)
    {
        alarm.severity = Severity::Warn;
        alarm.message = "the file becomes empty, as the request says".into();
    }
}

fn inspect_plan(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    before: Option<&Source>,
    plan: &Plan,
    strategy: Strategy,
) -> Vec<Alarm> {
    // A plan that does not fit its text is refused when it is staged.
    let Ok(after) = plan.edits.apply(before.map_or(&[][..], Source::bytes)) else {
        return Vec::new();
    };
    let after = (plan.presence != Presence::Deleted).then(|| Source::new(after));
    inspect(cache, path, before, after.as_ref(), &plan.edits, strategy)
}

/// Returns why the alarms refuse a change, if they do, in one line.
pub fn refusal(alarms: &[Alarm]) -> Option<String> {
    let mut refusals = alarms
        .iter()
        .filter(|alarm| alarm.severity == Severity::Refuse);
    let first = refusals.next()?;
    Some(match refusals.count() {
        0 => first.to_string(),
        more => format!("{first} (and {more} more)"),
    })
}

impl Alarm {
    /// Returns whether the change is not staged.
    pub fn refuses(&self) -> bool {
        self.severity == Severity::Refuse
    }
}

impl Guard {
    /// Returns the guard's name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Placeholder => "placeholder",
            Self::Conflict => "conflict",
            Self::Prefix => "prefix",
            Self::Deletion => "deletion",
            Self::Empty => "empty",
            Self::Escape => "escape",
            Self::Undefined => "undefined",
            Self::Rule => "rule",
        }
    }
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            guard,
            line,
            column,
            message,
            excerpt,
            ..
        } = self;
        // It names the rule's own place.
        if *guard == Guard::Rule {
            return f.write_str(&rule::forbidden(message));
        }
        write!(
            f,
            "line {line}, column {column}: {message} [{}]",
            guard.name()
        )?;
        match excerpt.trim() {
            "" => Ok(()),
            excerpt => write!(f, "; the line: `{excerpt}`"),
        }
    }
}

#[cfg(test)]
mod tests;
