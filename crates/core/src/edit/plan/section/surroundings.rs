//! Requests whose surroundings have changed since: those whose place is sure all the same, and those
//! that may be for a sibling of what is meant.

use super::noise::section;
use crate::edit::plan::testing::word;

/// Replaces `from` in what the request shows and in the file.
fn check(before: &str, old: &str, from: &str, to: &str) {
    let result = section(before, old, &old.replace(from, to));
    let after = before.replace(from, to);
    assert_eq!(result.as_deref(), Ok(after.as_str()), "{old}");
}

fn trap(before: &str, old: &str, from: &str, to: &str) {
    let result = section(before, old, &old.replace(from, to));
    assert_eq!(word(&result), "not_found", "{old}: {result:?}");
}

#[test]
fn what_changes_stands_unbroken_and_its_surroundings_do_not() {
    // Lines have come and gone below the change.
    check(
        "    exc_info = sys.exc_info()\nfinally:\n    sys.stdout.flush()\n    stdout = outstreams[0].getvalue()\n    if self.mix_stderr:\n        stderr = None\n    else:\n        stderr = outstreams[1].read()\n",
        "    exc_info = sys.exc_info()\nfinally:\n    sys.stdout.flush()\n    stdout = outstreams[0].getvalue()\n    stderr = outstreams[1].getvalue()\n    output = outstreams[2].getvalue()\n",
        "    sys.stdout.flush()\n",
        "    sys.stdout.flush()\n    sys.stderr.flush()\n",
    );
    // Two lines around it read otherwise, each in its own way.
    check(
        "from functools import lru_cache, partial\nfrom types import FunctionType\nfrom typing import Callable, NoReturn\n\nfrom .core import Schema\nfrom .extensions import TypeAliasType, deprecated\n",
        "from functools import cache, partial, wraps\nfrom types import FunctionType\nfrom typing import Callable, NoReturn\n\nfrom .core import Schema\nfrom .extensions import TypeAliasType, deprecated, get_origin\n",
        "Callable, NoReturn",
        "Callable, Generic, NoReturn",
    );
}

#[test]
fn what_differs_twice_in_the_same_way_is_a_sibling() {
    trap(
        "const map = new Map();\nlet lastModule = 0;\nlet lastList = undefined;\nfor (const link of set) {\n    const { originModule } = link;\n    if (lastModule === originModule) {\n",
        "const map = new Map();\nlet lastModule = 0;\nlet lastList = undefined;\nfor (const link of set) {\n    const { module } = link;\n    if (lastModule === module) {\n",
        "lastList = undefined",
        "lastList",
    );
}

#[test]
fn lines_that_another_place_has_too_are_no_evidence() {
    let before = "def one(self, request):\n    check_permission(request.user)\n    result = self.first(request)\n    audit(result)\n    return result\n";
    let old = "def run(cls):\n    prepare(cls)\n    warm_up(cls.cache)\n    result = self.first(request)\n    audit(result)\n    return None\n";
    // Little of what is asked for is there.
    trap(before, old, "result = self.first(request)", "result = None");
    // The line that changes stands twice.
    let twice = format!("{before}\n{}", before.replace("one", "two"));
    let old = "def one(self, request):\n    forbid_guests(request.user)\n    result = self.first(request)\n    audit(result)\n    store_everything(result)\n    notify_everyone(result)\n";
    trap(&twice, old, "result = self.first(request)", "result = None");
}

#[test]
fn a_line_that_came_in_between_does_not_make_a_twin_as_good() {
    let rows =
        "    annotation: str\n    factory: Callable[[], Any]\n    alias: str\n    priority: int\n";
    let class = |name: &str, first: &str| {
        format!(
            "class {name}Inputs(TypedDict):\n    \"\"\"What {name} takes.\"\"\"\n\n{first}{rows}\n"
        )
    };
    let before = format!(
        "{}{}",
        class("FromField", "    # TODO: use TypeForm.\n"),
        class("Field", "    # TODO: use TypeForm.\n")
    );
    let old = class("FromField", "");
    let result = section(&before, &old, &old.replace("[[], Any]", "[..., Any]"));
    assert_eq!(
        result.as_deref(),
        Ok(before.replacen("[[], Any]", "[..., Any]", 1).as_str())
    );
    // Another name, and neither is meant.
    trap(&before, &class("Model", ""), "[[], Any]", "[..., Any]");
}

#[test]
fn what_was_made_in_part_is_not_put_there_twice() {
    let old = "import a from 'a'\nimport b from '.'\n";
    let new = "/* about the module */\nimport a from 'a'\nimport b from './'\n";
    trap_of(&format!("/* about the module */\n{old}"), old, new);
    let old = "[[example]]\nname = \"cureq\"\nrequired-features = [\n    \"charset\",\n";
    let new = "[lib]\npath = \"src/lib.rs\"\n\n[[example]]\nname = \"cureq\"\npath = \"main.rs\"\nrequired-features = [\n    \"charset\",\n";
    let half = old.replace("[[example]]", "[lib]\npath = \"src/lib.rs\"\n\n[[example]]");
    trap_of(
        &format!("]\n\n{half}"),
        &format!("]\n\n{old}"),
        &format!("]\n\n{new}"),
    );
    // The line above the place may be taken for the last of those that came.
    let old = "  run();\n};\nvar key = () => {\n  first();\n";
    let new =
        "  run();\n};\nvar agents = {\n  deno: \"Deno\",\n};\nvar key = () => {\n  second();\n";
    let half = new.replace("second", "first");
    trap_of(&half, old, new);
    // Another that is the same is put beside one that the request shows.
    let row = "    assert_eq!(reader.next(), None);\n";
    let old = format!("    let reader = open();\n{row}");
    let new = format!("{old}{row}    close(reader);\n");
    assert_eq!(section(&old, &old, &new).as_deref(), Ok(new.as_str()));
}

#[test]
fn lines_that_change_places_pass_what_is_shown() {
    let old = ".range {\n  width: 100%;\n  padding: 0; // none\n  background-color: transparent;\n  appearance: none;\n\n  &:focus {\n    outline: 0;\n";
    let moved = "  appearance: none;\n  background-color: transparent;\n";
    let new = old.replace(
        "  background-color: transparent;\n  appearance: none;\n",
        moved,
    );
    trap_of(&old.replace("appearance", "other"), old, &new);
}

#[test]
fn which_of_two_lines_that_are_the_same_is_gone_is_not_guessed() {
    let old = "cargo update\ncargo build --release\n\npopd\npopd\n";
    let new = old.replace("popd\npopd\n", "popd\ncd ..\n");
    trap_of(&old.replace("popd\npopd\n", "popd\nother\n"), old, &new);
}

fn trap_of(before: &str, old: &str, new: &str) {
    let result = section(before, old, new);
    assert_eq!(word(&result), "not_found", "{old}: {result:?}");
}

#[test]
fn of_two_blank_lines_the_second_may_be_missing() {
    let old = "struct A {\n  b: u8,\n\n\n  map: Map<u8, u8>,\n  first: String,\n";
    let new =
        "struct A {\n  b: u8,\n\n  props: Props,\n\n\n  map: Map<u8, u8>,\n  first: String,\n";
    let before = old.replace("\n\n\n", "\n\n");
    let after = new.replace("\n\n\n", "\n\n");
    assert_eq!(section(&before, old, new).as_deref(), Ok(after.as_str()));
}

#[test]
fn characters_written_as_entities_are_found() {
    let before = "if a < b && c {\n    go();\n}\n";
    let old = "if a &lt; b &amp;&amp; c {\n    go();\n}\n";
    let new = "if a &lt; b &amp;&amp; c {\n    go(&amp;d);\n}\n";
    let after = before.replace("go()", "go(&d)");
    assert_eq!(section(before, old, new).as_deref(), Ok(after.as_str()));
    // These are the file's own.
    assert_eq!(section(old, old, new).as_deref(), Ok(new));
}
