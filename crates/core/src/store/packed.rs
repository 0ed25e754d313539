//! Texts of files as they are kept: compressed where that is worth it.
//!
//! In: a text. Out: its bytes and how they are packed, and the text again.

use std::ops::Range;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rusqlite::Row;

use super::{StoreError, sparse};
use crate::text::Source;

/// Shorter texts are kept as they are, in bytes.
const WORTH_IT: usize = 4096;
/// No text is longer, in bytes; encodings can make one of the workspace's limit longer.
const MOST: usize = 64 * 1024 * 1024;
/// Fast rather than small: a commit waits for it.
const LEVEL: u8 = 1;

/// How a text is kept, as the store has it.
const PLAIN: i64 = 0;
const PACKED: i64 = 1;
const THINNED_EARLIER: i64 = 2;
const THINNED: i64 = 3;

/// Returns a text as it is kept: the bytes of its file, and how they are packed.
pub(super) fn pack(text: &Source) -> (Vec<u8>, i64) {
    let raw = text.encoded().unwrap_or_else(|| text.bytes().to_vec());
    if raw.len() < WORTH_IT {
        return (raw, PLAIN);
    }
    let packed = compress_to_vec(&raw, LEVEL);
    match packed.len() < raw.len() {
        true => (packed, PACKED),
        false => (raw, PLAIN),
    }
}

/// Returns a text as it is kept where only `touched` matters, places in order; see [`sparse`].
pub(super) fn pack_near(text: &Source, touched: &[Range<usize>]) -> (Vec<u8>, i64) {
    if text.bytes().len() < WORTH_IT {
        return pack(text);
    }
    (
        compress_to_vec(&sparse::thin(text.bytes(), touched), LEVEL),
        THINNED,
    )
}

/// Reads a text that may be absent from two columns; `now` is the file as it is, for a text of
/// which only a part is kept.
pub(super) fn unpack(
    row: &Row<'_>,
    (text, packed): (usize, usize),
    now: &[u8],
) -> Result<Option<Source>, StoreError> {
    let kept: Option<Vec<u8>> = row.get(text)?;
    let Some(kept) = kept else { return Ok(None) };
    let how: i64 = row.get(packed)?;
    if how == PLAIN {
        return Ok(Some(Source::decode(kept)));
    }
    let raw = decompress_to_vec_with_limit(&kept, MOST);
    let raw = raw.map_err(|error| StoreError::Damaged(format!("a packed text: {error}")))?;
    Ok(Some(match how {
        THINNED => Source::new(sparse::fill(&raw, sparse::FORM, now)?),
        THINNED_EARLIER => Source::new(sparse::fill(&raw, sparse::EARLIER, now)?),
        _ => Source::decode(raw),
    }))
}
