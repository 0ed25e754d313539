//! Images whose paths are pasted.
//!
//! In: pasted text. Out: the image that it is the path of, told by the first bytes of the file.

use std::path::{Component, Path};

use signoff_core::percent;
use signoff_llm::image::ImageFormat;
use signoff_sandbox::regular;

/// Maximum size of pasted text that is looked at as a path, in bytes: the longest path that Linux takes.
const MAX_PATH: usize = 4096;

/// An image whose path was pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastedImage {
    /// What was pasted.
    pub text: String,
    /// The path: relative to the workspace for a file in it.
    pub path: String,
    /// The file's name.
    pub name: String,
    /// Its size, in bytes.
    pub bytes: usize,
}

/// Returns the image that pasted text is the path of. Terminals paste a file that is dropped on them as its path: in
/// quotes, with backslashes, or as a URL.
pub(crate) fn of(text: &str, root: &Path) -> Option<PastedImage> {
    let trimmed = text.trim();
    let is_line = !trimmed.contains(|c: char| c.is_control());
    if trimmed.is_empty() || text.len() > MAX_PATH || !is_line {
        return None;
    }
    let path = unquoted(trimmed)?;
    // A word is not looked for on the disk.
    if !path.contains('/') && !ImageFormat::is_named(&path) || path.contains('`') {
        return None;
    }
    let file = match path.strip_prefix("~/") {
        Some(rest) => etcetera::home_dir().ok()?.join(rest),
        None => root.join(&path),
    };
    let (head, size) = regular::head(&file, ImageFormat::HEAD).ok()?;
    ImageFormat::of(&head)?;
    let relative = file.strip_prefix(root).ok();
    let relative =
        relative.filter(|file| file.components().all(|part| part != Component::ParentDir));
    Some(PastedImage {
        text: text.to_owned(),
        path: relative.unwrap_or(&file).to_str()?.to_owned(),
        name: file.file_name()?.to_str()?.to_owned(),
        bytes: usize::try_from(size).ok()?,
    })
}

/// Returns a path without what a terminal or a shell puts around it.
fn unquoted(text: &str) -> Option<String> {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.strip_suffix(quote).map(str::to_owned);
        }
    }
    if let Some(url) = text.strip_prefix("file://") {
        let path = url.strip_prefix("localhost").unwrap_or(url);
        return percent::decoded(path).filter(|path| path.starts_with('/'));
    }
    let mut path = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        path.push(if c == '\\' { chars.next()? } else { c });
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    #[test]
    fn a_pasted_path_is_an_image_in_any_form() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, beside) = (base.join("work"), base.join("beside"));
        for folder in [&root, &beside, &root.join("img")] {
            fs::create_dir(folder).unwrap();
        }
        let file = beside.join("a b.png");
        fs::write(&file, PNG).unwrap();
        fs::write(root.join("shot.png"), PNG).unwrap();
        fs::write(root.join("text.png"), "text").unwrap();
        let plain = file.to_str().unwrap();
        for form in [
            plain.to_owned(),
            format!("'{plain}' "),
            format!("\"{plain}\""),
            plain.replace(' ', "\\ "),
            format!("file://{}\n", plain.replace(' ', "%20")),
        ] {
            let found = of(&form, &root).unwrap();
            assert_eq!(
                (found.path.as_str(), found.name.as_str()),
                (plain, "a b.png")
            );
            assert_eq!((found.bytes, found.text), (PNG.len(), form));
        }
        let inside = root.join("shot.png");
        for form in ["shot.png", "./shot.png", inside.to_str().unwrap()] {
            let path = of(form, &root).unwrap().path;
            assert!(
                ["shot.png", "./shot.png"].contains(&path.as_str()),
                "{path}"
            );
        }
        for other in [
            "",
            "shot",
            "text.png",
            "see shot.png",
            "shot.png\nshot.png",
            "'shot.png",
            "file://shot.png",
            "file:///%zz",
            "img",
            "shot.png\\",
        ] {
            assert_eq!(of(other, &root), None, "{other:?}");
        }
    }
}
