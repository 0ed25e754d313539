//! tree-sitter parsers, with limits on nesting.
//!
//! In: a language and a text, and perhaps the edited tree of an earlier one. Out: a tree. A
//! thread keeps a parser for each language that it has met, so that a second text costs no
//! set-up.

pub(super) mod included;

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::{Language, remarks, stack};
use crate::budget::Budget;

/// A parser asks whether to go on after some hundred steps. It is stopped when it has asked
/// more often than this, and once more for so many bytes: ordinary texts, broken ones among
/// them, ask at most every 30 bytes.
const PATIENCE: usize = 500;
/// Bytes of text for one more such report. Attack: unclosed constructs, at each of which error recovery tries all states.
const BYTES_PER_STEP: usize = 16;
/// Budget steps charged each time a parser reports progress.
const STEPS_PER_REPORT: usize = 1_000;

/// Bytes of text that are handed to a scanner at once: it may look ahead as far as it likes, without a report.
const CHUNK: usize = 4 * 1024;
/// Chunks that are handed out, whatever the length of the text. Attack: literals without an end, each of which a scanner
/// follows to the end of the text.
const CHUNKS: usize = 2_000;
/// Times that each chunk of a text is handed out, on average, beyond those.
const LOOKS: usize = 64;

/// Trees deeper than this are not given out: [`tree_sitter::Node::parent`] recurses from the
/// root, as may who reads the tree.
const MAX_DEPTH: usize = 1_000;

/// A tree may be deep if the text has more than so many brackets within brackets, or signs without
/// the end of a statement.
const MANY: usize = 400;

/// HTML elements within elements, beyond which a text is not parsed: its scanner reads all of
/// them anew at every token.
const MAX_ELEMENTS: usize = 1_000;

/// Open brackets within each other beyond which a text is not parsed: at every error, the parser
/// looks at all that is open. Those in strings and comments are counted too.
pub(super) const MAX_BRACKETS: usize = 2_000;

/// Longer texts are parsed where there is room: where a text can be read in several ways, the
/// parser recurses as deep as the text is nested.
const MAX_ON_STACK: usize = 8 * 1024;

// A parser keeps buffers that are costly to make. Whoever parses takes one out, so that a parse within a parse has its own.
thread_local! {
    static PARSERS: RefCell<Vec<(Language, Parser)>> = const { RefCell::new(Vec::new()) };
}

/// Blocks within blocks by indentation, beyond which a text is not parsed: the scanners of
/// YAML and Python keep their indents in a buffer of fixed size and do not check its end.
const MAX_INDENTS: usize = 200;

/// Parses `text`; none if that takes more steps than a text of its length should. What the tree
/// `old`, edited to fit, has of it is taken from there. None as well where the budget runs out.
pub(super) fn parse(
    language: Language,
    text: &str,
    old: Option<&Tree>,
    budget: Option<&Budget>,
) -> Option<Tree> {
    let refused = match language {
        Language::Yaml | Language::Python => !is_shallow(text),
        Language::Html => open_elements(text) > MAX_ELEMENTS,
        _ => false,
    };
    let brackets = depths(text).map(|(_, open)| open).max().unwrap_or_default();
    if refused || brackets > MAX_BRACKETS {
        return None;
    }
    let mut parser = match take(language) {
        Some(parser) => parser,
        None => {
            let mut parser = Parser::new();
            parser.set_language(&language.grammar()?).ok()?;
            parser
        }
    };
    let shown = remarks::thinned(language, text);
    let tree = if text.len() <= MAX_ON_STACK {
        run(&mut parser, &shown, old, budget)
    } else {
        stack::with_room(|| run(&mut parser, &shown, old, budget)).flatten()
    };
    PARSERS.with_borrow_mut(|kept| kept.push((language, parser)));
    let may_be_deep = brackets > MANY || is_long_chain(text);
    tree.filter(|tree| !may_be_deep || depth_is_sane(tree))
}

fn run(
    parser: &mut Parser,
    text: &str,
    old: Option<&Tree>,
    budget: Option<&Budget>,
) -> Option<Tree> {
    let mut left = PATIENCE + text.len() / BYTES_PER_STEP;
    let mut wait = |_: &ParseState| {
        left = left.saturating_sub(1);
        let spent = budget.map_or(Ok(()), |budget| budget.spend(STEPS_PER_REPORT));
        if left == 0 || spent.is_err() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut wait);
    let mut chunks = CHUNKS + text.len() / CHUNK * LOOKS;
    let mut read = |at: usize, _| {
        chunks = chunks.saturating_sub(1);
        let end = bytes.len().min(at + CHUNK);
        bytes
            .get(at..end)
            .filter(|_| chunks > 0)
            .unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, old, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree.filter(|_| chunks > 0)
}

fn take(language: Language) -> Option<Parser> {
    PARSERS.with_borrow_mut(|kept| {
        let at = kept.iter().position(|(of, _)| *of == language)?;
        Some(kept.swap_remove(at).1)
    })
}

/// Returns whether no line is within too many blocks, each of which its indentation or a
/// marker (`- - a`) on the line of one around it opened.
fn is_shallow(text: &str) -> bool {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut deep = 0;
    for line in text.lines() {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if body.is_empty() {
            continue;
        }
        while let Some((_, markers)) = open.pop_if(|(column, _)| *column >= indent) {
            deep -= markers;
        }
        let markers = body
            .bytes()
            .filter(|byte| matches!(byte, b'-' | b'?' | b':'))
            .count();
        let markers = 1 + if markers > MAX_INDENTS / 4 {
            markers
        } else {
            0
        };
        open.push((indent, markers));
        deep += markers;
        if deep > MAX_INDENTS {
            return false;
        }
    }
    true
}

/// Returns how many HTML elements are opened and not closed, those that need not be among them.
fn open_elements(text: &str) -> usize {
    let closed = text.matches("</").count() * 2 + text.matches("/>").count();
    text.matches('<').count().saturating_sub(closed)
}

/// Returns where the first bracket is with which more are open than a parser gets to see.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let mut depths = depths(text);
    depths
        .find(|(_, open)| *open > MAX_BRACKETS)
        .map(|(at, _)| at)
}

/// Returns how many brackets are open at each that opens.
fn depths(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut open = 0_usize;
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => return None,
        }
        Some((at, open))
    })
}

/// Returns whether there are many signs without the end of a statement.
fn is_long_chain(text: &str) -> bool {
    let mut chain = 0;
    for byte in text.bytes() {
        match byte {
            b';' | b',' => chain = 0,
            b'_' | b'(' | b'[' | b'{' | b')' | b']' | b'}' => {}
            _ if byte.is_ascii_alphanumeric() => {}
            _ => chain += 1,
        }
        if chain > MANY {
            return true;
        }
    }
    false
}

fn depth_is_sane(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    loop {
        if cursor.depth() as usize > MAX_DEPTH {
            return false;
        }
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return true;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}
