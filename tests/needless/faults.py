"""Measures which hunk `signoff test --needed` says breaks a test, where one of many does.

In: `signoff` and clones of real projects, as `measure.py` takes them. On each commit scripted needless edits (`edits.py`) of the file that it
changes most are staged at once, and among them one fault: a comparison, an operator, a constant or a condition turned into another one, so that
tests fail. Out: by fault the hunks that are named; by repository how many faults were named alone, with others, not at all, or where another
hunk was named in their place.

    python3 tests/needless/faults.py --engine target/release/signoff --repository ../boltons ../tomli [--commits 4] [--faults 3]
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import tempfile

import edits
import measure

# What is found, and what stands in its place.
FAULTS = [
    (r" <= ", " < "), (r" < ", " <= "), (r" >= ", " > "), (r" > ", " >= "), (r" == ", " != "), (r" != ", " == "), (r" === ", " !== "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" and ", " or "), (r" or ", " and "), (r" && ", " || "), (r" \|\| ", " && "),
    (r"\bTrue\b", "False"), (r"\bFalse\b", "True"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\bif not ", "if "), (r"\bif \(!", "if ("),
    (r"\b1\b", "2"), (r"\b0\b", "1"),
]


def places(lines):
    """Returns lines, from 0, with what each can be turned into."""
    for number, line in enumerate(lines):
        bare = line.strip()
        if not bare or bare.startswith(("#", "//", "*", "/*", '"', "'", "import ", "from ", "def ", "class ", "@")) or '"""' in bare:
            continue
        for found, other in FAULTS:
            turned = re.sub(found, other, line, count=1)
            if turned != line:
                yield number, turned


def seeded(commit, path, random_):
    """Returns a text with a fault, and its line from 0; none where none of the tried makes a test fail."""
    lines = commit.texts[path].split("\n")
    found = list(places(lines))
    random_.shuffle(found)
    before = commit.failing(commit.texts)
    for number, turned in found[:12]:
        changed = [*lines[:number], turned, *lines[number + 1:]]
        if commit.failing(commit.texts | {path: "\n".join(changed)}) - before:
            return changed, number
    return None


def measure_fault(engine, folder, commit, random_, sums):
    path, chosen, _ = commit.edited(folder)
    found = seeded(commit, path, random_)
    if not found:
        return False
    lines, number = found
    apart = [own for own in chosen if own.begin > number + edits.APART or own.end < number - edits.APART]
    text, _ = edits.applied(lines, apart)
    at = number + sum(len(own.lines) - (own.end - own.begin) for own in apart if own.end <= number)
    assert text[at] == lines[number], (text[at], lines[number])
    project = measure.stage_commit(engine, folder, commit, {path: "\n".join(text)})
    hunks = project.judge(commit.name[:10])
    faulty = faulty_hunk(project.run("review", "--json").stdout, path, at + 1)
    named = [row["hunk"] for row in hunks if row["breaks"]]
    outcome = "nothing" if not named else "alone" if named == [faulty] else "with others" if faulty in named else "ANOTHER"
    sums[outcome] = sums.get(outcome, 0) + 1
    print(f"    {path}:{at + 1} {lines[number].strip()}: {outcome} of {len(hunks)}")
    if not named:
        print("        " + project.run("test", "--needed").stderr.strip())
    for row in hunks:
        if row["breaks"] and row["hunk"] != faulty:
            print(f"        {row['path']}:{row['line']} {row['breaks']}")
    return True


def faulty_hunk(review, path, line):
    """Returns the hunk of a path that adds a line, from 1."""
    for own in json.loads(review):
        for hunk in own["hunks"] if own["path"] == path else []:
            if any(added["kind"] == "added" and added["new"] == line for added in hunk["lines"]):
                return hunk["id"]
    raise SystemExit(f"{path}:{line} is in no hunk")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--repository", nargs="+", required=True)
    parser.add_argument("--commits", type=int, default=4)
    parser.add_argument("--faults", type=int, default=3)
    parser.add_argument("--skip", type=int, default=0)
    options = parser.parse_args()
    engine = str(pathlib.Path(options.engine).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for repository in options.repository:
            repository, sums, left = str(pathlib.Path(repository).resolve()), {}, options.commits
            for name in measure.git(repository, "log", "--no-merges", "--format=%H", f"--skip={options.skip}").split():
                commit = measure.Commit(folder, repository, name)
                if left and commit.fits and commit.prepare():
                    commit.write()
                    random_ = random.Random(name)
                    left -= any([measure_fault(engine, folder, commit, random_, sums) for _ in range(options.faults)])
                shutil.rmtree(commit.clone, ignore_errors=True)
                if not left:
                    break
            counts = ", ".join(f"{sums[outcome]} {outcome}" for outcome in sorted(sums))
            print(f"{pathlib.Path(repository).name:<16} {counts}")


if __name__ == "__main__":
    main()
