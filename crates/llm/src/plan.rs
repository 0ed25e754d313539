//! Plans as documents: numbered steps with their files, risks and checks, as the planner writes and the user edits them.
//!
//! ```text
//! Rename load to read.
//!
//! 1. Rename the function
//!    Files: src/a.rs, src/b.rs
//!    Risk: callers outside of the workspace
//!    Check: cargo test
//! 2. Document it
//! ```
//!
//! is a plan of two steps, the first of which names two files, and a command that passes once it is done. In: such a text, untrusted. Out: [`PlanDocument`], and
//! where the files that a step touched are others than it names, a [`Deviation`].

use serde::Serialize;
use signoff_core::quote::one_line;

/// Maximum number of steps.
const MOST_STEPS: usize = 50;

/// Maximum number of files of a step.
const MOST_FILES: usize = 50;

/// Maximum size of the text of a step, in bytes.
const MOST_TEXT: usize = 2_000;

/// Words that a sentence has and a command line has not: `make sure that it compiles` is no call of make.
const PROSE: [&str; 16] = [
    "a", "an", "the", "it", "that", "this", "is", "are", "sure", "all", "by", "of", "still",
    "manually", "no", "works",
];

/// A plan of at least one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanDocument {
    steps: Vec<PlannedStep>,
}

/// One step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedStep {
    /// What is to be done: its first line.
    pub title: String,
    /// The lines below it as they are written, files, risks and checks included.
    pub details: String,
    /// The files that it is about; none if it names none.
    pub files: Vec<String>,
}

/// How what a step staged differs from what the plan says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Deviation {
    /// Files that the step does not name.
    pub unplanned: Vec<String>,
    /// Files that the step names and that nothing is staged for.
    pub untouched: Vec<String>,
}

impl PlanDocument {
    /// Reads a plan; none if the text has no numbered step. What stands before the first one belongs to no step.
    pub fn read(text: &str) -> Option<Self> {
        let mut steps: Vec<PlannedStep> = Vec::new();
        for line in text.lines() {
            if let Some(title) = step_title(line) {
                if steps.len() == MOST_STEPS {
                    break;
                }
                steps.push(PlannedStep {
                    title: one_line(title, 200),
                    ..PlannedStep::default()
                });
            } else if let Some(step) = steps.last_mut() {
                step.add(line);
            }
        }
        (!steps.is_empty()).then_some(Self { steps })
    }

    /// Returns how many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns false: a plan has a step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns a step, counted from 0.
    pub fn step(&self, at: usize) -> Option<&PlannedStep> {
        self.steps.get(at)
    }
}

impl PlannedStep {
    fn add(&mut self, line: &str) {
        if self.details.len() + line.len() < MOST_TEXT {
            self.details += line.trim_end();
            self.details.push('\n');
        }
        if let Some(names) = field(line, &["files", "file"]) {
            let names = names
                .split([',', ';'])
                .map(plain)
                .filter(|name| !name.is_empty());
            self.files.extend(names.map(str::to_owned));
            self.files.truncate(MOST_FILES);
        }
    }

    /// Returns the command that tells whether the step is done, if its line `Check:` is one and no sentence.
    ///
    /// `` `cargo test` ``, ``run `make check`.`` and `python3 -m pytest -q` are commands, `look at the page` is for the user.
    pub fn check(&self) -> Option<&str> {
        let mut lines = self.details.lines();
        let value = lines.find_map(|line| field(line, &["check", "checks"]))?;
        let value = value.trim_end_matches(['.', ' ']);
        let quoted = value.trim_start_matches("run ").trim_start_matches("Run ");
        let quoted = quoted
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'));
        if let Some(line) = quoted.filter(|line| !line.contains('`')) {
            return Some(line.trim()).filter(|line| !line.is_empty());
        }
        let mut words = value.split_whitespace();
        let is_sentence = value.contains('`') || words.any(|word| PROSE.contains(&word));
        let begins_so = value.starts_with(|c: char| c.is_ascii_lowercase() || "./~".contains(c));
        Some(value).filter(|_| begins_so && !is_sentence)
    }

    /// Returns how what was staged for these files differs from what the step says; none if it names no files, or exactly
    /// these.
    pub fn deviation(&self, touched: &[String]) -> Option<Deviation> {
        if self.files.is_empty() {
            return None;
        }
        let mut unplanned: Vec<String> = touched
            .iter()
            .filter(|path| !self.files.contains(path))
            .cloned()
            .collect();
        unplanned.sort();
        let untouched = self.files.iter().filter(|name| !touched.contains(name));
        let deviation = Deviation {
            unplanned,
            untouched: untouched.cloned().collect(),
        };
        (deviation != Deviation::default()).then_some(deviation)
    }
}

/// Returns the title of a step, if a line begins one: `1. Title`, `2) Title`, `### Step 3: Title`.
fn step_title(line: &str) -> Option<&str> {
    let indent = line.len() - line.trim_start().len();
    if indent > 2 {
        // A list within a step.
        return None;
    }
    let text = line.trim().trim_start_matches(['#', '*', ' ']);
    let text = text
        .strip_prefix("Step ")
        .or_else(|| text.strip_prefix("step "))
        .unwrap_or(text);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.get(digits..).filter(|_| (1..=3).contains(&digits))?;
    let title = rest.strip_prefix(['.', ')', ':'])?;
    let title = title.trim_matches(['*', ' ']);
    (!title.is_empty()).then_some(title)
}

/// Returns the value of a line such as `- **Files**: a, b`, if its key is one of these.
fn field<'a>(line: &'a str, keys: &[&str]) -> Option<&'a str> {
    let (key, value) = line.split_once(':')?;
    let key = key
        .trim_matches(['-', '*', '_', ' ', '\t'])
        .to_ascii_lowercase();
    keys.contains(&key.as_str())
        .then(|| value.trim_start_matches('*').trim())
}

/// Returns a name without the marks of Markdown around it, and without a remark in brackets behind it.
fn plain(name: &str) -> &str {
    let name = name.split_once(" (").map_or(name, |(name, _)| name);
    let name = name.trim_matches(['`', '*', '"', ' ']);
    name.strip_prefix("./")
        .unwrap_or(name)
        .trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_are_read_as_planners_write_them() {
        let text = "Goal: rename.\n\n1. Rename `load`\n   Files: src/a.rs, `src/b.rs` (callers)\n   Risk: none\n   1. inner\n\
                    2) **Document it**\n   - **Files:** README.md\n   - Check: read it\n### Step 3: Test\nRun all.\n";
        let plan = PlanDocument::read(text).unwrap();
        assert_eq!(plan.len(), 3);
        assert_eq!(
            step_of(&plan, 0),
            ("Rename `load`", "src/a.rs src/b.rs".to_owned())
        );
        assert_eq!(step_of(&plan, 1), ("Document it", "README.md".to_owned()));
        assert_eq!(step_of(&plan, 2), ("Test", String::new()));
        assert!(
            plan.step(0)
                .unwrap()
                .details
                .contains("Risk: none\n   1. inner")
        );
        assert_eq!(plan.step(2).unwrap().details, "Run all.\n");
        for text in ["", "Do it.", "- a\n- b", "2024. was a year ago", "1."] {
            assert_eq!(PlanDocument::read(text), None, "{text:?}");
        }
    }

    fn step_of(plan: &PlanDocument, at: usize) -> (&str, String) {
        let step = plan.step(at).unwrap();
        (step.title.as_str(), step.files.join(" "))
    }

    #[test]
    fn a_step_that_touches_other_files_than_it_names_deviates() {
        let plan = PlanDocument::read("1. x\nFiles: a.rs, ./b.rs.\n2. y").unwrap();
        let deviation = |at: usize, touched: &[&str]| {
            let touched: Vec<String> = touched.iter().map(ToString::to_string).collect();
            plan.step(at).unwrap().deviation(&touched)
        };
        assert_eq!(deviation(0, &["b.rs", "a.rs"]), None);
        assert_eq!(deviation(1, &["c.rs"]), None, "it names none");
        let expected = Deviation {
            unplanned: vec!["c.rs".to_owned()],
            untouched: vec!["b.rs".to_owned()],
        };
        assert_eq!(deviation(0, &["a.rs", "c.rs"]), Some(expected));
    }

    #[test]
    fn a_check_is_run_if_it_is_a_command() {
        for (line, command) in [
            ("Check: cargo test", Some("cargo test")),
            ("- **Check:** `cargo test --lib`.", Some("cargo test --lib")),
            ("Check: run `make check`", Some("make check")),
            ("Check: ./run.sh && echo ok", Some("./run.sh && echo ok")),
            ("Check: python3 -m pytest -q", Some("python3 -m pytest -q")),
            ("Check: read it", None),
            ("Check: make sure that it compiles", None),
            ("Check: `load` is not used any more", None),
            ("Check: Tests pass", None),
            ("Check: ``", None),
            ("Check:", None),
            ("Risk: cargo test", None),
        ] {
            let plan = PlanDocument::read(&format!("1. x\n   {line}\n")).unwrap();
            assert_eq!(plan.step(0).unwrap().check(), command, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_bounded(text in "([0-9]{1,4}[.):] ?|Files: |#+ |[a-z,`*]{0,9}|\\PC|\n){0,400}") {
            if let Some(plan) = PlanDocument::read(&text) {
                prop_assert!((1..=MOST_STEPS).contains(&plan.len()));
                for at in 0..plan.len() {
                    let step = plan.step(at).unwrap();
                    prop_assert!(step.files.len() <= MOST_FILES && step.details.len() <= MOST_TEXT);
                    prop_assert!(!step.title.contains('\n'));
                }
            }
        }
    }
}
