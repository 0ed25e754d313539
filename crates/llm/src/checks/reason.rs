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
    "[ERROR] COMPILATION ERROR",
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
    let mut said = lines().filter(|line| says(line) && !is_of_make(line));
    let found = said.find(|line| names_error(line));
    // Of what says nothing of an error, the last line is the nearest to the end.
    let last = |makes_own: bool| {
        let mut lines = out.lines().chain(err.lines()).map(str::trim);
        lines.rfind(|line| says(line) && (makes_own || !is_of_make(line)))
    };
    let reason = found.or_else(|| last(false)).or_else(|| last(true));
    let reason = reason.unwrap_or("it printed nothing");
    let reason = match line_below(reason, lines()) {
        Some(more) => format!("{reason} {more}"),
        None => reason.to_owned(),
    };
    reason.chars().take(REASON_CHARS).collect()
}

/// Returns the line below one that ends in a colon, which has the message of a panic or the values of an assertion, or the
/// place that a compiler names below its error.
fn line_below<'a>(above: &str, mut lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    lines.find(|line| *line == above)?;
    let next = lines.find(|line| !line.is_empty())?;
    (above.ends_with(':') && says(next) || next.starts_with("--> ")).then_some(next)
}

/// `make: *** [Makefile:2: test] Error 1`, which says no more than that one of its commands failed.
fn is_of_make(line: &str) -> bool {
    let is_make = line.starts_with("make: *** [") || line.starts_with("make[");
    is_make && line.contains("] Error ")
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
    // `[ERROR] Plugin x could not be resolved`; `[ERROR] [Help 1] ...` says where to read of it.
    let of_maven = line.strip_prefix("[ERROR] ");
    let by_maven = of_maven.is_some_and(|rest| !rest.starts_with('['));
    // `TypeError: ...`, `ERROR in ...`, `java.lang.IllegalStateException: ...`, `Error [ERR_X]: ...`
    let head = line.split([':', ' ', '[', '(']).next().unwrap_or_default();
    let is_named = ["Error", "Exception", "ERROR"]
        .iter()
        .any(|end| head.ends_with(end));
    let panicked = line.starts_with("thread '") && line.contains(" panicked at");
    let by_shell = NOT_RUN.iter().any(|end| line.ends_with(end));
    // `make: *** [Makefile:2: all] Error 1`, `src/x.c:1: error: ...`
    let within = lower.contains(": error") || lower.contains(": fatal error");
    begins || is_named || panicked || by_shell || by_maven || within
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
            (
                "error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n",
                "",
                "error[E0308]: mismatched types --> src/a.rs:1:2",
            ),
            (
                "AssertionError [E]: Expected values to be strictly equal:\n\n4 !== 3\n\n    at f (x.js:1:1)\n",
                "",
                "AssertionError [E]: Expected values to be strictly equal: 4 !== 3",
            ),
            (
                "make: *** [Makefile:2: test] Error 1\n",
                "cc -o t t.c\nadd: wrong\n",
                "add: wrong",
            ),
            (
                "make: *** [Makefile:2: test] Error 1\n",
                "",
                "make: *** [Makefile:2: test] Error 1",
            ),
            (
                "",
                "[INFO] BUILD FAILURE\n[ERROR] Plugin p could not be resolved\n[ERROR] \n[ERROR] [Help 1] http://x\n",
                "[ERROR] Plugin p could not be resolved",
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
