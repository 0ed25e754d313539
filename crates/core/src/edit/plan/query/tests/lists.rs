//! Members of lists, with the commas and blanks between them.

use super::*;

#[test]
fn what_is_put_or_taken_within_a_line_leaves_single_blanks() {
    let gone = |path: &str, before: &str, query: &str, after: &str| {
        check(path, before, query, Do::Delete, "", after);
    };
    let attribute = "(jsx_attribute) @a";
    gone("a.tsx", "x = <B c={1} />;\n", attribute, "x = <B />;\n");
    gone("a.tsx", "x = <B c>t</B>;\n", attribute, "x = <B>t</B>;\n");
    check(
        "a.css",
        ".a { top: 0; }\n",
        "(declaration) @d",
        Do::Insert(At::After),
        "left: 0;",
        ".a { top: 0; left: 0; }\n",
    );
}

#[test]
fn lists_keep_their_commas() {
    let args = "(arguments) @a";
    check(
        "a.js",
        "f(x)\n",
        args,
        Do::Insert(At::End),
        "y",
        "f(x, y)\n",
    );
    check(
        "a.js",
        "f(x)\n",
        args,
        Do::Insert(At::Start),
        "y",
        "f(y, x)\n",
    );
    check("a.js", "f()\n", args, Do::Insert(At::End), "y", "f(y)\n");
    check(
        "a.js",
        "f(\n  x,\n)\n",
        args,
        Do::Insert(At::End),
        "y",
        "f(\n  x,\n  y,\n)\n",
    );
    // The comma is on the line of its member, whatever blank lines follow.
    check(
        "a.js",
        "f(\n  x,\n)\n",
        args,
        Do::Insert(At::Start),
        "y\n\n",
        "f(\n  y,\n\n  x,\n)\n",
    );
    check(
        "a.js",
        "x = {\n  a: 1\n}\n",
        "(object) @o",
        Do::Insert(At::End),
        "b: 2",
        "x = {\n  a: 1,\n  b: 2\n}\n",
    );
    check(
        "a.js",
        "x = {\n  a: 1,\n}\n",
        "(object) @o",
        Do::Insert(At::Start),
        "b: 2",
        "x = {\n  b: 2,\n  a: 1,\n}\n",
    );
    check(
        "a.tsx",
        "x = <p>\n  <b/>\n</p>\n",
        "(jsx_element) @e",
        Do::Insert(At::End),
        "<i/>",
        "x = <p>\n  <b/>\n  <i/>\n</p>\n",
    );
    check(
        "a.rs",
        "struct S {\n    a: u8,\n}\n",
        "(struct_item) @s",
        Do::Insert(At::End),
        "b: u8,",
        "struct S {\n    a: u8,\n    b: u8,\n}\n",
    );
}

#[test]
fn neighbours_in_a_list_go_together() {
    let gone = |path: &str, before: &str, query: &str, after: &str| {
        check(path, before, query, Do::Delete, "", after);
    };
    gone(
        "a.rs",
        "use a::{b, c};\n",
        "(use_list (identifier) @x)",
        "use a::{};\n",
    );
    gone(
        "a.rs",
        "fn f() {\n    let (a, b) = c(d, e, f);\n}\n",
        "(tuple_pattern (identifier) @x)",
        "fn f() {\n    let () = c(d, e, f);\n}\n",
    );
    gone(
        "a.rs",
        "fn f() {\n    c(d, e, 1);\n}\n",
        "(arguments (identifier) @x)",
        "fn f() {\n    c(1);\n}\n",
    );
    gone(
        "a.rs",
        "fn f() {\n    c(1, d, e);\n}\n",
        "(arguments (identifier) @x)",
        "fn f() {\n    c(1);\n}\n",
    );
    gone(
        "a.json",
        "[\n  1,\n  \"b\",\n  \"c\"\n]\n",
        "(string) @x",
        "[\n  1\n]\n",
    );
}
