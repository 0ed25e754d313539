//! The user's text in place of the model's.

use super::*;
use crate::stage::review::DeniedLines;

fn with(text: &str) -> Option<Verdict> {
    let text = text.to_owned();
    Some(Verdict::edited(text))
}

fn statuses(engine: &mut Engine) -> Vec<HunkStatus> {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    hunks.map(|hunk| hunk.status.clone()).collect()
}

#[test]
fn denied_lines_are_kept_with_what_was_written() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two\nlog"));
    let denied = Some(DeniedLines {
        lines: vec!["+log".to_owned()],
        reason: Some("no logs".to_owned()),
    });
    let decision = rule(&mut engine, |_| {
        Some(Verdict::ApproveEdited {
            text: "two\n".to_owned(),
            denied: denied.clone(),
        })
    });
    let Decision::Done(decided) = decision else {
        panic!("{decision:?}")
    };
    let status = &decided.hunks[0].status;
    assert!(matches!(status, HunkStatus::Edited { denied: own, .. } if *own == denied));
    assert_eq!(status.denial(), Some("no logs"));
    assert_eq!(world.text("a").as_deref(), Some("1\ntwo\n3\n"));
}

#[test]
fn the_users_text_is_written_and_blamed_on_the_user() {
    let world = World::new(&[("a", "1\r\n2\r\n3\r\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two\nzwei"));
    let hunk = engine.review().unwrap()[0].hunks[0].clone();
    assert_eq!(hunk.new_text(), "two\nzwei\n");
    let decision = rule(&mut engine, |_| with("deux"));
    let Decision::Done(decided) = decision else {
        panic!("{decision:?}")
    };
    assert!(matches!(&decided.hunks[0].status, HunkStatus::Edited { text, .. } if text == "deux"));
    assert_eq!(world.text("a").as_deref(), Some("1\r\ndeux\r\n3\r\n"));
    let authors: Vec<&str> = engine
        .blame("a")
        .unwrap()
        .into_iter()
        .map(|b| b.author.as_str())
        .collect();
    assert_eq!(authors, ["before", "edited", "before"]);
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert_eq!(world.text("a").as_deref(), Some("1\r\n2\r\n3\r\n"));
}

#[test]
fn what_builds_on_an_edited_hunk_moves_along_or_says_why_not() {
    let check = |later: &str, text: &str, expected: &str, waiting: usize| {
        let world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
        let mut engine = world.process();
        propose(&mut engine, &section("a", "2", "two\nzwei"));
        propose(&mut engine, later);
        let decision = rule(&mut engine, |at| (at == 0).then(|| with(text)).flatten());
        assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
        let open = statuses(&mut engine);
        let pending = open.iter().filter(|status| **status == HunkStatus::Pending);
        assert_eq!(pending.count(), waiting, "{open:?}");
        let conflict = |status: &HunkStatus| matches!(status, HunkStatus::Conflict { reason } if reason.ends_with("which you edited"));
        assert_eq!(
            open.iter().filter(|status| conflict(status)).count(),
            1 - waiting
        );
        approve_all(&mut engine);
        assert_eq!(world.text("a").as_deref(), Some(expected));
    };
    check(
        &section("a", "8", "eight"),
        "deux\n",
        "1\ndeux\n3\n4\n5\n6\n7\neight\n9\n",
        1,
    );
    check(
        &section("a", "zwei", "ZWEI"),
        "two\n",
        "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n",
        0,
    );
    check(
        &section("a", "zwei", "ZWEI"),
        "TWO\nzwei\n",
        "1\nTWO\nZWEI\n3\n4\n5\n6\n7\n8\n9\n",
        1,
    );
    check(
        &section("a", "8", "eight"),
        "",
        "1\n3\n4\n5\n6\n7\neight\n9\n",
        1,
    );
}

#[test]
fn a_new_file_can_be_edited_and_what_has_no_text_cannot() {
    let world = World::new(&[("gone", "x\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("new", "model\n"));
    propose(&mut engine, &section("new", "model", "Model"));
    let decision = rule(&mut engine, |at| {
        (at == 0).then(|| with("mine\n")).flatten()
    });
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
    assert_eq!(world.text("new").as_deref(), Some("mine\n"));
    rule(&mut engine, |_| Some(Verdict::Deny { reason: None }));
    propose(&mut engine, r#"{"file":"gone","strategy":"delete"}"#);
    let refused = rule(&mut engine, |_| with("x"));
    assert!(matches!(refused, Decision::Refused { .. }), "{refused:?}");
    rule(&mut engine, |_| Some(Verdict::Deny { reason: None }));
    propose(&mut engine, &section("gone", "x", "y"));
    let refused = rule(&mut engine, |_| with("x"));
    assert!(
        matches!(&refused, Decision::Refused { why } if why.contains("deny the hunk instead")),
        "{refused:?}"
    );
    assert_eq!(world.text("gone").as_deref(), Some("x\n"));
}

#[test]
fn an_edited_hunk_that_builds_on_a_denied_one_is_not_said_to_be_written() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    propose(&mut engine, &section("a", "2", "3"));
    let deny = Some(Verdict::Deny { reason: None });
    let decision = rule(&mut engine, |at| match at {
        0 => deny.clone(),
        _ => with("mine\n"),
    });
    let Decision::Done(decided) = decision else {
        panic!("{decision:?}")
    };
    let last = &decided.hunks.last().unwrap().status;
    assert!(matches!(last, HunkStatus::Conflict { .. }), "{last:?}");
    assert_eq!(engine.review().unwrap().len(), 1);
    assert_eq!(world.text("a").as_deref(), Some("1\n"));
}

/// What is selected of a hunk is what stands in the file afterwards, line by line, and nothing else.
mod selected_lines {
    use proptest::prelude::*;

    use super::*;
    use crate::stage::review::LineSelectionOutcome;

    fn joined(lines: &[&str], ends: bool) -> String {
        let text = lines.join("\n");
        if ends && !lines.is_empty() {
            text + "\n"
        } else {
            text
        }
    }

    /// Returns the file's lines where these changed lines of each hunk are carried out.
    fn expected(old: &str, hunks: &[HunkView], is_selected: &dyn Fn(usize) -> bool) -> Vec<String> {
        let old: Vec<&str> = old.lines().collect();
        let (mut left, mut at) = (Vec::new(), 0);
        for hunk in hunks {
            let start = hunk.lines.iter().find_map(|line| line.old);
            let start = start.map_or(old.len(), |line| line as usize - 1).max(at);
            left.extend(old[at..start].iter().map(ToString::to_string));
            at = start;
            for index in hunk.selected_order(is_selected) {
                let line = &hunk.lines[index];
                // Context that two hunks share.
                let is_known = line.old.is_some_and(|line| (line as usize) <= at);
                if !is_known {
                    left.push(line.text.clone());
                }
                at = line.old.map_or(at, |line| at.max(line as usize));
            }
            let lines = hunk.lines.iter().filter_map(|line| line.old);
            at = lines.max().map_or(at, |line| at.max(line as usize));
        }
        left.extend(old[at..].iter().map(ToString::to_string));
        left
    }

    /// The lines that are added before `c`, `b` read as those after it, and the next hunk begins right there.
    #[test]
    fn stay_in_their_hunk_among_equal_lines() {
        let world = World::new(&[("a", "d\nd\nc\nb\na")]);
        let mut engine = world.process();
        propose(&mut engine, &whole("a", "a\nc\na\nb\nc\nb\nb"));
        let edited = |hunk: usize| Verdict::edited(["d\nd\nc\nb\n", "a\nb"][hunk].to_owned());
        rule(&mut engine, |hunk| Some(edited(hunk)));
        assert_eq!(world.text("a").as_deref(), Some("d\nd\nc\nb\nc\nb\na\nb"));
    }

    /// The model's change takes `a` away and puts it back; shown are the lines before it alone.
    #[test]
    fn leave_what_is_shown_as_kept() {
        let world = World::new(&[("a", "b\nc\nc\na\nb\nb\na")]);
        let mut engine = world.process();
        propose(&mut engine, &whole("a", "a\na\nb\nb\n"));
        rule(&mut engine, |hunk| {
            let only = (hunk == 0).then(|| Verdict::edited("c\nc\n".to_owned()));
            Some(only.unwrap_or(Verdict::Deny { reason: None }))
        });
        assert_eq!(world.text("a").as_deref(), Some("c\nc\na\nb\nb\na"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_lines_that_a_user_edited_are_what_is_written(
            old in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "e"]), 1..8),
            new in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "x", "y"]), 1..8),
            ends: (bool, bool),
            bits: u32,
        ) {
            let (old, new) = (joined(&old, ends.0), joined(&new, ends.1));
            let world = World::new(&[("a.txt", &old)]);
            let mut engine = world.process();
            propose(&mut engine, &whole("a.txt", &new));
            let views = engine.review().unwrap();
            let hunks = views.first().map_or(&[][..], |view| &view.hunks);
            let is_selected = |index: usize| bits >> (index % 32) & 1 == 1;
            let shown = expected(&old, hunks, &is_selected);
            for hunk in hunks {
                prop_assert_eq!(hunk.select_lines(|_| false), LineSelectionOutcome::Nothing);
                prop_assert_eq!(hunk.select_lines(|_| true), LineSelectionOutcome::Whole);
            }
            let decision = rule(&mut engine, |hunk| Some(match hunks[hunk].select_lines(is_selected) {
                LineSelectionOutcome::Whole => Verdict::Approve,
                LineSelectionOutcome::Nothing => Verdict::Deny { reason: None },
                LineSelectionOutcome::Part { text, .. } => Verdict::edited(text),
            }));
            prop_assert!(matches!(decision, Decision::Done(_)), "{:?}", decision);
            let left = world.text("a.txt").unwrap_or_default();
            prop_assert_eq!(left.lines().map(str::to_owned).collect::<Vec<_>>(), shown);
            // The last line ends as on the side that it is from.
            let last = hunks.last().and_then(|hunk| {
                let last = hunk.selected_order(&is_selected).last().copied();
                last.map(|index| &hunk.lines[index])
            });
            if let Some(last) = last.filter(|line| line.new.or(line.old).is_some()) {
                prop_assert!(left.is_empty() || left.ends_with('\n') == last.newline, "{:?}", left);
            }
        }
    }
}

/// `return (((` was written, and nothing had looked at it.
#[test]
fn guards_look_at_the_users_text_before_it_is_written() {
    for (text, expected) in [
        ("    return (((\n", Some("new syntax error")),
        ("<<<<<<< yours\n    return 2\n", Some("new syntax error")),
        ("    return 3\n", None),
    ] {
        let world = World::new(&[("a.py", "def f():\n    return 1\n")]);
        let mut engine = world.process();
        propose(
            &mut engine,
            &section("a.py", "    return 1", "    return 2"),
        );
        let verdict = Verdict::edited(text.to_owned());
        let rulings = [Ruling::new(&engine.review().unwrap()[0].hunks[0], verdict)];
        let found = engine.own_text_alarms(&rulings).unwrap();
        let alarms: Vec<&str> = found
            .iter()
            .flat_map(|own| &own.alarms)
            .map(String::as_str)
            .collect();
        match expected {
            Some(words) => assert!(alarms[0].contains(words), "{alarms:?}"),
            None => assert!(alarms.is_empty(), "{alarms:?}"),
        }
        // It is warned of and never refused.
        assert!(matches!(
            engine.decide(&rulings).unwrap(),
            Decision::Done(_)
        ));
    }
}
