//! Images for tests, of this crate and of those above it, which include this file.

use crate::image::{Image, PromptImage};

/// Returns an image whose file begins as a PNG does; `fill` tells one from another.
pub(crate) fn png(name: &str, size: usize, fill: u8) -> Image {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.resize(size.max(bytes.len()), fill);
    Image::new(name.to_owned(), bytes).expect("it begins as a PNG")
}

/// Returns the same as an image of a prompt.
pub(crate) fn prompt_png(name: &str, size: usize, fill: u8) -> PromptImage {
    png(name, size, fill).into()
}
