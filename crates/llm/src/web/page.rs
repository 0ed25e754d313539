//! The text of a page.
//!
//! In: bytes, and what the server says they are. Out: text; of HTML what a reader sees, headings, lists and tables as
//! Markdown has them, links as numbers with their addresses at the end.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use signoff_core::syntax::with_room;

mod depth;

/// Columns of the text of HTML: tables are laid out in them.
const WIDTH: usize = 120;

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

    /// Returns the text, or nothing of use once nobody waits for it. HTML that cannot be laid out, or is too deep for that, is
    /// told as it is.
    pub(super) fn text(self, bytes: &[u8], is_abandoned: &AtomicBool) -> String {
        let plain = || String::from_utf8_lossy(bytes).into_owned();
        match self {
            Self::Plain => plain(),
            Self::Html if !depth::can_be_laid_out(bytes, is_abandoned) => plain(),
            Self::Html => with_room(|| laid_out(bytes, is_abandoned))
                .flatten()
                .unwrap_or_else(plain),
        }
    }
}

fn laid_out(bytes: &[u8], is_abandoned: &AtomicBool) -> Option<String> {
    let config = html2text::config::plain();
    let page = PageReader::new(bytes, is_abandoned);
    let document = config.parse_html(page).ok()?;
    if is_abandoned.load(Ordering::Relaxed) {
        return None;
    }
    let tree = config.dom_to_render_tree(&document).ok()?;
    config.render_to_string(tree, WIDTH).ok()
}

/// A page for a parser: it ends early once nobody waits for it.
struct PageReader<'a> {
    rest: &'a [u8],
    is_abandoned: &'a AtomicBool,
}

impl<'a> PageReader<'a> {
    fn new(rest: &'a [u8], is_abandoned: &'a AtomicBool) -> Self {
        Self { rest, is_abandoned }
    }
}

impl Read for PageReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Ok(0);
        }
        self.rest.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static WAITED_FOR: AtomicBool = AtomicBool::new(false);

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
        let text = PageForm::Html.text(html, &WAITED_FOR);
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
            let _text = PageForm::Html.text(html.as_bytes(), &WAITED_FOR);
        }
        assert_eq!(PageForm::Plain.text(b"a\xffb", &WAITED_FOR), "a\u{fffd}b");
    }
}
