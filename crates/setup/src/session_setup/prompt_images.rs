//! Images that a prompt names.
//!
//! In: a prompt, and which paths outside of the workspace the user typed or pasted. Out: the images behind its `@`, or why
//! one cannot be sent.
//!
//! ```text
//! what is wrong in @shot.png?            a file of the workspace: read as the model's tools read it
//! compare `@/pictures/a b.png` with it    a file elsewhere: read only if the user typed or pasted this path
//! ```
//!
//! A file is an image by its first bytes. A mention that is no image is left to `surroundings`, unless its name says that it
//! is one: then the user is told, and nothing is sent.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use signoff_core::engine::{Engine, Reading};
use signoff_core::quote;
use signoff_llm::driver::ReadImages;
use signoff_llm::image::{Image, ImageFormat, MAX_IMAGE_BYTES, NamedImages};
use signoff_llm::mention::{self, leads_out};
use signoff_llm::tool::lock;
use signoff_sandbox::regular;

/// Images of servers' resources that the prompt names which is looked at.
pub(crate) type ServerImages = Arc<Mutex<Vec<Image>>>;

/// Returns what reads the images that prompts name in a workspace; those of servers were read with their text.
pub(crate) fn reader(root: PathBuf, of_servers: ServerImages) -> ReadImages {
    Arc::new(move |engine, prompt, typed| {
        let mut read = of_servers.lock().unwrap_or_else(PoisonError::into_inner);
        NamedImages {
            of_servers: std::mem::take(&mut *read),
            ..named(engine, &root, prompt, typed)
        }
    })
}

/// Reads the images that a prompt names; outside of the workspace only those in `typed`.
fn named(engine: &Mutex<Engine>, root: &Path, prompt: &str, typed: &[String]) -> NamedImages {
    let mut found = NamedImages::default();
    let mut known: Vec<String> = Vec::new();
    for path in mention::all(prompt) {
        if known.contains(&path) {
            continue;
        }
        match read(engine, root, &path, typed) {
            Ok(Some(image)) => found.images.push(image),
            Ok(None) => {}
            Err(why) => found.refused.push(why),
        }
        known.push(path);
    }
    found
}

/// Reads a file that is mentioned; none if it is no image and its name does not say so.
fn read(
    engine: &Mutex<Engine>,
    root: &Path,
    path: &str,
    typed: &[String],
) -> Result<Option<Image>, String> {
    let is_named = ImageFormat::is_named(path);
    let shown = quote::name(path);
    let outside = outside(path, root);
    if outside.is_some() && !typed.iter().any(|own| own == path) {
        let why =
            "is outside of the workspace, and only a path that you type or paste is read there";
        return if is_named {
            Err(format!("{shown} {why}: type or paste it again"))
        } else {
            Ok(None)
        };
    }
    let bytes = match &outside {
        Some(file) => elsewhere(file),
        None => within(engine, path),
    };
    match bytes {
        Ok(bytes) if !is_named && ImageFormat::of(&bytes).is_none() => Ok(None),
        Ok(bytes) => match Image::new(path.to_owned(), bytes) {
            Ok(image) => Ok(Some(image)),
            Err(error) => Err(error.to_string()),
        },
        Err(_) if !is_named => Ok(None),
        Err(why) => Err(format!(
            "{shown} cannot be attached: {why}; name an image that can be read, or write the name without @"
        )),
    }
}

/// Reads a file of the workspace, with its links resolved: one that leads out is refused.
fn within(engine: &Mutex<Engine>, path: &str) -> Result<Vec<u8>, String> {
    let reading = lock(engine).begin_read(path);
    let bytes = match reading.map_err(|error| error.to_string())? {
        Reading::OnDisk(unread) => unread.read_bytes().map_err(|error| error.to_string())?,
        Reading::Done(source) => source.and_then(|source| source.encoded()),
    };
    bytes.ok_or_else(|| "there is no such file".to_owned())
}

/// Reads a file anywhere. One byte more than an image may have tells that it is too large.
fn elsewhere(file: &Path) -> Result<Vec<u8>, String> {
    let (mut head, size) =
        regular::head(file, MAX_IMAGE_BYTES + 1).map_err(|error| error.to_string())?;
    if size > MAX_IMAGE_BYTES as u64 {
        head.resize(MAX_IMAGE_BYTES + 1, 0);
    }
    Ok(head)
}

/// Returns the file that a path names, if that is outside of the workspace; whatever links stand on it.
fn outside(path: &str, root: &Path) -> Option<PathBuf> {
    if !leads_out(path) {
        return None;
    }
    let file = match path.strip_prefix("~/") {
        Some(rest) => etcetera::home_dir().ok()?.join(rest),
        None => root.join(path),
    };
    let has_parent = file.components().any(|part| part == Component::ParentDir);
    (has_parent || !file.starts_with(root)).then_some(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use signoff_core::id::{Ambient, Timestamp};

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    /// A workspace, and a folder beside it.
    struct Place {
        _folder: tempfile::TempDir,
        root: PathBuf,
        beside: PathBuf,
        engine: Mutex<Engine>,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = folder.path().canonicalize().unwrap();
            let (root, beside) = (base.join("work"), base.join("beside"));
            for folder in [&root, &beside, &root.join("img")] {
                fs::create_dir(folder).unwrap();
            }
            let ambient = Ambient {
                now: Box::new(|| Timestamp(0)),
                uuid: Box::new(uuid::Uuid::now_v7),
            };
            let engine = Engine::open(&root, &base.join("state.db"), ambient).unwrap();
            Self {
                _folder: folder,
                root,
                beside,
                engine: Mutex::new(engine),
            }
        }

        fn named(&self, prompt: &str, typed: &[&str]) -> (Vec<String>, String) {
            let typed: Vec<String> = typed.iter().map(|path| (*path).to_owned()).collect();
            let found = named(&self.engine, &self.root, prompt, &typed);
            let images = found.images.into_iter().map(|image| image.name);
            (images.collect(), found.refused.join("\n"))
        }
    }

    #[test]
    fn images_of_the_workspace_are_read_by_their_bytes() {
        let place = Place::new();
        fs::write(place.root.join("shot.png"), PNG).unwrap();
        fs::write(place.root.join("img/a b.gif"), b"GIF89a..").unwrap();
        fs::write(place.root.join("noext"), PNG).unwrap();
        fs::write(place.root.join("text.png"), "no image").unwrap();
        fs::write(place.root.join("a.rs"), "fn a() {}").unwrap();
        let absolute = format!("@{}", place.root.join("shot.png").display());
        for (prompt, images, refused) in [
            ("see @shot.png, and @a.rs.", &["shot.png"][..], ""),
            (
                "(@shot.png) `@img/a b.gif` @shot.png",
                &["shot.png", "img/a b.gif"],
                "",
            ),
            ("@noext @nothing me@shot.png shot.png", &["noext"], ""),
            ("@text.png", &[], "text.png is not a PNG"),
            (
                "@missing.png",
                &[],
                "missing.png cannot be attached: there is no such file",
            ),
            ("@img.png/x.png", &[], "cannot be attached"),
        ] {
            let (found, why) = place.named(prompt, &[]);
            assert_eq!(found, images, "{prompt}: {why}");
            assert!(
                why.contains(refused) && why.is_empty() == refused.is_empty(),
                "{prompt}: {why}"
            );
        }
        let (found, why) = place.named(&absolute, &[]);
        assert_eq!((found.len(), why.as_str()), (1, ""), "in the workspace");
    }

    #[test]
    fn links_and_paths_lead_out_only_where_the_user_typed_them() {
        let place = Place::new();
        let shot = place.beside.join("shot.png");
        fs::write(&shot, PNG).unwrap();
        symlink(&shot, place.root.join("link.png")).unwrap();
        symlink(&place.beside, place.root.join("folder")).unwrap();
        let path = shot.to_str().unwrap();
        for prompt in ["@link.png", "@folder/shot.png"] {
            let (found, why) = place.named(prompt, &["link.png", "folder/shot.png"]);
            assert!(
                found.is_empty() && why.contains("cannot be attached"),
                "{prompt}: {why}"
            );
        }
        for mention in [path, "../beside/shot.png", "img/../../beside/shot.png"] {
            let prompt = format!("see @{mention}");
            let (found, why) = place.named(&prompt, &[]);
            assert!(
                found.is_empty() && why.contains("outside of the workspace"),
                "{why}"
            );
            let (found, why) = place.named(&prompt, &[mention]);
            assert_eq!((found, why.as_str()), (vec![mention.to_owned()], ""));
        }
        fs::write(place.beside.join("key.png"), "-----BEGIN KEY").unwrap();
        fs::write(place.beside.join("key"), "-----BEGIN KEY").unwrap();
        let (found, why) = place.named(
            "@../beside/key.png @../beside/key",
            &["../beside/key.png", "../beside/key"],
        );
        assert!(found.is_empty() && why.contains("is not a PNG"), "{why}");
        let (found, why) =
            place.named("@/dev/zero @/dev/zero.png", &["/dev/zero", "/dev/zero.png"]);
        assert!(
            found.is_empty() && why.contains("/dev/zero.png cannot be attached"),
            "{why}"
        );
    }

    #[test]
    fn an_image_that_is_too_large_is_refused() {
        let place = Place::new();
        let mut bytes = PNG.to_vec();
        bytes.resize(MAX_IMAGE_BYTES, 0);
        let large = place.beside.join("large.png");
        let path = large.to_str().unwrap();
        for (extra, is_taken) in [(0, true), (1, false), (9 << 20, false)] {
            let mut bytes = bytes.clone();
            bytes.resize(MAX_IMAGE_BYTES + extra, 0);
            fs::write(place.root.join("large.png"), &bytes).unwrap();
            fs::write(&large, &bytes).unwrap();
            for mention in ["large.png", path] {
                let (found, why) = place.named(&format!("@{mention}"), &[path]);
                assert_eq!(
                    found.len(),
                    usize::from(is_taken),
                    "{extra} {mention}: {why}"
                );
                let says = why.contains("too large") || why.contains("files above");
                assert_eq!(says, !is_taken, "{extra} {mention}: {why}");
            }
        }
    }
}
