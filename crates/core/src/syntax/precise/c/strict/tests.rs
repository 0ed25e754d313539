//! What the grammar catches in texts that keep to it, and what it leaves alone.

use super::super::{faults, follow};

const GOOD: &str = "\
#define KEEP(a) keep(a)
namespace kit {
using Size = unsigned long;
enum class Kind { Small, Large };
template <typename T, typename U = int>
class Stack : public Base<T>, private std::vector<T> {
public:
    Stack(Stack &&other) noexcept = default;
    explicit Stack(Size first) : first_(first), kind_{Kind::Small} {}
    bool is_empty() const override { return values_.empty(); }
    std::map<int, std::vector<T>> groups_;
private:
    Size first_;
};
Size Stack::count(const char *name, const std::string &text, void *data) const
{
    std::string all = text + name;
    auto found = static_cast<Size>(find(all, [&all, this](auto part) { return part < all; }));
    for (auto part : parts_)
        found += part.size();
    for (Size at = 0; at < found; at++)
        all[at] = (char)(table[at] >> 2);
    KEEP(found);
    if (Size more = other(data); more > 0 && found < limit)
        return more;
    try {
        call(data, found);
    } catch (const std::exception &error) {
        tell(error);
    }
    return found;
}
static int odd(int a) { return a b c; }
}
";

/// Checks what is told of a text after a replacement in a good one.
fn check(cpp: bool, before: &str, old: &str, new: &str, told: bool) {
    let followed = follow(before, cpp).expect("the text before can be followed");
    let after = before.replacen(old, new, 1);
    assert_ne!(after, before);
    let found = faults(&after, cpp, before, &followed).faults;
    assert_eq!(!found.is_empty(), told, "{found:?} in {after}");
}

#[test]
fn what_no_declaration_has_is_told() {
    for (old, new) in [
        ("char *name, const", " *name, const"),
        (
            "data) const\n",
            "data) const\nSize Stack::count(const char *name) const\n",
        ),
        ("auto part : parts_", "auto 0 : parts_"),
        ("std::string all", "std::string "),
        ("noexcept = default", "noexcept = de=fault"),
        ("noexcept = default", "noexcept default"),
        (": first_(first), kind_", " first_(first), kind_"),
        ("first_(first),", "first_,(first),"),
        ("using Size = unsigned long;", "using Size = unsigned long"),
        ("std::vector<T>> groups_", "std::vector<T> groups_"),
        ("private std::vector<T>", "private std::vector<T"),
        ("Size first_;\n", "Size first_\n"),
    ] {
        check(true, GOOD, old, new, true);
    }
}

#[test]
fn what_no_expression_has_is_told() {
    for (old, new) in [
        ("at++)", "class++)"),
        ("[&all, this]", "[&all, ]"),
        ("= (char)(table", " (char)(table"),
        ("(data, found)", "(data found)"),
        ("return found;", "return Kind;"),
        ("found += part", "Kind += part"),
        ("(Size more = other", "(Size more  other"),
        (
            "        call(data, found);\n    }",
            "    }\n        call(data, found);",
        ),
        ("KEEP(found);", "KEEP(found +);"),
        ("std::exception &error", "std:exception &error"),
    ] {
        check(true, GOOD, old, new, true);
    }
}

#[test]
fn what_macros_may_explain_is_left_alone() {
    for (old, new) in [
        ("bool is_empty()", "KIT_NODISCARD bool is_empty()"),
        ("const override {", "const KIT_FINAL {"),
        ("class Stack", "class KIT_API Stack"),
        (
            "    KEEP(found);\n",
            "    KIT_TRACE(found)\n    kit_each(part, parts_) { call(part); }\n",
        ),
        ("text + name", "text + \"a\" KIT_TEXT \"b\""),
        (
            "    Size first_;\n",
            "    Size first_;\n    KIT_MEMBERS(Size, int)\n",
        ),
        ("return found;", "return KIT_CAST(Size *, found);"),
        (
            "static int odd",
            "int odder(int a) { return a b c d; }\nstatic int odd",
        ),
        ("a b c;", "a b c d e;"),
        (
            "Size first_;",
            "Size first_, Stack;\n    int at() { return Stack; }",
        ),
    ] {
        check(true, GOOD, old, new, false);
    }
}

#[test]
fn what_cpp_has_is_read() {
    let line = "    return found;\n";
    for new in [
        "    auto [a, b] = pair(found); call(a<b, 1>(b), a < b, c > d);\n",
        "    auto *made = new (data) Stack<int>[3]{}; delete[] made; ::delete made;\n",
        "    int (*one)(int) = nullptr; int (Stack::*two)() const = &Stack::count; (this->*two)();\n",
        "    auto run = [all = std::move(all), &found]<typename T>(T &&...part) mutable noexcept -> Size { return (part + ...); };\n",
        "    switch (found) { case 1 ... 3: [[fallthrough]]; case Size(4): break; default:; }\n",
        "    if constexpr (sizeof...(found) > 0) { goto end; } else do { found--; } while (found); end:\n",
        "    Size a{1}, *b = &a, c[2] = {1, 2}, &d(a); typename A::template B<C> e = {.x = 1, .y{2}};\n",
        "    struct Local { int a : 3, : 0; operator bool() const; Local &operator()(int) &&; } local;\n",
        "    unsigned long long big = 1'000ull + sizeof(int) + alignof(Size) + unsigned(2); throw big;\n",
        "    throw_if(co_await found), std::get<0>(all)->template call<int>(0) ? 1 : throw 2;\n",
        "    using std::swap; using namespace std; static_assert(sizeof(int) == 4, \"\"); extern int other;\n",
    ] {
        let new = format!("{new}{line}");
        check(true, GOOD, line, &new, false);
        // Without a sign in it the same is told.
        let before = GOOD.replacen(line, &new, 1);
        check(
            true,
            &before,
            "    return found;\n",
            "    return found\n",
            true,
        );
        check(true, &before, "    return found;\n", "    = found;\n", true);
    }
}

#[test]
fn c_is_held_to_it_as_well() {
    let before = "\
#define EACH(a, b) for (a = b; a; a = a->next)
typedef struct item *Item;
static int old(a, b)
    int a;
    char *b;
{
    return a + *b;
}
int take(Item one, size_t count)
{
    int fd = 0, total = (int)count;
    Item each;
    EACH(each, one)
        total += each->size;
    if (get(fd, (struct name *)&total, count) < 0)
        goto out;
    fd = (unsigned int)(total & 3);
out:
    return total;
}
";
    for (old, new, told) in [
        ("get(fd, (struct", "get(fd (struct", true),
        ("fd = (unsigned", "fd  (unsigned", true),
        ("(Item one, size_t count)", "( one, * count)", true),
        ("goto out;", "goto ;", true),
        ("EACH(each, one)", "EACH(each, take(one))", false),
        ("int fd = 0", "kit_unused int fd = 0", false),
        ("    char *b;\n", "    char *b;\n    long c;\n", false),
        ("(int)count;", "kit_cast(Item *, count);", false),
        ("static int old", "kit_inline static int old", false),
    ] {
        check(false, before, old, new, told);
    }
}

#[test]
fn directives_are_held_to_theirs() {
    let before = "\
#define ONE(a, b) { a(b); }
#if defined(A) && defined(B)
#elif defined(C)
#include \"one.h\"
#endif
int a;
";
    for (old, new, told) in [
        ("defined(A) &&", "defined(A) ", true),
        ("#elif defined", "#elif d(efined", true),
        ("\"one.h\"", "\"one.h", true),
        ("#include", "#precisely", true),
        ("ONE(a, b)", "ONE(, b)", true),
        ("ONE(a, b)", "ONEa, b)", true),
        ("a(b); }", "a(b); ", true),
        (
            "defined(C)",
            "defined(C) || has_it(D) || \\\n    E > 3",
            false,
        ),
        ("ONE(a, b)", "ONE(a, b...)", false),
        ("#define", "#pragma once\n#define TWO\n#define", false),
    ] {
        check(false, before, old, new, told);
    }
}

#[test]
fn what_is_deep_or_long_is_given_up() {
    for (open, close) in [
        ("a<", ">"),
        ("(", ")"),
        ("f(", ")"),
        ("(a)(", ")"),
        ("{", "}"),
        ("[](){", "}"),
        ("requires { requires ", "; }"),
        ("a ? b : ", ""),
        ("if (a) ", ""),
    ] {
        let body = format!("{}b{}", open.repeat(2000), close.repeat(2000));
        let before = format!("void f() {{\n    g = {body};\n}}\n");
        let after = before.replace("g =", "g");
        let Some(followed) = follow(&before, true) else {
            continue;
        };
        faults(&after, true, &before, &followed);
    }
}

#[test]
fn what_templates_ask_is_read() {
    let before = "\
template <typename T>
concept Sized = requires(const T &a, T b) {
    { a.size() } noexcept -> std::same_as<int>;
    typename T::value;
    requires !std::is_same_v<T, int>;
    b += a;
};
template <typename T> requires Sized<T> && (sizeof(T) > 4)
class Box : Base<T> {
public:
    auto count() const -> int requires Sized<T> { return size_; }
    Box &operator=(const Box &) requires(!Sized<T>) = default;
    int size_;
};
template <typename T> requires requires(T a) { a.x; } auto take(Sized auto part) -> Part & { return *part; }
template(typename I)(
    requires input<I>)
constexpr int next(I it)
{
    it = advance(it, 1);
    return it;
}
KIT_requires(open, requires(C &c, I i) (c.open(i, i)));
using other KIT_OLD(\"gone\") = Part;
";
    for (old, new) in [
        ("{ a.size() } noexcept ->", "{ a.size() } noexcept "),
        ("requires !std", "requires requires !std"),
        ("    b += a;", "    b += ;"),
        ("Sized<T> { return", "Sized<T> = { return"),
        ("it = advance", "it  advance"),
        ("c.open(i, i)", "c.open(i, i) c.open(i, i)"),
        ("= Part;\n", "= Part\nint a;\n"),
        ("concept Sized = ", "concept Sized "),
        (
            "template <typename T> requires Sized",
            "template\ntemplate <typename T> requires Sized",
        ),
    ] {
        check(true, before, old, new, true);
    }
    for (old, new) in [
        ("b += a;", "b += a; b.template get<T>();"),
        ("Sized<T> { return", "(Sized<T> || B<T>) && C<T> { return"),
        (
            "return it;",
            "return std::sort([]<A T>(T a) requires B<T> { return a; }, it);",
        ),
        (
            "= Part;\n",
            "= Part;\nusing more KIT_OLD(\"as well\") = Part;\n",
        ),
    ] {
        check(true, before, old, new, false);
    }
}

#[test]
fn what_begins_nothing_is_told() {
    for (old, new) in [
        ("return found;", "return ` found;"),
        ("namespace kit {", "{"),
        ("KEEP(found);", "KEEP(found `);"),
    ] {
        check(true, GOOD, old, new, true);
    }
    let cases = "\
#include \"test.h\"
static Node *made(Node *node) { return copy<Node>(node); }
TEST_CASE(\"one\", \"of\")
{
    Point list[2];
    CHECK(made(*(list[0]), 1));
}
TEST_CASE(\"two\", \"of\") { CHECK(1); }
";
    for (old, new) in [
        ("(list[0]), 1", "(list[0]) list, 1"),
        ("return copy", "Node->next = 0; return copy"),
    ] {
        check(true, cases, old, new, true);
    }
}

#[test]
fn a_macro_may_begin_a_function() {
    let before = "\
static void stop(void)
{
    end();
}
UNIT_START
{
    int i;
    keep_unless(i, \"no\");
    return 0;
}
UNIT_STOP
";
    let after = before.replace("UNIT_START\n{", "UNIT_START\n");
    let after = after.replace("    return 0;\n}\n", "");
    let followed = follow(before, false).unwrap();
    assert!(faults(&after, false, before, &followed).faults.is_empty());
    // So may what a branch says to the compiler that stops.
    let before = "#ifdef OLD\n#  error \"old\"\n#endif\nint a;\n";
    check(
        false,
        before,
        "\"old\"\n",
        "\"old\"\n   Error it_is_old_already\n",
        false,
    );
}

#[test]
fn a_fault_that_was_there_hides_nothing_elsewhere() {
    let spoiled = format!("int broken(void) {{ return 1 2; }}\n{GOOD}");
    check(true, &spoiled, "return found;", "return ` found;", true);
    check(
        true,
        &spoiled,
        "auto part : parts_",
        "auto 0 : parts_",
        true,
    );
}
