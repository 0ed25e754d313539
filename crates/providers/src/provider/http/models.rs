//! Model lists of servers.
//!
//! In: the body of `GET /v1/models`, or what Ollama shows of one model. Out: names, and whatever
//! else is told; nothing unless it is really such a body.

use serde::Deserialize;
use serde_json::Value;

use crate::provider::Protocol;
use crate::provider::catalogue::Model;

/// Returns the models listed in `body`; nothing unless it is such a list as the protocol has:
/// `{"data": [{"id": ...}]}`, or `{"models": [{"name": ...}]}`.
pub(super) fn list(body: &str, protocol: Protocol) -> Option<Vec<Model>> {
    let models = match protocol {
        Protocol::Gemini | Protocol::Ollama => named(body)?,
        Protocol::Openai | Protocol::Responses | Protocol::Anthropic => identified(body)?,
    };
    Some(
        models
            .into_iter()
            .filter(|model| !model.name.is_empty())
            .collect(),
    )
}

/// Returns what Ollama shows of a model. Of how many tokens it reads, what its own file asks for
/// counts first; else the most that it could read.
pub(super) fn shown(name: &str, body: &str) -> Option<Model> {
    let told: Value = serde_json::from_str(body).ok()?;
    let info = told.get("model_info").and_then(Value::as_object)?;
    let count = |suffix: &str| {
        let (_, value) = info.iter().find(|(key, _)| key.ends_with(suffix))?;
        value.as_u64().filter(|count| *count > 0)
    };
    let asked = told.get("parameters").and_then(Value::as_str);
    let abilities = told.get("capabilities").and_then(Value::as_array);
    Some(Model {
        name: name.to_owned(),
        context: asked
            .and_then(window)
            .or_else(|| Some(count(".context_length")?.min(Protocol::OLLAMA_CONTEXT))),
        billions: count("general.parameter_count").map(in_billions),
        tools: abilities.map(|list| list.iter().any(|one| one == "tools")),
        images: abilities.map(|list| list.iter().any(|one| one == "vision")),
        ..Model::default()
    })
}

/// Returns how many tokens a model's own file wants to be read.
fn window(parameters: &str) -> Option<u64> {
    parameters
        .lines()
        .find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok())
        .filter(|tokens| *tokens > 0)
}

fn in_billions(count: u64) -> f64 {
    // Exact enough for the size of a model.
    count as f64 / 1e9
}

/// Returns the models of a list as OpenAI has it; some servers say more of each.
fn identified(body: &str) -> Option<Vec<Model>> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Listed>,
        /// The same models once more, with what they can do, as llama.cpp lists them.
        #[serde(default)]
        models: Value,
    }
    #[derive(Deserialize)]
    struct Listed {
        id: String,
        /// As OpenRouter says what a model takes.
        #[serde(default)]
        architecture: Value,
        /// As vLLM says it.
        #[serde(default)]
        max_model_len: Value,
        /// As llama.cpp says it.
        #[serde(default)]
        meta: Value,
    }
    let List { data, models } = serde_json::from_str(body).ok()?;
    Some(
        data.into_iter()
            .map(|listed| {
                let told = listed.max_model_len.as_u64();
                let told = told.or_else(|| listed.meta.get("n_ctx")?.as_u64());
                let size = listed.meta.get("n_params").and_then(Value::as_u64);
                let input = listed.architecture.get("input_modalities");
                let input = input.and_then(Value::as_array);
                let takes_images = input.map(|kinds| kinds.iter().any(|kind| kind == "image"));
                Model {
                    images: takes_images.or_else(|| is_multimodal(&models, &listed.id)),
                    name: listed.id,
                    context: told.filter(|tokens| *tokens > 0),
                    billions: size.filter(|count| *count > 0).map(in_billions),
                    ..Model::default()
                }
            })
            .collect(),
    )
}

/// Returns whether a model of llama.cpp takes more than text.
fn is_multimodal(models: &Value, id: &str) -> Option<bool> {
    let is_it =
        |model: &&Value| model.get("model").or_else(|| model.get("name")) == Some(&id.into());
    let model = models.as_array()?.iter().find(is_it)?;
    let abilities = model.get("capabilities")?.as_array()?;
    Some(abilities.iter().any(|one| one == "multimodal"))
}

/// Returns the models that can talk; Gemini says which, and calls each `models/...`.
fn named(body: &str) -> Option<Vec<Model>> {
    #[derive(Deserialize)]
    struct List {
        models: Vec<Listed>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Listed {
        name: String,
        supported_generation_methods: Option<Vec<String>>,
    }
    let list: List = serde_json::from_str(body).ok()?;
    Some(
        list.models
            .into_iter()
            .filter(|model| {
                let methods = model.supported_generation_methods.as_ref();
                methods.is_none_or(|list| list.iter().any(|method| method == "generateContent"))
            })
            .map(|listed| Model {
                name: match listed.name.strip_prefix("models/") {
                    Some(name) => name.to_owned(),
                    None => listed.name,
                },
                ..Model::default()
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(body: &str, protocol: Protocol) -> Option<String> {
        let models = list(body, protocol)?;
        let names: Vec<String> = models.into_iter().map(|model| model.name).collect();
        Some(names.join(" "))
    }

    #[test]
    fn only_lists_of_models_are_read() {
        let names = |body| names(body, Protocol::Openai);
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
        assert_eq!(names(gemini, Protocol::Gemini).unwrap(), "gemini-3-pro");
        let tags = r#"{"models":[{"name":"qwen3:8b","size":5}]}"#;
        assert_eq!(names(tags, Protocol::Ollama).unwrap(), "qwen3:8b");
        assert_eq!(names(r#"{"data":[{"id":"a"}]}"#, Protocol::Ollama), None);
    }

    #[test]
    fn some_servers_say_more() {
        // As llama.cpp's server answers, shortened.
        let llama = r#"{"data":[{"id":"SmolLM2-135M","owned_by":"llamacpp","meta":
            {"n_ctx":8192,"n_ctx_train":8192,"n_params":134515008,"ftype":"Q4_1"}}]}"#;
        assert_eq!(first_size(llama), (Some(8192), Some(0.134_515_008)));
        assert_eq!(takes_images(llama), None);
        let seeing = r#"{"models":[{"name":"gemma","model":"gemma","capabilities":["completion","multimodal"]}],
            "data":[{"id":"gemma","meta":null}]}"#;
        assert_eq!(takes_images(seeing), Some(true));
        assert_eq!(
            takes_images(&seeing.replace("multimodal", "other")),
            Some(false)
        );
        let open_router =
            r#"{"data":[{"id":"v/m","architecture":{"input_modalities":["text","image"]}}]}"#;
        assert_eq!(takes_images(open_router), Some(true));
        assert_eq!(
            takes_images(&open_router.replace(",\"image\"", "")),
            Some(false)
        );
        let vllm = r#"{"data":[{"id":"q","max_model_len":32768,"meta":null}]}"#;
        assert_eq!(first_size(vllm), (Some(32768), None));
        let odd = r#"{"data":[{"id":"q","max_model_len":"big","meta":7}]}"#;
        assert_eq!(first_size(odd), (None, None));
    }

    fn first_size(body: &str) -> (Option<u64>, Option<f64>) {
        let model = list(body, Protocol::Openai).unwrap().remove(0);
        (model.context, model.billions)
    }

    fn takes_images(body: &str) -> Option<bool> {
        list(body, Protocol::Openai).unwrap().remove(0).images
    }

    #[test]
    fn what_ollama_shows_of_a_model() {
        assert_eq!(
            told_of("", 8192, r#"["completion","vision"]"#).2,
            Some(false)
        );
        let size = Some(3.212_749_888);
        let both = r#"["completion","tools"]"#;
        assert_eq!(told_of("", 131_072, both), (Some(16_384), size, Some(true)));
        assert_eq!(
            told_of("stop \"x\"\nnum_ctx 40000\n", 131_072, "[]"),
            (Some(40_000), size, Some(false))
        );
        assert_eq!(told_of("", 8192, "null"), (Some(8192), size, None));
        for body in ["", "{}", r#"{"error":"model 'x' not found"}"#] {
            assert_eq!(shown("x", body), None, "{body}");
        }
    }

    fn told_of(
        parameters: &str,
        length: u64,
        abilities: &str,
    ) -> (Option<u64>, Option<f64>, Option<bool>) {
        let body = format!(
            r#"{{"parameters":{parameters:?},"capabilities":{abilities},"model_info":
                    {{"general.architecture":"llama","general.parameter_count":3212749888,
                    "llama.context_length":{length},"llama.rope.freq_base":500000}}}}"#
        );
        let model = shown("llama3.2", &body).unwrap();
        assert_eq!(
            model.images,
            model.tools.map(|_| abilities.contains("vision"))
        );
        (model.context, model.billions, model.tools)
    }
}
