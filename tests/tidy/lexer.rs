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

/// Returns the types that code gives methods of their own, those of traits left out: `Diff` for `impl<'a> a::Diff<'a> {`.
pub(crate) fn types_with_methods(code: &str) -> Vec<&str> {
    let starts = code.match_indices("impl").map(|(at, _)| at);
    let items = starts.filter(|at| *at == 0 || code.as_bytes()[at - 1] == b'\n');
    let heads = items.filter_map(|at| code[at + "impl".len()..].split_once('{'));
    let heads = heads.map(|(head, _)| without_generics(head).trim());
    let own = heads.filter(|head| !head.split_whitespace().any(|word| word == "for"));
    own.map(|head| {
        let end = head.find(|c: char| c == '<' || c.is_whitespace());
        let path = &head[..end.unwrap_or(head.len())];
        path.rsplit("::").next().unwrap_or(path)
    })
    .collect()
}

/// Returns the types that code declares outside of functions and inline modules.
pub(crate) fn types_declared(code: &str) -> Vec<&str> {
    let lines = code.lines().filter(|line| !line.starts_with(' '));
    let mut names = Vec::new();
    for line in lines {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        if words.any(|word| ["struct", "enum", "union"].contains(&word)) {
            names.extend(words.find(|word| !word.is_empty()));
        }
    }
    names
}

/// Returns what follows the parameters in `<` and `>` that a text begins with; all of it if there are none.
fn without_generics(text: &str) -> &str {
    let mut depth = 0_usize;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            // That of `->` closes nothing.
            b'>' if before == b'-' => {}
            b'>' if depth == 1 => return &text[at + 1..],
            b'>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => return text,
            _ => {}
        }
        before = byte;
    }
    text
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
fn declared_types_are_those_of_the_file() {
    let text = "pub struct A<'a> {\n    enum_of: B,\n}\npub(in crate::x) enum C {}\nfn f() {\n    struct D;\n}\n";
    assert_eq!(types_declared(text), ["A", "C"]);
}

#[test]
fn methods_belong_to_the_type_that_is_named() {
    for (text, expected) in [
        ("impl A {}\nimpl b::A {}", vec!["A", "A"]),
        (
            "impl<'a, T: Into<B>> super::C<'a, T>\nwhere\n    T: D,\n{}",
            vec!["C"],
        ),
        ("impl<F: Fn(&u8) -> Option<u8>> E<F> {}", vec!["E"]),
        ("impl F for G {}\nfn f() -> impl H {}", vec![]),
    ] {
        assert_eq!(types_with_methods(text), expected, "{text}");
    }
}
