//! Rust text without what is not code.
//!
//! In: the text of a file. Out: the same text, byte for byte in the same place, with comments,
//! literals or test items blanked, so that a search finds code only.

/// Returns `text` with comments and the insides of literals blanked.
pub(crate) fn code(text: &str) -> String {
    let mut lexer = Lexer {
        text: text.as_bytes(),
        out: text.as_bytes().to_vec(),
        at: 0,
    };
    while lexer.at < lexer.text.len() {
        lexer.step();
    }
    into_text(lexer.out)
}

/// Returns code (see [`code`]) with everything behind `#[cfg(test)]` blanked.
pub(crate) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.as_bytes().to_vec();
    let mut from = 0;
    while let Some(found) = code[from..].find(MARK) {
        let start = from + found;
        let end = item_end(code, start + MARK.len());
        blank(&mut out[start..end]);
        from = end;
    }
    into_text(out)
}

/// Returns the modules that are files of their own and compiled for tests only.
pub(crate) fn test_modules(code: &str) -> Vec<String> {
    let items = code.match_indices("#[cfg(test)]").map(|(at, mark)| {
        let start = at + mark.len();
        &code[start..item_end(code, start)]
    });
    items
        .filter_map(|item| {
            let (_, name) = item.split_once("mod ")?;
            Some(name.strip_suffix(';')?.trim().to_owned())
        })
        .collect()
}

/// Returns where the item that begins after `from` ends.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// Returns the types that code declares outside functions and other items, in its order: those of `struct`, `enum`,
/// `trait`, `type` and `union` at the start of a line.
pub(crate) fn declared_types(code: &str) -> Vec<&str> {
    let declared = code.lines().filter_map(|line| {
        let item = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.trim_start(),
            None => line,
        };
        let (keyword, name) = item.split_once(' ')?;
        let is_type = ["struct", "enum", "trait", "type", "union"].contains(&keyword);
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
        is_type.then(|| &name[..end.unwrap_or(name.len())])
    });
    declared.collect()
}

/// A function, and how many closures it binds with `let` itself: those in functions within it are theirs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    pub(crate) at: usize,
    pub(crate) name: &'a str,
    pub(crate) closures: usize,
}

/// Returns the functions of code that have a body. A binding of a closure is `let NAME = |`, also with `mut`, a type or
/// `move`.
pub(crate) fn functions(code: &str) -> Vec<Function<'_>> {
    let mut all = Vec::new();
    // The functions around the present byte, each with the depth of braces outside its own.
    let mut around: Vec<(usize, Function<'_>)> = Vec::new();
    let mut head: Option<Function<'_>> = None;
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate() {
        let begins = at == 0 || !is_word(code.as_bytes()[at - 1]);
        match byte {
            b'f' if begins && code[at..].starts_with("fn ") => {
                let name = code[at + 3..].trim_start();
                let end = name
                    .bytes()
                    .position(|byte| !is_word(byte))
                    .unwrap_or(name.len());
                let name = &name[..end];
                head = (!name.is_empty()).then_some(Function {
                    at,
                    name,
                    closures: 0,
                });
            }
            b'l' if begins && binds_closure(&code[at..]) => {
                if let Some((_, function)) = around.last_mut() {
                    function.closures += 1;
                }
            }
            b'{' => {
                around.extend(head.take().map(|function| (depth, function)));
                depth += 1;
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                if around.last().is_some_and(|(outside, _)| *outside == depth) {
                    all.extend(around.pop().map(|(_, function)| function));
                }
            }
            b';' => head = None,
            _ => {}
        }
    }
    all
}

/// Returns whether code begins with a `let` that binds a closure.
fn binds_closure(code: &str) -> bool {
    let Some(statement) = code.strip_prefix("let ") else {
        return false;
    };
    let name = statement
        .trim_start()
        .trim_start_matches("mut ")
        .trim_start();
    let name = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let Some((of_type, value)) = name.split_once('=') else {
        return false;
    };
    let of_type = of_type.trim();
    let plain = of_type.is_empty() || of_type.starts_with(':') && !of_type.contains([';', '{']);
    let value = value.trim_start();
    plain
        && value
            .strip_prefix("move ")
            .unwrap_or(value)
            .trim_start()
            .starts_with('|')
}

struct Lexer<'a> {
    text: &'a [u8],
    out: Vec<u8>,
    at: usize,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        if rest.starts_with(b"//") {
            let length = rest.iter().position(|byte| *byte == b'\n');
            self.skip(length.unwrap_or(rest.len()));
        } else if rest.starts_with(b"/*") {
            self.skip(block_comment(rest));
        } else if let Some(length) = raw_string(rest).filter(|_| !self.within_word()) {
            self.skip(length);
        } else if rest[0] == b'"' {
            self.skip(quoted(rest, b'"'));
        } else if rest[0] == b'\'' && is_char(rest) {
            self.skip(quoted(rest, b'\''));
        } else {
            self.at += 1;
        }
    }

    fn skip(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        blank(&mut self.out[self.at..end]);
        self.at = end;
    }

    fn within_word(&self) -> bool {
        self.at > 0 && is_word(self.text[self.at - 1])
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let pair = rest.get(at..at + 2).unwrap_or_default();
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            break;
        }
    }
    at
}

fn raw_string(rest: &[u8]) -> Option<usize> {
    let prefix = usize::from(matches!(rest[0], b'b' | b'c'));
    let body = rest.get(prefix..)?.strip_prefix(b"r")?;
    let hashes = body.iter().take_while(|byte| **byte == b'#').count();
    let inside = body.get(hashes..)?.strip_prefix(b"\"")?;
    let close: Vec<u8> = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let length = inside.windows(close.len()).position(|part| part == close);
    let opened = prefix + 1 + hashes + 1;
    Some(length.map_or(rest.len(), |length| opened + length + close.len()))
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Tells a character from a lifetime.
fn is_char(rest: &[u8]) -> bool {
    let Some(first) = rest.get(1) else {
        return false;
    };
    let width = match first {
        b'\\' => return true,
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    };
    rest.get(1 + width) == Some(&b'\'')
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    // Whole characters were blanked or kept.
    String::from_utf8(bytes).unwrap()
}

#[test]
fn comments_and_literals_are_no_code() {
    let check = |text: &str, expected: &str| {
        let code = code(text);
        assert_eq!(code.len(), text.len(), "{text}");
        let squeezed: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(squeezed.join(" "), expected, "{text}");
    };
    check("a // async\nb", "a b");
    check("a /* x /* y */ async */ b", "a b");
    check(r#"f("async \" x", 'a', '\'', '"') g"#, "f( , , , ) g");
    check(r####"f(r#"a "quoted" b"#, br"x") g"####, "f( , ) g");
    check(
        "fn f<'a>(x: &'a str) -> r#async",
        "fn f<'a>(x: &'a str) -> r#async",
    );
    check("'é' 'x", "'x");
}

#[test]
fn test_items_are_left_out() {
    let text = "use a;\n#[cfg(test)]\nuse b;\n#[cfg(test)]\nmod kit;\nfn c() {}\n\
                #[cfg(test)]\nmod tests { fn d() { {} } }\nfn e() {}\n";
    let left: Vec<_> = without_tests(text)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert_eq!(left.join(" "), "use a; fn c() {} fn e() {}");
    assert_eq!(test_modules(text), ["kit"]);
}

#[test]
fn types_are_declared_at_the_start_of_a_line() {
    let code = "pub struct A<'a> {\n    b: B,\n}\npub(crate) enum C {}\ntype D = A;\nimpl E for A {\n    type F = A;\n}\n\
                pub(in super::super) trait G {}\nstruct H;\n";
    assert_eq!(declared_types(code), ["A", "C", "D", "G", "H"]);
}

#[test]
fn closures_count_for_the_function_that_binds_them() {
    let code = "fn a(f: fn(u8) -> u8) -> impl Fn(u8) -> u8 {\n    let b = |x| x;\n    let mut c: u8 = 1;\n    fn d() {\n        \
                let e = move || 1;\n        let f: Box<dyn Fn()> = Box::new(|| ());\n    }\n    let g =\n        |x: u8| -> u8 { x };\n    \
                let h = b(1) | c;\n}\ntrait T {\n    fn i(&self);\n}\nimpl T for U {\n    fn i(&self) {}\n}\n";
    let found = functions(code);
    let found: Vec<(&str, usize)> = found.iter().map(|f| (f.name, f.closures)).collect();
    assert_eq!(found, [("d", 1), ("a", 2), ("i", 0)]);
}
