//! Any request on any text, through planning, hunks and verdicts.
//!
//! In: a text and a change of every strategy, written from a small alphabet so that requests
//! find their places. Out: nothing, unless something panics, or a plan does not apply, or
//! approving its hunks one by one does not end in the same text.

#![no_main]

use std::collections::HashSet;
use std::path::Path;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::diff::hunk;
use signoff_core::edit::plan::{Outcome, Plan, plan};
use signoff_core::edit::request::{
    AstAction, AstRequest, Change, InsertPosition, LineOperation, MatchScope, Pair, Recipe, Rename,
    Request, SectionRequest, StructRequest, SymbolAddress, WholePlacement, WholeRequest,
};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::proposal::layer::Layer;
use signoff_core::stage::proposal::layer_kind::{BesideText, LayerKind};
use signoff_core::stage::proposal::stack::PathStack;
use signoff_core::text::Source;
use uuid::Uuid;

const PATHS: &[&str] = &["a.rs", "a.ts", "a.tsx", "a.js", "a.py", "a.md", "a.txt"];
const PIECES: &[&str] = &[
    "a",
    "b",
    "ab",
    "a\n",
    "b\n",
    "\n",
    "\r\n",
    " ",
    "    ",
    "é",
    "漢",
    "\t",
    "fn a() {}\n",
    "use a;\n",
    "use a::{b, c};\n",
    "import a from \"b\";\n",
    "import a\n",
    "from a import b\n",
    "def a():\n",
    "class a:\n",
    "const a = () => 1;\n",
    "export ",
    "# a\n",
    "===\n",
    "---\n",
    "```\n",
    "// a\n",
    "/// a\n",
    "#[a]\n",
    "@a\n",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "'",
    "\u{feff}",
    "\0",
    "--- a\n+++ b\n",
    "@@\n",
    "@@ -1,2 +1,2 @@\n",
    "+",
    "-",
    "*** Begin Patch\n*** Update File: a\n",
    "*** End Patch\n",
    "%0A",
    ":[x]",
    ":[[x]]",
    ":[x~a+]",
    "...",
    "$A",
    "$$$B",
    "@x",
    "(identifier) @x",
    "(_ name: (_) @x) @y",
    "(#eq? @x \"a\")",
];

/// Text of the pieces, or of anything.
#[derive(Debug)]
struct Text(String);

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        if input.ratio(1, 8)? {
            return String::arbitrary(input).map(Self);
        }
        let mut text = String::new();
        for piece in input.arbitrary_iter::<u8>()? {
            let at = usize::from(piece?) % PIECES.len();
            text.push_str(PIECES.get(at).copied().unwrap_or_default());
        }
        Ok(Self(text))
    }
}

#[derive(Arbitrary, Debug)]
enum Asked {
    Section {
        edits: Vec<(Text, Text)>,
        all: bool,
    },
    /// Old texts cut from the file itself.
    Cut {
        edits: Vec<(u16, u8, Text)>,
        all: bool,
    },
    Lines {
        edits: Vec<(u8, u8, Vec<Text>, bool)>,
    },
    Unified {
        patch: Text,
    },
    Whole {
        content: Text,
        at_end: bool,
    },
    Rename {
        from: Text,
        to: Text,
    },
    Import {
        import: Text,
    },
    DeleteSymbol {
        symbol: Text,
    },
    RemoveHeadings,
    Delete,
    Dmp {
        patch: Text,
    },
    Struct {
        pattern: Text,
        replacement: Text,
    },
    Ast {
        query: Text,
        template: Text,
        action: u8,
    },
}

#[derive(Arbitrary, Debug)]
struct Input {
    path: u8,
    text: Option<Text>,
    asked: Asked,
    /// Which hunks are approved first.
    approved: u64,
}

fuzz_target!(|input: Input| {
    let name = PATHS
        .get(usize::from(input.path) % PATHS.len())
        .copied()
        .unwrap_or_default();
    let Ok(path) = WorkspacePath::parse(name, Path::new("/")) else {
        return;
    };
    let text = input.text.map(|text| text.0);
    let request = request(input.asked, text.as_deref().unwrap_or_default());
    let file = name.to_owned();
    let change = Change {
        file,
        description: None,
        operation: None,
        request,
        expected: None,
    };
    let source = text.map(Source::new);
    if let Outcome::Planned(plan) = plan(&path, source.as_ref(), &change) {
        review(source, plan, input.approved);
    }
});

fn request(asked: Asked, text: &str) -> Request {
    let section = |edits: Vec<Pair>| Request::Section(SectionRequest { edits });
    let scope = |all: bool| match all {
        true => MatchScope::All,
        false => MatchScope::Single,
    };
    match asked {
        Asked::Section { edits, all } => {
            let pair = |(old, new): (Text, Text)| Pair {
                old: old.0,
                new: new.0,
                scope: scope(all),
            };
            section(edits.into_iter().map(pair).collect())
        }
        Asked::Cut { edits, all } => {
            let pair = |(at, length, new): (u16, u8, Text)| {
                let start = text.floor_char_boundary(usize::from(at) % (text.len() + 1));
                let end = text.floor_char_boundary(start + usize::from(length));
                Pair {
                    old: text.get(start..end).unwrap_or_default().to_owned(),
                    new: new.0,
                    scope: scope(all),
                }
            };
            section(edits.into_iter().map(pair).collect())
        }
        Asked::Lines { edits } => {
            let operation = |(start, length, content, insert): (u8, u8, Vec<Text>, bool)| {
                let content = content
                    .into_iter()
                    .map(|line| line.0.replace('\n', ""))
                    .collect();
                let start = usize::from(start);
                match insert {
                    true => LineOperation::Insert {
                        after: start,
                        content,
                    },
                    false => LineOperation::Replace {
                        start: start + 1,
                        end: start + 1 + usize::from(length),
                        content,
                    },
                }
            };
            Request::Lines(edits.into_iter().map(operation).collect())
        }
        Asked::Unified { patch } => Request::Unified(patch.0),
        Asked::Whole { content, at_end } => {
            let placement = if at_end {
                WholePlacement::End
            } else {
                WholePlacement::Everything
            };
            Request::Whole(WholeRequest {
                content: content.0,
                placement,
            })
        }
        Asked::Rename { from, to } => {
            Request::Recipe(Recipe::RenameIdentifier(Rename::of(&from.0, &to.0)))
        }
        Asked::Import { import } => Request::Recipe(Recipe::EnsureImport { import: import.0 }),
        Asked::DeleteSymbol { symbol } => Request::Recipe(Recipe::DeleteSymbol(SymbolAddress {
            symbol: symbol.0,
            line: None,
        })),
        Asked::RemoveHeadings => Request::Recipe(Recipe::RemoveHeadings),
        Asked::Delete => Request::Delete,
        Asked::Dmp { patch } => Request::Dmp(patch.0),
        Asked::Struct {
            pattern,
            replacement,
        } => Request::Struct(StructRequest {
            pattern: pattern.0,
            replacement: replacement.0,
            language: None,
            constraints: Vec::new(),
        }),
        Asked::Ast {
            query,
            template,
            action,
        } => Request::Ast(AstRequest {
            engine: "tree-sitter".to_owned(),
            language: None,
            query: query.0,
            capture: None,
            action: match action % 7 {
                0 => AstAction::Implied,
                1 => AstAction::Replace,
                2 => AstAction::Delete,
                3 => AstAction::Insert(InsertPosition::Before),
                4 => AstAction::Insert(InsertPosition::After),
                5 => AstAction::Insert(InsertPosition::Start),
                _ => AstAction::Insert(InsertPosition::End),
            },
            template: template.0,
            lines: None,
        }),
    }
}

fn review(source: Option<Source>, plan: Plan, approved: u64) {
    let below = source.clone().unwrap_or_else(|| Source::new(Vec::new()));
    let numbers = hunk::group(&below, &plan.edits);
    let edits = !plan.edits.is_empty();
    let kind = LayerKind::of(plan.presence, edits, below.is_link(), BesideText::default());
    let layer = Layer::new(ProposalId(Uuid::nil()), kind, plan.edits, numbers);
    let shown = hunk::render(&below, layer.edits(), layer.numbers());
    let hunks = layer.hunks();
    assert!(
        shown
            .iter()
            .all(|shown| hunks.iter().any(|hunk| hunk.number == shown.number))
    );
    let wanted = layer.apply(source.as_ref());
    assert!(wanted.is_ok());

    let stack = PathStack {
        base: source,
        layers: vec![layer],
    };
    let chosen = |hunk: &&HunkId| approved >> (hunk.number % 64) & 1 == 1;
    let first: HashSet<HunkId> = hunks.iter().filter(chosen).copied().collect();
    let rest: HashSet<HunkId> = hunks
        .iter()
        .filter(|hunk| !first.contains(hunk))
        .copied()
        .collect();
    let none = HashSet::new();
    let Ok(decided) = stack.decide(&first, &none) else {
        panic!("the hunks of one layer are independent");
    };
    assert!(decided.orphans.is_empty());
    assert_eq!(decided.rest.text(), wanted);
    let Ok(denied) = stack.decide(&none, &rest) else {
        panic!("the hunks of one layer are independent");
    };
    let Ok(decided) = decided.rest.decide(&rest, &none) else {
        panic!("the hunks of one layer are independent");
    };
    assert_eq!(Ok(decided.rest.base), wanted);
    drop(denied.rest.text());
}
