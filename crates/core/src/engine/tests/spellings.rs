//! Texts and names in decomposed Unicode, as macOS and some editors write them, asked for in composed Unicode as models write.

use super::*;

const PARTS: &str = "cafe\u{301}";
const COMPOSED: &str = "caf\u{e9}";

#[test]
fn a_decomposed_text_is_found_and_the_rest_of_it_keeps_its_bytes() {
    let file = format!("title = \"{PARTS}\"\nsize = 1\n# {PARTS}\nend\n");
    for (old, new, after) in [
        (
            format!("title = \"{COMPOSED}\"\nsize = 1"),
            format!("title = \"{COMPOSED}\"\nsize = 2"),
            file.replace("size = 1", "size = 2"),
        ),
        (
            format!("# {COMPOSED}\nend\n"),
            format!("# {COMPOSED}\nmore = \"{COMPOSED}\"\nend\n"),
            file.replace("end\n", &format!("more = \"{COMPOSED}\"\nend\n")),
        ),
        // The word itself changes.
        (
            format!("title = \"{COMPOSED}\"\nsize = 1\n"),
            "title = \"caf\u{e8}\"\nsize = 1\n".to_owned(),
            file.replacen(PARTS, "caf\u{e8}", 1),
        ),
    ] {
        let folder = World::new(&[("a.conf", &file)]);
        let mut engine = folder.process();
        let answer = propose(&mut engine, &section("a.conf", &old, &new));
        assert_eq!(
            text_of(&mut engine, "a.conf"),
            Some(after),
            "{old}: {answer:?}"
        );
    }
}

#[test]
fn a_name_in_another_spelling_is_the_file_that_is_there() {
    let (there, asked) = (
        format!("docs/{PARTS}/{PARTS}.md"),
        format!("docs/{COMPOSED}/{COMPOSED}.md"),
    );
    for (there, asked) in [(&there, &asked), (&asked, &there)] {
        let folder = World::new(&[(there, "one\n")]);
        let mut engine = folder.process();
        propose(&mut engine, &whole(asked, "two\n"));
        approve_all(&mut engine);
        assert_eq!(folder.text(there).as_deref(), Some("two\n"));
        assert_eq!(folder.text(asked), None);
        propose(&mut engine, &section(asked, "two", "three"));
        assert_eq!(text_of(&mut engine, asked).as_deref(), Some("three\n"));
    }
}

#[test]
fn a_new_name_and_one_of_two_alike_are_as_written() {
    let (parts, composed) = (format!("{PARTS}.md"), format!("{COMPOSED}.md"));
    let folder = World::new(&[(&parts, "parts\n"), (&composed, "composed\n")]);
    let mut engine = folder.process();
    assert_eq!(text_of(&mut engine, &parts).as_deref(), Some("parts\n"));
    assert_eq!(
        text_of(&mut engine, &composed).as_deref(),
        Some("composed\n")
    );
    propose(&mut engine, &whole("\u{fc}ber/neu.md", "x\n"));
    approve_all(&mut engine);
    assert_eq!(folder.text("\u{fc}ber/neu.md").as_deref(), Some("x\n"));
    // A staged file is there as well.
    propose(&mut engine, &whole("\u{e4}.md", "x\n"));
    propose(&mut engine, &whole("a\u{308}.md", "y\n"));
    approve_all(&mut engine);
    assert_eq!(folder.text("\u{e4}.md").as_deref(), Some("y\n"));
}
