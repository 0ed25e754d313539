//! Moves within a file and between two, told by whether the lines are the same definitions there.

use super::*;

fn end(path: &str, before: &str, after: &str, lines: Range<usize>) -> MoveEnd {
    MoveEnd {
        path: path.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
        lines,
    }
}

#[test]
fn a_definition_moves_within_a_file_past_what_does_not_run() {
    let check = |block: &str, passed: &str, expected: bool| {
        let (before, after) = (format!("{block}\n{passed}"), format!("{passed}\n{block}"));
        let count = block.lines().count();
        let behind = passed.lines().count() + 1;
        let from = end("a.py", &before, &after, 0..count);
        let to = end("a.py", &before, &after, behind..behind + count);
        let found = is_same_definition(Language::Python, &from, &to);
        assert_eq!(found, expected, "{after}");
    };
    let block = "def load(path):\n    data = open(path)\n    return data\n";
    check(block, "def save():\n    load(1)\n", true);
    check(block, "x = load(1)\n", false);
    check(block, "start()\n", false);
    check(block, "def save(to=load):\n    pass\n", false);
    check(block, "def load():\n    pass\n", false);
    check("if x:\n    a()\n    b()\n", "def f():\n    pass\n", false);
    check(
        "@route('/')\ndef load(path):\n    pass\n",
        "def f():\n    pass\n",
        false,
    );
}

#[test]
fn a_definition_moves_to_a_file_where_its_names_mean_the_same() {
    let block = "def load(path):\n    with open(path) as file:\n        return json.load(file)\n";
    let check = |source: &str, target: &str, expected: bool| {
        let before = format!("{source}\n{block}");
        let after = format!("{target}\n{block}");
        let from = end("a.py", &before, source, 2..5);
        let to = end("b.py", target, &after, 2..5);
        let found = is_same_definition(Language::Python, &from, &to);
        assert_eq!(found, expected, "{source}{target}");
    };
    check("import json\n", "import json\n", true);
    check("import json\n", "import os\n", false);
    check("import json\n", "import simplejson as json\n", false);
    check("import json\n", "json = None\n", false);
    check("import json\n", "'''\n", false);
}
