//! Reading files without the engine's lock, several at once.
//!
//! In: a path. Out: its text where something is staged over it, else what reads it from disk
//! while the engine is free for others.

use crate::disk::workspace::{Reader, WorkspacePath};
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::text::Source;

/// A read that has begun.
pub enum Reading {
    /// It is done: the text with everything staged in it, none if it would not be there.
    Done(Option<Source>),
    /// Nothing is staged over the file: it is to be read from disk.
    OnDisk(Unread),
}

/// A file that is to be read from disk; [`Engine::end_read`](crate::engine::Engine::end_read) takes it back.
pub struct Unread {
    pub(in crate::engine) path: WorkspacePath,
    reader: Box<dyn Reader>,
}

impl Unread {
    /// Reads the file; none if nothing has this name.
    pub fn read(&self) -> Result<Option<Source>, EngineError> {
        let source = self.reader.image(&self.path)?.map(|image| image.source);
        text(&self.path, source)
    }

    /// Reads the bytes of the file, which may be no text; none if nothing has this name.
    pub fn read_bytes(&self) -> Result<Option<Vec<u8>>, EngineError> {
        let image = self.reader.image(&self.path)?;
        Ok(image.and_then(|image| image.source.encoded()))
    }
}

/// Begins to read a file; nothing where the engine itself has to read it, as something is staged over it, or its
/// workspace has nothing to read with beside it.
pub(in crate::engine) fn unread(
    overlay: &Overlay,
    path: &str,
) -> Result<Option<Unread>, EngineError> {
    let path = overlay.path(path)?;
    let is_staged = overlay.stage.key_of(&path).is_some();
    let reader = overlay.workspace.reader().filter(|_| !is_staged);
    Ok(reader.map(|reader| Unread { path, reader }))
}

/// Returns a source that is text, or says that it is not.
pub(in crate::engine) fn text(
    path: &WorkspacePath,
    source: Option<Source>,
) -> Result<Option<Source>, EngineError> {
    match source.as_ref().map(Source::text) {
        Some(Err(reason)) => Err(EngineError::NotText {
            path: path.to_string(),
            reason,
        }),
        _ => Ok(source),
    }
}
