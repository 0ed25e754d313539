//! Fuzzy search: places that are found, and siblings that are vetoed.

use super::*;
use crate::edit::locate::loose::forms::{LineChange, OldNewLines};
use crate::text::Source;

/// What became of a change: the line that it was found at, from 1, or a word.
fn place(file: &str, before: &str, after: &str) -> String {
    let source = Source::new(file);
    let budget = Budget::default();
    let views = Views::new(&source, &budget);
    let asked = LineChange::Texts(OldNewLines::new(before, after));
    let scope = Scope {
        from: 0,
        to: source.line_count(),
        number: None,
        all: false,
    };
    match find(&views, &asked.script(&budget, Level::Blanks), scope) {
        LocateOutcome::At(found) => found
            .first()
            .and_then(|found| found.alignment.first())
            .map_or("nowhere".into(), |line| format!("line {}", line + 1)),
        LocateOutcome::Missing => "missing".into(),
        LocateOutcome::Many(..) => "many".into(),
        LocateOutcome::Done | LocateOutcome::There(_) => "done".into(),
    }
}

fn check(file: &str, before: &str, after: &str, expected: &str) {
    assert_eq!(place(file, before, after), expected, "{before}\nin\n{file}");
}

#[test]
fn a_method_with_another_name_is_another() {
    let file = "  }\n\n  static readerOf(request, name) {\n    const cached = cache.get(request);\n    return cached.reader(name);\n  }\n";
    let change = |head: &str| {
        (
            format!(
                "{head}\n    const cached = cache.get(request);\n    return cached.reader(name);\n"
            ),
            format!(
                "{head}\n    const cached = cache.get(request);\n    return cached?.reader(name);\n"
            ),
        )
    };
    let (before, after) = change("  static readerOf(request, title) {");
    check(file, &before, &after, "line 3");
    let (before, after) = change("  static writerOf(request, name) {");
    check(file, &before, &after, "missing");
}

#[test]
fn a_test_with_another_title_is_another() {
    let file = "  t.test('logs nothing when disabled by the server', async (t) => {\n    t.plan(1)\n    const stream = split(JSON.parse)\n    const server = build({ stream })\n";
    let before = "  t.test('logs nothing when disabled', async (t) => {\n    t.plan(1)\n    const stream = split(JSON.parse)\n    const server = build({ stream })\n";
    let after = before.replace("plan(1)", "plan(3)");
    check(file, before, &after, "missing");
}

#[test]
fn a_change_stands_below_the_head_that_it_shows() {
    let lines = "    cert: Certificate | None = None,\n    verify: Verification = True,\n    trust: bool = True,\n";
    let before = format!("def context(\n{lines}");
    let after = before.replace("Certificate | None", "Optional[Certificate]");
    let elsewhere = format!(
        "class Config:\n    def other():\n        pass\n\ndef __init__(\n    self,\n    *,\n{lines}"
    );
    check(&elsewhere, &before, &after, "missing");
    let here = format!("def context(\n    *,\n{lines}");
    check(&here, &before, &after, "line 1");
}

#[test]
fn what_is_further_in_with_other_lines_beside_it_is_another() {
    let block = |indent: &str, last: &str| {
        format!(
            "{indent}/**\n{indent} * @param {{Hashable}} subject what is to be hashed by it\n{indent} * @param {{string}} algorithm the one that is to be used\n{indent} */\n{indent}{last}\n"
        )
    };
    let before = block("", "const tagged = (subject, algorithm) => {");
    let after = before.replace("{string}", "{string=}");
    let file = |indent: &str| {
        format!(
            "start\n{}",
            block(indent, "const tagged = (subject, kind) => {")
        )
    };
    check(&file(""), &before, &after, "line 2");
    check(&file("\t"), &before, &after, "missing");
    let before = "/**\n * @param {HashableObject} obj object with updateHash method\n * @param {string | HashConstructor} hashFunction the hash function to use\n * @returns {LazyHashedEtag} etag\n */\nconst getter = (obj, hashFunction = \"md4\") => {\n";
    let after = before.replace(
        "{string | HashConstructor}",
        "{(string | HashConstructor)=}",
    );
    let file = "class LazyHashedEtag {\n\t/**\n\t * @param {HashableObject} obj object with updateHash method\n\t * @param {string | HashConstructor} hashFunction the hash function to use\n\t */\n\tconstructor(obj, hashFunction = \"md4\") {\n\t\tthis._obj = obj;\n";
    check(file, before, &after, "missing");
}

#[test]
fn with_other_lines_in_three_places_it_is_another() {
    let block = |words: [&str; 3]| {
        let [a, b, c] = words;
        format!(
            "start of it all\n{a} one thing here\nthe first that stays\nthe second that stays\n{b} some more there\nthe third that stays\nthe fourth that stays\n{c} the last of all\nend of it all\n"
        )
    };
    let before = block(["alpha", "beta", "gamma"]);
    let after = before.replace("third that", "third which");
    check(
        &block(["other", "beta", "gamma"]),
        &before,
        &after,
        "line 1",
    );
    check(
        &block(["other", "else", "again"]),
        &before,
        &after,
        "missing",
    );
}

/// Returns the first veto against the best place of a change.
fn vetoed(file: &str, before: &str, after: &str) -> Option<Veto> {
    let source = Source::new(file);
    let budget = Budget::default();
    let views = Views::new(&source, &budget);
    let script = LineChange::Texts(OldNewLines::new(before, after)).script(&budget, Level::Blanks);
    let scope = Scope {
        from: 0,
        to: source.line_count(),
        number: None,
        all: false,
    };
    let rows: Vec<&Row> = script.before().collect();
    let (path, next) = candidate(&views, &rows, scope).unwrap();
    Veto::first(&FuzzyMatch {
        views: &views,
        script: &script,
        rows: &rows,
        path,
        next,
    })
}

#[test]
fn each_veto_refuses_the_case_that_it_exists_for() {
    // The file, what a request shows of it, and what it makes of that.
    let cases = [
        (
            Veto::OtherName,
            "fn load(path: &str) {\n    let text = read_all(path);\n    parse_rows(text)\n}\n",
            "fn save(path: &str) {\n    let text = read_all(path);\n    parse_rows(text)\n}\n",
            "fn save(path: &str) {\n    let text = read_all(path);\n    parse_columns(text)\n}\n",
        ),
        (
            Veto::OtherHead,
            "def __init__(\n    self,\n    *,\n    cert: Certificate | None = None,\n    verify: Verification = True,\n",
            "def context(\n    cert: Certificate | None = None,\n    verify: Verification = True,\n",
            "def context(\n    cert: Certificate = None,\n    verify: Verification = True,\n",
        ),
        (
            Veto::SaysLittle,
            "        });\n    }\n\n    return paths;\n}\n",
            "    }\n\n    return paths;\n\n}\n",
            "    }\n\n    return all(paths);\n\n}\n",
        ),
        (
            Veto::Shifted,
            "class Tag {\n\t/**\n\t * @param {Hashable} subject what is hashed\n\t * @param {string} kind the algorithm\n\t */\n\tconstructor(subject, kind) {\n",
            "/**\n * @param {Hashable} subject what is hashed\n * @param {string} kind the algorithm\n * @returns {Tag} a tag\n */\n",
            "/**\n * @param {Hashable} subject what is hashed\n * @param {string=} kind the algorithm\n * @returns {Tag} a tag\n */\n",
        ),
        (
            Veto::Reworded,
            "let mut text = \"abc\".to_string();\nmatch read(&mut data.as_slice(), &mut text) {\n    Ok(len) => panic!(\"{len}\"),\n    Err(err) if err.to_string() == \"no UTF-8\" => {}\n}\n",
            "let mut text = \"abc\".to_string();\nmatch read(&mut mock.as_slice(), &mut text) {\n    Ok(len) => panic!(\"{len}\"),\n    Err(err) if err.to_string() == \"no UTF-16\" => {}\n}\n",
            "let mut text = \"abc\".to_string();\nmatch read(&mut mock.as_slice(), &mut text) {\n    Ok(_) => panic!(),\n    Err(err) if err.to_string() == \"no UTF-16\" => {}\n}\n",
        ),
        (
            Veto::OtherExample,
            "//!     loop {\n//!         // until it is closed\n//!         Ok(0) => return,\n//!     }\n",
            "//!         loop {\n//!             // until it is closed\n//!             Ok(0) => return,\n//!         }\n",
            "//!         loop {\n//!             // until it is closed\n//!             Ok(_) => return,\n//!         }\n",
        ),
        (
            Veto::PassesUnknown,
            ".range {\n  width: 100%;\n  padding: 0; // none\n  background-color: transparent;\n  visibility: none;\n  appearance: none;\n",
            ".range {\n  width: 100%;\n  padding: 0; // none\n  background-color: transparent;\n  outline: 0;\n  appearance: none;\n",
            ".range {\n  width: 100%;\n  padding: 0; // none\n  outline: 0;\n  appearance: none;\n  background-color: transparent;\n",
        ),
        (
            Veto::LostTwin,
            "cargo update\ncargo build --release\n\npopd\nother\n",
            "cargo update\ncargo build --release\n\npopd\npopd\n",
            "cargo update\ncargo build --release\n\npopd\ncd ..\n",
        ),
        (
            Veto::Unsound,
            "def area(w, h):\n    total = w * h\n    log(\"area\", total)\n",
            "def area(w, h):\n    total = w + h\n    log(\"area\", total)\n",
            "def area(w, h):\n    total = w - h\n    log(\"area\", total)\n",
        ),
    ];
    for (veto, file, before, after) in cases {
        assert_eq!(vetoed(file, before, after), Some(veto), "{before}");
    }
    assert_eq!(cases.len(), Veto::ALL.len());
}
