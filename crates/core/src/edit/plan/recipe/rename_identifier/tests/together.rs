//! One name in several files of a request. In each table, files before and after; `=` is a file that
//! is left as it is. The name is always `load`, the new one `fetch_it`.

use std::path::Path;

use super::super::together::renamed;
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Outcome;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::{CrateRoot, Recipe, Rename, Request};
use crate::syntax::SyntaxCache;
use crate::text::Source;

fn crates() -> Vec<CrateRoot> {
    vec![CrateRoot {
        name: "own_name".to_owned(),
        sources: "src".to_owned(),
    }]
}

fn rename(path: &str, text: &str, together: Vec<String>) -> Result<String, Outcome> {
    let request = Rename {
        together,
        crates: crates(),
        ..Rename::of("load", "fetch_it")
    };
    run(
        path,
        text,
        Request::Recipe(Recipe::RenameIdentifier(request)),
    )
}

/// Checks what becomes of files in which the name is renamed by one request, in any order.
fn check(files: &[(&str, &str, &str)]) {
    let at = |path: &str| WorkspacePath::parse(path, Path::new("/w")).unwrap();
    let asked = |(path, before, _): &(&str, &str, &str)| {
        let request = Rename {
            crates: crates(),
            ..Rename::of("load", "fetch_it")
        };
        (at(path), Source::new(*before), request)
    };
    let mut all: Vec<_> = files.iter().map(asked).collect();
    let mut together = renamed(&SyntaxCache::default(), &all);
    all.reverse();
    let mut turned = renamed(&SyntaxCache::default(), &all);
    together.sort();
    turned.sort();
    assert_eq!(together, turned);
    for (path, before, after) in files {
        let result = rename(path, before, together.clone());
        match *after {
            "=" => assert_eq!(word(&result), "left", "{path}\n{before}\n{result:?}"),
            after => assert_eq!(result.as_deref(), Ok(after), "{path}\n{before}"),
        }
    }
}

const RUST: (&str, &str, &str) = ("src/a.rs", "pub fn load() {}\n", "pub fn fetch_it() {}\n");
const PYTHON: (&str, &str, &str) = ("pkg/mod.py", "def load(): pass\n", "def fetch_it(): pass\n");
const SCRIPT: (&str, &str, &str) = (
    "src/a.ts",
    "export function load() {}\n",
    "export function fetch_it() {}\n",
);

#[test]
fn a_name_is_renamed_through_the_imports_of_rust() {
    for (path, before, after) in [
        (
            "src/main.rs",
            "mod a;\nuse a::load;\nfn main() { load(); a::load(); assert!(a::load()); }\n",
            "mod a;\nuse a::fetch_it;\nfn main() { fetch_it(); a::fetch_it(); assert!(a::fetch_it()); }\n",
        ),
        (
            "src/b.rs",
            "use crate::a::{self, load, other};\nfn f() { load(a::load); }\n",
            "use crate::a::{self, fetch_it, other};\nfn f() { fetch_it(a::load); }\n",
        ),
        (
            "src/b/c.rs",
            "use crate::a;\nfn f() { a::load(); super::super::a::load(); crate::a::load() }\n",
            "use crate::a;\nfn f() { a::fetch_it(); super::super::a::fetch_it(); crate::a::fetch_it() }\n",
        ),
        (
            "src/b.rs",
            "use super::a::load as get;\nmod t { fn f() { crate::a::load(); } }\n",
            "use super::a::fetch_it as get;\nmod t { fn f() { crate::a::fetch_it(); } }\n",
        ),
        (
            "src/b.rs",
            "use crate::a::load;\nfn f(load: u8) { load; }\nfn g(s: S) { s.load(load()); }\n",
            "use crate::a::fetch_it;\nfn f(load: u8) { load; }\nfn g(s: S) { s.load(fetch_it()); }\n",
        ),
        (
            "src/macros.rs",
            "macro_rules! m { () => { $crate::a::load($crate::other::load) } }\n",
            "macro_rules! m { () => { $crate::a::fetch_it($crate::other::load) } }\n",
        ),
    ] {
        check(&[RUST, (path, before, after)]);
    }
    check(&[
        RUST,
        (
            "src/a/tests.rs",
            "use super::*;\nmod more;\nfn t() { load() }\n",
            "use super::*;\nmod more;\nfn t() { fetch_it() }\n",
        ),
        (
            "src/a/tests/more.rs",
            "use super::*;\nfn t() { load() }\n",
            "use super::*;\nfn t() { fetch_it() }\n",
        ),
    ]);
    check(&[
        RUST,
        (
            "src/lib.rs",
            "mod a;\npub use a::load;\n",
            "mod a;\npub use a::fetch_it;\n",
        ),
        (
            "src/b.rs",
            "use crate::load;\nfn f() { load() }\n",
            "use crate::fetch_it;\nfn f() { fetch_it() }\n",
        ),
    ]);
}

#[test]
fn a_name_is_renamed_in_inner_modules_tests_and_other_crates() {
    for (path, before, after) in [
        (
            "src/b.rs",
            "use crate::a::load;\nfn f() { load() }\nmod tests { use crate::a::load; fn t() { load() } }\n",
            "use crate::a::fetch_it;\nfn f() { fetch_it() }\nmod tests { use crate::a::fetch_it; fn t() { fetch_it() } }\n",
        ),
        (
            "src/b.rs",
            "fn f() {}\nmod tests { use crate::a::load; fn t() { load() } }\n",
            "fn f() {}\nmod tests { use crate::a::fetch_it; fn t() { fetch_it() } }\n",
        ),
        (
            "src/a/tests.rs",
            "use super::*;\nfn t() { load(); other.load(); }\n",
            "use super::*;\nfn t() { fetch_it(); other.load(); }\n",
        ),
        ("src/c.rs", "use super::*;\nfn t() { load() }\n", "="),
        (
            "src/c.rs",
            "use crate::a::*;\nfn t() { load() }\n",
            "use crate::a::*;\nfn t() { fetch_it() }\n",
        ),
        (
            "src/c.rs",
            "use crate::a::*;\nuse other_name::*;\nfn t() { load() }\n",
            "=",
        ),
        ("docs/a.md", "To load, call `load`.\n", "="),
        (
            "tests/t.rs",
            "use own_name::a::load;\nfn t() { load(); own_name::a::load(); other_name::a::load(); }\n",
            "use own_name::a::fetch_it;\nfn t() { fetch_it(); own_name::a::fetch_it(); other_name::a::load(); }\n",
        ),
        (
            "tests/t.rs",
            "use other_name::a::load;\nfn t() { load() }\n",
            "=",
        ),
    ] {
        check(&[RUST, (path, before, after)]);
    }
}

#[test]
fn a_name_is_renamed_through_the_imports_of_python() {
    for (path, before, after) in [
        (
            "main.py",
            "from pkg.mod import load\nload()\n",
            "from pkg.mod import fetch_it\nfetch_it()\n",
        ),
        (
            "pkg/x.py",
            "from .mod import other, load\nload()\n",
            "from .mod import other, fetch_it\nfetch_it()\n",
        ),
        (
            "pkg/sub/x.py",
            "from ..mod import load as get\nget()\n",
            "from ..mod import fetch_it as get\nget()\n",
        ),
        (
            "x.py",
            "import pkg.mod\npkg.mod.load()\no.load()\n",
            "import pkg.mod\npkg.mod.fetch_it()\no.load()\n",
        ),
        (
            "x.py",
            "import pkg.mod as m\nm.load(load=1)\n",
            "import pkg.mod as m\nm.fetch_it(load=1)\n",
        ),
        (
            "pkg/x.py",
            "from . import mod\nmod.load()\n",
            "from . import mod\nmod.fetch_it()\n",
        ),
    ] {
        check(&[PYTHON, (path, before, after)]);
    }
    check(&[
        PYTHON,
        (
            "pkg/__init__.py",
            "from .mod import load\n",
            "from .mod import fetch_it\n",
        ),
        (
            "tests/t.py",
            "from pkg import load\nload()\n",
            "from pkg import fetch_it\nfetch_it()\n",
        ),
    ]);
    check(&[
        ("src/pkg/mod.py", PYTHON.1, PYTHON.2),
        (
            "tests/t.py",
            "from pkg.mod import load\n",
            "from pkg.mod import fetch_it\n",
        ),
    ]);
}

#[test]
fn a_name_is_renamed_through_the_imports_of_scripts() {
    for (path, before, after) in [
        (
            "src/b.ts",
            "import { load } from './a';\nload({ load });\n",
            "import { fetch_it } from './a';\nfetch_it({ load: fetch_it });\n",
        ),
        (
            "src/b.ts",
            "import { load as get } from './a.js';\nget();\n",
            "import { fetch_it as get } from './a.js';\nget();\n",
        ),
        (
            "src/c/b.tsx",
            "import * as m from '../a';\nm.load(o.load);\n",
            "import * as m from '../a';\nm.fetch_it(o.load);\n",
        ),
        (
            "b.mjs",
            "import { load } from \"./src/a\";\nexport { load };\n",
            "import { fetch_it } from \"./src/a\";\nexport { fetch_it };\n",
        ),
    ] {
        check(&[SCRIPT, (path, before, after)]);
    }
    check(&[
        SCRIPT,
        (
            "src/index.ts",
            "export { load } from './a';\n",
            "export { fetch_it } from './a';\n",
        ),
        (
            "main.ts",
            "import { load } from './src';\nload();\n",
            "import { fetch_it } from './src';\nfetch_it();\n",
        ),
    ]);
}

#[test]
fn a_file_is_left_as_it_is_where_the_name_is_not_known_to_be_the_same() {
    for (path, before) in [
        ("src/b.rs", "use other::load;\nfn f() { load() }\n"),
        ("src/b.rs", "use std::load;\nfn f() { load() }\n"),
        (
            "src/b.rs",
            "use crate::a::*;\nuse std::io::*;\nfn f() { load() }\n",
        ),
        ("src/b.rs", "use crate::a::m::load;\nfn f() { load() }\n"),
        ("src/b.rs", "fn f() { a::load(); b::load() }\n"),
        (
            "src/b.rs",
            "fn f(load: u8) { load; }\nfn g(load: u8) { load; }\n",
        ),
        ("src/b.rs", "fn f(load: u8) { load; }\n"),
        ("src/b.rs", "fn f(s: S) { s.load() }\n"),
        ("src/b.rs", "use load;\nfn f() { load::x() }\n"),
        (
            "src/main.rs",
            "#[path = \"b.rs\"]\nmod a;\nfn f() { a::load() }\n",
        ),
    ] {
        check(&[RUST, (path, before, "=")]);
    }
    for (path, before) in [
        ("x.py", "from json import load\nload()\n"),
        ("x.py", "import json\njson.load()\n"),
        ("x.py", "from pkg.mod import *\nload()\n"),
        ("x.py", "from other.pkg.mod import load\n"),
        ("x.py", "from .mod import load\n"),
        ("x.py", "import pkg.mod as m\ndef f(m): m.load()\n"),
        ("x.py", "import load\n"),
        (
            "x.py",
            "try:\n    from pkg.mod import load\nexcept ImportError:\n    from json import load\n",
        ),
        ("x.py", "class C:\n    def load(self): pass\n"),
        ("x.py", "def f(load): return load\n"),
    ] {
        check(&[PYTHON, (path, before, "=")]);
    }
    for (path, before) in [
        ("src/b.ts", "import { load } from 'a';\nload();\n"),
        ("src/b.ts", "import { load } from '@/a';\nload();\n"),
        ("src/b.ts", "import { load } from './c';\nload();\n"),
        ("src/b.js", "const { load } = require('./a');\nload();\n"),
        ("src/b.js", "load();\n"),
        (
            "src/b.ts",
            "import * as m from './a';\nfunction f(m) { m.load(); }\n",
        ),
        ("src/b.ts", "x.load();\n"),
    ] {
        check(&[SCRIPT, (path, before, "=")]);
    }
    // The key stays that the function is exported under.
    let alone = rename(
        "src/a.js",
        "function load() {}\nmodule.exports = { load };\n",
        Vec::new(),
    );
    let kept = "function fetch_it() {}\nmodule.exports = { load: fetch_it };\n";
    assert_eq!(alone.as_deref(), Ok(kept));
}

#[test]
fn an_import_alone_is_not_renamed() {
    for (path, before, why) in [
        (
            "src/b.rs",
            "use crate::a::load;\n",
            "imported from `crate::a`",
        ),
        (
            "x.py",
            "from pkg.mod import load\nload()\n",
            "imported from `pkg.mod`",
        ),
        (
            "x.ts",
            "import { load } from './a';\nload();\n",
            "imported from `./a`",
        ),
        ("x.py", "import load\n", "imported from `load`"),
        ("x.js", "load();\n", "is not bound in this file"),
        (
            "src/b.rs",
            "fn f() { a::load(); }\n",
            "module that is not renamed",
        ),
    ] {
        match rename(path, before, Vec::new()) {
            Err(Outcome::Refused { why: said }) => assert!(said.contains(why), "{said}"),
            other => panic!("{path} {before} {other:?}"),
        }
    }
}

#[test]
fn many_uses_after_a_module_are_read_in_one_pass() {
    let before = format!("import pkg.mod as m\n{}", "m.load()\n".repeat(20_000));
    let after = before.replace("load", "fetch_it");
    check(&[PYTHON, ("x.py", &before, &after)]);
}
