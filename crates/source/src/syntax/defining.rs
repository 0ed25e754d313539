//! Definitions on a line: whether one may be there, and what its name is.
//!
//! | asked by | known | answer |
//! |---|---|---|
//! | [`defined_name`] | a line | the name that it gives to what it begins, by the look of it |
//! | [`Language::may_define`] | a line and its language | false where no definition can name itself |
//! | [`outline`](super::outline::outline) | a tree | every definition, with its path of names |
//!
//! The node kinds that define are in [`definition`](super::definition).
//!
//! The first serves text that is in no file, the second saves trees: `may_define` is true for every line on which
//! `outline` has a name, which a test here checks.

mod heads;

pub use heads::defined_name;

use super::Language;
use crate::word::is_listed;
use crate::word::is_word;

/// What comes before the name of a definition, or of the type that an `impl` is for.
const RUST_WORDS: &[&str] = &[
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "impl",
    "for",
    "const",
    "static",
    "type",
    "mod",
    "macro_rules",
];

/// What comes before the name of a definition in a script.
const SCRIPT_WORDS: &[&str] = &[
    "function",
    "class",
    "interface",
    "type",
    "enum",
    "namespace",
    "module",
    "abstract",
];

/// What a script's method may have before its name.
const MODIFIERS: &[&str] =
    &["async static get set public private protected override readonly declare *"];

/// What is followed by a bracket and a block, and is no method.
const CONTROL: &[&str] = &["if", "for", "while", "switch", "catch", "with", "return"];

impl Language {
    /// Returns false if `line` cannot be one on which a definition names itself; true where that
    /// takes a tree to tell.
    pub fn may_define(self, line: &str) -> bool {
        match self {
            Self::Rust => has_word(line, RUST_WORDS),
            // What stands at the top may be a variable.
            Self::Python => {
                has_word(line, &["def", "class"]) || line.contains('=') && !is_indented(line)
            }
            Self::TypeScript | Self::Tsx | Self::JavaScript => {
                has_word(line, SCRIPT_WORDS) || is_variable(line) || is_method(line)
            }
            Self::Toml => line.contains('['),
            _ => self.defines(),
        }
    }
}

/// Returns whether a script's line may name a variable that an outline lists: one at the top, or
/// one that holds a function, which may begin on the next line.
fn is_variable(line: &str) -> bool {
    has_word(line, &["const", "let", "var"])
        && (!is_indented(line) || line.contains("=>") || line.trim_end().ends_with(['=', '(']))
}

/// Returns whether a script's line may begin a method.
fn is_method(line: &str) -> bool {
    let Some((head, rest)) = line.split_once('(') else {
        return false;
    };
    let name = head.split_once('<').map_or(head, |(name, _)| name);
    let mut words = name.split_whitespace();
    let name = words.find(|word| !is_listed(word, MODIFIERS));
    let name = name.unwrap_or_default().trim_start_matches(['*', '#']);
    let plain = !name.is_empty() && words.next().is_none() && !CONTROL.contains(&name);
    let computed = name.starts_with('[');
    let begins = rest.contains('{') || rest.trim().is_empty() || !rest.contains(')');
    plain && begins && (computed || !name.contains(['.', '=', '}', ')', '!']))
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

fn has_word(line: &str, words: &[&str]) -> bool {
    let mut all = line.split(|c: char| !is_word(c));
    all.any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::path::WorkspacePath;
    use crate::syntax::outline::outline;

    #[test]
    fn scripts_define_on_some_lines() {
        let check = |line: &str, expected: bool| {
            assert_eq!(Language::TypeScript.may_define(line), expected, "{line}");
        };
        for line in [
            "function a() {",
            "export default class A {",
            "const a = 1;",
            "  const f = async () => {",
            "  const f =",
            "  async name<T>(x: T): Promise<T> {",
            "  static *#each() {",
            "  [Symbol.iterator]() {",
            "  get x(): number { return 1; }",
            "  method(",
            "  abstract m(): void;",
        ] {
            check(line, true);
        }
        for line in [
            "  const total = a + b;",
            "  return total(1) * 2;",
            "  if (a) {",
            "  } else if (b) {",
            "  seen.set(word, { a: 1 });",
            "  call(a, b);",
            "",
        ] {
            check(line, false);
        }
    }

    #[test]
    fn no_line_that_names_a_definition_is_passed_over() {
        let check = |name: &str, text: &str| {
            let path = WorkspacePath::parse(name, Path::new("/w")).unwrap();
            let language = Language::of(&path).unwrap();
            let parsed = language.parse(text).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let symbols = outline(language, &parsed);
            assert!(symbols.len() > 3, "{symbols:?}");
            for symbol in symbols {
                let line = lines[symbol.lines.start() - 1];
                assert!(language.may_define(line), "{name}: {line}");
            }
        };
        check(
            "a.ts",
            "export const a = 1;\nlet f = function () {};\nclass B<T> extends C {\n  #p = 1;\n  \
             constructor(private x: T) { super(); }\n  async *each<U>(\n    u: U,\n  ) {}\n  \
             'quoted'() {}\n  [k]() {}\n  get g() { return 1; }\n}\nfunction h() {\n  const \
             i = () => 1;\n  const j = async function () {};\n}\ninterface K { l(): void }\n\
             declare module 'm' { function n(): void; }\nenum O { P }\ntype Q = 1;\n",
        );
        check(
            "a.py",
            "A = 1\nclass B:\n    def c(self):\n        pass\n\nasync def d():\n    pass\n",
        );
        check(
            "a.rs",
            "const A: u8 = 1;\nstruct B;\nimpl B {\n    fn c(&self) {}\n}\nmod d {\n    \
             pub trait E {}\n}\nmacro_rules! f { () => {} }\n",
        );
    }
}
