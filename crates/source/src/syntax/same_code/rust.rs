//! Rust: two texts with the same tokens.
//!
//! In: two texts that differ in blanks and commas alone. Out: their comments, if the lexer makes the same tokens of both.
//! Documentation comments are tokens. A trailing comma counts in macros, in attributes and where it makes a tuple.

use std::ops::Range;
use std::str::FromStr;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use super::Comments;
use crate::syntax::precise::is_flat;
use crate::text::Slice;

/// Signs that are one operator together, in the order of the language reference.
const OPERATORS: &[&str] = &[
    "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "==", "!=", ">=", "<=",
    "->", "=>", "..", "::", "<-",
];

/// Words after which a parenthesis opens a tuple or a group, and no list of arguments.
const BEFORE_TUPLES: &[&str] = &[
    "as", "await", "break", "const", "dyn", "else", "fn", "for", "if", "impl", "in", "let", "loop",
    "match", "move", "mut", "ref", "return", "static", "unsafe", "where", "while", "yield",
];

/// Reads both texts.
pub(super) fn same_tokens(before: &str, after: &str) -> Option<Comments> {
    let (old, new) = (Lexed::of(before)?, Lexed::of(after)?);
    (old.tokens == new.tokens).then_some(Comments {
        before: old.comments,
        after: new.comments,
    })
}

#[derive(Default)]
struct Lexed {
    /// Each token, and whether it is one operator with the next, or a literal that touches the name before it.
    tokens: Vec<(String, bool)>,
    comments: Vec<Range<usize>>,
    end: usize,
}

impl Lexed {
    fn of(text: &str) -> Option<Self> {
        if !is_flat(text) || text.starts_with('\u{feff}') || text.starts_with("#!/") {
            return None;
        }
        // The thread keeps the texts that spans point into.
        proc_macro2::extra::invalidate_current_thread_spans();
        let stream = TokenStream::from_str(text).ok();
        let lexed = stream.and_then(|stream| {
            let mut lexed = Self::default();
            lexed.take(text, stream, false)?;
            lexed.skip_to(text, text.len())?;
            Some(lexed)
        });
        proc_macro2::extra::invalidate_current_thread_spans();
        lexed
    }

    fn take(&mut self, text: &str, stream: TokenStream, is_verbatim: bool) -> Option<()> {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let before = |back: usize| at.checked_sub(back).and_then(|at| trees.get(at));
            match tree {
                TokenTree::Group(group) => {
                    let is_macro = is_sign(before(1), '!') && !is_sign(before(2), '#')
                        || is_name(before(1)) && is_sign(before(2), '!')
                        || is_attribute(before(1), before(2));
                    let is_verbatim = is_verbatim || is_macro;
                    let inner = group.stream();
                    let inner =
                        if !is_verbatim && may_lose_comma(group.delimiter(), &inner, before(1)) {
                            without_last(inner)
                        } else {
                            inner
                        };
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    self.push(text, open, false, group.span_open().byte_range())?;
                    self.take(text, inner, is_verbatim)?;
                    self.push(text, close, false, group.span_close().byte_range())?;
                }
                TokenTree::Ident(ident) => {
                    self.push(text, &ident.to_string(), false, ident.span().byte_range())?;
                }
                TokenTree::Literal(literal) => {
                    let range = literal.span().byte_range();
                    let touches = is_name(before(1)) && self.end == range.start;
                    self.push(text, &literal.to_string(), touches, range)?;
                }
                TokenTree::Punct(sign) => {
                    let next = trees.get(at + 1);
                    let joined = match next {
                        Some(TokenTree::Punct(next)) => {
                            let both: String = [sign.as_char(), next.as_char()].iter().collect();
                            sign.spacing() == Spacing::Joint && OPERATORS.contains(&both.as_str())
                        }
                        // `'a` is a lifetime.
                        _ => sign.as_char() == '\'',
                    };
                    self.push(
                        text,
                        &sign.as_char().to_string(),
                        joined,
                        sign.span().byte_range(),
                    )?;
                }
            }
        }
        Some(())
    }

    fn push(&mut self, text: &str, token: &str, joined: bool, range: Range<usize>) -> Option<()> {
        // The tokens of a documentation comment all stand where it does.
        if range.start >= self.end {
            self.skip_to(text, range.start)?;
        }
        self.end = self.end.max(range.end);
        self.tokens.push((token.to_owned(), joined));
        Some(())
    }

    /// Notes the comments up to a token; none if there is something else.
    fn skip_to(&mut self, text: &str, to: usize) -> Option<()> {
        let mut at = self.end;
        while at < to {
            let rest = text.slice(at..to);
            let length = match rest {
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => block_length(rest)?,
                _ if rest.starts_with([' ', '\t', '\n']) => {
                    at += 1;
                    continue;
                }
                // A comma that was left out.
                _ if rest.starts_with(',') => {
                    at += 1;
                    continue;
                }
                _ => return None,
            };
            self.comments.push(at..at + length);
            at += length;
        }
        self.end = to;
        Some(())
    }
}

fn block_length(rest: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += here.chars().next()?.len_utf8();
        }
    }
    None
}

fn is_sign(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(own)) if own.as_char() == sign)
}

fn is_name(tree: Option<&TokenTree>) -> bool {
    matches!(tree, Some(TokenTree::Ident(_)))
}

/// Tells whether a group after these tokens is what an attribute says.
fn is_attribute(last: Option<&TokenTree>, before: Option<&TokenTree>) -> bool {
    is_sign(last, '#') || is_sign(last, '!') && is_sign(before, '#')
}

/// Tells whether the last comma of a group says nothing: not that of a tuple of one.
fn may_lose_comma(delimiter: Delimiter, inner: &TokenStream, before: Option<&TokenTree>) -> bool {
    let trees: Vec<TokenTree> = inner.clone().into_iter().collect();
    let commas = trees.iter().filter(|tree| is_sign(Some(tree), ',')).count();
    if trees.len() < 2 || !is_sign(trees.last(), ',') {
        return false;
    }
    match delimiter {
        Delimiter::Bracket | Delimiter::Brace => true,
        Delimiter::None => false,
        Delimiter::Parenthesis => {
            let is_call = matches!(before, Some(TokenTree::Ident(name))
                if !BEFORE_TUPLES.contains(&name.to_string().as_str()));
            commas > 1 || is_call
        }
    }
}

fn without_last(stream: TokenStream) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    trees.pop();
    trees.into_iter().collect()
}
