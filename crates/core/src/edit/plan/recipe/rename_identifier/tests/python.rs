//! Scopes of Python.

use super::{answers, check, rename};

#[test]
fn python_methods_do_not_see_their_class() {
    check(
        "x.py",
        "",
        "def a(n): return n\nclass C:\n    def a(self): return a(1)\n",
        "def b(n): return n\nclass C:\n    def a(self): return b(1)\n",
    );
}

#[test]
fn python_globals_pass_by_the_functions_between() {
    let before = "a = 1\ndef f():\n    a = 2\n    def g():\n        global a\n        a = 3\n    def h():\n        nonlocal a\n        a = 4\n";
    check(
        "x.py",
        r#","line":1"#,
        before,
        "b = 1\ndef f():\n    a = 2\n    def g():\n        global b\n        b = 3\n    def h():\n        nonlocal a\n        a = 4\n",
    );
    check(
        "x.py",
        r#","line":3"#,
        before,
        "a = 1\ndef f():\n    b = 2\n    def g():\n        global a\n        a = 3\n    def h():\n        nonlocal b\n        b = 4\n",
    );
}

#[test]
fn a_rename_follows_the_scopes_of_python() {
    check(
        "x.py",
        "",
        "a = 1\ndef f(a): return a\ndef g():\n    a = 2\n    return a\ndef h():\n    global a\n    a = 3\n",
        "b = 1\ndef f(a): return a\ndef g():\n    a = 2\n    return a\ndef h():\n    global b\n    b = 3\n",
    );
    check(
        "x.py",
        r#","line":2"#,
        "a = 1\ndef f(a, c=a):\n    return [a for x in a], a.a\nf(a=a)\n"
            .replace(", c=a", "")
            .as_str(),
        "a = 1\ndef f(b):\n    return [b for x in b], b.a\nf(b=a)\n",
    );
    check(
        "x.py",
        r#","line":2,"column":7"#,
        "a = 1\ndef f(a=a):\n    return a\n",
        "a = 1\ndef f(b=a):\n    return b\n",
    );
    check(
        "x.py",
        "",
        "a = 1\nclass C:\n    a = 2\n    c = a\n    def f(self):\n        return a, self.a\n",
        "b = 1\nclass C:\n    a = 2\n    c = a\n    def f(self):\n        return b, self.a\n",
    );
    check(
        "x.py",
        r#","kind":"field""#,
        "a = 1\nclass C:\n    a = 2\n    c = a\n    def f(self):\n        return a, self.a\n",
        "a = 1\nclass C:\n    b = 2\n    c = b\n    def f(self):\n        return a, self.b\n",
    );
    check(
        "x.py",
        "",
        "a = [a for a in a]\nwith o as a: pass\nlambda a: a\n",
        "b = [a for a in b]\nwith o as b: pass\nlambda a: a\n",
    );
    check(
        "x.py",
        "",
        "from m import c as a\na()\n",
        "from m import c as b\nb()\n",
    );
    check(
        "x.py",
        "",
        "def f():\n    match x:\n        case P(a, k=1) if a: return a\n",
        "def f():\n    match x:\n        case P(b, k=1) if b: return b\n",
    );
}

#[test]
fn classes_and_comprehensions_of_python_see_what_they_should() {
    // The first source of a comprehension belongs to the class, a class within does not see it.
    check(
        "x.py",
        r#","line":2"#,
        "class A:\n    a = [1]\n    c = [x for x in a]\n    class B:\n        d = a\n",
        "class A:\n    b = [1]\n    c = [x for x in b]\n    class B:\n        d = a\n",
    );
    check(
        "x.py",
        r#","line":2"#,
        "class A:\n    def f(self, a): return a\ndef f(a): return a\nf(a=1)\n",
        "class A:\n    def f(self, b): return b\ndef f(a): return a\nf(a=1)\n",
    );
    check(
        "x.py",
        r#","line":1"#,
        "a = 0\ndef f():\n    global a\n    c = [a := x for x in y]\n",
        "b = 0\ndef f():\n    global b\n    c = [b := x for x in y]\n",
    );
    check(
        "x.py",
        r#","line":1,"column":6"#,
        "c = {a: 1 for a in b}\n",
        "c = {b: 1 for b in b}\n",
    );
    let dotted = "import a\nimport a.c\na.c()\n";
    answers("x.py", &rename(""), dotted, "refused", "imported from `a`");
    check(
        "x.py",
        r#","kind":"any""#,
        dotted,
        "import b\nimport b.c\nb.c()\n",
    );
    answers(
        "x.py",
        &rename(""),
        "from __future__ import a\n",
        "not_found",
        "no identifier `a`",
    );
}

#[test]
fn python_strings_that_are_code_hold_names() {
    let text = |name: &str| {
        format!(
            "__all__ = [\"{name}\", \"c\"]\nclass {name}: pass\ndef f(x: \"{name}\", y: \"List[{name}] | m.a\") -> Iterable[\"{name}\"]:\n    \
             z: 't.Dict[str, {name}]' = cast(\"{name}\", \"a\")\n    return z[\"a\"] or Literal[\"a\"] or f(\"a\")\nT = Union[\"{name}\", c]\n\
             K: Literal[\"a\"] = TABLE[\"a\"]\nV = TypeVar(\"V\", bound=\"{name}\")\ndef g(a: \"{name}\"): return a\n"
        )
    };
    check("x.py", r#","line":2"#, &text("a"), &text("b"));
}
