//! The workspace on disk: links, drafts, and what comes between.

use std::os::unix::fs::symlink;

use super::*;

fn at(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, Path::new("/nowhere")).unwrap()
}

#[test]
fn links_that_lead_out_are_refused_and_others_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "s").unwrap();
    let inside = tempfile::tempdir().unwrap();
    fs::write(inside.path().join("real"), "r").unwrap();
    symlink("real", inside.path().join("alias")).unwrap();
    symlink(outside.path(), inside.path().join("out")).unwrap();
    symlink(outside.path().join("new"), inside.path().join("dangling")).unwrap();
    let workspace = DiskWorkspace::open(inside.path()).unwrap();
    let read = |path: &WorkspacePath| workspace.read(path).unwrap().unwrap().source;
    assert_eq!(
        read(&workspace.canonical(&at("alias")).unwrap()),
        Source::new("r")
    );
    // By its own name a link is read as such, wherever it leads.
    assert_eq!(read(&at("alias")), Source::link("real"));
    let outside = outside.path().join("new").into_os_string();
    assert_eq!(
        read(&at("dangling")),
        Source::link(outside.into_encoded_bytes())
    );
    assert!(workspace.canonical(&at("dangling")).is_err());
    for path in ["out/secret", "out/new/file"] {
        let refused = workspace.read(&at(path));
        assert!(
            matches!(refused, Err(AccessError::Path(PathError::Link { .. }))),
            "{path}"
        );
    }
    assert!(workspace.read(&at("absent/x")).unwrap().is_none());
    assert!(matches!(
        workspace.read(&at("real/x")),
        Err(AccessError::BelowFile { .. })
    ));
    assert!(matches!(
        workspace.read(&at(".")),
        Err(AccessError::IsFolder { .. })
    ));
}

#[test]
fn a_file_that_no_link_leads_to_is_read_as_by_its_resolved_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("sub")).unwrap();
    for (name, text) in [
        ("sub/long", "x".repeat(100_000)),
        ("sub/empty", String::new()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    symlink("long", folder.path().join("sub/alias")).unwrap();
    symlink("sub", folder.path().join("moved")).unwrap();
    symlink("/etc", folder.path().join("out")).unwrap();
    let workspace = DiskWorkspace::open(folder.path()).unwrap();
    for (path, is_plain) in [
        ("sub/long", cfg!(target_os = "linux")),
        ("sub/empty", cfg!(target_os = "linux")),
        ("sub/alias", false),
        ("sub/missing", false),
        ("sub/long/below", false),
        ("sub", false),
    ] {
        let plain = workspace.read_plain(&at(path));
        assert_eq!(plain.is_some(), is_plain, "{path}");
        let (resolved, read) = (
            workspace.read_resolved(&at(path)),
            workspace.read(&at(path)),
        );
        assert_eq!(format!("{resolved:?}"), format!("{read:?}"), "{path}");
        assert!(
            plain.is_none_or(|plain| read.unwrap() == Some(plain)),
            "{path}"
        );
    }
    for path in ["moved/long", "moved/missing", "out/hosts"] {
        assert!(workspace.read_plain(&at(path)).is_none(), "{path}");
        let refused = workspace.read_resolved(&at(path));
        assert!(matches!(refused, Err(AccessError::Path(_))), "{path}");
    }
}

#[test]
fn what_is_signoffs_own_is_neither_read_listed_nor_written_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let of = |path: &str| root.join(path);
    for made in [".config/signoff/agents", ".config/other", "mounted", "real"] {
        fs::create_dir_all(of(made)).unwrap();
    }
    let own = of(".config/signoff/config.toml");
    fs::write(&own, "model = 'm'\n").unwrap();
    fs::write(of("mounted/x"), "x").unwrap();
    fs::hard_link(&own, of("linked")).unwrap();
    symlink(".config/signoff", of("to")).unwrap();
    symlink("../.config", of("real/up")).unwrap();
    // A folder that has the inode of a reserved one stands for a mount and for a file system without regard to case.
    let [mounted, linked] = [of("mounted"), own.clone()].map(|path| {
        let found = fs::metadata(path).unwrap();
        (found.dev(), found.ino())
    });
    let folders = vec![of(".config/signoff"), of(".local/state/signoff")];
    let reserved = ReservedFolders::new(folders, [mounted], move || [linked].into());
    let mut workspace = DiskWorkspace::open(&root).unwrap().without(reserved);
    let is_refused = |result: Result<(), AccessError>, path: &str| {
        let error = result.expect_err(path);
        assert!(
            matches!(
                error,
                AccessError::Path(PathError::Reserved { .. } | PathError::AroundReserved { .. })
            ),
            "{path}: {error}"
        );
    };
    for path in [
        ".config/signoff/config.toml",
        ".config/./x/../signoff/hooks.json",
        ".Config/SIGNOFF/new.toml",
        ".config/signoff",
        ".local/state/signoff/workspaces/new/trust.json",
        "to/config.toml",
        "real/up/signoff/config.toml",
        "real/up/signoff/new",
        "mounted/x",
        "mounted/new",
        "linked",
    ] {
        is_refused(workspace.read_resolved(&at(path)).map(drop), path);
        is_refused(workspace.read(&at(path)).map(drop), path);
        is_refused(workspace.canonical(&at(path)).map(drop), path);
        // A path through a link is refused as one, whatever it leads to.
        let is_through_link = ["to/", "real/up/"]
            .iter()
            .any(|start| path.starts_with(start));
        match workspace.check_writable(&at(path)) {
            Err(AccessError::Path(PathError::Relinked { .. })) if is_through_link => {}
            checked => is_refused(checked, path),
        }
    }
    for path in [
        ".config/signoff/new",
        ".local/state/signoff/new",
        "mounted/new",
        // A link or a file there would take the place of signoff's folder.
        ".config",
        ".local",
    ] {
        let draft = Draft {
            path: at(path),
            tag: "t".into(),
        };
        let made = workspace.draft(&draft, &Source::new("x"), None);
        is_refused(made.map(drop), path);
    }
    is_refused(workspace.list(&at("to")).map(drop), "to");
    let names = |path: &str| -> Vec<String> {
        let entries = workspace.list(&at(path)).unwrap().into_iter();
        entries.map(|entry| entry.name).collect()
    };
    assert_eq!(names("."), [".config", "real", "to"]);
    assert_eq!(names(".config"), ["other"]);
    assert_eq!(names("real/up"), ["other"]);
    // Around them all other files are written, and folders made and removed.
    for path in [".config/other/new", ".local/state/other/new"] {
        let draft = Draft {
            path: at(path),
            tag: "t".into(),
        };
        workspace.draft(&draft, &Source::new("x"), None).unwrap();
        assert_eq!(workspace.publish(&draft, None).unwrap(), Swap::Done);
        for folder in at(path).folders() {
            workspace.sync_folder(&folder).unwrap();
            workspace.remove_folder(&folder).unwrap();
        }
    }
    let other = at(".config/other/newer");
    assert!(workspace.check_writable(&other).is_ok());
    assert!(workspace.read(&other).unwrap().is_none());
}

#[test]
fn a_draft_takes_the_place_of_its_target_and_keeps_the_link() {
    let inside = tempfile::tempdir().unwrap();
    fs::write(inside.path().join("real"), "old").unwrap();
    symlink("real", inside.path().join("alias")).unwrap();
    let mut workspace = DiskWorkspace::open(inside.path()).unwrap();
    let draft = Draft {
        path: workspace.canonical(&at("alias")).unwrap(),
        tag: "t".into(),
    };
    workspace
        .draft(
            &draft,
            &Source::new("new"),
            Some(&Attributes::of_mode(0o755)),
        )
        .unwrap();
    assert_eq!(fs::read(inside.path().join("real")).unwrap(), b"old");
    let old = Source::new("old").fingerprint();
    assert_eq!(workspace.publish(&draft, Some(old)).unwrap(), Swap::Done);
    workspace.sync_folder(&draft.path).unwrap();
    assert_eq!(fs::read(inside.path().join("real")).unwrap(), b"new");
    assert!(
        inside
            .path()
            .join("alias")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(workspace.read(&at("real")).unwrap().unwrap().mode, 0o755);
    assert_eq!(workspace.list(&at(".")).unwrap().len(), 2);
    workspace.discard(&draft).unwrap();
}

#[test]
fn a_save_in_the_very_instant_is_given_back() {
    let inside = tempfile::tempdir().unwrap();
    let file = inside.path().join("a");
    fs::write(&file, "mine").unwrap();
    let mut workspace = DiskWorkspace::open(inside.path()).unwrap();
    let draft = Draft {
        path: at("a"),
        tag: "t".into(),
    };
    let seen = Source::new("seen").fingerprint();
    workspace.draft(&draft, &Source::new("new"), None).unwrap();
    assert_eq!(
        workspace.publish(&draft, Some(seen)).unwrap(),
        Swap::Changed
    );
    assert_eq!(workspace.publish(&draft, None).unwrap(), Swap::Changed);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    workspace.discard(&draft).unwrap();
    assert_eq!(workspace.withdraw(&draft, seen).unwrap(), Swap::Changed);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    fs::remove_file(&file).unwrap();
    assert_eq!(workspace.withdraw(&draft, seen).unwrap(), Swap::Changed);
    workspace.draft(&draft, &Source::new("new"), None).unwrap();
    assert_eq!(
        workspace.publish(&draft, Some(seen)).unwrap(),
        Swap::Changed
    );
    assert_eq!(workspace.publish(&draft, None).unwrap(), Swap::Done);
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(fs::read_dir(inside.path()).unwrap().count(), 1);
}

#[test]
fn of_two_saves_in_the_very_instant_the_newer_one_stays() {
    let inside = tempfile::tempdir().unwrap();
    let workspace = DiskWorkspace::open(inside.path()).unwrap();
    let draft = Draft {
        path: at("a"),
        tag: "t".into(),
    };
    let drafted = Source::new("new").fingerprint();
    // The draft took the place of the first save, and the second save that of the draft.
    for (in_place, stays) in [("new", "first"), ("second", "second")] {
        let folder = workspace.folder(&draft.path).unwrap().unwrap();
        let beside = folder.beside(&draft.tag);
        fs::write(inside.path().join("a"), in_place).unwrap();
        fs::write(inside.path().join(&beside), "first").unwrap();
        give_back(&folder, (&beside, folder.name()), drafted).unwrap();
        assert_eq!(fs::read_to_string(inside.path().join("a")).unwrap(), stays);
    }
}

#[test]
fn a_file_is_made_by_a_link_where_a_rename_would_replace() {
    let inside = tempfile::tempdir().unwrap();
    let (beside, target) = (inside.path().join("beside"), inside.path().join("a"));
    fs::write(&beside, "new").unwrap();
    fs::write(&target, "mine").unwrap();
    let folder = Folder::of(
        (inside.path(), &ReservedFolders::default()),
        &at("a"),
        Missing::Leave,
    );
    let folder = folder.unwrap().unwrap();
    assert_eq!(make(&folder, "beside").unwrap(), Swap::Changed);
    assert_eq!(fs::read(&target).unwrap(), b"mine");
    fs::remove_file(&target).unwrap();
    assert_eq!(make(&folder, "beside").unwrap(), Swap::Done);
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert!(!beside.exists());
}

/// Everything below a folder, links not followed: names, and the texts of files.
fn below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(below(&entry.path()))
        } else {
            found.push((entry.path(), fs::read(entry.path()).unwrap_or_default()))
        }
    }
    found.sort();
    found
}

#[test]
fn nothing_is_written_through_a_part_of_the_path_that_became_a_link() {
    let old = Source::new("old").fingerprint();
    // The same text is at the end of each link, so that only the way there tells.
    for (part, target) in [
        ("sub", ".git"),
        ("sub", "other"),
        ("sub", "../outside"),
        ("sub/deep", "../.git/deep"),
        ("sub/deep", "../other/deep"),
        ("sub/deep", "../../outside/deep"),
        ("sub/deep/f", "../../other/deep/f"),
        ("sub/deep/f", "../../.git/deep/f"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws");
        for place in ["sub", ".git", "other", "../outside"] {
            fs::create_dir_all(root.join(place).join("deep")).unwrap();
            fs::write(root.join(place).join("deep/f"), "old").unwrap();
        }
        let mut workspace = DiskWorkspace::open(&root).unwrap();
        fs::rename(root.join(part), folder.path().join("away")).unwrap();
        symlink(target, root.join(part)).unwrap();
        let draft = |name: &str, tag: &str| Draft {
            path: at(name),
            tag: tag.into(),
        };
        let (old_file, new_file) = (draft("sub/deep/f", "t"), draft("sub/deep/new/f", "t"));
        let before = below(folder.path());
        // The file itself may be replaced where it is a link now: whoever expects a file finds another text.
        let is_file = part.ends_with('f');
        let writable = workspace.check_writable(&old_file.path);
        assert_eq!(writable.is_ok(), is_file, "{part}");
        for file in [&old_file, &new_file] {
            if is_file && file == &new_file {
                continue;
            }
            assert_eq!(
                workspace.draft(file, &Source::new("new"), None).is_ok(),
                is_file,
                "{part}"
            );
            // The swap is refused, or made and given back.
            for swap in [
                workspace.publish(file, Some(old)),
                workspace.withdraw(file, old),
            ] {
                assert!(!matches!(swap, Ok(Swap::Done)), "{part} -> {target}");
            }
            let _refused = workspace.redraft(file, &draft("sub/deep/f", "u"));
            for tag in ["t", "u"] {
                let _refused = workspace.discard(&draft("sub/deep/f", tag));
            }
        }
        workspace.remove_folder(&at("sub/deep")).unwrap();
        workspace.sync_folder(&at("sub/deep/f")).unwrap();
        assert_eq!(below(folder.path()), before, "{part} -> {target}");
    }
}

#[test]
fn nothing_is_written_to_gits_folder_whatever_asked_for_it() {
    let inside = tempfile::tempdir().unwrap();
    fs::create_dir(inside.path().join(".git")).unwrap();
    let mut workspace = DiskWorkspace::open(inside.path()).unwrap();
    for path in [
        ".git/config",
        ".GIT/config",
        ".g\u{200d}it/config",
        "git~1/config",
    ] {
        let draft = Draft {
            path: at(path),
            tag: "t".into(),
        };
        let refused = workspace.draft(&draft, &Source::new("x"), None);
        assert!(
            matches!(refused, Err(AccessError::Path(PathError::Git { .. }))),
            "{path}"
        );
        assert!(workspace.check_writable(&draft.path).is_err(), "{path}");
    }
    assert_eq!(below(inside.path()), []);
}

#[test]
fn files_whose_long_names_begin_alike_have_drafts_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut workspace = DiskWorkspace::open(folder.path()).unwrap();
    let long = "x".repeat(200);
    for name in [&long, &format!("{long}.a"), &format!("{long}.b")] {
        let draft = Draft {
            path: at(name),
            tag: "t".into(),
        };
        workspace.draft(&draft, &Source::new("new"), None).unwrap();
        assert_eq!(workspace.drafted(&draft).unwrap().unwrap().bytes(), b"new");
    }
}
