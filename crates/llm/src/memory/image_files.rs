//! Files of the images of recorded conversations, in a folder beside the records.
//!
//! In: images of prompts and of answers of tools. Out: a file for each, named by the hash of its bytes, and the bytes again when a conversation is
//! taken up.
//!
//! ```text
//! sessions/0199….jsonl            names, formats, sizes and hashes
//! sessions/images/3f0a….png       the bytes, once for all conversations with them
//! ```
//!
//! Beside the record, so that its lines stay short: a list of conversations reads all of them.

use std::fs;
use std::path::{Path, PathBuf};

use signoff_sandbox::private_file::PrivateFile;
use signoff_sandbox::regular;

use super::MemoryError;
use crate::image::{ImageContent, MAX_IMAGE_BYTES, PromptImage, digest};
use crate::transcript::Entry;

/// Maximum size of the images of a conversation that is taken up, in bytes; of more the oldest are left out. A request
/// has a fifth of it at most, the rest is for going back to earlier prompts.
const MAX_LOADED_BYTES: usize = 64 * 1024 * 1024;

/// The folder of the images.
pub(super) struct ImageFiles {
    folder: PathBuf,
}

impl ImageFiles {
    /// Returns the images of the conversations in a folder; nothing is made.
    pub(super) fn of(conversations: &Path) -> Self {
        Self {
            folder: conversations.join("images"),
        }
    }

    /// Writes an image down, unless that was done.
    pub(super) fn keep(&self, image: &PromptImage) -> Result<(), MemoryError> {
        let ImageContent::Held(bytes) = &image.content else {
            return Ok(());
        };
        let path = self.path(image);
        let is_there = fs::symlink_metadata(&path)
            .is_ok_and(|file| file.is_file() && file.len() == bytes.len() as u64);
        if is_there {
            return Ok(());
        }
        let written = PrivateFile::new(path).replace(bytes.as_slice());
        written.map_err(MemoryError::Private)
    }

    /// Reads the bytes of the images of a conversation, the newest first.
    pub(super) fn load(&self, entries: &mut [Entry]) {
        let mut room = MAX_LOADED_BYTES;
        for entry in entries.iter_mut().rev() {
            for image in entry.images_mut().iter_mut().rev() {
                if image.content == ImageContent::Missing {
                    image.content = self.read(image, &mut room);
                }
            }
        }
    }

    fn read(&self, image: &PromptImage, room: &mut usize) -> ImageContent {
        let Some(left) = room.checked_sub(image.size) else {
            *room = 0;
            return ImageContent::LeftOut;
        };
        match regular::read(&self.path(image), MAX_IMAGE_BYTES as u64) {
            Ok(bytes) if digest(&bytes) == image.digest => {
                *room = left;
                ImageContent::Held(bytes.into())
            }
            Ok(_) => {
                tracing::warn!(digest = image.digest, "an image on record is another one");
                ImageContent::Missing
            }
            Err(error) => {
                tracing::warn!(%error, digest = image.digest, "an image on record is not read");
                ImageContent::Missing
            }
        }
    }

    /// A digest names a file of this folder and none elsewhere, whatever the record says.
    fn path(&self, image: &PromptImage) -> PathBuf {
        let digits = image.digest.chars().filter(char::is_ascii_hexdigit);
        let name: String = digits.take(64).collect();
        self.folder
            .join(name)
            .with_extension(image.format.extension())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::memory::{Archive, Record};
    use crate::test_images::prompt_png;

    fn prompt(image: PromptImage) -> Record {
        Record::Entry(Entry::Prompt {
            text: "look at @shot.png".to_owned(),
            images: vec![image],
            sent: None,
        })
    }

    #[test]
    fn images_are_beside_the_record_and_are_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::new(folder.path().join("sessions"));
        let image = prompt_png("shot.png", 5000, 3);
        let mut chronicle = archive.begin("a1", None);
        chronicle.write(5, prompt(image.clone())).unwrap();
        chronicle.write(6, prompt(image.clone())).unwrap();
        drop(chronicle);
        let record = fs::read_to_string(archive.path("a1")).unwrap();
        assert!(record.len() < 1000, "{record}");
        let images = folder.path().join("sessions/images");
        let files: Vec<_> = fs::read_dir(&images).unwrap().map(Result::unwrap).collect();
        assert_eq!(files.len(), 1, "the same bytes are kept once");
        assert_eq!((mode(&files[0].path()), mode(&images)), (0o600, 0o700));
        assert_eq!(archive.list().unwrap().len(), 1);
        assert_eq!(first_image(&archive.read("a1").unwrap()), image);
        assert_eq!(first_image(&archive.fork("a1", 9).unwrap().0), image);
        fs::write(files[0].path(), "\u{89}PNG, but another one").unwrap();
        let broken = first_image(&archive.read("a1").unwrap());
        assert_eq!(broken.content, ImageContent::Missing);
        fs::remove_file(files[0].path()).unwrap();
        let broken = first_image(&archive.read("a1").unwrap());
        assert_eq!(broken.content, ImageContent::Missing);
    }

    fn first_image(recall: &crate::memory::Recall) -> crate::image::PromptImage {
        recall.entries[0].images()[0].clone()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn images_of_answers_are_kept_as_those_of_prompts() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::new(folder.path().join("sessions"));
        let entry = answered(vec![prompt_png("s__t-1.png", 5000, 3)]);
        let mut chronicle = archive.begin("a1", None);
        let first = prompt_png("shot.png", 20, 3);
        chronicle.write(5, prompt(first)).unwrap();
        chronicle.write(6, Record::Entry(entry.clone())).unwrap();
        drop(chronicle);
        assert_eq!(archive.read("a1").unwrap().entries.get(1), Some(&entry));
        // Records of before have none.
        let plain = serde_json::to_string(&answered(Vec::new())).unwrap();
        assert!(!plain.contains("images"), "{plain}");
        assert_eq!(
            serde_json::from_str::<Entry>(&plain).unwrap(),
            answered(Vec::new())
        );
    }

    fn answered(images: Vec<crate::image::PromptImage>) -> Entry {
        Entry::Answered {
            call: crate::message::CallId("c1".to_owned()),
            content: "shot".to_owned(),
            failed: false,
            images,
        }
    }

    #[test]
    fn a_digest_leads_nowhere_else() {
        let files = ImageFiles::of(Path::new("/s"));
        let image = PromptImage {
            digest: "../../etc/ab".to_owned(),
            ..prompt_png("x", 10, 0)
        };
        assert_eq!(files.path(&image), Path::new("/s/images/ecab.png"));
    }
}
