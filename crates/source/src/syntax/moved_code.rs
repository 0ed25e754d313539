//! Moved code: whether lines that went from one place to another are whole definitions that mean the same there.
//!
//! ```text
//! def load(path):            in the same module, or in another that imports `json` as this one does: the same
//!     return json.load(path)
//! load(sys.argv[1])          a statement: what runs before it is another there
//! """                        a text
//! def load(path): ...
//! """
//! ```
//!
//! In: both ends, each as a file before and after, and lines of it. Out: true if the lines are the same definitions at
//! both, in a file or in a class of the same head, their names are defined once, and every other name in them is bound
//! to the same import at both ends, or is bound at neither. Where the order of definitions matters, nothing that runs
//! stands between the two places.

mod bindings;

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use self::bindings::Bindings;
use super::{Language, Parsed};
use crate::text::Slice;

/// One end of a move.
pub struct MoveEnd {
    /// Path of the file.
    pub path: String,
    /// The text before.
    pub before: String,
    /// The text after.
    pub after: String,
    /// The lines: of the text before where they go, of the one after where they come; from 0.
    pub lines: Range<usize>,
}

/// What a name may be looked up by that is another elsewhere.
const TOLD_BY_PLACE: &[&str] = &[
    "__file__",
    "__name__",
    "__package__",
    "__path__",
    "__dirname",
    "__filename",
    "import.meta",
    "import(",
    "require(",
    "self::",
    "super::",
    "include!",
    "include_str!",
    "include_bytes!",
    "file!",
    "line!",
    "module_path!",
    "env!",
    "globals(",
    "locals(",
    "eval(",
    "exec(",
    "inspect.",
    "sys._getframe",
    "$crate",
];

/// What a comment switches for all that follows.
const SWITCHES: &[&str] = &[
    "disable",
    "enable",
    "fmt: o",
    "nocheck",
    "region",
    "noinspection",
    "ignore-file",
    "#![",
];

/// Tells whether the lines are definitions that mean the same at both ends.
pub fn is_same_definition(language: Language, from: &MoveEnd, to: &MoveEnd) -> bool {
    let Some(rules) = Rules::of(language) else {
        return false;
    };
    let trees = [&from.before, &from.after, &to.before, &to.after].map(|text| {
        let parsed = language.parse(text);
        parsed.filter(|parsed| !parsed.root().has_error())
    });
    let [Some(old), Some(left), Some(met), Some(new)] = &trees else {
        return false;
    };
    let (Some(gone), Some(come)) = (
        Block::of(rules, old, &from.lines),
        Block::of(rules, new, &to.lines),
    ) else {
        return false;
    };
    if gone.text != come.text || gone.heads != come.heads {
        return false;
    }
    if SWITCHES
        .iter()
        .any(|word| gone.comments.iter().any(|comment| comment.contains(word)))
    {
        return false;
    }
    let is_one_file = from.path == to.path;
    let (before, after) = if is_one_file { (old, new) } else { (met, new) };
    if gone.names.is_empty() && !gone.is_unnamed {
        return false;
    }
    // Of two definitions of one name the later one holds.
    let is_sole = |name: &String| {
        let (here, there) = (gone.siblings(rules, old), come.siblings(rules, after));
        [here, there]
            .iter()
            .all(|siblings| siblings.iter().filter(|sibling| *sibling == name).count() == 1)
    };
    if !gone.names.iter().all(is_sole) {
        return false;
    }
    if is_one_file {
        return rules.has_free_order(&gone) || keeps_order(rules, new, &gone, &come, from, to);
    }
    // Which files a test runner reads is not known.
    if rules.language == Language::Python && gone.names.iter().any(|name| is_test(name)) {
        return false;
    }
    if !gone.heads.is_empty() || TOLD_BY_PLACE.iter().any(|sign| gone.text.contains(sign)) {
        return false;
    }
    resolves_alike(rules, (old, left, from), (before, new, to), &gone, &come)
}

fn is_test(name: &str) -> bool {
    name.to_lowercase().starts_with("test")
}

/// Kinds of nodes of a family of languages.
struct Rules {
    language: Language,
    /// Definitions whose place in their parent says nothing.
    free: &'static [&'static str],
    /// Definitions that hold from where they stand.
    ordered: &'static [&'static str],
    /// What stands around members.
    holders: &'static [&'static str],
    /// What a definition may be wrapped in.
    wrappers: &'static [&'static str],
    /// What stands beside definitions.
    extras: &'static [&'static str],
}

const SCRIPT: Rules = Rules {
    language: Language::TypeScript,
    free: &[
        "function_declaration",
        "generator_function_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "method_definition",
    ],
    ordered: &[
        "class_declaration",
        "abstract_class_declaration",
        "lexical_declaration",
    ],
    holders: &[
        "class_declaration",
        "abstract_class_declaration",
        "class_body",
        "export_statement",
        "program",
    ],
    wrappers: &["export_statement"],
    extras: &["comment"],
};

const PYTHON: Rules = Rules {
    language: Language::Python,
    free: &[],
    ordered: &["function_definition", "class_definition"],
    holders: &["class_definition", "block", "module"],
    wrappers: &["decorated_definition"],
    extras: &["comment"],
};

const RUST: Rules = Rules {
    language: Language::Rust,
    free: &[
        "function_item",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "impl_item",
        "type_item",
        "const_item",
        "static_item",
        "function_signature_item",
        "associated_type",
        "mod_item",
    ],
    ordered: &[],
    holders: &[
        "impl_item",
        "trait_item",
        "mod_item",
        "declaration_list",
        "source_file",
    ],
    wrappers: &[],
    extras: &["line_comment", "block_comment", "attribute_item"],
};

/// Decorators that only wrap what they stand on: others register it, in the order in which they run.
const QUIET_DECORATORS: &[&str] = &[
    "staticmethod",
    "classmethod",
    "property",
    "abstractmethod",
    "override",
    "final",
    "dataclass",
    "cached_property",
    "contextmanager",
];

impl Rules {
    fn of(language: Language) -> Option<&'static Self> {
        match language {
            Language::Rust => Some(&RUST),
            Language::Python => Some(&PYTHON),
            Language::TypeScript | Language::Tsx | Language::JavaScript => Some(&SCRIPT),
            _ => None,
        }
    }

    /// Returns the definition that a node is, through what it is wrapped in.
    fn definition<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        if self.wrappers.contains(&node.kind()) {
            let inner = node
                .child_by_field_name("declaration")
                .or_else(|| node.child_by_field_name("definition"));
            return inner.and_then(|inner| self.definition(inner));
        }
        let is_known = self.free.contains(&node.kind()) || self.ordered.contains(&node.kind());
        is_known.then_some(node)
    }

    fn has_free_order(&self, block: &Block<'_>) -> bool {
        block.kinds.iter().all(|kind| self.free.contains(kind))
    }
}

/// Whole definitions in lines of a text.
struct Block<'t> {
    parent: Node<'t>,
    nodes: Vec<Node<'t>>,
    /// The heads of the classes, implementations and modules around it.
    heads: Vec<String>,
    kinds: Vec<&'t str>,
    names: Vec<String>,
    /// Whether it is an implementation, which has no name of its own.
    is_unnamed: bool,
    comments: Vec<String>,
    text: String,
}

impl<'t> Block<'t> {
    fn of(rules: &Rules, parsed: &'t Parsed<'_>, lines: &Range<usize>) -> Option<Self> {
        let text = parsed.source();
        let whole = line_bytes(text, lines)?;
        let own = text.slice(whole.clone());
        let start = whole.start + (own.len() - own.trim_start().len());
        let end = whole.start + own.trim_end().len();
        let mut parent = parsed.root();
        let mut heads = Vec::new();
        let nodes = loop {
            if !rules.holders.contains(&parent.kind()) {
                return None;
            }
            let mut cursor = parent.walk();
            let nodes: Vec<Node<'t>> = parent
                .children(&mut cursor)
                .filter(|node| node.start_byte() < end && trimmed_end(parsed, *node) > start)
                .collect();
            match nodes.as_slice() {
                [] => return None,
                [one] if one.start_byte() < start || trimmed_end(parsed, *one) > end => {
                    if let Some(body) = one.child_by_field_name("body") {
                        heads.push(text.slice(one.start_byte()..body.start_byte()).to_owned());
                    }
                    parent = *one;
                }
                [first, .., last]
                    if first.start_byte() < start || trimmed_end(parsed, *last) > end =>
                {
                    return None;
                }
                _ => break nodes,
            }
        };
        let mut block = Self {
            parent,
            nodes,
            heads,
            kinds: Vec::new(),
            names: Vec::new(),
            is_unnamed: false,
            comments: Vec::new(),
            text: text.slice(start..end).to_owned(),
        };
        for node in block.nodes.clone() {
            if rules.extras.contains(&node.kind()) {
                block.comments.push(parsed.text(node).to_owned());
                continue;
            }
            let definition = rules.definition(node)?;
            if !is_quiet(rules, parsed, node, definition) {
                return None;
            }
            block.kinds.push(definition.kind());
            block.is_unnamed |= definition.kind() == "impl_item";
            block
                .names
                .extend(names_of(parsed, definition)?.into_iter().map(str::to_owned));
        }
        // An attribute, a documentation comment or a comment for a tool right above belongs to what follows.
        let first = *block.nodes.first()?;
        if first.prev_sibling().is_some_and(|above| {
            let is_beside = above.end_position().row + 1 >= first.start_position().row;
            let is_attribute = above.kind() == "attribute_item" || above.kind() == "decorator";
            is_attribute || rules.extras.contains(&above.kind()) && is_beside
        }) {
            return None;
        }
        let last = block.nodes.last()?;
        (!block.kinds.is_empty() && !rules.extras.contains(&last.kind())).then_some(block)
    }

    /// Returns the names that are defined beside the block, and in it.
    fn siblings<'p>(&self, rules: &Rules, parsed: &'p Parsed<'_>) -> Vec<&'p str> {
        let mut names = Vec::new();
        parsed.walk_into(|node, _| {
            let is_parent = node.kind() == self.parent.kind();
            if is_parent && head_of(parsed, node) == self.own_head() {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    if let Some(definition) = rules.definition(child) {
                        names.extend(names_of(parsed, definition).into_iter().flatten());
                    }
                }
            }
            rules.holders.contains(&node.kind()) || rules.wrappers.contains(&node.kind())
        });
        names
    }

    fn own_head(&self) -> Option<&str> {
        self.heads.last().map(String::as_str)
    }
}

/// Returns the head of the class or implementation of which a node is the body.
fn head_of<'p>(parsed: &'p Parsed<'_>, body: Node<'_>) -> Option<&'p str> {
    let owner = body.parent()?;
    let own = owner.child_by_field_name("body")?;
    (own.id() == body.id()).then(|| parsed.source().slice(owner.start_byte()..body.start_byte()))
}

/// Returns the end of a node without the line end that some grammars count to it.
fn trimmed_end(parsed: &Parsed<'_>, node: Node<'_>) -> usize {
    node.start_byte() + parsed.text(node).trim_end().len()
}

fn line_bytes(text: &str, lines: &Range<usize>) -> Option<Range<usize>> {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.clone().nth(lines.start)?;
    let end = starts.nth(lines.end).unwrap_or(text.len());
    (start < end).then_some(start..end)
}

/// Returns the names that a definition gives; none where that is no plain name.
fn names_of<'p>(parsed: &'p Parsed<'_>, definition: Node<'_>) -> Option<Vec<&'p str>> {
    match definition.kind() {
        "impl_item" => Some(Vec::new()),
        "lexical_declaration" => {
            let mut cursor = definition.walk();
            let declared: Vec<Node<'_>> = definition.named_children(&mut cursor).collect();
            declared
                .iter()
                .map(|node| {
                    let name = node
                        .child_by_field_name("name")
                        .filter(|name| name.kind() == "identifier")?;
                    Some(parsed.text(name))
                })
                .collect()
        }
        _ => {
            let name = definition.child_by_field_name("name")?;
            (name.child_count() == 0).then(|| vec![parsed.text(name)])
        }
    }
}

/// Tells whether a definition only defines: nothing is called when it is met, and nothing registers it.
fn is_quiet(rules: &Rules, parsed: &Parsed<'_>, node: Node<'_>, definition: Node<'_>) -> bool {
    match rules.language {
        Language::Rust => true,
        Language::Python => {
            let mut cursor = node.walk();
            let mut decorators = node
                .named_children(&mut cursor)
                .filter(|child| child.kind() == "decorator")
                .map(|decorator| {
                    parsed
                        .text(decorator)
                        .trim_start_matches('@')
                        .trim()
                        .to_owned()
                });
            let quiet = decorators.all(|decorator| {
                let name = decorator.rsplit('.').next().unwrap_or("");
                QUIET_DECORATORS.contains(&name)
            });
            quiet
                && !runs_code(
                    parsed,
                    definition,
                    &["call", "await", "yield", "named_expression"],
                )
        }
        _ if definition.kind() == "lexical_declaration" => {
            let mut cursor = definition.walk();
            let mut declared = definition.named_children(&mut cursor);
            parsed.text(definition).starts_with("const")
                && declared.all(|node| {
                    let value = node.child_by_field_name("value");
                    value.is_some_and(|value| {
                        matches!(value.kind(), "arrow_function" | "function_expression")
                    })
                })
        }
        _ => {
            let runs = [
                "call_expression",
                "new_expression",
                "class_static_block",
                "computed_property_name",
                "decorator",
            ];
            !runs_code(parsed, definition, &runs)
        }
    }
}

/// Tells whether a node of one of these kinds stands outside of the bodies of functions.
fn runs_code(parsed: &Parsed<'_>, definition: Node<'_>, kinds: &[&str]) -> bool {
    let mut found = false;
    outside_bodies(parsed, definition, |node| {
        found |= kinds.contains(&node.kind())
    });
    found
}

/// Calls `visit` for the nodes of a definition that are looked at when it is met, and not when it is called.
fn outside_bodies<'t>(parsed: &'t Parsed<'_>, whole: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    const FUNCTIONS: &[&str] = &[
        "function_definition",
        "lambda",
        "function_declaration",
        "generator_function_declaration",
        "arrow_function",
        "function_expression",
        "method_definition",
        "function_item",
    ];
    parsed.walk_into(|node, above| {
        let outside =
            node.end_byte() <= whole.start_byte() || node.start_byte() >= whole.end_byte();
        if outside {
            return false;
        }
        let parent = above.last();
        let is_body = parent.is_some_and(|parent| {
            FUNCTIONS.contains(&parent.kind())
                && parent.start_byte() >= whole.start_byte()
                && parent
                    .child_by_field_name("body")
                    .is_some_and(|body| body.id() == node.id())
        });
        // A parameter's default is looked at when the function is called, but in Python.
        if is_body {
            return false;
        }
        if node.start_byte() >= whole.start_byte() && node.end_byte() <= whole.end_byte() {
            visit(node);
        }
        true
    });
}

/// Tells whether the definitions of a file may trade places with what stands between both ends.
fn keeps_order(
    rules: &Rules,
    new: &Parsed<'_>,
    gone: &Block<'_>,
    come: &Block<'_>,
    from: &MoveEnd,
    to: &MoveEnd,
) -> bool {
    // What was passed, as it stands in the text after.
    let moves_down = to.lines.start > from.lines.start;
    let moved: usize = gone
        .nodes
        .iter()
        .map(|node| node.end_byte() - node.start_byte())
        .sum();
    let Some(old_start) = line_bytes(&from.before, &from.lines).map(|range| range.start) else {
        return false;
    };
    let (Some(first), Some(last)) = (come.nodes.first(), come.nodes.last()) else {
        return false;
    };
    let slack = moved + gone.text.len();
    let passed = if moves_down {
        old_start.saturating_sub(slack)..first.start_byte()
    } else {
        last.end_byte()..old_start + slack
    };
    let mut cursor = come.parent.walk();
    let siblings = come.parent.named_children(&mut cursor);
    let passed: Vec<Node<'_>> = siblings
        .filter(|node| node.start_byte() < passed.end && node.end_byte() > passed.start)
        .filter(|node| !come.nodes.iter().any(|own| own.id() == node.id()))
        .collect();
    let mut needed = BTreeSet::new();
    come.nodes
        .iter()
        .for_each(|node| needed.extend(names_in(new, *node)));
    passed.into_iter().all(|node| {
        if rules.extras.contains(&node.kind()) || is_import(node.kind()) {
            return true;
        }
        let Some(definition) = rules
            .definition(node)
            .filter(|own| is_quiet(rules, new, node, *own))
        else {
            return false;
        };
        let Some(defined) = names_of(new, definition) else {
            return false;
        };
        let uses = names_in(new, node);
        !defined.iter().any(|name| needed.contains(*name))
            && !gone.names.iter().any(|name| uses.contains(name))
    })
}

fn names_in(new: &Parsed<'_>, node: Node<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    outside_bodies(new, node, |own| {
        if own.child_count() == 0 && own.kind().ends_with("identifier") {
            names.insert(new.text(own).to_owned());
        }
    });
    names
}

fn is_import(kind: &str) -> bool {
    matches!(
        kind,
        "import_statement"
            | "import_from_statement"
            | "future_import_statement"
            | "use_declaration"
    )
}

/// Tells whether every name of a block means in another file what it meant in its own.
fn resolves_alike(
    rules: &Rules,
    (old, left, from): (&Parsed<'_>, &Parsed<'_>, &MoveEnd),
    (met, new, to): (&Parsed<'_>, &Parsed<'_>, &MoveEnd),
    gone: &Block<'_>,
    come: &Block<'_>,
) -> bool {
    let (source, target) = (Bindings::of(old, &from.path), Bindings::of(new, &to.path));
    let (rest, before) = (Bindings::of(left, &from.path), Bindings::of(met, &to.path));
    if source.globs != target.globs || source.prologue != target.prologue {
        return false;
    }
    // The name was not there before but for an import, and is still there for those who use it.
    if !gone.names.iter().all(|name| {
        !before.defined.contains(name) && (!rest.used.contains(name) || rest.binds(name))
    }) {
        return false;
    }
    let start = come.nodes.first().map_or(0, Node::start_byte);
    let needs_order = !rules.has_free_order(come);
    // In a file in which definitions hold from where they stand, nothing that runs may be there before.
    if needs_order && target.runs.iter().any(|at| *at < start) {
        return false;
    }
    let mut names = BTreeSet::new();
    for node in &gone.nodes {
        old.walk_into(|leaf, above| {
            let range = node.byte_range();
            if leaf.end_byte() <= range.start || leaf.start_byte() >= range.end {
                return false;
            }
            let is_name = leaf.child_count() == 0
                && matches!(
                    leaf.kind(),
                    "identifier"
                        | "type_identifier"
                        | "shorthand_property_identifier"
                        | "shorthand_field_identifier"
                );
            let is_field = above.last().is_some_and(|parent| {
                parent.kind() == "attribute"
                    && parent
                        .child_by_field_name("attribute")
                        .is_some_and(|own| own.id() == leaf.id())
            });
            if is_name && !is_field {
                names.insert(old.text(leaf).to_owned());
            }
            true
        });
    }
    names
        .iter()
        .filter(|name| !gone.names.contains(name))
        .all(
            |name| match (source.imports.get(name), target.imports.get(name)) {
                (Some(one), Some(other)) => {
                    one == other && !source.defined.contains(name) && !target.defined.contains(name)
                }
                (None, None) => !source.defined.contains(name) && !target.defined.contains(name),
                _ => false,
            },
        )
}

#[cfg(test)]
mod tests;
