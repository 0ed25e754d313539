//! Byte order mark.
//!
//! In: a text that begins with one, and a request that does not show it. Out: a plan for the text
//! behind the mark, moved there: whatever is written to the first line, the mark stays.

use super::outcome::{OrAnswer, overlapping};
use super::{Plan, Presence, delete};
use crate::edit::request::{LineOperation, Request};
use crate::text::{EditSet, Source, Splice};

const MARK: &str = "\u{feff}";

/// Returns the text behind the mark; none if there is no mark, or the request shows it.
pub(super) fn behind(source: &Source, request: &Request) -> Option<Source> {
    let rest = source.bytes().strip_prefix(MARK.as_bytes())?;
    let shown = shown(request);
    (!shown).then(|| Source::new(rest))
}

/// Moves a plan for the text behind the mark to the whole text.
pub(super) fn moved(plan: Plan, source: &Source) -> OrAnswer<Plan> {
    if plan.presence == Presence::Deleted {
        return Ok(delete::splice(source));
    }
    let splices = plan.edits.splices().iter().map(|splice| Splice {
        at: splice.at + MARK.len(),
        ..splice.clone()
    });
    let splices = splices.collect();
    match EditSet::new(splices) {
        Ok(edits) => Ok(Plan { edits, ..plan }),
        Err(overlap) => Err(overlapping(overlap)),
    }
}

fn shown(request: &Request) -> bool {
    match request {
        Request::Section(section) => section
            .edits
            .iter()
            .any(|pair| pair.old.contains(MARK) || pair.new.contains(MARK)),
        Request::Lines(operations) => operations.iter().any(|operation| {
            let (LineOperation::Replace { content, .. } | LineOperation::Insert { content, .. }) =
                operation;
            content.iter().any(|line| line.contains(MARK))
        }),
        Request::Unified(text) | Request::Dmp(text) => text.contains(MARK),
        Request::Whole(whole) => whole.content.contains(MARK),
        Request::Delete | Request::Move { .. } => true,
        Request::Recipe(_) | Request::Ast(_) | Request::Struct(_) | Request::FirstOf(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::edit::plan::testing::run;
    use crate::edit::request::Change;

    fn check(fields: &str, before: &str, after: &str) {
        let change: serde_json::Value =
            serde_json::from_str(&format!(r#"{{"file":"a.rs",{fields}}}"#)).unwrap();
        let request = Change::parse(change).unwrap().request;
        let marked = |text: &str| format!("{}{text}", super::MARK);
        let result = run("a.rs", &marked(before), request);
        assert_eq!(result.unwrap(), marked(after), "{fields}");
    }

    #[test]
    fn the_mark_stays_whatever_becomes_of_the_first_line() {
        let (before, after) = ("use a;\nuse b;\n", "use c;\nuse b;\n");
        check(
            r#""lines":{"operations":[{"op":"replace","startLine":1,"content":["use c;"]}]}"#,
            before,
            after,
        );
        check(
            r#""lines":{"operations":[{"op":"delete","startLine":1}]}"#,
            before,
            "use b;\n",
        );
        check(
            r#""lines":{"operations":[{"op":"insert","afterLine":0,"content":["use c;"]}]}"#,
            before,
            "use c;\nuse a;\nuse b;\n",
        );
        check(
            r#""section":{"edits":[{"old_text":"use a;\n","new_text":"use c;\n"}]}"#,
            before,
            after,
        );
        check(
            r#""diff":{"patch":"@@ -1,2 +1,2 @@\n-use a;\n+use c;\n use b;\n"}"#,
            before,
            after,
        );
        check(
            r#""diff":{"patch":"@@ -0,0 +1 @@\n+use c;\n"}"#,
            before,
            "use c;\nuse a;\nuse b;\n",
        );
        check(
            r#""diff":{"kind":"dmp","patch":"@@ -1,7 +1,7 @@\n use \n-a\n+c\n ;%0A\n"}"#,
            before,
            after,
        );
        check(r#""whole":{"content":"use c;\nuse b;\n"}"#, before, after);
        check(
            r#""struct":{"pattern":"use a;","replacement":"use c;"}"#,
            before,
            after,
        );
        check(
            r#""recipe":{"name":"ensure_import","import":"c"}"#,
            "fn a() {}\n",
            "use c;\n\nfn a() {}\n",
        );
    }

    #[test]
    fn a_mark_that_the_request_shows_is_text_as_any_other() {
        check(
            r#""section":{"edits":[{"old_text":"\ufeffuse a;","new_text":"\ufeffuse c;"}]}"#,
            "use a;\n",
            "use c;\n",
        );
        check(
            r#""whole":{"content":"\ufeffuse c;\n"}"#,
            "use a;\n",
            "use c;\n",
        );
        check(
            r#""diff":{"patch":"@@ -1 +1 @@\n-\ufeffuse a;\n+\ufeffuse c;\n"}"#,
            "use a;\n",
            "use c;\n",
        );
    }
}
