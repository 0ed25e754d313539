//! Reading the output of test frameworks.
//!
//! In: what a framework printed, untrusted. Out: its tests and how each ended. Output that does not fit
//! has none: that something failed is known from the exit code.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Framework, TestCase, TestStatus};

/// Tests that are kept of one run; a program that prints as a runner does could print them without end.
const MAX: usize = 5_000;
/// Characters of a failing test's message that are kept, from its end.
const MESSAGE_CHARS: usize = 1_000;

impl Framework {
    /// Reads what the framework printed.
    pub fn read(self, out: &str) -> Vec<TestCase> {
        let mut found = match self {
            Self::Cargo => cargo(out),
            Self::Pytest => pytest(out),
            Self::Go => go(out),
            Self::Jest | Self::Vitest => jest(out),
            Self::Mocha => mocha(out),
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

/// `PASSED path::name` and `FAILED path::name - message` of the short summary.
fn pytest(out: &str) -> Vec<TestCase> {
    let each = out.lines().filter_map(|line| {
        let (word, rest) = line.split_once(' ')?;
        let status = match word {
            "PASSED" | "XFAIL" | "XPASS" => TestStatus::Passed,
            "FAILED" | "ERROR" => TestStatus::Failed,
            "SKIPPED" => TestStatus::Skipped,
            _ => return None,
        };
        let (test, message) = rest.split_once(" - ").unwrap_or((rest, ""));
        Some(case(test, status, message))
    });
    each.collect()
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
        let failed = status == TestStatus::Failed;
        cases.push(case(name, status, if failed { &message } else { "" }));
    }
    cases
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
        let told = framework.read(out).into_iter();
        told.map(|case| {
            format!("{:?} {} {}", case.status, case.test, case.message)
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
        let go = "{\"Action\":\"output\",\"Package\":\"m\",\"Test\":\"T\",\"Output\":\"bad\\n\"}\n\
                  {\"Action\":\"fail\",\"Package\":\"m\",\"Test\":\"T\"}\n{\"Action\":\"fail\",\"Package\":\"m\"}\nx";
        assert_eq!(read(Framework::Go, go), ["Failed m.T bad"]);
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
        ] {
            for framework in [
                Framework::Cargo,
                Framework::Go,
                Framework::Jest,
                Framework::Mocha,
            ] {
                assert_eq!(read(framework, out), [""; 0], "{framework:?} {out}");
            }
        }
    }
}
