//! Colours of staged code: what the pieces of a proposal's lines are.
//!
//! In: a proposal. Out: the text below it and the one that it makes, and without the lock, from the trees of both, the
//! tokens of each line that its hunks show. A tree of a whole text tells a string from code where the lines alone do not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde::Serialize;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::line::DiffLine;
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::id::{HunkId, ProposalId};
use crate::stage::proposal::layer::Layer;
use crate::stage::review::{HunkView, ProposalView};
use crate::syntax::tokens::{Token, tokens};
use crate::syntax::{Language, MAX_PARSE_BYTES, SyntaxCache};
use crate::text::Source;

/// What is to be coloured.
#[derive(Debug)]
pub struct Uncoloured {
    view: ProposalView,
    language: Option<Language>,
    before: Option<Source>,
    after: Option<Source>,
    syntax: SyntaxCache,
}

/// The colours of a proposal's lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeColours {
    /// The proposal.
    pub proposal: ProposalId,
    /// Each of its hunks that has lines.
    pub hunks: Vec<HunkColours>,
    /// Why there are none, if a language is known and that is not to be expected.
    pub off: Option<String>,
}

/// The colours of a hunk's lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HunkColours {
    /// The hunk.
    pub hunk: HunkId,
    /// Tells whether the hunk has still the lines that these are for: [`lines_key`] of them.
    pub key: u64,
    /// For each line its tokens, in bytes of the line.
    pub lines: Vec<Vec<Token>>,
}

/// Returns a number that lines have and others hardly.
pub fn lines_key(lines: &[DiffLine]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for line in lines {
        (line.old, line.new, &line.text).hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns what is needed for the colours of a proposal as it is shown. Lines that are not there any more stay plain.
pub(in crate::engine) fn uncoloured(
    overlay: &Overlay,
    syntax: &SyntaxCache,
    view: ProposalView,
) -> Result<Uncoloured, EngineError> {
    let own = |layer: &Layer| layer.proposal() == view.id;
    let stack = overlay
        .key_of(&view)
        .and_then(|key| overlay.stage.stacks.get(key));
    let (mut before, mut after) = (None, None);
    if let Some(stack) = stack.filter(|stack| stack.layers.iter().any(own)) {
        before = stack.base.clone();
        for layer in &stack.layers {
            after = layer.apply(before.as_ref())?;
            if own(layer) {
                break;
            }
            before.clone_from(&after);
        }
    }
    let name = WorkspacePath::parse(&view.path, &overlay.root).ok();
    Ok(Uncoloured {
        language: name.as_ref().and_then(Language::of),
        view,
        before,
        after,
        syntax: syntax.clone(),
    })
}

impl Uncoloured {
    /// Finds the colours; takes as long as it takes to parse both texts.
    pub fn colours(&self) -> CodeColours {
        let mut colours = CodeColours {
            proposal: self.view.id,
            hunks: Vec::new(),
            off: None,
        };
        let Some(language) = self.language else {
            return colours;
        };
        let texts = [&self.before, &self.after].map(|text| text.as_ref()?.text().ok());
        let longest = texts.iter().flatten().map(|text| text.len()).max();
        if longest.unwrap_or_default() > MAX_PARSE_BYTES {
            let megabytes = MAX_PARSE_BYTES as f64 / 1e6;
            colours.off = Some(format!("no colours: the file has more than {megabytes} MB"));
            return colours;
        }
        let hunks = self.view.hunks.iter().filter(|hunk| !hunk.lines.is_empty());
        let hunks: Vec<&HunkView> = hunks.collect();
        let [old, new] = [(texts[0], true), (texts[1], false)].map(|(text, is_old)| {
            let shown: Vec<&[DiffLine]> = hunks.iter().map(|hunk| hunk.lines.as_slice()).collect();
            TokenizedText::new((&self.syntax, language), text?, &shown, |line| {
                if is_old { line.old } else { line.new }
            })
        });
        for hunk in hunks {
            let lines = hunk.lines.iter().map(|line| {
                let new = line
                    .new
                    .and_then(|number| new.as_ref()?.of(number, &line.text));
                new.or_else(|| {
                    line.old
                        .and_then(|number| old.as_ref()?.of(number, &line.text))
                })
                .unwrap_or_default()
            });
            colours.hunks.push(HunkColours {
                hunk: hunk.id,
                key: lines_key(&hunk.lines),
                lines: lines.collect(),
            });
        }
        colours
    }
}

/// Returns the tokens of lines of a text, by their old numbers; none of a text that is too large.
pub(super) fn tokens_of(
    (syntax, language): (&SyntaxCache, Language),
    text: &Source,
    lines: &[DiffLine],
) -> Vec<Vec<Token>> {
    let text = text.text().ok();
    let text = text.filter(|text| text.len() <= MAX_PARSE_BYTES);
    let read =
        text.and_then(|text| TokenizedText::new((syntax, language), text, &[lines], |own| own.old));
    let Some(read) = read else {
        return Vec::new();
    };
    let tokens = lines
        .iter()
        .map(|line| line.old.and_then(|old| read.of(old, &line.text)));
    // A line that is not there any more has none.
    tokens
        .map(|own| own.into_iter().flatten().collect())
        .collect()
}

/// A text before or after the change, with the tokens of what is shown of it.
struct TokenizedText<'a> {
    text: &'a str,
    /// Where each line begins.
    starts: Vec<usize>,
    tokens: Vec<Token>,
}

impl<'a> TokenizedText<'a> {
    fn new(
        (syntax, language): (&SyntaxCache, Language),
        text: &'a str,
        shown: &[&[DiffLine]],
        number: impl Fn(&DiffLine) -> Option<u32>,
    ) -> Option<Self> {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let ranges = shown.iter().filter_map(|lines| {
            let mut numbers = lines.iter().filter_map(&number);
            let first = numbers.next()?;
            let last = numbers.next_back().unwrap_or(first);
            Some(start_of(&starts, text, first.saturating_sub(1))..start_of(&starts, text, last))
        });
        let ranges: Vec<Range<usize>> = ranges.collect();
        let parsed = syntax.parse(language, text)?;
        let tokens = tokens(language, &parsed, &ranges);
        Some(Self {
            text,
            starts,
            tokens,
        })
    }

    /// Returns the tokens of a line, if the text has it there.
    fn of(&self, number: u32, line: &str) -> Option<Vec<Token>> {
        let start = *self.starts.get(number.checked_sub(1)? as usize)?;
        let end = start + line.len();
        if self.text.get(start..end)? != line {
            return None;
        }
        let first = self.tokens.partition_point(|token| token.at.end <= start);
        let own = self.tokens.iter().skip(first);
        let own = own.take_while(|token| token.at.start < end);
        let within = own.map(|token| Token {
            at: token.at.start.max(start) - start..token.at.end.min(end) - start,
            kind: token.kind,
        });
        Some(within.collect())
    }
}

fn start_of(starts: &[usize], text: &str, number: u32) -> usize {
    starts.get(number as usize).copied().unwrap_or(text.len())
}
