//! Attacks on layers by another process of the user's.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::layer::Staging;
use super::setup::Origin;
use super::slot::Slot;
use super::{UPPER, discard, layer};

/// Files outside of the layers, where folders of the layers would lead.
const OUTSIDE: [&str; 4] = ["letter.txt", "a/b.txt", "work/c.txt", "upper/d.txt"];

/// Every folder of a layer is exchanged for a link to the user's documents and back, all the time, while layers are staged,
/// cleared and removed: nothing outside is removed, moved or written.
#[test]
fn a_folder_of_the_layers_that_becomes_a_link_leads_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in OUTSIDE {
        let file = at("documents").join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, name).expect("a file");
    }
    fs::create_dir_all(at("ws/a")).expect("a folder");
    fs::write(at("ws/a/b.txt"), "b\n").expect("a file");
    let before = listing(&at("documents"));
    for (number, exchanged) in [
        "layers/trash",
        "layers/user",
        "layers/user/0",
        "layers/user/0/workspace",
        "layers/user/0/workspace/upper",
        "layers/user/0/workspace/upper/a",
    ]
    .into_iter()
    .enumerate()
    {
        // The last exchange may have left a folder in the place of the link.
        let link = at(&format!("link-{number}"));
        symlink(at("documents"), &link).expect("a link");
        let (over, target) = (AtomicBool::new(false), at(exchanged));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let _absent = renameat_with(CWD, &target, CWD, &link, RenameFlags::EXCHANGE);
                }
            });
            for _ in 0..100 {
                // What is in the way of an attack may fail; what it leads to stays.
                let _failed = round(&at("layers"), &at("ws"));
            }
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(listing(&at("documents")), before, "{exchanged}");
    }
}

fn round(layers: &Path, root: &Path) -> std::io::Result<()> {
    let mut slot = Slot::take(layers, Origin::User)?;
    slot.is_emptied_at_end();
    let upper = slot.folder().make_below(Path::new(UPPER), 0o700)?;
    // As programs leave it.
    for path in ["a/x/y", "a/b.txt", "work"] {
        upper.make_below(Path::new(path), 0o755)?;
    }
    let staging = Staging {
        staged: &[],
        proposed: &BTreeSet::new(),
    };
    layer::stage((root, &[]), false, &upper, staging, slot.trash())?;
    discard::empty(slot.trash());
    slot.clear()
}

/// Returns all files of a tree with their texts.
fn listing(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a listing").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(listing(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap_or_default();
            all.push((path.display().to_string(), text));
        }
    }
    all.sort();
    all
}
