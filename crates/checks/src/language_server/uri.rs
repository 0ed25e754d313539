//! URIs of files: `file:///w/a%20b.rs` is `/w/a b.rs`.

use std::path::{Component, Path};

use signoff_source::percent;

/// Returns the URI of an absolute path.
pub(super) fn of(path: &Path) -> String {
    let path = path.as_os_str().as_encoded_bytes();
    format!("file://{}", percent::encoded(path, b"/"))
}

/// Returns the path of a file below `root`, relative to it; none for any other URI.
pub(super) fn below(root: &Path, uri: &str) -> Option<String> {
    let path = percent::decoded(uri.strip_prefix("file://")?)?;
    let below = Path::new(&path).strip_prefix(root).ok()?;
    let below = below
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
        .then_some(below)?;
    let below = below.to_str().filter(|below| !below.is_empty())?;
    Some(below.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_it_is_written() {
        let root = Path::new("/w/ü x");
        for path in ["a.rs", "d e/a%b.rs", "é#?.rs"] {
            assert_eq!(below(root, &of(&root.join(path))).as_deref(), Some(path));
        }
        assert_eq!(of(Path::new("/a b")), "file:///a%20b");
    }

    #[test]
    fn what_is_no_file_of_the_workspace_has_no_path() {
        for uri in [
            "file:///w/../etc/passwd",
            "file:///w/d/%2e%2e/%2e%2e/x",
            "file:///etc/passwd",
            "file:///w",
            "file:///wx/a",
            "https:///w/a",
            "file:///w/%f",
            "file:///w/%zz",
            "file:///w/%ff",
            "untitled:a",
            "",
        ] {
            assert_eq!(below(Path::new("/w"), uri), None, "{uri}");
        }
    }
}
