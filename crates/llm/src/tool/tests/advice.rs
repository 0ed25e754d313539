//! What a failed call tells the model to do next.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use serde_json::{Value, json};
use signoff_core::edit::request::Strategy;

use crate::instructions::Profile;
use crate::tool::testing::{self, Folder, save};
use crate::tool::{Registry, ToolOutput};

/// Returns a folder with one of each kind that a path can name.
fn folder() -> Folder {
    let folder = Folder::new(&[
        ("a.rs", "fn a() {}\nstatic B: u8 = 1;\n"),
        ("d/x", "1\n"),
        ("ro", "1\n"),
    ]);
    fs::create_dir_all(folder.path("empty/within")).unwrap();
    save(&folder.path("binary"), b"a\0b");
    let large = File::create(folder.path("large")).unwrap();
    large.set_len(9 << 20).unwrap();
    UnixListener::bind(folder.path("socket")).unwrap();
    symlink("/etc", folder.path("out")).unwrap();
    let mut mode = fs::metadata(folder.path("ro")).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(folder.path("ro"), mode).unwrap();
    folder
}

/// Returns a call of each tool that takes a path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let pair = json!([{ "old_text": "zzz", "new_text": "1" }]);
    let line = json!([{ "op": "replace", "startLine": 9, "endLine": 9, "content": ["q"] }]);
    let change = |strategy: &str, block: Value| {
        let change = json!({
            "file": path, "description": "d", "strategy": strategy, strategy: block,
        });
        ("apply_structured_edits", json!({ "changes": [change] }))
    };
    let patch = "@@ -1 +1 @@\n-zzz\n+1\n";
    vec![
        ("read", json!({ "path": path })),
        ("outline", json!({ "path": path })),
        (
            "edit_section",
            json!({ "path": path, "description": "d", "edits": pair }),
        ),
        (
            "edit",
            json!({ "path": path, "description": "d", "operations": line }),
        ),
        (
            "write",
            json!({ "path": path, "description": "d", "content": "q\n" }),
        ),
        (
            "execute_edit",
            json!({ "path": path, "description": "d", "content": "q\n" }),
        ),
        (
            "move",
            json!({ "path": path, "description": "d", "to": "new/deep" }),
        ),
        ("delete", json!({ "path": path, "description": "d" })),
        change("diff", json!({ "kind": "unified", "patch": patch })),
        change(
            "ast",
            json!({ "query": "(function_item) @x", "action": "delete", "language": "rust" }),
        ),
        change(
            "struct",
            json!({ "pattern": "foo(:[x])", "replacement": "bar(:[x])" }),
        ),
        change(
            "recipe",
            json!({ "name": "rename_identifier", "from": "zzz", "to": "b" }),
        ),
    ]
}

fn run(profile: Profile, tool: &str, arguments: &Value) -> ToolOutput {
    let tools = Registry::of_profile(profile);
    testing::run(&tools, tool, arguments, &folder().context())
}

/// Returns what an answer says of a failure.
fn error(output: &ToolOutput) -> String {
    let answer: Option<Value> = serde_json::from_str(&output.content).ok();
    let error = answer.and_then(|answer| Some(answer["results"][0]["error"].as_str()?.to_owned()));
    error.unwrap_or_else(|| output.content.clone())
}

/// Calls every tool of both profiles with a path; each call fails with one of these texts, or does
/// what is asked.
fn check(path: &str, expected: &[&str], done: &[&str]) {
    for profile in [Profile::Full, Profile::Small] {
        let offered = Registry::of_profile(profile).specs();
        for (tool, arguments) in calls(path) {
            if !offered.iter().any(|spec| spec.name == tool) {
                continue;
            }
            let output = run(profile, tool, &arguments);
            assert_eq!(output.ok, done.contains(&tool), "{tool} {path}: {output:?}");
            if output.ok {
                continue;
            }
            let error = error(&output);
            assert!(
                expected.iter().any(|expected| error.contains(expected)),
                "{tool} {path}: {error}"
            );
            names_only_what_is_offered(profile, tool, &error);
        }
    }
}

/// Checks that a text names no tool beyond the profile's, and no strategy where there are none.
fn names_only_what_is_offered(profile: Profile, tool: &str, text: &str) {
    let offered = Registry::of_profile(profile).specs();
    for spec in Registry::standard().specs() {
        let name = spec.name;
        let told = [
            format!("`{name}`"),
            format!("use {name}"),
            format!("{name} finds"),
        ];
        let told = told.iter().any(|told| text.contains(told.as_str()));
        let told = told || (name.contains('_') && text.contains(name));
        let known = offered.iter().any(|one| one.name == name);
        assert!(!told || known, "{profile:?} {tool}: {text}");
    }
    if tool != "apply_structured_edits" {
        for strategy in Strategy::ALL {
            let told = format!("`{strategy}`");
            assert!(!text.contains(&told), "{profile:?} {tool}: {text}");
        }
    }
}

#[test]
fn a_path_that_is_no_text_file_is_told_as_what_it_is() {
    let folder = "is a folder; name a file in it";
    check("d", &[folder], &["move"]);
    check("empty", &[folder, "without files"], &[]);
    check("empty/within", &[folder, "without files"], &[]);
    check(".", &[". is a folder", "into itself"], &[]);
    check(
        "a.rs/x/y",
        &["a.rs/x/y cannot exist: a.rs is not a folder"],
        &[],
    );
    check("socket", &["socket is a pipe, a socket or a device"], &[]);
    check("binary", &["binary: binary file"], &[]);
    check("large", &["neither read nor edited"], &[]);
    check(
        "ro",
        &["only the user can make it writable", "no outline"],
        &["read"],
    );
    check("../x", &["leads out of the workspace"], &[]);
    check("out/x", &["leads out of the workspace"], &[]);
    check(
        ".git/config",
        &["belongs to git", ".git/config does not exist"],
        &[],
    );
}

#[test]
fn a_file_that_is_not_there_is_told_with_its_neighbours_or_the_way_to_make_it() {
    check(
        "d/z",
        &["d/z does not exist; d holds x", "d/z does not exist"],
        &["write", "execute_edit", "delete"],
    );
    let read = run(Profile::Small, "read", &json!({ "path": "no/such/file" }));
    assert_eq!(
        read.content,
        "error: no/such/file does not exist; . holds a.rs, binary, d/, empty/, large, out, ro, socket"
    );
    let (_, section) = calls("d/z").swap_remove(2);
    let section = run(Profile::Small, "edit_section", &section);
    assert_eq!(
        error(&section),
        "d/z does not exist; a file is made from its whole text, or by one edit with an empty old text"
    );
    let edits = json!([{ "old_text": "", "new_text": "1\n" }]);
    let made = json!({ "path": "d/z", "description": "d", "edits": edits });
    assert!(run(Profile::Small, "edit_section", &made).ok);
}

#[test]
fn folders_that_are_not_there_are_told_without_words_of_the_system() {
    let (folder, pattern) = (
        json!({ "path": "nowhere" }),
        json!({ "path": "nowhere", "pattern": "x" }),
    );
    for (tool, arguments) in [
        ("list_dir", folder),
        ("grep", pattern.clone()),
        ("find", pattern),
    ] {
        let output = run(Profile::Full, tool, &arguments);
        assert_eq!(output.content, "error: nowhere does not exist");
    }
}

#[test]
fn a_file_is_moved_to_no_place_that_is_taken() {
    assert_eq!(move_to("binary"), "binary is there already");
    assert_eq!(move_to("large"), "large is there already");
    assert!(move_to("socket").starts_with("socket is a pipe"));
    assert!(move_to("ro").starts_with("ro is read-only"));
    assert!(move_to("a.rs/x").starts_with("a.rs/x cannot exist"));
}

fn move_to(to: &str) -> String {
    let arguments = json!({ "path": "a.rs", "description": "d", "to": to });
    let output = run(Profile::Full, "move", &arguments);
    assert!(!output.ok && output.staged.is_empty());
    error(&output)
}

/// Tells whether another way of editing is worth a try after a call.
fn misfits(tool: &str, arguments: &Value) -> bool {
    run(Profile::Full, tool, arguments).setback.is_some()
}

#[test]
fn another_way_of_editing_is_only_for_texts_that_can_be_edited() {
    for path in [
        "d", "empty", "a.rs/x", "socket", "binary", "large", "ro", "../x", "nothing", ".",
    ] {
        for (tool, arguments) in calls(path) {
            assert!(!misfits(tool, &arguments), "{tool} {path}");
        }
    }
    let fine = ["read", "outline", "move", "delete"];
    for (tool, arguments) in calls("a.rs") {
        let done = fine.contains(&tool) || arguments.to_string().contains("function_item");
        assert_eq!(misfits(tool, &arguments), !done, "{tool} {arguments}");
    }
    let elided = "fn b() {}\n// ... existing code ...\n";
    let elided = json!({ "path": "a.rs", "description": "d", "content": elided });
    assert!(misfits("write", &elided), "a guard refuses it");
}

#[test]
fn a_file_that_was_not_read_is_shown_once_to_a_model_whose_edit_does_not_fit() {
    let long = "word word word\n".repeat(1_000);
    let files = [("a.rs", "fn a() {}\nfn b() {}\n"), ("long.txt", &long)];
    let folder = Folder::new(&files);
    // Returns what the last of these calls shows.
    let unread = |calls: &[(&str, Value)]| -> Value {
        let conversation = testing::conversation().with_reads(Arc::default());
        let mut last = Value::Null;
        for (name, arguments) in calls {
            let context = folder.context_in(&conversation);
            let output = testing::run(&Registry::standard(), name, arguments, &context);
            last = serde_json::from_str(&output.content).unwrap_or_default();
        }
        last["unread"].clone()
    };
    let shown = json!([{ "file": "a.rs", "text": "    1\tfn a() {}\n    2\tfn b() {}\n" }]);
    assert_eq!(unread(&[edit_of("a.rs")]), shown);
    assert_eq!(unread(&[edit_of("a.rs"), edit_of("a.rs")]), Value::Null);
    let read = ("read", json!({ "path": "./a.rs" }));
    assert_eq!(unread(&[read, edit_of("a.rs")]), Value::Null);
    assert_eq!(unread(&[edit_of("long.txt")]), Value::Null);
}

fn edit_of(path: &str) -> (&'static str, Value) {
    let edits = json!([{ "old_text": "fn zzz() { q }", "new_text": "x" }]);
    let arguments = json!({ "path": path, "description": "d", "edits": edits });
    ("edit_section", arguments)
}
