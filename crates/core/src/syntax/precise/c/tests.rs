//! Texts that are good, and what is told of others.

use super::{faults, find, follow};

fn check(cpp: bool, text: &str, expected: Option<&str>) {
    let found = find(text, cpp, None).unwrap_or_default();
    let message = found.first().map(|found| found.fault.message());
    assert_eq!(message, expected, "{text}");
}

/// Checks what is told of a text after a replacement in a good one.
fn check_edit(cpp: bool, before: &str, old: &str, new: &str, expected: Option<&str>) {
    let followed = follow(before, cpp).expect("the text before can be followed");
    let after = before.replacen(old, new, 1);
    assert_ne!(after, before);
    let found = faults(&after, cpp, before, &followed).faults;
    let message = found.first().map(|fault| fault.message());
    assert_eq!(message, expected, "{after}");
}

#[test]
fn macros_may_stand_for_anything() {
    for text in [
        "",
        "/* a { */ // b \\\n {\nint a = 1'0 == 2 ? '\"' : L'\\'';\n",
        "static UNUSED int f(const char *a, int b[2], void (*g)(int)) MY_ATTR;\n",
        "__BEGIN_DECLS\nint f(void) __THROW __attribute__((pure));\n__END_DECLS\n",
        "MODULE_LICENSE(\"GPL\");\nmodule_init(start)\nDEFINE_THING(a, , +)\nint b;\n",
        "void f(void)\n{\n\tlist_for_each(pos, head) {\n\t\tgo(pos);\n\t}\n\tTRY\n\t\tg();\n\tCATCH(e)\n}\n",
        "void f(void) { Py_BEGIN_ALLOW_THREADS\n g();\n Py_END_ALLOW_THREADS\n if (IS(x)) FAIL(y) else g(); }\n",
        "TEST(A, B)\n{\n  EXPECT(a < b) << \"c\" PRIu64 \"d\";\n}\n",
        "int f(a, b)\n  int a;\n  char *b;\n{\n  return a * *b;\n}\n",
        "struct a { int b : 3, : 0; union { int c; }; } __packed d = { .b = 1, };\nstruct a *e[] = { [0] = &d };\n",
        "enum { A, B = 1 << 3, } ; typedef int (*fn)(struct a *, ...);\n",
        "int f(void) { x: switch (a) { case 1 ... 3: case B: return (T){ 1 }.a; default:; } goto x; }\n",
        "int a = ({ int b = 1; b; }) ?: sizeof(int) * sizeof b;\nasm(\"nop\" :: \"r\"(a));\n",
        "#define OPEN if (x) {\n#define CLOSE }\n#define L (\nint a;\n",
        "int f(void) { return timercmp(&a, &b, >) && va_arg(ap, char *); }\n",
        "%:include <a.h>\n",
        "#define KB *(1 << 10)\nint a = 64 KB, b = 2 MB;\n",
    ] {
        check(false, text, None);
    }
}

#[test]
fn what_only_cpp_has_is_good() {
    for text in [
        "namespace a::b { inline namespace c { class EXPORT D final : public E<F>, private virtual G {\n  Q_OBJECT\n  Q_PROPERTY(int x READ x)\npublic slots:\n  void f();\nsignals:\n  void g(int);\n}; } }\n",
        "template <typename T, class... U, int N = (1 > 0), typename = void_t<>> auto f(T&& t, U&&... u) -> decltype(t(u...));\n",
        "struct A { A(int a) noexcept(true) : b(a), c{a} {} ~A() = default; A &operator=(A &&) && = delete; explicit operator bool() const; int b = 1, c{2}; };\n",
        "auto f = [&, this](auto x) mutable -> std::map<int, std::vector<int>> { return {{1, {2}}}; };\n",
        "void f() { for (const auto &[a, b] : c) if (auto d = e(); d < 1 && d > 0) throw; else delete[] d; }\n",
        "auto a = R\"x(\" { )x\" \"b\"_s;\nusing F = void (A::*)(int) const;\ntemplate <> struct B<int *> {};\n",
        "void f() try { g(); } catch (const std::exception &e) { throw; } catch (...) { }\n",
        "std::atomic<A *> a GUARDED_BY(b){nullptr};\nA::A(int c) : d(c) {}\ntemplate class A<int>;\n",
    ] {
        check(true, text, None);
    }
}

#[test]
fn branches_of_the_preprocessor_go_together() {
    for text in [
        "#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
        "int f(void) {\n#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n    g();\n  }\n}\n",
        "int f(void) {\n#if defined(A) && B > 3\n  if (a)\n    g();\n  else\n#endif\n    h();\n}\n",
        "#if 0\ndon't { ( \"\n#endif\n#error don't\nint a = 1 +\n#if A\n2\n#else\n3\n#endif\n;\n",
        "int a[] = {\n#include \"list.h\"\n};\nint b =\n#include \"b.h\"\n;\n",
    ] {
        check(false, text, None);
    }
    check(
        false,
        "#if A\nint a;\n",
        Some("`#endif` is missing for this"),
    );
    check(false, "int a;\n#endif\n", Some("`#endif` without `#if`"));
    check(
        false,
        "#if (A\n#endif\n",
        Some("this condition is not complete"),
    );
    check(
        false,
        "#include stdio.h>\n",
        Some("`#include` needs \"FILE\" or <FILE>"),
    );
    check(
        false,
        "#inclde <a.h>\n",
        Some("the preprocessor knows no such directive"),
    );
}

const GOOD: &str = "\
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static int total(struct list *items, size_t count)
{
    int sum = 0, last = 0;
    const char *name = items->name;
    for (size_t i = 0; i < count; i++) {
        if (items[i].size > last && name)
            sum += items[i].size;
        else
            note(name, items, count);
    }
    note(name, items, sum);
    switch (sum) {
    case 0:
        return last;
    default:
        break;
    }
    return MAX(sum, last);
}
";

#[test]
fn what_no_macro_explains_is_told() {
    for (old, new, expected) in [
        ("last = 0;", "last = 0", "`;` is missing after this"),
        (
            "note(name, items, sum);",
            "note(name, items, sum)",
            "`;` is missing after this",
        ),
        (
            "count; i++",
            "count i++",
            "`for` needs two `;` in its brackets",
        ),
        ("i++) {", "i++ {", "`}` closes nothing"),
        (
            "items, sum",
            "items sum",
            "`sum` cannot follow what stands before it",
        ),
        ("items, sum", "items, ", "nothing follows `,`"),
        ("last && name)", "last && )", "nothing follows `&&`"),
        (
            "sum += ",
            "sum ",
            "`items` cannot follow what stands before it",
        ),
        ("else\n", "else else\n", "`else` without `if`"),
        ("if (items", "(items", "`;` is missing after this"),
        (
            "switch (sum) {",
            "(sum) {",
            "`{` cannot follow what stands before it",
        ),
        (
            "case 0:",
            "case 0",
            "`return` cannot follow what stands before it",
        ),
        ("default:", "default", "`:` is missing after `default`"),
        ("break;", "break", "`;` is missing after this"),
        ("items->name", "items->", "a name is missing after `->`"),
        (
            "= 0, last",
            "= 0 last",
            "`last` cannot follow what stands before it",
        ),
        ("(sum, last);", "(sum, last;", "`}` closes nothing"),
        ("? (a)", "? (a", "the brackets of this macro do not match"),
        (
            "items[i].size;",
            "items[i].size';",
            "this character is not closed",
        ),
        ("return last;", "return last; }", "`}` closes nothing"),
    ] {
        check_edit(false, GOOD, old, new, Some(expected));
    }
    for (old, new) in [
        ("int sum", "UNUSED int sum"),
        (
            "    note(name, items, sum);\n",
            "    TRACE(name)\n    each_thing (a, b) {\n        note(name, items, sum);\n    }\n",
        ),
        (
            "note(name, items, count)",
            "note(name, items, count, \"%\" PRIu64, last)",
        ),
        ("        else\n            note(name, items, count);\n", ""),
        ("static int", "MY_API static int __cold"),
    ] {
        check_edit(false, GOOD, old, new, None);
    }
}

#[test]
fn what_cannot_be_followed_spoils_its_own_declaration_alone() {
    let before = format!("int odd(void)\n{{\n    return a b c d;\n}}\n{GOOD}");
    let followed = follow(&before, false).expect("the rest can be followed");
    for (old, new, told) in [
        ("last = 0;", "last = 0", true),
        ("a b c d", "a b c d e f", false),
        (
            "#define",
            "int new(void) { return a b c d; }\n#define",
            false,
        ),
    ] {
        let after = before.replacen(old, new, 1);
        assert_ne!(after, before);
        let found = faults(&after, false, &before, &followed).faults;
        assert_eq!(!found.is_empty(), told, "{after}");
    }
}

#[test]
fn labels_and_types_are_told() {
    for (old, new, expected) in [
        (
            "case 0:",
            "case 0:\n    case 0:",
            "this label is there already",
        ),
        (
            "int sum",
            "int char sum",
            "`char` cannot follow what stands before it",
        ),
        ("int total(", "int (", "a name is missing before this"),
        ("last = 0;", "last = 0.x;", "`0.x` is no number"),
    ] {
        check_edit(false, GOOD, old, new, Some(expected));
    }
    check_edit(
        false,
        GOOD,
        "case 0:",
        "case 0:\n#if A\n    case 1:\n#else\n    case 1:\n#endif",
        None,
    );
}

#[test]
fn cpp_is_told_too() {
    let good = "\
template <typename T, typename U>
class Stack : public Base<T> {
public:
    Stack(T first, U second) : first_(first), second_(second) {}
    T top() const { return values_[0]; }
    void push(const T &value);
private:
    std::vector<T> values_;
    T first_;
};
";
    for (old, new, expected) in [
        (
            "typename T, typename",
            "typename T typename",
            "`typename` cannot follow what stands before it",
        ),
        ("public:", "public", "`:` is missing after this"),
        ("values_[0];", "values_[0]", "`;` is missing after this"),
        ("const T &value", "const T &value, ", "nothing follows `,`"),
        (
            "class Stack : public Base<T> ",
            "",
            "nothing follows this template",
        ),
        (
            "    T first_;\n};",
            "    T first_\n};",
            "`;` is missing after this",
        ),
    ] {
        check_edit(true, good, old, new, Some(expected));
    }
}

#[test]
fn long_and_deep_texts_are_no_matter() {
    for text in [
        "(",
        "{",
        "a(",
        "if (a) ",
        "enum {",
        "template <",
        "? a : ",
        "[](){",
        "#if 1\n",
        "else if (a) b; ",
    ] {
        let text = text.repeat(10_000);
        find(&text, true, None);
        find(&text, false, Some(&text));
    }
}

#[test]
fn what_standard_names_are_is_known() {
    let before = "int a(const char *s)\n{\n\tif (!s) goto out;\n\tf(s, NULL, \"x\");\nout:\n\treturn 0;\n}\n";
    check_edit(
        false,
        before,
        "NULL,",
        "NULL",
        Some("`\"x\"` cannot follow what stands before it"),
    );
    check_edit(
        false,
        before,
        "goto out",
        "strcmp out",
        Some("`out` cannot follow what stands before it"),
    );
    check_edit(false, before, "NULL,", "MARK(s),", None);
}

#[test]
fn types_are_where_types_can_be() {
    let before = "int a(int b, struct c *d)\n{\n\tint e = b;\n\tif (b == 1 && e < 2) e++;\n\tfor (e = 0; e < b; e++) g(e, b);\n\treturn d->h;\n}\n";
    let none = "cannot follow what stands before it";
    for (old, new, expected) in [
        ("b == 1", "int == 1", format!("`==` {none}")),
        ("e++)", "int++)", format!("`++` {none}")),
        ("d->h", "d->int", "a name is missing after `->`".to_owned()),
        (
            "struct c",
            "struct NULL",
            "this is a value and no type".to_owned(),
        ),
        (
            "int b, struct",
            "int b, * d, struct",
            "a type is missing before this".to_owned(),
        ),
        (
            "g(e, b)",
            "g(static)",
            "a type or a value is missing after this".to_owned(),
        ),
        (
            "int e = b;",
            "char unsigned char e = b;",
            format!("`char` {none}"),
        ),
    ] {
        check_edit(false, before, old, new, Some(&expected));
    }
}

#[test]
fn what_neither_choice_of_branches_reads_is_read_where_it_is_edited() {
    let before = "#if A\nint a;\n#elif B\nint b(void) { return 1; }\n#else\nint c;\n#endif\n";
    check_edit(
        false,
        before,
        "return 1;",
        "return 1",
        Some("`;` is missing after this"),
    );
    check_edit(false, before, "return 1;", "return 2;", None);
}

#[test]
fn macros_that_open_and_close_go_together() {
    let before = "namespace a {\nA_BEGIN\nint b;\nA_END\n}\n";
    check_edit(
        true,
        before,
        "A_END\n",
        "",
        Some("`A_END` is missing for this"),
    );
    check_edit(
        true,
        before,
        "A_END\n",
        "A_END\nA_BEGIN\nint c;\nA_END\n",
        None,
    );
}

#[test]
fn scopes_and_calls_of_cpp_need_signs() {
    let before = "size_t a(string s) {\n  size_t n = std::min(s.size(), 4);\n  m_ = static_cast<int>(n);\n  string t = string(\"a\") + B::c(n);\n  REQUIRE(n);\n  REQUIRE(t);\n  return n;\n}\n";
    let none = "cannot follow what stands before it";
    for (old, new, expected) in [
        ("n = std", "n std", format!("`std` {none}")),
        (
            "static_cast<int>(n)",
            "static_cast<>(n)",
            "a type is missing in these brackets".to_owned(),
        ),
        (
            "return n;\n}\n",
            "return n;\n}\nREQUIRE(s);\n",
            "a statement stands outside of a function".to_owned(),
        ),
    ] {
        check_edit(true, before, old, new, Some(&expected));
    }
}
