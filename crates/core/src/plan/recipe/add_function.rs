//! Adds a function or method.
//!
//! In: the whole function, and where it goes: into a container, beside a symbol, or at an end
//! of the file. Out: a plan that puts it there at the indentation of the place, with blank
//! lines as the place has them. The same function there already is no second one.

use std::ops::Range;

use tree_sitter::Node;

use super::head::Head;
use super::indent::{self, Unit};
use super::replace_symbol_body::{docstring, suite_end};
use super::snippet::Snippet;
use super::symbol::{self, Container, Item};
use super::tree::{children, walk};
use super::{Family, File, Outcome, already, invalid, modified, not_found, refused};
use crate::request::{NewFunction, Side, SymbolAddress};
use crate::syntax::{Language, Parsed};
use crate::text::Splice;
use crate::text::lines::replace_lines;

/// Where the function goes.
struct Place {
    spot: Spot,
    /// The indentation there.
    base: String,
    /// What the place is in, as the items there have it.
    path: Vec<Container>,
    /// How the place was found.
    how: String,
}

enum Spot {
    /// Before a 0-based line.
    Line(usize),
    /// Between braces on one line, whose white space at both ends goes.
    Braces(Range<usize>, String),
    /// In the place of a statement that only fills a suite.
    Filler(Range<usize>),
}

/// What all steps need to know of the file.
struct Site<'a, 't> {
    file: File<'a>,
    family: Family,
    unit: Unit,
    tree: &'t Parsed<'a>,
    items: Vec<Item<'t>>,
}

/// Plans the function.
pub(super) fn plan(file: File<'_>, request: &NewFunction) -> Result<Outcome, Outcome> {
    if request.after.is_some() && request.before.is_some() {
        return Err(invalid("give `after` or `before`, not both"));
    }
    let (family, language, tree) = file.parsed()?;
    let unit = file.unit(family);
    let snippet = Snippet::parse(&request.code, family, language, unit)?;
    let items = symbol::items(family, &tree);
    let site = Site {
        file,
        family,
        unit,
        tree: &tree,
        items,
    };
    let place = site.place(request)?;
    site.refuse_twin(&snippet, &place, language)?;
    let in_class = place.path.last().is_some() && site.is_class(&place.path);
    if family == Family::Script && in_class != snippet.member {
        return Err(invalid(if in_class {
            "a class takes methods, without `function`"
        } else {
            "a method needs a class: name it in `in`"
        }));
    }
    let splice = site.splice(&snippet, &place, language);
    Ok(modified(vec![splice], place.how, 1))
}

impl<'t> Site<'_, 't> {
    fn place(&self, request: &NewFunction) -> Result<Place, Outcome> {
        let beside = match (&request.after, &request.before) {
            (Some(name), _) => Some((name, Side::End)),
            (_, Some(name)) => Some((name, Side::Start)),
            _ => None,
        };
        match (beside, &request.container) {
            (Some((name, side)), container) => {
                let symbol = match container {
                    Some(container) => format!("{}::{name}", self.in_address(container)),
                    None => name.clone(),
                };
                let line = request.line;
                self.beside(&SymbolAddress { symbol, line }, side)
            }
            (None, Some(container)) => self.within(container, request),
            (None, None) => Ok(self.top_level(request.position)),
        }
    }

    /// Returns `impl Trait for Type` as an address.
    fn in_address(&self, container: &str) -> String {
        match of_impl(container) {
            (own, Some(of_trait)) => format!("<{own} as {of_trait}>"),
            (own, None) => own,
        }
    }

    fn beside(&self, address: &SymbolAddress, side: Side) -> Result<Place, Outcome> {
        let (file, name) = (self.file, &address.symbol);
        let item = symbol::one(file, self.family, self.tree, address)?;
        let range = item.with_leading(file);
        let (first, last) = (
            file.source.line_of(range.start),
            file.source.line_of(range.end.saturating_sub(1)),
        );
        let before = file.text.get(file.line_start(range.start)..range.start);
        let after = file.text.get(range.end..file.source.line_range(last).end);
        let after = after.unwrap_or_default().trim().trim_start_matches(';');
        let remark = after.trim_start().starts_with(['/', '#']);
        let alone =
            before.unwrap_or_default().trim().is_empty() && (after.trim().is_empty() || remark);
        let listed = item.parent.is_some_and(|parent| {
            matches!(
                parent.kind(),
                "object" | "interface_body" | "object_type" | "enum_body"
            )
        });
        if !alone || listed {
            return Err(refused(format!(
                "`{name}` on line {} stands where no function can be put beside it; use `section`",
                first + 1
            )));
        }
        let (line, how) = match side {
            Side::Start => (first, "before"),
            Side::End => (last + 1, "after"),
        };
        Ok(Place {
            spot: Spot::Line(line),
            base: file.indent_at(item.outer.start_byte()).to_owned(),
            path: item.path.clone(),
            how: format!("{how} `{name}`, by syntax"),
        })
    }

    fn within(&self, container: &str, request: &NewFunction) -> Result<Place, Outcome> {
        let mut found = self.containers(container);
        let count = found.len();
        if let Some(line) = request.line {
            let on = |node: &Node<'_>| {
                (node.start_position().row..=node.end_position().row).contains(&(line - 1))
            };
            found.retain(|(node, _, _)| on(node));
        }
        match found.as_slice() {
            [] if count > 0 => Err(not_found(format!("`{container}` is not on that line"))),
            [] => Err(not_found(format!(
                "{} has no class, impl, trait or module `{container}` with a body",
                self.file.path
            ))),
            [(node, body, path)] => {
                let side = request.position.unwrap_or(Side::End);
                let mut place = match self.family {
                    Family::Python => self.in_suite(*node, *body, side)?,
                    _ => self.in_braces(*node, *body, side),
                };
                place.path.clone_from(path);
                place.how = format!("in `{container}`, by syntax");
                Ok(place)
            }
            several => Err(self.file.ambiguous(
                format!(
                    "`{container}` is there {} times; give `line`",
                    several.len()
                ),
                several.iter().map(|(node, _, _)| node.start_byte()),
            )),
        }
    }

    /// Returns what is called `name` and takes functions: node, body, and the path of what is
    /// in it.
    fn containers(&self, name: &str) -> Vec<(Node<'t>, Node<'t>, Vec<Container>)> {
        let mut found = Vec::new();
        let (own, of_trait) = of_impl(name);
        if self.family == Family::Rust {
            walk(self.tree.root(), |step, _| {
                if step.kind() != "impl_item" {
                    return;
                }
                let container = symbol::implemented(self.tree, step.node);
                let body = step.node.child_by_field_name("body");
                if container.name == own
                    && container.of_trait == of_trait
                    && let Some(body) = body
                {
                    found.push((step.node, body, vec![container]));
                }
            });
        }
        if !found.is_empty() || of_trait.is_some() {
            return found;
        }
        let takes = [
            "mod_item",
            "trait_item",
            "class_declaration",
            "abstract_class_declaration",
            "internal_module",
            "module",
            "variable_declarator",
            "class_definition",
        ];
        for item in symbol::with_address(self.items.clone(), name) {
            let body = item.body().filter(|_| takes.contains(&item.node.kind()));
            let is_class = item.node.kind() != "variable_declarator"
                || body.is_some_and(|body| body.kind() == "class_body");
            if let Some(body) = body.filter(|_| is_class) {
                let mut path = item.path.clone();
                path.push(Container {
                    name: item.name.clone(),
                    of_trait: None,
                });
                found.push((item.node, body, path));
            }
        }
        found
    }

    fn in_braces(&self, node: Node<'_>, body: Node<'_>, side: Side) -> Place {
        let file = self.file;
        let outer = file.indent_at(node.start_byte());
        let (open, close) = (body.start_byte(), body.end_byte().saturating_sub(1));
        let first = children(body).into_iter().next();
        let own_line = |node: &Node<'_>| {
            let before = file
                .text
                .get(file.line_start(node.start_byte())..node.start_byte());
            before.unwrap_or_default().trim().is_empty()
        };
        let base = match first.filter(own_line) {
            Some(first) => file.indent_at(first.start_byte()).to_owned(),
            None => format!("{outer}{}", self.unit.levels(1)),
        };
        let text = |range: Range<usize>| file.text.get(range).unwrap_or_default();
        let spot = match side {
            Side::Start => {
                let rest = text(open + 1..close);
                let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                let opens_line = rest
                    .get(blank..)
                    .unwrap_or_default()
                    .starts_with(['\n', '\r']);
                if opens_line {
                    Spot::Line(file.source.line_of(open) + 1)
                } else {
                    Spot::Braces(open + 1..open + 1 + blank, outer.to_owned())
                }
            }
            Side::End if text(file.line_start(close)..close).trim().is_empty() => {
                Spot::Line(file.source.line_of(close))
            }
            Side::End => {
                let inner = text(open + 1..close);
                let blank = inner.len() - inner.trim_end().len();
                Spot::Braces(close - blank..close, outer.to_owned())
            }
        };
        Place {
            spot,
            base,
            path: Vec::new(),
            how: String::new(),
        }
    }

    fn in_suite(&self, node: Node<'_>, body: Node<'_>, side: Side) -> Result<Place, Outcome> {
        let file = self.file;
        let statements = children(body);
        let first = statements.first().copied().unwrap_or(body);
        let own_line = first.start_position().row > node.start_position().row;
        let base = if own_line {
            file.indent_at(first.start_byte()).to_owned()
        } else {
            format!(
                "{}{}",
                file.indent_at(node.start_byte()),
                self.unit.levels(1)
            )
        };
        let text = file.text.get(first.byte_range()).unwrap_or_default();
        let spot = if statements.len() == 1 && matches!(text, "pass" | "...") {
            let start = if own_line {
                file.line_start(first.start_byte())
            } else {
                let before = file.text.get(..first.start_byte()).unwrap_or_default();
                before.trim_end().len()
            };
            Spot::Filler(start..first.end_byte())
        } else if !own_line {
            return Err(refused(format!(
                "the suite on line {} stands on its header's line; use `section`",
                file.line(node.start_byte())
            )));
        } else {
            let end = match (side, docstring(body)) {
                (Side::End, _) => suite_end(file, body),
                (Side::Start, Some(docstring)) => docstring.end_byte(),
                (Side::Start, None) => file.line_start(first.start_byte()),
            };
            Spot::Line(file.source.line_of(end.saturating_sub(1)) + 1)
        };
        Ok(Place {
            spot,
            base,
            path: Vec::new(),
            how: String::new(),
        })
    }

    fn top_level(&self, side: Option<Side>) -> Place {
        let file = self.file;
        let (line, how) = match side {
            Some(Side::Start) => {
                let head = Head::of(file, self.family, self.tree);
                (head.end(file), "after the imports")
            }
            Some(Side::End) => (file.source.line_count(), "at the end"),
            None => match self.coda() {
                Some(at) => (file.source.line_of(at), "before what closes the file"),
                None => (file.source.line_count(), "at the end"),
            },
        };
        Place {
            spot: Spot::Line(line),
            base: String::new(),
            path: Vec::new(),
            how: how.into(),
        }
    }

    /// Returns where a file's last part begins that functions stand before by custom: a Rust
    /// test module, Python's `if __name__ == ..`.
    fn coda(&self) -> Option<usize> {
        let last = children(self.tree.root()).into_iter().next_back()?;
        let start = symbol::leading(self.file, last);
        let text = self.file.text.get(start..last.end_byte())?;
        let is_coda = match self.family {
            Family::Rust => last.kind() == "mod_item" && text.contains("#[cfg(test)]"),
            Family::Python => last.kind() == "if_statement" && text.contains("__name__"),
            Family::Script => false,
        };
        is_coda.then_some(start)
    }

    fn is_class(&self, path: &[Container]) -> bool {
        self.items.iter().any(|item| {
            let same = path
                .split_last()
                .is_some_and(|(last, rest)| item.name == last.name && item.path.as_slice() == rest);
            same && item.body().is_some_and(|body| body.kind() == "class_body")
        })
    }

    /// Refuses a second function of the name, or finds the same one there.
    fn refuse_twin(
        &self,
        snippet: &Snippet,
        place: &Place,
        language: Language,
    ) -> Result<(), Outcome> {
        let twins: Vec<&Item<'_>> = self
            .items
            .iter()
            .filter(|item| item.name == snippet.name && item.path == place.path)
            .collect();
        let lines = |code: &str| indent::lines(code, language, "", self.unit);
        for item in &twins {
            let start = self.file.line_start(item.outer.start_byte());
            let code = self.file.text.get(start..item.outer.end_byte());
            if lines(code.unwrap_or_default()) == lines(snippet.item.trim_end_matches(';'))
                || lines(code.unwrap_or_default()) == lines(&snippet.item)
            {
                return Err(already(format!("`{}` is there", snippet.name)));
            }
        }
        match twins.first() {
            None => Ok(()),
            Some(item) => Err(refused(format!(
                "another `{}` is on line {}; use `replace_symbol_body`",
                snippet.name,
                self.file.line(item.node.start_byte())
            ))),
        }
    }

    fn splice(&self, snippet: &Snippet, place: &Place, language: Language) -> Splice {
        let file = self.file;
        let mut code = snippet.leading.clone();
        if !code.is_empty() {
            code.push('\n');
        }
        code.push_str(&snippet.item);
        let lines = indent::lines(&code, language, &place.base, self.unit);
        match &place.spot {
            Spot::Line(line) => self.on_lines(*line, &lines, place),
            Spot::Braces(range, outer) => {
                let ending = file.ending_at(range.start);
                let text = format!("{ending}{}{ending}{outer}", lines.join(ending));
                file.splice(range.clone(), text)
            }
            Spot::Filler(range) => {
                let ending = file.ending_at(range.start);
                let own_line = range.start == file.line_start(range.start);
                let head = if own_line { "" } else { ending };
                file.splice(range.clone(), format!("{head}{}", lines.join(ending)))
            }
        }
    }

    /// Puts lines before a line, with blank lines between them and what stands there.
    fn on_lines(&self, line: usize, lines: &[String], place: &Place) -> Splice {
        let source = self.file.source;
        let text = |line: usize| source.line(line).trim_ascii();
        let mut at = line.min(source.line_count());
        while at > 0 && text(at - 1).is_empty() {
            at -= 1;
        }
        let mut below = at;
        while below < source.line_count() && text(below).is_empty() {
            below += 1;
        }
        let gap = self.gap(place);
        let opens = at == 0 || {
            let above = text(at - 1);
            let suite = self.family == Family::Python && above.ends_with(b":");
            above.ends_with(b"{") || suite
        };
        let closes = below >= source.line_count() || text(below).starts_with(b"}");
        let lead = if opens { 0 } else { gap };
        let tail = if closes {
            0
        } else {
            gap.saturating_sub(below - at)
        };
        let mut all: Vec<&str> = vec![""; lead];
        all.extend(lines.iter().map(String::as_str));
        all.extend(vec![""; tail]);
        replace_lines(source, at..at, &all)
    }

    /// Returns how many blank lines part the functions of the place.
    fn gap(&self, place: &Place) -> usize {
        let file = self.file;
        let beside: Vec<&Item<'_>> = self
            .items
            .iter()
            .filter(|item| item.path == place.path && item.body().is_some())
            .collect();
        let between = beside.windows(2).filter_map(|pair| {
            let [upper, lower] = pair else { return None };
            let end = file
                .source
                .line_of(upper.outer.end_byte().saturating_sub(1));
            let start = file.source.line_of(lower.with_leading(file).start);
            let gap = start.checked_sub(end + 1)?;
            let blank = (end + 1..start).all(|line| file.source.line(line).trim_ascii().is_empty());
            blank.then_some(gap)
        });
        let usual = if self.family == Family::Python && place.path.is_empty() {
            2
        } else {
            1
        };
        between.min().unwrap_or(usual).clamp(1, 2)
    }
}

/// Returns the type of `impl Trait for Type`, `Trait for Type` or `Type`, and the trait.
fn of_impl(text: &str) -> (String, Option<String>) {
    let bare = text.trim().strip_prefix("impl").unwrap_or(text);
    let bare = if bare.starts_with([' ', '<']) {
        bare
    } else {
        text
    };
    match bare.split_once(" for ") {
        Some((of_trait, own)) => {
            let of_trait = symbol::bare_type(of_trait.trim());
            (
                symbol::bare_type(own.trim()).to_owned(),
                Some(of_trait.to_owned()),
            )
        }
        None => (symbol::bare_type(bare.trim()).to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, check};

    fn add(code: &str, more: &str) -> String {
        let code = serde_json::to_string(code).unwrap();
        format!(r#"{{"name":"add_function","code":{code}{more}}}"#)
    }

    #[test]
    fn a_function_goes_where_it_was_asked_to() {
        let f = "fn f() {\n    x()\n}";
        check(
            "a.rs",
            &add(f, ""),
            "fn a() {}\n",
            "fn a() {}\n\nfn f() {\n    x()\n}\n",
        );
        check(
            "a.rs",
            &add(f, r#","after":"a""#),
            "fn a() {}\n\nfn b() {}\n",
            "fn a() {}\n\nfn f() {\n    x()\n}\n\nfn b() {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","before":"b""#),
            "fn a() {}\n\n/// B.\nfn b() {}\n",
            "fn a() {}\n\nfn f() {}\n\n/// B.\nfn b() {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","position":"start""#),
            "//! Doc.\n\nuse a;\n\nfn a() {}\n",
            "//! Doc.\n\nuse a;\n\nfn f() {}\n\nfn a() {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", ""),
            "fn a() {}\n\n#[cfg(test)]\nmod tests {}\n",
            "fn a() {}\n\nfn f() {}\n\n#[cfg(test)]\nmod tests {}\n",
        );
        check(
            "a.py",
            &add("def f():\n  x()", ""),
            "a = 1\n",
            "a = 1\n\n\ndef f():\n    x()\n",
        );
        check(
            "a.py",
            &add("def f(): pass", ""),
            "def a(): pass\n\n\nif __name__ == '__main__':\n    a()\n",
            "def a(): pass\n\n\ndef f(): pass\n\n\nif __name__ == '__main__':\n    a()\n",
        );
        check(
            "a.ts",
            &add("export const f = () => 1;", r#","after":"a""#),
            "function a() {}\n",
            "function a() {}\n\nexport const f = () => 1;\n",
        );
        check("a.ts", &add("function f() {}", ""), "", "function f() {}\n");
    }

    #[test]
    fn a_method_goes_into_its_container() {
        let in_a = r#","in":"A""#;
        check(
            "a.rs",
            &add("/// F.\nfn f(&self) {\n  x()\n}", in_a),
            "impl A {\n    fn a() {}\n}\n\nimpl T for A {}\n",
            "impl A {\n    fn a() {}\n\n    /// F.\n    fn f(&self) {\n        x()\n    }\n}\n\nimpl T for A {}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", in_a),
            "impl A {}\n",
            "impl A {\n    fn f() {}\n}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","in":"impl T for A""#),
            "impl A {}\nimpl<X> T for A<X> {\n}\n",
            "impl A {}\nimpl<X> T for A<X> {\n    fn f() {}\n}\n",
        );
        check(
            "a.rs",
            &add("fn f() {}", r#","in":"A","position":"start""#),
            "mod A {\n\tfn a() {}\n}\n",
            "mod A {\n\tfn f() {}\n\n\tfn a() {}\n}\n",
        );
        check(
            "a.ts",
            &add("f() {\n    x();\n}", in_a),
            "class A {\n  a = 1;\n}\n",
            "class A {\n  a = 1;\n\n  f() {\n    x();\n  }\n}\n",
        );
        check(
            "a.ts",
            &add("f() {}", in_a),
            "class A { a = 1 }\n",
            "class A { a = 1\n  f() {}\n}\n",
        );
        check(
            "a.py",
            &add("def f(self):\n    x()", in_a),
            "class A:\n    '''Doc.'''\n    def a(self): pass\n\nb()\n",
            "class A:\n    '''Doc.'''\n    def a(self): pass\n\n    def f(self):\n        x()\n\nb()\n",
        );
        check(
            "a.py",
            &add("def f(self): x()", in_a),
            "class A:\n    pass\n",
            "class A:\n    def f(self): x()\n",
        );
        check(
            "a.py",
            &add("def f(self): x()", in_a),
            "class A: ...\n",
            "class A:\n    def f(self): x()\n",
        );
        check(
            "a.py",
            &add("@d\ndef f(self): x()", r#","in":"A","after":"a""#),
            "class A:\n    def a(self): pass\n\n    def b(self): pass\n",
            "class A:\n    def a(self): pass\n\n    @d\n    def f(self): x()\n\n    def b(self): pass\n",
        );
    }

    #[test]
    fn what_is_there_or_does_not_fit_is_told() {
        let f = add("fn f() { x() }", "");
        answers(
            "a.rs",
            &f,
            "fn a() {}\nfn f() { y() }\n",
            "refused",
            "on line 2",
        );
        answers(
            "a.rs",
            &f,
            "fn f() { x() }\nfn a() {}\n",
            "already_applied",
            "`f` is there",
        );
        answers(
            "a.rs",
            &add("fn f() {}", r#","after":"q""#),
            "",
            "not_found",
            "no item `q`",
        );
        answers(
            "a.rs",
            &add("fn f() {}", r#","in":"A""#),
            "struct A;\n",
            "not_found",
            "`A`",
        );
        let two = "impl A {}\nimpl A {}\n";
        answers(
            "a.rs",
            &add("fn f() {}", r#","in":"A""#),
            two,
            "ambiguous",
            "2 times",
        );
        answers(
            "a.rs",
            &add("fn f() {} fn g() {}", ""),
            "",
            "invalid",
            "not one whole",
        );
        answers("a.ts", &add("f() {}", ""), "", "invalid", "needs a class");
        let in_class = add("function f() {}", r#","in":"A""#);
        answers(
            "a.ts",
            &in_class,
            "class A {}\n",
            "invalid",
            "takes methods",
        );
    }
}
