//! Projects and the checks that are found in them.

use std::fs;

use super::*;

/// Returns files that are touched; those with a `-` before them are gone.
fn all(paths: &[&str]) -> Touched {
    let mut touched = Touched::default();
    for path in paths {
        let name = path.trim_start_matches('-').to_owned();
        if path.starts_with('-') {
            touched.gone.insert(name.clone());
        }
        touched.paths.push(name);
    }
    touched
}

/// Returns `name: program arguments in folder` of what is found.
fn told(files: &[(&str, &str)], touched: &[&str], installed: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let touched = all(touched);
    let root = folder.path().display().to_string();
    let checks = found(folder.path(), &touched, &|name| installed.contains(&name));
    let each = checks.iter().map(|check| {
        let words = format!("{} {}", check.program, check.arguments.join(" "));
        format!("{words} in {:?}", check.folder).replace(&root, "ROOT")
    });
    each.collect()
}

#[test]
fn checks_follow_the_files_that_were_touched() {
    let rust = [("Cargo.toml", ""), ("sub/Cargo.toml", "")];
    assert_eq!(told(&rust, &["a.md"], &["cargo"]), [""; 0]);
    assert_eq!(told(&rust, &["sub/a.rs"], &[]), [""; 0]);
    assert_eq!(
        told(&rust, &["sub/a.rs"], &["cargo"]),
        [
            "cargo check --workspace --all-targets --keep-going --offline --quiet --message-format=json in \"\""
        ]
    );
    let inner = [("one/Cargo.toml", "[lints.clippy]"), ("two/Cargo.toml", "")];
    let found = told(
        &inner,
        &["one/src/a.rs", "two/b.rs"],
        &["cargo", "cargo-clippy"],
    );
    let heads: Vec<&str> = found.iter().map(|line| &line[..11]).collect();
    assert_eq!(heads, ["cargo check", "cargo clipp", "cargo check"]);
    assert!(found[0].ends_with("in \"one\"") && found[2].ends_with("in \"two\""));
}

#[test]
fn a_projects_own_programs_come_first() {
    let files = [
        ("app/tsconfig.json", "{}"),
        (
            "app/package.json",
            r#"{"scripts":{"lint":"x","typecheck":"y"}}"#,
        ),
        ("node_modules/.bin/tsc", ""),
    ];
    assert_eq!(
        told(&files, &["app/src/a.ts"], &["npm"]),
        [
            "ROOT/node_modules/.bin/tsc --noEmit --pretty false in \"app\"",
            "npm run --silent lint in \"app\"",
        ]
    );
    let linted = [("eslint.config.js", ""), ("a.js", "")];
    assert_eq!(
        told(&linted, &["a.js"], &["eslint"]),
        ["eslint --format json a.js in \"\""]
    );
}

#[test]
fn projects_that_a_tsconfig_refers_to_are_built_with_it() {
    let solution = r#"{"files":[],"references":[{"path":"./tsconfig.app.json"}]}"#;
    let vite = [("tsconfig.json", solution), ("tsconfig.app.json", "{}")];
    assert_eq!(told(&vite, &["src/a.ts"], &["tsc"]), [tsc_build("")]);
    // A project within a solution is checked by itself and with what refers to it.
    let inner = [("tsconfig.json", solution), ("one/tsconfig.json", "{}")];
    let both = [tsc_check("one"), tsc_build("")];
    assert_eq!(told(&inner, &["one/a.ts"], &["tsc"]), both);
    let own = [("tsconfig.json", r#"{"references":[{"path":"x"}],}"#)];
    assert_eq!(
        told(&own, &["a.ts"], &["tsc"]),
        [tsc_check(""), tsc_build("")]
    );
    // It checks nothing, and `tsc` says so.
    let nothing = [("tsconfig.json", r#"{"files":[]}"#)];
    assert_eq!(told(&nothing, &["a.ts"], &["tsc"]), [tsc_check("")]);
}

fn tsc_check(folder: &str) -> String {
    format!("tsc --noEmit --pretty false in {folder:?}")
}

fn tsc_build(folder: &str) -> String {
    format!("tsc -b --force --pretty false in {folder:?}")
}

#[test]
fn linters_that_need_a_configuration_have_one() {
    let all = ["ruff", "mypy", "pyright"];
    assert_eq!(
        told(&[], &["a.py"], &all),
        ["ruff check --output-format json --quiet a.py in \"\""]
    );
    let typed = [("pyproject.toml", "[tool.mypy]\n[tool.pyright]\n")];
    assert_eq!(told(&typed, &["a.py"], &all).len(), 3);
}

#[test]
fn a_compiler_is_told_what_the_database_has() {
    let database = r#"[
        {"directory": "", "file": "a.c", "command": "cc -DX -o a.o -c a.c"},
        {"directory": "", "file": "b.c", "arguments": ["cc", "b.c"]}
    ]"#;
    let files = [("compile_commands.json", database)];
    assert_eq!(
        told(&files, &["a.c"], &["clang"]),
        ["clang -fsyntax-only -fno-color-diagnostics -DX a.c in \"\""]
    );
    assert_eq!(told(&[], &["run.sh"], &[]), ["bash -n run.sh in \"\""]);
}

#[test]
fn what_builds_a_project_is_known() {
    let files = [
        ("Cargo.toml", ""),
        ("web/package.json", r#"{"scripts":{"build":"x"}}"#),
        ("doc/package.json", "{}"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let touched = all(&["src/a.rs", "web/a.ts", "doc/a.ts"]);
    let builds = builds(folder.path(), &touched, &|_| true);
    let told: Vec<String> = builds
        .iter()
        .map(|check| {
            format!(
                "{} {:?} {:?}",
                check.arguments.join(" "),
                check.folder,
                check.kind
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "build --workspace --keep-going --offline --quiet --message-format=json \"\" Build",
            "run --silent build \"web\" Build",
        ]
    );
}

#[test]
fn a_file_that_goes_is_checked_by_what_looks_at_all_of_the_project() {
    let files = [
        ("Cargo.toml", ""),
        ("go.mod", ""),
        ("tsconfig.json", "{}"),
        ("biome.json", "{}"),
        ("mypy.ini", ""),
    ];
    let heads = |touched: &[&str]| -> Vec<String> {
        let programs = ["cargo", "go", "tsc", "biome", "ruff", "mypy", "shellcheck"];
        let told = told(&files, touched, &programs);
        told.iter()
            .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
            .collect()
    };
    let gone = ["-a.rs", "-a.go", "-a.ts", "-a.py", "-a.sh"];
    assert_eq!(heads(&gone), ["cargo", "tsc", "go", "go"]);
    // Beside others of its kind it is not named.
    let python = told(&files, &["-a.py", "b.py", "-a.sh", "b.sh"], &["ruff"]);
    assert_eq!(
        python,
        [
            "ruff check --output-format json --quiet b.py in \"\"",
            "bash -n b.sh in \"\""
        ]
    );
}
