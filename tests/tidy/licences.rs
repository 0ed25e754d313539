//! Licences of dependencies: each is one of those in `.cargo/deny.toml`.
//!
//! ```text
//! (MIT OR GPL-3.0) AND Unicode-3.0      accepted: MIT is in the list, and so is Unicode-3.0
//! GPL-3.0 AND MIT                       not accepted
//! ```

use std::collections::BTreeSet;
use std::process::Command;

use crate::sources::{Complaints, root};

/// Returns the licences that are accepted.
fn accepted() -> BTreeSet<String> {
    let rules = std::fs::read_to_string(root().join(".cargo/deny.toml")).unwrap();
    let list = rules.split_once("allow = [").unwrap().1;
    let list = list.split_once(']').unwrap().0;
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

/// Returns whether a licence expression of SPDX needs nothing else than what is accepted. The old form of Cargo has `/`
/// for `OR`.
fn is_accepted(expression: &str, accepted: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // Of what packages have, AND joins groups in brackets or single licences.
    let mut groups = expression.split(" AND ");
    groups.all(|group| {
        let mut choices = group.split(" OR ");
        choices.any(|one| accepted.contains(&one.split_whitespace().collect::<Vec<_>>().join(" ")))
    })
}

#[test]
fn expressions_are_read() {
    let accepted = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
    let accepted = accepted.map(str::to_owned).into();
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR GPL-3.0) AND Apache-2.0", false),
        ("", false),
    ] {
        assert_eq!(is_accepted(expression, &accepted), expected, "{expression}");
    }
}

#[test]
fn every_dependency_has_a_licence_that_is_accepted() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--offline", "--locked"])
        // Those of other systems are not there without a network.
        .args(["--filter-platform", &host()])
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&metadata.stderr);
    assert!(metadata.status.success(), "{said}");
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());
    let accepted = accepted();
    let mut complaints = Complaints::default();
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_accepted(licence, &accepted) {
            let name = package["name"].as_str().unwrap_or_default();
            complaints.add(
                "Cargo.lock",
                1,
                format!("{name} has the licence {licence:?}"),
            );
        }
    }
    complaints.settle();
}

/// Returns the system that this is built on, as cargo names it.
fn host() -> String {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap().to_owned()
}
