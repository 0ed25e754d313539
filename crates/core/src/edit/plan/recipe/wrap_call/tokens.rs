//! Calls among the tokens of Rust's macros, where there are no nodes for them.
//!
//! In: a name within the arguments of a macro. Out: what is called, from the start of its path or
//! of the receiver, and where the call ends; none where the tokens do not tell.

use tree_sitter::Node;

use super::Called;
use crate::syntax::Parsed;
use crate::syntax::node_links::{NodeLinks, Place};

/// Tokens that are looked at for the `>` of `f::<T>(x)`. Attack: `f::<` a thousand times in a macro, where each would
/// read on to its end.
const MAX_GENERIC: usize = 32;
/// Tokens of a receiver or path that are looked at. Attack: `a.f().f().f()` in a macro, where each `f` would read back
/// to the start.
const MAX_CHAIN: usize = 64;

/// Returns what the name at `node` calls.
pub(super) fn call(tree: &Parsed<'_>, links: &NodeLinks<'_>, node: Node<'_>) -> Called {
    let Some(place) = links.place(node) else {
        return Called::Not;
    };
    let text = |node: &Node<'_>| tree.text(*node);
    let (name_end, arguments) = match place.after {
        [bang, tokens, ..] if text(bang) == "!" => (bang.end_byte(), Some(tokens)),
        [colons, open, rest @ ..] if text(colons) == "::" && text(open) == "<" => {
            (node.end_byte(), after_generic(tree, rest))
        }
        [first, ..] => (node.end_byte(), Some(first)),
        [] => return Called::Not,
    };
    let is_macro = name_end > node.end_byte();
    let arguments = arguments.filter(|tokens| {
        tokens.kind() == "token_tree" && (is_macro || text(tokens).starts_with('('))
    });
    let declares = ["fn", "!", "struct", "enum", "macro_rules"];
    let declared = place
        .before
        .last()
        .is_some_and(|before| declares.contains(&text(before)));
    let Some(arguments) = arguments.filter(|_| !declared) else {
        return Called::Not;
    };
    match chain_start(tree, &place, node.start_byte()) {
        Some(start) => Called::Call {
            callee: start..name_end,
            end: arguments.end_byte(),
        },
        None => Called::Unclear,
    }
}

/// Returns the token after the `>` that closes what the tokens are within.
fn after_generic<'n, 't>(tree: &Parsed<'_>, tokens: &'n [Node<'t>]) -> Option<&'n Node<'t>> {
    let mut open = 1_usize;
    for (index, token) in tokens.iter().enumerate().take(MAX_GENERIC) {
        match tree.text(*token) {
            "<" => open += 1,
            ">" => open = open.checked_sub(1)?,
            ">>" => open = open.checked_sub(2)?,
            _ => {}
        }
        if open == 0 {
            return tokens.get(index + 1);
        }
    }
    None
}

/// Returns where the path or the receiver begins that the name at `start` ends: `a::b`,
/// `self.x[0]?`. None where it has parts that the tokens do not tell.
fn chain_start(tree: &Parsed<'_>, place: &Place<'_, '_>, mut start: usize) -> Option<usize> {
    let mut before = place.before.iter().rev().take(MAX_CHAIN).peekable();
    while let Some(mark) = before.next_if(|token| matches!(tree.text(**token), "." | "::")) {
        let mark = tree.text(*mark);
        let mut operand = before.next()?;
        // Indexes, arguments and `?` stand after what they belong to.
        while mark == "." && matches!(operand.kind(), "token_tree" | "?") {
            start = operand.start_byte();
            match before
                .next_if(|token| is_name(**token) || matches!(token.kind(), "token_tree" | "?"))
            {
                Some(next) => operand = next,
                // A group in parentheses begins the chain.
                None => {
                    return (operand.kind() == "token_tree" && !ends_more(tree, before.peek()))
                        .then_some(start);
                }
            }
        }
        let fits = is_name(*operand) || (mark == "." && operand.kind().ends_with("literal"));
        if !fits {
            return None;
        }
        start = operand.start_byte();
    }
    // `$x` is one operand.
    if let Some(dollar) = before.next_if(|token| tree.text(**token) == "$") {
        start = dollar.start_byte();
    }
    Some(start)
}

fn is_name(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "identifier" | "self" | "super" | "crate" | "metavariable" | "primitive_type"
    )
}

/// Returns whether a token before a group belongs to it: `x!(..)`, `f::<T>(..)`.
fn ends_more(tree: &Parsed<'_>, before: Option<&&Node<'_>>) -> bool {
    before.is_some_and(|token| matches!(tree.text(**token), "!" | ">" | ">>"))
}
