//! Why a program could not do its work, in one of its own lines.
//!
//! In: what it printed. Out: the first line that says what failed; a stack frame, a note or JSON never. Of
//!
//! ```text
//! node:internal/modules/cjs/loader:1148
//!   throw err;
//!   ^
//!
//! Error: Cannot find module 'typescript'
//!     at Module._resolveFilename (node:internal/modules/cjs/loader:1145:15)
//! ```
//!
//! it is `Error: Cannot find module 'typescript'`.

/// Characters of the reason.
const REASON_CHARS: usize = 300;

/// Words that a line begins with which says what failed, in any case.
const ERROR_WORDS: &[&str] = &[
    "error",
    "fatal",
    "panic",
    "uncaught",
    "unhandled",
    "npm error",
    "npm err!",
    "abort",
    "assertion failed",
    "cannot ",
    "could not ",
    "failed to ",
];

/// What shells end a line with for a program that they cannot run.
const NOT_RUN: &[&str] = &[
    "not found",
    "No such file or directory",
    "Permission denied",
];

/// What lines begin with that say where or how, not what.
const BESIDE: &[&str] = &[
    "at ",
    "File \"",
    "from ",
    "note:",
    "= note:",
    "= help:",
    "help:",
    "hint:",
    "warning:",
    "Node.js v",
    "stack backtrace",
    "Traceback",
    "Require stack",
    "goroutine ",
    "Caused by",
    "npm notice",
    "A complete log",
    "code:",
    "^",
    "~",
    "throw ",
    "node:internal",
];

/// Returns why a program failed.
pub(super) fn reason(err: &str, out: &str) -> String {
    let lines = || err.lines().chain(out.lines()).map(str::trim);
    let mut said = lines().filter(|line| says(line));
    let found = said.find(|line| names_error(line));
    // Of what says nothing of an error, the last line is the nearest to the end.
    let reason = found
        .or_else(|| {
            let mut lines = out.lines().chain(err.lines()).map(str::trim);
            lines.rfind(|line| says(line))
        })
        .unwrap_or("it printed nothing");
    let reason = match message_of_panic(reason, lines()) {
        Some(message) => format!("{reason} {message}"),
        None => reason.to_owned(),
    };
    reason.chars().take(REASON_CHARS).collect()
}

/// Returns the line below the place of a panic, which has its message.
fn message_of_panic<'a>(place: &str, mut lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if !(place.starts_with("thread '") && place.ends_with(':')) {
        return None;
    }
    lines.find(|line| *line == place)?;
    lines.next()
}

/// Returns whether a line may say what failed.
fn says(line: &str) -> bool {
    let is_json = line.starts_with('{') && line.ends_with('}');
    let is_beside = BESIDE.iter().any(|word| line.starts_with(word));
    let is_frame = line
        .split_once(": ")
        .is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    line.chars().any(char::is_alphanumeric) && !is_json && !is_beside && !is_frame
}

fn names_error(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let begins = ERROR_WORDS.iter().any(|word| lower.starts_with(word));
    // `TypeError: ...`, `ERROR in ...`, `java.lang.IllegalStateException: ...`, `Error [ERR_X]: ...`
    let head = line.split([':', ' ', '[', '(']).next().unwrap_or_default();
    let is_named = ["Error", "Exception", "ERROR"]
        .iter()
        .any(|end| head.ends_with(end));
    let panicked = line.starts_with("thread '") && line.contains(" panicked at");
    let by_shell = NOT_RUN.iter().any(|end| line.ends_with(end));
    // `make: *** [Makefile:2: all] Error 1`, `src/x.c:1: error: ...`
    let within = lower.contains(": error") || lower.contains(": fatal error");
    begins || is_named || panicked || by_shell || within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_line_that_says_what_failed() {
        let node = "node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n\
                    Require stack:\n- /ws/a.js\n    at Module._load (node:internal/m:1)\n    at Object.<anonymous> (/ws/a.js:1:1) {\n  \
                    code: 'MODULE_NOT_FOUND',\n}\n\nNode.js v22.1.0\n";
        let cargo = "error: failed to run custom build command for `w v0.1.0`\n\nCaused by:\n  process didn't exit \
                     successfully\n  --- stderr\n  thread 'main' panicked at build.rs:2:5:\n  boom\n  note: run with X\n";
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import x\n\
                      ModuleNotFoundError: No module named 'x'\n";
        for (err, out, expected) in [
            (node, "", "Error: Cannot find module 'x'"),
            (
                "TypeError: a is not a function\n    at f (x.js:1:1)\n",
                "",
                "TypeError: a is not a function",
            ),
            (
                cargo,
                "{\"reason\":\"build-finished\"}",
                "error: failed to run custom build command for `w v0.1.0`",
            ),
            (python, "", "ModuleNotFoundError: No module named 'x'"),
            (
                "sh: 1: tsc: not found\nnpm error code 127\n",
                "",
                "sh: 1: tsc: not found",
            ),
            (
                "thread 'main' panicked at src/main.rs:1:1:\nboom\nnote: run with `RUST_BACKTRACE=1`\n",
                "",
                "thread 'main' panicked at src/main.rs:1:1: boom",
            ),
            (
                "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n",
                "",
                "panic: boom",
            ),
            (
                "",
                "vite building\nerror during build:\n    at x (y:1)\n",
                "error during build:",
            ),
            ("", "broken", "broken"),
            ("warning: old\n", "last words\n    at f (x)\n", "last words"),
            (
                "",
                "tsconfig.json(1,2): error TS5023: Unknown option\n",
                "tsconfig.json(1,2): error TS5023: Unknown option",
            ),
            ("", "", "it printed nothing"),
            ("}\n^^^\n", "", "it printed nothing"),
        ] {
            assert_eq!(reason(err, out), expected, "{err}{out}");
        }
        assert_eq!(reason(&"x".repeat(1000), "").len(), REASON_CHARS);
    }
}
