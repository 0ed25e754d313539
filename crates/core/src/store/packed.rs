//! Texts of files as they are kept: compressed where that is worth it.
//!
//! In: a text. Out: its bytes and whether they are packed, and the text again.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rusqlite::Row;

use super::StoreError;
use crate::text::Source;

/// Shorter texts are kept as they are, in bytes.
const WORTH_IT: usize = 4096;
/// No text is longer, in bytes; encodings can make one of the workspace's limit longer.
const MOST: usize = 64 * 1024 * 1024;
/// Fast rather than small: a commit waits for it.
const LEVEL: u8 = 1;

/// Returns a text as it is kept: the bytes of its file, and whether they are packed.
pub(super) fn pack(text: &Source) -> (Vec<u8>, bool) {
    let raw = text.encoded().unwrap_or_else(|| text.bytes().to_vec());
    if raw.len() < WORTH_IT {
        return (raw, false);
    }
    let packed = compress_to_vec(&raw, LEVEL);
    match packed.len() < raw.len() {
        true => (packed, true),
        false => (raw, false),
    }
}

/// Reads a text that may be absent from two columns.
pub(super) fn unpack(
    row: &Row<'_>,
    (text, packed): (usize, usize),
) -> Result<Option<Source>, StoreError> {
    let kept: Option<Vec<u8>> = row.get(text)?;
    let Some(kept) = kept else { return Ok(None) };
    if !row.get::<_, bool>(packed)? {
        return Ok(Some(Source::decode(kept)));
    }
    let raw = decompress_to_vec_with_limit(&kept, MOST);
    let raw = raw.map_err(|error| StoreError::Damaged(format!("a packed text: {error}")))?;
    Ok(Some(Source::decode(raw)))
}
