//! Adds a function or method.
//!
//! In: the whole function, and where it goes: into a container, beside a symbol, or at an end
//! of the file. Out: a plan that puts it there at the indentation of the place, with blank
//! lines as the place has them. The same function there already is no second one.

mod containers;
mod place;
mod splice;

use std::ops::Range;

use super::snippet::Snippet;
use super::symbol::{self, Container, Item};
use super::{
    Family, File, OrAnswer, Outcome, ParsedFile, Plan, already, invalid, modified, refused,
};
use crate::edit::request::NewFunction;

/// Where the function goes.
struct FunctionPlace<'a> {
    spot: FunctionSpot<'a>,
    /// The indentation there.
    base: String,
    /// What the place is in, as the items there have it.
    path: Vec<Container>,
    /// True in a class without a name of its own.
    in_class: bool,
    /// How the place was found.
    how: String,
}

#[derive(Clone)]
enum FunctionSpot<'a> {
    /// Before a 0-based line.
    Line(usize),
    /// At an end of what braces on one line hold: the white space there, and the indentation of the braces.
    Braces(Range<usize>, &'a str),
    /// In the place of a statement that only fills a suite.
    Filler(Range<usize>),
}

/// The file and the items in it.
struct FunctionSite<'a, 't> {
    site: &'t ParsedFile<'a>,
    items: Vec<Item<'t>>,
}

/// Plans the function.
pub(super) fn plan(file: File<'_>, request: &NewFunction) -> OrAnswer<Plan> {
    let site = &file.parsed()?;
    let snippet = Snippet::parse(site, &request.code)?;
    let items = symbol::items(site.language, &site.tree);
    let function = FunctionSite { site, items };
    let place = function.locate(&snippet, request)?;
    let splice = function.splice(&snippet, &place);
    modified(vec![splice], place.how, 1)
}

impl<'a> FunctionSite<'a, '_> {
    fn locate(&self, snippet: &Snippet, request: &NewFunction) -> OrAnswer<FunctionPlace<'a>> {
        if request.after.is_some() && request.before.is_some() {
            return Err(invalid("give `after` or `before`, not both"));
        }
        let place = self.place(request)?;
        self.refuse_twin(snippet, &place)?;
        let in_class =
            place.in_class || (place.path.last().is_some() && self.is_class(&place.path));
        if self.site.family == Family::Script && in_class != snippet.member {
            return Err(invalid(if in_class {
                "a class takes methods, without `function`"
            } else {
                "a method needs a class: name it in `in`"
            }));
        }
        Ok(place)
    }

    fn is_class(&self, path: &[Container]) -> bool {
        self.items.iter().any(|item| {
            let same = path
                .split_last()
                .is_some_and(|(last, rest)| item.name == last.name && item.path.as_slice() == rest);
            same && item.body().is_some_and(|body| body.kind() == "class_body")
        })
    }

    /// Refuses a second function of the name, or finds the same one there.
    fn refuse_twin(&self, snippet: &Snippet, place: &FunctionPlace<'_>) -> Result<(), Outcome> {
        let twins: Vec<&Item<'_>> = self
            .items
            .iter()
            .filter(|item| item.name == snippet.name && item.path == place.path)
            .collect();
        let lines = |code: &str| self.site.lines(code, "");
        for item in &twins {
            let start = self.site.file.line_start(item.outer.start_byte());
            let code = self.site.file.text.get(start..item.outer.end_byte());
            if lines(code.unwrap_or_default()) == lines(snippet.item.trim_end_matches(';'))
                || lines(code.unwrap_or_default()) == lines(&snippet.item)
            {
                return Err(already(format!("`{}` is there", snippet.name)));
            }
        }
        match twins.first() {
            None => Ok(()),
            Some(item) => Err(refused(format!(
                "another `{}` is on line {}; use `replace_symbol_body`",
                snippet.name,
                self.site.file.line(item.node.start_byte())
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, check};

    fn add(code: &str, more: &str) -> String {
        let code = serde_json::to_string(code).unwrap();
        format!(r#"{{"name":"add_function","code":{code}{more}}}"#)
    }

    #[test]
    fn a_function_goes_where_it_was_asked_to() {
        let f = "fn f() {\n    x()\n}";
        check(
            "a.rs",
            &add(f, ""),
            "fn a() {}\n",
            "fn a() {}\n\nfn f() {\n    x()\n}\n",
        );
        check(
            "a.rs",
            &add(f, r#","after":"a""#),
            "fn a() {}\n\nfn b() {}\n",
            "fn a() {}\n\nfn f() {\n    x()\n}\n\nfn b() {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","before":"b""#),
            "fn a() {}\n\n/// B.\nfn b() {}\n",
            "fn a() {}\n\nfn f() {}\n\n/// B.\nfn b() {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","position":"start""#),
            "//! Doc.\n\nuse a;\n\nfn a() {}\n",
            "//! Doc.\n\nuse a;\n\nfn f() {}\n\nfn a() {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", ""),
            "fn a() {}\n\n#[cfg(test)]\nmod tests {}\n",
            "fn a() {}\n\nfn f() {}\n\n#[cfg(test)]\nmod tests {}\n",
        );
        check(
            "a.py",
            &add("def f():\n  x()", ""),
            "a = 1\n",
            "a = 1\n\n\ndef f():\n    x()\n",
        );
        check(
            "a.py",
            &add("def f(): pass", ""),
            "def a(): pass\n\n\nif __name__ == '__main__':\n    a()\n",
            "def a(): pass\n\n\ndef f(): pass\n\n\nif __name__ == '__main__':\n    a()\n",
        );
        check(
            "a.ts",
            &add("export const f = () => 1;", r#","after":"a""#),
            "function a() {}\n",
            "function a() {}\n\nexport const f = () => 1;\n",
        );
        check("a.ts", &add("function f() {}", ""), "", "function f() {}\n");
    }

    #[test]
    fn a_method_goes_into_its_container() {
        let in_a = r#","in":"A""#;
        check(
            "a.rs",
            &add("/// F.\nfn f(&self) {\n  x()\n}", in_a),
            "impl A {\n    fn a() {}\n}\n\nimpl T for A {}\n",
            "impl A {\n    fn a() {}\n\n    /// F.\n    fn f(&self) {\n        x()\n    }\n}\n\nimpl T for A {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", in_a),
            "impl A {}\n",
            "impl A {\n    fn f() {}\n}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","in":"impl T for A""#),
            "impl A {}\nimpl<X> T for A<X> {\n}\n",
            "impl A {}\nimpl<X> T for A<X> {\n    fn f() {}\n}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","in":"A","position":"start""#),
            "mod A {\n\tfn a() {}\n}\n",
            "mod A {\n\tfn f() {}\n\n\tfn a() {}\n}\n",
        );
        check(
            "a.ts",
            &add("f() {\n    x();\n}", in_a),
            "class A {\n  a = 1;\n}\n",
            "class A {\n  a = 1;\n\n  f() {\n    x();\n  }\n}\n",
        );
        check(
            "a.js",
            &add("f() {}", r#","after":"a""#),
            "X.Y = class extends Z {\n  a() {}\n};\n",
            "X.Y = class extends Z {\n  a() {}\n\n  f() {}\n};\n",
        );
        check(
            "a.ts",
            &add("f() {}", in_a),
            "class A { a = 1 }\n",
            "class A { a = 1\n  f() {}\n}\n",
        );
        check(
            "a.py",
            &add("def f(self):\n    x()", in_a),
            "class A:\n    '''Doc.'''\n    def a(self): pass\n\nb()\n",
            "class A:\n    '''Doc.'''\n    def a(self): pass\n\n    def f(self):\n        x()\n\nb()\n",
        );
        check(
            "a.py",
            &add("def f(self): x()", in_a),
            "class A:\n    pass\n",
            "class A:\n    def f(self): x()\n",
        );
        check(
            "a.py",
            &add("def f(self): x()", in_a),
            "class A: ...\n",
            "class A:\n    def f(self): x()\n",
        );
        check(
            "a.py",
            &add("def f(self): x()", in_a),
            "class A(\n    B): ...\n",
            "class A(\n    B):\n    def f(self): x()\n",
        );
        check(
            "a.py",
            &add("@d\ndef f(self): x()", r#","in":"A","after":"a""#),
            "class A:\n    def a(self): pass\n\n    def b(self): pass\n",
            "class A:\n    def a(self): pass\n\n    @d\n    def f(self): x()\n\n    def b(self): pass\n",
        );
    }

    #[test]
    fn what_is_there_or_does_not_fit_is_told() {
        let f = add("fn f() { x() }", "");
        answers(
            "a.rs",
            &f,
            "fn a() {}\nfn f() { y() }\n",
            "refused",
            "on line 2",
        );
        answers(
            "a.rs",
            &f,
            "fn f() { x() }\nfn a() {}\n",
            "already_applied",
            "`f` is there",
        );
        answers(
            "a.rs",
            &add("fn f() {}", r#","after":"q""#),
            "",
            "not_found",
            "no item `q`",
        );
        answers(
            "a.rs",
            &add("fn f() {}", r#","in":"A""#),
            "struct A;\n",
            "not_found",
            "`A`",
        );
        let two = "impl A {}\nimpl A {}\n";
        answers(
            "a.rs",
            &add("fn f() {}", r#","in":"A""#),
            two,
            "ambiguous",
            "2 times",
        );
        answers(
            "a.rs",
            &add("fn f() {} fn g() {}", ""),
            "",
            "invalid",
            "not one whole",
        );
        answers("a.ts", &add("f() {}", ""), "", "invalid", "needs a class");
        let in_class = add("function f() {}", r#","in":"A""#);
        answers(
            "a.ts",
            &in_class,
            "class A {}\n",
            "invalid",
            "takes methods",
        );
    }
}
