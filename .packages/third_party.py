#!/usr/bin/env python3
"""Licences of what is linked into signoff.

    third_party.py TARGET            the notices, as text
    third_party.py TARGET --debian   the same; a licence that Debian has in common-licenses is named, not repeated

Reads `cargo metadata` and the sources that cargo fetched; no network. Packages with the same text share it, each with
its own copyright lines.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BINARY = "signoff"
LICENCE_FILE = re.compile(r"^(un)?licen[cs]e|^copying|^notice|^copyright", re.I)
# Parts of packages that are not compiled.
NOT_LINKED = {"tests", "test", "examples", "benches", "docs", "fuzz", "testdata"}
COPYRIGHT_LINE = re.compile(r"^\W*(copyright|\(c\)|©)(?! notice| holder| owner| license)", re.I)
# Copyright lines stand at the head of a text; further down they belong to an appendix.
HEAD_LINES = 20
COMMON = "/usr/share/common-licenses/"


def linked(target):
    """The packages of others that the binary is linked with: no build scripts, no tests, no procedural macros."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}

    def kinds(package):
        return {kind for own in package["targets"] for kind in own["kind"]}

    def has_binary(package):
        return any(own["name"] == BINARY and "bin" in own["kind"] for own in package["targets"])

    waiting = [id for id in metadata["workspace_members"] if has_binary(packages[id])]
    found = set()
    while waiting:
        id = waiting.pop()
        if id in found or "proc-macro" in kinds(packages[id]):
            continue
        found.add(id)
        for dependency in nodes[id]["deps"]:
            if any(own["kind"] is None for own in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    others = [packages[id] for id in found - set(metadata["workspace_members"])]
    assert len(others) > 100, f"{len(others)} packages"
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def licence_files(package):
    """The licence files of a package. Where MIT is one of the choices, it is taken."""
    folder = Path(package["manifest_path"]).parent
    found = []
    for around, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - NOT_LINKED)
        found += [Path(around) / name for name in sorted(names) if LICENCE_FILE.match(name)]
    found = [path for path in found if path.suffix not in (".rs", ".c", ".h", ".py", ".js", ".html")]
    is_choice = re.search(r"\bMIT( |/|$)", package["license"] or "") and " AND " not in (package["license"] or "")
    of_mit = [path for path in found if path.parent == folder and "mit" in path.name.lower()]
    if is_choice and of_mit:
        not_chosen = re.compile(r"apache|unlicense|zlib|bsl|boost|0bsd|cc0|bsd", re.I)
        found = [path for path in found if not (path.parent == folder and not_chosen.search(path.name))]
    return found


def split(text):
    """The copyright lines at the head of a licence, and the rest."""
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    head, rest = lines[:HEAD_LINES], lines[HEAD_LINES:]
    owners = [line.strip() for line in head if COPYRIGHT_LINE.match(line)]
    kept = [line for line in head if not COPYRIGHT_LINE.match(line)]
    return owners, "\n".join(kept + rest).strip("\n")


def common(text):
    """The name that Debian has for a licence."""
    if "Apache License" in text and "TERMS AND CONDITIONS FOR USE" in text:
        return COMMON + "Apache-2.0"
    if "Mozilla Public License Version 2.0" in text:
        return COMMON + "MPL-2.0"
    return None


def key(text):
    """What is the same in two copies of one licence: words, without headings and layout."""
    text = re.sub(r"^\W*(the )?mit license\W*(\(mit\))?\W*$", "", text, flags=re.I | re.M)
    return " ".join(re.sub(r"[^\w]+", " ", text).lower().split())


def main():
    target = sys.argv[1]
    is_debian = "--debian" in sys.argv[2:]
    groups = {}
    without = []
    sources = [(f"{own['name']} {own['version']} ({own['license']})", licence_files(own), own) for own in linked(target)]
    for name, files, package in sources:
        texts = [path.read_text(errors="replace") for path in files]
        texts = [text for text in texts if len(text) > 40]
        if not texts:
            authors = ", ".join(package["authors"])
            without.append(f"{name}{': ' + authors if authors else ''}")
        for text in texts:
            owners, body = split(text)
            if is_debian and common(body):
                body = f"See {common(body)}."
            group = groups.setdefault(key(body), (body, {}))
            entry = group[1].setdefault(name, [])
            entry += [owner for owner in owners if owner not in entry]

    print("signoff is linked with the following, each under its own licence.")
    for body, entries in sorted(groups.values(), key=lambda group: (-len(group[1]), group[0])):
        print("\n" + "-" * 80)
        for name, owners in sorted(entries.items()):
            print(f"{name}")
            for owner in owners:
                print(f"    {owner}")
        print("\n" + body)
    print("\n" + "-" * 80)
    print("The Rust standard library: Copyright (c) The Rust Project Contributors; the MIT licence above.")
    print("SQLite, which is part of libsqlite3-sys, is in the public domain.")
    if target.endswith("-musl"):
        print("musl, the C library: Copyright (c) 2005-2020 Rich Felker, et al.; the MIT licence above.")
    if without:
        print("\nPackages that name a licence and bring no text of it; the texts are above:\n")
        print("\n".join(without))


main()
