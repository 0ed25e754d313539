//! Bounds on the size of a request's text.

use super::*;

pub(in crate::edit::request) fn check_size(request: &Request) -> Result<(), Invalid> {
    let size: usize = match request {
        Request::Section(section) => section
            .edits
            .iter()
            .map(|pair| pair.old.len() + pair.new.len())
            .sum(),
        Request::Unified(patch) | Request::Dmp(patch) => patch.len(),
        Request::Whole(whole) => whole.content.len(),
        Request::Ast(ast) => ast.query.len() + ast.template.len(),
        Request::Struct(request) => request.pattern.len() + request.replacement.len(),
        Request::FirstOf(requests) => return requests.iter().try_for_each(check_size),
        Request::Lines(operations) => operations.iter().map(added_bytes).sum(),
        Request::Recipe(recipe) => recipe.size(),
        Request::Delete => 0,
        Request::Move { to } => to.len(),
    };
    if size > MAX_REQUEST_BYTES {
        return Err(Invalid(format!(
            "{size} bytes of text; the limit is {MAX_REQUEST_BYTES}"
        )));
    }
    Ok(())
}

fn added_bytes(operation: &LineOperation) -> usize {
    let (LineOperation::Replace { content, .. } | LineOperation::Insert { content, .. }) =
        operation;
    content.iter().map(String::len).sum()
}
