//! The list of models that a server offers.
//!
//! In: the body of `GET /v1/models`. Out: names, only if it is really such a list.

use serde::Deserialize;

use crate::provider::Protocol;

/// Returns the names listed in `body`; nothing unless it is such a list as the protocol has:
/// `{"data": [{"id": ...}]}`, or `{"models": [{"name": ...}]}`.
pub(super) fn list(body: &str, protocol: Protocol) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Model>,
    }
    #[derive(Deserialize)]
    struct Model {
        id: String,
    }
    let names: Vec<String> = match protocol {
        Protocol::Gemini | Protocol::Ollama => named(body)?,
        Protocol::Openai | Protocol::Responses | Protocol::Anthropic => {
            let list: List = serde_json::from_str(body).ok()?;
            list.data.into_iter().map(|model| model.id).collect()
        }
    };
    Some(names.into_iter().filter(|name| !name.is_empty()).collect())
}

/// Returns the models that can talk; Gemini says which, and calls each `models/...`.
fn named(body: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        models: Vec<Model>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Model {
        name: String,
        supported_generation_methods: Option<Vec<String>>,
    }
    let list: List = serde_json::from_str(body).ok()?;
    let talks = |model: &Model| {
        let methods = model.supported_generation_methods.as_ref();
        methods.is_none_or(|list| list.iter().any(|method| method == "generateContent"))
    };
    let name = |model: Model| match model.name.strip_prefix("models/") {
        Some(name) => name.to_owned(),
        None => model.name,
    };
    Some(list.models.into_iter().filter(talks).map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_of_models_are_read() {
        let names = |body| list(body, Protocol::Openai).map(|names| names.join(" "));
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

    #[test]
    fn lists_of_the_other_protocols() {
        let gemini = r#"{"models":[
            {"name":"models/gemini-3-pro","supportedGenerationMethods":["generateContent","countTokens"]},
            {"name":"models/embedding-1","supportedGenerationMethods":["embedContent"]}]}"#;
        assert_eq!(list(gemini, Protocol::Gemini).unwrap(), ["gemini-3-pro"]);
        let tags = r#"{"models":[{"name":"qwen3:8b","size":5}]}"#;
        assert_eq!(list(tags, Protocol::Ollama).unwrap(), ["qwen3:8b"]);
        assert_eq!(list(r#"{"data":[{"id":"a"}]}"#, Protocol::Ollama), None);
    }
}
