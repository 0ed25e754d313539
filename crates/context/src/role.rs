//! Roles of files (`signoff_source::role`), and the word that a source file shares with its tests.
//!
//! In: a path. Out: its [`Role`], its stem, its [`subject`].

pub use signoff_source::role::{Role, stem};
use signoff_source::role::{TEST_FOLDERS, tested};

/// Stems that say nothing of what is in the file: the folder's name stands for them.
const PLAIN_STEMS: &[&str] = &[
    "mod", "lib", "main", "index", "__init__", "init", "test", "tests",
];

/// Returns the word that a source file and its tests share: the stem without marks of a test, or the
/// folder's name where the stem says nothing.
pub fn subject(path: &str) -> String {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
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
