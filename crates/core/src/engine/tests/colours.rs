//! Colours of staged lines.

use super::*;

/// Returns what is coloured in each line of the only hunk.
fn coloured(engine: &mut Engine) -> Vec<String> {
    let views = engine.review().unwrap();
    let view = views.last().unwrap();
    let colours = engine.uncoloured(view.clone()).unwrap().colours();
    let hunk = &view.hunks[0];
    let own = &colours.hunks[0];
    assert_eq!((own.hunk, own.key), (hunk.id, lines_key(&hunk.lines)));
    let each = hunk.lines.iter().zip(&own.lines).map(|(line, tokens)| {
        let said = tokens.iter().map(|token| {
            let text = &line.text[token.at.clone()];
            format!(" {text}:{:?}", token.kind)
        });
        said.collect::<String>().trim_start().to_owned()
    });
    each.collect()
}

#[test]
fn lines_are_coloured_as_parts_of_their_whole_texts() {
    let text = "/* a\n   b */\nlet c = 1;\n";
    let world = World::new(&[("a.rs", text)]);
    let mut engine = world.process();
    propose(
        &mut engine,
        &section("a.rs", "let c = 1;", "let c = \"1\";"),
    );
    let expected = [
        "/* a:Comment",
        "b */:Comment",
        "let:Keyword 1:Constant",
        "let:Keyword \"1\":String",
    ];
    assert_eq!(coloured(&mut engine), expected);
    // The second proposal is over what the first makes.
    propose(
        &mut engine,
        &section("a.rs", "let c = \"1\";", "let c = '2';"),
    );
    let expected = ["let:Keyword \"1\":String", "let:Keyword '2':String"];
    assert_eq!(coloured(&mut engine)[2..], expected);
}

#[test]
fn files_that_come_and_go_have_colours() {
    let world = World::new(&[("old.py", "def a(): pass\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("new.py", "x = 1\n"));
    assert_eq!(coloured(&mut engine), ["1:Constant"]);
    propose(&mut engine, r#"{"file":"old.py","strategy":"delete"}"#);
    assert_eq!(
        coloured(&mut engine),
        ["def:Keyword a:Function pass:Keyword"]
    );
}

#[test]
fn what_has_no_colours_says_why_where_that_is_not_plain() {
    let long = "let a = 1;\n".repeat(150_000);
    let world = World::new(&[("a.rs", &long), ("a.txt", "a\n")]);
    let mut engine = world.process();
    let mut colours = |file: &str, change: &str| {
        propose(&mut engine, change);
        let views = engine.review().unwrap();
        let view = views.iter().find(|view| view.path == file).unwrap();
        engine.uncoloured(view.clone()).unwrap().colours()
    };
    let off = colours(
        "a.rs",
        r#"{"file":"a.rs","lines":{"operations":[{"op":"insert","afterLine":0,"content":["x"]}]}}"#,
    );
    assert_eq!(
        off.off.as_deref(),
        Some("no colours: the file has more than 1.5 MB")
    );
    let plain = colours("a.txt", &section("a.txt", "a", "b"));
    assert_eq!((plain.off, plain.hunks.len()), (None, 0));
}
