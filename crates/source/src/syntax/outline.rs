//! Outline: the definitions of a text.
//!
//! In: a tree. Out: its named definitions in order, each with the lines that it covers and the
//! path of names that leads to it.

use std::ops::{Range, RangeInclusive};

use tree_sitter::Node;

use super::definition::{Definition, Definitions};
use super::{Language, Parsed};
use crate::quote::line_breaks;

/// The longest name that is kept, in characters.
const NAME_CHARS: usize = 120;

/// A named definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name.
    pub name: String,
    /// Its name after those that it is within: `Type.method`.
    pub path: String,
    /// What it is, in one word.
    pub what: &'static str,
    /// How many definitions it is within.
    pub depth: usize,
    /// Its 1-based lines.
    pub lines: RangeInclusive<usize>,
    /// Its bytes.
    pub range: Range<usize>,
}

/// Returns the definitions of a text in order.
pub fn outline(language: Language, parsed: &Parsed<'_>) -> Vec<Symbol> {
    outline_of(language, parsed, 0..parsed.source().len())
}

/// Returns the first `most` definitions as text, a line each: `12-40 function read`, and how many more there are.
pub fn listing(symbols: &[Symbol], most: usize) -> String {
    let mut listed: String = symbols.iter().take(most).map(outline_line).collect();
    if let Some(more @ 1..) = symbols.len().checked_sub(most) {
        listed += &format!("({more} more)\n");
    }
    listed
}

fn outline_line(symbol: &Symbol) -> String {
    let (first, last) = (symbol.lines.start(), symbol.lines.end());
    let indent = "  ".repeat(symbol.depth.min(8));
    // A heading or a key may hold what ends a line.
    let name = symbol.name.replace('\n', " ");
    let name = line_breaks(&name);
    format!("{indent}{first}-{last} {} {name}\n", symbol.what)
}

/// Returns the definitions of a text that touch the bytes `within`, in order.
pub fn outline_of(language: Language, parsed: &Parsed<'_>, within: Range<usize>) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::new();
    // Ends and paths of the definitions around the present node.
    let mut around: Vec<(usize, String)> = Vec::new();
    if !language.defines() {
        return symbols;
    }
    let definitions = Definitions::of(language);
    parsed.walk_into(|node, above| {
        if node.end_byte() < within.start || within.end < node.start_byte() {
            return false;
        }
        let defined = definitions.get(node).filter(|own| own.is_outlined());
        let named = defined.and_then(|own| Some((own, name(parsed, own, node, above)?)));
        let Some((definition, name)) = named else {
            return true;
        };
        while around
            .last()
            .is_some_and(|(end, _)| *end <= node.start_byte())
        {
            around.pop();
        }
        let path = match around.last() {
            Some((_, outer)) => format!("{outer}.{name}"),
            None => name.clone(),
        };
        let lines = node.start_position().row + 1..=last_row(node) + 1;
        let depth = around.len();
        symbols.push(Symbol {
            name,
            path: path.clone(),
            what: definition.what,
            depth,
            lines,
            range: node.byte_range(),
        });
        around.push((node.end_byte(), path));
        true
    });
    symbols
}

impl Language {
    /// Returns whether texts of the language define anything that an outline lists.
    pub fn defines(self) -> bool {
        !self.facts().definitions.is_empty()
    }
}

/// Returns the 0-based row that a node ends on; a newline at its end is not another row.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 {
        end.row.saturating_sub(1).max(node.start_position().row)
    } else {
        end.row
    }
}

/// Returns the name that a node defines; none if it only mentions one.
fn name(
    parsed: &Parsed<'_>,
    definition: &Definition,
    node: Node<'_>,
    above: &[Node<'_>],
) -> Option<String> {
    let defines = match node.kind() {
        "assignment" => at_top(above, &["expression_statement"]),
        "variable_declarator" => at_top(above, SCRIPT_TOP) || holds_function(node),
        "const_spec" | "var_spec" => at_top(above, GO_TOP),
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
            node.child_by_field_name("body").is_some()
        }
        _ => true,
    };
    let named = definition.name_in(node).filter(|_| defines)?;
    let text = parsed.text(named).trim();
    let name: String = text.lines().next()?.chars().take(NAME_CHARS).collect();
    let plain = !matches!(
        named.kind(),
        "object_pattern" | "array_pattern" | "pattern_list"
    );
    (plain && !name.is_empty()).then_some(name)
}

const SCRIPT_TOP: &[&str] = &[
    "lexical_declaration",
    "variable_declaration",
    "export_statement",
];
const GO_TOP: &[&str] = &["const_declaration", "var_declaration", "var_spec_list"];

/// Returns whether only nodes of these kinds are between the root and what `above` is above.
fn at_top(above: &[Node<'_>], between: &[&str]) -> bool {
    above
        .split_first()
        .is_some_and(|(_, inner)| inner.iter().all(|node| between.contains(&node.kind())))
}

fn holds_function(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value").map(|value| value.kind());
    matches!(
        value,
        Some("arrow_function" | "function_expression" | "class")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, expected: &[&str]) {
        // A build may leave its grammar out.
        if !Language::ALL.contains(&language) {
            return;
        }
        let parsed = language.parse(text).unwrap();
        let found: Vec<String> = outline(language, &parsed)
            .iter()
            .map(|symbol| {
                let (first, last) = (symbol.lines.start(), symbol.lines.end());
                format!("{} {} {first}-{last}", symbol.what, symbol.path)
            })
            .collect();
        assert_eq!(found, expected, "{language:?}");
    }

    #[test]
    fn definitions_are_listed_with_their_lines() {
        check(
            Language::Rust,
            "struct A;\nimpl A {\n    fn new() -> Self {\n        A\n    }\n}\nfn main() { let x = 1; }\n",
            &[
                "struct A 1-1",
                "impl A 2-6",
                "function A.new 3-5",
                "function main 7-7",
            ],
        );
        check(
            Language::Tsx,
            "export const A = () => <b/>;\nconst { x } = y;\nclass B {\n  m() { const z = 1; }\n}\nexport default function f() {}\n",
            &[
                "variable A 1-1",
                "class B 3-5",
                "method B.m 4-4",
                "function f 6-6",
            ],
        );
        check(
            Language::Python,
            "X = 1\nclass A:\n    y = 2\n    def m(self):\n        z = 3\n",
            &["variable X 1-1", "class A 2-5", "function A.m 4-5"],
        );
        check(
            Language::Go,
            "package a\n\nconst X = 1\n\ntype T struct{}\n\nfunc (t *T) M() { var y int; _ = y }\n",
            &["constant X 3-3", "type T 5-5", "method M 7-7"],
        );
        check(
            Language::C,
            "#define X 1\nstruct s { int a; };\nstatic int *f(struct s *p) { return 0; }\ntypedef int t;\n",
            &[
                "macro X 1-1",
                "struct s 2-2",
                "function f 3-3",
                "type t 4-4",
            ],
        );
        check(
            Language::Cpp,
            "namespace n {\nclass A { void m() {} };\n}\nvoid n::A::k() {}\n",
            &[
                "namespace n 1-3",
                "class n.A 2-2",
                "function n.A.m 2-2",
                "function n::A::k 4-4",
            ],
        );
        check(
            Language::Java,
            "class A {\n  A() {}\n  int m() { return 1; }\n}\n",
            &["class A 1-4", "constructor A.A 2-2", "method A.m 3-3"],
        );
        check(Language::Bash, "f() {\n  x=1\n}\n", &["function f 1-3"]);
        check(
            Language::Markdown,
            "# A\n\ntext\n\n## B\n",
            &["heading A 1-1", "heading B 5-5"],
        );
        check(Language::Toml, "a = 1\n[b.c]\nd = 2\n", &["table b.c 2-3"]);
        check(Language::Json, "{\"a\": 1}", &[]);
    }
}
