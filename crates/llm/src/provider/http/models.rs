//! The list of models that a server offers.
//!
//! In: the body of `GET /v1/models`. Out: names, only if it is really such a list.

use serde::Deserialize;

/// Returns the names listed in `body`; nothing unless it is `{"data": [{"id": ...}]}`.
pub(super) fn list(body: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Model>,
    }
    #[derive(Deserialize)]
    struct Model {
        id: String,
    }
    let list: List = serde_json::from_str(body).ok()?;
    Some(
        list.data
            .into_iter()
            .map(|model| model.id)
            .filter(|id| !id.is_empty())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_of_models_are_read() {
        let names = |body| list(body).map(|names| names.join(" "));
        assert_eq!(
            names(r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#).unwrap(),
            "a b"
        );
        assert_eq!(names(r#"{"data":[]}"#).unwrap(), "");
        for body in [
            r#"{"models":[{"name":"a"}]}"#,
            r#"{"data":[{"name":"a"}]}"#,
            "[]",
            "<html>",
            "",
        ] {
            assert_eq!(names(body), None, "{body}");
        }
    }
}
