//! Rows that are handed over: the cases, and that any text comes out once and in order.

use proptest::prelude::*;
use signoff_llm::message::CallId;
use signoff_llm::session::CallEvent;

use super::*;
use crate::theme::Role;
use crate::wrap::text_of;

/// Rows of code that may wait for colours.
const ROOM: usize = 10;

fn finished(transcript: &mut Transcript, width: usize) -> Vec<String> {
    text_of(&transcript.take_finished(width, ROOM))
}

fn begun() -> Transcript {
    let mut transcript = Transcript::new(None);
    transcript.keep_header();
    transcript
}

#[test]
fn the_header_waits_until_it_is_the_one_that_stays() {
    let mut transcript = Transcript::new(Some("built in"));
    transcript.user("go");
    assert_eq!(finished(&mut transcript, 20), Vec::<String>::new());
    assert_eq!(transcript.lay_out_unfinished(9), 3);
    transcript.set_header(Some("mine"));
    transcript.keep_header();
    assert_eq!(finished(&mut transcript, 20), ["mine", "", "› go"]);
    assert_eq!(finished(&mut transcript, 20), Vec::<String>::new());
    assert_eq!(transcript.lay_out_unfinished(9), 0);
}

#[test]
fn blocks_of_a_text_are_finished_one_by_one() {
    let mut transcript = begun();
    transcript.text("# Title\n\nThe first wor");
    assert_eq!(finished(&mut transcript, 20), Vec::<String>::new());
    transcript.text("d\n");
    assert_eq!(finished(&mut transcript, 20), ["Title"]);
    assert_eq!(transcript.lay_out_unfinished(9), 2);
    transcript.close_text();
    assert_eq!(finished(&mut transcript, 20), ["", "The first word"]);
    transcript.text("More");
    transcript.lines(vec![Row::new(Role::Text, "■ a note")]);
    assert_eq!(
        finished(&mut transcript, 20),
        ["", "More", "", "■ a note"],
        "what is handed over does not grow"
    );
}

#[test]
fn a_call_is_finished_when_it_is_answered_and_holds_what_follows() {
    let mut transcript = begun();
    let id = CallId("1".to_owned());
    transcript.call(CallEvent::Started {
        call: id.clone(),
        tool: "grep".to_owned(),
    });
    transcript.lines(vec![Row::new(Role::Text, "■ a note")]);
    assert_eq!(finished(&mut transcript, 40), Vec::<String>::new());
    assert_eq!(transcript.lay_out_unfinished(1), 1, "the last ones");
    transcript.call(CallEvent::Done {
        call: id,
        tool: "grep".to_owned(),
        ok: true,
        summary: "3 matches".to_owned(),
        took_ms: None,
    });
    assert_eq!(
        finished(&mut transcript, 40),
        ["✓ grep  3 matches", "", "■ a note"]
    );
}

#[test]
fn code_waits_for_its_colours_while_there_is_room() {
    let mut transcript = begun();
    transcript.text("See:\n\n```rust\nlet a = 1;\nlet b = 2;\n");
    assert_eq!(finished(&mut transcript, 20), ["See:", "", "  rust"]);
    transcript.text("```\n\nThat is it.\n\n");
    assert_eq!(finished(&mut transcript, 20), Vec::<String>::new());
    transcript.lay_out_unfinished(9);
    for snippet in transcript.take_uncoloured() {
        transcript.coloured(snippet.colours());
    }
    let rows = transcript.take_finished(20, ROOM);
    assert_eq!(text_of(&rows), ["  let a = 1;", "  let b = 2;"]);
    assert!(rows[0].pieces().count() > 2, "{rows:?}");

    let mut transcript = begun();
    transcript.text("```rust\n");
    transcript.text(&"call();\n".repeat(ROOM));
    assert_eq!(finished(&mut transcript, 20), ["  rust"]);
    transcript.text("call();\n");
    assert_eq!(finished(&mut transcript, 20).len(), ROOM + 1);
}

/// Pieces of texts that a model may write.
fn pieces() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        3 => "[a-c]{1,9}( [a-c]{1,9}){0,9}",
        1 => Just("\n".to_owned()),
        2 => Just("\n\n".to_owned()),
        1 => Just("\n- ".to_owned()),
        1 => Just("\n# ".to_owned()),
        1 => Just("\n```\n".to_owned()),
        1 => Just("\n| a | b |\n|---|---|\n| c | d |\n".to_owned()),
        1 => Just("\n> ".to_owned()),
    ];
    prop::collection::vec(piece, 1..24)
}

proptest! {
    #[test]
    fn all_rows_are_handed_over_once_and_in_order(
        pieces in pieces(), thinking: bool, width in 4usize..60,
    ) {
        let mut transcript = begun();
        let mut whole = begun();
        let mut rows = Vec::new();
        for piece in &pieces {
            transcript.extend(piece, thinking);
            whole.extend(piece, thinking);
            rows.extend(finished(&mut transcript, width));
        }
        rows.extend(text_of(&transcript.take_rest(width)));
        prop_assert_eq!(rows, text_of(&whole.take_rest(width)));
    }

    /// What was handed over at one width is not handed over at another.
    #[test]
    fn words_are_handed_over_once_at_any_widths(
        pieces in pieces(), thinking: bool, widths in prop::collection::vec(30usize..80, 24),
    ) {
        let mut transcript = begun();
        let mut rows = Vec::new();
        let words = |rows: &[String]| {
            let letters = |c: &char| ('a'..='d').contains(c);
            rows.concat().chars().filter(letters).collect::<String>()
        };
        for (piece, width) in pieces.iter().zip(widths) {
            transcript.extend(piece, thinking);
            rows.extend(finished(&mut transcript, width));
        }
        rows.extend(text_of(&transcript.take_rest(40)));
        let mut whole = begun();
        whole.extend(&pieces.concat(), thinking);
        prop_assert_eq!(words(&rows), words(&text_of(&whole.take_rest(40))));
    }
}
