//! Named edits as they are asked for.
//!
//! In: the JSON object of a payload's `recipe`. Out: a [`Recipe`] with everything that it
//! needs, or what is missing from it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Invalid;
use super::raw::fields::settle_recipe;
use super::raw::read;

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

/// What the object of a recipe has.
struct RecipeShape {
    fields: &'static [&'static str],
    /// Fields that say nothing if they are empty texts.
    blank: &'static [&'static str],
    read: fn(Value) -> Result<Recipe, Invalid>,
}

/// A named edit; each does nothing where it was done before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Renames what the name stands for.
    RenameIdentifier(Rename),
    /// Removes the headings of a Markdown file: those with `#` and those underlined, outside code, front matter,
    /// quotes and lists.
    RemoveHeadings,
    /// Adds an import, or names to one; after the last import, or where a first one belongs. A file of JavaScript
    /// that has `require` or `module.exports` and neither `import` nor `export` is `refused`.
    EnsureImport {
        /// The statement; in Rust also a path, in Python a module's name.
        import: String,
    },
    /// Removes an item with the comments, attributes and decorators directly above it.
    DeleteSymbol(SymbolAddress),
    /// Gives an element a prop; another value is `refused`.
    AddJsxProp(JsxProp),
    /// Adds a function or method, at the end of the file without a place; another one of the name is `refused`.
    AddFunction(NewFunction),
    /// Wraps calls, those in the arguments of Rust's macros too.
    WrapCall(CallWrap),
    /// Replaces a body, or the whole item.
    ReplaceSymbolBody(SymbolReplacement),
}

/// Which of several places is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Which {
    /// The one on this line, from 1.
    #[serde(default, deserialize_with = "line")]
    pub line: Option<usize>,
    /// `true`: every one.
    #[serde(default)]
    pub all: bool,
}

/// What `rename_identifier` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rename {
    /// The present name.
    #[serde(deserialize_with = "name")]
    pub from: String,
    /// The new name.
    #[serde(deserialize_with = "name")]
    pub to: String,
    /// Which of the bindings of that name.
    #[serde(flatten)]
    pub which: Which,
    /// The column of the occurrence, from 1, where one line has several.
    pub column: Option<usize>,
    /// What kind of name: `value`, `type`, `field`, `any`.
    pub kind: Option<NameKind>,
    /// `true`: whole words within strings too.
    #[serde(default)]
    pub in_strings: bool,
    /// `true`: whole words within comments too.
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
    /// `name`, `Type::name` or `Class.name`.
    #[serde(deserialize_with = "name")]
    pub symbol: String,
    /// A line of the one that is meant, from 1.
    #[serde(default, deserialize_with = "line")]
    pub line: Option<usize>,
}

/// What `add_jsx_prop` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JsxProp {
    /// The element's name.
    #[serde(deserialize_with = "name")]
    pub component: String,
    /// The prop's name.
    #[serde(deserialize_with = "name")]
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
    #[serde(default, rename = "in", deserialize_with = "some_name")]
    pub container: Option<String>,
    /// The symbol that it follows.
    #[serde(default, deserialize_with = "some_name")]
    pub after: Option<String>,
    /// The symbol that it precedes.
    #[serde(default, deserialize_with = "some_name")]
    pub before: Option<String>,
    /// `start` or `end` of that, or of the file.
    pub position: Option<ContainerEnd>,
    /// A line of the symbol or container that is meant, from 1.
    #[serde(default, deserialize_with = "line")]
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
    #[serde(deserialize_with = "name")]
    pub call: String,
    /// A function's name, or a template in which `@call` is the call.
    #[serde(deserialize_with = "name")]
    pub with: String,
    /// Which of several calls.
    #[serde(flatten)]
    pub which: Which,
}

/// What `replace_symbol_body` is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawReplacement")]
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
    #[serde(deserialize_with = "name")]
    import: String,
}

#[derive(Deserialize)]
struct RawReplacement {
    #[serde(flatten)]
    address: SymbolAddress,
    /// The body, with or without its braces.
    body: Option<String>,
    /// Or the whole item.
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
        let shape = RecipeShape::of(name.trim())?;
        settle_recipe(&mut value, shape.fields, shape.blank)?;
        (shape.read)(value)
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
}

impl RecipeShape {
    fn of(recipe: &str) -> Result<Self, Invalid> {
        Ok(match recipe {
            "add_function" => Self {
                fields: &["code", "in", "after", "before", "position", "line"],
                blank: &["in", "after", "before", "position"],
                read: |value| read(value, "recipe").map(Recipe::AddFunction),
            },
            "add_jsx_prop" => Self {
                fields: &["component", "prop", "value", "line", "all"],
                blank: &["value"],
                read: |value| read(value, "recipe").map(Recipe::AddJsxProp),
            },
            "delete_symbol" => Self {
                fields: &["symbol", "line"],
                blank: &[],
                read: |value| read(value, "recipe").map(Recipe::DeleteSymbol),
            },
            "ensure_import" => Self {
                fields: &["import"],
                blank: &[],
                read: |value| {
                    let RawImport { import } = read(value, "recipe")?;
                    Ok(Recipe::EnsureImport { import })
                },
            },
            "remove_headings" => Self {
                fields: &[],
                blank: &[],
                read: |_nothing| Ok(Recipe::RemoveHeadings),
            },
            "rename_identifier" => Self {
                fields: &[
                    "from",
                    "to",
                    "line",
                    "column",
                    "kind",
                    "all",
                    "in_strings",
                    "in_comments",
                ],
                blank: &["kind"],
                read: |value| read(value, "recipe").map(Recipe::RenameIdentifier),
            },
            "replace_symbol_body" => Self {
                fields: &["symbol", "body", "code", "line"],
                blank: &["code"],
                read: |value| read(value, "recipe").map(Recipe::ReplaceSymbolBody),
            },
            "wrap_call" => Self {
                fields: &["call", "with", "line", "all"],
                blank: &[],
                read: |value| read(value, "recipe").map(Recipe::WrapCall),
            },
            other => {
                return Err(Invalid(format!(
                    "recipe: `{other}` is not known; {}",
                    known()
                )));
            }
        })
    }
}

impl TryFrom<RawReplacement> for SymbolReplacement {
    type Error = Invalid;

    fn try_from(raw: RawReplacement) -> Result<Self, Invalid> {
        let part = match (raw.body, raw.code) {
            (Some(body), None) => SymbolPart::Body(body),
            (None, Some(code)) => SymbolPart::Whole(code),
            (Some(body), Some(code)) if body.trim().is_empty() => SymbolPart::Whole(code),
            _ => {
                return Err(Invalid(
                    "give `body` (what is between the braces) or `code` (the whole item)".into(),
                ));
            }
        };
        Ok(Self {
            address: raw.address,
            part,
        })
    }
}

/// Reads a name, which has something beside white space.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.trim() {
        "" => Err(D::Error::custom("this is empty")),
        name => Ok(name.to_owned()),
    }
}

fn some_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    name(deserializer).map(Some)
}

/// Reads the 1-based number of a line.
fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    match usize::deserialize(deserializer)? {
        0 => Err(D::Error::custom("lines count from 1")),
        line => Ok(Some(line)),
    }
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
            "recipe.call: this is empty",
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
