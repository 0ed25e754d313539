//! The text of a page.
//!
//! In: bytes, and what the server says they are. Out: text; of HTML what a reader sees, headings, lists and tables as
//! Markdown has them, links as numbers with their addresses at the end.

use signoff_core::syntax::with_room;
use signoff_core::text::Slice as _;

/// Columns of the text of HTML: tables are laid out in them.
const WIDTH: usize = 120;

/// Elements that may be open within each other: the work of the parser grows with their square, and 100,000 take minutes.
/// Pages met have fewer than 60.
const DEEPEST: usize = 512;

/// Elements that end by themselves, or have no end, so that their beginnings say nothing of how deep a page is.
const ENDING: [&[u8]; 24] = [
    b"p", b"li", b"dt", b"dd", b"tr", b"td", b"th", b"thead", b"tbody", b"tfoot", b"option", b"br",
    b"hr", b"img", b"input", b"meta", b"link", b"col", b"area", b"base", b"source", b"track",
    b"wbr", b"embed",
];

/// How bytes become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageForm {
    /// By what a reader sees.
    Html,
    /// As they are.
    Plain,
}

impl PageForm {
    /// Returns the form of bytes of this type; none if they are no text.
    pub(super) fn of(kind: &str) -> Option<Self> {
        let essence = kind.split_once(';').map_or(kind, |(essence, _)| essence);
        let essence = essence.trim().to_ascii_lowercase();
        let is_text = essence.starts_with("text/")
            || ["+json", "+xml", "+yaml"]
                .iter()
                .any(|end| essence.ends_with(end))
            || matches!(
                essence.as_str(),
                "" | "application/json"
                    | "application/xml"
                    | "application/javascript"
                    | "application/yaml"
                    | "application/x-yaml"
                    | "application/toml"
                    | "application/x-sh"
            );
        match essence.as_str() {
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            _ => is_text.then_some(Self::Plain),
        }
    }

    /// Returns the text. HTML that cannot be laid out, or is too deep for that, is told as it is.
    pub(super) fn text(self, bytes: &[u8]) -> String {
        let plain = || String::from_utf8_lossy(bytes).into_owned();
        match self {
            Self::Plain => plain(),
            Self::Html if depth(bytes) > DEEPEST => plain(),
            Self::Html => with_room(|| html2text::from_read(bytes, WIDTH))
                .and_then(Result::ok)
                .unwrap_or_else(plain),
        }
    }
}

/// Returns how many elements are open at once, by what begins and what ends: `<b><i></i><b>` is 2.
fn depth(html: &[u8]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for at in memchr::memchr_iter(b'<', html) {
        let rest = html.slice(at + 1..);
        let (ends, rest) = match rest.split_first() {
            Some((b'/', rest)) => (true, rest),
            _ => (false, rest),
        };
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        let name = rest.slice(..length);
        if name.is_empty() || ENDING.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            continue;
        }
        open = if ends {
            open.saturating_sub(1)
        } else {
            open + 1
        };
        most = most.max(open);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_text_is_told_from_the_type() {
        for (kind, expected) in [
            ("text/html; charset=utf-8", Some(PageForm::Html)),
            ("TEXT/HTML", Some(PageForm::Html)),
            ("text/markdown", Some(PageForm::Plain)),
            ("application/json", Some(PageForm::Plain)),
            ("application/ld+json", Some(PageForm::Plain)),
            ("image/png", None),
            ("application/octet-stream", None),
            ("application/pdf", None),
        ] {
            assert_eq!(PageForm::of(kind), expected, "{kind}");
        }
    }

    #[test]
    fn a_page_is_what_a_reader_sees() {
        let html = b"<html><head><style>p { color: red }</style><script>alert(1)</script></head><body><h1>Title</h1><p>One <b>two</b> <a href='https://a.example/'>three</a>.</p><ul><li>x</li></ul><pre>fn a() {\n    b\n}</pre></body></html>";
        let text = PageForm::Html.text(html);
        for part in [
            "# Title",
            "One **two** [three][1].",
            "* x",
            "fn a() {\n    b\n}",
            "https://a.example/",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
        assert!(!text.contains("alert") && !text.contains("color"), "{text}");
    }

    #[test]
    fn no_page_is_too_deep_or_too_broken() {
        for html in [
            "<div>".repeat(100_000),
            "<table><tr><td>".repeat(2_000),
            "<p>".repeat(50_000),
            "<li>".repeat(50_000),
            "<b>".repeat(50_000) + "x",
            "</".repeat(1_000),
            String::from("\u{0}<\u{fffd}&#x110000;"),
        ] {
            let _text = PageForm::Html.text(html.as_bytes());
        }
        assert_eq!(PageForm::Plain.text(b"a\xffb"), "a\u{fffd}b");
        for (html, expected) in [
            ("<b><i></i><b>", 2),
            ("<p><p>a < b</B><br>", 0),
            ("<DIV></div><a>", 1),
        ] {
            assert_eq!(depth(html.as_bytes()), expected, "{html}");
        }
    }
}
