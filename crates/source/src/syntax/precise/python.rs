//! Python by ruff's parser.
//!
//! In: a text; or one that comes from an earlier one, of which nothing is known. Out: its errors;
//! or whether what was edited is whole statements in both, so that no error comes in with it.

use std::collections::HashSet;
use std::ops::Range;

use rustpython_ruff_python_ast::visitor::{self, Visitor};
use rustpython_ruff_python_ast::{Expr, Mod, Parameters, Stmt};
use rustpython_ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use super::part::{Part, edited, is_good};
use super::{Fault, first_line, is_flat};
use crate::syntax::{Earlier, Language};
use crate::word::is_word;

/// What goes on with the statement above it.
const CLAUSES: &[&str] = &["else", "elif", "except", "finally", "case"];

/// Returns the errors of a text.
pub(super) fn faults(text: &str) -> Vec<Fault> {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let faults = parsed.errors().iter().map(|error| {
        let range = error.location.start().to_usize()..error.location.end().to_usize();
        Fault::new(range, first_line(&error.error.to_string()))
    });
    let mut faults: Vec<Fault> = faults.collect();
    if faults.is_empty()
        && let Mod::Module(module) = parsed.syntax()
    {
        let mut misplaced = Misplaced::default();
        misplaced.visit_body(&module.body);
        faults = misplaced.faults;
    }
    faults
}

/// What is a syntax error of Python though its grammar has it: that which is out of place, and names
/// that stand twice.
#[derive(Debug, Default)]
struct Misplaced {
    functions: usize,
    loops: usize,
    faults: Vec<Fault>,
}

impl Misplaced {
    fn note(&mut self, at: Range<usize>, message: String) {
        self.faults.push(Fault::new(at, message));
    }

    fn check(&mut self, parameters: &Parameters) {
        let mut seen = HashSet::new();
        for parameter in parameters {
            let name = parameter.name();
            if !seen.insert(name.as_str()) {
                let at = name.range.start().to_usize()..name.range.end().to_usize();
                self.note(at, format!("there are two parameters `{name}`"));
            }
        }
    }

    /// Looks at what is in a function or class of its own.
    fn within(&mut self, functions: usize, look: impl FnOnce(&mut Self)) {
        let outer = (self.functions, self.loops);
        (self.functions, self.loops) = (functions, 0);
        look(self);
        (self.functions, self.loops) = outer;
    }
}

impl Visitor<'_> for Misplaced {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        // Where each begins tells enough.
        match stmt {
            Stmt::FunctionDef(function) => {
                self.check(&function.parameters);
                self.within(self.functions + 1, |inner| visitor::walk_stmt(inner, stmt));
            }
            Stmt::ClassDef(_) => self.within(0, |inner| visitor::walk_stmt(inner, stmt)),
            Stmt::For(_) | Stmt::While(_) => {
                self.loops += 1;
                visitor::walk_stmt(self, stmt);
                self.loops -= 1;
            }
            Stmt::Return(own) if self.functions == 0 => {
                let at = empty_range(own.range.start().to_usize());
                self.note(at, "`return` outside of a function".to_owned());
            }
            Stmt::Break(own) if self.loops == 0 => {
                let at = empty_range(own.range.start().to_usize());
                self.note(at, "`break` outside of a loop".to_owned());
            }
            Stmt::Continue(own) if self.loops == 0 => {
                let at = empty_range(own.range.start().to_usize());
                self.note(at, "`continue` outside of a loop".to_owned());
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.check(parameters);
                }
                self.within(self.functions + 1, |inner| visitor::walk_expr(inner, expr));
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

fn empty_range(start: usize) -> Range<usize> {
    start..start
}

/// Returns whether the edits of an earlier text bring in no error, as far as the statements that
/// they touch show.
///
/// A file is statements one after another, each from the beginning of a line. If whole ones stand
/// in the place of whole ones, what is around them is read as it was. What is cut out begins and
/// ends where a line without indentation does, outside of brackets and strings, that does not go
/// on with what is above it.
pub(super) fn stays_good(after: &str, earlier: &Earlier<'_>) -> bool {
    let Some(edited) = edited(earlier) else {
        return true;
    };
    let mut part = Part::from_start();
    let text = earlier.text;
    let (bytes, lexis) = (text.as_bytes(), Language::Python.lexis());
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at).copied() {
        if matches!(byte, b'"' | b'\'' | b'#' | b'r' | b'f')
            && let Some(region) = lexis.region_at(text, at)
        {
            at = region.range.end.max(at + 1);
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            // The line goes on.
            b'\\' => at += 1,
            b'\n' if depth == 0 && begins_statement(text.get(at + 1..).unwrap_or_default()) => {
                part.cut(at + 1, &edited);
            }
            _ => {}
        }
        if part.is_done() {
            break;
        }
        at += 1;
    }
    part.range().is_some_and(|part| {
        is_good(after, earlier, &part, |text| {
            is_flat(text) && faults(text).is_empty()
        })
    })
}

fn begins_statement(rest: &str) -> bool {
    let word = rest.split(|c: char| !is_word(c)).next();
    rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
        && word.is_none_or(|word| !CLAUSES.contains(&word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::precise::part::judge;

    fn file() -> String {
        let mut text = String::from("\"\"\"The file.\n\nx = 1\n\"\"\"\nimport os\n\n");
        for n in 0..6 {
            text += &format!(
                "@wrap\ndef a{n}(\n    b, c=')',\n):\n    \"\"\"Says.\ndef\n    \"\"\"\n    if b:\n        return {{\n1: \
                 c}}\n    return b\n\n\nif a{n}(1):\n    d = '\\''\nelif os:\n    d = f'{{os}}'\nelse:\n    d = 1 + \\\n2\n\n"
            );
        }
        text + "class E:\n    def f(self):\n        pass\n"
    }

    #[test]
    fn an_edit_is_judged_by_the_statements_around_it() {
        let text = file();
        assert_eq!(faults(&text), []);
        let check = |old: &str, new: &str, expected: bool| {
            let (_, good) = judge(stays_good, &text, text.find(old).unwrap(), old, new);
            assert_eq!(good, expected, "{old} -> {new}");
        };
        check("def a2(", "async def renamed(", true);
        check("return b\n", "return (b\n", false);
        check("    if b:\n", "", false);
        check("elif os:", "elif os", false);
        check("    d = '\\''\nelif", "    d = 2\nelif", true);
        check("@wrap\ndef a3", "def a3", true);
        check("import os", "import os, sys", true);
        // There is no statement after the last.
        check("class E:", "class F:", false);
    }

    #[test]
    fn what_is_out_of_place_is_an_error() {
        let check =
            |text: &str, expected: usize| assert_eq!(faults(text).len(), expected, "{text}");
        check("return 1\n", 1);
        check(
            "class A:\n    def f(self):\n        return 1\n    return 2\n",
            1,
        );
        check("def f(a, b=1, *c, d, **e):\n    return lambda a, b: a\n", 0);
        check("def f(a, b, a):\n    pass\n", 1);
        check("f = lambda a, a: a\n", 1);
        check(
            "for a in b:\n    def f():\n        break\n    continue\n",
            1,
        );
        check("while a:\n    if b:\n        break\nelse:\n    c\n", 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What is good by its part is good as a whole.
        #[test]
        fn no_edit_is_good_that_the_whole_refuses(
            from in 0..file().len(),
            length in 0..40_usize,
            new in prop::sample::select(vec![
                "", "x", " ", "\n", "(", ")", "{", "}", "\"", "'", "\"\"\"", "#", "\\", "\\\n", ":", "    ",
                "def i(): pass\n", "\nelse:\n    x\n", "if x:\n", "@w\n", "else: pass\n", "pass\n", "\npass\n", "f'{",
            ]),
        ) {
            let text = file();
            let end = (from + length).min(text.len());
            prop_assume!(text.is_char_boundary(from) && text.is_char_boundary(end));
            let (after, good) = judge(stays_good, &text, from, &text[from..end], new);
            if good {
                prop_assert_eq!(faults(&after), [], "{}", after);
            }
        }
    }
}
