//! Untrusted text as it is shown.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::*;
use crate::wrap;

fn check(input: &str, expected: &str) {
    assert_eq!(clean(input), expected, "{input:?}");
}

#[test]
fn writes_out_what_could_deceive() {
    check("plain text, ünïcode, 漢字", "plain text, ünïcode, 漢字");
    check("a\x1b[31mred\x1b[0m", "a␛[31mred␛[0m");
    check("bell\x07 nul\0 del\x7f", "bell␇ nul␀ del␡");
    check("\u{9b}31m", "\\u{9b}31m");
    check("abc\u{202e}fdp.exe", "abc\\u{202e}fdp.exe");
    check("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}");
    check("ad\u{200b}min", "ad\\u{200b}min");
    check("ad\u{200d}min", "ad\\u{200d}min");
    check("\u{e0041}tag", "\\u{e0041}tag");
    check("a\u{fe0f}", "a\\u{fe0f}");
    check("line\r\nline", "line␍␊line");
}

#[test]
fn writes_out_every_character_that_looks_like_nothing_or_a_blank() {
    let looks_empty = [
        0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x180b, 0x180e, 0x2000, 0x2007,
        0x200a, 0x200b, 0x200c, 0x200d, 0x2028, 0x202f, 0x205f, 0x2060, 0x2061, 0x2064, 0x2065,
        0x206f, 0x2800, 0x3000, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfff9,
        0xffff, 0x13430, 0x16fe4, 0x1bca0, 0x1d159, 0x1d173, 0xe0001, 0xe0020, 0xe0100, 0xe01ef,
        0xe0fff, 0x10ffff,
    ];
    for code in looks_empty {
        let c = char::from_u32(code).unwrap();
        check(&format!("x{c}= 1"), &format!("x\\u{{{code:x}}}= 1"));
        check(&format!("x {c} y"), &format!("x \\u{{{code:x}}} y"));
    }
}

#[test]
fn writes_out_joiners_and_selectors_that_change_nothing() {
    check("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}");
    check("❤\u{fe00}\u{e0101}", "❤\\u{fe00}\\u{e0101}");
    check("漢\u{e0100}字", "漢\\u{e0100}字");
    check("漢\u{200c}字", "漢\\u{200c}字");
    check("👩\u{200d}", "👩\\u{200d}");
    check("👩\u{200d}x", "👩\\u{200d}x");
    check("می\u{200c}\u{200d}خ", "می\\u{200c}\\u{200d}خ");
    check("1\u{fe0f}2", "1\\u{fe0f}2");
    check("\u{301}e", "\\u{301}e");
    check("\u{a0}\u{301}e", "\\u{a0}\\u{301}e");
    check("漢\u{3000}\u{3000}字", "漢\\u{3000}\\u{3000}字");
    check("x\u{3000}字", "x\\u{3000}字");
    // Marks of scripts that a letter is not of: nothing is drawn.
    check("ad\u{17d2}min", "ad\\u{17d2}min");
    check("ad\u{1039}min", "ad\\u{1039}min");
    check("漢\u{94d}字", "漢\\u{94d}字");
    check("ad\u{1161}min", "ad\\u{1161}min");
    check("═\u{e31}", "═\\u{e31}");
}

#[test]
fn keeps_what_belongs_to_letters_and_emoji() {
    for text in [
        "👩\u{200d}💻 ok",
        "❤\u{fe0f}\u{200d}🔥",
        "👨🏻\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏿",
        "🏳\u{fe0f}\u{200d}🌈 🇩🇪 1\u{fe0f}\u{20e3}",
        "❤\u{fe0f}",
        "می\u{200c}خواهم",
        "caf\u{65}\u{301} Vie\u{302}\u{323}t",
        "हिन्दी क्\u{200d}ष নমস্কার",
        "ภาษาไทย น้ำ ที่",
        "العَرَبِيَّة",
        "שָׁל֖וֹם",
        "རྒྱུད བསྒྲུབས",
        "한국어 \u{1100}\u{1161}\u{11a8}",
        "か\u{3099} Ё\u{301} ω\u{345} x\u{338} №1\u{20dd}",
        "今日は。\u{3000}明日は。",
        "ｶﾞｷﾞ",
        "a\tb",
    ] {
        check(text, text);
    }
}

#[test]
fn counts_what_comes_in_floods() {
    let marks = "\u{301}".repeat(60);
    let five = "\u{301}".repeat(5);
    check(&format!("e{marks}x"), &format!("e{five}⟨55 more marks⟩x"));
    check(&format!("e{five}\u{302}"), &format!("e{five}⟨1 more mark⟩"));
    let selectors = "\u{fe00}".repeat(3_000);
    let eight = "\\u{fe00}".repeat(8);
    check(&format!("a{selectors}b"), &format!("a{eight}⟨2992 more⟩b"));
    let jamo = "ᄀ".repeat(10);
    let some = "ᄀ".repeat(8);
    check(&jamo, &format!("{some}\\u{{1100}}\\u{{1100}}"));
}

/// With quadratic work this test would not end.
#[test]
fn floods_of_any_kind_are_linear() {
    let kinds = [
        "\u{301}",
        "e\u{301}",
        "\u{200d}",
        "👩\u{200d}",
        "\u{fe0f}",
        "\u{2800}",
        "\u{fe00}\u{fe01}",
        "ᄀ",
        "क\u{94d}",
        "क\u{94d}\u{301}",
        "\u{1f1e6}",
        "\u{600}",
        "\u{3000}",
        "漢\u{3000}",
        "❤\u{fe0f}\u{200d}",
    ];
    for kind in kinds {
        let shown = clean(&kind.repeat(50_000)).into_owned();
        assert!(!shown.is_empty(), "{kind:?}");
        assert!(wrap::width(&shown) > 0, "{kind:?}");
    }
}

#[test]
fn a_paste_keeps_lines_and_tabs_only() {
    assert_eq!(pasted("a\r\nb\rc\td\x1b[2Je"), "a\nb\nc\td␛[2Je");
    assert_eq!(pasted("c1 \u{9d} end"), "c1 \u{fffd} end");
    assert!(matches!(pasted("a\nb\tc"), Cow::Borrowed(_)));
}

/// Returns the cells that a text takes on a screen, and what is in them.
fn cells(text: &str) -> (usize, String) {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 2_000, 1));
    let (end, _) = buffer.set_stringn(0, 0, text, 2_000, Style::default());
    let mut drawn = String::new();
    let mut skip = 0;
    for x in 0..end {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let symbol = buffer[(x, 0)].symbol();
        skip = wrap::width(symbol).saturating_sub(1);
        drawn.push_str(symbol);
    }
    (usize::from(end), drawn)
}

proptest! {
    #[test]
    fn nothing_that_is_shown_is_invisible_and_its_width_is_the_cells_that_it_takes(
        text in prop_oneof![
            "\\PC{0,60}",
            "[\\x00-\\x20\u{80}-\u{ad}\u{300}-\u{310}\u{200b}-\u{202f}\u{2800}\u{3000}\u{fe00}-\u{fe0f}\u{1100}-\u{11ff}漢ｶﾞ👩❤🏻क्ष\u{600}\u{1f1e6}a-c1]{0,60}",
            "[\u{e0000}-\u{e01ef}\u{e000}\u{ffff}x]{0,20}",
        ],
    ) {
        let shown = clean(&text).replace('\t', " ");
        for (at, c) in shown.char_indices() {
            let hidden = Class::of(c) == Class::Hostile;
            prop_assert!(!hidden, "{c:?} at {at} of {shown:?}");
        }
        let (width, drawn) = cells(&shown);
        prop_assert_eq!(wrap::width(&shown), width, "{:?}", &shown);
        prop_assert_eq!(drawn, &*shown);
        prop_assert_eq!(clean(&shown), &*shown);
    }
}
