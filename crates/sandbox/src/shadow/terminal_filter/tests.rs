//! What passes to a terminal and what is undone, for each kind of sequence.

use super::*;

fn passed(text: &str) -> String {
    let mut filter = TerminalFilter::new(false);
    String::from_utf8_lossy(filter.pass(text.as_bytes())).into_owned()
}

#[test]
fn what_reaches_beyond_the_screen_does_not_pass() {
    for text in [
        // The clipboard, palettes, titles, links, folders, notifications, images.
        "\x1b]52;c;cm0gLXJm\x07",
        "\x1b]52;c;?\x1b\\",
        "\x1b]4;1;#ff0000\x07",
        "\x1b]10;red\x07\x1b]11;?\x07\x1b]12;red\x07\x1b]104\x07",
        "\x1b]0;title\x07\x1b]2;title\x1b\\",
        "\x1b]7;file:///x\x07\x1b]8;;http://x\x07\x1b]8;;\x07\x1b]9;x\x07",
        "\x1b]133;A\x07\x1b]777;notify;a;b\x07\x1b]1337;File=x:AAAA\x07",
        // Control strings, with what passes through tmux, sequences inside included.
        "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\",
        "\x1bP+q544e\x1b\\\x1bP$qm\x1b\\\x1bPq#0\x1b\\",
        "\x1b_Ga=T;AAAA\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\",
        // What the terminal answers by typing, or does to its window or printer.
        "\x05\x1bZ\x1b[>c\x1b[=c\x1b[>q\x1b[6n\x1b[?6n\x1b[?15n\x1b[?u\x1b[?2026$p\x1b[x",
        "\x1b[21t\x1b[8;9;9t\x1b[2t\x1b[22;0t\x1b[23;0t\x1b[5i\x1b[4i",
        "\x1b[1;1;1;1;1;1*y\x1b[2$x\x1b[1q",
        // Modes and character sets that nobody undoes.
        "\x1b[?3h\x1b[?69h\x1b[?2031h\x1b[?1s\x1b[?1r\x1b[20h\x1b[2h\x1b[g\x1bH\x1b#8",
        "\x1b%@\x1b(A\x1b*0\x1bn\x1bo\x1bN\x1bO\x1b[4;1s",
        // The same in eight bits.
        "\u{9b}21t\u{9d}52;c;eA==\u{9c}\u{90}x\u{9c}\u{85}",
    ] {
        let left = passed(text);
        assert!(
            !left.contains(['\x1b', '\x05', '\x07', '\u{9b}', '\u{9d}']),
            "{text:?}: {left:?}"
        );
    }
    let mut filter = TerminalFilter::new(false);
    let left = filter.pass(b"\x9b21t\x9d52;c;eA==\x9c").to_vec();
    assert!(!left.contains(&0x9b) && !left.contains(&0x9d), "{left:?}");
}

#[test]
fn what_draws_a_screen_passes_as_it_is() {
    for text in [
        "text, täxt, 文, \u{1f600}\r\n\tx\x08\x07",
        "\x1b[1;38;5;3m\x1b[38:2:0:1:2:3m\x1b[4:3m\x1b[0m",
        "\x1b[5A\x1b[10;20H\x1b[2J\x1b[0K\x1b[3L\x1b[2M\x1b[4P\x1b[1@\x1b[2S\x1b[2T\x1b[3d\x1b[4G\x1b[5X",
        "\x1b[2;10r\x1b7\x1b8\x1bM\x1bD\x1bE\x1b[s\x1b[u\x1b=\x1b>\x1b(0\x0e\x0f\x1b(B",
        "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1006h\x1b[>4;2m\x1b[>1u\x1b[2 q\x1b[!p",
    ] {
        assert_eq!(passed(text), text);
    }
}

#[test]
fn what_was_changed_is_undone_and_nothing_else() {
    for (text, undo) in [
        ("text\r\n", ""),
        ("\x1b[31mred", "\x1b[0m"),
        (
            "\x1b[?1049h\x1b[?25l\x1b[?1000;1006h",
            "\x1b[?25h\x1b[?1000l\x1b[?1006l\x1b[?1049l",
        ),
        ("\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", ""),
        (
            "\x1b[?7l\x1b[?6h\x1b[3;4r",
            "\x1b[?6l\x1b[?7h\x1b7\x1b[r\x1b8",
        ),
        (
            "\x1b(0\x1b[4h\x1b=\x1b[5 q",
            "\x1b[4l\x1b>\x1b(B\x1b)B\x0f\x1b[0 q",
        ),
        ("\x0e", "\x1b(B\x1b)B\x0f"),
        ("\x1b[>4;1m", "\x1b[>4m"),
        (
            "\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>7u",
            "\x1b[<2u\x1b[?1049l\x1b[<1u",
        ),
        // More than the program put there is not taken.
        ("\x1b[>1u\x1b[<9u\x1b[<u", ""),
        ("\x1b[=5;1u", "\x1b[<1u"),
        // Also where it is all asked for at once, and where it was cut short.
        ("\x1b[?1049h\x1bc", ""),
        ("\x1b[?2004h\x1b]52;c;never ended", "\x1b[?2004l"),
    ] {
        let mut filter = TerminalFilter::new(false);
        filter.pass(text.as_bytes());
        assert_eq!(String::from_utf8_lossy(filter.undo()), undo, "{text:?}");
        assert_eq!(filter.undo(), b"", "{text:?}");
    }
}

#[test]
fn sequences_may_be_split_anywhere() {
    let text =
        "a\x1b]52;c;eA==\x07b\x1b[31mc\u{1f600}\x1b[?1049hd\x1bPq\x1b]0;x\x07\x1b\\e\u{9b}21tf";
    let whole = passed(text);
    let mut filter = TerminalFilter::new(false);
    let each = text.as_bytes().iter();
    let parts: Vec<u8> = each
        .flat_map(|byte| filter.pass(&[*byte]).to_vec())
        .collect();
    assert_eq!(String::from_utf8_lossy(&parts), whole);
}

#[test]
fn a_question_is_answered_without_the_terminal_and_not_for_ever() {
    let mut filter = TerminalFilter::new(false);
    assert_eq!(filter.pass(b"\x1b[c\x1b[5n"), b"");
    assert_eq!(filter.answers(), b"\x1b[?62;22c\x1b[0n");
    assert_eq!(filter.answers(), b"");
    filter.pass("\x1b[c".repeat(1000).as_bytes());
    assert!(filter.answers().len() < 200);
}

#[test]
fn where_the_cursor_is_may_be_asked_by_who_reads_the_answer() {
    let mut filter = TerminalFilter::new(true);
    assert_eq!(filter.pass(b"\x1b[6n\x1b[?6n"), b"\x1b[6n");
    assert_eq!(filter.asked(), 1);
    let mut replies = Replies::default();
    assert_eq!(replies.take(b"a\x1b[12;"), 0);
    assert_eq!(replies.take(b"3Rb"), 1);
}
