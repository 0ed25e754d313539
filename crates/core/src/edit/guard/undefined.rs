//! Guard: names that a change leaves undefined.
//!
//! In: a scene of Python. Out: a warning for each name that is used and that nothing in the file binds, where that was not
//! so before: a parameter that was to be added, an import that gave way to another. A name counts as bound wherever in the
//! file it is: of 2,289 files of Python's library and three packages, seven have such a name at all, and there nothing is
//! told.
//!
//! ```text
//! import os                      import sys
//! def home():              ->    def home():
//!     return os.getcwd()             return os.getcwd()     `os` is not defined
//! ```

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::scene::{Scene, excerpt};
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::edit::locate::exact;
use crate::syntax::{Language, Parsed};
use crate::text::Slice;
use crate::word::is_word;

/// Names that Python has without an import; those with two underscores around them are all taken as known.
const BUILT_IN: &str = "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile \
complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals \
hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object \
oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple \
type vars zip reveal_type reveal_locals unicode xrange raw_input basestring long unichr reduce cmp file \
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError \
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError \
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup False \
FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning \
IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError \
ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError \
PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError \
ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError \
SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError \
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError";

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let (Some(Language::Python), Some(old)) = (scene.language, scene.old) else {
        return Vec::new();
    };
    // Most changes show without trees that they bind what they use: 0.25 ms for one of a line of a file of 20 kB, which
    // trees of both texts make 9.8.
    if !has_suspect(scene, old) {
        return Vec::new();
    }
    let Some(after) = scene.parsed() else {
        return Vec::new();
    };
    let now = FileNames::of(after);
    let undefined = now.undefined();
    if undefined.is_empty() {
        return Vec::new();
    }
    let Some(before) = scene.cache.parse(Language::Python, old) else {
        return Vec::new();
    };
    let before = FileNames::of(&before);
    // Some names come from where they cannot be seen: the text is a part of one, or its runner gives it names.
    if !before.undefined().is_empty() {
        return Vec::new();
    }
    let alarms = undefined.iter().map(|(name, at)| {
        let message = if before.bound.contains(name) {
            format!("`{name}` is not defined any more, and is used here")
        } else {
            format!("`{name}` is not defined: nothing in the file binds it")
        };
        let row = scene.new.slice(..*at).matches('\n').count();
        let line = scene.new.lines().nth(row).unwrap_or_default();
        let start = scene.new.get(..*at).and_then(|head| head.rfind('\n'));
        let head = scene.new.get(start.map_or(0, |start| start + 1)..*at);
        Alarm {
            guard: Guard::Undefined,
            severity: Severity::Warn,
            line: row + 1,
            column: head.unwrap_or_default().chars().count() + 1,
            excerpt: excerpt(line),
            message,
        }
    });
    alarms.take(MAX_ALARMS).collect()
}

/// Returns whether a change may leave a name undefined, by its lines alone: it uses a word that the text before has not and
/// that no new line seems to bind, or takes out a line that seems to bind one that is still there.
fn has_suspect(scene: &Scene<'_>, old: &str) -> bool {
    let added = || scene.added.iter().map(|line| line.text);
    let mut used = added().flat_map(used_in);
    if used.any(|word| !is_built_in(word) && !has_word(old, word) && !is_bound(word, added())) {
        return true;
    }
    let splices = scene.edits.splices().iter();
    let mut gone = splices.flat_map(|splice| {
        let from = old.get(..splice.at).and_then(|head| head.rfind('\n'));
        let rest = old.get(splice.end()..).unwrap_or_default();
        let to = splice.end() + rest.find('\n').unwrap_or(rest.len());
        let lines = old.get(from.map_or(0, |at| at + 1)..to).unwrap_or_default();
        lines.lines().flat_map(bound_in)
    });
    gone.any(|word| has_word(scene.new, word) && !is_bound(word, scene.new.lines()))
}

/// Returns whether one of the lines seems to bind a word.
fn is_bound<'t>(word: &str, lines: impl Iterator<Item = &'t str>) -> bool {
    let mut lines = lines.filter(|line| line.contains(word));
    lines.any(|line| bound_in(line).contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !is_word(c));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Returns the words of a line that stand behind no dot.
fn used_in(line: &str) -> impl Iterator<Item = &str> {
    let code = line.trim_start();
    let code = if code.starts_with('#') { "" } else { code };
    let chains = code.split(|c: char| !is_word(c) && c != '.');
    chains.filter_map(|chain| words(chain.split('.').next()?).next())
}

fn has_word(text: &str, word: &str) -> bool {
    exact::all(text, word).into_iter().any(|at| {
        let (head, tail) = (text.get(..at), text.get(at + word.len()..));
        !head.is_some_and(|head| head.ends_with(is_word))
            && !tail.is_some_and(|tail| tail.starts_with(is_word))
    })
}

/// Returns the words that a line seems to bind, as far as the line alone tells.
fn bound_in(line: &str) -> Vec<&str> {
    let code = line.trim();
    let heads = [
        "def ",
        "async def ",
        "class ",
        "import ",
        "from ",
        "global ",
        "nonlocal ",
        "case ",
    ];
    let is_parameters = code.ends_with([',', '(']) && !code.contains(['(', '\'', '"']);
    if heads.iter().any(|head| code.starts_with(head)) || code.contains("lambda") || is_parameters {
        return words(code).collect();
    }
    let mut bound = Vec::new();
    for part in code.split("for ").skip(1) {
        bound.extend(words(
            part.split_once(" in ").map_or(part, |(names, _)| names),
        ));
    }
    for part in code.split(" as ").skip(1) {
        bound.extend(words(
            part.split_once([':', ',']).map_or(part, |(name, _)| name),
        ));
    }
    for part in code.split(":=") {
        bound.extend(words(part).last());
    }
    let before = code.split_once('=').map_or(code, |(before, _)| before);
    if before.len() < code.len() && !before.contains('(') {
        bound.extend(words(before));
    }
    bound
}

/// The names of a file.
struct FileNames<'a> {
    bound: HashSet<&'a str>,
    /// Those that are used, with the first place.
    used: HashMap<&'a str, usize>,
    /// True if names come from where they cannot be seen, as from `import *`.
    is_open: bool,
}

impl<'a> FileNames<'a> {
    fn of(tree: &Parsed<'a>) -> Self {
        let mut names = Self {
            bound: HashSet::new(),
            used: HashMap::new(),
            is_open: false,
        };
        let mut cursor = tree.root().walk();
        let mut above: Vec<Node<'_>> = Vec::new();
        // A way down with its own stack: a tree may be deeper than the program's.
        loop {
            let node = cursor.node();
            names.take(tree, node, cursor.field_name(), &above);
            if cursor.goto_first_child() {
                above.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return names;
                }
                above.pop();
            }
        }
    }

    fn take(&mut self, tree: &Parsed<'a>, node: Node<'_>, field: Option<&str>, above: &[Node<'_>]) {
        match node.kind() {
            "wildcard_import" => self.is_open = true,
            "identifier" => {
                let name = tree.text(node);
                match role(node, field, above) {
                    ReferenceRole::Bound => {
                        self.bound.insert(name);
                    }
                    ReferenceRole::Used => {
                        self.used.entry(name).or_insert(node.start_byte());
                    }
                    ReferenceRole::Neither => {}
                }
            }
            _ => {}
        }
    }

    /// Returns the names that are used and bound nowhere, in the order of their places.
    fn undefined(&self) -> Vec<(&'a str, usize)> {
        // `exec` may bind any, and what `globals` answers can be changed.
        let makes_names = ["exec", "globals", "locals", "vars"];
        if self.is_open || makes_names.iter().any(|name| self.used.contains_key(name)) {
            return Vec::new();
        }
        let used = self.used.iter().map(|(name, at)| (*name, *at));
        let mut undefined: Vec<(&str, usize)> = used
            .filter(|(name, _)| !(self.bound.contains(name) || is_built_in(name)))
            .collect();
        undefined.sort_by_key(|(_, at)| *at);
        undefined
    }
}

/// Returns whether Python has a name by itself.
fn is_built_in(name: &str) -> bool {
    let is_special = name.starts_with("__") && name.ends_with("__");
    is_special || name == "_" || BUILT_IN.split_whitespace().any(|own| own == name)
}

/// Nodes of which each name may be bound.
const WHOLE: &[&str] = &[
    "as_pattern_target",
    "case_pattern",
    "type_alias_statement",
    "type_parameter",
];

/// What an identifier is.
enum ReferenceRole {
    Bound,
    Used,
    /// The name of an attribute, of an argument or of another module's item.
    Neither,
}

fn role(node: Node<'_>, field: Option<&str>, above: &[Node<'_>]) -> ReferenceRole {
    match (kind_from_end(above, 1).unwrap_or_default(), field) {
        ("attribute", Some("attribute")) | ("keyword_argument", Some("name")) => {
            ReferenceRole::Neither
        }
        ("dotted_name", _) => imported(node, above),
        ("function_definition" | "class_definition", Some("name"))
        | ("default_parameter" | "typed_default_parameter" | "named_expression", Some("name"))
        | ("aliased_import", Some("alias"))
        | ("augmented_assignment" | "for_in_clause", Some("left"))
        | (
            "parameters"
            | "lambda_parameters"
            | "as_pattern_target"
            | "global_statement"
            | "nonlocal_statement"
            | "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "type_parameter"
            | "splat_pattern",
            _,
        ) => ReferenceRole::Bound,
        ("typed_parameter", None) => ReferenceRole::Bound,
        ("assignment" | "for_statement", Some("left")) => ReferenceRole::Bound,
        // What a pattern binds cannot be told from what it compares with here.
        _ if above.iter().any(|node| WHOLE.contains(&node.kind())) => ReferenceRole::Bound,
        _ => ReferenceRole::Used,
    }
}

fn kind_from_end<'t>(above: &[Node<'t>], from_end: usize) -> Option<&'t str> {
    let at = above.len().checked_sub(from_end)?;
    above.get(at).map(Node::kind)
}

/// Returns what a part of a dotted name is: in an import the first binds, unless another name stands for all.
fn imported(node: Node<'_>, above: &[Node<'_>]) -> ReferenceRole {
    let mut outer = above.iter().rev();
    let (Some(dotted), Some(around)) = (outer.next(), outer.next()) else {
        return ReferenceRole::Neither;
    };
    let is_first = dotted.start_byte() == node.start_byte();
    match around.kind() {
        "import_statement" if is_first => ReferenceRole::Bound,
        "import_from_statement" | "future_import_statement" => {
            let module = around.child_by_field_name("module_name");
            if module.is_some_and(|module| module.id() == dotted.id()) {
                ReferenceRole::Neither
            } else {
                ReferenceRole::Bound
            }
        }
        "import_statement" | "aliased_import" | "relative_import" => ReferenceRole::Neither,
        // A decorator or a pattern.
        _ if is_first => ReferenceRole::Bound,
        _ => ReferenceRole::Neither,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::disk::workspace::WorkspacePath;
    use crate::edit::guard::{Guard, inspect};
    use crate::edit::plan::Strategy;
    use crate::syntax::SyntaxCache;
    use crate::text::{EditSet, Source, Splice};

    fn told(old: &str, new: &str) -> Vec<String> {
        let splice = Splice {
            at: 0,
            old: old.into(),
            new: new.into(),
        };
        let edits = EditSet::new(vec![splice]).unwrap();
        let (before, after) = (Source::new(old), Source::new(new));
        let path = WorkspacePath::parse("a.py", Path::new("/")).unwrap();
        let cache = SyntaxCache::default();
        let alarms = inspect(
            &cache,
            &path,
            Some(&before),
            Some(&after),
            &edits,
            Strategy::Whole,
        );
        let own = alarms
            .iter()
            .filter(|alarm| alarm.guard == Guard::Undefined);
        own.map(|alarm| format!("{}: {}", alarm.line, alarm.message))
            .collect()
    }

    #[test]
    fn names_that_a_change_leaves_undefined_are_told() {
        let old = "import os\n\n\ndef greet(name):\n    print(\"hello \" + name, os.getcwd())\n";
        for (from, to, expected) in [
            (
                "\"hello \" +",
                "greeting +",
                &["5: `greeting` is not defined: nothing in the file binds it"][..],
            ),
            (
                "import os",
                "import sys",
                &["5: `os` is not defined any more, and is used here"],
            ),
            ("import os", "import os.path", &[]),
            ("import os", "import posix as os", &[]),
            ("import os", "from x import os", &[]),
            ("import os", "from os import *", &[]),
            ("\"hello \"", "str(len(name))", &[]),
            ("\"hello \"", "name.greeting(key=name)", &[]),
            (
                "(name):",
                "(name, *rest, greeting=1, other: int = 2, **more):",
                &[],
            ),
        ] {
            assert_eq!(told(old, &old.replace(from, to)), expected, "{to}");
        }
    }

    #[test]
    fn whatever_binds_a_name_defines_it() {
        let old = "x = 1\n";
        for new in [
            "for a, (b, *c) in []:\n    print(a, b, c)\nelse:\n    pass\n",
            "with open('f') as f, open('g') as (g, h):\n    print(f, g, h)\n",
            "try:\n    pass\nexcept ValueError as error:\n    print(error)\n",
            "print([a for a in [] if (b := a)], b, {k: v for k, v in {}})\n",
            "a: int = 1\nb = c = 2\nd, e = 1, 2\nprint(a, b, c, d, e)\n",
            "def f(a, /, b: int, *, c=1, **d) -> int:\n    global g\n    g = lambda h, *i: h + i\n    return a + b + c + d\n",
            "class A[T](object):\n    def f(self) -> T:\n        return super().f(__name__)\n",
            "match x:\n    case [a, *b]:\n        print(a, b)\n    case {'k': c, **d}:\n        print(c, d)\n    case int(e) | str() as g:\n        print(e, g)\n",
            "import a.b, c as d\nfrom . import e\nfrom .f import g as h\n\n\n@a.b.decorated\n@e\ndef i():\n    a, d, e, h\n",
            "exec('y = 1')\nprint(y)\n",
            "print(f'{x!r:>{x}}')\ndel x\n",
            "async def f():\n    async for a in x:\n        yield a\n    async with x as b:\n        await b\n",
        ] {
            assert_eq!(told(old, &format!("{old}{new}")), [""; 0], "{new}");
        }
    }

    #[test]
    fn nothing_is_told_where_names_come_from_elsewhere() {
        let old = "print(given)\n";
        assert_eq!(told(old, "print(given, given)\n"), [""; 0]);
        assert_eq!(told(old, "print(given, other)\n"), [""; 0]);
    }
}
