//! Roles of files: source, test, prose, data, generated; told by the path alone.
//!
//! In: a path. Out: its [`Role`], its stem, and that of what it tests.

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Source code.
    Source,
    /// Tests of source code.
    Test,
    /// Text for people.
    Prose,
    /// Settings and data.
    Data,
    /// Made by a program or brought in from elsewhere.
    Generated,
}

const SOURCE: &[&str] = &[
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "py", "pyi", "pyx", "go", "java",
    "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "cs", "rb", "php", "swift", "kt", "kts",
    "scala", "vue", "svelte", "lua", "sh", "bash", "pl", "ex", "exs", "erl", "hs", "ml", "clj",
    "dart", "zig", "css", "scss", "less", "html", "sql", "proto", "groovy",
];
const PROSE: &[&str] = &["md", "mdx", "rst", "txt", "adoc", "tex", "po", "pot"];
const GENERATED_NAMES: &[&str] = &[
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "cargo.lock",
    "go.sum",
    "poetry.lock",
    "uv.lock",
    "gemfile.lock",
    "composer.lock",
];
const GENERATED_FOLDERS: &[&str] = &[
    "vendor",
    "node_modules",
    "third_party",
    "dist",
    "__snapshots__",
];
/// Folders of tests and of what they read.
pub const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "testing",
    "spec",
    "specs",
    "testdata",
    "e2e",
    "fixtures",
];
/// Marks of a test at either end of a file's stem.
const TEST_ENDS: &[&str] = &[
    "_test", "_tests", ".test", ".spec", "-test", ".tests", "Tests", "Test", "TestCase", "IT",
    "_spec",
];
const TEST_STARTS: &[&str] = &["test_", "tests_", "Test"];
/// Stems of files that hold the tests of the folder or file around them.
const TEST_STEMS: &[&str] = &["test", "tests", "conftest", "spec"];
impl Role {
    /// Every role, in the order of [`Self::code`].
    const ALL: [Self; 5] = [
        Self::Source,
        Self::Test,
        Self::Prose,
        Self::Data,
        Self::Generated,
    ];

    /// Returns the role of the file at a path.
    pub fn of(path: &str) -> Self {
        let (folders, name) = split(path);
        let lower = name.to_ascii_lowercase();
        let is_minified =
            lower.contains(".min.") || lower.ends_with(".map") || lower.ends_with(".snap");
        if GENERATED_NAMES.contains(&lower.as_str())
            || is_below(folders, GENERATED_FOLDERS)
            || is_minified
        {
            return Self::Generated;
        }
        let extension = lower
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension);
        if !SOURCE.contains(&extension) {
            return if PROSE.contains(&extension) {
                Self::Prose
            } else {
                Self::Data
            };
        }
        if is_below(folders, TEST_FOLDERS)
            || TEST_STEMS.contains(&stem(path))
            || tested(stem(path)).is_some()
        {
            Self::Test
        } else {
            Self::Source
        }
    }

    /// Returns the number that stands for the role on disk.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the role that a number stands for.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

fn is_below(folders: &str, names: &[&str]) -> bool {
    folders.split('/').any(|folder| names.contains(&folder))
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns a file's name without its last extension.
pub fn stem(path: &str) -> &str {
    let (_, name) = split(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Returns the stem of what a test is about; none if the stem is not a test's.
pub fn tested(stem: &str) -> Option<&str> {
    let ends = TEST_ENDS.iter().filter_map(|end| stem.strip_suffix(end));
    let starts = TEST_STARTS
        .iter()
        .filter_map(|start| stem.strip_prefix(start));
    ends.chain(starts).find(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_by_the_path() {
        let table = [
            ("src/a.rs", Role::Source),
            ("tests/a.rs", Role::Test),
            ("pkg/a_test.go", Role::Test),
            ("src/a.spec.ts", Role::Test),
            ("src/a/tests.rs", Role::Test),
            ("src/test/java/ATest.java", Role::Test),
            ("README.md", Role::Prose),
            ("Cargo.toml", Role::Data),
            ("Cargo.lock", Role::Generated),
            ("vendor/x/a.go", Role::Generated),
            ("Makefile", Role::Data),
            ("", Role::Data),
        ];
        for (path, role) in table {
            assert_eq!(Role::of(path), role, "{path}");
            assert_eq!(Role::from_code(role.code()), Some(role));
        }
    }
}
