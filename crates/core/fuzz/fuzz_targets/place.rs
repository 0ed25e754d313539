//! What targets share: a text in a file of some language, and what is planned for it.
//!
//! In: an input. Out: its parts; or nothing, unless a plan does not apply to its text.

use std::path::Path;

use signoff_core::workspace::WorkspacePath;

const PATHS: &[&str] = &[
    "a.rs", "a.ts", "a.tsx", "a.js", "a.py", "a.go", "a.json", "a.css", "a.html", "a.md", "a.toml",
    "a.yaml", "a.sh", "a.c", "a.cpp", "A.java", "a.txt",
];

/// Returns the path that the first byte stands for, from `A` on, and the parts after it.
pub fn read<const N: usize>(input: &str) -> Option<(WorkspacePath, [&str; N])> {
    let mut chars = input.chars();
    let which = (chars.next()? as usize).wrapping_sub('A' as usize) % PATHS.len();
    let path = WorkspacePath::parse(PATHS[which], Path::new("/")).ok()?;
    let mut parts = chars.as_str().splitn(N, '\u{c}');
    Some((
        path,
        std::array::from_fn(|_| parts.next().unwrap_or_default()),
    ))
}

/// Plans a change of a text.
#[allow(dead_code, reason = "one target has no request")]
pub fn plan(path: &WorkspacePath, text: &str, request: signoff_core::request::Request) {
    use signoff_core::plan::{Outcome, plan};
    use signoff_core::request::Change;
    use signoff_core::text::Source;
    let change = Change {
        file: path.as_str().to_owned(),
        description: None,
        operation: None,
        request,
        expected: None,
    };
    let source = Source::new(text);
    if let Outcome::Planned(plan) = plan(path, Some(&source), &change) {
        assert!(plan.edits.apply(source.bytes()).is_ok());
    }
}
