//! Imports that are added, merged, or there already, by language.

use super::super::testing::{answers, check as check_recipe};

fn ensure(import: &str) -> String {
    let import = serde_json::to_string(import).unwrap();
    format!(r#"{{"name":"ensure_import","import":{import}}}"#)
}

fn check(path: &str, before: &str, import: &str, after: &str) {
    check_recipe(path, &ensure(import), before, after);
}

#[test]
fn what_stays_at_the_head_stays_there() {
    check(
        "a.py",
        "#!python\n# coding: utf-8\n\"\"\"Doc.\"\"\"\nx = 1\n",
        "import os",
        "#!python\n# coding: utf-8\n\"\"\"Doc.\"\"\"\nimport os\n\nx = 1\n",
    );
    check(
        "a.ts",
        "// @ts-check\n\n// Of x.\nconst x = 1;\n",
        "import { b } from \"./m\";",
        "// @ts-check\n\nimport { b } from \"./m\";\n\n// Of x.\nconst x = 1;\n",
    );
}

#[test]
fn an_import_goes_where_imports_are() {
    check(
        "a.rs",
        "use a::b;\n\nfn x() {}\n",
        "std::fs",
        "use a::b;\nuse std::fs;\n\nfn x() {}\n",
    );
    check(
        "a.rs",
        "//! Doc.\n\nfn x() {}\n",
        "use std::fs;",
        "//! Doc.\nuse std::fs;\n\nfn x() {}\n",
    );
    check(
        "a.rs",
        "/// Doc.\nfn x() {}\n",
        "use std::fs",
        "use std::fs;\n\n/// Doc.\nfn x() {}\n",
    );
    check(
        "a.rs",
        "use a;\nfn x() {}\nuse z;\n",
        "b",
        "use a;\nuse b;\nfn x() {}\nuse z;\n",
    );
    check(
        "a.py",
        "\"\"\"Doc.\"\"\"\nx = 1\n",
        "os",
        "\"\"\"Doc.\"\"\"\nimport os\n\nx = 1\n",
    );
    check(
        "a.py",
        "import a\n",
        "from b import c, d",
        "import a\nfrom b import c, d\n",
    );
    check(
        "a.ts",
        "import a from 'a';\nx();\n",
        "import { b } from 'b';",
        "import a from 'a';\nimport { b } from 'b';\nx();\n",
    );
    check(
        "a.js",
        "'use client';\nx();\n",
        "import './a.css';",
        "'use client';\nimport './a.css';\n\nx();\n",
    );
}

#[test]
fn a_sorted_block_stays_sorted() {
    check(
        "a.rs",
        "use std::fs;\nuse std::io;\n\nuse a::b;\nuse c::d;\n",
        "std::fmt",
        "use std::fmt;\nuse std::fs;\nuse std::io;\n\nuse a::b;\nuse c::d;\n",
    );
    check(
        "a.py",
        "import a\nimport c\n\nx = 1\n",
        "b",
        "import a\nimport b\nimport c\n\nx = 1\n",
    );
    check(
        "a.ts",
        "import a from 'a';\nimport c from 'c';\n",
        "import b from 'b';",
        "import a from 'a';\nimport b from 'b';\nimport c from 'c';\n",
    );
    check(
        "a.ts",
        "import c from 'c';\nimport a from 'a';\n",
        "import b from 'b';",
        "import c from 'c';\nimport a from 'a';\nimport b from 'b';\n",
    );
}

#[test]
fn rust_groups_take_in_more() {
    let group = "use std::{fs, io};\n";
    check("a.rs", group, "std::fmt", "use std::{fmt, fs, io};\n");
    check(
        "a.rs",
        group,
        "use std::{fmt, io, rc};",
        "use std::{fmt, fs, io, rc};\n",
    );
    check(
        "a.rs",
        "use std::{\n    fs::{self, File},\n    io, // why\n};\n",
        "std::fs::write",
        "use std::{\n    fs::{self, File, write},\n    io, // why\n};\n",
    );
    check(
        "a.rs",
        "use std::{\n    fs,\n    io, // why\n};\n",
        "std::rc",
        "use std::{\n    fs,\n    io, // why\n    rc,\n};\n",
    );
    check(
        "a.rs",
        "pub use a::{b, c};\n",
        "a::d",
        "pub use a::{b, c};\nuse a::d;\n",
    );
    check(
        "a.rs",
        "#[cfg(x)]\nuse a::{b, c};\n",
        "a::d",
        "#[cfg(x)]\nuse a::{b, c};\nuse a::d;\n",
    );
    check(
        "a.rs",
        "use std::fs;\n",
        "std::io",
        "use std::fs;\nuse std::io;\n",
    );
}

#[test]
fn script_imports_take_in_more() {
    check(
        "a.tsx",
        "import { a } from './m';\n",
        "import { b, c as d } from \"./m\"",
        "import { a, b, c as d } from './m';\n",
    );
    check(
        "a.ts",
        "import {\n  a,\n  c,\n} from './m'\n",
        "import { b, d } from './m'",
        "import {\n  a,\n  b,\n  c,\n  d,\n} from './m'\n",
    );
    check(
        "a.ts",
        "import {\n  a,\n  b\n} from './m'\n",
        "import { c } from './m'",
        "import {\n  a,\n  b,\n  c\n} from './m'\n",
    );
    check(
        "a.ts",
        "import { a } from 'm';\n",
        "import X from 'm'",
        "import X, { a } from 'm';\n",
    );
    check(
        "a.ts",
        "import X from 'm';\n",
        "import { a } from 'm'",
        "import X, { a } from 'm';\n",
    );
    check(
        "a.ts",
        "import type { A } from 'm';\n",
        "import { type B } from 'm';",
        "import type { A, B } from 'm';\n",
    );
    check(
        "a.ts",
        "import { a } from 'm';\n",
        "import type { B } from 'm';",
        "import { a } from 'm';\nimport type { B } from 'm';\n",
    );
    check(
        "a.ts",
        "import { a, type C } from 'm';\n",
        "import type { B } from 'm';",
        "import { a, type B, type C } from 'm';\n",
    );
    check(
        "a.ts",
        "import a from \"a\"\nx()\n",
        "import { b } from 'b';",
        "import a from \"a\"\nimport { b } from \"b\"\nx()\n",
    );
    check(
        "a.ts",
        "import * as m from 'm';\n",
        "import { b } from 'm';",
        "import * as m from 'm';\nimport { b } from 'm';\n",
    );
}

#[test]
fn python_imports_take_in_more() {
    check(
        "a.py",
        "from m import a\n",
        "from m import b",
        "from m import a, b\n",
    );
    check(
        "a.py",
        "from m import (\n    a,\n    c,  # why\n)\n",
        "from m import b, d",
        "from m import (\n    a,\n    b,\n    c,  # why\n    d,\n)\n",
    );
    check(
        "a.py",
        "'''Doc.'''\nimport os\n",
        "from __future__ import annotations",
        "'''Doc.'''\nfrom __future__ import annotations\nimport os\n",
    );
    check(
        "a.py",
        "from __future__ import division\nimport os\n",
        "from __future__ import annotations",
        "from __future__ import division, annotations\nimport os\n",
    );
    check(
        "a.py",
        "from __future__ import division\nx = 1\n",
        "os",
        "from __future__ import division\nimport os\nx = 1\n",
    );
    check(
        "a.py",
        "from . import a\n",
        "from .m import a2",
        "from . import a\nfrom .m import a2\n",
    );
    check(
        "a.py",
        "from m import *\n",
        "from m import b",
        "from m import *\nfrom m import b\n",
    );
    check(
        "a.py",
        "import a, b\n",
        "import b as c",
        "import a, b\nimport b as c\n",
    );
}

#[test]
fn what_is_imported_already_is_seen() {
    let check = |path: &str, before: &str, import: &str| {
        answers(
            path,
            &ensure(import),
            before,
            "already_applied",
            "has this import",
        );
    };
    let std = "use std::{fs::{self, File}, io};\n";
    check("a.rs", std, "use std::fs::File;");
    check("a.rs", std, "std::fs");
    check("a.rs", "pub use a::b;\n", "a::b");
    check("a.py", "from b import (c, d)\n", "from b import d");
    check(
        "a.ts",
        "import a, { b, c } from 'm';\n",
        "import { c } from \"m\";",
    );
    check(
        "a.ts",
        "import { T } from 'm';\n",
        "import type { T } from 'm';",
    );
    check("a.ts", "import 'm';\n", "import 'm'");
}

#[test]
fn a_name_is_not_imported_twice() {
    let check = |path: &str, before: &str, import: &str, why: &str| {
        answers(path, &ensure(import), before, "refused", why);
    };
    check("a.rs", "use a::R;\n", "b::R", "`R` is imported on line 1");
    check("a.rs", "x!();\nuse a::R;\n", "pub use a::R", "on line 2");
    check("a.rs", "#[cfg(t)]\nuse a::R;\n", "a::R", "on line 2");
    check(
        "a.ts",
        "import { R } from 'a';\n",
        "import { R } from 'b';",
        "on line 1",
    );
    check(
        "a.ts",
        "import type { R } from 'a';\n",
        "import { R } from 'a';",
        "on line 1",
    );
    check(
        "a.ts",
        "\nfunction R() {}\n",
        "import R from 'b';",
        "on line 2",
    );
}

#[test]
fn what_is_no_import_is_refused() {
    for (path, import) in [
        ("a.rs", "use ;"),
        ("a.rs", "fn x() {}"),
        ("a.ts", "react"),
        ("a.py", "1 +"),
    ] {
        answers(path, &ensure(import), "x\n", "invalid", "is no import");
    }
    answers("a.txt", &ensure("import a"), "x\n", "refused", "no grammar");
}

#[test]
fn a_module_that_asks_with_require_gets_no_import() {
    for before in [
        "'use strict'\nconst a = require('a')\n",
        "const { b } = require('a').c\n",
        "var b\nmodule.exports = { b }\n",
        "exports.b = 1\n",
    ] {
        answers(
            "a.js",
            &ensure("import fs from 'fs'"),
            before,
            "refused",
            "CommonJS",
        );
    }
    answers(
        "a.cjs",
        &ensure("import fs from 'fs'"),
        "b()\n",
        "refused",
        "CommonJS",
    );
    for (path, before) in [
        ("a.js", "const a = b.require\n"),
        ("a.js", "export const a = 1\nconst b = require('b')\n"),
        ("a.ts", "const b = require('b')\n"),
    ] {
        let after = format!("import fs from 'fs';\n\n{before}");
        check(path, before, "import fs from 'fs';", &after);
    }
}

#[test]
fn what_python_wants_first_stands_first() {
    check(
        "x.py",
        "__version__ = '1'\n\nfrom a import b\n",
        "from __future__ import annotations",
        "from __future__ import annotations\n\n__version__ = '1'\n\nfrom a import b\n",
    );
}
