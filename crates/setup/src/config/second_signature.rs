//! `[second_signature]`: which changes another person approves too.

use serde::Deserialize;
use signoff_core::engine::SecondSignature;
use signoff_llm::permission::fits_pattern;

/// The table, as it is written in the user's file and in the workspace's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SecondSignatureFile {
    /// Paths, `*` standing for anything: hunks of these files are written only if another person approved them as they are.
    paths: Vec<String>,
    /// `true`: only approvals count that are signed with a key which your git trusts.
    keys: bool,
}

impl SecondSignatureFile {
    /// Puts the tables of both files together: whatever one of them asks for is asked for.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self {
            paths: self.paths.iter().chain(&other.paths).cloned().collect(),
            keys: self.keys || other.keys,
        }
    }

    /// Returns the table as the engine asks it.
    pub(super) fn rules(&self) -> SecondSignature {
        let paths = self.paths.clone();
        let is_any = !paths.is_empty();
        SecondSignature {
            paths: is_any.then(|| Box::new(move |path: &str| first_match(&paths, path)) as _),
            wants_key: self.keys,
        }
    }
}

/// Returns the first pattern that a path fits. Some disks know no case, so that none counts.
fn first_match(patterns: &[String], path: &str) -> Option<String> {
    let path = path.to_lowercase();
    let mut patterns = patterns.iter();
    let found = patterns.find(|pattern| {
        let pattern = pattern.trim_start_matches("./").to_lowercase();
        fits_pattern(&pattern, &path)
    });
    found.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(paths: &[&str], keys: bool) -> SecondSignatureFile {
        SecondSignatureFile {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            keys,
        }
    }

    #[test]
    fn the_stricter_of_both_files_holds() {
        for (user, workspace, path, pattern, keys) in [
            (file(&[], false), file(&[], false), "a", None, false),
            (
                file(&["migrations/**"], false),
                file(&[], true),
                "Migrations/a/1.sql",
                Some("migrations/**"),
                true,
            ),
            (
                file(&[], false),
                file(&["*.tf"], false),
                "infra/main.tf",
                Some("*.tf"),
                false,
            ),
            (
                file(&["*.sql"], true),
                file(&["*.tf"], false),
                "main.rs",
                None,
                true,
            ),
            (
                file(&["./deploy/*"], false),
                file(&[], false),
                "deploy/x",
                Some("./deploy/*"),
                false,
            ),
        ] {
            let both = user.with(&workspace).rules();
            let found = both.paths.and_then(|paths| paths(path));
            assert_eq!(
                (found.as_deref(), both.wants_key),
                (pattern, keys),
                "{path}"
            );
        }
    }
}
