//! Map: the source files, those first that others import most.
//!
//! In: an index. Out: paths. Imports are counted by name alone, so that two files of one name share a count.

use std::collections::{BTreeSet, HashMap};

use crate::index::Index;
use crate::role::{Role, stem};

/// Files that are called for the folder that they are in.
const FOR_THEIR_FOLDER: [&str; 5] = ["mod", "lib", "index", "__init__", "main"];

/// Returns the paths of source files and then of their tests, those first that others import most.
pub fn by_importers(index: &Index) -> Vec<String> {
    let mut importers: HashMap<String, usize> = HashMap::new();
    for path in index.sources() {
        let Some(file) = index.find(path) else {
            continue;
        };
        let mut names: BTreeSet<String> = BTreeSet::new();
        for import in index.imports(file) {
            let parts = import.split(['/', '.', ':', '\\']);
            names.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
        }
        for name in names {
            *importers.entry(name).or_default() += 1;
        }
    }
    let mut paths: Vec<&str> = index.sources().collect();
    paths.sort_by_cached_key(|path| {
        let count = importers.get(name(path)).copied().unwrap_or_default();
        (
            Role::of(path) == Role::Test,
            std::cmp::Reverse(count),
            *path,
        )
    });
    paths.into_iter().map(str::to_owned).collect()
}

/// Returns the name by which others import a file.
fn name(path: &str) -> &str {
    let own = stem(path);
    let folder = path.rsplit('/').nth(1);
    folder
        .filter(|_| FOR_THEIR_FOLDER.contains(&own))
        .unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;

    #[test]
    fn files_that_others_import_come_first_and_tests_last() {
        let files = [
            ("a.py", "from app.core import f\nimport util\n"),
            ("app/__init__.py", "from . import core\n"),
            ("app/core.py", "import util\n"),
            ("util.py", ""),
            ("tests/test_core.py", "from app import core\nimport util\n"),
        ];
        let index = Index::of_texts(
            files.iter().map(|(path, text)| (*path, text.as_bytes())),
            History::default(),
        );
        assert_eq!(
            by_importers(&index),
            [
                "app/core.py",
                "util.py",
                "app/__init__.py",
                "a.py",
                "tests/test_core.py"
            ]
        );
    }
}
