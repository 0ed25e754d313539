//! Reading the output of test frameworks.
//!
//! In: what a framework printed, untrusted. Out: its tests and how each ended. Output that does not fit
//! has none: that something failed is known from the exit code.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{Framework, TestCase, TestStatus};

/// Tests that are kept of one run; a program that prints as a runner does could print them without end.
const MAX: usize = 5_000;
/// Characters of a failing test's message that are kept, from its end.
const MESSAGE_CHARS: usize = 1_000;

impl Framework {
    /// Reads what the framework printed on both of its streams.
    pub fn read(self, out: &str, err: &str) -> Vec<TestCase> {
        let mut found = match self {
            Self::Cargo => cargo(out),
            Self::Pytest => pytest(out),
            Self::Unittest => unittest(err),
            Self::Go => go(out),
            Self::Jest | Self::Vitest => jest(out),
            Self::Mocha => mocha(out),
            Self::Node => tap(out),
            Self::Maven => maven(&without_colours(out)),
            Self::Gradle => gradle(out, err),
            Self::Script | Self::Configured => Vec::new(),
        };
        found.truncate(MAX);
        found
    }
}

fn case(test: impl Into<String>, status: TestStatus, message: &str) -> TestCase {
    let message = message.trim();
    let over = message.chars().count().saturating_sub(MESSAGE_CHARS);
    TestCase {
        test: test.into(),
        status,
        count: 1,
        message: message.chars().skip(over).collect(),
    }
}

/// `test a::b ... ok`, and `---- a::b stdout ----` before what a failing one printed.
fn cargo(out: &str) -> Vec<TestCase> {
    let mut said: BTreeMap<&str, String> = BTreeMap::new();
    let mut speaking = None;
    for line in out.lines() {
        let head = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"));
        if head.is_some() {
            speaking = head;
        } else if line == "failures:" {
            speaking = None;
        } else if let Some(test) = speaking {
            let text = said.entry(test).or_default();
            *text += line;
            text.push('\n');
        }
    }
    let each = out.lines().filter_map(|line| {
        let (test, ended) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
        let test = test.split(" - ").next().unwrap_or(test).trim();
        let status = match ended.split(|c: char| !c.is_ascii_alphabetic()).next()? {
            "ok" => TestStatus::Passed,
            "FAILED" => TestStatus::Failed,
            "ignored" => TestStatus::Skipped,
            _ => return None,
        };
        let message = said.get(test).map(String::as_str).unwrap_or_default();
        Some(case(test, status, message))
    });
    each.collect()
}

/// `PASSED path::name` and `FAILED path::name - message` of the short summary. Of a test with a failing part it has
/// `PASSED path::name` and `SUBFAILED(part) path::name - message`; of a file that cannot be read `ERROR path`, and why only in a
/// section of its own.
fn pytest(out: &str) -> Vec<TestCase> {
    let unread = collection_errors(out);
    let parts = out.lines().filter_map(failing_part);
    let mut parts: Vec<TestCase> = parts.collect();
    let mut named = HashSet::new();
    parts.retain(|part| named.insert(part.test.clone()));
    let each = out.lines().filter_map(|line| {
        let (word, rest) = line.split_once(' ')?;
        let status = match word {
            "PASSED" | "XFAIL" | "XPASS" => TestStatus::Passed,
            "FAILED" | "ERROR" => TestStatus::Failed,
            "SKIPPED" => TestStatus::Skipped,
            _ => return None,
        };
        let (test, message) = rest
            .split_once(" - ")
            .unwrap_or_else(|| (rest, unread.get(rest).copied().unwrap_or("")));
        (!named.contains(test)).then(|| case(test, status, message))
    });
    each.chain(parts).collect()
}

/// The first line that begins with `E` below `____ ERROR collecting path ____`, by path.
fn collection_errors(out: &str) -> BTreeMap<&str, &str> {
    let mut errors = BTreeMap::new();
    let mut path = None;
    for line in out.lines() {
        let bare = line.trim_matches('_').trim();
        if line.starts_with('_') {
            path = bare.strip_prefix("ERROR collecting ");
        } else if let (Some(path), Some(why)) = (path, line.strip_prefix("E  ")) {
            errors.entry(path).or_insert(why.trim());
        }
    }
    errors
}

/// Parses `SUBFAILED[message](i=1) path.py::name - error`. The text before the path is free.
fn failing_part(line: &str) -> Option<TestCase> {
    let rest = line.strip_prefix("SUBFAIL")?;
    let test = rest.split(' ').find(|word| word.contains(".py::"))?;
    let (_, said) = rest.split_once(test)?;
    let message = said.split_once(" - ").map_or("", |(_, message)| message);
    Some(case(test, TestStatus::Failed, message))
}

/// `test_a (tests.test_x.T.test_a) ... ok`, where a first line of documentation may stand before the dots, and a section
/// `FAIL: test_a (...)` with what a failing one said.
fn unittest(err: &str) -> Vec<TestCase> {
    let mut said: BTreeMap<&str, String> = BTreeMap::new();
    let (mut speaking, mut named) = (None, "");
    let mut ended: Vec<(&str, TestStatus)> = Vec::new();
    for line in err.lines() {
        let head = ["FAIL: ", "ERROR: "].iter();
        if let Some(test) = head.filter_map(|head| line.strip_prefix(head)).next() {
            speaking = Some(test);
        } else if let Some(test) = speaking {
            if line.starts_with("=====") || line.starts_with("Ran ") {
                speaking = None;
            } else if !line.starts_with("-----") {
                let text = said.entry(test).or_default();
                *text += line;
                text.push('\n');
            }
        } else {
            let (before, status) = line.rsplit_once(" ... ").unwrap_or((line, ""));
            if before.ends_with(')') && before.contains(" (") {
                // Of a test that goes on after a failure, each such part is indented.
                named = before.trim_start();
            }
            let status = match status.split([' ', '\'']).next() {
                Some("ok" | "expected") => TestStatus::Passed,
                Some("FAIL" | "ERROR" | "unexpected") => TestStatus::Failed,
                Some("skipped") => TestStatus::Skipped,
                _ => continue,
            };
            ended.push((named, status));
        }
    }
    let each = ended.into_iter().map(|(test, status)| {
        // The last lines say what is wrong; what stands above is where.
        let message = said.get(test).map_or("", |text| last_error(text));
        case(test, status, message)
    });
    each.collect()
}

/// Returns a traceback from the line with its error on: the first that is not indented below one that is.
fn last_error(text: &str) -> &str {
    let (mut at, mut error, mut was_frame) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let is_frame = line.starts_with([' ', '\t']);
        if was_frame && !is_frame {
            error = at;
        }
        was_frame = is_frame;
        at += line.len();
    }
    text.get(error..).unwrap_or(text)
}

/// TAP as Node prints it: `# Subtest: name` opens a test, `ok 1 - name` or `not ok 1 - name` ends it, what is indented between
/// them are the tests in it, and a block between `---` and `...` says why it failed.
fn tap(out: &str) -> Vec<TestCase> {
    /// Blanks by which each level is indented.
    const LEVEL: usize = 4;
    let mut cases: Vec<TestCase> = Vec::new();
    // The names of the tests that are open, and for each level whether a test has ended in it.
    let mut open: Vec<&str> = Vec::new();
    let mut has_inner: Vec<bool> = Vec::new();
    let mut speaking = false;
    for line in out.lines() {
        let text = line.trim_start();
        let level = (line.len() - text.len()) / LEVEL;
        if let Some(name) = text.strip_prefix("# Subtest: ") {
            open.truncate(level);
            open.push(name);
            continue;
        }
        let (status, rest) = match (text.strip_prefix("ok "), text.strip_prefix("not ok ")) {
            (Some(rest), _) => (TestStatus::Passed, rest),
            (_, Some(rest)) => (TestStatus::Failed, rest),
            (None, None) => {
                speaking &= text != "...";
                let told = cases.last_mut().filter(|_| speaking);
                if let Some(own) = told.filter(|_| is_of_failure(text)) {
                    let text = text.strip_prefix("error: ").unwrap_or(text);
                    if text == "|-" {
                        continue;
                    }
                    own.message += text;
                    own.message.push('\n');
                }
                continue;
            }
        };
        let Some((_, name)) = rest.split_once(" - ") else {
            continue;
        };
        let is_group = has_inner.get(level + 1) == Some(&true);
        has_inner.resize(level + 1, false);
        if let Some(own) = has_inner.get_mut(level) {
            *own = true;
        }
        // What a group comes to is told by the tests in it.
        speaking = !is_group && status == TestStatus::Failed;
        if is_group {
            continue;
        }
        let (name, directive) = name.split_once(" # ").unwrap_or((name, ""));
        let status = if directive.starts_with("SKIP") || directive.starts_with("TODO") {
            TestStatus::Skipped
        } else {
            status
        };
        let around = open.iter().take(level).copied();
        let names: Vec<&str> = around.chain([name]).collect();
        cases.push(case(names.join(" > "), status, ""));
    }
    for own in &mut cases {
        *own = case(std::mem::take(&mut own.test), own.status, &own.message);
    }
    cases
}

/// Returns whether a line of TAP's block says what failed, and not where.
fn is_of_failure(line: &str) -> bool {
    const BESIDE: [&str; 9] = [
        "---",
        "duration_ms:",
        "type:",
        "location:",
        "failureType:",
        "code:",
        "name:",
        "stack:",
        "operator:",
    ];
    // `TestContext.<anonymous> (/w/sum.test.js:5:31)`, `Array.map (<anonymous>)`, `node:internal/x:1:2`
    let is_frame = line.starts_with("node:")
        || line.ends_with(" (<anonymous>)")
        || line.ends_with(')')
            && [" (node:", " (file:", " (/"]
                .iter()
                .any(|at| line.contains(at));
    let is_beside = BESIDE.iter().any(|word| line.starts_with(word));
    !(line.is_empty() || is_frame || is_beside || line.starts_with("async "))
}

/// `[ERROR] a.FooTest.bar:12 expected ...` of the summary of failures and errors, and `Tests run: 3, Failures: 1, ... - in
/// a.FooTest` for each class.
fn maven(out: &str) -> Vec<TestCase> {
    let mut cases = Vec::new();
    let mut is_summary = false;
    for line in out.lines() {
        let text = line.trim_start_matches(['[', ']', 'I', 'N', 'F', 'O', 'E', 'R', 'W', 'A', 'G']);
        let text = text.trim();
        if matches!(text, "Failures:" | "Errors:") {
            is_summary = true;
        } else if let Some((class, count)) = passed_in_class(text).filter(|(_, count)| *count > 0) {
            cases.push(TestCase {
                count,
                ..case(class, TestStatus::Passed, "")
            });
        } else if is_summary && line.starts_with("[ERROR]   ") {
            let (test, message) = text.split_once([' ', ':']).unwrap_or((text, ""));
            // `12 expected: <3>`, behind the colon
            let (line, said) = message.split_once(' ').unwrap_or(("", message));
            let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
            let placed = format!("line {line}: {said}");
            let message = if is_line { &placed } else { message };
            cases.push(case(test, TestStatus::Failed, message));
        } else {
            is_summary &= line.starts_with("[ERROR] ");
        }
    }
    cases
}

/// Returns the class of a line of Surefire, and how many of its tests passed.
fn passed_in_class(line: &str) -> Option<(&str, usize)> {
    let rest = line.strip_prefix("Tests run: ")?;
    let (_, class) = rest.rsplit_once(" in ")?;
    let (counts, _) = rest.split_once(", Time elapsed")?;
    let mut counts = counts.split(", ").map(|count| {
        let number = count.rsplit_once(' ').map_or(count, |(_, number)| number);
        number.parse().unwrap_or(0)
    });
    let all: usize = counts.next()?;
    Some((class, all.saturating_sub(counts.sum())))
}

/// `FooTest > bar() FAILED`, and below it, indented, what it said; `3 tests completed, 1 failed` of each project where one
/// failed.
fn gradle(out: &str, err: &str) -> Vec<TestCase> {
    let mut cases: Vec<TestCase> = Vec::new();
    let mut speaking = false;
    for line in out.lines() {
        let (test, ended) = line.rsplit_once(' ').unwrap_or((line, ""));
        let status = match ended {
            "FAILED" => Some(TestStatus::Failed),
            "PASSED" => Some(TestStatus::Passed),
            "SKIPPED" => Some(TestStatus::Skipped),
            _ => None,
        };
        match status.filter(|_| test.contains(" > ")) {
            Some(status) => {
                speaking = status == TestStatus::Failed;
                cases.push(case(test, status, ""));
            }
            None => {
                speaking &= line.starts_with("    ");
                let told = cases.last_mut().filter(|_| speaking);
                if let Some(own) = told.filter(|_| !line.trim_start().starts_with("at ")) {
                    *own = case(
                        std::mem::take(&mut own.test),
                        own.status,
                        &format!("{}\n{line}", own.message),
                    );
                }
            }
        }
    }
    // It says that beside its errors.
    let passed: usize = out
        .lines()
        .chain(err.lines())
        .filter_map(passed_of_gradle)
        .sum();
    if passed > 0 {
        cases.push(TestCase {
            count: passed,
            ..case("tests that Gradle does not name", TestStatus::Passed, "")
        });
    }
    cases
}

/// Returns how many tests of a project passed: `3 tests completed, 1 failed, 1 skipped` leaves one.
fn passed_of_gradle(line: &str) -> Option<usize> {
    let mut counts = line.split(", ").map(|count| count.split_once(' '));
    let (all, "tests completed" | "test completed") = counts.next()?? else {
        return None;
    };
    let others = counts
        .flatten()
        .filter_map(|(count, _)| count.parse::<usize>().ok());
    Some(all.parse::<usize>().ok()?.saturating_sub(others.sum()))
}

/// One JSON object a line: `{"Action":"pass","Package":"p","Test":"T"}`. A package that cannot be built is a test
/// that fails, with what the compiler said.
fn go(out: &str) -> Vec<TestCase> {
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let mut cases = Vec::new();
    for line in out.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |key: &str| value[key].as_str();
        let Some(action) = text("Action") else {
            continue;
        };
        let name = match (text("ImportPath"), text("Package"), text("Test")) {
            (Some(built), ..) => built.to_owned(),
            (_, Some(package), Some(test)) => format!("{package}.{test}"),
            (_, Some(package), None) => match text("FailedBuild").filter(|_| action == "fail") {
                Some(built) => {
                    let message = said.remove(built).unwrap_or_default();
                    cases.push(case(package, TestStatus::Failed, &message));
                    continue;
                }
                None => continue,
            },
            _ => continue,
        };
        let status = match action {
            "output" | "build-output" => {
                *said.entry(name).or_default() += value["Output"].as_str().unwrap_or_default();
                continue;
            }
            "pass" => TestStatus::Passed,
            "fail" => TestStatus::Failed,
            "skip" => TestStatus::Skipped,
            _ => continue,
        };
        let message = said.remove(&name).unwrap_or_default();
        let message = message.lines().filter(|line| !is_progress_of_go(line));
        let message = message.collect::<Vec<_>>().join("\n");
        let failed = status == TestStatus::Failed;
        // A test that says nothing of its own fails with the subtests in it, which are told before it.
        let is_inside = |own: &TestCase| {
            let rest = own.test.strip_prefix(&name);
            own.status == TestStatus::Failed && rest.is_some_and(|rest| rest.starts_with('/'))
        };
        if failed && message.trim().is_empty() && cases.iter().any(is_inside) {
            continue;
        }
        cases.push(case(name, status, if failed { &message } else { "" }));
    }
    cases
}

/// `=== RUN   TestA/b` and `--- FAIL: TestA/b (0.00s)`, which say what the test's name and status say.
fn is_progress_of_go(line: &str) -> bool {
    let line = line.trim_start();
    ["=== ", "--- FAIL: ", "--- PASS: ", "--- SKIP: "]
        .iter()
        .any(|word| line.starts_with(word))
}

/// Returns the JSON object that begins at the first line with a brace: scripts print before it.
fn object(out: &str) -> Value {
    let at = out.match_indices('{').map(|(at, _)| at);
    let mut starts = at.filter(|at| *at == 0 || out.as_bytes().get(at - 1) == Some(&b'\n'));
    let parsed = starts.find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(out.get(at..)?).into_iter::<Value>();
        values.next()?.ok()
    });
    parsed.unwrap_or_default()
}

fn jest(out: &str) -> Vec<TestCase> {
    let value = object(out);
    let files = value["testResults"].as_array().cloned().unwrap_or_default();
    let mut cases = Vec::new();
    for file in files {
        for one in file["assertionResults"].as_array().into_iter().flatten() {
            let status = match one["status"].as_str().unwrap_or_default() {
                "passed" => TestStatus::Passed,
                "failed" => TestStatus::Failed,
                _ => TestStatus::Skipped,
            };
            let messages = one["failureMessages"].as_array().into_iter().flatten();
            let messages = messages.filter_map(Value::as_str).map(without_frames);
            let message: Vec<String> = messages.collect();
            let name = one["fullName"].as_str().unwrap_or_default();
            cases.push(case(name, status, &message.join("\n")));
        }
    }
    cases
}

/// Returns what an assertion says, without its stack, which is longer, and without colours.
fn without_frames(message: &str) -> String {
    let plain = without_colours(message);
    let lines = plain.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("at "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a text without the sequences that set colours: `ESC [`, numbers, `m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain += rest.strip_prefix('m').unwrap_or(part);
    }
    plain
}

fn mocha(out: &str) -> Vec<TestCase> {
    let value = object(out);
    let lists = [
        ("passes", TestStatus::Passed),
        ("failures", TestStatus::Failed),
        ("pending", TestStatus::Skipped),
    ];
    let each = lists.iter().flat_map(|(list, status)| {
        let tests = value[*list].as_array().into_iter().flatten();
        tests.map(|one| {
            let message = one["err"]["message"].as_str().unwrap_or_default();
            case(
                one["fullTitle"].as_str().unwrap_or_default(),
                *status,
                message,
            )
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(framework: Framework, out: &str) -> Vec<String> {
        // Each reads one of the streams.
        let err = if framework == Framework::Unittest {
            out
        } else {
            ""
        };
        let told = framework.read(out, err).into_iter();
        told.map(|case| {
            let of = if case.count == 1 {
                String::new()
            } else {
                format!("{} of ", case.count)
            };
            format!("{:?} {of}{} {}", case.status, case.test, case.message)
                .trim_end()
                .to_owned()
        })
        .collect()
    }

    #[test]
    fn outputs_are_read() {
        let cargo = "running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest d ... ignored, slow\n\
                     \nfailures:\n\n---- a::c stdout ----\nassertion failed\n\nfailures:\n    a::c\n";
        assert_eq!(
            read(Framework::Cargo, cargo),
            ["Passed a::b", "Failed a::c assertion failed", "Skipped d"]
        );
        let pytest =
            "..F\nPASSED t/test_a.py::test_x\nFAILED t/test_a.py::test_y - assert 1 == 2\n1 failed";
        assert_eq!(
            read(Framework::Pytest, pytest),
            [
                "Passed t/test_a.py::test_x",
                "Failed t/test_a.py::test_y assert 1 == 2"
            ]
        );
        let unread = "___ ERROR collecting t/test_a.py ___\nImportError while importing\nt/test_a.py:1: in <module>\n    import m\n\
                      E   ModuleNotFoundError: No module named 'm'\nE   More.\n=== short test summary info ===\nERROR t/test_a.py\n";
        assert_eq!(
            read(Framework::Pytest, unread),
            ["Failed t/test_a.py ModuleNotFoundError: No module named 'm'"]
        );
        let parts = "PASSED t/test_a.py::T::test_x\nPASSED t/test_a.py::T::test_y\n\
                     SUBFAILED[of - two](i='a b') t/test_a.py::T::test_y - assert 1 == 2\n\
                     SUBFAILED(i=2) t/test_a.py::T::test_y - assert 2 == 3\n";
        assert_eq!(
            read(Framework::Pytest, parts),
            [
                "Passed t/test_a.py::T::test_x",
                "Failed t/test_a.py::T::test_y assert 1 == 2"
            ]
        );
        let go = "{\"Action\":\"output\",\"Package\":\"m\",\"Test\":\"T\",\"Output\":\"bad\\n\"}\n\
                  {\"Action\":\"fail\",\"Package\":\"m\",\"Test\":\"T\"}\n{\"Action\":\"fail\",\"Package\":\"m\"}\nx";
        assert_eq!(read(Framework::Go, go), ["Failed m.T bad"]);
        let inside = "{\"Action\":\"output\",\"Package\":\"m\",\"Test\":\"T/a\",\"Output\":\"=== RUN   T/a\\n\"}\n\
                      {\"Action\":\"output\",\"Package\":\"m\",\"Test\":\"T/a\",\"Output\":\"    x_test.go:9: got 4\\n\"}\n\
                      {\"Action\":\"output\",\"Package\":\"m\",\"Test\":\"T/a\",\"Output\":\"    --- FAIL: T/a (0.00s)\\n\"}\n\
                      {\"Action\":\"fail\",\"Package\":\"m\",\"Test\":\"T/a\"}\n\
                      {\"Action\":\"output\",\"Package\":\"m\",\"Test\":\"T\",\"Output\":\"--- FAIL: T (0.00s)\\n\"}\n\
                      {\"Action\":\"fail\",\"Package\":\"m\",\"Test\":\"T\"}\n";
        assert_eq!(
            read(Framework::Go, inside),
            ["Failed m.T/a x_test.go:9: got 4"]
        );
        let unbuilt = "{\"ImportPath\":\"m [m.test]\",\"Action\":\"build-output\",\"Output\":\"a.go:1: no\\n\"}\n\
                       {\"ImportPath\":\"m [m.test]\",\"Action\":\"build-fail\"}\n\
                       {\"Action\":\"output\",\"Package\":\"m\",\"Output\":\"FAIL\\n\"}\n\
                       {\"Action\":\"fail\",\"Package\":\"m\",\"FailedBuild\":\"m [m.test]\"}";
        assert_eq!(read(Framework::Go, unbuilt), ["Failed m a.go:1: no"]);
        let jest = "> run\n{\"testResults\":[{\"assertionResults\":[{\"fullName\":\"a b\",\"status\":\"passed\"},\
                    {\"fullName\":\"c\",\"status\":\"failed\",\"failureMessages\":[\"no\"]}]}]}";
        assert_eq!(read(Framework::Jest, jest), ["Passed a b", "Failed c no"]);
        let mocha = "{\"passes\":[{\"fullTitle\":\"a\"}],\"failures\":[{\"fullTitle\":\"b\",\"err\":{\"message\":\"no\"}}]}";
        assert_eq!(read(Framework::Mocha, mocha), ["Passed a", "Failed b no"]);
    }

    #[test]
    fn unittest_tells_the_error_and_not_where_it_was() {
        let err = "test_a (test_u.T.test_a) ... FAIL\ntest_b (test_u.T.test_b)\nA doc line ... ok\n\
                   test_c (test_u.T.test_c) ... skipped 'later'\n\
                   test_v (unittest.loader._FailedTest.test_v) ... ERROR\n\
                   test_w (test_u.T.test_w) ... \n  test_w (test_u.T.test_w) (n=1) ... FAIL\n\n\
                   ======\nERROR: test_v (unittest.loader._FailedTest.test_v)\n-----\n\
                   ImportError: Failed to import test module: test_v\nTraceback (most recent call last):\n  \
                   File \"/x/test_v.py\", line 1, in <module>\n    import nope\n\
                   ModuleNotFoundError: No module named 'nope'\n\n\n\
                   ======\nFAIL: test_a (test_u.T.test_a)\n-----\nTraceback (most recent call last):\n  \
                   File \"/x/test_u.py\", line 3, in test_a\n    self.assertEqual(1,2)\n\
                   AssertionError: 1 != 2\n\n\
                   ======\nFAIL: test_w (test_u.T.test_w) (n=1)\n-----\nTraceback (most recent call last):\n  \
                   File \"/x/test_u.py\", line 9, in test_w\n    self.assertEqual(n,0)\nAssertionError: 1 != 0\n\n-----\nRan 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n";
        assert_eq!(
            read(Framework::Unittest, err),
            [
                "Failed test_a (test_u.T.test_a) AssertionError: 1 != 2",
                "Passed test_b (test_u.T.test_b)",
                "Skipped test_c (test_u.T.test_c)",
                "Failed test_v (unittest.loader._FailedTest.test_v) ModuleNotFoundError: No module named 'nope'",
                "Failed test_w (test_u.T.test_w) (n=1) AssertionError: 1 != 0",
            ]
        );
    }

    #[test]
    fn tests_of_node_are_those_without_tests_in_them() {
        let out = "TAP version 13\n# Subtest: adds\nnot ok 1 - adds\n  ---\n  duration_ms: 15\n  location: 'x'\n  \
                   error: |-\n    Expected values to be strictly equal:\n    \n    -1 !== 3\n    \n  code: 'E'\n  \
                   expected: 3\n  actual: -1\n  stack: |-\n    TestContext.<anonymous> (file:///x:4:27)\n    \
                   TestContext.<anonymous> (/x/sum.test.js:5:31)\n    Array.map (<anonymous>)\n  ...\n\
                   # Subtest: skips\nok 2 - skips # SKIP\n  ---\n  ...\n# Subtest: group\n    # Subtest: inner ok\n    \
                   ok 1 - inner ok\n      ---\n      ...\n    # Subtest: inner bad\n    not ok 2 - inner bad\n      ---\n      \
                   error: 'why not'\n      ...\n    1..2\nnot ok 3 - group\n  ---\n  type: 'suite'\n  \
                   error: '1 subtest failed'\n  ...\n# Subtest: last\nok 4 - last\n1..4\n# tests 7\n";
        assert_eq!(
            read(Framework::Node, out),
            [
                "Failed adds Expected values to be strictly equal:\n-1 !== 3\nexpected: 3\nactual: -1",
                "Skipped skips",
                "Passed group > inner ok",
                "Failed group > inner bad 'why not'",
                "Passed last",
            ]
        );
    }

    #[test]
    fn builds_of_java_tell_failing_tests() {
        let maven = "\u{1b}[0m\u{1b}[0m[INFO] Running a.FooTest\n\
                     [ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! - in a.FooTest\n\
                     [ERROR] a.FooTest.bar  Time elapsed: 0.01 s  <<< FAILURE!\n\
                     [INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s - in a.BarTest\n\
                     [INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   FooTest.bar:12 expected: <3> but was: <2>\n[INFO] \n\
                     [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n";
        assert_eq!(
            read(Framework::Maven, maven),
            [
                "Passed a.FooTest",
                "Passed 3 of a.BarTest",
                "Failed FooTest.bar line 12: expected: <3> but was: <2>"
            ]
        );
        assert_eq!(
            read(
                Framework::Gradle,
                "4 tests completed, 1 failed, 1 skipped\n1 test completed\n"
            ),
            ["Passed 3 of tests that Gradle does not name"]
        );
        let gradle = "> Task :test FAILED\n\nFooTest > bar() FAILED\n    org.opentest4j.AssertionFailedError: 3 != 2\n        \
                      at FooTest.bar(FooTest.java:12)\n\n2 tests completed, 1 failed\n";
        assert_eq!(
            read(Framework::Gradle, gradle),
            [
                "Failed FooTest > bar() org.opentest4j.AssertionFailedError: 3 != 2",
                "Passed tests that Gradle does not name"
            ]
        );
    }

    #[test]
    fn both_values_of_a_comparison_are_kept() {
        let frames: String = (0..40)
            .map(|at| {
                format!("    at Object.run (/w/node_modules/jest-circus/build/run{at}.js:1:2)\n")
            })
            .collect();
        let message = format!(
            "Error: \u{1b}[2mexpect(\u{1b}[22m\u{1b}[31mreceived\u{1b}[39m\u{1b}[2m).\u{1b}[22mtoBe\n\n\
             Expected: \u{1b}[32m3\u{1b}[39m\nReceived: \u{1b}[31m2\u{1b}[39m\n{frames}"
        );
        let failed = serde_json::json!({
            "fullName": "adds", "status": "failed", "failureMessages": [message]
        });
        let out = serde_json::json!({"testResults": [{"assertionResults": [failed]}]}).to_string();
        assert_eq!(
            read(Framework::Jest, &out),
            ["Failed adds Error: expect(received).toBe\n\nExpected: 3\nReceived: 2"]
        );
    }

    #[test]
    fn what_does_not_fit_says_nothing() {
        for out in [
            "",
            "{",
            "{}",
            "[]",
            "test x",
            "test  ... ",
            "PASSED",
            "---- x stdout ----",
            "null",
            "a () ... ",
            "FAIL: x",
            "not ok",
            "    ok 1",
            "Tests run: ",
            "[ERROR] Failures:",
            " > FAILED",
        ] {
            for framework in [
                Framework::Cargo,
                Framework::Go,
                Framework::Jest,
                Framework::Mocha,
                Framework::Unittest,
                Framework::Node,
                Framework::Maven,
                Framework::Gradle,
            ] {
                assert_eq!(read(framework, out), [""; 0], "{framework:?} {out}");
            }
        }
    }
}
