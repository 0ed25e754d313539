//! Markdown as it is shown, whole and as it streams in.

use super::*;
use crate::wrap::text_of;
use proptest::prelude::*;

fn rows(text: &str, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    MarkdownLayout::new(width).extend(text, &mut rows);
    rows
}

/// Shows rows with the roles of all that is not ordinary text.
fn shown(text: &str, width: usize) -> Vec<String> {
    let piece = |(role, text): (Role, &str)| match role {
        Role::Text => text.to_owned(),
        role => format!("<{role:?}:{text}>"),
    };
    let rows = rows(text, width);
    rows.iter()
        .map(|row| row.pieces().map(piece).collect())
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(text, 40), expected, "{text:?}");
}

#[track_caller]
fn check_at(width: usize, text: &str, expected: &[&str]) {
    assert_eq!(text_of(&rows(text, width)), expected, "{text:?}");
}

#[test]
fn knows_blocks() {
    check("# Title", &["<Heading:Title>"]);
    check("#hashtag", &["#hashtag"]);
    check("> said\n> more", &["<Dim:│ >said", "<Dim:│ >more"]);
    check("---", &["<Dim:  ────────>"]);
    check("one\ntwo\n\n\nthree", &["one", "two", "", "three"]);
    check(
        "```rust\nlet **x** = `1`;\n```\nafter",
        &["<Dim:  rust>", "  <Code:let **x** = `1`;>", "after"],
    );
    check("~~~\n```\n~~~", &["  <Code:```>"]);
}

#[test]
fn knows_lists() {
    check("- item", &["<Strong:• >item"]);
    check("7. item\n8) x", &["<Strong:7. >item", "<Strong:8) >x"]);
    check(
        "- [x] done\n- [ ] open",
        &["<Strong:• [x] >done", "<Strong:• [ ] >open"],
    );
    check_at(
        16,
        "1. one two three four\n   - five six seven\n\n   eight\n2. nine",
        &[
            "1. one two three",
            "   four",
            "   • five six ",
            "     seven",
            "",
            "   eight",
            "2. nine",
        ],
    );
    check_at(
        30,
        "- a\n  ```sh\n  ls -l\n  ```\n- b",
        &["• a", "  sh", "  ls -l", "• b"],
    );
    check_at(30, "> - a\n>   b\n>\n> c", &["│ • a", "│   b", "│ ", "│ c"]);
}

#[test]
fn knows_spans_and_leaves_open_ones_alone() {
    check("a **b** `c`", &["a <Strong:b> <Code:`c`>"]);
    check(
        "*i* ~~gone~~ _j_",
        &["<Emphasis:i> <Struck:gone> <Emphasis:j>"],
    );
    check("2 * 3 ** 4 `x", &["2 * 3 ** 4 `x"]);
    check("*i* **b", &["<Emphasis:i> **b"]);
}

#[test]
fn says_where_links_lead() {
    check("[a](http://b.c)", &["<Link:a><Dim: (http://b.c)>"]);
    check("<http://b.c>", &["<Link:http://b.c>"]);
    check("![a](b.png)", &["<Dim:image: ><Link:a><Dim: (b.png)>"]);
    check(
        "[a]: http://b.c\n\ntext",
        &["<Dim:[a]: http://b.c>", "", "text"],
    );
    check(
        "a <b>c</b> <!-- d -->",
        &["a <Dim:<b>>c<Dim:</b>> <Dim:<!-- d -->>"],
    );
    check(
        "<!-- hidden\nlines -->\nx",
        &["<Dim:<!-- hidden>", "<Dim:lines -->>", "x"],
    );
}

#[test]
fn fits_tables() {
    let table = "| Name | What it does |\n|---|--:|\n| grep | finds `text` |\n| ls | lists |\n";
    check_at(
        40,
        table,
        &[
            "Name │ What it does",
            "─────┼─────────────",
            "grep │ finds `text`",
            "ls   │        lists",
        ],
    );
    let wide = "| Name | What |\n|---|---|\n| grep | finds text in all files below a folder |\n";
    check_at(
        24,
        wide,
        &[
            "Name │ What",
            "─────┼──────────────────",
            "grep │ finds text in all",
            "     │ files below a ",
            "     │ folder",
        ],
    );
    check_at(
        12,
        wide,
        &[
            "Name: grep",
            "What: finds ",
            "text in all ",
            "files below ",
            "a folder",
        ],
    );
}

#[test]
fn spaces_of_typography_are_blanks_in_prose_and_named_in_code() {
    check("« oui »\u{202f}: 10\u{a0}km", &["« oui » : 10 km"]);
    check(
        "a\u{a0}\u{a0}b `x\u{a0}y`",
        &["a \\u{a0}b <Code:`x\\u{a0}y`>"],
    );
    check(
        "a\u{1b}[31mb [c](http://\u{202e}d)",
        &["a␛[31mb <Link:c><Dim: (http://\\u{202e}d)>"],
    );
}

#[test]
fn finished_blocks_of_code_are_known() {
    let text = "see:\n\n```rust\nfn a() {}\n\n```\n```\nopen\n";
    let mut all = Vec::new();
    let mut layout = MarkdownLayout::new(40);
    layout.extend(text, &mut all);
    let [block] = layout.code() else {
        panic!("{:?}", layout.code())
    };
    assert_eq!(&text[block.source.clone()], "fn a() {}\n\n");
    assert_eq!(text_of(&all[block.rows.clone()]), ["  fn a() {}", "  "]);
    assert_eq!(block.info, "rust");
}

/// Only the last piece is laid out again, whatever the text is made of.
#[test]
fn a_long_text_is_laid_out_piece_by_piece() {
    for line in [
        "- a point\n",
        "text\n\n",
        "| a | b |\n",
        "1. a\n   - b\n",
        "> quoted\n",
    ] {
        let head = if line.starts_with('|') {
            "|a|b|\n|---|---|\n"
        } else {
            ""
        };
        let text = format!("{head}{}", line.repeat(20_000));
        let mut layout = MarkdownLayout::new(40);
        layout.extend(&text, &mut Vec::new());
        assert!(text.len() - layout.done <= LONG_PIECE, "{line:?}");
    }
}

#[test]
fn many_open_marks_are_linear() {
    for text in ["**a `b ", "[", "> ", "- ", "<", "|", "![](", "&"] {
        assert!(
            !rows(&(text.repeat(20_000) + "x"), 40).is_empty(),
            "{text:?}"
        );
    }
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_rows(
        text in "([a-c `*#~_|>!0-9.-]{0,12}|```|\\[a\\]\\(b\\)|    |- a|1. b|\\|-\\|-\\||<b>|\n|\n\n){0,20}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        width in 4usize..30,
    ) {
        let whole = rows(&text, width);
        prop_assert!(whole.iter().all(|row| row.width() <= width), "{:?}", text_of(&whole));
        let mut layout = MarkdownLayout::new(width);
        let (mut pieces, mut fixed) = (Vec::new(), 0);
        let mut at: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at.sort_unstable();
        for to in at.into_iter().chain([text.len()]).filter(|to| text.is_char_boundary(*to)) {
            pieces.truncate(fixed);
            fixed = layout.extend(&text[..to], &mut pieces);
        }
        prop_assert_eq!(text_of(&pieces), text_of(&whole));
    }

    /// What a model writes is on the screen, but for the marks of Markdown.
    #[test]
    fn no_word_is_hidden(
        words in prop::collection::vec("[a-z]{3}[0-9]{3}", 1..20),
        marks in prop::collection::vec(
            "( |\n|\n\n|\n- |\n> |\n# |\n1. |\\*\\*|`|~~|\n```\n|\\[|\\]\\(|\\)|<!-- |-->|<a href=|>|\\||\n\\|-\\|\n|\n\\[a\\]: |&|\\\\)",
            20,
        ),
    ) {
        let text: String = words.iter().zip(&marks).flat_map(|(word, mark)| [word.as_str(), mark]).collect();
        let shown = text_of(&rows(&text, 400)).join("\n");
        for word in &words {
            prop_assert!(shown.contains(word.as_str()), "{word} of {text:?} is not in {shown:?}");
        }
    }
}

#[test]
fn a_paragraph_of_many_lines_is_finished_but_for_the_last_ones() {
    let lines: String = (1..=9).map(|n| format!("line {n} is `plain`\n")).collect();
    let mut all = Vec::new();
    let mut layout = MarkdownLayout::new(40);
    assert_eq!(layout.extend(&lines, &mut all), 5);
    let open = lines.replace("line 3 is", "line 3 **is");
    let mut layout = MarkdownLayout::new(40);
    assert_eq!(layout.extend(&open, &mut Vec::new()), 0);
    assert_eq!(
        text_of(&all).last().map(String::as_str),
        Some("line 9 is `plain`")
    );
}

proptest! {
    #[test]
    fn long_paragraphs_are_the_same_in_any_pieces(
        lines in prop::collection::vec("[a-c]{1,6}( [a-c*`|_]{1,6}){0,3}|- a|a \\| b|---\\|---|", 0..24),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let text = lines.join("\n");
        let mut at: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at.sort_unstable();
        let mut grown = Vec::new();
        let mut layout = MarkdownLayout::new(20);
        let mut fixed = 0;
        for end in at.into_iter().chain([text.len()]) {
            grown.truncate(fixed);
            fixed = layout.extend(&text[..end], &mut grown);
        }
        let mut whole = Vec::new();
        super::render::render(&text, 0..text.len(), 20, &mut whole);
        prop_assert_eq!(text_of(&grown), text_of(&whole));
    }
}
