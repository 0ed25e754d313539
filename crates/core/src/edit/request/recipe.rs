//! Named edits as they are asked for.
//!
//! In: the JSON object of a payload's `recipe`. Out: a [`Recipe`] with everything that it
//! needs, or what is missing from it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Invalid;
use super::raw::fields::settle_recipe;

/// The names of all recipes, as an answer to an unknown one lists them.
pub const RECIPES: &[&str] = &[
    "add_function",
    "add_jsx_prop",
    "delete_symbol",
    "ensure_import",
    "remove_headings",
    "rename_identifier",
    "replace_symbol_body",
    "wrap_call",
];

/// A recipe's fields, and those of them that may be empty texts, which then say nothing.
type RecipeFields = (&'static [&'static str], &'static [&'static str]);

/// A named edit; each does nothing where it was done before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Gives an identifier another name.
    RenameIdentifier(Rename),
    /// Removes the headings of a Markdown text.
    RemoveHeadings,
    /// Adds an import unless it is there.
    EnsureImport {
        /// The statement, or in Rust and Python a bare path.
        import: String,
    },
    /// Removes a named item with its comments and attributes.
    DeleteSymbol(SymbolAddress),
    /// Gives a JSX element a prop.
    AddJsxProp(JsxProp),
    /// Adds a function or method.
    AddFunction(NewFunction),
    /// Wraps calls.
    WrapCall(CallWrap),
    /// Replaces the body of a symbol, or all of it.
    ReplaceSymbolBody(SymbolReplacement),
}

/// Which of several places is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Which {
    /// The one on this 1-based line.
    pub line: Option<usize>,
    /// Every one.
    #[serde(default)]
    pub all: bool,
}

/// What `rename_identifier` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rename {
    /// The present name.
    pub from: String,
    /// The new name.
    pub to: String,
    /// Which of the bindings of that name.
    #[serde(flatten)]
    pub which: Which,
    /// The 1-based column of the occurrence meant, where one line has several.
    pub column: Option<usize>,
    /// What kind of name, if the file has several.
    pub kind: Option<NameKind>,
    /// True to rename whole words within strings too.
    #[serde(default)]
    pub in_strings: bool,
    /// True to rename whole words within comments too.
    #[serde(default)]
    pub in_comments: bool,
    /// The files of the same request in which the name is what is renamed: to import it from one of
    /// these is to import that. Worked out by the recipe.
    #[serde(skip)]
    pub together: Vec<String>,
    /// The crates of Rust around these files. Found by the recipe.
    #[serde(skip)]
    pub crates: Vec<CrateRoot>,
}

/// A library crate of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrateRoot {
    /// Its name in paths.
    pub name: String,
    /// The folder of its sources, relative to the workspace.
    pub sources: String,
}

impl Rename {
    /// Returns the request for the name at the top of a file.
    pub fn of(from: &str, to: &str) -> Self {
        Self {
            from: from.to_owned(),
            to: to.to_owned(),
            which: Which::default(),
            column: None,
            kind: None,
            in_strings: false,
            in_comments: false,
            together: Vec::new(),
            crates: Vec::new(),
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameKind {
    /// All of the following.
    Any,
    /// A variable, parameter, constant or function.
    Value,
    /// A type or module.
    Type,
    /// A field, method, property or object key.
    Field,
}

/// A symbol: `name`, `Type::name` or `Class.name`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SymbolAddress {
    /// Its name.
    pub symbol: String,
    /// A 1-based line of the one that is meant.
    pub line: Option<usize>,
}

/// What `add_jsx_prop` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JsxProp {
    /// The element's name.
    pub component: String,
    /// The prop's name.
    pub prop: String,
    /// `{expression}` or `"text"`; none for a bare prop.
    pub value: Option<String>,
    /// Which of several elements.
    #[serde(flatten)]
    pub which: Which,
}

/// What `add_function` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct NewFunction {
    /// The whole function.
    pub code: String,
    /// The class, impl, trait or module that it goes into.
    #[serde(rename = "in")]
    pub container: Option<String>,
    /// The symbol that it follows.
    pub after: Option<String>,
    /// The symbol that it precedes.
    pub before: Option<String>,
    /// Which end of the container or file, if no symbol is named.
    pub position: Option<ContainerEnd>,
    /// A 1-based line of the symbol or container that is meant.
    pub line: Option<usize>,
}

/// An end of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContainerEnd {
    /// Before what it holds.
    Start,
    /// After what it holds.
    End,
}

/// What `wrap_call` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CallWrap {
    /// What is called: `name`, `object.name`, `Type::name` or `name!`.
    pub call: String,
    /// A function's name, or a template in which `@call` is the call.
    pub with: String,
    /// Which of several calls.
    #[serde(flatten)]
    pub which: Which,
}

/// What `replace_symbol_body` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolReplacement {
    /// The symbol.
    pub address: SymbolAddress,
    /// What is replaced, and by what.
    pub part: SymbolPart,
}

/// What of a symbol is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolPart {
    /// The body, with or without its braces.
    Body(String),
    /// The whole item.
    Whole(String),
}

#[derive(Deserialize)]
struct RawImport {
    import: String,
}

#[derive(Deserialize)]
struct RawReplacement {
    #[serde(flatten)]
    address: SymbolAddress,
    body: Option<String>,
    code: Option<String>,
}

impl Recipe {
    /// Reads the object of a payload's `recipe`.
    pub(super) fn parse(value: Value) -> Result<Self, Invalid> {
        let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            return Err(Invalid(format!("recipe: `name` is missing; {}", known())));
        };
        let mut value = value;
        let name = name.trim();
        let (fields, names) = fields(name);
        if RECIPES.contains(&name) {
            settle_recipe(&mut value, fields, names)?;
        }
        let recipe = match name {
            "add_function" => Self::AddFunction(read(value)?),
            "add_jsx_prop" => Self::AddJsxProp(read(value)?),
            "delete_symbol" => Self::DeleteSymbol(read(value)?),
            "ensure_import" => Self::EnsureImport {
                import: read::<RawImport>(value)?.import,
            },
            "remove_headings" => Self::RemoveHeadings,
            "rename_identifier" => Self::RenameIdentifier(read(value)?),
            "replace_symbol_body" => Self::ReplaceSymbolBody(replacement(read(value)?)?),
            "wrap_call" => Self::WrapCall(read(value)?),
            other => {
                return Err(Invalid(format!(
                    "recipe: `{other}` is not known; {}",
                    known()
                )));
            }
        };
        recipe.checked()
    }

    /// Returns how many bytes of text the request brings.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::RemoveHeadings => 0,
            Self::RenameIdentifier(rename) => rename.from.len() + rename.to.len(),
            Self::EnsureImport { import } => import.len(),
            Self::DeleteSymbol(address) => address.symbol.len(),
            Self::AddJsxProp(prop) => prop.value.as_ref().map_or(0, String::len),
            Self::AddFunction(function) => function.code.len(),
            Self::WrapCall(wrap) => wrap.call.len() + wrap.with.len(),
            Self::ReplaceSymbolBody(replacement) => match &replacement.part {
                SymbolPart::Body(text) | SymbolPart::Whole(text) => text.len(),
            },
        }
    }

    /// Trims the names, and refuses empty ones and line 0.
    fn checked(mut self) -> Result<Self, Invalid> {
        let (names, line) = self.names();
        for (what, name) in names {
            *name = name.trim().to_owned();
            if name.is_empty() {
                return Err(Invalid(format!("recipe: `{what}` is empty")));
            }
        }
        if line == Some(0) {
            return Err(Invalid("recipe: lines count from 1".into()));
        }
        Ok(self)
    }

    fn names(&mut self) -> (Vec<(&'static str, &mut String)>, Option<usize>) {
        match self {
            Self::RemoveHeadings => (Vec::new(), None),
            Self::RenameIdentifier(rename) => (
                vec![("from", &mut rename.from), ("to", &mut rename.to)],
                rename.which.line,
            ),
            Self::EnsureImport { import } => (vec![("import", import)], None),
            Self::DeleteSymbol(address) => (vec![("symbol", &mut address.symbol)], address.line),
            Self::AddJsxProp(prop) => (
                vec![("component", &mut prop.component), ("prop", &mut prop.prop)],
                prop.which.line,
            ),
            Self::AddFunction(function) => {
                let optional = [
                    ("in", &mut function.container),
                    ("after", &mut function.after),
                    ("before", &mut function.before),
                ];
                let named = optional
                    .into_iter()
                    .filter_map(|(what, name)| name.as_mut().map(|name| (what, name)));
                (named.collect(), function.line)
            }
            Self::WrapCall(wrap) => (
                vec![("call", &mut wrap.call), ("with", &mut wrap.with)],
                wrap.which.line,
            ),
            Self::ReplaceSymbolBody(replacement) => (
                vec![("symbol", &mut replacement.address.symbol)],
                replacement.address.line,
            ),
        }
    }
}

/// Returns the fields of a recipe, and of them those that are left out if they are empty.
fn fields(recipe: &str) -> RecipeFields {
    match recipe {
        "add_function" => (
            &["code", "in", "after", "before", "position", "line"],
            &["in", "after", "before", "position"],
        ),
        "add_jsx_prop" => (&["component", "prop", "value", "line", "all"], &["value"]),
        "delete_symbol" => (&["symbol", "line"], &[]),
        "ensure_import" => (&["import"], &[]),
        "rename_identifier" => (
            &[
                "from",
                "to",
                "line",
                "column",
                "kind",
                "all",
                "in_strings",
                "in_comments",
            ],
            &["kind"],
        ),
        "replace_symbol_body" => (&["symbol", "body", "code", "line"], &["code"]),
        "wrap_call" => (&["call", "with", "line", "all"], &[]),
        _ => (&[], &[]),
    }
}

fn replacement(raw: RawReplacement) -> Result<SymbolReplacement, Invalid> {
    let part = match (raw.body, raw.code) {
        (Some(body), None) => SymbolPart::Body(body),
        (None, Some(code)) => SymbolPart::Whole(code),
        (Some(body), Some(code)) if body.trim().is_empty() => SymbolPart::Whole(code),
        _ => {
            return Err(Invalid(
                "recipe: give `body` (what is between the braces) or `code` (the whole item)"
                    .into(),
            ));
        }
    };
    Ok(SymbolReplacement {
        address: raw.address,
        part,
    })
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Invalid> {
    serde_json::from_value(value).map_err(|error| Invalid(format!("recipe: {error}")))
}

fn known() -> String {
    format!("the recipes are {}", RECIPES.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_recipe_lacks_is_named() {
        let check = |json: &str, expected: &str| {
            let Invalid(why) = Recipe::parse(serde_json::from_str(json).unwrap()).unwrap_err();
            assert!(why.contains(expected), "{json}: {why}");
        };
        check(r#"{}"#, "`name` is missing");
        check(
            r#"{"name":"x"}"#,
            "`x` is not known; the recipes are add_function, ",
        );
        check(r#"{"name":"wrap_call","call":"a"}"#, "missing field `with`");
        check(
            r#"{"name":"wrap_call","call":" ","with":"b"}"#,
            "`call` is empty",
        );
        check(
            r#"{"name":"delete_symbol","symbol":"a","line":0}"#,
            "lines count from 1",
        );
        check(
            r#"{"name":"replace_symbol_body","symbol":"a"}"#,
            "give `body`",
        );
    }

    #[test]
    fn a_recipe_is_read_with_what_it_names() {
        let json = r#"{"name":"rename_identifier","from":" a ","to":"b","line":3,"kind":"field"}"#;
        let recipe = Recipe::parse(serde_json::from_str(json).unwrap()).unwrap();
        let expected = Rename {
            from: "a".into(),
            to: "b".into(),
            which: Which {
                line: Some(3),
                all: false,
            },
            column: None,
            kind: Some(NameKind::Field),
            in_strings: false,
            in_comments: false,
            together: Vec::new(),
            crates: Vec::new(),
        };
        assert_eq!(recipe, Recipe::RenameIdentifier(expected));
    }
}
