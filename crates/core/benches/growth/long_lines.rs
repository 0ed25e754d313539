//! Growth cases on files that are one very long line, or very many lines.
//!
//! In: a size. Out: for each strategy a file of about a hundred times as many bytes and a change
//! that fits exactly, nearly, or not at all.

use serde_json::{Value, json};

use super::{Case, ast, case, edit, recipe, whole};

#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
    case("long line, section, exact", "a.js", |n| (one_line(n), edit(&unit(n / 2), "x();"))),
    case("long line, section, missing", "a.js", |n| (one_line(n), edit("const nowhere = found(at, all);", "x();"))),
    case("long line, section, misspelt", "a.js", |n| (one_line(n), edit(&unit(n / 2).replace("value", "walue"), "x();"))),
    case("long line, section, white space apart", "a.js", |n| (one_line(n), edit(&unit(n / 2).replace(' ', "  "), "x();"))),
    case("long line, section, all of it, exact", "a.js", |n| (one_line(n), edit(&one_line(n), &one_line(n).replace("value7 ", "w ")))),
    case("long line, section, all of it, misspelt", "a.js", |n| (one_line(n), edit(&one_line(n).replace("value7 ", "v "), "x();\n"))),
    case("long line, section, lines around", "a.js", |n| (format!("a;\n{}b;\n", one_line(n)), edit(&format!("a;\n{}c;\n", one_line(n).replace("value7 ", "v ")), "x();\n"))),
    case("long line, section, escaped", "a.js", |n| (one_line(n), edit(&one_line(n).replace('"', "\\\""), "x();\n"))),
    case("long line, section, every place", "a.txt", |n| ("ab ".repeat(33 * n), json!({"section": {"edits": [{"old_text": "b", "new_text": "c", "match": "all"}]}}))),
    case("long line, section, one letter", "a.txt", |n| ("a".repeat(100 * n), edit(&("a".repeat(50 * n) + "b"), "c"))),
    case("long line, section, blanks", "a.txt", |n| (" ".repeat(100 * n) + "x", edit(&(" ".repeat(50 * n) + "y"), "c"))),
    case("long line, section, ellipsis", "a.txt", |n| (one_line(n), edit(&format!("{}...{}", unit(1), unit(3)), "c"))),
    case("long line, section, many pairs", "a.js", |n| (one_line(n), pairs((0..n / 40).map(|k| (unit(9 * k), "x();".to_owned()))))),
    case("long line, section, many loose pairs", "a.js", |n| (one_line(n), pairs((0..n / 400).map(|k| (unit(9 * k).replace(' ', "  "), "x();".to_owned()))))),
    case("long line, section, many pairs that are gone", "a.js", |n| (one_line(n), pairs((0..n / 400).map(|k| (unit(9 * k).replace("value", "walue"), "x();".to_owned()))))),
    case("long line, lines", "a.js", |n| (one_line(n), json!({"lines": {"operations": [{"op": "replace", "startLine": 1, "endLine": 1, "content": [one_line(n).replace("value7 ", "w ").trim_end()]}]}}))),
    case("long line, lines, expected text", "a.js", |n| (one_line(n), json!({"lines": {"operations": [{"op": "replace", "startLine": 1, "endLine": 1, "expected": [one_line(n).replace("value7 ", "w ").trim_end()], "content": ["x"]}]}}))),
    case("long line, unified, exact", "a.js", |n| (one_line(n), patch(&one_line(n), &one_line(n).replace("value7 ", "w ")))),
    case("long line, unified, misspelt", "a.js", |n| (one_line(n), patch(&one_line(n).replace("value9 ", "v "), &one_line(n).replace("value7 ", "w ")))),
    case("long line, unified, a part of it", "a.js", |n| (one_line(n), patch(&(unit(n / 2) + "\n"), "x\n"))),
    case("long line, unified, context apart", "a.js", |n| (format!("a;\n{}b;\n", one_line(n)), json!({"diff": {"patch": format!("@@ -1,3 +1,3 @@\n a;\n {}-b;\n+c;\n", one_line(n).replace("value7 ", "v "))}}))),
    case("long line, dmp, exact", "a.js", |n| (one_line(n), dmp(&unit(n / 2), &unit(n / 2).replace("value", "w")))),
    case("long line, dmp, misspelt", "a.js", |n| (one_line(n), dmp(&unit(n / 2).replace("call", "kall"), "x"))),
    case("long line, dmp, all of it", "a.js", |n| (one_line(n), dmp(one_line(n).trim_end(), "x"))),
    case("long line, dmp, all of it, misspelt", "a.js", |n| (one_line(n), dmp(one_line(n).replace("value7 ", "v ").trim_end(), "x"))),
    case("long line, query", "a.js", |n| (one_line(n / 8), ast(json!({"query": "((identifier) @n (#match? @n \"value7$\"))", "template": "w"})))),
    case("long line, query, all of it", "a.js", |n| (one_line(n / 8), ast(json!({"query": "((identifier) @n (#match? @n \"value\"))", "template": "w", "all": true})))),
    case("long line, query, quantified captures", "a.js", |n| (one_line(n / 8), ast(json!({"query": "(program (_)* @a (_)* @b (_)* @c (_)* @d)", "capture": "a", "action": "delete"})))),
    case("lines, query, quantified captures", "a.js", |n| (many_lines(n / 8), ast(json!({"query": "(program (_)* @a (_)* @b (_)* @c (_)* @d)", "capture": "a", "action": "delete"})))),
    case("lines, query, quantified siblings", "a.js", |n| (many_lines(n / 8), ast(json!({"query": "(program (expression_statement)+ @a . (comment)* @b (lexical_declaration)+ @c)", "capture": "a", "action": "delete"})))),
    case("long line, struct", "a.js", |n| (one_line(n / 8), json!({"struct": {"pattern": "call(:[a], :[b])", "replacement": "c(:[b])"}}))),
    case("long line, struct, nothing closes", "a.js", |n| (one_line(n), json!({"struct": {"pattern": "call(:[a], :[b], :[c]} :[d]", "replacement": "c(:[b])"}}))),
    case("long line, struct, metavariables", "a.js", |n| (one_line(n / 8), json!({"struct": {"pattern": "call($A, $B)", "replacement": "c($B)"}}))),
    case("long line, rename", "a.js", |n| (one_line(n / 8), recipe(json!({"name": "rename_identifier", "from": "call", "to": "c"})))),
    case("long line, wrap_call", "a.js", |n| (one_line(n / 8), recipe(json!({"name": "wrap_call", "call": "call", "with": "g", "all": true})))),
    case("long line, delete_symbol", "a.js", |n| (one_line(n / 8), recipe(json!({"name": "delete_symbol", "symbol": "value7"})))),
    case("long line, whole", "a.js", |n| (one_line(n), whole(one_line(n).replace("value7 ", "w ")))),
    case("long line, whole, another", "a.js", |n| (one_line(n), whole(one_line(n).replace("call", "kall")))),
    case("long line, whole, new", "a.js", |n| (String::new(), whole(one_line(n)))),
    case("long line, whole, one letter", "a.py", |n| (String::new(), whole("a".repeat(100 * n)))),
    case("long line, whole, blanks", "a.py", |n| (String::new(), whole(format!("{}x", " ".repeat(100 * n))))),
    case("long line, whole, hashes", "a.py", |n| (String::new(), whole("# ...".repeat(20 * n)))),
    case("long line, whole, placeholders", "a.js", |n| (String::new(), whole("// ... rest of the code ".repeat(4 * n)))),
    case("lines, whole, another", "a.txt", |n| (many_lines(n), whole(many_lines(n).replace("value", "w")))),
    case("lines, whole, every second", "a.txt", |n| (many_lines(n), whole(every_second(n)))),
    case("lines, whole, the same line", "a.txt", |n| ("x\n".repeat(50 * n), whole("x\ny\n".repeat(25 * n)))),
    case("lines, whole, placeholders", "a.js", |n| ("x;\n".repeat(30 * n), whole("// ...\n".repeat(14 * n)))),
    case("lines, section, missing", "a.js", |n| (many_lines(n), edit("const nowhere = found(at, all);\nreturn;\n", "x();"))),
    case("lines, section, missing and long", "a.js", |n| (many_lines(n), edit(&many_lines(n).replace("call", "kall"), "x();"))),
    case("lines, section, blank lines", "a.txt", |n| ("\n".repeat(100 * n), edit(&"\n".repeat(50 * n), "x"))),
    case("lines, section, blank lines and one more", "a.txt", |n| ("\n".repeat(100 * n), edit(&("\n".repeat(50 * n) + "y"), "x"))),
    case("lines, section, repeated block", "a.txt", |n| ("a\nb\n".repeat(25 * n), edit(&("a\nb\n".repeat(12 * n) + "c"), "x"))),
    case("lines, section, repeated block, loose", "a.txt", |n| ("  a\n  b\n".repeat(12 * n), edit(&("a\nb\n".repeat(6 * n) + "c\n"), "x"))),
    case("lines, section, one letter lines all", "a.txt", |n| ("a\n".repeat(50 * n), json!({"section": {"edits": [{"old_text": "a\n", "new_text": "b\n", "match": "all"}]}}))),
    case("lines, section, elisions", "a.txt", |n| ("a\nb\n".repeat(25 * n), edit(&("a\n...\n".repeat(100) + "c\n"), "x"))),
    case("lines, unified, one large hunk", "a.txt", |n| (many_lines(n), json!({"diff": {"patch": format!("@@ @@\n{}", prefixed(&many_lines(n).replace("value", "w"), '-'))}}))),
    case("lines, unified, many gone hunks", "a.txt", |n| (many_lines(n), json!({"diff": {"patch": (0..n / 40).map(|k| format!("@@ -{0},2 +{0},2 @@\n gone{k};\n-a{k}\n+b\n", k + 1)).collect::<String>()}}))),
    case("lines, dmp, many hunks", "a.js", |n| (many_lines(n), json!({"diff": {"kind": "dmp", "patch": (0..n / 40).map(|k| { let u = unit(9 * k); format!("@@ -{0},{1} +{0},{2} @@\n-{u}\n+x\n", k * 900 + 1, u.len(), 1) }).collect::<String>()}}))),
    case("lines, unified, repeated", "a.txt", |n| ("a\nb\n".repeat(25 * n), json!({"diff": {"patch": format!("@@ @@\n{}-c\n+d\n", " a\n b\n".repeat(5 * n))}}))),
];

fn unit(number: usize) -> String {
    format!(
        "let value{number} = call({number}, \"text of {number}\"); if (value{number} > 1) {{ more({number}); }}"
    )
}

fn one_line(count: usize) -> String {
    let units: Vec<String> = (0..count).map(unit).collect();
    units.join(" ") + "\n"
}

fn many_lines(count: usize) -> String {
    (0..count).map(|number| unit(number) + "\n").collect()
}

fn every_second(count: usize) -> String {
    let line = |number: usize| match number % 2 {
        0 => unit(number) + "\n",
        _ => format!("other {number}\n"),
    };
    (0..count).map(line).collect()
}

fn pairs(pairs: impl Iterator<Item = (String, String)>) -> Value {
    let pairs = pairs.map(|(old, new)| json!({"old_text": old, "new_text": new}));
    json!({"section": {"edits": pairs.collect::<Vec<_>>()}})
}

fn prefixed(lines: &str, mark: char) -> String {
    lines
        .lines()
        .map(|line| format!("{mark}{line}\n"))
        .collect()
}

fn patch(old: &str, new: &str) -> Value {
    let hunk = format!(
        "@@ -1,1 +1,1 @@\n{}{}",
        prefixed(old, '-'),
        prefixed(new, '+')
    );
    json!({"diff": {"patch": hunk}})
}

fn dmp(old: &str, new: &str) -> Value {
    let (before, after) = (old.len(), new.len());
    json!({"diff": {"kind": "dmp", "patch": format!("@@ -1,{before} +1,{after} @@\n-{old}\n+{new}\n")}})
}
