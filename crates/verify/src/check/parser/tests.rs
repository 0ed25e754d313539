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
