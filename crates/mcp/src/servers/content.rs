//! Content of answers: text, and the images in it.
//!
//! In: what a server answered. Out: text, in which a line stands for everything else, and images of the formats that models
//! take. Their bytes say what they are, whatever the server does.
//!
//! ```text
//! {"type": "image", "data": "iVBORw0...", "mimeType": "image/png"}   (image web__shot-1.png, 12 KiB)
//! {"type": "image", "data": "PHN2Zy...", "mimeType": "image/svg"}    (image of 3 KiB, image/svg, not shown)
//! ```

use rmcp::model::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents, Role,
};
use serde_json::Value;
use signoff_providers::image::{Image, MAX_SENT_BYTES};

use crate::foreign_text::line;

/// Images of one answer.
const MOST_IMAGES: usize = 8;

/// What an answer holds.
#[derive(Debug)]
pub(super) struct GivenContent {
    pub(super) text: String,
    pub(super) images: Vec<Image>,
}

/// Collects the images of an answer while it becomes text.
struct ImageSink<'a> {
    /// What their names begin with.
    name: &'a str,
    images: Vec<Image>,
}

impl GivenContent {
    /// Returns what a tool answered.
    pub(super) fn of_tool(result: &CallToolResult, tool: &str) -> Self {
        let mut sink = ImageSink::named(tool);
        let mut parts: Vec<String> = result.content.iter().map(|it| sink.block(it)).collect();
        if let Some(structured) = &result.structured_content {
            let json = structured.to_string();
            // Servers repeat structured content as text for older clients.
            let is_repeated = parts.iter().any(|part| {
                serde_json::from_str::<Value>(part).is_ok_and(|value| value == *structured)
            });
            if !is_repeated {
                parts.push(json);
            }
        }
        if parts.is_empty() {
            parts.push("(nothing)".to_owned());
        }
        sink.with(parts.join("\n"))
    }

    /// Returns what is at an address.
    pub(super) fn of_resource(result: &ReadResourceResult, server: &str) -> Self {
        let mut sink = ImageSink::named(server);
        let parts: Vec<String> = result.contents.iter().map(|it| sink.resource(it)).collect();
        sink.with(parts.join("\n"))
    }

    /// Returns a prompt.
    pub(super) fn of_prompt(result: &GetPromptResult, server: &str) -> Self {
        let mut sink = ImageSink::named(server);
        let messages = result.messages.iter().map(|message| {
            let text = sink.block(&message.content);
            match message.role {
                Role::User => text,
                Role::Assistant => format!("(as the model's answer) {text}"),
            }
        });
        let text = messages.collect::<Vec<_>>().join("\n\n");
        sink.with(text)
    }
}

impl<'a> ImageSink<'a> {
    fn named(name: &'a str) -> Self {
        let images = Vec::new();
        Self { name, images }
    }

    fn with(self, text: String) -> GivenContent {
        let images = self.images;
        GivenContent { text, images }
    }

    fn block(&mut self, block: &ContentBlock) -> String {
        match block {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::Image(image) => self.data("image", &image.mime_type, &image.data),
            ContentBlock::Audio(audio) => left_out("sound", &audio.mime_type, audio.data.len()),
            ContentBlock::Resource(resource) => self.resource(&resource.resource),
            ContentBlock::ResourceLink(link) => {
                format!(
                    "(resource {}: {})",
                    line(&link.uri, 300),
                    line(&link.name, 100)
                )
            }
            _ => "(content of a kind that is not known)".to_owned(),
        }
    }

    fn resource(&mut self, contents: &ResourceContents) -> String {
        match contents {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents {
                blob, mime_type, ..
            } => self.data("data", mime_type.as_deref().unwrap_or("unknown"), blob),
            _ => "(content of a kind that is not known)".to_owned(),
        }
    }

    /// Takes data that is an image. Returns the line that stands for it.
    fn data(&mut self, what: &str, kind: &str, encoded: &str) -> String {
        let number = self.images.len() + 1;
        let held: usize = self.images.iter().map(|image| image.bytes.len()).sum();
        let image = Image::from_base64(format!("{}-{number}", self.name), encoded);
        let fits =
            |image: &Image| number <= MOST_IMAGES && held + image.bytes.len() <= MAX_SENT_BYTES;
        match image.ok().filter(fits) {
            Some(mut image) => {
                image.name = format!("{}.{}", image.name, image.format.extension());
                let told = format!("(image {}, {} KiB)", image.name, image.bytes.len() / 1024);
                self.images.push(image);
                told
            }
            None => left_out(what, kind, encoded.len()),
        }
    }
}

/// Says what is not text; `encoded` is its length in base64.
fn left_out(what: &str, kind: &str, encoded: usize) -> String {
    format!(
        "({what} of {} KiB, {}, not shown)",
        encoded / 4 * 3 / 1024,
        line(kind, 60)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_of_every_kind_is_text_or_named() {
        let result: CallToolResult = serde_json::from_value(serde_json::json!({
            "content": [
                { "type": "text", "text": "{\"a\": 1}" },
                { "type": "image", "data": "AAAA", "mimeType": "image/png\u{1b}" },
                { "type": "resource_link", "uri": "file:///a b", "name": "n" },
                { "type": "resource", "resource": { "uri": "x:y", "text": "inside" } },
                { "type": "resource", "resource": { "uri": "x:y", "blob": "AAAA" } },
            ],
            "structuredContent": { "a": 1 },
        }))
        .unwrap();
        assert_eq!(
            GivenContent::of_tool(&result, "s__t").text,
            "{\"a\": 1}\n(image of 0 KiB, image/png\u{fffd}, not shown)\n(resource file:///a b: n)\ninside\n\
             (data of 0 KiB, unknown, not shown)"
        );
        let structured: CallToolResult =
            serde_json::from_value(serde_json::json!({ "content": [], "structuredContent": [1] }))
                .unwrap();
        assert_eq!(GivenContent::of_tool(&structured, "s__t").text, "[1]");
    }

    #[test]
    fn images_are_told_by_their_bytes_and_bounded() {
        // `GIF89a` and a size of one, as it is in base64.
        let gif = "R0lGODlhAQABAAAAACw=";
        let blob =
            serde_json::json!({ "type": "resource", "resource": { "uri": "x:y", "blob": gif } });
        let given = read(serde_json::json!([
            image(gif, "image/svg\u{1b}"),
            image("PHN2Zz4=", "image/png"),
            image("R0lGODlh!", "image/gif"),
            image("", "image/png"),
            blob,
        ]));
        assert_eq!(
            given.text,
            "(image s__t-1.gif, 0 KiB)\n(image of 0 KiB, image/png, not shown)\n(image of 0 KiB, image/gif, not \
             shown)\n(image of 0 KiB, image/png, not shown)\n(image s__t-2.gif, 0 KiB)"
        );
        let names: Vec<&str> = given.images.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["s__t-1.gif", "s__t-2.gif"]);
        let many: Vec<Value> = (0..20).map(|_| image(gif, "image/gif")).collect();
        let given = read(many.into());
        assert_eq!(given.images.len(), MOST_IMAGES);
        assert_eq!(given.text.matches("not shown").count(), 20 - MOST_IMAGES);
        let long = image(&"A".repeat(6 << 20), "image/png");
        assert!(read(serde_json::json!([long])).images.is_empty());
    }

    fn image(data: &str, kind: &str) -> Value {
        serde_json::json!({ "type": "image", "data": data, "mimeType": kind })
    }

    fn read(content: Value) -> GivenContent {
        let result = serde_json::json!({ "content": content });
        GivenContent::of_tool(&serde_json::from_value(result).unwrap(), "s__t")
    }
}
