//! Outputs of checks as they are, cut to what is read.

use super::*;

/// Returns each diagnostic as `path:line:column severity code message`.
fn read(parser: Parser, out: &str) -> Vec<String> {
    let found = parser.read("c", Path::new("/w"), "sub", out, "");
    let told = found.iter().map(|d| {
        let severity = if d.severity == Severity::Error {
            "error"
        } else {
            "warning"
        };
        format!(
            "{}:{}:{} {severity} {} {}",
            d.path, d.line, d.column, d.code, d.message
        )
    });
    told.collect()
}

#[test]
fn outputs_are_read() {
    let cargo = r#"{"reason":"compiler-artifact"}
{"reason":"compiler-message","message":{"level":"error","code":{"code":"E0277"},"message":"cannot multiply","spans":[{"is_primary":false,"file_name":"x","line_start":1,"column_start":1},{"is_primary":true,"file_name":"src/a.rs","line_start":2,"column_start":7}]}}
{"reason":"compiler-message","message":{"level":"error","code":{"code":"E0277"},"message":"cannot multiply","spans":[{"is_primary":true,"file_name":"src/a.rs","line_start":2,"column_start":7}]}}
{"reason":"compiler-message","message":{"level":"error","code":null,"message":"aborting","spans":[]}}
no json"#;
    let cases = [
        (
            Parser::Cargo,
            cargo,
            &["sub/src/a.rs:2:7 error E0277 cannot multiply"][..],
        ),
        (
            Parser::Eslint,
            r#"[{"filePath":"/w/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"x is not\ndefined","line":3,"column":5},{"ruleId":null,"severity":1,"message":"m","line":1,"column":1}]}]"#,
            &[
                "a.js:3:5 error no-undef x is not defined",
                "a.js:1:1 warning  m",
            ],
        ),
        (
            Parser::Ruff,
            r#"[{"filename":"/w/a.py","code":"F821","message":"Undefined name `x`","location":{"row":4,"column":2}}]"#,
            &["a.py:4:2 error F821 Undefined name `x`"],
        ),
        (
            Parser::Pyright,
            r#"{"generalDiagnostics":[{"file":"/w/a.py","severity":"error","message":"m","rule":"r","range":{"start":{"line":3,"character":0}}},{"file":"/w/a.py","severity":"information","message":"m"}]}"#,
            &["a.py:4:1 error r m"],
        ),
        (
            Parser::Shellcheck,
            r#"[{"file":"a.sh","line":2,"column":1,"level":"info","code":2086,"message":"Double quote"}]"#,
            &["sub/a.sh:2:1 warning SC2086 Double quote"],
        ),
        (
            Parser::Tsc,
            "src/a.ts(3,7): error TS2322: Type 'string' is not assignable.\n  more\nFound 1 error.",
            &["sub/src/a.ts:3:7 error TS2322 Type 'string' is not assignable."],
        ),
        (
            Parser::Github,
            "::error title=lint/style,file=a.ts,line=3,endLine=3,col=7,endColumn=9::Use const\n::group::x",
            &["sub/a.ts:3:7 error lint/style Use const"],
        ),
        (
            Parser::Lines,
            "# w\n./a.go:3:5: undefined: foo\nvet: b.go:1:2: bad\na.py:4: error: Name \"x\" [name-defined]\n\
             a.c:1:2: note: here\na.c:9:1: warning: unused\n/etc/x:1:1: outside\nError: no\nat 12:30:00 done",
            &[
                "sub/a.go:3:5 error  undefined: foo",
                "sub/b.go:1:2 error  bad",
                "sub/a.py:4:0 error name-defined Name \"x\"",
                "sub/a.c:9:1 warning  unused",
            ],
        ),
        (
            Parser::Shell,
            "a.sh: line 3: syntax error near unexpected token `fi'",
            &["sub/a.sh:3:0 error  syntax error near unexpected token `fi'"],
        ),
    ];
    for (parser, out, expected) in cases {
        assert_eq!(read(parser, out), expected, "{parser:?}");
    }
}

#[test]
fn what_does_not_fit_says_nothing() {
    let all = [
        Parser::Cargo,
        Parser::Eslint,
        Parser::Ruff,
        Parser::Pyright,
        Parser::Shellcheck,
        Parser::Tsc,
        Parser::Github,
        Parser::Lines,
        Parser::Shell,
    ];
    for parser in all {
        for out in [
            "",
            "null",
            "[null]",
            "{}",
            "[{}]",
            ":::",
            "((((",
            "::error ::",
            "a:b:c",
            "é: line é: é",
        ] {
            assert!(read(parser, out).len() <= 1, "{parser:?} {out}");
        }
    }
}

#[test]
fn a_compiler_with_an_error_in_its_options_has_not_done_its_work() {
    for (out, is_whole) in [
        ("", true),
        ("src/a.ts(1,14): error TS2322: Type 'a' is not b.", true),
        (
            "error TS5094: Compiler option '--noEmit' may not be used with '--build'.",
            false,
        ),
        ("tsconfig.app.json(1,23): error TS5069: Option 'x'", false),
        (
            "a.ts(1,1): error TS2304: x\ntsconfig.json(1,10): error TS18002: The 'files' list is empty.",
            false,
        ),
        ("data.json(3,1): error TS1005: ',' expected.", true),
        (
            "a.ts(1,1): error TS2307: Cannot find module './x.json' or 'error TS1'",
            true,
        ),
    ] {
        assert_eq!(Parser::Tsc.is_whole(out), is_whole, "{out}");
    }
}

/// Each frame was a diagnostic, with what stood behind its line as the message.
#[test]
fn a_stack_trace_is_one_diagnostic_with_its_message() {
    for (out, expected) in [
        (
            "/w/sub/a.js:3\n  load(x)\n  ^\n\nReferenceError: x is not defined\n    at load (/w/sub/a.js:3:8)\n    \
             at Object.<anonymous> (/w/sub/b.js:9:1)\n    at Module._compile (node:internal/modules/cjs/loader:1105:14)\n\n\
             Node.js v22.1.0",
            &["sub/a.js:3:8 error  ReferenceError: x is not defined"][..],
        ),
        (
            "TypeError: no\n    at f (/w/node_modules/x/i.js:1:1)\n    at async file:///w/sub/c.mjs:2:3\nsrc/a.ts:1:2: late",
            &[
                "sub/c.mjs:2:3 error  TypeError: no",
                "sub/src/a.ts:1:2 error  late",
            ],
        ),
        (
            "Traceback (most recent call last):\n  File \"/w/sub/a.py\", line 7, in <module>\n    f()\n    ~^^\n  File \
             \"/w/sub/b.py\", line 2, in f\n    raise ValueError(1)\n  File \"/usr/lib/python3/x.py\", line 9, in g\n    \
             h()\nValueError: 1",
            &["sub/b.py:2:0 error  ValueError: 1"],
        ),
        (
            "thread 'main' (71) panicked at src/a.rs:2:5:\nboom\nstack backtrace:\n   0: rust_begin_unwind\n             \
             at /rustc/1/library/std/src/panicking.rs:652:5\n   1: a::main\n             at ./src/a.rs:2:5\nnote: Some \
             details are omitted",
            &["sub/src/a.rs:2:5 error  boom"],
        ),
        (
            "thread 'main' panicked at 'boom', src/a.rs:2:5\nnote: run with `RUST_BACKTRACE=1`",
            &["sub/src/a.rs:2:5 error  boom"],
        ),
        (
            "panic: runtime error: index out of range [1] with length 0\n\ngoroutine 1 [running]:\nmain.f(...)\n\
             \t/w/sub/main.go:12\nmain.main()\n\t/w/sub/main.go:5 +0x1d\nexit status 2",
            &["sub/main.go:12:0 error  panic: runtime error: index out of range [1] with length 0"],
        ),
        (
            "a.rb:3:in 'f': undefined local variable 'x' (NameError)\n\tfrom a.rb:7:in 'block'\n\tfrom a.rb:9:in '<main>'",
            &["sub/a.rb:3:0 error  in 'f': undefined local variable 'x' (NameError)"],
        ),
        (
            "Exception in thread \"main\" java.lang.IllegalStateException: no\n\tat com.x.Main.f(Main.java:12)\n\tat \
             com.x.Main.main(Main.java:3)\nCaused by: java.io.IOException: gone\n\t... 2 more",
            &[":0:0 error  Exception in thread \"main\" java.lang.IllegalStateException: no"],
        ),
        (
            "Unhandled exception. System.Exception: no\n   at X.F() in /w/sub/a.cs:line 3\n   at X.Main() in /w/sub/a.cs:line 9",
            &["sub/a.cs:3:0 error  Unhandled exception. System.Exception: no"],
        ),
        // Nothing of it is in the workspace.
        (
            "Error: no\n    at f (/usr/lib/x.js:1:1)\n    at node:internal/m:1:2",
            &[],
        ),
        ("    at f (/w/sub/a.js:1:1)", &[]),
        ("Traceback (most recent call last):", &[]),
        ("thread 'main' panicked at", &[]),
    ] {
        assert_eq!(read(Parser::Lines, out), expected, "{out}");
    }
}
