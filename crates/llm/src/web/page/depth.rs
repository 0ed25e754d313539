//! Depth of a page: whether HTML can be laid out in reasonable time.
//!
//! In: HTML. Out: whether few enough elements are open within each other, as the parser itself nests them. What begins and
//! ends in the text says little: `</b>` ends no `<div>`, a comment ends nothing, `<p>` ends a `<p>`, and a formatting element
//! that was cut off begins again in each paragraph.
//!
//! ```text
//! "<div></b>" 220,000 times  ->  220,000 elements within each other: no
//! "<p>One" 50,000 times      ->  one within each other: yes
//! ```

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};

use super::PageReader;

/// Elements that may be open within each other: the work of a parser grows with their square, and 100,000 take minutes.
/// Pages met have fewer than 60.
const DEEPEST: usize = 512;
/// Elements and texts that may stand in a table where none belong: each is put before the table, past all that is there
/// already. Pages met have none to a few.
const MOST_MISPLACED: usize = 1_000;

/// Tells whether HTML can be laid out. False once nobody waits for it.
pub(super) fn can_be_laid_out(html: &[u8], is_abandoned: &AtomicBool) -> bool {
    let sink = DepthSink::default();
    let is_over = Rc::clone(&sink.is_over);
    let mut reader = BoundedReader {
        page: PageReader::new(html, is_abandoned),
        is_over: Rc::clone(&is_over),
    };
    let parser = parse_document(sink, ParseOpts::default()).from_utf8();
    let parsed = parser.read_from(&mut reader);
    parsed.is_ok() && !is_over.get() && !is_abandoned.load(Ordering::Relaxed)
}

/// A page that ends once too much is open.
struct BoundedReader<'a> {
    page: PageReader<'a>,
    is_over: Rc<Cell<bool>>,
}

impl Read for BoundedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over.get() {
            return Ok(0);
        }
        self.page.read(buffer)
    }
}

/// What is known of a node.
#[derive(Debug)]
struct DepthNode {
    name: QualName,
    depth: Cell<usize>,
    has_parent: Cell<bool>,
}

impl DepthNode {
    fn named(name: QualName) -> Rc<Self> {
        Rc::new(Self {
            name,
            depth: Cell::new(0),
            has_parent: Cell::new(false),
        })
    }

    fn unnamed() -> Rc<Self> {
        Self::named(QualName::new(None, "".into(), "".into()))
    }
}

/// Builds no tree, but knows how deep it would be.
#[derive(Default)]
struct DepthSink {
    misplaced: Cell<usize>,
    is_over: Rc<Cell<bool>>,
}

impl DepthSink {
    fn put(&self, child: &NodeOrText<Rc<DepthNode>>, depth: usize) {
        if let NodeOrText::AppendNode(node) = child {
            node.depth.set(depth);
            node.has_parent.set(true);
            if depth > DEEPEST {
                self.is_over.set(true);
            }
        }
    }
}

impl TreeSink for DepthSink {
    type Handle = Rc<DepthNode>;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Rc<DepthNode> {
        DepthNode::unnamed()
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<DepthNode>) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, _: ElementFlags) -> Rc<DepthNode> {
        DepthNode::named(name)
    }

    fn create_comment(&self, _text: StrTendril) -> Rc<DepthNode> {
        DepthNode::unnamed()
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Rc<DepthNode> {
        DepthNode::unnamed()
    }

    fn append(&self, parent: &Rc<DepthNode>, child: NodeOrText<Rc<DepthNode>>) {
        self.put(&child, parent.depth.get() + 1);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Rc<DepthNode>,
        previous: &Rc<DepthNode>,
        child: NodeOrText<Rc<DepthNode>>,
    ) {
        if element.has_parent.get() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Rc<DepthNode>) -> Rc<DepthNode> {
        Rc::clone(target)
    }

    fn same_node(&self, one: &Rc<DepthNode>, other: &Rc<DepthNode>) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Rc<DepthNode>, child: NodeOrText<Rc<DepthNode>>) {
        self.put(&child, sibling.depth.get());
        self.misplaced.set(self.misplaced.get() + 1);
        if self.misplaced.get() > MOST_MISPLACED {
            self.is_over.set(true);
        }
    }

    fn add_attrs_if_missing(&self, _target: &Rc<DepthNode>, _attributes: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Rc<DepthNode>) {
        target.has_parent.set(false);
    }

    // A formatting element moves into what it was around: the nodes below stay as deep as they were.
    fn reparent_children(&self, _node: &Rc<DepthNode>, _parent: &Rc<DepthNode>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(html: &str) -> bool {
        can_be_laid_out(html.as_bytes(), &AtomicBool::new(false))
    }

    #[test]
    fn what_would_take_minutes_is_not_laid_out() {
        for part in [
            "<div>",
            "<div></b>",
            "<b><div></b>",
            "<div><!--</div>-->",
            "<div a='</div>'>",
            "<div><script></div></script>",
            "<div></p></br></x>",
            "<DIV/>",
            "<table><tr><td>",
            "<svg><tr>",
            "<svg><g><![CDATA[</g>]]>",
            "<template>",
            "<object><p>",
            "<span>",
            "<x-y>",
            "<ul><li>",
        ] {
            assert!(!fits(&part.repeat(5_000)), "{part}");
        }
        // The formatting elements of one paragraph begin again in the next one.
        let reopened = (0..2_000).map(|at| format!("<p><b id={at}></p>x"));
        assert!(!fits(&reopened.collect::<String>()));
        let put_before = format!("<table>{}", "x<br>".repeat(5_000));
        assert!(!fits(&put_before), "each is put before the table");
    }

    #[test]
    fn long_pages_are_laid_out() {
        for part in [
            "<p>One",
            "<div><b>x</b></div>",
            "<li>x",
            "<br>",
            "<img src=x>",
            "<dt>a<dd>b",
            "<option>x",
            "<a name=x>y",
            "<!-- <div> -->",
            "<script>'<div>'</script>",
            "<table><tr><td>x<tr><td>y</table>",
            "</div></b>",
            "<svg><path/><g></g></svg>",
            "<p><b>x</p>",
        ] {
            assert!(fits(&part.repeat(5_000)), "{part}");
        }
        assert!(fits(&"<table><tr><td>".repeat(100)));
        assert!(fits(""));
        assert!(fits("\u{0}<\u{fffd}&#x110000;"));
    }

    #[test]
    fn nothing_is_parsed_once_nobody_waits() {
        assert!(!can_be_laid_out(b"<p>x", &AtomicBool::new(true)));
    }
}
