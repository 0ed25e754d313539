//! What parsing and guarding cost.
//!
//! In: 300 KB of TSX and other texts of that size. Out: times on a parser that is set up.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

use std::path::Path;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::guard;
use signoff_core::edit::plan::Strategy;
use signoff_core::syntax::outline::outline;
use signoff_core::syntax::tokens::tokens;
use signoff_core::syntax::{Language, SyntaxCache, health};
use signoff_core::text::{EditSet, Source, Splice};

/// What the engine knows of texts that came before, as in a process that goes on.
static CACHE: LazyLock<SyntaxCache> = LazyLock::new(SyntaxCache::default);

fn main() {
    divan::main();
}

const SIZE: usize = 300_000;

/// A component, a function and a class, as often as fit.
const TSX: &str = "export function Panel({ items, onPick }: PanelProps) {\n  \
    const [open, setOpen] = useState<boolean>(false);\n  \
    const shown = items.filter((item) => item.name !== '' && !item.hidden);\n  \
    return (\n    <section className=\"panel\" data-open={open}>\n      \
    {shown.map((item) => (\n        <Row key={item.id} label={`${item.name} (${item.count})`} \
    onClick={() => onPick(item)} />\n      ))}\n    </section>\n  );\n}\n\n\
    async function load(id: string): Promise<Item[]> {\n  \
    const answer = await fetch(`/api/items/${id}`, { method: 'GET' });\n  \
    if (!answer.ok) throw new Error('no answer');\n  return (await answer.json()) as Item[];\n}\n\n";
const RUST: &str = "/// Returns what is left.\npub fn rest(items: &[Item], from: usize) -> \
    Result<Vec<&Item>, Error> {\n    let Some(items) = items.get(from..) else { return \
    Err(Error::Range { from }) };\n    Ok(items.iter().filter(|item| item.count > 0).collect())\n}\n\n";
const PYTHON: &str = "def rest(items: list[Item], start: int = 0) -> list[Item]:\n    \
    \"\"\"Return what is left.\"\"\"\n    if start > len(items):\n        raise ValueError(f\"{start}\")\n    \
    return [item for item in items[start:] if item.count > 0]\n\n\n";

fn text(unit: &str) -> String {
    unit.repeat(SIZE / unit.len())
}

#[divan::bench(args = [Language::Tsx, Language::Rust, Language::Python])]
fn parse(bencher: Bencher<'_, '_>, language: Language) {
    let (_, text) = sample(language);
    assert!(language.parse(&text).is_some());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| language.parse(black_box(&text)).is_some());
}

#[divan::bench]
fn parse_and_outline(bencher: Bencher<'_, '_>) {
    let text = text(TSX);
    bencher.bench(|| {
        outline(
            Language::Tsx,
            &Language::Tsx.parse(black_box(&text)).unwrap(),
        )
        .len()
    });
}

/// The colours of a screen in the middle of a text, whose tree is there.
#[divan::bench(args = [Language::Tsx, Language::Rust, Language::Python])]
fn tokens_of_a_screen(bencher: Bencher<'_, '_>, language: Language) {
    let (_, text) = sample(language);
    let parsed = language.parse(&text).unwrap();
    let middle = text.len() / 2;
    let screen = middle..(middle + 50 * 40).min(text.len());
    bencher.bench(|| tokens(language, &parsed, std::slice::from_ref(black_box(&screen))).len());
}

#[divan::bench(args = [Language::Tsx, Language::Rust, Language::Python])]
fn new_errors_of_a_good_edit(bencher: Bencher<'_, '_>, language: Language) {
    let (path, before) = sample(language);
    let (edits, after) = edit(&before, "items");
    bencher.bench(|| {
        health::new_errors(&CACHE, &path, Some(&before), black_box(&after), &edits).len()
    });
}

#[divan::bench(args = [Language::Tsx, Language::Rust, Language::Python])]
fn new_errors_of_a_bad_edit(bencher: Bencher<'_, '_>, language: Language) {
    let (path, before) = sample(language);
    let (edits, after) = edit(&before, "items(");
    bencher.bench(|| {
        health::new_errors(&CACHE, &path, Some(&before), black_box(&after), &edits).len()
    });
}

#[divan::bench]
fn all_guards(bencher: Bencher<'_, '_>) {
    let (path, before) = sample(Language::Tsx);
    let (edits, after) = edit(&before, "items");
    let (before, after) = (Source::new(before), Source::new(after));
    bencher.bench(|| {
        guard::inspect(
            &CACHE,
            &path,
            Some(&before),
            Some(black_box(&after)),
            &edits,
            Strategy::Section,
        )
        .len()
    });
}

fn sample(language: Language) -> (WorkspacePath, String) {
    let (name, unit) = match language {
        Language::Rust => ("a.rs", RUST),
        Language::Python => ("a.py", PYTHON),
        _ => ("a.tsx", TSX),
    };
    (
        WorkspacePath::parse(name, Path::new("/w")).unwrap(),
        text(unit),
    )
}

/// Puts `new` in the place of a name in the middle.
fn edit(before: &str, new: &str) -> (EditSet, String) {
    let half = before.len() / 2;
    let at = half + before[half..].find("items").unwrap();
    let splice = Splice {
        at,
        old: b"items".to_vec(),
        new: format!("{new}1").into_bytes(),
    };
    let edits = EditSet::new(vec![splice]).unwrap();
    let after = String::from_utf8(edits.apply(before.as_bytes()).unwrap()).unwrap();
    (edits, after)
}
