//! What packages are made of: the files that every kind has, actions that are pinned, addresses that nobody invented.

use std::collections::BTreeSet;

use crate::sources::{self, Complaints, read};

/// What a package of a system has beside the program, by how its path ends. `.packages/build` makes the first four.
const INSTALLED: [&str; 5] = [
    "signoff.1",
    "completions/signoff.bash",
    "completions/_signoff",
    "completions/signoff.fish",
    "linux/apparmor",
];

/// The manifest of the binary, which says what is in the .deb and in the .rpm.
fn manifest() -> (String, toml::Value) {
    let all = sources::all();
    let manifests = all.iter().filter(|path| path.ends_with("/Cargo.toml"));
    let mut found = manifests.filter_map(|path| {
        let value: toml::Value = toml::from_str(&read(path)).ok()?;
        let is_packaged = value.get("package")?.get("metadata")?.get("deb").is_some();
        is_packaged.then(|| (path.clone(), value))
    });
    found.next().unwrap()
}

/// Returns the sources of the files of one kind of package.
fn assets(manifest: &toml::Value, kind: &str) -> BTreeSet<String> {
    let assets = manifest["package"]["metadata"][kind]["assets"].as_array();
    let source = |asset: &toml::Value| {
        let source = asset.get("source").or_else(|| asset.get(0));
        source.unwrap().as_str().unwrap().to_owned()
    };
    assets.unwrap().iter().map(source).collect()
}

#[test]
fn packages_have_the_same_files() {
    let mut complaints = Complaints::default();
    let (path, manifest) = manifest();
    for kind in ["deb", "generate-rpm"] {
        let assets = assets(&manifest, kind);
        for own in INSTALLED {
            let is_there = |asset: &&String| asset.trim_end_matches(".gz").ends_with(own);
            if !assets.iter().any(|asset| is_there(&asset)) {
                complaints.add(&path, 1, format!("`{kind}` has no {own}"));
            }
        }
    }
    let from_archives = [
        ".packages/arch/PKGBUILD",
        ".packages/devcontainer/install.sh",
        ".packages/homebrew/signoff.rb",
    ];
    for path in from_archives {
        let text = read(path);
        for own in &INSTALLED[..4] {
            if !text.contains(own) {
                complaints.add(path, 1, format!("does not install {own}"));
            }
        }
    }
    let build = read(".packages/build");
    for own in &INSTALLED[..4] {
        if !build.contains(&format!("$root/{own}")) {
            complaints.add(".packages/build", 1, format!("does not make {own}"));
        }
    }
    complaints.settle();
}

/// The registry of ACP agents takes an icon of 16 by 16 in the editor's own colour.
#[test]
fn the_icon_has_no_colour_of_its_own() {
    let icon = read(".packages/acp/icon.svg");
    assert!(icon.contains(r#"width="16" height="16" viewBox="0 0 16 16""#));
    for paint in ["fill=\"", "stroke=\""] {
        for value in icon.split(paint).skip(1) {
            let value = value.split('"').next().unwrap();
            assert!(["none", "currentColor"].contains(&value), "{value}");
        }
    }
}

/// A tag of an action can be moved to other code; a commit cannot.
#[test]
fn actions_are_pinned_to_a_commit_with_its_version() {
    let mut complaints = Complaints::default();
    let all = sources::all();
    let workflows = all
        .iter()
        .filter(|path| path.starts_with(".github/") && path.ends_with(".yml"));
    let mut actions = 0;
    for path in workflows {
        for (at, line) in read(path).lines().enumerate() {
            let Some((_, action)) = line.split_once("uses: ") else {
                continue;
            };
            actions += 1;
            let (commit, version) = action
                .split_once('@')
                .and_then(|(_, pin)| pin.split_once(" # v"))
                .unwrap_or_default();
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            if !is_commit || version.split('.').count() != 3 {
                let what = "write `NAME@COMMIT # vMAJOR.MINOR.PATCH`";
                complaints.add(path, at + 1, what);
            }
        }
    }
    assert!(actions > 5, "{actions} actions");
    complaints.settle();
}

/// The project has no address of its own; what needs one gets it at the release.
#[test]
fn packages_name_no_address_but_that_of_the_release() {
    const KNOWN: [&str; 2] = ["https://sh.rustup.rs", "http://www.w3.org/2000/svg"];
    let mut complaints = Complaints::default();
    let all = sources::all();
    let (manifest, _) = manifest();
    let packaging = all.iter().filter(|path| {
        path.starts_with(".packages/")
            || path.starts_with(".github/workflows/")
            || path.starts_with(".github/actions/")
            || [manifest.as_str(), "Cargo.toml"].contains(&path.as_str())
    });
    for path in packaging {
        for (at, line) in read(path).lines().enumerate() {
            let is_address = line.contains("https://") || line.contains("http://");
            if is_address && !KNOWN.iter().any(|known| line.contains(known)) {
                let what = "an address: take REPOSITORY_URL, or a variable of the workflow";
                complaints.add(path, at + 1, what);
            }
        }
    }
    complaints.settle();
}
