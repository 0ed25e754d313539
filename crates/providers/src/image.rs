//! Images of prompts and of answers of tools: their formats and limits, and how they are recorded.
//!
//! In: the bytes of a file that the user named, or that a tool answers with. Out: an [`Image`] for a request, and a [`PromptImage`] for the
//! transcript, which is recorded without the bytes: they are in a file of their own beside the record.
//!
//! Images are not decoded. A format is recognised by the first bytes of the file, as a name may lie.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize, Serializer};
use signoff_source::quote;

/// Maximum size of an image, in bytes. Anthropic takes 5 MiB an image, counted in base64 (the API's error says "image
/// exceeds 5 MB maximum: ... bytes > 5242880 bytes" of `source.base64`), which is 3.75 MiB of the file. The limits of the
/// other services are larger: 7 MB with Gemini, 50 MB a request with OpenAI.
pub const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;

/// Maximum number of images in a prompt, and in a request. Anthropic takes 100 a request, but with more than 20 none may
/// have more than 2000 pixels a side (<https://platform.claude.com/docs/en/build-with-claude/vision>).
pub const MAX_IMAGES: usize = 20;

/// Maximum size of all images of a request, in bytes. In base64 it is 16 MiB: Gemini takes 20 MB a request with all
/// that is in it, Anthropic 32 MB.
pub const MAX_SENT_BYTES: usize = 12 * 1024 * 1024;

/// A format that the services take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// Graphics Interchange Format; of a moving one the services read the first picture.
    Gif,
    /// WebP.
    Webp,
}

impl ImageFormat {
    /// How many bytes of a file tell its format.
    pub const HEAD: usize = 12;

    /// Returns the format of a file that begins with these bytes; none if it is none of these.
    pub fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if head.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else {
            (head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP")).then_some(Self::Webp)
        }
    }

    /// Returns whether a name has an extension of an image of these formats.
    pub fn is_named(path: &str) -> bool {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        let known = ["png", "jpg", "jpeg", "gif", "webp"];
        extension.is_some_and(|own| known.iter().any(|one| own.eq_ignore_ascii_case(one)))
    }

    /// Returns the media type, as `image/png`.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    /// Returns the extension of a file of this format.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

/// The bytes of an image file; clones share them.
#[derive(Clone, PartialEq, Eq)]
pub struct ImageBytes(Arc<[u8]>);

impl ImageBytes {
    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bytes as they are in the file.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for ImageBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl Serialize for ImageBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.as_slice()))
    }
}

impl fmt::Debug for ImageBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// An image of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// The file as the user named it.
    pub name: String,
    /// What it is.
    pub format: ImageFormat,
    /// The file's bytes.
    pub bytes: ImageBytes,
}

/// Why a file is not taken for an image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The file begins as none of the formats does.
    #[error("{} is not a PNG, JPEG, GIF or WebP image; name a file that is one", quote::name(.name))]
    Format {
        /// The file as the user named it.
        name: String,
    },
    /// What should be base64 is none.
    #[error("{} was not sent as base64; attach the image again", quote::name(.name))]
    Encoding {
        /// The image as it was named.
        name: String,
    },
    /// More bytes than [`MAX_IMAGE_BYTES`].
    #[error(
        "{} is too large: an image may have {}; make it smaller and attach it again",
        quote::name(.name),
        size_in_words(MAX_IMAGE_BYTES)
    )]
    TooLarge {
        /// The file as the user named it.
        name: String,
    },
}

impl Image {
    /// Returns a file as an image.
    ///
    /// # Errors
    ///
    /// Fails if its bytes are none of the formats, or too many.
    pub fn new(name: String, bytes: Vec<u8>) -> Result<Self, ImageError> {
        let Some(format) = ImageFormat::of(&bytes) else {
            return Err(ImageError::Format { name });
        };
        if bytes.len() > MAX_IMAGE_BYTES {
            return Err(ImageError::TooLarge { name });
        }
        Ok(Self {
            name,
            format,
            bytes: bytes.into(),
        })
    }

    /// Returns an image that came in base64.
    ///
    /// # Errors
    ///
    /// Fails if that is none, or as [`Self::new`].
    pub fn from_base64(name: String, data: &str) -> Result<Self, ImageError> {
        // Four characters are three bytes; what is longer is not decoded.
        if data.len() / 4 * 3 > MAX_IMAGE_BYTES + 3 {
            return Err(ImageError::TooLarge { name });
        }
        match STANDARD.decode(data) {
            Ok(bytes) => Self::new(name, bytes),
            Err(_) => Err(ImageError::Encoding { name }),
        }
    }

    /// Returns the bytes in base64.
    pub fn base64(&self) -> String {
        STANDARD.encode(self.bytes.as_slice())
    }

    /// Returns it as a URL that holds the bytes.
    pub fn data_url(&self) -> String {
        let media_type = self.format.media_type();
        format!("data:{media_type};base64,{}", self.base64())
    }
}

/// The images that a prompt names, as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedImages {
    /// Those that can be sent, in the order in which they are named.
    pub images: Vec<Image>,
    /// Of each of the others why it cannot, with what to do.
    pub refused: Vec<String>,
    /// Those in resources of servers that it names: sent where the model is known to take images.
    pub of_servers: Vec<Image>,
}

/// An image of a prompt in a conversation. It is recorded without its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptImage {
    /// The file as the user named it.
    pub name: String,
    /// What it is.
    pub format: ImageFormat,
    /// Size of the file, in bytes.
    pub size: usize,
    /// Hash of the bytes, in hexadecimal digits: the name of the file that keeps them.
    pub digest: String,
    /// Where the bytes are.
    pub content: ImageContent,
}

/// Where the bytes of a recorded image are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RecordedContent", into = "RecordedContent")]
pub enum ImageContent {
    /// Here; on record, in a file beside it.
    Held(ImageBytes),
    /// The file beside the record cannot be read, or is another.
    Missing,
    /// The conversation was made shorter without it.
    LeftOut,
}

/// [`ImageContent`] as it is in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedContent {
    Beside,
    LeftOut,
}

impl From<RecordedContent> for ImageContent {
    fn from(recorded: RecordedContent) -> Self {
        match recorded {
            // Until the file was read.
            RecordedContent::Beside => Self::Missing,
            RecordedContent::LeftOut => Self::LeftOut,
        }
    }
}

impl From<ImageContent> for RecordedContent {
    fn from(content: ImageContent) -> Self {
        match content {
            ImageContent::Held(_) | ImageContent::Missing => Self::Beside,
            ImageContent::LeftOut => Self::LeftOut,
        }
    }
}

impl From<Image> for PromptImage {
    fn from(image: Image) -> Self {
        Self {
            digest: digest(image.bytes.as_slice()),
            name: image.name,
            format: image.format,
            size: image.bytes.len(),
            content: ImageContent::Held(image.bytes),
        }
    }
}

impl PromptImage {
    /// Returns it as an image of a request, if its bytes are there.
    pub fn held(&self) -> Option<Image> {
        match &self.content {
            ImageContent::Held(bytes) => Some(Image {
                name: self.name.clone(),
                format: self.format,
                bytes: bytes.clone(),
            }),
            ImageContent::Missing | ImageContent::LeftOut => None,
        }
    }

    /// Returns the line that stands for it in a request without it.
    pub fn note(&self) -> String {
        let why = match self.content {
            ImageContent::Held(_) | ImageContent::LeftOut => "it is left out to save room",
            ImageContent::Missing => "its copy in the record of the conversation cannot be read",
        };
        format!("(image {} was here: {why})", quote::name(&self.name))
    }
}

/// Returns the hash of an image's bytes in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns the line that stands for an image in a request to a model that does not take `kind`: images, or those of a format.
pub fn unseen_note(image: &Image, kind: &str) -> String {
    let name = quote::name(&image.name);
    format!("(image {name} was attached here: this model takes no {kind})")
}

/// Returns a size in a unit that keeps it short: `999 bytes`, `120 kB`, `3.9 MB`.
pub fn size_in_words(bytes: usize) -> String {
    match bytes {
        0..1_000 => signoff_source::plural::counted(bytes, "byte"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000).min(999)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_by_the_first_bytes_alone() {
        for (head, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", Some("image/jpeg")),
            (b"\xff\xd8\xff\xe1\x12\x34Exif", Some("image/jpeg")),
            (b"GIF87a\x01\0\x01\0", Some("image/gif")),
            (b"GIF89a\x01\0\x01\0", Some("image/gif")),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\x24\0\0\0WAVEfmt ", None),
            (b"RIFF\x24\0\0\0WEB", None),
            (b"\x89PNG\n\x1a\n", None),
            (b"GIF88a", None),
            (b"\xff\xd8", None),
            (b"<svg xmlns=", None),
            (b"BM\x36\0", None),
            (b"-----BEGIN OPENSSH", None),
            (b"", None),
        ] {
            let found = ImageFormat::of(head).map(ImageFormat::media_type);
            assert_eq!(found, expected, "{head:?}");
        }
    }

    #[test]
    fn an_image_has_a_known_format_and_a_bounded_size() {
        let new = |bytes: Vec<u8>| Image::new("a b.png".to_owned(), bytes);
        let mut bytes = b"GIF89a".to_vec();
        bytes.resize(MAX_IMAGE_BYTES, 0);
        let image = new(bytes.clone()).unwrap();
        assert_eq!(image.format, ImageFormat::Gif, "whatever its name says");
        assert!(image.base64().len() <= 5 * 1024 * 1024);
        bytes.push(0);
        let error = new(bytes).unwrap_err().to_string();
        assert!(
            error.contains("too large") && error.contains("3.9 MB"),
            "{error}"
        );
        let error = new(b"text".to_vec()).unwrap_err().to_string();
        assert!(error.starts_with("\"a b.png\" is not a PNG"), "{error}");
        assert_eq!(format!("{:?}", image.bytes), "3932160 bytes");
    }

    #[test]
    fn base64_is_decoded_up_to_the_size_of_an_image() {
        let png = STANDARD.encode(b"\x89PNG\r\n\x1a\n");
        assert_eq!(
            read_base64(&png).map(|image| image.format),
            Ok(ImageFormat::Png)
        );
        let mut bytes = b"GIF89a".to_vec();
        for (size, is_taken) in [(MAX_IMAGE_BYTES, true), (MAX_IMAGE_BYTES + 1, false)] {
            bytes.resize(size, 0);
            assert_eq!(
                read_base64(&STANDARD.encode(&bytes)).is_ok(),
                is_taken,
                "{size}"
            );
        }
        for (data, why) in [
            ("%", "not sent as base64"),
            ("QUJD", "is not a PNG"),
            ("", "is not a PNG"),
            (&"%".repeat(MAX_IMAGE_BYTES * 2), "too large"),
        ] {
            let error = read_base64(data).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    fn read_base64(data: &str) -> Result<Image, ImageError> {
        Image::from_base64("x".to_owned(), data)
    }

    #[test]
    fn a_recorded_image_has_no_bytes() {
        let image = testing::prompt_png("shot.png", 2000, 7);
        let recorded = serde_json::to_string(&image).unwrap();
        assert!(recorded.len() < 250, "{recorded}");
        let read: PromptImage = serde_json::from_str(&recorded).unwrap();
        assert_eq!(read.content, ImageContent::Missing);
        assert_eq!((read.size, &read.digest), (2000, &image.digest));
        assert!(read.held().is_none() && read.note().contains("cannot be read"));
        let left_out = PromptImage {
            content: ImageContent::LeftOut,
            ..image
        };
        let recorded = serde_json::to_string(&left_out).unwrap();
        assert_eq!(
            serde_json::from_str::<PromptImage>(&recorded).unwrap(),
            left_out
        );
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, expected) in [
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1 kB"),
            (119_001, "120 kB"),
            (999_999, "999 kB"),
            (1_000_000, "1.0 MB"),
            (3_932_160, "3.9 MB"),
        ] {
            assert_eq!(size_in_words(bytes), expected);
        }
    }
}
