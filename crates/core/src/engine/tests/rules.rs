//! Rules of instructions, as the engine enforces them.

use super::*;
use crate::edit::guard::Guard;
use crate::stage::review::Proposer;

/// Proposes as a model does; returns the errors and warnings by rules.
fn by_model(engine: &mut Engine, changes: &str) -> (bool, Vec<String>) {
    let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
    let proposer = Proposer::Model {
        name: "m".to_owned(),
    };
    let origin = Origin {
        proposer,
        ..Origin::default()
    };
    let answer = engine.propose(SubmittedPayload {
        payload,
        origin,
        changeset: None,
        only: None,
    });
    let answer = answer.unwrap();
    let errors = answer.results.iter().filter_map(|own| own.error.clone());
    let errors = errors.filter(|error| error.contains("rule"));
    (answer.staged, errors.collect())
}

const RULES: &str = "# Rules\n\n- Never edit `gen/**`.\n- No new dependencies.\n- Be kind.\n";

fn move_to(file: &str, to: &str) -> String {
    serde_json::json!({"file": file, "strategy": "move", "move": {"to": to}}).to_string()
}

fn delete(file: &str) -> String {
    serde_json::json!({"file": file, "strategy": "delete"}).to_string()
}

#[test]
fn what_a_rule_forbids_is_refused_with_its_line() {
    let world = World::new(&[
        ("AGENTS.md", RULES),
        ("gen/a.txt", "a\n"),
        ("b.txt", "b\n"),
        ("Cargo.toml", "[dependencies]\nx = \"1\"\n"),
    ]);
    let engine = &mut world.process();
    let of_gen = "a rule forbids it: AGENTS.md:3: Never edit `gen/**`; leave it, and tell the user";
    for changes in [
        section("gen/a.txt", "a", "c"),
        whole("gen/new.txt", "n\n"),
        move_to("gen/a.txt", "a.txt"),
        move_to("b.txt", "gen/b.txt"),
        delete("gen/a.txt"),
        // One change that is forbidden keeps the payload from being staged.
        format!(
            "{},{}",
            section("b.txt", "b", "c"),
            section("gen/a.txt", "a", "c")
        ),
    ] {
        let (staged, errors) = by_model(engine, &changes);
        assert!(!staged, "{changes}");
        assert_eq!(errors, [of_gen], "{changes}");
    }
    let (staged, errors) = by_model(engine, &section("Cargo.toml", "\"1\"", "\"1\"\ny = \"1\""));
    let of_dependencies =
        "a rule forbids it: AGENTS.md:4: No new dependencies. (y); leave it, and tell the user";
    assert_eq!((staged, errors), (false, vec![of_dependencies.to_owned()]));
    let others = format!(
        "{},{}",
        section("b.txt", "b", "c"),
        section("Cargo.toml", "1", "2")
    );
    assert_eq!(by_model(engine, &others), (true, Vec::new()));
}

#[test]
fn an_edit_of_the_rules_that_waits_lifts_none() {
    let world = World::new(&[("AGENTS.md", RULES), ("gen/a.txt", "a\n")]);
    let engine = &mut world.process();
    let lifted = section("AGENTS.md", "- Never edit `gen/**`.\n", "");
    assert!(by_model(engine, &lifted).0);
    let edit = section("gen/a.txt", "a", "c");
    assert!(!by_model(engine, &edit).0);
    rule(engine, |_| Some(Verdict::Approve));
    assert!(by_model(engine, &edit).0);
}

#[test]
fn rules_of_inner_folders_and_of_other_files_hold() {
    let world = World::new(&[
        ("CLAUDE.md", "Never add `todo!`."),
        ("a/AGENTS.md", "Never edit `x.txt`."),
        ("a/b/x.txt", "x\n"),
        ("x.txt", "x\n"),
        ("c.rs", "fn c() {}\n"),
    ]);
    let engine = &mut world.process();
    assert!(!by_model(engine, &section("a/b/x.txt", "x", "y")).0);
    assert!(by_model(engine, &section("x.txt", "x", "y")).0);
    assert!(!by_model(engine, &section("c.rs", "{}", "{ todo!() }")).0);
}

#[test]
fn what_the_user_proposes_is_staged_and_needs_a_look() {
    let world = World::new(&[("AGENTS.md", RULES), ("gen/a.txt", "a\n")]);
    let engine = &mut world.process();
    let answer = propose(engine, &section("gen/a.txt", "a", "c"));
    assert!(answer.staged);
    let warnings: Vec<_> = answer.results[0]
        .warnings
        .iter()
        .map(|own| own.guard)
        .collect();
    assert_eq!(warnings, [Guard::Rule]);
    let views = engine.review().unwrap();
    let note = views.iter().find_map(|view| view.held.clone());
    assert_eq!(
        note.as_deref(),
        Some("a rule forbids it: AGENTS.md:3: Never edit `gen/**`.")
    );
}

#[test]
fn a_rule_is_proposed_where_the_instructions_are() {
    for (files, file, expected) in [
        (
            vec![],
            "AGENTS.md",
            "## Rules\n\n- Be kind.\n- Never edit `a`.\n",
        ),
        (
            vec![("CLAUDE.md", "# Project\r\n\r\ntext\r\n")],
            "CLAUDE.md",
            "# Project\r\n\r\ntext\r\n\r\n## Rules\r\n\r\n- Be kind.\r\n- Never edit `a`.\r\n",
        ),
        (
            vec![("AGENTS.md", "# Rules\n- x\n# Other"), ("CLAUDE.md", "y\n")],
            "AGENTS.md",
            "# Rules\n- x\n- Be kind.\n- Never edit `a`.\n# Other",
        ),
    ] {
        let world = World::new(&files);
        let engine = &mut world.process();
        for rule in ["Be kind.", "Never edit `a`."] {
            let answer = engine.propose_rule(rule).unwrap().unwrap();
            assert!(answer.staged, "{answer:?}");
        }
        assert_eq!(
            engine.propose_rule("Be kind.").unwrap(),
            None,
            "it is there"
        );
        let edit = whole("a", "x\n");
        assert_eq!(by_model(engine, &edit).1, Vec::<String>::new(), "it waits");
        approve_all(engine);
        assert_eq!(world.text(file).as_deref(), Some(expected));
        assert!(by_model(engine, &whole("a", "y\n")).1[0].contains("Never edit `a`; leave it"));
    }
}
