//! Gives a JSX element a prop.
//!
//! In: the element's name, the prop and its value. Out: a plan that adds the prop after the
//! element's last one, on a line of its own where the others have theirs.

use tree_sitter::Node;

use super::{File, OrAnswer, Outcome, ParsedFile, Plan, already, invalid, modified, refused};
use crate::edit::plan::insertion::{InsertionPlace, InsertionPoint};
use crate::edit::plan::tree::walk;
use crate::edit::request::JsxProp;
use crate::syntax::{Language, Parsed, SyntaxCache};
use crate::text::indent::begins_line;
use crate::text::{Slice, Splice};

/// An opening or self-closing tag.
struct Tag<'t> {
    node: Node<'t>,
    /// The name, or the type arguments after it.
    head: Node<'t>,
    /// Props and spreads.
    attributes: Vec<Node<'t>>,
}

/// How a tag stands to the prop.
enum PropState {
    Lacks,
    Has,
    /// It has another value.
    Differs(usize),
}

/// Plans the prop.
pub(super) fn plan(file: File<'_>, request: &JsxProp) -> OrAnswer<Plan> {
    let ParsedFile { language, tree, .. } = file.parsed()?;
    if language != Language::Tsx && language != Language::JavaScript {
        return Err(refused(format!("{} holds no JSX", file.path)));
    }
    let prop = parse(file.cache, request)?;
    let tags = locate(file, &tree, request, &prop)?;
    splice(file, &tags, &prop)
}

/// Returns the prop as it is written, if it is one.
fn parse(cache: &SyntaxCache, request: &JsxProp) -> Result<String, Outcome> {
    let text = match request.value.as_deref().map(str::trim) {
        None => request.prop.clone(),
        Some(value) => format!("{}={value}", request.prop),
    };
    let element = format!("<A {text} />");
    let whole = cache
        .parse_once(Language::Tsx, &element)
        .is_some_and(|tree| {
            let mut names = Vec::new();
            tree.walk(|node| {
                if node.kind() == "jsx_attribute" && node.parent().is_some_and(is_first) {
                    names.push(tree.text(node).len());
                }
            });
            !tree.root().has_error() && names == [text.len()]
        });
    if whole {
        return Ok(text);
    }
    Err(invalid(format!(
        "`{text}` is no prop; a value is `{{expression}}` or `\"text\"`"
    )))
}

impl Tag<'_> {
    /// Returns whether the tag is on a 0-based line.
    fn is_on(&self, line: usize) -> bool {
        (self.node.start_position().row..=self.node.end_position().row).contains(&line)
    }
}

/// Returns the tags of the elements meant that lack the prop.
fn locate<'t>(
    file: File<'_>,
    tree: &'t Parsed<'_>,
    request: &JsxProp,
    prop: &str,
) -> OrAnswer<Vec<Tag<'t>>> {
    let there = already(format!("`{prop}` is there"));
    let tags = tags(tree, &request.component);
    let has = |tag: &Tag<'_>| matches!(stands(tree, tag, request), PropState::Has);
    if request.which.line.is_none() && !tags.is_empty() && tags.iter().all(has) {
        return Err(there);
    }
    let what = format!("element `<{}>`", request.component);
    let mut chosen = file.pick(
        tags,
        request.which,
        &what,
        |tag| tag.node.start_byte(),
        Tag::is_on,
    )?;
    let differs = chosen
        .iter()
        .find_map(|tag| match stands(tree, tag, request) {
            PropState::Differs(at) => Some(at),
            PropState::Has | PropState::Lacks => None,
        });
    if let Some(at) = differs {
        return Err(refused(format!(
            "`{}` has another value on line {}; change it by `section`",
            request.prop,
            file.line(at)
        )));
    }
    chosen.retain(|tag| !has(tag));
    if chosen.is_empty() {
        Err(there)
    } else {
        Ok(chosen)
    }
}

fn splice(file: File<'_>, tags: &[Tag<'_>], prop: &str) -> OrAnswer<Plan> {
    let spreads = |tag: &Tag<'_>| {
        let mut attributes = tag.attributes.iter();
        attributes.any(|node| node.kind() != "jsx_attribute")
    };
    let remark = if tags.iter().any(spreads) {
        "; it overrides what is spread before it"
    } else {
        ""
    };
    let splices = tags.iter().map(|tag| insertion(file, tag, prop));
    let how = format!("elements by syntax{remark}");
    modified(splices.collect(), how, tags.len())
}

fn is_first(tag: Node<'_>) -> bool {
    tag.kind() == "jsx_self_closing_element" && tag.start_byte() == 0
}

fn tags<'t>(tree: &'t Parsed<'_>, component: &str) -> Vec<Tag<'t>> {
    let mut found = Vec::new();
    walk(tree.root(), |step, _| {
        let node = step.node;
        if !matches!(
            node.kind(),
            "jsx_opening_element" | "jsx_self_closing_element"
        ) {
            return;
        }
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        if tree.text(name) == component {
            let mut cursor = node.walk();
            let attributes = node.children_by_field_name("attribute", &mut cursor);
            found.push(Tag {
                node,
                head: node.child_by_field_name("type_arguments").unwrap_or(name),
                attributes: attributes.collect(),
            });
        }
    });
    found
}

fn stands(tree: &Parsed<'_>, tag: &Tag<'_>, request: &JsxProp) -> PropState {
    let wanted = request.value.as_deref().map(without_blanks);
    let mut cursor = tag.node.walk();
    let same = tag.attributes.iter().find(|node| {
        let name = node.named_children(&mut cursor).next();
        node.kind() == "jsx_attribute" && name.is_some_and(|name| tree.text(name) == request.prop)
    });
    let Some(attribute) = same else {
        return PropState::Lacks;
    };
    let value = tree
        .text(*attribute)
        .split_once('=')
        .map(|(_, value)| without_blanks(value));
    if value == wanted {
        PropState::Has
    } else {
        PropState::Differs(attribute.start_byte())
    }
}

fn without_blanks(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let quoted = text.len() > 1 && text.starts_with('\'') && text.ends_with('\'');
    if quoted {
        text.replace('\'', "\"")
    } else {
        text
    }
}

/// Makes the splice that puts the prop after the tag's last one.
fn insertion(file: File<'_>, tag: &Tag<'_>, prop: &str) -> Splice {
    let (place, base) = place(file, tag);
    InsertionPoint::new(file.source, place, base).splice(file.source, prop)
}

/// Returns the place after the tag's last prop, and the indentation there.
fn place<'a>(file: File<'a>, tag: &Tag<'_>) -> (InsertionPlace<'a>, &'a str) {
    let Some(last) = tag.attributes.last() else {
        return (InsertionPlace::Spaced(tag.head.end_byte()), "");
    };
    let (start, end) = (last.start_byte(), last.end_byte());
    let row = last.start_position().row;
    if !begins_line(file.text, start) || row == tag.node.start_position().row {
        return (InsertionPlace::Spaced(end), "");
    }
    let end_line = file.source.line_of(end);
    let line_end = file.source.line_range(end_line).start + file.source.line(end_line).len();
    let rest = file.text.slice(end..line_end);
    // A remark behind the last prop stays with it.
    let remark = rest.trim_start().starts_with("//")
        || (rest.trim_start().starts_with("/*") && rest.trim_end().ends_with("*/"));
    let at = if remark { line_end } else { end };
    (InsertionPlace::LineBehind(at), file.indent_at(start))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, check};

    fn add(value: &str, more: &str) -> String {
        let value = serde_json::to_string(value).unwrap();
        format!(r#"{{"name":"add_jsx_prop","component":"B","prop":"p","value":{value}{more}}}"#)
    }

    #[test]
    fn a_prop_goes_after_the_last_one() {
        let one = add("{x}", "");
        check("a.tsx", &one, "a = <B />;\n", "a = <B p={x} />;\n");
        check("a.tsx", &one, "a = <B/>;\n", "a = <B p={x}/>;\n");
        check(
            "a.jsx",
            &one,
            "a = <B q='1'>t</B>;\n",
            "a = <B q='1' p={x}>t</B>;\n",
        );
        check(
            "a.tsx",
            &one,
            "a = <B<T> q />;\n",
            "a = <B<T> q p={x} />;\n",
        );
        check(
            "a.tsx",
            &one,
            "a = <B {...r} />;\n",
            "a = <B {...r} p={x} />;\n",
        );
        check(
            "a.tsx",
            &one,
            "a = (\n  <B\n    q\n    r={1} // why\n  />\n);\n",
            "a = (\n  <B\n    q\n    r={1} // why\n    p={x}\n  />\n);\n",
        );
        check(
            "a.tsx",
            &one,
            "a = <B q={{\n  r: 1,\n}}>t</B>;\n",
            "a = <B q={{\n  r: 1,\n}} p={x}>t</B>;\n",
        );
        check(
            "a.tsx",
            &add("\"s\"", ""),
            "a = <B />;\n",
            "a = <B p=\"s\" />;\n",
        );
        let bare = r#"{"name":"add_jsx_prop","component":"B.C","prop":"data-p"}"#;
        check(
            "a.tsx",
            bare,
            "a = <B.C></B.C>;\n",
            "a = <B.C data-p></B.C>;\n",
        );
    }

    #[test]
    fn several_elements_need_to_be_told_apart() {
        let text = "a = <B>\n  <B p={x} />\n  <B q />\n</B>;\n";
        answers("a.tsx", &add("{x}", ""), text, "ambiguous", "3 times");
        check(
            "a.tsx",
            &add("{x}", r#","all":true"#),
            text,
            "a = <B p={x}>\n  <B p={x} />\n  <B q p={x} />\n</B>;\n",
        );
        check(
            "a.tsx",
            &add("{x}", r#","line":3"#),
            text,
            "a = <B>\n  <B p={x} />\n  <B q p={x} />\n</B>;\n",
        );
    }

    #[test]
    fn what_is_there_otherwise_is_told() {
        let one = add("{x}", "");
        answers(
            "a.tsx",
            &one,
            "a =\n <B p={y} />;\n",
            "refused",
            "another value on line 2",
        );
        answers("a.tsx", &one, "a = <B p={ x } />;\n", "already_applied", "");
        answers(
            "a.tsx",
            &add("\"s\"", ""),
            "a = <B p='s' />;\n",
            "already_applied",
            "",
        );
        answers("a.tsx", &one, "a = <C />;\n", "not_found", "`<B>`");
        answers("a.ts", &one, "a = 1;\n", "refused", "no JSX");
        answers(
            "a.tsx",
            &add("x y", ""),
            "a = <B />;\n",
            "invalid",
            "is no prop",
        );
        answers(
            "a.tsx",
            &add("{x} q", ""),
            "a = <B />;\n",
            "invalid",
            "is no prop",
        );
    }
}
