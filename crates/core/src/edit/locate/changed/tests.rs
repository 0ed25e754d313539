//! Changed lines and where they go.

use proptest::prelude::*;

use super::*;

const TEXT: &str = "LIMIT = 3\n\nclass Cart:\n    def add(self, item):\n        if len(self.items) > LIMIT:\n            \
                    raise ValueError(\"full\")\n        self.items.append(item)\n\n    def total(self):\n        \
                    total = 0\n        for item in self.items:\n            total += item.price\n        return total\n";

fn placed(changed: &str) -> Option<String> {
    place(TEXT, changed).map(|changed| changed.text)
}

#[test]
fn lines_go_where_they_are_alike() {
    for (changed, from, to) in [
        ("LIMIT = 5", "LIMIT = 3", "LIMIT = 5"),
        // With lines around it, and without its indentation.
        (
            "for item in self.items:\n    total += item.price * item.count\nreturn total",
            "item.price\n",
            "item.price * item.count\n",
        ),
        // New lines between two that stand.
        (
            "        self.items.append(item)\n        self.count += 1\n\n    def total(self):",
            "append(item)\n",
            "append(item)\n        self.count += 1\n",
        ),
        // A line is gone between two that stand.
        (
            "    def add(self, item):\n        self.items.append(item)",
            "        if len(self.items) > LIMIT:\n            raise ValueError(\"full\")\n",
            "",
        ),
        // Another one comes for it.
        (
            "        if len(self.items) > LIMIT:\n            return False\n        self.items.append(item)",
            "raise ValueError(\"full\")",
            "return False",
        ),
    ] {
        assert_eq!(
            placed(changed),
            Some(TEXT.replacen(from, to, 1)),
            "{changed}"
        );
    }
}

#[test]
fn parts_may_belong_to_different_places() {
    let both = TEXT
        .replace("LIMIT = 3", "LIMIT = 5")
        .replace("full", "too many");
    let changed = "LIMIT = 5\n...\n            raise ValueError(\"too many\")";
    assert_eq!(placed(changed), Some(both.clone()));
    // Lines that both changed keep what stands between them.
    let changed = "        if len(self.items) > LIMIT + 1:\n        self.items.append(item.copy())";
    let kept = TEXT
        .replace("> LIMIT", "> LIMIT + 1")
        .replace("append(item)", "append(item.copy())");
    assert_eq!(placed(changed), Some(kept));
}

#[test]
fn changed_lines_that_fit_two_places_are_refused() {
    for changed in [
        "",
        "\n",
        "import os",
        "...",
        "    def remove(self, name):\n        del self.names[name]",
    ] {
        assert_eq!(placed(changed), None, "{changed}");
    }
    // Two places are as good.
    let text = "a = load(1)\nb = 1\na = load(1)\nb = 2\n";
    assert_eq!(place(text, "a = load(3)"), None);
    let anchored = |changed| place(TEXT, changed).map(|changed| changed.is_anchored);
    assert_eq!(anchored("LIMIT = 5"), Some(false));
    assert_eq!(
        anchored("        total = 1\n        for item in self.items:"),
        Some(true)
    );
}

#[test]
fn lines_that_come_stand_nowhere_else() {
    let text =
        "use a;\n\nfn one() {\n    first();\n    second();\n}\n\nfn two() {\n    third();\n}\n";
    let cases = [
        // All of the text without a function: what follows it is not there twice.
        (
            "use a;\n\nfn two() {\n    third();\n}",
            Some("use a;\n\nfn two() {\n    third();\n}\n"),
        ),
        // Two that change places.
        ("    second();\n    first();", None),
        // An empty line of the gap holds nothing.
        (
            "    first();\n}\n\nfn two() {",
            Some("use a;\n\nfn one() {\n    first();\n}\n\nfn two() {\n    third();\n}\n"),
        ),
    ];
    for (changed, expected) in cases {
        let placed = place(text, changed).map(|changed| changed.text);
        assert_eq!(placed.as_deref(), expected, "{changed}");
    }
}

#[test]
fn lines_end_as_in_the_text() {
    let text = |text: &str, changed: &str| place(text, changed).map(|changed| changed.text);
    assert_eq!(
        text("one = 1\r\ntwo = 2\r\n", "two = 3").as_deref(),
        Some("one = 1\r\ntwo = 3\r\n")
    );
    assert_eq!(
        text("one = 1\ntwo = 2", "two = 3\n").as_deref(),
        Some("one = 1\ntwo = 3")
    );
    assert_eq!(text("", "two = 3\n"), None);
}

proptest! {
    #[test]
    fn lines_that_stand_change_nothing(
        lines in prop::collection::vec("[a-e]{0,6}( [a-e]{1,4})?", 1..20),
        from in any::<prop::sample::Index>(),
        count in 1..8_usize,
    ) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let from = from.index(lines.len());
        let to = (from + count).min(lines.len());
        let changed = lines[from..to].join("\n");
        if let Some(placed) = place(&text, &changed) {
            prop_assert_eq!(placed.text, text);
        }
    }

    #[test]
    fn no_input_makes_the_alignment_of_changed_lines_panic(text in "\\PC{0,40}(\n[ \ta-c]{0,9}){0,9}", changed in "\\PC{0,20}(\n[ \ta-c.]{0,9}){0,9}") {
        let _ = place(&text, &changed);
    }
}
