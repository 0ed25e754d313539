"""Measures which needless hunks `signoff test --needed` marks, and that it marks none that a test needs.

In: `signoff`; `python3`, `node` and `cargo` on the path, of which those that are missing are left out. Out: a row for each small project
and each state: a golden patch alone, needless edits on top of it once it is written (a task that is done already), and both at once;
then the hunks that are judged otherwise than wanted. `--time` measures 30 hunks with a suite of one second.

`--repository` takes clones of real projects instead, whose tests run here (pytest of `VIRTUAL_ENV`, Jest on the path, or `node --test`), and of each the
newest commits whose tests fail before and pass after. Such a commit, and scripted needless edits (`edits.py`) of the file that it changes
most, are staged at once. Edits that break a test are left out before. Out: by commit what the hunks are judged, by repository the sums, and
each hunk that is judged otherwise than wanted: a needless one that is not marked though a test runs it, one that is marked though none does,
and one of the commit that is marked though the tests fail without it.

    python3 tests/needless/measure.py --engine target/release/signoff [--time] [py js rs]
    python3 tests/needless/measure.py --engine target/release/signoff --repository ../boltons ../tomli [--commits 4] [--skip 0]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import edits

PY_A = '''"""Cart."""
import json
import math


class Cart:
    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, name, price, count=1):
        self.items.append((name, price, count))

    def total(self):
        result = 0
        for name, price, count in self.items:
            result += price
        return result

    def names(self):
        return [item[0] for item in self.items]

    def dump(self):
        return json.dumps(self.names())


def discount(total, rate):
    return total - total * rate


def rounded(value):
    return math.floor(value)


def shipping(weight):
    if weight > 20:
        return 15
    return 5
'''
PY_T = '''import unittest
from shop.cart import Cart, discount, rounded, shipping


class Tests(unittest.TestCase):
    def test_total(self):
        cart = Cart("ann")
        cart.add("tea", 3, 2)
        cart.add("jam", 4)
        self.assertEqual(cart.total(), 10)

    def test_names(self):
        cart = Cart("ann")
        cart.add("tea", 3)
        self.assertEqual(cart.names(), ["tea"])
        self.assertEqual(cart.dump(), '["tea"]')

    def test_discount(self):
        self.assertEqual(discount(100, 0.1), 90)
        self.assertEqual(discount(100, 200), 0)

    def test_rounded(self):
        self.assertEqual(rounded(2.7), 3)

    def test_shipping(self):
        self.assertEqual(shipping(1), 5)
        self.assertEqual(shipping(30), 12)


if __name__ == "__main__":
    unittest.main()
'''
PY_GOLD = [("shop/cart.py","            result += price\n","            result += price * count\n"),
("shop/cart.py","    return total - total * rate\n","    return max(total - total * rate, 0)\n"),
("shop/cart.py","    return math.floor(value)\n","    return math.floor(value + 0.5)\n"),
("shop/cart.py","        return 15\n","        return 12\n")]
PY_NEED = [
("shop/cart.py","import json\nimport math\n","import json\nimport math\nimport os\n"),
("shop/cart.py","        self.owner = owner\n","        self.owner = str(owner)\n"),
("shop/cart.py","        self.items = []\n","        self.items = list()\n"),
("shop/cart.py","        self.items.append((name, price, count))\n","        entry = (name, price, count)\n        self.items.append(entry)\n"),
("shop/cart.py","        result = 0\n","        result = 0  # running total\n"),
("shop/cart.py","        for name, price, count in self.items:\n","        for _name, price, count in list(self.items):\n"),
("shop/cart.py","        return [item[0] for item in self.items]\n","        return list(item[0] for item in self.items)\n"),
("shop/cart.py","        return json.dumps(self.names())\n","        return json.dumps(self.names() or [])\n"),
("shop/cart.py","def discount(total, rate):\n","def discount(total: float, rate: float) -> float:\n"),
("shop/cart.py","def rounded(value):\n","def rounded(value):\n    \"\"\"Rounds a value.\"\"\"\n"),
("shop/cart.py","def shipping(weight):\n","def shipping(weight):\n    if weight is None:\n        return 0\n"),
("shop/cart.py","    return 5\n","    cost = 5\n    return cost\n"),
("shop/cart.py","    def names(self):\n","    def names(self):\n        # Names of items.\n"),
("shop/cart.py","    def dump(self):\n","    def dump(self):\n        self._check()\n"),
("shop/cart.py","    def names(self):\n        # Names","    def _check(self):\n        assert self.items is not None\n\n    def names(self):\n        # Names"),
("shop/cart.py",'"""Cart."""\n','"""Cart."""\n\nDEFAULT_RATE = 0.2\n'),
("README.md","A shop.\n","A shop.\n\nTotals now count each item.\n"),
]
JS_A = '''const fs = require("fs");

function parse(text) {
  const out = {};
  for (const line of text.split("\\n")) {
    const at = line.indexOf("=");
    if (at < 0) continue;
    out[line.slice(0, at)] = line.slice(at + 1);
  }
  return out;
}

function merge(a, b) {
  return Object.assign(a, b);
}

function pick(object, keys) {
  const out = {};
  for (const key of keys) {
    out[key] = object[key];
  }
  return out;
}

function count(list) {
  return list.length;
}

module.exports = { parse, merge, pick, count };
'''
JS_T = '''const test = require("node:test");
const assert = require("node:assert");
const { parse, merge, pick, count } = require("../src/conf.js");

test("parse trims", () => {
  assert.deepStrictEqual(parse(" a = 1\\nx\\nb=2"), { a: "1", b: "2" });
});

test("merge keeps its arguments", () => {
  const a = { x: 1 };
  assert.deepStrictEqual(merge(a, { y: 2 }), { x: 1, y: 2 });
  assert.deepStrictEqual(a, { x: 1 });
});

test("pick leaves out what is not there", () => {
  assert.deepStrictEqual(pick({ a: 1 }, ["a", "b"]), { a: 1 });
});

test("count", () => {
  assert.strictEqual(count([1, 2]), 2);
});
'''
JS_GOLD = [("src/conf.js","    out[line.slice(0, at)] = line.slice(at + 1);\n","    out[line.slice(0, at).trim()] = line.slice(at + 1).trim();\n"),
("src/conf.js","  return Object.assign(a, b);\n","  return Object.assign({}, a, b);\n"),
("src/conf.js","    out[key] = object[key];\n","    if (key in object) out[key] = object[key];\n")]
JS_NEED = [
("src/conf.js","const fs = require(\"fs\");\n","const fs = require(\"fs\");\nconst path = require(\"path\");\n"),
("src/conf.js","  for (const line of text.split(\"\\n\")) {\n","  for (const line of String(text).split(\"\\n\")) {\n"),
("src/conf.js","    const at = line.indexOf(\"=\");\n","    let at = line.indexOf(\"=\");\n"),
("src/conf.js","    if (at < 0) continue;\n","    if (at < 0) {\n      continue;\n    }\n"),
("src/conf.js","function merge(a, b) {\n","function merge(a, b = {}) {\n"),
("src/conf.js","  for (const key of keys) {\n","  for (const key of [...keys]) {\n"),
("src/conf.js","  return list.length;\n","  if (!list) return 0;\n  return list.length;\n"),
("src/conf.js","function count(list) {\n","/** Counts. */\nfunction count(list) {\n"),
("src/conf.js","function parse(text) {\n","function parse(text) {\n  // Parses lines.\n"),
]
RS_A = '''//! Spans.

use std::collections::BTreeMap;

pub fn clamp(value: i64, low: i64, high: i64) -> i64 {
    if value < low {
        return low;
    }
    value
}

pub fn words(text: &str) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for word in text.split(' ') {
        *out.entry(word.to_string()).or_insert(0) += 1;
    }
    out
}

pub fn join(parts: &[&str]) -> String {
    let mut out = String::new();
    for part in parts {
        out.push_str(part);
        out.push(',');
    }
    out
}
'''
RS_T = '''use spans::{clamp, join, words};

#[test]
fn clamps() {
    assert_eq!(clamp(-1, 0, 5), 0);
    assert_eq!(clamp(9, 0, 5), 5);
}

#[test]
fn counts() {
    let found = words("a  b a");
    assert_eq!(found.get("a"), Some(&2));
    assert_eq!(found.get(""), None);
}

#[test]
fn joins() {
    assert_eq!(join(&["a", "b"]), "a,b");
}
'''
RS_GOLD = [("src/spans.rs","    value\n}\n","    value.min(high)\n}\n"),
("src/spans.rs","    for word in text.split(' ') {\n","    for word in text.split_whitespace() {\n"),
("src/spans.rs","    for part in parts {\n        out.push_str(part);\n        out.push(',');\n    }\n","    for (at, part) in parts.iter().enumerate() {\n        if at > 0 {\n            out.push(',');\n        }\n        out.push_str(part);\n    }\n")]
RS_NEED = [
("src/spans.rs","        return low;\n","        return low.max(low);\n"),
("src/spans.rs","    let mut out = BTreeMap::new();\n","    let mut out: BTreeMap<String, usize> = BTreeMap::new();\n"),
("src/spans.rs","word.to_string()","word.to_owned()"),
("src/spans.rs","    let mut out = String::new();\n","    let mut out = String::with_capacity(parts.len());\n"),
("src/spans.rs","pub fn clamp(","/// Clamps.\npub fn clamp("),
("src/spans.rs","pub fn join(","#[must_use]\npub fn join("),
]
PROJECTS = {
    "py": ({"shop/__init__.py": "", "shop/cart.py": PY_A, "tests/__init__.py": "", "tests/test_cart.py": PY_T,
            "README.md": "A shop.\n"}, PY_GOLD, PY_NEED, "python3"),
    "js": ({"src/conf.js": JS_A, "test/conf.test.js": JS_T,
            "package.json": '{"name":"conf","scripts":{"test":"node --test"}}\n'}, JS_GOLD, JS_NEED, "node"),
    "rs": ({"src/lib.rs": "pub mod spans;\n", "src/spans.rs": RS_A, "tests/spans.rs": RS_T,
            "Cargo.toml": '[package]\nname = "spans"\nversion = "0.1.0"\nedition = "2021"\n'}, RS_GOLD, RS_NEED, "cargo"),
}
NEEDS = ("needed", "unneeded", "uncovered", "undecided")


class Project:
    """A copy of a project with a store of its own."""

    def __init__(self, engine, folder, files, clone=None):
        home = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.engine, self.root = engine, home / "work"
        names = {"DATA": "d", "CONFIG": "c", "STATE": "s", "CACHE": "k"}
        self.environment = os.environ | {"HOME": str(home)} | {f"XDG_{own}_HOME": str(home / to) for own, to in names.items()}
        if clone:
            git(folder, "clone", "-q", clone, self.root)
        self.write(files)
        if not clone:
            subprocess.run(["git", "init", "-q", "."], cwd=self.root, env=self.environment, check=True)

    def write(self, files):
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def run(self, *arguments, given=None):
        ran = subprocess.run([self.engine, *arguments], cwd=self.root, input=given, capture_output=True, text=True,
                             env=self.environment)
        if ran.returncode not in (0, 3):
            raise SystemExit(f"{arguments}: {ran.stdout}{ran.stderr}")
        return ran

    def stage(self, edits):
        for file, old, new in edits:
            change = {"file": file, "strategy": "section", "description": "tidy",
                      "section": {"edits": [{"old_text": old, "new_text": new}]}}
            self.run("apply", given=json.dumps({"changes": [change]}))

    def judge(self, name):
        began = time.time()
        ran = self.run("test", "--needed", "--json")
        rows = [json.loads(line) for line in ran.stdout.splitlines()]
        hunks = [row for row in rows if "need" in row]
        if not hunks:
            raise SystemExit(f"{name}: {ran.stdout}{ran.stderr}")
        counts = ", ".join(f"{sum(row['need'] == need for row in hunks)} {need}" for need in NEEDS)
        print(f"{name:<10} {counts}, {rows[-1]['runs']} runs, {time.time() - began:.1f} s")
        return hunks


def show(hunks, wanted):
    for row in hunks:
        if row["need"] != wanted:
            print(f"    {row['path']}:{row['line']} {row['need']}: {row['detail']}")


def measure(engine, folder, name):
    files, gold, needless, _ = PROJECTS[name]
    project = Project(engine, folder, files)
    project.stage(gold)
    show(project.judge(f"{name} golden"), "needed")
    project = Project(engine, folder, files)
    project.stage(gold)
    project.run("approve", "--all")
    project.stage(needless)
    show(project.judge(f"{name} done"), "unneeded")
    project = Project(engine, folder, files)
    project.stage(gold + needless)
    project.judge(f"{name} both")


def measure_time(engine, folder):
    tests = "".join(f"    def test_{i}(self):\n        self.assertEqual(m.f{i}(2), {2 + i})\n\n" for i in range(30))
    slow = "import time\nimport unittest\nfrom shop import m\n\n\nclass T(unittest.TestCase):\n    def test_slow(self):\n        time.sleep(1)\n\n"
    for needed in (0, 3, 15, 30):
        def text(signs):
            each = (f"def f{i}(a):\n    b = {signs(i)}\n\n    return b\n\n\n" for i in range(30))
            return "".join(each)
        old = text(lambda i: f"a - {i} - 1" if i < needed else f"a + {i}")
        new = text(lambda i: f"a + {i}" if i < needed else f"{i} + a")
        project = Project(engine, folder, {"shop/__init__.py": "", "shop/m.py": old, "tests/__init__.py": "",
                                           "tests/test_m.py": slow + tests})
        change = {"file": "shop/m.py", "strategy": "whole", "description": "x", "whole": {"content": new}}
        project.run("apply", given=json.dumps({"changes": [change]}))
        project.judge(f"{needed} of 30")


def git(folder, *arguments):
    ran = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *map(str, arguments)], cwd=folder, capture_output=True)
    if ran.returncode:
        raise SystemExit(f"git {arguments}: {ran.stderr.decode()}")
    return ran.stdout.decode(errors="replace")


def is_test(path):
    return re.search(r"(^|/)(tests?|spec)/|(^|/)test_[^/]*$|[._]test\.[^/]*$|(^|/)conftest", path) is not None


class Commit:
    """A commit of a repository, without what it changes beside code, and a clone that has its tests alone."""

    def __init__(self, folder, repository, name):
        self.name, self.clone, self.repository = name, pathlib.Path(tempfile.mkdtemp(dir=folder)) / "clone", repository
        names = git(repository, "show", "--no-renames", "--format=", "--name-status", name).splitlines()
        changed = dict(reversed(own.split("\t")) for own in names)
        code = [path for path in changed if pathlib.Path(path).suffix in edits.LANGUAGES]
        self.tests = [path for path in code if is_test(path) and changed[path] != "D"]
        self.data = [path for path in changed if is_test(path) and changed[path] != "D" and path not in code]
        aside = re.compile(r"(^|/)(docs?|examples?|benchmarks?|scripts)/|setup\.py$|config\.js$")
        self.sources = [path for path in code if not is_test(path) and not aside.search(path)]
        self.fits = bool(self.tests) and 0 < len(self.sources) <= 3 and all(changed[path] == "M" for path in self.sources)

    def prepare(self):
        """Makes the clone; returns whether tests fail in it that pass with the commit."""
        git(".", "clone", "-q", "--no-checkout", self.repository, self.clone)
        git(self.clone, "checkout", "-q", f"{self.name}^")
        git(self.clone, "checkout", self.name, "--", *self.tests, *self.data)
        # Tests of a package below `src` are meant to be run once it is installed.
        if (self.clone / "src").is_dir() and not (self.clone / "conftest.py").exists() and self.sources[0].endswith(".py"):
            (self.clone / "conftest.py").write_text('import pathlib\nimport sys\n\nsys.path.insert(0, str(pathlib.Path(__file__).parent / "src"))\n')
        # Jest itself is all that there is of a project's packages; tests in its process may read its arguments.
        if self.has_jest():
            (self.clone / "jest.config.js").write_text("process.argv.length = 2;\nmodule.exports = { testEnvironment: 'node', testMatch: ['**/*.test.js'] };\n")
        git(self.clone, "add", "--all")
        git(self.clone, "commit", "-q", "-m", "tests")
        self.texts = {path: git(self.repository, "show", f"{self.name}:{path}") for path in self.sources}
        return bool(self.failing({}, self.tests) - self.failing(self.texts, self.tests))

    def write(self):
        """Puts the texts of the commit into its clone."""
        git(self.clone, "checkout", "-q", "--", ".")
        for path, text in self.texts.items():
            (self.clone / path).write_text(text)
        git(self.clone, "commit", "-q", "--all", "-m", "commit")

    def has_jest(self):
        package = self.clone / "package.json"
        return package.exists() and '"jest"' in package.read_text()

    def failing(self, texts, tests=()):
        """Returns the tests that fail with these texts in place."""
        git(self.clone, "checkout", "-q", "--", ".")
        for path, text in texts.items():
            (self.clone / path).write_text(text)
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        if self.sources[0].endswith(".py"):
            python = str(pathlib.Path(os.environ["VIRTUAL_ENV"]) / "bin/python") if "VIRTUAL_ENV" in os.environ else "python3"
            command, row = [python, "-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"], r"^(?:FAILED|ERROR) (\S+)"
        elif self.has_jest():
            command, row = ["jest", "--ci", "--verbose"], r"^ +\u2715 .*?(?= \(\d+ ms\)|$)|^FAIL \S+"
        else:
            command, row = ["node", "--test", "--test-reporter=tap"], r"^ *not ok \d+ - (.*)"
        try:
            ran = subprocess.run([*command, *tests], cwd=self.clone, env=environment, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return {f"{command[0]}, which does not end"}
        failing = set(re.findall(row, ran.stdout + ran.stderr, re.MULTILINE))
        # A runner that breaks names no test.
        return failing or ({command[0]} if ran.returncode else set())

    def edited(self, folder):
        """Chooses needless edits; returns the file, the edits that leave all tests as they are, and those whose probe a test runs."""
        def size(path):
            return sum(map(int, git(self.repository, "show", "--numstat", "--format=", self.name, "--", path).split()[:2]))
        path = max(self.sources, key=size)
        language = edits.LANGUAGES[pathlib.Path(path).suffix](self.texts[path])
        ranges = re.findall(r"^@@ \S+ \+(\d+)(?:,(\d+))? @@", git(self.repository, "show", "-U0", "--format=", self.name, "--", path), re.MULTILINE)
        taken = [(int(begin) - 1, int(begin) - 1 + int(count or 1)) for begin, count in ranges]
        chosen = edits.needless(language, taken, self.name)
        before = self.failing(self.texts)

        def text(some, probes=None):
            return "\n".join(edits.applied(language.lines, some, probes)[0])

        def breaks(some):
            return self.failing(self.texts | {path: text(some)}) != before
        if breaks(chosen):
            kinds = {own.kind for own in chosen}
            broken = {kind for kind in kinds if breaks([own for own in chosen if own.kind == kind])}
            chosen = [own for own in chosen if own.kind not in broken]
        marks = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.failing(self.texts | {path: text(chosen, lambda number, line: language.probe(line, str(marks / str(number))))})
        return path, chosen, {int(own.name) for own in marks.iterdir()}

    def failing_without(self, hunks, project):
        """Returns the tests that fail once all but these hunks, by number in their file, are approved."""
        waiting = {own["path"]: own["id"] for own in json.loads(project.run("review", "--json").stdout)}
        for path, number, _ in hunks:
            project.run("deny", f"{waiting[path]}#{number}")
        project.run("approve", "--all")
        texts = {path: (project.root / path).read_text() for path in self.sources}
        return self.failing(texts) - self.failing(self.texts)


def stage_commit(engine, folder, commit, texts):
    project = Project(engine, folder, {}, commit.clone)
    changes = [{"file": path, "strategy": "whole", "description": "x", "whole": {"content": text}} for path, text in texts.items()]
    project.run("apply", given=json.dumps({"changes": changes}))
    return project


def measure_commit(engine, folder, commit, sums):
    path, chosen, run = commit.edited(folder)
    lines, ranges = edits.applied(commit.texts[path].split("\n"), chosen)
    texts = commit.texts | {path: "\n".join(lines)}
    project = stage_commit(engine, folder, commit, texts)
    hunks = project.judge(commit.name[:10])
    marked = []
    for row in hunks:
        at = [number for number, own in enumerate(ranges) if row["path"] == path and row["line"] - 1 in own]
        row["edit"] = at[0] if at else None
        reach = "golden" if not at else chosen[at[0]].kind if chosen[at[0]].probe is None else "run" if at[0] in run else "not run"
        kind = chosen[at[0]].kind if at else "golden"
        wanted = {"golden": ("needed",), "not run": ("uncovered",)}.get(reach, ("unneeded",))
        sums[reach, row["need"]] = sums.get((reach, row["need"]), 0) + 1
        if reach == "golden" and row["need"] == "unneeded":
            marked.append((row["path"], row["hunk"].rsplit("#")[1], row["line"]))
        if row["need"] not in wanted:
            print(f"    {kind} ({reach}) {row['path']}:{row['line']} {row['need']}: {row['detail']}")
    # A hunk may be needed by another one that is needless too, so that only all of them together tell.
    failing = marked and commit.failing_without(marked, stage_commit(engine, folder, commit, texts))
    if failing:
        alone = [own for own in marked if commit.failing_without([own], stage_commit(engine, folder, commit, texts))]
        sums["golden", "FALSE"] = sums.get(("golden", "FALSE"), 0) + len(alone)
        print(f"    FALSE: without the marked hunks of the commit {min(failing)} fails: {alone}")
    for number in set(range(len(chosen))) - {row["edit"] for row in hunks}:
        print(f"    {chosen[number].kind} {path}:{ranges[number][0] + 1} is no hunk of its own")


def measure_repository(engine, folder, repository, options):
    sums, left = {}, options.commits
    for name in git(repository, "log", "--no-merges", "--format=%H", f"--skip={options.skip}").split():
        commit = Commit(folder, repository, name)
        if left and commit.fits and commit.prepare():
            left -= 1
            measure_commit(engine, folder, commit, sums)
        shutil.rmtree(commit.clone, ignore_errors=True)
        if not left:
            break
    for reach in sorted({own[0] for own in sums}):
        counts = ", ".join(f"{sums[own]} {own[1]}" for own in sorted(sums) if own[0] == reach)
        print(f"{pathlib.Path(repository).name:<16} {reach:<10} {counts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--repository", nargs="+", default=[])
    parser.add_argument("--commits", type=int, default=4)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("projects", nargs="*", default=list(PROJECTS))
    options = parser.parse_args()
    engine = str(pathlib.Path(options.engine).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for repository in options.repository:
            measure_repository(engine, folder, str(pathlib.Path(repository).resolve()), options)
        if options.repository:
            return None
        if options.time:
            return measure_time(engine, folder)
        for name in options.projects:
            if shutil.which(PROJECTS[name][3]):
                measure(engine, folder, name)


if __name__ == "__main__":
    main()
