//! Wraps calls of a function.
//!
//! In: what is called, and a template in which `@call` is the call. Out: a plan that puts the
//! template's two halves around each call meant; a call that has them is left alone.

mod tokens;

use super::{Family, File, OrAnswer, ParsedFile, Plan, already, invalid, modified, refused};
use crate::edit::plan::tree::{TreeStep, walk};
use crate::edit::request::CallWrap;
use crate::plural::amount;
use crate::syntax::Parsed;
use crate::syntax::node_links::NodeLinks;
use crate::text::{Slice, Splice};
use crate::word::is_identifier_part;

/// A call, and what would have to stand around it.
struct Call {
    start: usize,
    end: usize,
    /// Where the name of what is called begins.
    name: usize,
    wrapped: bool,
    /// True if the call is itself an operand, so that a wrap that is no call needs parentheses.
    operand: bool,
    /// True if it stands among the tokens of a macro.
    token: bool,
}

/// What is to be wrapped.
struct WrapTarget {
    calls: Vec<Call>,
    /// How many calls there are.
    count: usize,
    /// Where names stand that may be called, which tokens do not tell.
    unclear: Vec<usize>,
}

/// What is called by a name.
struct Calls {
    found: Vec<Call>,
    /// Where tokens do not tell.
    unclear: Vec<usize>,
    /// Where it makes items.
    items: Vec<usize>,
}

/// The two halves of a wrap.
struct Halves {
    before: String,
    after: String,
}

/// Plans the wrapping.
pub(super) fn plan(file: File<'_>, request: &CallWrap) -> OrAnswer<Plan> {
    let ParsedFile { family, tree, .. } = file.parsed()?;
    let halves = parse(request)?;
    let WrapTarget {
        calls,
        count,
        unclear,
    } = locate(file, family, &tree, request, &halves)?;
    let mut how = format!(
        "{} of {} by syntax",
        calls.len(),
        amount(count, "call", "calls")
    );
    if let Some(at) = unclear.first() {
        how.push_str(&format!(
            "; among the tokens of macros {} more may be meant, the first in line {}",
            unclear.len(),
            file.source.line_of(*at) + 1
        ));
    }
    modified(splice(&calls, &halves), how, calls.len())
}

fn parse(request: &CallWrap) -> OrAnswer<Halves> {
    Halves::parse(&request.with)
        .ok_or_else(|| invalid(format!("`{}` holds `@call` twice", request.with)))
}

/// Returns the calls meant that are not wrapped yet.
fn locate(
    file: File<'_>,
    family: Family,
    tree: &Parsed<'_>,
    request: &CallWrap,
    halves: &Halves,
) -> OrAnswer<WrapTarget> {
    let name = &request.call;
    let Calls {
        found: calls,
        unclear,
        items,
    } = calls(file, tree, &links(family, tree), name, halves);
    let count = calls.len();
    if let Some(at) = items.first().filter(|_| count == 0) {
        return Err(refused(format!(
            "`{name}` on line {} stands where items do: it is no value that could be wrapped",
            file.line(*at)
        )));
    }
    if count > 0 && calls.iter().all(|call| call.wrapped) {
        return Err(already(format!("`{name}` is wrapped already")));
    }
    let what = format!("call of `{name}`");
    let mut chosen = file.pick(
        calls,
        request.which,
        &what,
        |call| call.name,
        |call, line| {
            file.source.line_of(call.start) == line || file.source.line_of(call.name) == line
        },
    )?;
    chosen.retain(|call| !call.wrapped);
    if chosen.is_empty() {
        Err(already(format!("`{name}` is wrapped already there")))
    } else {
        Ok(WrapTarget {
            calls: chosen,
            count,
            unclear,
        })
    }
}

impl Halves {
    fn parse(with: &str) -> Option<Self> {
        // `@@` stands for a plain @.
        let marked = with.replace("@@", "\u{0}");
        let mut parts = marked.split("@call");
        let (before, after, more) = (parts.next()?, parts.next(), parts.next());
        match (after, more) {
            (None, _) => Some(Self {
                before: format!("{}(", with_sign(before).trim()),
                after: ")".into(),
            }),
            (Some(after), None) => Some(Self {
                before: with_sign(before),
                after: with_sign(after),
            }),
            (Some(_), Some(_)) => None,
        }
    }

    /// Returns whether what they make is a whole operand: `f(..)`, not `await ..`.
    fn enclose(&self) -> bool {
        let opens = self.before.trim_end().ends_with(['(', '[', '{', ',']);
        self.before.trim().is_empty() || opens
    }

    fn are_around(&self, text: &str, start: usize, end: usize) -> bool {
        let before = text.slice(..start);
        let after = text.slice(end..);
        let first = bare(after).take(bare(&self.after).count());
        let mut rest = bare_back(before);
        let ends = bare_back(&self.before).all(|c| rest.next() == Some(c));
        // `wrap(` is not the end of `unwrap(`.
        let inner = self.before.trim_start().starts_with(is_identifier_part);
        let longer = before
            .trim_end()
            .strip_suffix(self.before.trim())
            .is_some_and(|head| head.ends_with(is_identifier_part));
        ends && !(inner && longer) && first.eq(bare(&self.after))
    }
}

fn with_sign(text: &str) -> String {
    text.replace('\u{0}', "@")
}

/// Returns what is beside names within Rust's macros: there are only tokens there.
fn links<'t>(family: Family, tree: &'t Parsed<'_>) -> NodeLinks<'t> {
    let mut names = Vec::new();
    if family == Family::Rust {
        walk(tree.root(), |step, above| {
            let in_tokens = above
                .last()
                .is_some_and(|parent| parent.kind() == "token_tree");
            names.extend((in_tokens && step.kind() == "identifier").then_some(step.node));
        });
    }
    NodeLinks::of(tree.root(), names)
}

/// Returns the calls of `name`, and where tokens do not tell. A bare name that nothing calls means
/// the method of that name.
fn calls<'t>(
    file: File<'_>,
    tree: &'t Parsed<'_>,
    links: &NodeLinks<'t>,
    name: &str,
    halves: &Halves,
) -> Calls {
    let wanted = squeezed(name);
    let mut unclear = Vec::new();
    let mut items = Vec::new();
    let mut exact = Vec::new();
    let mut methods = Vec::new();
    walk(tree.root(), |step, above| {
        let (callee, end) = match called(tree, links, step, above) {
            Called::Not => return,
            Called::Items => {
                let name = step.node.child_by_field_name("macro");
                let is_meant = name.is_some_and(|name| format!("{}!", tree.text(name)) == wanted);
                items.extend(is_meant.then_some(step.node.start_byte()));
                return;
            }
            _ if is_attribute(above) => return,
            Called::Unclear => {
                let name = tree.text(step.node);
                if last_name(&wanted).trim_end_matches('!') == name {
                    unclear.push(step.node.start_byte());
                }
                return;
            }
            Called::Call { callee, end } => (callee, end),
        };
        let own = squeezed(file.text.get(callee.clone()).unwrap_or_default());
        let last = last_name(&own);
        let place = callee.end.saturating_sub(last.len());
        let start = step.node.start_byte().min(callee.start);
        let call = || Call {
            start,
            end,
            name: place,
            wrapped: halves.are_around(file.text, start, end),
            token: is_token(above),
            operand: is_operand(above, start)
                || (step.kind() == "identifier" && goes_on(file.text, end)),
        };
        if own == wanted {
            exact.push(call());
        } else if last == wanted {
            methods.push(call());
        }
    });
    let mut found = if exact.is_empty() { methods } else { exact };
    if !items.is_empty() {
        // What makes items here may make some there.
        let among_tokens = found.iter().filter(|call| call.token);
        unclear.extend(among_tokens.map(|call| call.name));
        found.retain(|call| !call.token);
    }
    Calls {
        found,
        unclear,
        items,
    }
}

fn is_token(above: &[TreeStep<'_>]) -> bool {
    above.last().is_some_and(|step| step.kind() == "token_tree")
}

/// Returns whether a macro stands where items do.
fn makes_items(above: &[TreeStep<'_>]) -> bool {
    let mut kinds = above.iter().rev().map(TreeStep::kind);
    let holder = kinds.find(|kind| *kind != "expression_statement");
    matches!(holder, Some("source_file" | "declaration_list"))
}

/// What a node calls.
enum Called {
    /// This, and where the call ends.
    Call {
        callee: std::ops::Range<usize>,
        end: usize,
    },
    /// Nothing.
    Not,
    /// A name among tokens is called, which do not tell all that is.
    Unclear,
    /// A macro that makes items, which is no value.
    Items,
}

/// Returns whether what ends at `end` is the first part of a larger operand.
fn goes_on(text: &str, end: usize) -> bool {
    let rest = text.slice(end..).trim_start();
    rest.starts_with('?') || (rest.starts_with('.') && !rest.starts_with(".."))
}

fn called<'t>(
    tree: &Parsed<'_>,
    links: &NodeLinks<'t>,
    step: TreeStep<'t>,
    above: &[TreeStep<'t>],
) -> Called {
    let node = step.node;
    let callee = match node.kind() {
        "call_expression" | "call" => field(node, "function").and_then(|callee| {
            let generic = callee.kind() == "generic_function";
            let inner = if generic {
                field(callee, "function")
            } else {
                Some(callee)
            };
            inner.map(|inner| inner.byte_range())
        }),
        "new_expression" => {
            field(node, "constructor").map(|constructor| node.start_byte()..constructor.end_byte())
        }
        "macro_invocation" if makes_items(above) => return Called::Items,
        "macro_invocation" => {
            field(node, "macro").map(|name| name.start_byte()..name.end_byte() + 1)
        }
        "identifier" => return tokens::call(tree, links, node),
        _ => None,
    };
    let end = node.end_byte();
    callee.map_or(Called::Not, |callee| Called::Call { callee, end })
}

fn field<'t>(node: tree_sitter::Node<'t>, name: &str) -> Option<tree_sitter::Node<'t>> {
    node.child_by_field_name(name)
}

/// Returns whether a node stands in the arguments of an attribute: `#[cfg(not(x))]` calls nothing.
fn is_attribute(above: &[TreeStep<'_>]) -> bool {
    let mut above = above.iter().rev();
    above.any(|step| matches!(step.kind(), "attribute_item" | "inner_attribute_item"))
}

/// Returns whether a call that begins at `start` is the first part of a larger operand.
fn is_operand(above: &[TreeStep<'_>], start: usize) -> bool {
    above.last().is_some_and(|parent| {
        parent.node.start_byte() == start
            && matches!(
                parent.kind(),
                "member_expression"
                    | "subscript_expression"
                    | "call_expression"
                    | "field_expression"
                    | "index_expression"
                    | "try_expression"
                    | "non_null_expression"
                    | "attribute"
                    | "subscript"
                    | "call"
            )
    })
}

/// Makes the insertions; those at one point are one, the outer call's first.
fn splice(calls: &[Call], halves: &Halves) -> Vec<Splice> {
    let mut points: Vec<(usize, bool, std::cmp::Reverse<usize>, String)> = Vec::new();
    for call in calls {
        let parenthesised = call.operand && !halves.enclose();
        let (open, close) = if parenthesised { ("(", ")") } else { ("", "") };
        let before = format!("{open}{}", halves.before);
        let after = format!("{}{close}", halves.after);
        points.push((call.start, true, std::cmp::Reverse(call.end), before));
        points.push((call.end, false, std::cmp::Reverse(call.start), after));
    }
    // At one point, what ends there comes before what begins there.
    points.sort();
    let mut splices: Vec<Splice> = Vec::new();
    for (at, _, _, text) in points {
        match splices.last_mut() {
            Some(last) if last.at == at => last.new.extend_from_slice(text.as_bytes()),
            _ => splices.push(Splice {
                at,
                old: Vec::new(),
                new: text.into_bytes(),
            }),
        }
    }
    splices
}

/// Returns the text without white space and without the `?` of optional chains; the blank of
/// `new X` stays.
fn squeezed(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = match words.as_slice() {
        ["new", rest @ ..] => format!("new {}", rest.concat()),
        words => words.concat(),
    };
    joined.replace("?.", ".")
}

fn last_name(callee: &str) -> String {
    let at = callee.rfind(['.', ':']).map_or(0, |at| at + 1);
    callee.slice(at..).to_owned()
}

fn bare(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

fn bare_back(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().rev().filter(|c| !c.is_whitespace())
}

#[cfg(test)]
mod tests;
