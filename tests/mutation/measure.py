"""Measures how many of the syntax errors that a mutation brings in are refused, language by language.

In: folders with sources; `signoff`; for each language the parser that judges it, see `JUDGES`. A language without its
parser is left out. Out: a row each: files, those that are refused though their parser accepts them, mutants that the
parser refuses and that the engine does, mutants that the parser accepts and the engine refuses; then examples.

    python3 tests/mutation/measure.py --engine target/release/signoff --files DIR... [--languages go,java] [--count 100]
"""

import argparse
import base64
import collections
import json
import pathlib
import random
import re
import subprocess
import tempfile
import tomllib
import warnings

HERE = pathlib.Path(__file__).parent
warnings.simplefilter("ignore")
ENDINGS = {
    "rust": "rs", "typescript": "ts mts cts", "tsx": "tsx", "javascript": "js mjs cjs jsx", "python": "py pyi", "go": "go",
    "json": "json", "toml": "toml", "yaml": "yaml yml", "java": "java",
}
SIZES = range(300, 40_000)
SIGNS = "(){}[]\"'`;,:=<>"


def each(accepts, error):
    """Returns a judge of texts out of a function that raises `error` for a bad one."""
    def judge(texts, _paths):
        def good(text):
            try:
                accepts(text)
                return True
            except error:
                return False
        return [good(text) for text in texts]
    return judge


def piped(command, line=lambda text: json.dumps({"text": text})):
    """Returns a judge out of a program that answers a line with `true`, `false` or `null`."""
    def judge(texts, _paths):
        ran = subprocess.run(command, input="".join(line(text) + "\n" for text in texts).encode(), stdout=subprocess.PIPE, check=True)
        return [json.loads(answer) for answer in ran.stdout.split()]
    return judge


def one_by_one(accepts):
    """Returns a judge out of a function that takes a text and the file that it comes from."""
    return lambda texts, paths: [accepts(text, path) for text, path in zip(texts, paths)]


def python(text):
    compile(text, "a.py", "exec", dont_inherit=True)


def json_text(text):
    def refuse(word):
        raise ValueError(word)
    json.loads(text, parse_constant=refuse)


def yaml_text(text):
    """Accepts a tab before a comment or the end of a line, as YAML 1.2 does and its library does not."""
    import yaml
    list(yaml.parse(re.sub(r"^ *\t[ \t]*(?=#|$)", "", text, flags=re.M), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def rust(text, _path):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "a.rs")
        file.write_text(text)
        command = ["rustfmt", "--check", "--edition", "2024", "--config", "skip_children=true", file]
        said = subprocess.run(command, capture_output=True).stderr
    return re.search(rb"^error(\[E\d+\])?:", said, re.M) is None


def script(name):
    return piped(["node", HERE / "judge.js", name])


JUDGES = {
    "rust": one_by_one(rust),
    "typescript": script("a.ts"),
    "tsx": script("a.tsx"),
    "javascript": script("a.jsx"),
    "python": each(python, (SyntaxError, ValueError)),
    "go": piped(["go", "run", HERE / "judge.go"]),
    "json": each(json_text, ValueError),
    "toml": each(tomllib.loads, tomllib.TOMLDecodeError),
    "yaml": each(yaml_text, Exception),
    "java": piped(["java", HERE / "Judge.java"], lambda text: base64.b64encode(text.encode()).decode()),
}


def mutant(text, language):
    """Returns the text after one change as a model or a hand makes it, or none."""
    kinds = ["sign", "sign", "token", "cut", "put", "twice", "line", "swap", "word", "again"]
    kinds += ["indent"] * 3 if language in ("python", "yaml") else []
    kind = random.choice(kinds)
    lines = text.split("\n")
    row = random.randrange(len(lines))
    at = random.randrange(len(text))
    if kind == "sign":
        places = [at for at, c in enumerate(text) if c in SIGNS]
        at = random.choice(places) if places else 0
        return text[:at] + text[at + 1:]
    if kind in ("token", "word"):
        tokens = list(re.finditer(r"\w+|[^\w\s]+" if kind == "token" else r"\w+", text))
        token, other = random.choice(tokens), random.choice(tokens)
        return text[:token.start()] + (other.group() if kind == "word" else "") + text[token.end():]
    if kind == "cut":
        return text[:random.randrange(len(text) // 3, len(text) - 1)]
    if kind == "put":
        return text[:at] + random.choice(SIGNS) + text[at:]
    if kind == "twice":
        found = random.choice(list(re.finditer(r"[(){}\[\]\"]", text)) or [None])
        return found and text[:found.end()] + found.group() + text[found.end():]
    if kind == "line":
        return "\n".join(lines[:row] + lines[row + 1:])
    if kind == "again":
        return "\n".join(lines[:row + 1] + lines[row:])
    if kind == "swap":
        lines[row:row + 2] = lines[row:row + 2][::-1]
    else:
        deeper = random.choice([" ", "  ", "   ", "\t"]) + lines[row]
        lines[row] = deeper if random.random() < 0.6 else lines[row][1:]
    return "\n".join(lines)


def ask(engine, requests):
    """Returns what the syntax guard says of each request: refused, warned or none."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    ran = subprocess.run(engine, input=lines.encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(answers) == len(requests), (len(answers), len(requests))

    def said(answer):
        for word in ("refusals", "warnings"):
            alarms = [alarm for alarm in answer.get(word, []) if alarm["guard"] == "syntax"]
            if alarms:
                return word, alarms[0]
        return None, answer["error"] if answer["status"] == "invalid" else None
    return [said(answer) for answer in answers]


def request(name, before, after):
    return {"path": name, "before": before, "change": {"strategy": "whole", "whole": {"content": after}}}


def sources(folders):
    found = collections.defaultdict(list)
    languages = {ending: language for language, endings in ENDINGS.items() for ending in endings.split()}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            language = languages.get(path.suffix[1:])
            meant = re.search(r"/(invalid|fixtures|testdata|test-data|ui)/|\.min\.|\.d\.[mc]?ts$", str(path))
            if language and not meant and path.is_file() and not path.is_symlink() and path.stat().st_size in SIZES:
                found[language].append(path)
    return found


def measure(language, paths, engine, count, mutants):
    judge, name = JUDGES[language], "a." + ENDINGS[language].split()[0]
    random.shuffle(paths)
    texts = []
    for path in paths[:count]:
        try:
            texts.append((str(path), path.read_text(encoding="utf8").replace("\r\n", "\n")))
        except ValueError:
            continue
    accepted = judge([text for _, text in texts], [path for path, _ in texts])
    texts = [text for text, good in zip(texts, accepted) if good]
    if not texts:
        return None
    whole = ask(engine, [request(name, None, text) for _, text in texts])
    made = []
    while len(made) < mutants:
        path, text = random.choice(texts)
        changed = mutant(text, language)
        if changed and changed.strip() and changed != text:
            made.append((path, text, changed))
    verdicts = judge([changed for _, _, changed in made], [path for path, _, _ in made])
    said = ask(engine, [request(name, text, changed) for _, text, changed in made])
    return texts, whole, list(zip(made, verdicts, said))


def show(kind, case, said):
    path, before, after = case
    at = next((at for at, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    row = after[:at].count("\n")
    line = (after.split("\n") + [""])[row]
    was = (before.split("\n") + [""])[row]
    print(f"    {kind} {path}:{row + 1} {line[:120]!r} was {was[:120]!r} {said}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="target/release/signoff", help="the binary")
    parser.add_argument("--files", nargs="+", required=True, help="folders with sources")
    parser.add_argument("--languages", default=",".join(JUDGES))
    parser.add_argument("--count", type=int, default=100, help="files a language")
    parser.add_argument("--mutants", type=int, default=1000, help="mutants a language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="examples of what is missed")
    arguments = parser.parse_args()
    found = sources(arguments.files)
    print("| language | files, refused | broken | refused | % | warned | accepted, refused |\n|---|---|---|---|---|---|---|")
    for language in arguments.languages.split(","):
        random.seed(arguments.seed)
        try:
            measured = measure(language, found[language], [arguments.engine, "engine"], arguments.count, arguments.mutants)
        except (OSError, ImportError, subprocess.CalledProcessError) as error:
            print(f"| {language} | no judge: {error} |")
            continue
        if measured is None:
            print(f"| {language} | no files |")
            continue
        texts, whole, mutants = measured
        alarms = [(case, said) for case, said in zip(texts, whole) if said[0] == "refusals"]
        broken = [(case, said) for case, good, said in mutants if good is False]
        sound = [(case, said) for case, good, said in mutants if good]
        missed = [(case, said) for case, said in broken if said[0] != "refusals"]
        wrongly = [(case, said) for case, said in sound if said[0] == "refusals"]
        warned = sum(said[0] == "warnings" for _, said in missed)
        caught = len(broken) - len(missed)
        print(f"| {language} | {len(texts)}, {len(alarms)} | {len(broken)} | {caught} | {100 * caught / max(1, len(broken)):.1f} "
              f"| {warned} | {len(sound)}, {len(wrongly)} |", flush=True)
        for (path, _), said in alarms[:arguments.show]:
            print(f"    file {path} {said}")
        for kind, cases in (("missed", missed), ("wrongly", wrongly)):
            for case, said in cases[:arguments.show]:
                show(kind, case, said)


if __name__ == "__main__":
    main()
