//! No path leads out.
//!
//! In: a path as a model could write it. Out: nothing, unless what was accepted could name
//! something outside, is not normal, or is read differently a second time.

#![no_main]

use std::path::{Component, Path};

use libfuzzer_sys::fuzz_target;
use signoff_core::disk::workspace::WorkspacePath;

fuzz_target!(|text: &str| {
    let root = Path::new("/w/s");
    let Ok(path) = WorkspacePath::parse(text, root) else {
        return;
    };
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    assert!(Path::new(path.as_str()).components().all(plain));
    assert!(root.join(path.as_str()).starts_with(root));
    assert_eq!(WorkspacePath::parse(path.shown(), root).as_ref(), Ok(&path));
    let absolute = format!("/w/s/{}", path.as_str());
    if absolute.len() <= 4096 {
        assert_eq!(WorkspacePath::parse(&absolute, root).as_ref(), Ok(&path));
    }
    let git = path
        .as_str()
        .split('/')
        .any(|part| part.to_ascii_lowercase() == ".git");
    assert!(path.editable().is_err() || (!git && !path.as_str().is_empty()));
    drop((path.parent(), path.name().len(), path.extension()));
});
