//! File texts as the store keeps them: encoded as on disk, deflated; hunks that were shown, as JSON, deflated.
//!
//! In: a text. Out: its compressed bytes, and the text again. The target of a symbolic link is kept as it is
//! behind a mark.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::StoreError;
use crate::stage::review::DiffHunk;
use crate::text::Source;

/// Upper bound of a decompressed text, in bytes, against damaged rows. A file of the workspace's
/// size limit can grow to this in UTF-16.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// The fastest level: a commit waits for it.
const LEVEL: u8 = 1;
/// The mark of a symbolic link. No deflated text begins so: its first block would be of the kind that RFC
/// 1951 reserves.
const LINK: u8 = 0b111;

/// Compresses a text in the encoding of its file.
pub(super) fn compress(text: &Source) -> Vec<u8> {
    if text.is_link() {
        return [&[LINK], text.bytes()].concat();
    }
    match text.encoded() {
        Some(encoded) => compress_to_vec(&encoded, LEVEL),
        None => compress_to_vec(text.bytes(), LEVEL),
    }
}

/// Reads what [`compress`] returned.
pub(super) fn decompress(bytes: &[u8]) -> Result<Source, StoreError> {
    if let Some((&LINK, target)) = bytes.split_first() {
        return Ok(Source::link(target));
    }
    Ok(Source::decode(inflate(bytes)?))
}

/// Compresses a hunk as it was shown.
pub(super) fn compress_hunk(hunk: &DiffHunk) -> Result<Vec<u8>, StoreError> {
    Ok(compress_to_vec(&serde_json::to_vec(hunk)?, LEVEL))
}

/// Reads what [`compress_hunk`] returned.
pub(super) fn decompress_hunk(bytes: &[u8]) -> Result<DiffHunk, StoreError> {
    Ok(serde_json::from_slice(&inflate(bytes)?)?)
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    decompress_to_vec_with_limit(bytes, MAX_BYTES)
        .map_err(|error| StoreError::Damaged(format!("a compressed text: {error}")))
}
