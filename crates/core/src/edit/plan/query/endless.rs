//! Queries that tree-sitter compiles without end.
//!
//! In: a query as written. Out: the place of what is repeated and could match without a node, as
//! `((a)?)+` or `(_ (a)?)*`, or of a predicate among alternatives, as `[(a) (#set! b)]`. More is
//! refused than has no end: in what is repeated, only a node of a kind may hold something optional.

use super::tokens::{Token, tokens};

/// Why a query must not be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Endless {
    /// The byte where it is.
    pub(super) at: usize,
    /// What to do about it, in one line.
    pub(super) why: &'static str,
}

const REPEATED: &str = "this is repeated and may be nothing; take the `?` or `*` within it away";
const ALTERNATIVE: &str = "a predicate is no alternative; put it behind the brackets `[...]`";

/// Brackets that are open.
#[derive(Clone, Copy, Debug, Default)]
struct Brackets {
    /// Whether they are around a node of a kind, which is never nothing.
    is_node: bool,
    is_alternatives: bool,
    /// Whether something within may be absent.
    has_optional: bool,
}

/// Returns what of a query is compiled without end. `is_supertype` tells which names stand for nodes
/// of several kinds: of them, as of `_`, tree-sitter takes a step that may be nothing.
pub(super) fn endless(wording: &str, is_supertype: impl Fn(&str) -> bool) -> Option<Endless> {
    let tokens = tokens(wording);
    let mut open = vec![Brackets::default()];
    // Whether what was just read may be nothing.
    let mut hollow = false;
    for (index, token) in tokens.iter().enumerate() {
        let (word, at) = match token {
            Token::Open(_) => {
                let name = tokens.get(index + 1).map_or("", |name| name.word(wording));
                let is_predicate = name.starts_with(['#', '.']);
                if is_predicate && open.last().is_some_and(|around| around.is_alternatives) {
                    let at = tokens.get(index + 1).map_or(0, Token::at);
                    return Some(Endless {
                        at,
                        why: ALTERNATIVE,
                    });
                }
                let is_kind = !name.is_empty() && name.chars().all(is_of_name);
                let is_node = is_kind && name != "_" && !is_supertype(name);
                open.push(Brackets {
                    is_node,
                    ..Brackets::default()
                });
                continue;
            }
            Token::Text(_) => ("", token.at()),
            Token::Word(_) => (token.word(wording), token.at()),
        };
        let mut quantifiers = word;
        match word.chars().next() {
            Some('[') => {
                let is_alternatives = true;
                open.push(Brackets {
                    is_alternatives,
                    ..Brackets::default()
                });
                continue;
            }
            Some(')' | ']') => {
                let closed = open.pop().unwrap_or_default();
                hollow = closed.has_optional && !closed.is_node;
            }
            // They stand behind what they are about, also behind its captures.
            Some('+' | '*' | '?' | '@') => {}
            _ => {
                hollow = false;
                quantifiers = word.trim_start_matches('_');
            }
        }
        for quantifier in quantifiers.chars().filter(|c| "+*?".contains(*c)) {
            if hollow && quantifier != '?' {
                return Some(Endless { at, why: REPEATED });
            }
            hollow |= quantifier != '+';
        }
        if let Some(around) = open.last_mut() {
            around.has_optional |= hollow;
        }
    }
    None
}

/// Tells whether a character may stand in the name of a kind of node.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endless(wording: &str) -> Option<Endless> {
        super::endless(wording, |name| ["_expression", "pattern"].contains(&name))
    }

    #[test]
    fn what_is_repeated_is_something() {
        for hollow in [
            "((identifier)*)+ @y",
            "((identifier)* @x)+",
            "((identifier)?)+ @y",
            "((identifier)?)*",
            "((block)? (identifier)?)+ @y",
            "((block)? @x (identifier)*)+ @y",
            "(((block)?))+ @y",
            "(_ (identifier)?)+ @y",
            "(_ (identifier)? @x !name)+",
            "(_ (identifier)?)* @y",
            "(_ ((identifier)?)+) @y",
            "(_expression (identifier)?)+ @y",
            "(pattern (identifier)* @x)* @y",
            "(pattern/identifier (identifier)?)+ @y",
            "[[(_expression (block)?)+ @x (block)]] @z",
            "(function_item name: ((identifier)*)+ @x)",
            "(\"fn\"?)+ @x",
            "(\"\\\"\"?)+ @x",
            "(_?)+ @x",
            "(identifier)?+ @x",
            "(identifier)? @x+",
            "(identifier)? @x @y +",
            "[(block)? (identifier)]+ @y",
            "((block)? ; c )\n)+ @y",
            "((block)? (#eq? @y \"a\"))+ @y",
            "((block)? (.eq? @y \"a\"))+ @y",
            // These would end, and are refused all the same.
            "((identifier) (block)?)+ @y",
            "((block)? (identifier))+ @y",
        ] {
            let found = endless(hollow).map(|endless| endless.why);
            assert_eq!(found, Some(REPEATED), "{hollow}");
        }
        for among in [
            "[(function_item) (#set! a)]+ @x",
            "[ (.set! a b) _ ] @x",
            "([(block) @x ; c\n(#strip! @x \"a\")] @y (block))* @z",
        ] {
            let found = endless(among).map(|endless| endless.why);
            assert_eq!(found, Some(ALTERNATIVE), "{among}");
        }
        for sound in [
            "",
            "(identifier)+ @x",
            "(block (identifier)?)+ @y",
            "(_ (identifier))+ @y",
            "(_expression (identifier))+ @y",
            "(pattern)+ @y",
            "(_)* @y",
            "(_ !name)+ @y",
            "((block)+)+ @y",
            "((identifier)+)? @y",
            "(parameters (parameter pattern: (_) @p type: (_) @t)* (#eq? @t \"b\")) @x",
            "((comment)* @c . (function_item) @f)",
            "[(block) (identifier)]+ @x",
            "(a name: (b)? (c)*) @x",
            "((a \"(\")? @x (#match? @x \"(a)?+\"))",
        ] {
            assert_eq!(endless(sound), None, "{sound}");
        }
    }
}
