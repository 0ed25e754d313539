//! TypeScript and JavaScript: two texts of which oxc's parser makes the same program.
//!
//! In: two texts that differ in blanks and commas alone. Out: their comments, if both are accepted and are the same
//! program, as a module and as a script as far as either accepts them. Where a statement ends without a semicolon the
//! parser has decided. Text between JSX tags is compared as it is rendered: lines trimmed and joined.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_parser::config::TokensParserConfig;
use oxc_parser::{Kind, ParseOptions, Parser, ParserReturn};
use oxc_span::{ContentEq, SourceType};

use super::Comments;
use crate::syntax::Language;
use crate::syntax::precise::{is_flat, is_flat_script};
use crate::text::Slice;

/// Comments of HTML, which a script has and a module has not: what is one is told from the text.
const HTML_COMMENTS: [&str; 2] = ["<!--", "-->"];

/// Reads both texts.
pub(super) fn same_program(language: Language, before: &str, after: &str) -> Option<Comments> {
    let is_flat = |text| is_flat(text) && is_flat_script(text);
    if !is_flat(before) || !is_flat(after) || html_comments(before) != html_comments(after) {
        return None;
    }
    let mut comments = None;
    for form in forms(language) {
        // What is no program in a form before says nothing in it afterwards.
        if let Some(same) = same_in_form(form, before, after)? {
            comments = Some(same);
        }
    }
    comments
}

fn html_comments(text: &str) -> [usize; HTML_COMMENTS.len()] {
    HTML_COMMENTS.map(|sign| text.matches(sign).count())
}

/// Returns what a text may be taken for.
fn forms(language: Language) -> [SourceType; 2] {
    match language {
        Language::TypeScript => [SourceType::ts(), SourceType::ts().with_script(true)],
        Language::Tsx => [SourceType::tsx(), SourceType::tsx().with_script(true)],
        _ => [
            SourceType::mjs().with_jsx(true),
            SourceType::script().with_jsx(true),
        ],
    }
}

/// Returns the comments; nothing within if the first text is no program in this form, none if both are not the same.
fn same_in_form(form: SourceType, before: &str, after: &str) -> Option<Option<Comments>> {
    let allocator = Allocator::default();
    let Some(old) = parsed(&allocator, form, before) else {
        return Some(None);
    };
    let new = parsed(&allocator, form, after)?;
    let comments = Comments {
        before: spans(&old),
        after: spans(&new),
    };
    let same = match (rendered(before, &old), rendered(after, &new)) {
        (None, None) => old.program.content_eq(&new.program),
        (left, right) => {
            let (left, right) = (
                left.as_deref().unwrap_or(before),
                right.as_deref().unwrap_or(after),
            );
            let left = parsed(&allocator, form, allocator.alloc_str(left))?;
            let right = parsed(&allocator, form, allocator.alloc_str(right))?;
            left.program.content_eq(&right.program)
        }
    };
    same.then_some(Some(comments))
}

fn parsed<'a>(
    allocator: &'a Allocator,
    form: SourceType,
    text: &'a str,
) -> Option<ParserReturn<'a>> {
    let options = ParseOptions {
        // What Node runs as a module of its own sort is within a function.
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parser = Parser::new(allocator, text, form).with_options(options);
    let parsed = parser.with_config(TokensParserConfig).parse();
    let is_good = !parsed.panicked && parsed.diagnostics.errors().next().is_none();
    is_good.then_some(parsed)
}

fn spans(parsed: &ParserReturn<'_>) -> Vec<Range<usize>> {
    let comments = parsed.program.comments.iter();
    comments
        .map(|comment| comment.span.start as usize..comment.span.end as usize)
        .collect()
}

/// Returns the text with what stands between JSX tags as it is rendered; none if there is nothing.
fn rendered(text: &str, parsed: &ParserReturn<'_>) -> Option<String> {
    let mut out = String::new();
    let mut at = 0;
    let between = parsed
        .tokens
        .iter()
        .filter(|token| token.kind() == Kind::JSXText);
    for token in between {
        let (start, end) = (token.start() as usize, token.end() as usize);
        out.push_str(text.slice(at..start));
        out.push_str(&joined(text.slice(start..end)));
        at = end;
    }
    (at > 0).then(|| out + text.slice(at..))
}

/// Joins the lines of a text between tags as every compiler of JSX does.
fn joined(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let last = lines.len() - 1;
    let trimmed = lines.iter().enumerate().map(|(at, line)| {
        let line = if at > 0 {
            line.trim_start_matches([' ', '\t'])
        } else {
            line
        };
        if at < last {
            line.trim_end_matches([' ', '\t'])
        } else {
            line
        }
    });
    let full: Vec<&str> = trimmed.filter(|line| !line.is_empty()).collect();
    full.join(" ")
}
