"""Scripted needless edits of a text: what models add to code that is right already.

In: a text of Python or JavaScript. Out: edits, of each kind one at most, far enough apart to be hunks of their own; each says where a
statement can stand that runs if its code does.

    def f(a):                     def f(a):
        return g(a)         ->        if a is Ellipsis:
                                          raise TypeError("a must be given")
                                      return g(a)
"""

import ast
import dataclasses
import random
import re

# Lines between two edits: a hunk shows three lines on both sides.
APART = 5


@dataclasses.dataclass
class Edit:
    """Lines that are replaced, those that replace them, and the line before which a probe can stand, from 0 in the old text; none for
    comments and what stands outside of functions."""
    kind: str
    begin: int
    end: int
    lines: list
    probe: int | None = None


def indent(line):
    return line[:len(line) - len(line.lstrip())]


def replaced(line, begin, end, text):
    """Replaces columns of a line, which the syntax tree counts in bytes."""
    raw = line.encode()
    return (raw[:begin] + text.encode() + raw[end:]).decode()


class Python:
    """Edits of Python, by its syntax tree."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        self.functions = [own for own in ast.walk(self.tree) if isinstance(own, kinds) and self.body(own)]

    def body(self, function):
        """The statements of a function after its docstring, if they begin lines of their own."""
        own = function.body[1:] if ast.get_docstring(function) is not None else function.body
        return own if own and own[0].lineno > function.lineno and self.begins(own[0]) else []

    def begins(self, node):
        return self.lines[node.lineno - 1][:node.col_offset].strip() == "" and not getattr(node, "decorator_list", None)

    def statements(self, kind):
        for function in self.functions:
            for own in ast.walk(function):
                if isinstance(own, kind) and self.begins(own):
                    yield function, own

    def before(self, kind, node, *lines):
        at = node.lineno - 1
        pad = indent(self.lines[at])
        return Edit(kind, at, at, [pad + own for own in lines], at)

    def instead(self, kind, node, *lines):
        at = node.lineno - 1
        pad = indent(self.lines[at])
        return Edit(kind, at, node.end_lineno, [pad + own for own in lines], at)

    def parameters(self, function):
        own = function.args.posonlyargs + function.args.args
        return [name for name in own if name.arg not in ("self", "cls", "mcs")]

    def within(self, kind, function, at, begin, end, text):
        """Columns of the line `at` of a function's head."""
        return Edit(kind, at, at + 1, [replaced(self.lines[at], begin, end, text)], self.body(function)[0].lineno - 1)

    def guards(self):
        for function in self.functions:
            for name in self.parameters(function)[:1]:
                yield [self.before("guard", self.body(function)[0], f"if {name.arg} is Ellipsis:",
                                   f'    raise TypeError("{name.arg} must be given")')]

    def renames(self):
        for function, own in self.statements(ast.Assign):
            if len(own.targets) != 1 or not isinstance(own.targets[0], ast.Name) or own.lineno != own.end_lineno:
                continue
            name = own.targets[0].id
            places = [word for word in ast.walk(function) if isinstance(word, ast.Name) and word.id == name]
            scopes = (ast.FunctionDef, ast.Lambda, ast.Global, ast.Nonlocal, ast.ClassDef)
            inner = any(isinstance(word, scopes) for word in ast.walk(function) if word is not function)
            first, last = min(word.lineno for word in places), max(word.end_lineno for word in places)
            # In one block: whether all of it runs is up to its first statement.
            if len({indent(self.lines[word.lineno - 1]) for word in places}) > 1:
                continue
            if inner or first != own.lineno or last - first > 5 or name in {word.arg for word in ast.walk(function.args) if hasattr(word, "arg")}:
                continue
            lines = self.lines[first - 1:last]
            for word in sorted(places, key=lambda word: -word.col_offset):
                at = word.lineno - first
                lines[at] = replaced(lines[at], word.col_offset, word.end_col_offset, f"{name}_value")
            yield [Edit("rename", first - 1, last, lines, first - 1)]

    def imports(self):
        kinds = (ast.Import, ast.ImportFrom)
        for one, two in zip(self.tree.body, self.tree.body[1:]):
            both = all(isinstance(own, kinds) and own.lineno == own.end_lineno for own in (one, two))
            if both and two.lineno == one.lineno + 1 and getattr(one, "module", "") != "__future__":
                at = one.lineno - 1
                yield [Edit("imports", at, at + 2, [self.lines[at + 1], self.lines[at]])]

    def comments(self):
        for _, own in self.statements((ast.Assign, ast.Return, ast.If)):
            if not self.lines[own.lineno - 1].lstrip().startswith("elif"):
                yield [dataclasses.replace(self.before("comment", own, "# Nothing else is to be done here."), probe=None)]

    def logs(self):
        imports = [own for own in self.tree.body if isinstance(own, (ast.Import, ast.ImportFrom))]
        names = {own.name for own in ast.walk(self.tree) if isinstance(own, ast.alias)}
        if not imports or "logging" in names:
            return
        at = imports[-1].end_lineno
        for function in self.functions:
            call = self.before("log", self.body(function)[0], f'logging.getLogger(__name__).debug("{function.name}")')
            yield [Edit("log", at, at, ["import logging"], call.probe), call]

    def defaults(self):
        for function in self.functions:
            names = self.parameters(function)
            if names and not function.args.defaults and not function.args.posonlyargs:
                own = names[-1]
                value = " = None" if own.annotation else "=None"
                yield [self.within("default", function, own.end_lineno - 1, own.end_col_offset, own.end_col_offset, value)]

    def tries(self):
        for _, own in self.statements(ast.Return):
            if own.value is not None and own.lineno == own.end_lineno:
                text = self.lines[own.lineno - 1].strip()
                yield [self.instead("try", own, "try:", f"    {text}", "except Exception:", "    raise")]

    def checks(self):
        for _, own in self.statements(ast.If):
            only = len(own.body) == 1 and isinstance(own.body[0], (ast.Return, ast.Raise)) and not own.orelse
            if only and self.lines[own.lineno - 1].lstrip().startswith("if "):
                lines = self.lines[own.lineno - 1:own.end_lineno]
                yield [Edit("check", own.lineno - 1, own.lineno - 1, lines, own.lineno - 1)]

    def types(self):
        for function in self.functions:
            for own in self.parameters(function):
                note = own.annotation
                if note and note.lineno == note.end_lineno:
                    yield [self.within("type", function, note.lineno - 1, note.col_offset, note.end_col_offset, "object")]
        for _, own in self.statements((ast.If, ast.Return)):
            for call in ast.walk(own.test if isinstance(own, ast.If) else own):
                is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "isinstance"
                if is_call and isinstance(call.args[1], ast.Name) and self.lines[own.lineno - 1].lstrip()[:4] != "elif":
                    kind, at = call.args[1], call.args[1].lineno - 1
                    line = replaced(self.lines[at], kind.col_offset, kind.end_col_offset, f"({kind.id}, bytearray)")
                    yield [Edit("type", at, at + 1, [line], own.lineno - 1)]

    def helpers(self):
        for own in self.tree.body:
            if isinstance(own, ast.FunctionDef) and self.begins(own) and own.lineno > 1:
                lines = ["def _is_blank(value):", '    return value is None or value == ""', "", ""]
                yield [Edit("helper", own.lineno - 1, own.lineno - 1, lines)]

    def docstrings(self):
        for function in self.functions:
            if ast.get_docstring(function) is None:
                own = self.before("docstring", self.body(function)[0], '"""Return what is asked for."""')
                yield [dataclasses.replace(own, probe=None)]

    def temporaries(self):
        for _, own in self.statements(ast.Return):
            if own.value is not None and own.lineno == own.end_lineno:
                text = self.lines[own.lineno - 1].strip().removeprefix("return").strip()
                yield [self.instead("temporary", own, f"outcome = {text}", "return outcome")]

    def copies(self):
        for _, own in self.statements(ast.For):
            each = own.iter
            if each.lineno == each.end_lineno == own.lineno:
                at = own.lineno - 1
                text = self.lines[at].encode()[each.col_offset:each.end_col_offset].decode()
                yield [Edit("copy", at, at + 1, [replaced(self.lines[at], each.col_offset, each.end_col_offset, f"list({text})")], at)]

    def probe(self, line, file):
        return [f'{indent(self.lines[line])}__import__("pathlib").Path({file!r}).touch()']


class JavaScript:
    """Edits of JavaScript, by its lines: code that is formatted as Prettier does."""

    HEAD = re.compile(r"^(\s*)(?:async |static |export |function )*(\w+)\(([\w, ]*)\) \{$")
    WORDS = ("if", "for", "while", "switch", "catch", "constructor")

    def __init__(self, text):
        self.lines = text.split("\n")
        self.heads = []
        for at, line in enumerate(self.lines):
            head = self.HEAD.match(line)
            if head and head[2] not in self.WORDS and self.starts(at + 1):
                self.heads.append((at, head))

    def starts(self, at):
        """Whether a statement begins at a line, that another can stand before."""
        before = self.lines[at - 1].strip()
        is_start = re.match(r"(const|let|return|throw|if \(|for \(|this\.)", self.lines[at].strip())
        return bool(is_start and indent(self.lines[at]) and (before == "" or before[-1] in ";{}" or before.startswith("//")))

    def matching(self, pattern):
        for at, line in enumerate(self.lines):
            found = re.fullmatch(pattern, line.strip()) if at and self.starts(at) else None
            if found:
                yield at, indent(line), found

    def before(self, kind, at, *lines):
        pad = indent(self.lines[at])
        return [Edit(kind, at, at, [pad + own for own in lines], at)]

    def guards(self):
        for at, head in self.heads:
            name = head[3].split(",")[0].strip()
            if name:
                yield self.before("guard", at + 1, f"if ({name} === globalThis) {{", f"  throw new TypeError('{name} must be given');", "}")

    def renames(self):
        for at, _, found in self.matching(r"(?:const|let) (\w+) = .*;"):
            name = re.compile(rf"(?<![.\w]){found[1]}(?!\w|:)")
            places = [own for own, line in enumerate(self.lines) if re.search(rf"\b{found[1]}\b", line)]
            # In one block: whether all of it runs is up to its first statement.
            if len({indent(self.lines[own]) for own in places}) == 1 and len(places) > 1 and places[0] == at and places[-1] - at <= 5:
                lines = [name.sub(f"{found[1]}Value", line) for line in self.lines[at:places[-1] + 1]]
                yield [Edit("rename", at, places[-1] + 1, lines, at)]

    def imports(self):
        one = re.compile(r"(import .* from .*|const .* = require\(.*\));")
        for at, (line, after) in enumerate(zip(self.lines, self.lines[1:])):
            if one.fullmatch(line) and one.fullmatch(after):
                yield [Edit("imports", at, at + 2, [after, line])]

    def comments(self):
        for at, _, _ in self.matching(r".*;"):
            yield [Edit("comment", at, at, [f"{indent(self.lines[at])}// Nothing else is to be done here."])]

    def logs(self):
        for at, head in self.heads:
            yield self.before("log", at + 1, f"if (process.env.TRACE_CALLS) console.error('{head[2]}');")

    def defaults(self):
        for at, head in self.heads:
            if head[3]:
                yield [Edit("default", at, at + 1, [self.lines[at].replace(f"{head[3]}) {{", f"{head[3]} = undefined) {{")], at + 1)]

    def tries(self):
        for at, pad, found in self.matching(r"return .*;"):
            lines = ["try {", f"  {found[0]}", "} catch (error) {", "  throw error;", "}"]
            yield [Edit("try", at, at + 1, [pad + own for own in lines], at)]

    def checks(self):
        for at, _, _ in self.matching(r"if \(.*\) (return|throw)\b.*;"):
            yield [Edit("check", at, at, [self.lines[at]], at)]
        for at, pad, _ in self.matching(r"if \(.*\) \{"):
            if re.match(r"(return|throw)\b.*;$", self.lines[at + 1].strip()) and self.lines[at + 2] == f"{pad}}}":
                yield [Edit("check", at, at, self.lines[at:at + 3], at)]

    def types(self):
        for at, _, found in self.matching(r"(.*\b)typeof (\w+) === 'string'(.*)"):
            text = f"(typeof {found[2]} === 'string' || {found[2]} instanceof String)"
            yield [Edit("type", at, at + 1, [indent(self.lines[at]) + found[1] + text + found[3]], at)]

    def helpers(self):
        for at, line in enumerate(self.lines):
            if re.match(r"(export )?(class|function) ", line) and at and self.lines[at - 1] == "":
                lines = ["function isBlank(value) {", "  return value === undefined || value === '';", "}", ""]
                yield [Edit("helper", at, at, lines)]

    def docstrings(self):
        for at, head in self.heads:
            if at and not self.lines[at - 1].strip().endswith("*/"):
                yield [Edit("docstring", at, at, [f"{head[1]}/** Returns what is asked for. */"])]

    def temporaries(self):
        for at, pad, found in self.matching(r"return (.*);"):
            yield [Edit("temporary", at, at + 1, [f"{pad}const outcome = {found[1]};", f"{pad}return outcome;"], at)]

    def copies(self):
        for at, pad, found in self.matching(r"for \(const (\w+) of ([\w.]+)\) \{"):
            yield [Edit("copy", at, at + 1, [f"{pad}for (const {found[1]} of [...{found[2]}]) {{"], at)]

    def probe(self, line, file):
        return [f'{indent(self.lines[line])}process.getBuiltinModule("fs").writeFileSync({file!r}, "");']


KINDS = ("log", "rename", "check", "type", "copy", "imports", "default", "guard", "try", "temporary", "helper", "docstring", "comment")
LANGUAGES = {".py": Python, ".js": JavaScript}


def needless(language, taken, seed):
    """Chooses of each kind one edit that is apart from the ranges that are taken, the kinds with fewer places first."""
    generators = {"log": language.logs, "rename": language.renames, "check": language.checks, "type": language.types,
                  "copy": language.copies, "imports": language.imports, "default": language.defaults, "guard": language.guards,
                  "try": language.tries, "temporary": language.temporaries, "helper": language.helpers,
                  "docstring": language.docstrings, "comment": language.comments}
    chance = random.Random(seed)
    chosen = []
    taken = list(taken)
    # Of what a file has once, one edit; of others two.
    for kind in KINDS + tuple(own for own in KINDS if own not in ("log", "imports", "helper")):
        sites = list(generators[kind]())
        chance.shuffle(sites)
        for site in sites:
            if all(own.begin >= end + APART or own.end <= begin - APART for own in site for begin, end in taken):
                chosen += site
                taken += [(own.begin, own.end) for own in site]
                break
    return sorted(chosen, key=lambda own: own.begin)


def applied(lines, edits, probes=None):
    """Returns lines with edits, and of each edit its range there. `probes` has the lines of probes by edit."""
    out, ranges, at = [], [], 0
    marks = {}
    for number, own in enumerate(edits):
        if probes and own.probe is not None:
            marks.setdefault(own.probe, []).extend(probes(number, own.probe))
    for number, own in enumerate(edits):
        while at < own.begin:
            out += marks.pop(at, [])
            out.append(lines[at])
            at += 1
        # A probe of an edit stands before what it changes.
        out += marks.pop(own.begin, [])
        # What is there twice is the first or the second for a diff.
        twice = own.lines == lines[own.begin:own.begin + len(own.lines)]
        ranges.append(range(len(out), len(out) + len(own.lines) * (1 + twice)))
        out += own.lines
        at = own.end
    for rest in range(at, len(lines)):
        out += marks.pop(rest, [])
        out.append(lines[rest])
    return out, ranges
