//! Same code: whether two texts differ in their layout alone.
//!
//! ```text
//! f(a,b)      and   f(a, b)         are the same
//! "a,b"       and   "a, b"          are not
//! return x    and   return⏎x        are not, in JavaScript
//! ```
//!
//! In: two texts of a language. Out: true if their trees have the same shape and the same leaves, so that what the
//! language makes of blanks and line ends is the same as well.

use tree_sitter::{Node, TreeCursor};

use super::{Language, SyntaxCache};

/// Tells whether two texts are the same code; false where that cannot be told.
pub fn is_same_code(syntax: &SyntaxCache, language: Language, one: &str, other: &str) -> bool {
    if !has_free_layout(language) {
        return false;
    }
    let (Some(one), Some(other)) = (syntax.parse(language, one), syntax.parse(language, other))
    else {
        return false;
    };
    if one.root().has_error() || other.root().has_error() {
        return false;
    }
    let (mut left, mut right) = (one.root().walk(), other.root().walk());
    loop {
        let (a, b) = (left.node(), right.node());
        let is_whole = a.child_count() == 0 || is_verbatim(a);
        let is_same = a.kind_id() == b.kind_id()
            && if is_whole {
                one.text(a) == other.text(b)
            } else {
                a.child_count() == b.child_count()
            };
        if !is_same || left.field_id() != right.field_id() {
            return false;
        }
        let (l, r) = (step(&mut left, is_whole), step(&mut right, is_whole));
        if l != r {
            return false;
        }
        if !l {
            return true;
        }
    }
}

/// Goes to the next node, children first unless the node was taken whole; false at the end.
fn step(cursor: &mut TreeCursor<'_>, is_whole: bool) -> bool {
    if !is_whole && cursor.goto_first_child() {
        return true;
    }
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// Tells whether the blanks between the tokens of a language are no part of what it says, but for what its tree shows.
fn has_free_layout(language: Language) -> bool {
    match language {
        Language::Rust
        | Language::TypeScript
        | Language::Tsx
        | Language::JavaScript
        | Language::Python
        | Language::Go
        | Language::Json
        | Language::Toml
        | Language::Java => true,
        Language::Css
        | Language::Html
        | Language::Markdown
        | Language::Yaml
        | Language::Bash
        | Language::C
        | Language::Cpp => false,
    }
}

/// Tells whether every blank of a node counts: some grammars have no node for what stands between quotes.
fn is_verbatim(node: Node<'_>) -> bool {
    let kind = node.kind();
    [
        "string", "char", "rune", "template", "regex", "comment", "text",
    ]
    .iter()
    .any(|part| kind.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_told_from_what_code_says() {
        use Language::*;
        let same = |language, one: &str, other: &str| {
            assert!(
                is_same_code(&SyntaxCache::default(), language, one, other),
                "{one:?} {other:?}"
            );
        };
        let differ = |language, one: &str, other: &str| {
            assert!(
                !is_same_code(&SyntaxCache::default(), language, one, other),
                "{one:?} {other:?}"
            );
        };
        same(Rust, "fn a(){f(a,b)}\n", "fn a() {\n    f(a, b)\n}\n");
        differ(Rust, "fn a() { f(a, b) }", "fn a() { f(a, b); }");
        differ(Rust, "fn a() { f(\"a,b\") }", "fn a() { f(\"a, b\") }");
        differ(Rust, "fn a() { f(\" \") }", "fn a() { f(\"  \") }");
        differ(Rust, "fn a() { f(' ') }", "fn a() { f('\t') }");
        differ(Rust, "// a b\nfn a() {}", "// a  b\nfn a() {}");
        differ(Rust, "fn a() { x - -y }", "fn a() { x --y; }");
        differ(Rust, "fn a() {", "fn a()  {");
        same(Python, "if a:\n  b()\n  c()\n", "if a:\n    b()\n    c()\n");
        differ(Python, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n");
        differ(Python, "x = \"a\"\n", "x = \"a \"\n");
        differ(Python, "x = '''\n a'''\n", "x = '''\n  a'''\n");
        differ(Python, "x = f'{a} b'\n", "x = f'{a}  b'\n");
        same(Python, "f(a,\n  b)\n", "f(a, b)\n");
        differ(
            JavaScript,
            "function f() { return x }",
            "function f() { return\nx }",
        );
        same(JavaScript, "f( a )", "f(a)");
        differ(JavaScript, "x = `a ${b}`", "x = `a  ${b}`");
        differ(JavaScript, "x = ` `", "x = `  `");
        differ(JavaScript, "x = /a b/", "x = /a  b/");
        differ(Tsx, "x = <b> a</b>", "x = <b>  a</b>");
        same(Json, "{\"a\":1}", "{ \"a\": 1 }");
        differ(Json, "{\"a \":1}", "{\"a\":1}");
        differ(Json, "{\" \":1}", "{\"  \":1}");
        same(
            Go,
            "package a\nfunc f(){ g( 1 ) }\n",
            "package a\n\nfunc f() { g(1) }\n",
        );
        differ(Toml, "a = ' '\n", "a = '  '\n");
        // Here blanks say something.
        differ(Yaml, "a:\n  b: 1\n", "a:\n    b: 1\n");
        differ(Bash, "a b", "a  b");
    }
}
