//! One name renamed in several files by one payload.

use super::*;

fn rename(file: &str) -> String {
    format!(
        r#"{{"file":"{file}","recipe":{{"name":"rename_identifier","from":"load","to":"fetch_it"}}}}"#
    )
}

#[test]
fn importing_files_follow_the_definition_and_others_are_left_and_named() {
    let files = [
        (
            "src/main.rs",
            "mod a;\nuse a::load;\nfn main() { load(); a::load(); }\n",
        ),
        ("src/a.rs", "pub fn load() {}\n"),
        ("src/b.rs", "use other::load;\nfn f() { load() }\n"),
    ];
    let world = World::new(&files);
    let mut engine = world.process();
    let changes = files.map(|(path, _)| rename(path)).join(",");
    let answer = propose(&mut engine, &changes);
    let statuses: Vec<Status> = answer.results.iter().map(|result| result.status).collect();
    assert_eq!(
        statuses,
        [Status::Staged, Status::Staged, Status::Left],
        "{answer:?}"
    );
    let note = "src/b.rs is left as it is: `load` on line 1 is imported from `other`";
    for view in engine.review().unwrap() {
        assert!(
            view.note.as_ref().unwrap().starts_with(note),
            "{:?}",
            view.note
        );
    }
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    let main = "mod a;\nuse a::fetch_it;\nfn main() { fetch_it(); a::fetch_it(); }\n";
    assert_eq!(world.text("src/main.rs").as_deref(), Some(main));
    assert_eq!(world.text("src/b.rs").as_deref(), Some(files[2].1));
}

#[test]
fn companions_are_read_as_earlier_changes_of_the_payload_leave_them() {
    let world = World::new(&[
        ("Cargo.toml", "[package]\nname = \"own-name\"\n"),
        ("tests/a.rs", "use own_name::load;\nfn f() { load() }\n"),
        ("src/lib.rs", "pub fn other() {}\n"),
    ]);
    let mut engine = world.process();
    let defined =
        r#"{"file":"src/lib.rs","section":{"edits":[{"old_text":"other","new_text":"load"}]}}"#;
    let changes = [defined, &rename("tests/a.rs"), &rename("src/lib.rs")].join(",");
    let answer = propose(&mut engine, &changes);
    let is_staged = |result: &FileAnswer| result.status == Status::Staged;
    assert!(answer.results.iter().all(is_staged), "{answer:?}");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    let users = "use own_name::fetch_it;\nfn f() { fetch_it() }\n";
    assert_eq!(world.text("tests/a.rs").as_deref(), Some(users));
    let library = "pub fn fetch_it() {}\n";
    assert_eq!(world.text("src/lib.rs").as_deref(), Some(library));
}

#[test]
fn an_importing_file_alone_is_refused() {
    let world = World::new(&[("x.py", "from pkg.mod import load\nload()\n")]);
    let mut engine = world.process();
    let answer = propose(&mut engine, &rename("x.py"));
    assert_eq!(answer.results[0].status, Status::Refused);
    assert!(
        answer.results[0]
            .error
            .as_ref()
            .unwrap()
            .contains("imported from `pkg.mod`")
    );
}
