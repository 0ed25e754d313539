//! Splits text into prose, fenced blocks and envelopes of calls.
//!
//! In: text in pieces of any size. Out: text that can be shown, and blocks: fences, envelopes of the families in
//! `envelope`, objects that begin a line. Linear in the text.

use super::Lenience;
use super::envelope::{self, Envelope};
use signoff_source::clip;
use signoff_source::text::Slice as _;

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Block(Block),
}

/// A part of the text that may be a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// As it came, with what marks its begin and end.
    pub raw: String,
    /// What stands behind the marks of its beginning.
    pub info: String,
    /// What is in it.
    pub body: String,
    /// The last line before it that is not blank.
    pub before: String,
    /// True if the answer ended before the block did: its last line may be half of one.
    pub is_cut: bool,
    /// True if it stands between the marks that a template puts around calls.
    pub is_envelope: bool,
}

/// Cuts a text into parts.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    lenience: Lenience,
    /// A line that is not whole.
    line: String,
    /// How much of it was passed on.
    told: usize,
    before: String,
    open: Option<(Mark, Block)>,
    /// The fence that is passed on as text: what stands in it is quoted.
    quoted: Option<FenceMark>,
    /// True until there is something in the open block that is not blank.
    blank: bool,
}

/// What a fence begins with: at least so many of this character end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FenceMark(char, usize);

impl FenceMark {
    fn is_closed_by(self, line: &str) -> bool {
        let Self(c, count) = self;
        let line = line.trim();
        let marks = line.chars().take_while(|&found| found == c).count();
        marks >= count && line.len() == marks * c.len_utf8()
    }

    /// Takes away the marks that close a fence behind its last line, at the end of an answer. Returns whether there are any.
    fn close_late(self, body: &mut String) -> bool {
        let Self(c, count) = self;
        let end = body.trim_end();
        let marks = end.chars().rev().take_while(|found| *found == c).count();
        if marks == count {
            body.truncate(end.len() - marks * c.len_utf8());
            body.push('\n');
        }
        marks == count
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Fence(FenceMark),
    /// By the second mark of the envelope.
    Envelope(&'static Envelope),
    /// By the brace that closes the first; how many are open, and whether in a string.
    Object {
        depth: usize,
        quoted: bool,
    },
}

impl Blocks {
    /// Returns a text of which nothing has come.
    pub(super) fn new(lenience: Lenience) -> Self {
        Self {
            lenience,
            line: String::new(),
            told: 0,
            before: String::new(),
            open: None,
            quoted: None,
            blank: true,
        }
    }

    /// Takes more of the text.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        let mut out = Vec::new();
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece);
            if piece.ends_with('\n') {
                self.end_line(&mut out);
            }
        }
        if self.open.is_none() && !(self.told == 0 && may_begin(&self.line)) {
            self.tell_part(&mut out);
        }
        out
    }

    /// Ends the text; a block that is not closed counts as one.
    pub(super) fn finish(&mut self) -> Vec<Piece> {
        let mut out = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut out);
        }
        out.extend(self.open.take().map(|(mark, mut block)| {
            block.is_cut = match mark {
                Mark::Fence(fence) => !fence.close_late(&mut block.body),
                Mark::Envelope(envelope) => !envelope.close.is_empty(),
                Mark::Object { .. } => true,
            };
            Piece::Block(block)
        }));
        out
    }

    /// Passes on what has come of a line that begins no block, up to where an envelope begins in it or may begin.
    fn tell_part(&mut self, out: &mut Vec<Piece>) {
        if self.quoted.is_none()
            && let Some((at, envelope)) = envelope::begins(&self.line, self.told)
        {
            return self.begin_envelope(at, envelope, out);
        }
        let end = match self.quoted {
            None => envelope::may_begin(&self.line, self.told),
            Some(_) => self.line.len(),
        };
        tell(self.line.slice(self.told..end), out);
        self.told = end;
    }

    /// Begins an envelope in the middle of a line; what follows its mark is a line of its own.
    fn begin_envelope(&mut self, at: usize, envelope: &'static Envelope, out: &mut Vec<Piece>) {
        let inner = self.line.split_off(at + envelope.open.len());
        let line = std::mem::replace(&mut self.line, inner);
        let told = std::mem::take(&mut self.told);
        tell(line.slice(told..at), out);
        self.open_envelope(envelope);
    }

    fn open_envelope(&mut self, envelope: &'static Envelope) {
        let block = Block {
            before: std::mem::take(&mut self.before),
            raw: envelope.open.to_owned(),
            is_envelope: true,
            ..Block::default()
        };
        self.open = Some((Mark::Envelope(envelope), block));
    }

    fn end_line(&mut self, out: &mut Vec<Piece>) {
        let line = std::mem::take(&mut self.line);
        let mut told = std::mem::take(&mut self.told);
        // What follows an envelope in its line is looked at as a line.
        let mut at = 0;
        loop {
            let rest = line.slice(at..);
            if let Some((mark, block)) = self.open.take() {
                at += self.inside(mark, block, rest, out);
                told = at;
                if at == line.len() {
                    return;
                }
            } else if let Some(fence) = self.quoted {
                if fence.is_closed_by(rest) {
                    self.quoted = None;
                }
                return tell(line.slice(told..), out);
            } else if told == at && begins(rest).is_some() {
                return self.begin(rest, out);
            } else if let Some((mark, envelope)) = envelope::begins(&line, told) {
                tell(line.slice(told..mark), out);
                self.open_envelope(envelope);
                at = mark + envelope.open.len();
                told = at;
                if at == line.len() {
                    return;
                }
            } else {
                if !rest.trim().is_empty() {
                    rest.trim().clone_into(&mut self.before);
                }
                return tell(line.slice(told..), out);
            }
        }
    }

    fn begin(&mut self, line: &str, out: &mut Vec<Piece>) {
        let Some(mark) = begins(line) else { return };
        self.blank = true;
        let mut block = Block {
            before: std::mem::take(&mut self.before),
            ..Block::default()
        };
        if let Mark::Fence(FenceMark(c, _)) = mark {
            block.raw.push_str(line);
            line.trim()
                .trim_start_matches(c)
                .trim()
                .clone_into(&mut block.info);
            self.open = Some((mark, block));
        } else {
            self.inside(mark, block, line, out);
        }
    }

    /// Tells whether a fence shows by its next line that it holds no calls.
    fn is_other(&mut self, info: &str, line: &str) -> bool {
        let line = line.trim_start();
        let first = self.blank && !line.is_empty();
        self.blank &= line.is_empty();
        first && !line.starts_with(['{', '[']) && info != CODE
    }

    /// Takes a line into the open block. Returns how much of it is of the block.
    fn inside(&mut self, mark: Mark, mut block: Block, line: &str, out: &mut Vec<Piece>) -> usize {
        let mut taken = line.len();
        let next = match mark {
            Mark::Fence(fence) => (!fence.is_closed_by(line)).then(|| {
                block.body.push_str(line);
                mark
            }),
            Mark::Envelope(Envelope { close, .. }) => {
                let end = line.find(close).filter(|_| !close.is_empty());
                block.body.push_str(line.slice(..end.unwrap_or(taken)));
                if let Some(end) = end.map(|end| end + close.len())
                    && !line.slice(end..).trim().is_empty()
                {
                    taken = end;
                }
                end.is_none().then_some(mark)
            }
            Mark::Object { depth, quoted } => {
                block.body.push_str(line);
                depth_after(depth, quoted, line)
            }
        };
        block.raw.push_str(line.slice(..taken));
        match next {
            None => out.push(Piece::Block(block)),
            // But for a model without calls, only what looks like one is held back.
            Some(Mark::Fence(fence))
                if self.lenience != Lenience::Lenient && self.is_other(&block.info, line) =>
            {
                self.before = String::new();
                tell(&block.raw, out);
                self.quoted = Some(fence);
            }
            Some(mark) => self.open = Some((mark, block)),
        }
        taken
    }
}

/// What a fence of calls that are written as code begins with, behind its marks.
pub(super) const CODE: &str = "tool_code";

/// Maximum number of bytes of white space before the beginning of a block.
const MAX_INDENT: usize = 1_000;

/// Returns a line from its first character on that is not blank; nothing if that is too far in.
fn unindented(line: &str) -> Option<&str> {
    let near = clip::head(line, MAX_INDENT);
    let indent = near.len() - near.trim_start().len();
    (indent < MAX_INDENT).then(|| line.get(indent..))?
}

/// Returns what a whole line begins.
fn begins(line: &str) -> Option<Mark> {
    let start = unindented(line)?;
    for c in ['`', '~'] {
        let count = start.chars().take_while(|&found| found == c).count();
        if count >= 3 {
            // A fence within a line is code in a sentence.
            let rest = start.get(count..).unwrap_or_default();
            return (!rest.contains(c)).then_some(Mark::Fence(FenceMark(c, count)));
        }
    }
    line.starts_with("{\"").then_some(Mark::Object {
        depth: 0,
        quoted: false,
    })
}

/// Tells whether a line that is not whole may still begin a block. It is asked at every piece of a
/// line, and does not look at more than the line's beginning.
fn may_begin(line: &str) -> bool {
    let Some(start) = unindented(line) else {
        return false;
    };
    let fence = |whole: &str| whole.starts_with(start) || start.starts_with(whole);
    start.is_empty() || fence("```") || fence("~~~") || line == "{" || line.starts_with("{\"")
}

/// Returns how the object stands after a line; nothing once it is closed.
fn depth_after(mut depth: usize, mut quoted: bool, line: &str) -> Option<Mark> {
    let mut escaped = false;
    for c in line.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(Mark::Object { depth, quoted })
}

fn tell(text: &str, out: &mut Vec<Piece>) {
    if text.is_empty() {
        return;
    }
    match out.last_mut() {
        Some(Piece::Text(last)) => last.push_str(text),
        _ => out.push(Piece::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(pieces: &[&str], lenience: Lenience) -> Vec<Piece> {
        let mut blocks = Blocks::new(lenience);
        let mut all: Vec<Piece> = pieces.iter().flat_map(|piece| blocks.push(piece)).collect();
        all.extend(blocks.finish());
        let mut out = Vec::new();
        for piece in all {
            match piece {
                Piece::Text(text) => tell(&text, &mut out),
                block => out.push(block),
            }
        }
        out
    }

    fn told(text: &str, lenience: Lenience) -> Vec<String> {
        cut(&[text], lenience)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => format!("{text:?}"),
                Piece::Block(block) => {
                    format!("[{}|{}|{:?}]", block.before, block.info, block.body)
                }
            })
            .collect()
    }

    #[test]
    fn blocks_of_all_kinds() {
        check_lenient(
            "a\nb.rs:\n```rust\nfn f() {}\n```\nc",
            &[r#""a\nb.rs:\n""#, r#"[b.rs:|rust|"fn f() {}\n"]"#, r#""c""#],
        );
        check_lenient("````\n```\n````", &[r#"[||"```\n"]"#]);
        check_lenient("~~~py\nx", &[r#"[|py|"x"]"#]);
        check_lenient("<tool_call>\n{}\n</tool_call>", &[r#"[||"\n{}\n"]"#]);
        check_lenient("<tool_call>{}</tool_call>\n", &[r#"[||"{}"]"#]);
        check_lenient(
            "{\"a\": {\n\"b\": \"}\"\n}}\nok",
            &[r#"[||"{\"a\": {\n\"b\": \"}\"\n}}\n"]"#, r#""ok""#],
        );
        check_lenient("use ```x``` so", &[r#""use ```x``` so""#]);
        check_lenient("```x``` so", &[r#""```x``` so""#]);
        check_lenient("x {\"a\": 1}", &[r#""x {\"a\": 1}""#]);
        let far = " ".repeat(2_000);
        check_lenient(&format!("{far}```"), &[&format!("\"{far}```\"")]);
    }

    fn check_lenient(text: &str, expected: &[&str]) {
        assert_eq!(told(text, Lenience::Lenient), expected, "{text}");
    }

    #[test]
    fn strictly_only_objects_are_held_back() {
        let mut blocks = Blocks::new(Lenience::Strict);
        let shown = blocks.push("```rust\nfn f() {}\nfn g");
        assert_eq!(shown, [Piece::Text("```rust\nfn f() {}\nfn g".to_owned())]);
        assert_eq!(blocks.push("() {}\n```\n").len(), 1);
        let mut blocks = Blocks::new(Lenience::Lenient);
        assert_eq!(blocks.push("`code` begins a line").len(), 1);
        let mut blocks = Blocks::new(Lenience::Strict);
        assert_eq!(blocks.push("```json\n{\"name\":"), []);
        let mut blocks = Blocks::new(Lenience::Strict);
        assert_eq!(blocks.push("```\n\n  \n"), []);
        let shown = Piece::Text("```\n\n  \nx\n".to_owned());
        assert_eq!(blocks.push("x\n"), [shown]);
        let mut blocks = Blocks::new(Lenience::Strict);
        assert_eq!(blocks.push("```\n\n{\nx\n"), []);
        let mut blocks = Blocks::new(Lenience::Lenient);
        let blank = " ".repeat(MAX_INDENT);
        assert_eq!(blocks.push(&blank), [Piece::Text(blank.clone())]);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_parts_and_nothing_is_lost(
            parts in prop::collection::vec(prop::sample::select(vec![
                "```", "~~~", "\n", "<tool_call>", "</tool_call>", "{\"a\":", "}", "\"", "x", " ", "é",
            ]), 0..30),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
            strict in any::<bool>(),
        ) {
            let lenience = if strict { Lenience::Strict } else { Lenience::Lenient };
            let text = parts.concat();
            let mut cuts: Vec<usize> = cuts.iter()
                .map(|cut| text.floor_char_boundary(cut.index(text.len() + 1)))
                .collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for end in cuts.into_iter().chain([text.len()]) {
                pieces.push(&text[from..end]);
                from = end;
            }
            let whole = cut(&[&text], lenience);
            prop_assert_eq!(cut(&pieces, lenience), whole.clone());
            let raw: String = whole.into_iter().map(|piece| match piece {
                Piece::Text(text) => text,
                Piece::Block(block) => block.raw,
            }).collect();
            prop_assert_eq!(raw, text);
        }
    }
}
