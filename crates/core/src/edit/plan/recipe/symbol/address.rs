//! Symbol addresses: `name`, `Type::name`, `Class.name`, `<Type as Trait>::name`.
//!
//! An address fits every item whose path ends as the address does, so that `area` fits `shapes::Square::area`.

use super::Item;
use super::listing::bare_type;
use crate::text::Slice;

/// Names in an address.
pub(super) struct Address {
    pub(super) containers: Vec<String>,
    of_trait: Option<String>,
    pub(super) name: String,
}

impl Address {
    pub(super) fn parse(text: &str) -> Self {
        let (of_trait, text) = match qualified(text) {
            Some((of_trait, rest)) => (Some(of_trait), rest),
            None => (None, text.to_owned()),
        };
        let mut names: Vec<String> = text
            .replace("::", ".")
            .split(['.', '#'])
            .map(|name| name.trim().trim_end_matches("()").to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        let name = names.pop().unwrap_or_default();
        Self {
            containers: names,
            of_trait,
            name,
        }
    }

    /// Returns whether the address ends as the item's own path does.
    pub(super) fn fits(&self, item: &Item<'_>) -> bool {
        let Some(skipped) = item.path.len().checked_sub(self.containers.len()) else {
            return false;
        };
        let path = item.path.slice(skipped..);
        let same = path
            .iter()
            .zip(&self.containers)
            .all(|(container, name)| container.name == *name);
        let of_trait = path
            .last()
            .and_then(|container| container.of_trait.as_ref());
        item.name == self.name
            && same
            && (self.of_trait.is_none() || of_trait == self.of_trait.as_ref())
    }
}

/// Splits `<Type as Trait>::name` into its trait and `Type::name`.
fn qualified(text: &str) -> Option<(String, String)> {
    let (inner, name) = text.strip_prefix('<')?.rsplit_once(">::")?;
    let (own, of_trait) = inner.split_once(" as ")?;
    let own = bare_type(own.trim());
    Some((
        bare_type(of_trait.trim()).to_owned(),
        format!("{own}::{name}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::{items, with_address};
    use crate::syntax::Language;

    fn found(language: Language, text: &str, address: &str) -> Vec<(String, usize)> {
        let tree = language.parse(text).unwrap();
        let items = items(language, &tree);
        with_address(items, address)
            .iter()
            .map(|item| {
                let path: Vec<_> = item.path.iter().map(|c| c.name.as_str()).collect();
                (path.join("/"), item.node.start_position().row)
            })
            .collect()
    }

    #[test]
    fn addresses_end_as_paths_do() {
        let rust = "struct A;\nimpl<T> A<T> { fn f() {} }\nimpl B for &x::A { fn f() {} }\n\
                    mod m { fn f() {} }\n";
        let check = |address: &str, expected: &[(&str, usize)]| {
            let expected: Vec<_> = expected
                .iter()
                .map(|(p, l)| ((*p).to_owned(), *l))
                .collect();
            assert_eq!(found(Language::Rust, rust, address), expected, "{address}");
        };
        check("f", &[("A", 1), ("A", 2), ("m", 3)]);
        check("A::f", &[("A", 1), ("A", 2)]);
        check("<A as B>::f", &[("A", 2)]);
        check("m::f()", &[("m", 3)]);
        check("x::y::f", &[]);
    }

    #[test]
    fn overloads_are_one_item() {
        let ts = "function f(a: string): void;\nfunction f(a: number): void;\n\
                  function f(a: any) {}\nclass C { m(): void; m() {} }\n";
        assert_eq!(found(Language::TypeScript, ts, "f"), [(String::new(), 2)]);
        assert_eq!(found(Language::TypeScript, ts, "C.m").len(), 1);
        let py = "@overload\ndef f(a): ...\n@typing.overload\ndef f(b): ...\ndef f(c): pass\n";
        assert_eq!(found(Language::Python, py, "f"), [(String::new(), 4)]);
    }
}
