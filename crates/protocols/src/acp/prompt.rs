//! Prompts of editors: blocks of text, links, embedded texts and images.
//!
//! In: the blocks, not trusted. Out: the prompt's text and its images, or why it cannot be sent.
//!
//! ```text
//! "see ", a link to file:///w/src/a.rs      ->  see @src/a.rs
//! an embedded text of file:///w/a.rs        ->  @a.rs:, and the text in a fence
//! an image of file:///w/shot.png            ->  the image shot.png, by its first bytes
//! ```

use std::path::Path;

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource};
use signoff_core::percent;
use signoff_llm::image::Image;
use signoff_llm::mention;
use signoff_tui::transcript::export::fenced;

/// Maximum length of an image's name, in characters: it stands in a line.
const LONGEST_NAME: usize = 200;

/// What a prompt comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PromptContent {
    pub(super) text: String,
    pub(super) images: Vec<Image>,
    /// Whether the user typed all of it.
    pub(super) is_typed: bool,
}

impl PromptContent {
    /// Returns what blocks come to in the workspace at `root`.
    pub(super) fn of(blocks: &[ContentBlock], root: &Path) -> Result<Self, String> {
        let mut content = Self {
            is_typed: blocks
                .iter()
                .all(|block| matches!(block, ContentBlock::Text(_))),
            ..Self::default()
        };
        for block in blocks {
            content.add(block, root)?;
        }
        Ok(content)
    }

    fn add(&mut self, block: &ContentBlock, root: &Path) -> Result<(), String> {
        match block {
            ContentBlock::Text(text) => self.text.push_str(&text.text),
            ContentBlock::ResourceLink(link) => self.text.push_str(&resource_name(&link.uri, root)),
            ContentBlock::Image(image) => self.attach(image.uri.as_deref(), &image.data, root)?,
            ContentBlock::Resource(embedded) => self.embed(&embedded.resource, root)?,
            _ => {
                return Err(
                    "a prompt has text, links, embedded resources and images, nothing else"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }

    /// Adds a text, or the bytes of a file, that the editor sends with a prompt.
    fn embed(&mut self, resource: &EmbeddedResourceResource, root: &Path) -> Result<(), String> {
        match resource {
            EmbeddedResourceResource::TextResourceContents(text) => {
                let name = resource_name(&text.uri, root);
                let text = fenced(&text.text);
                self.text.push_str(&format!("\n{name}:\n{text}\n"));
            }
            EmbeddedResourceResource::BlobResourceContents(blob) => {
                let kind = blob.mime_type.as_deref();
                if kind.is_some_and(|kind| kind.starts_with("image/")) {
                    self.attach(Some(&blob.uri), &blob.blob, root)?;
                } else {
                    self.text.push_str(&resource_name(&blob.uri, root));
                }
            }
            _ => return Err("an embedded resource has a text or bytes".to_owned()),
        }
        Ok(())
    }

    fn attach(&mut self, uri: Option<&str>, data: &str, root: &Path) -> Result<(), String> {
        let named = uri.map(|uri| image_name(uri, root));
        let named = named.filter(|name| !name.is_empty());
        let name = named.unwrap_or_else(|| format!("image {}", self.images.len() + 1));
        let image = Image::from_base64(name, data).map_err(|error| error.to_string())?;
        self.images.push(image);
        Ok(())
    }
}

/// Returns a resource as a prompt names it: a file of the workspace is mentioned, anything else stands by its address.
fn resource_name(uri: &str, root: &Path) -> String {
    let path = file_path(uri);
    let below = path
        .as_deref()
        .and_then(|path| Path::new(path).strip_prefix(root).ok());
    match below.and_then(Path::to_str) {
        Some(below) if !below.is_empty() => mention::of(below),
        _ => uri.to_owned(),
    }
}

/// Returns the name of an image: its path in the workspace, or the last part of its address.
fn image_name(uri: &str, root: &Path) -> String {
    let path = file_path(uri).unwrap_or_else(|| uri.to_owned());
    let path = Path::new(&path);
    let below = path.strip_prefix(root).ok();
    let name = below.or(path.file_name().map(Path::new)).unwrap_or(path);
    name.to_string_lossy().chars().take(LONGEST_NAME).collect()
}

/// Returns the path of a file's address. What is not coded as an address should be is taken as it stands.
fn file_path(uri: &str) -> Option<String> {
    let address = uri.strip_prefix("file://")?;
    Some(percent::decoded(address).unwrap_or_else(|| address.to_owned()))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn content(block: Value) -> Result<PromptContent, String> {
        let block = serde_json::from_value(block).unwrap();
        PromptContent::of(&[block], Path::new("/w"))
    }

    #[test]
    fn links_become_mentions_and_embedded_texts_stand_in_fences() {
        let link = |uri: &str| json!({"type": "resource_link", "uri": uri, "name": "x"});
        let embedded = |text: &str| json!({"type": "resource", "resource": {"uri": "file:///w/a.rs", "text": text}});
        let bytes =
            json!({"type": "resource", "resource": {"uri": "file:///w/a.rs", "blob": "AA=="}});
        for (block, expected) in [
            (link("file:///w/src/a.rs"), "@src/a.rs"),
            (link("file:///w/a%20b.rs"), "`@a b.rs`"),
            (link("file:///w/%ff%2"), "`@%ff%2`"),
            (link("file:///etc/passwd"), "file:///etc/passwd"),
            (link("file:///w"), "file:///w"),
            (link("https://x.org"), "https://x.org"),
            (embedded("x"), "\n@a.rs:\n```\nx\n```\n"),
            (embedded("````"), "\n@a.rs:\n`````\n````\n`````\n"),
            (bytes, "@a.rs"),
        ] {
            assert_eq!(content(block).unwrap().text, expected);
        }
    }

    #[test]
    fn images_are_told_by_their_bytes_and_named_by_their_addresses() {
        let png = STANDARD.encode(b"\x89PNG\r\n\x1a\n");
        let blob = |kind: &str| json!({"type": "resource", "resource": {"uri": "file:///p/b.png", "blob": png, "mimeType": kind}});
        let image = |data: &str, uri: Value| json!({"type": "image", "data": data, "mimeType": "image/gif", "uri": uri});
        for (block, expected) in [
            (image(&png, json!("file:///w/a/b.png")), Ok("a/b.png")),
            (image(&png, json!("file:///p/b.png")), Ok("b.png")),
            (image(&png, json!("https://x.org/c.png?d")), Ok("c.png?d")),
            (image(&png, json!("")), Ok("image 1")),
            (image(&png, Value::Null), Ok("image 1")),
            (blob("image/png"), Ok("b.png")),
            (image("QUJD", Value::Null), Err("not a PNG")),
            (image("-", Value::Null), Err("not sent as base64")),
            (
                json!({"type": "audio", "data": "", "mimeType": "audio/wav"}),
                Err("nothing else"),
            ),
        ] {
            match (content(block), expected) {
                (Ok(content), Ok(name)) => assert_eq!(content.images[0].name, name),
                (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
                (content, _) => panic!("{expected:?}: {content:?}"),
            }
        }
        assert_eq!(content(blob("text/x")).unwrap().text, "file:///p/b.png");
    }

    proptest! {
        #[test]
        fn any_addresses_and_bytes_are_taken_or_refused(
            uri in "(file://)?(/w/)?[ -~]{0,20}|.{0,20}",
            data in "[A-Za-z0-9+/=]{0,20}|.{0,10}",
        ) {
            let image = content(json!({"type": "image", "data": data, "mimeType": "", "uri": uri}));
            if let Ok(content) = image {
                prop_assert!(!content.images[0].name.is_empty());
            }
            let link = content(json!({"type": "resource_link", "name": "x", "uri": uri}));
            prop_assert!(link.is_ok());
        }
    }
}
