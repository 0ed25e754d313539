//! Dependencies: which packages a manifest names.
//!
//! In: the name of a file and its texts before and after. Out: the packages that are new in it.
//!
//! ```text
//! Cargo.toml   serde = "1"   ->   serde = "2", rand = "0.9"     rand
//! go.mod       require a v1  ->   require ( a v2; b v1 )        b
//! ```
//!
//! TOML and JSON are read by their parsers, and other manifests line by line. A manifest that cannot be read after a
//! change and could be read before is said to be so: what is not known is not permitted.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use toml::{Table, Value};

/// PackageNames of packages; none where a text is no manifest of its kind.
type PackageNames = Option<BTreeSet<String>>;

/// A kind of manifests: the beginning and the end of their names, and what reads one.
type Manifest = (&'static str, &'static str, fn(&str) -> PackageNames);

/// All kinds that are read.
const MANIFESTS: [Manifest; 9] = [
    ("Cargo.toml", "", cargo),
    ("package.json", "", |text| json(text, &NODE)),
    ("composer.json", "", |text| json(text, &COMPOSER)),
    ("pyproject.toml", "", python),
    ("requirements", ".txt", |text| {
        Some(text.lines().filter_map(requirement).collect())
    }),
    ("go.mod", "", |text| {
        Some(text.lines().filter_map(go).collect())
    }),
    ("Gemfile", "", |text| {
        Some(text.lines().filter_map(gem).collect())
    }),
    ("pom.xml", "", |text| Some(maven(text))),
    ("build.gradle", "", |text| {
        Some(text.lines().filter_map(gradle).collect())
    }),
];

/// The tables of a `Cargo.toml` that name packages.
const CARGO: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

const NODE: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
];

const COMPOSER: [&str; 2] = ["require", "require-dev"];

/// The words before a package in a script of Gradle.
const GRADLE: [&str; 9] = [
    "implementation",
    "api",
    "compileOnly",
    "runtimeOnly",
    "annotationProcessor",
    "testImplementation",
    "testRuntimeOnly",
    "testCompileOnly",
    "kapt",
];

/// Returns which packages are new in a manifest, in words; none if none are, or the file is no manifest.
pub fn added(name: &str, before: &str, after: &str) -> Option<String> {
    let mut kinds = MANIFESTS.iter();
    let (_, _, read) = kinds.find(|(start, end, _)| {
        // `build.gradle.kts` as well; a file of another name is another file.
        let is_open = !end.is_empty() || *start == "build.gradle";
        (is_open && name.starts_with(start) || name == *start) && name.ends_with(end)
    })?;
    let known = read(before);
    let Some(now) = read(after) else {
        return known.map(|_| "what it names cannot be read".to_owned());
    };
    let is_known = |name: &&String| known.as_ref().is_some_and(|known| known.contains(*name));
    let new = now.iter().filter(|name| !is_known(name));
    let new: Vec<&str> = new.map(String::as_str).collect();
    (!new.is_empty()).then(|| new.join(", "))
}

fn cargo(text: &str) -> PackageNames {
    let manifest: Table = text.parse().ok()?;
    let targets = tables(manifest.get("target"));
    let workspace = manifest.get("workspace").and_then(Value::as_table);
    let all = [&manifest].into_iter().chain(targets).chain(workspace);
    let listed = all.flat_map(|table| CARGO.iter().filter_map(|key| table.get(*key)?.as_table()));
    Some(listed.flat_map(Table::keys).cloned().collect())
}

/// Returns the tables that are the values of a table.
fn tables(value: Option<&Value>) -> impl Iterator<Item = &Table> {
    let all = value.and_then(Value::as_table).into_iter();
    all.flat_map(Table::values).filter_map(Value::as_table)
}

fn json(text: &str, keys: &[&str]) -> PackageNames {
    if text.trim().is_empty() {
        return Some(BTreeSet::new());
    }
    let manifest: Json = serde_json::from_str(text).ok()?;
    let listed = keys
        .iter()
        .filter_map(|key| manifest.get(*key)?.as_object());
    Some(
        listed
            .flat_map(|packages| packages.keys().cloned())
            .collect(),
    )
}

fn python(text: &str) -> PackageNames {
    let manifest: Table = text.parse().ok()?;
    let of = |key: &str| manifest.get(key).and_then(Value::as_table);
    let tool = |name: &str| of("tool").and_then(|tool| tool.get(name)?.as_table());
    let project = of("project");
    let poetry = tool("poetry");
    let groups = poetry.and_then(|own| own.get("group"));
    let mut names = BTreeSet::new();
    // Lists of requirements, alone or in a table of groups.
    let lists = [
        project.and_then(|own| own.get("dependencies")),
        project.and_then(|own| own.get("optional-dependencies")),
        manifest.get("dependency-groups"),
        of("build-system").and_then(|own| own.get("requires")),
        tool("uv").and_then(|own| own.get("dev-dependencies")),
        tool("pdm").and_then(|own| own.get("dev-dependencies")),
    ];
    for list in lists.into_iter().flatten() {
        requirements(list, &mut names);
    }
    // Tables by name.
    let own = [poetry].into_iter().flatten().chain(tables(groups));
    let named = own.flat_map(|table| {
        let keys = ["dependencies", "dev-dependencies"];
        keys.into_iter()
            .filter_map(|key| table.get(key)?.as_table())
    });
    names.extend(named.flat_map(Table::keys).map(|name| normal(name)));
    names.remove("python");
    Some(names)
}

fn requirements(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(line) => names.extend(requirement(line)),
        Value::Array(list) => list.iter().for_each(|one| requirements(one, names)),
        Value::Table(groups) => groups.values().for_each(|one| requirements(one, names)),
        _ => {}
    }
}

/// Returns the package of a line such as `Flask[async]>=3; python_version > "3.9"`. Options of pip name none, but for a
/// package in a folder or at an address.
fn requirement(line: &str) -> Option<String> {
    let line = line.trim();
    let editable = ["-e ", "--editable "]
        .iter()
        .find_map(|option| line.strip_prefix(option));
    if let Some(place) = editable {
        return Some(place.trim().to_owned());
    }
    let end = line.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let name = line.get(..end.unwrap_or(line.len()))?;
    let is_name = name.starts_with(|c: char| c.is_alphanumeric());
    is_name.then(|| normal(name))
}

/// Returns the one spelling of a package's name in Python.
fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// Returns the module of a line of `require`: `example.com/a v1.2.3`, in a block or by itself.
fn go(line: &str) -> Option<String> {
    let line = line.split("//").next()?.trim();
    let line = line.strip_prefix("require ").unwrap_or(line);
    let mut words = line.split_whitespace();
    let (module, version) = (words.next()?, words.next()?);
    let is_version = version.starts_with('v') && words.next().is_none();
    let is_module = !["module", "go", "toolchain", "exclude", "retract"].contains(&module);
    (is_version && is_module).then(|| module.trim_matches('"').to_owned())
}

/// Returns the gem of a line such as `gem "rails", "~> 8"`.
fn gem(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("gem")?;
    quoted(rest.trim_start_matches([' ', '(']))
}

/// Returns the artifacts of the elements `dependency` and `plugin`.
fn maven(text: &str) -> BTreeSet<String> {
    let blocks = text.split("<dependency>").skip(1);
    let artifacts = blocks.filter_map(|block| {
        let block = block.split("</dependency>").next()?;
        let of = |tag: &str| {
            let (_, rest) = block.split_once(&format!("<{tag}>"))?;
            Some(rest.split_once('<')?.0.trim())
        };
        Some(format!(
            "{}:{}",
            of("groupId").unwrap_or("?"),
            of("artifactId")?
        ))
    });
    artifacts.collect()
}

/// Returns the package of a line such as `implementation("group:name:1.0")`.
fn gradle(line: &str) -> Option<String> {
    let line = line.trim();
    let word = line.split([' ', '(']).next()?;
    let rest = line.get(word.len()..)?.trim_start_matches([' ', '(']);
    let is_package = GRADLE.contains(&word);
    let text = quoted(rest).or_else(|| Some(rest.trim_end_matches(')').to_owned()));
    let text = text.filter(|text| is_package && !text.is_empty() && !text.starts_with('='))?;
    let mut parts = text.split(':');
    match (parts.next(), parts.next()) {
        (Some(group), Some(name)) => Some(format!("{group}:{name}")),
        _ => Some(text),
    }
}

/// Returns what stands in the quotes that a text begins with.
fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inner, _) = text.get(1..)?.split_once(quote)?;
    Some(inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A manifest, its texts before and after, and what is new in it.
    type Case = (
        &'static str,
        &'static str,
        &'static str,
        Option<&'static str>,
    );

    const CASES: [Case; 21] = [
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"",
            "[dependencies]\na = \"2\"",
            None,
        ),
        (
            "Cargo.toml",
            "",
            "[target.'cfg(unix)'.dev-dependencies]\nb = \"1\"",
            Some("b"),
        ),
        (
            "Cargo.toml",
            "",
            "[dependencies.c]\nversion = \"1\"",
            Some("c"),
        ),
        (
            "Cargo.toml",
            "",
            "[workspace.dependencies]\nd.version = \"1\"",
            Some("d"),
        ),
        ("Cargo.toml", "", "[features]\nx = []", None),
        (
            "Cargo.toml",
            "[features]",
            "[features",
            Some("what it names cannot be read"),
        ),
        (
            "package.json",
            "{}",
            "{\"devDependencies\":{\"a\":\"1\",\"b\":\"1\"}}",
            Some("a, b"),
        ),
        ("package.json", "", "{\"scripts\":{\"a\":\"1\"}}", None),
        ("package.json", "{", "{", None),
        (
            "composer.json",
            "{}",
            "{\"require\":{\"a/b\":\"1\"}}",
            Some("a/b"),
        ),
        (
            "pyproject.toml",
            "",
            "[project]\ndependencies = [\"Flask[async]>=3\"]",
            Some("flask"),
        ),
        (
            "pyproject.toml",
            "",
            "[dependency-groups]\ntest = [\"py_test\"]",
            Some("py-test"),
        ),
        (
            "pyproject.toml",
            "",
            "[tool.poetry.group.dev.dependencies]\nx = \"1\"",
            Some("x"),
        ),
        (
            "pyproject.toml",
            "",
            "[tool.poetry.dependencies]\npython = \"3\"",
            None,
        ),
        (
            "requirements-dev.txt",
            "flask==1",
            "Flask==2\n# x\n-r b.txt\nrich",
            Some("rich"),
        ),
        (
            "go.mod",
            "module a\ngo 1.24",
            "module a\nrequire (\n\tb/c v1.2.3 // indirect\n)",
            Some("b/c"),
        ),
        ("go.mod", "require b/c v1.0.0", "require b/c v2.0.0", None),
        (
            "Gemfile",
            "gem 'a'",
            "gem 'a', '~> 1'\ngem(\"b\")",
            Some("b"),
        ),
        (
            "build.gradle.kts",
            "",
            "  testImplementation(\"g:n:1\")\n  api(libs.x)",
            Some("g:n, libs.x"),
        ),
        ("Cargo.toml.orig", "", "[dependencies]\na = \"1\"", None),
        ("a.rs", "", "gem 'a'", None),
    ];

    #[test]
    fn new_packages_are_named() {
        let pom = |name: &str| {
            format!(
                "<dependency><groupId>g</groupId>\n<artifactId>{name}</artifactId></dependency>"
            )
        };
        for (file, before, after, expected) in CASES {
            let found = added(file, before, after);
            assert_eq!(found.as_deref(), expected, "{file}: {after}");
        }
        assert_eq!(
            added("pom.xml", &pom("a"), &(pom("a") + &pom("b"))),
            Some("g:b".to_owned())
        );
    }
}
