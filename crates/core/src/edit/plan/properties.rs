//! What holds for every request: bytes outside the splices stay, line endings stay, a request
//! made once is not made again, and noise gives the clean result or none.

use std::path::Path;

use proptest::prelude::*;

use super::{Outcome, plan};
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::{Change, MatchScope, Pair, Request, SectionRequest};
use crate::text::Source;

/// A text of lines that all differ, some of them indented, and one change of it in context.
#[derive(Clone, Debug)]
struct Case {
    before: Vec<String>,
    /// First line of the request, lines of context before, changed lines, lines of context after.
    at: usize,
    lead: usize,
    gone: usize,
    tail: usize,
    come: Vec<String>,
}

fn line(number: usize, depth: usize) -> String {
    format!(
        "{}call_{number}(\"it's {number}\", {number});",
        "    ".repeat(depth)
    )
}

prop_compose! {
    fn case()(depths in prop::collection::vec(0_usize..4, 10..40), seed in any::<prop::sample::Index>(),
              lead in 1_usize..4, gone in 0_usize..3, tail in 1_usize..4, come in prop::collection::vec(0_usize..2, 0..3)) -> Case {
        // Code goes in one step at a time, and out by any.
        let mut last = 0;
        let depths: Vec<usize> = depths.iter().map(|depth| { last = (*depth).min(last + 1); last }).collect();
        let before: Vec<String> = depths.iter().enumerate().map(|(number, depth)| line(number, *depth)).collect();
        let at = seed.index(before.len() - lead - gone - tail);
        let base = depths.get(at + lead).copied().unwrap_or_default();
        let come = come.iter().enumerate().map(|(number, depth)| line(1000 + number, base + depth)).collect();
        Case { before, at, lead, gone, tail, come }
    }
}

impl Case {
    fn old(&self) -> Vec<String> {
        self.before[self.at..self.at + self.lead + self.gone + self.tail].to_vec()
    }

    fn new_lines(&self) -> Vec<String> {
        let old = self.old();
        let (head, tail) = (&old[..self.lead], &old[self.lead + self.gone..]);
        [head, &self.come, tail].concat()
    }

    fn after(&self) -> String {
        let mut lines = self.before.clone();
        lines.splice(
            self.at + self.lead..self.at + self.lead + self.gone,
            self.come.clone(),
        );
        text(&lines)
    }

    fn rows(&self) -> Vec<(char, String)> {
        let old = self.old();
        let mark = |mark: char| move |line: &String| (mark, line.clone());
        let mut rows: Vec<(char, String)> = old[..self.lead].iter().map(mark(' ')).collect();
        rows.extend(old[self.lead..self.lead + self.gone].iter().map(mark('-')));
        rows.extend(self.come.iter().map(mark('+')));
        rows.extend(old[self.lead + self.gone..].iter().map(mark(' ')));
        rows
    }

    fn is_change(&self) -> bool {
        self.gone > 0 || !self.come.is_empty()
    }

    /// Returns whether noise of this kind shows in what is looked for; where it only is in what
    /// comes new, nothing tells that it is noise.
    fn shows(&self, kind: usize) -> bool {
        kind == 0
            || self
                .old()
                .iter()
                .enumerate()
                .any(|(index, line)| noise(kind, index, line) != *line)
    }

    /// The change as a section and as a patch, with every line put through `noise`.
    fn requests(&self, noise: &dyn Fn(usize, &str) -> String) -> [Request; 2] {
        let noisy = |lines: &[String]| {
            text(
                &lines
                    .iter()
                    .enumerate()
                    .map(|(index, line)| noise(index, line))
                    .collect::<Vec<_>>(),
            )
        };
        let pair = Pair {
            old: noisy(&self.old()),
            new: noisy(&self.new_lines()),
            scope: MatchScope::Single,
        };
        let rows = self
            .rows()
            .into_iter()
            .enumerate()
            .map(|(index, (mark, line))| format!("{mark}{}\n", noise(index, &line)));
        let patch = format!(
            "@@ -{} +{} @@\n{}",
            self.at + 1,
            self.at + 1,
            rows.collect::<String>()
        );
        [
            Request::Section(SectionRequest { edits: vec![pair] }),
            Request::Unified(patch),
        ]
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn noise(kind: usize, index: usize, line: &str) -> String {
    match kind {
        0 => line.to_owned(),
        1 => format!("{line}{}", " ".repeat(1 + index % 3)),
        2 => format!("  {line}"),
        3 => line.replace("    ", "\t"),
        4 => line.replace("    ", "  "),
        5 => line.replace('"', "\u{201d}").replace('\'', "\u{2019}"),
        6 => format!("{:>5}\t{line}", index + 7),
        7 => format!("{}| {line}", index + 7),
        8 => line.replace('"', "\\\""),
        _ => format!("{line}\u{a0}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn noise_gives_the_clean_result_or_none(case in case(), kind in 0_usize..10) {
        prop_assume!(case.is_change() && case.shows(kind));
        for request in case.requests(&|index, line| noise(kind, index, line)) {
            if let Ok(after) = run("a.txt", &text(&case.before), request.clone()) {
                prop_assert_eq!(&after, &case.after(), "{} {:?}", kind, request);
                let again = run("a.txt", &after, request);
                prop_assert_ne!(word(&again), "applied");
            } else {
                // These texts leave no room for doubt, so that only indentation that the
                // request does not have the like of may be too much.
                prop_assert!((2..=4).contains(&kind), "{kind} {request:?}");
            }
        }
    }

    #[test]
    fn every_line_keeps_its_ending(case in case(), kind in 0_usize..10, endings in prop::collection::vec(any::<bool>(), 40), open in any::<bool>()) {
        prop_assume!(case.is_change() && case.shows(kind));
        let mut before = String::new();
        for (index, line) in case.before.iter().enumerate() {
            let end = if endings[index % endings.len()] { "\r\n" } else { "\n" };
            before.push_str(line);
            before.push_str(if open && index + 1 == case.before.len() { "" } else { end });
        }
        for request in case.requests(&|index, line| noise(kind, index, line)) {
            let source = Source::new(before.clone());
            let path = WorkspacePath::parse("a.txt", Path::new("/w")).unwrap();
            let change = Change { file: String::new(), description: None, operation: None, request, expected: None };
            let Outcome::Planned(plan) = plan(&path, Some(&source), &change) else { continue };
            let after = String::from_utf8(plan.edits.apply(source.bytes()).unwrap()).unwrap();
            let plain = after.replace("\r\n", "\n");
            let expected = case.after();
            prop_assert_eq!(plain.trim_end(), expected.trim_end());
            let head: usize = before.split_inclusive('\n').take(case.at + case.lead).map(str::len).sum();
            let tail: usize = before.split_inclusive('\n').skip(case.at + case.lead + case.gone).map(str::len).sum();
            prop_assert_eq!(after.get(..head), before.get(..head));
            prop_assert_eq!(&after[after.len() - tail..], &before[before.len() - tail..]);
        }
    }

    #[test]
    fn no_request_is_too_odd(old in "[ a\\n\\\\.\t-]{0,30}", new in "[ a\\n\\\\.\t+]{0,30}", before in "[ a\\n\r\\\\.\t]{0,60}", patch in "[-+ a@\\n\\\\*%0-9,.]{0,80}") {
        let pair = Pair { old, new, scope: MatchScope::Single };
        let all = Pair { scope: MatchScope::All, ..pair.clone() };
        for request in [
            Request::Section(SectionRequest { edits: vec![pair] }),
            Request::Section(SectionRequest { edits: vec![all] }),
            Request::Unified(patch.clone()),
            Request::Unified(format!("*** Begin Patch\n*** Update File: a.txt\n{patch}")),
            Request::Dmp(format!("@@ -1,2 +1,2 @@\n{patch}")),
        ] {
            let _ = run("a.txt", &before, request);
        }
    }
}
