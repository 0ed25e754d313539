//! Roles of files: source, test, prose, data, generated; told by the path alone.
//!
//! In: a path. Out: its [`Role`], its stem, and the words that its name shares with its test.

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
const TEST_FOLDERS: &[&str] = &[
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
/// Stems that say nothing of what is in the file: the folder's name stands for them.
const PLAIN_STEMS: &[&str] = &[
    "mod", "lib", "main", "index", "__init__", "init", "test", "tests",
];

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
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// Returns the role that a number stands for.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
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
fn tested(stem: &str) -> Option<&str> {
    let ends = TEST_ENDS.iter().filter_map(|end| stem.strip_suffix(end));
    let starts = TEST_STARTS
        .iter()
        .filter_map(|start| stem.strip_prefix(start));
    ends.chain(starts).find(|rest| !rest.is_empty())
}

/// Returns the word that a source file and its tests share: the stem without marks of a test, or the
/// folder's name where the stem says nothing.
pub fn subject(path: &str) -> String {
    let (folders, _) = split(path);
    let own = stem(path);
    let own = tested(own).unwrap_or(own);
    let plain = PLAIN_STEMS.contains(&own);
    let meant = if plain {
        let mut above = folders.rsplit('/');
        above
            .find(|folder| !TEST_FOLDERS.contains(folder) && *folder != "src")
            .filter(|folder| !folder.is_empty())
            .unwrap_or(own)
    } else {
        own
    };
    crate::words::whole(&meant.replace(['-', '.'], "_"))
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

    #[test]
    fn a_test_shares_its_subject_with_the_source() {
        for (test, source) in [
            ("tests/test_http_parser.py", "lib/http_parser.py"),
            ("src/parser.test.ts", "src/parser.ts"),
            ("net/dial_test.go", "net/dial.go"),
            ("src/test/java/x/DialTest.java", "src/main/java/x/Dial.java"),
            ("src/engine/tests.rs", "src/engine.rs"),
            ("src/engine/tests.rs", "src/engine/mod.rs"),
        ] {
            assert_eq!(subject(test), subject(source), "{test}");
        }
        assert_ne!(subject("a/b.rs"), subject("a/c.rs"));
    }
}
