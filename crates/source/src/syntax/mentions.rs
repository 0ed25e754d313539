//! Mentions: where a text has a name, and as what.
//!
//! In: a tree and a name. Out: each place where the name stands as a name of the language, not in a string
//! or a comment, with the definition that it is within.

use tree_sitter::Node;

use super::outline::{Symbol, outline};
use super::{Language, Parsed};

/// What a name is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is defined.
    Definition,
    /// It is called, or a macro is invoked.
    Call,
    /// It is a type.
    Type,
    /// It is imported.
    Import,
    /// Anything else.
    Other,
}

/// A place where a text has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Its 1-based line.
    pub line: usize,
    /// What it is there.
    pub kind: Use,
    /// The path of names of the innermost definition around it, without the one that it names.
    pub container: Option<String>,
}

impl Use {
    /// Returns the kind in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Call => "call",
            Self::Type => "type",
            Self::Import => "import",
            Self::Other => "use",
        }
    }
}

const CALLS: &[&str] = &[
    "call_expression",
    "call",
    "method_invocation",
    "macro_invocation",
    "new_expression",
    "object_creation_expression",
    "command_name",
];
/// Nodes between a call and the name that is called.
const MEMBERS: &[&str] = &[
    "field_expression",
    "attribute",
    "member_expression",
    "selector_expression",
    "scoped_identifier",
    "generic_function",
    "qualified_identifier",
];
const IMPORTS: &[&str] = &[
    "use_declaration",
    "import_statement",
    "import_from_statement",
    "import_declaration",
    "import_spec",
    "extern_crate_declaration",
];

/// Returns where a text has a name, in order.
pub fn mentions(language: Language, parsed: &Parsed<'_>, name: &str) -> Vec<Mention> {
    let source = parsed.source();
    let places: Vec<usize> = source.match_indices(name).map(|(at, _)| at).collect();
    if name.is_empty() || places.is_empty() {
        return Vec::new();
    }
    let symbols = outline(language, parsed);
    let mut found = Vec::new();
    parsed.walk_into(|node, above| {
        let next = places.partition_point(|at| *at < node.start_byte());
        if places.get(next).is_none_or(|at| *at >= node.end_byte()) {
            return false;
        }
        if node.child_count() == 0 && parsed.text(node) == name && is_name(language, node) {
            let kind = kind(language, node, above);
            found.push(Mention {
                line: node.start_position().row + 1,
                kind,
                container: container(&symbols, node, kind, name),
            });
        }
        true
    });
    found
}

fn is_name(language: Language, node: Node<'_>) -> bool {
    let known = language.identifiers();
    known.contains(&node.kind()) || known.is_empty() && node.is_named() || node.kind() == "word"
}

fn kind(language: Language, node: Node<'_>, above: &[Node<'_>]) -> Use {
    let near = above.iter().rev();
    if above.iter().any(|above| IMPORTS.contains(&above.kind())) {
        return Use::Import;
    }
    // A definition is one or two nodes above its name: C has declarators in between.
    if near
        .clone()
        .take(3)
        .any(|above| is_named_by(language, node, above) && is_plain(*above, node))
    {
        return Use::Definition;
    }
    let mut callee = node;
    for above in near.take(3) {
        if CALLS.contains(&above.kind()) {
            let called = ["function", "name", "macro", "constructor", "type"]
                .iter()
                .find_map(|field| above.child_by_field_name(field));
            let is_called = called.is_some_and(|called| called.byte_range() == callee.byte_range());
            return if is_called || above.kind() == "command_name" {
                Use::Call
            } else {
                plain(node)
            };
        }
        // Only the last name of a path or of a chain of members is called.
        if !MEMBERS.contains(&above.kind()) || above.end_byte() != node.end_byte() {
            break;
        }
        callee = *above;
    }
    plain(node)
}

/// True if a node above is a definition of which this one is the name.
fn is_named_by(language: Language, node: Node<'_>, above: &Node<'_>) -> bool {
    let mut definitions = language.facts().definitions.iter();
    let defines =
        definitions.any(|definition| definition.kind == above.kind() && definition.is_outlined());
    let field = |name| above.child_by_field_name(name);
    let names = field("name")
        .or_else(|| field("declarator"))
        .or_else(|| field("left"));
    defines
        && names.is_some_and(|named| named.byte_range().contains(&node.start_byte()))
        && above
            .child_by_field_name("type")
            .is_none_or(|of| !of.byte_range().contains(&node.start_byte()))
        && field("parameters").is_none_or(|of| !of.byte_range().contains(&node.start_byte()))
}

/// Returns whether nothing stands between a definition and its name but declarators.
fn is_plain(definition: Node<'_>, name: Node<'_>) -> bool {
    let mut at = Some(definition);
    while let Some(node) = at {
        if node.byte_range() == name.byte_range() {
            return true;
        }
        at = node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("declarator"))
            .or_else(|| node.child_by_field_name("left"));
    }
    false
}

fn plain(node: Node<'_>) -> Use {
    if node.kind() == "type_identifier" {
        Use::Type
    } else {
        Use::Other
    }
}

/// Returns the path of the innermost definition around a node.
fn container(symbols: &[Symbol], node: Node<'_>, kind: Use, name: &str) -> Option<String> {
    let around = symbols.iter().filter(|symbol| {
        let is_own = kind == Use::Definition
            && symbol.name == name
            && symbol.range.start + OWN_HEAD >= node.start_byte();
        symbol.range.contains(&node.start_byte()) && !is_own
    });
    around
        .max_by_key(|symbol| symbol.depth)
        .map(|symbol| symbol.path.clone())
}

/// A definition begins at most so many bytes before its name: visibility and modifiers.
const OWN_HEAD: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, name: &str, expected: &[&str]) {
        // A build may leave its grammar out.
        if !Language::ALL.contains(&language) {
            return;
        }
        let parsed = language.parse(text).unwrap();
        let found: Vec<String> = mentions(language, &parsed, name)
            .into_iter()
            .map(|mention| {
                let container = mention.container.unwrap_or_default();
                format!("{} {} {container}", mention.line, mention.kind.word())
                    .trim()
                    .to_owned()
            })
            .collect();
        assert_eq!(found, expected, "{language:?}");
    }

    #[test]
    fn names_are_found_with_what_they_are() {
        check(
            Language::Rust,
            "use a::twice;\nfn twice(x: i32) -> i32 { x }\nimpl T {\n    fn m(&self) { self.twice(); b::twice(1); let t = twice; }\n}\n// twice\nconst S: &str = \"twice\";\nfn main() { println!(\"{}\", twice(2)); }\n",
            "twice",
            &[
                "1 import",
                "2 definition",
                "4 call T.m",
                "4 call T.m",
                "4 use T.m",
                "8 use main",
            ],
        );
        check(
            Language::Rust,
            "struct Head;\nfn f(h: Head) -> Head { Head }\n",
            "Head",
            &["1 definition", "2 type f", "2 type f", "2 use f"],
        );
        check(
            Language::Python,
            "from a import f\nclass C:\n    def f(self):\n        self.f()\nx = f()\n",
            "f",
            &["1 import", "3 definition C", "4 call C.f", "5 call x"],
        );
        check(
            Language::TypeScript,
            "import { f } from './a';\nexport function g(): F { return f(new F()); }\n",
            "f",
            &["1 import", "2 call g"],
        );
        check(
            Language::Go,
            "package a\n\nfunc F() {}\n\nfunc (t *T) G() { F(); p.F() }\n",
            "F",
            &["3 definition", "5 call G", "5 call G"],
        );
        check(
            Language::Java,
            "class A {\n  int f() { return this.f(); }\n}\n",
            "f",
            &["2 definition A", "2 call A.f"],
        );
        check(
            Language::C,
            "int f(void) { return 1; }\nint g(void) { return f(); }\n",
            "f",
            &["1 definition", "2 call g"],
        );
    }

    #[test]
    fn an_empty_name_is_nowhere() {
        check(Language::Rust, "fn f() {}", "", &[]);
    }
}
