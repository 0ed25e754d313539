//! Conflicts that the user resolves with a text of both.

use super::*;

#[test]
fn a_text_made_of_both_takes_the_place_of_what_clashes() {
    let (base, left, now) = ("1\n2\n3\n", "1\ntwo\n3\n", "1\nmine\n3\n");
    let (folder, mut engine) = world(&[("a", None, None, bytes(now))]);
    let staged = run(&mut engine, &[("a", found(bytes(base)), bytes(left))]);
    assert_eq!(statuses(&mut engine), ["modify a conflict"]);
    let text = "mine and two\n".to_owned();
    let verdict = Verdict::edited(text);
    let decision = rule(&mut engine, "conflict", &verdict);
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
    let both = "1\nmine and two\n3\n".to_owned();
    assert_eq!(tree(&folder), [("a".to_owned(), both)]);
    assert!(engine.history(Some("a")).unwrap()[0].edited);
    let undone = engine
        .take_back(&RevertTarget::Changeset {
            changeset: staged.changeset.unwrap(),
        })
        .unwrap();
    assert!(undone.written, "{undone:?}");
    assert_eq!(tree(&folder), [("a".to_owned(), now.to_owned())]);
}

#[test]
fn what_changed_again_since_is_not_resolved() {
    let (base, left, now) = ("1\n2\n3\n", "1\ntwo\n3\n", "1\nmine\n3\n");
    let (folder, mut engine) = world(&[("a", None, None, bytes(now))]);
    run(&mut engine, &[("a", found(bytes(base)), bytes(left))]);
    put(&folder, "a", bytes("1\nmine again\n3\n"));
    let text = "mine and two\n".to_owned();
    let decision = rule(&mut engine, "conflict", &Verdict::edited(text));
    assert!(!matches!(decision, Decision::Done(_)), "{decision:?}");
}
