//! What targets share: a text in a file of some language.
//!
//! In: an input. Out: its parts.

use std::path::Path;

use signoff_core::disk::workspace::WorkspacePath;

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
